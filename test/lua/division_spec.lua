-- Integer quotients, which blocks of small operands compute in doubles, compared with C's division.

local ffi = require 'ffi'
local tensor = require 'tensor'

local types = {
  { 'Byte', 'uint8_t', 8 }, { 'Char', 'int8_t', 8 }, { 'Short', 'int16_t', 16 },
  { 'Int', 'int32_t', 32 }, { 'Long', 'int64_t', 64 },
}

-- Returns random numbers of different magnitudes, up to a number of bits.
local state = 1
local function random_bits()
  state = (state * 16807) % 2147483647
  return state
end
local function number(bits, ctype)
  local wide = ffi.cast('int64_t', random_bits()) * 4294967296LL + random_bits() * 3LL
  local shift = 64 - bits + random_bits() % bits
  return ffi.cast(ctype, bit.arshift(wide, shift))
end

local function quotient(a, b, ctype)
  a, b = ffi.cast('int64_t', a), ffi.cast('int64_t', b)
  return ffi.cast(ctype, b == -1 and -a or a / b)
end

describe('quotients of integers', function()
  for _, row in ipairs(types) do
    local class, ctype, bits = row[1], row[2], row[3]
    local Tensor = tensor[class .. 'Tensor']
    -- With all bits, some block contains values that do not fit into doubles; with fewer bits, none
    -- does.
    for _, most in ipairs { bits, bits == 64 and 52 or bits - 1 } do
      it(('of %sTensors of up to %d bits'):format(class, most), function()
        local n = 2000
        local a, b = Tensor(n), Tensor(n)
        local x, y = a:data(), b:data()
        local lowest = bits == 64 and ffi.cast('int64_t', bit.lshift(1LL, 63))
                       or ffi.cast(ctype, -2 ^ (bits - 1))
        for i = 0, n - 1 do
          x[i] = number(most, ctype)
          y[i] = number(most, ctype)
          if most == bits and i % 500 == 7 then x[i], y[i] = lowest, -1 end
          if y[i] == 0 then y[i] = 3 end
        end
        local got, mine = tensor.cdiv(a, b), a:clone():cdiv(b)
        local every = tensor.cdiv(a:view(n / 2, 2):select(2, 1), b:view(n / 2, 2):select(2, 1))
        local p, q, s = got:data(), mine:data(), every:data()
        for i = 0, n - 1 do
          local want = quotient(x[i], y[i], ctype)
          if p[i] ~= want or q[i] ~= want or (i % 2 == 0 and s[i / 2] ~= want) then
            error(('%s / %s: %s'):format(tostring(x[i]), tostring(y[i]), tostring(p[i])))
          end
        end
        for _, divisor in ipairs { 1, 7, -3, -1, 100 } do
          if divisor > 0 or class ~= 'Byte' then
            local result = tensor.div(a, divisor)
            local r = result:data()
            for i = 0, n - 1 do assert(r[i] == quotient(x[i], divisor, ctype)) end
          end
        end
      end)
    end
  end
end)
