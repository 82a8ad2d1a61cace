-- Pictures in terminals that support kitty's graphics protocol or sixels.

local base64 = require('tensor.plot.base64').encode
local encode_png = require('tensor.formats.picture').encode_png
local native = require 'tensor.native'

local graphics = {}

local COLUMNS = 72
local CHUNK = 4096  -- maximum bytes per chunk in kitty's protocol
local LEVELS = 6    -- levels of red, green and blue in sixels

--- Encodes pixels, a ByteTensor of 3 x H x W, for kitty's protocol: a PNG file in chunks.
function graphics.kitty(pixels)
   local text, parts = base64(encode_png(pixels)), {}
   local columns = math.min(COLUMNS, native.terminal_width() or COLUMNS)
   for first = 1, #text, CHUNK do
      local more = first + CHUNK <= #text and 1 or 0
      local head = first == 1 and ('f=100,a=T,c=%d,'):format(columns) or ''
      parts[#parts + 1] = ('\27_G%sm=%d;%s\27\\'):format(head, more,
                                                         text:sub(first, first + CHUNK - 1))
   end
   return table.concat(parts)
end

-- Encodes six rows of color numbers (from 0): for each color, one character per column, whose
-- bits are the rows.
local function band(rows, width)
   local masks, order = {}, {}
   for y, row in ipairs(rows) do
      local bit = 2 ^ (y - 1)
      for x = 1, width do
         local color = row[x]
         local mask = masks[color]
         if not mask then
            mask = {}
            masks[color], order[#order + 1] = mask, color
         end
         mask[x] = (mask[x] or 0) + bit
      end
   end
   table.sort(order)
   local parts = {}
   for _, color in ipairs(order) do
      local mask, runs, x = masks[color], {}, 1
      while x <= width do
         local bits, first = mask[x] or 0, x
         repeat x = x + 1 until x > width or (mask[x] or 0) ~= bits
         local letter, n = string.char(63 + bits), x - first
         runs[#runs + 1] = n > 3 and ('!%d%s'):format(n, letter) or letter:rep(n)
      end
      parts[#parts + 1] = ('#%d%s'):format(color, table.concat(runs))
   end
   return table.concat(parts, '$')
end

--- Encodes pixels as sixels with 216 colors.
function graphics.sixel(pixels)
   local height, width = pixels:size(2), pixels:size(3)
   local levels = (pixels:double() * ((LEVELS - 1) / 255)):round()
   local colors = (levels[1] * (LEVELS * LEVELS)):add(LEVELS, levels[2]):add(levels[3])
   local parts = {('\27P0;1;0q"1;1;%d;%d'):format(width, height)}
   local seen = colors:view(-1):add(1):long():bincount():totable()
   colors:add(-1)
   for k, count in ipairs(seen) do
      if count > 0 then
         local color, step = k - 1, 100 / (LEVELS - 1)
         local red, green = math.floor(color / LEVELS ^ 2), math.floor(color / LEVELS) % LEVELS
         parts[#parts + 1] = ('#%d;2;%d;%d;%d'):format(color, red * step, green * step,
                                                       color % LEVELS * step)
      end
   end
   local bands = {}
   for first = 1, height, 6 do
      local rows = colors:narrow(1, first, math.min(6, height - first + 1)):totable()
      bands[#bands + 1] = band(rows, width)
   end
   return table.concat(parts) .. table.concat(bands, '-') .. '\27\\'
end

--- Returns the graphics protocol of a terminal, 'kitty' or 'sixel', or nil. ask(text) sends a query
-- and returns the reply up to the reply to ESC [ c, which all terminals answer. A terminal that
-- does not answer ESC [ c gets no further queries. environment(name) returns an environment
-- variable.
function graphics.of_terminal(ask, environment)
   local term = environment 'TERM' or ''
   if term == '' or term == 'dumb' or term == 'unknown' then return nil end
   local attributes = (ask '\27[c' or ''):match '\27%[%?([%d;]*)c$'
   if not attributes then return nil end
   local program = environment 'TERM_PROGRAM'
   if not environment 'TMUX' and (term:find 'kitty' or term:find 'ghostty' or
      environment 'KITTY_WINDOW_ID' or program == 'ghostty' or program == 'WezTerm') then
      local answer = ask '\27_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\27\\\27[c'
      if answer and answer:find('\27_Gi=31;OK', 1, true) then return 'kitty' end
   end
   return (';' .. attributes .. ';'):find(';4;', 1, true) and 'sixel' or nil
end

-- The text that the user typed before the replies of the terminal.
local typed = ''

--- Returns the text in an answer of the terminal without the replies to queries.
function graphics.typed_in(answer)
   return (answer:gsub('\27_G.-\27\\', ''):gsub('\27%[%?[%d;]*c$', ''))
end

-- Queries the terminal of the process; each part of the reply may take one second. stty sets this
-- timeout and disables the echo, which would show the reply. Bytes after the reply are not read.
local function ask(text)
   local pipe = io.popen 'stty -g </dev/tty 2>/dev/null'
   local saved = pipe and pipe:read '*l'
   if pipe then pipe:close() end
   local from, to = io.open('/dev/tty', 'rb'), io.open('/dev/tty', 'wb')
   local answer = ''
   local done = saved and saved:find '^[%w:=]+$' and from and to and
                os.execute 'stty -icanon -echo min 0 time 10 </dev/tty 2>/dev/null'
   if done == 0 or done == true then  -- the result in Lua 5.1 and in later versions
      pcall(function()
         from:setvbuf 'no'
         to:write(text)
         to:flush()
         repeat
            local byte = from:read(1)
            answer = answer .. (byte or '')
         until not byte or answer:find '\27%[%?[%d;]*c$' or #answer > 1000
      end)
      os.execute('stty ' .. saved .. ' </dev/tty 2>/dev/null')
   end
   if from then from:close() end
   if to then to:close() end
   typed = typed .. graphics.typed_in(answer)
   return answer
end

local found

--- Returns the graphics protocol of the process's terminal, which is queried once. TENSOR_PLOT
-- overrides it.
function graphics.detect()
   if found == nil then
      local wanted = os.getenv 'TENSOR_PLOT' or ''
      if wanted == 'kitty' or wanted == 'sixel' then
         found = wanted
      elseif wanted == 'text' then
         found = false
      else
         found = graphics.of_terminal(ask, os.getenv) or false
      end
   end
   return found or nil
end

--- Returns the text that the user typed while `detect` queried the terminal, once.
function graphics.take_typed()
   local text = typed
   typed = ''
   return text
end

return graphics
