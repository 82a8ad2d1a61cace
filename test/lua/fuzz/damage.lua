-- Damaged copies of files: cut, spliced, with other bytes, and with hostile numbers in place of
-- sizes.

local damage = {}

local hostile = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, 64, 65, 255, 2 ^ 15, 2 ^ 16 - 1, 2 ^ 31 - 1,
                  2 ^ 31, 2 ^ 32 - 1, 2 ^ 40, 2 ^ 52, 2 ^ 53, 2 ^ 62 }

local function number_bytes(n, count, isbig)
  local bytes = {}
  for k = 1, count do
    bytes[isbig and count + 1 - k or k] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(bytes)
end

-- Where formats have sizes, by their endings: a pattern, the offset of a number from the beginning
-- of its match, how many bytes the number has, and whether the highest byte comes first.
local numbers = {
  png = { { 'IHDR', 4, 4, true }, { 'IHDR', 8, 4, true }, { 'IHDR', 12, 1 }, { 'IHDR', 13, 1 },
          { 'IDAT', -4, 4, true } },
  jpg = { { '\255\192', 5, 2, true }, { '\255\192', 7, 2, true }, { '\255\192', 2, 2, true },
          { '\255\192', 9, 1 }, { '\255\196', 2, 2, true } },
  npz = { { 'PK\1\2', 20, 4 }, { 'PK\1\2', 24, 4 }, { 'PK\1\2', 10, 2 }, { 'PK\1\2', 42, 4 },
          { 'PK\3\4', 18, 4 }, { 'PK\5\6', 10, 2 }, { 'PK\5\6', 16, 4 }, { '\147NUMPY', 8, 2 } },
  npy = { { '\147NUMPY', 8, 2 }, { '\147NUMPY', 6, 1 } },
  safetensors = { { '^', 0, 8 } },
}

local has_ffi, ffi = pcall(require, 'ffi')

local function crc32(bytes)
  pcall(ffi.cdef, 'unsigned long crc32(unsigned long, const char *, unsigned);')
  return tonumber(ffi.load 'libz.so.1'.crc32(0, bytes, #bytes))
end

-- The sums in the chunks of a PNG file, made right.
local function repair_png(bytes)
  if not has_ffi then return bytes end
  local at, parts = 9, { bytes:sub(1, 8) }
  while at + 12 <= #bytes + 1 do
    local a, b, c, d = bytes:byte(at, at + 3)
    local last = at + 7 + ((a * 256 + b) * 256 + c) * 256 + d
    if last + 4 > #bytes then break end
    parts[#parts + 1] = bytes:sub(at, last) .. number_bytes(crc32(bytes:sub(at + 4, last)), 4, true)
    at = last + 5
  end
  return table.concat(parts) .. bytes:sub(at)
end
local repair = { png = repair_png }

--- Returns a .zip file with one member, whose sum is right; nil without the FFI.
function damage.archive(name, bytes)
  if not has_ffi then return nil end
  local size = number_bytes(#bytes, 4)
  -- From the version up to the length of the extra field: neither compressed nor encrypted.
  local head = '\10\0' .. ('\0'):rep(8) .. number_bytes(crc32(bytes), 4) .. size .. size ..
               number_bytes(#name, 2) .. '\0\0'
  local member = 'PK\3\4' .. head .. name .. bytes
  local entry = 'PK\1\2\10\0' .. head .. ('\0'):rep(14) .. name
  return member .. entry .. 'PK\5\6\0\0\0\0\1\0\1\0' .. number_bytes(#entry, 4) ..
         number_bytes(#member, 4) .. '\0\0'
end

--- Returns a function that returns the damaged bytes of a file { bytes =, ending =, istext = }.
-- random: a generator of numbers from 0 to 1. others: files of which parts are spliced in.
function damage.maker(random, others)
  local function below(n) return math.floor(random() * n) end
  local function number() return hostile[below(#hostile) + 1] end

  local function change_number_of_text(s)
    local first, last = s:find('%-?%d+', below(#s) + 1)
    if not first then return s end
    return s:sub(1, first - 1) .. ('%d'):format(number()) .. s:sub(last + 1)
  end
  local function overwrite(s, at, bytes)
    return s:sub(1, at - 1) .. bytes .. s:sub(at + #bytes)
  end

  local damages = {
    function(s) return s:sub(1, below(#s)) end,
    function(s) return overwrite(s, below(#s) + 1, string.char(below(256))) end,
    function(s)
      local at = below(#s) + 1
      return s:sub(1, at) .. s:sub(at - below(20))
    end,
    function(s)
      local at = below(#s) + 1
      return s:sub(1, at) .. s:sub(at + 1 + below(20))
    end,
    function(s, item)
      if item.istext then return change_number_of_text(s) end
      local count = random() < 0.5 and 4 or 8
      return overwrite(s, below(#s) + 1, number_bytes(number(), count, random() < 0.3))
    end,
    function(s)
      local other = others[below(#others) + 1].bytes
      return s:sub(1, below(#s)) .. other:sub(below(#other) + 1)
    end,
    change_number_of_text,
    function(s, item)
      local known = numbers[item.ending]
      if not known then return s end
      local pattern, offset, count, isbig = unpack(known[below(#known) + 1])
      local places = {}
      for at in s:gmatch('()' .. pattern:gsub('^%^', '')) do
        places[#places + 1] = at
        if pattern == '^' then break end
      end
      if #places == 0 then return s end
      return overwrite(s, places[below(#places) + 1] + offset, number_bytes(number(), count, isbig))
    end,
  }

  return function(item)
    local bytes = item.bytes
    for _ = 0, below(4) do
      if #bytes > 0 then bytes = damages[below(#damages) + 1](bytes, item) end
    end
    return repair[item.ending] and random() < 0.7 and repair[item.ending](bytes) or bytes
  end
end

return damage
