-- Base64 encoding.

local DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

local base64 = {}

function base64.encode(bytes)
   return (bytes:gsub('..?.?', function(group)
      local a, b, c = group:byte(1, 3)
      local bits = a * 65536 + (b or 0) * 256 + (c or 0)
      local text = {}
      for k = 1, 4 do
         local digit = math.floor(bits / 64 ^ (4 - k)) % 64 + 1
         text[k] = k <= #group + 1 and DIGITS:sub(digit, digit) or '='
      end
      return table.concat(text)
   end))
end

return base64
