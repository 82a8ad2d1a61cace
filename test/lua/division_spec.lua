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
        local floors = tensor.floorDivide(a, b)
        local floor = floors:data()
        for i = 0, n - 1 do
          local want = quotient(x[i], y[i], ctype)
          local is_whole = ffi.cast(ctype, want * y[i]) == x[i]
          if not is_whole and (x[i] < 0) ~= (y[i] < 0) then want = ffi.cast(ctype, want - 1) end
          if floor[i] ~= tonumber(want) and floor[i] ~= want then
            error(('floor of %s / %s: %s'):format(tostring(x[i]), tostring(y[i]),
                                                  tostring(floor[i])))
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

-- Quotients by a number are products with its reciprocal. Most errors would be next to multiples.
describe('integers divided by a number', function()
  for _, row in ipairs(types) do
    local class, _, bits = row[1], row[2], row[3]
    local least = class == 'Byte' and 0 or -2 ^ (bits - 1)
    local most = class == 'Byte' and 255 or 2 ^ (bits - 1) - 1
    if bits == 64 then least, most = -2 ^ 50 + 1, 2 ^ 50 - 1 end
    local divisors = {}
    if bits == 8 then
      for d = least, most do divisors[#divisors + 1] = d ~= 0 and d ~= -1 and d or nil end
    else
      for _, d in ipairs { 1, 2, 3, 7, 10, 100, 641, 6700417, 4294967297, 2 ^ 31, most } do
        if d <= most then divisors[#divisors + 1], divisors[#divisors + 2] = d, -d - 1 end
      end
    end

    it('as ' .. class .. 'Tensors', function()
      for _, d in ipairs(divisors) do
        local values = {}
        for k = 0, 255 do
          -- For 8 bits all elements, otherwise multiples of d and their neighbors.
          local x = least + k
          if bits > 8 then
            local size = math.floor((most - 1) / math.abs(d)) / 2 ^ (k % 30)
            x = (k % 2 * 2 - 1) * math.floor(size) * math.abs(d) + k % 3 - 1
          end
          values[k + 1] = math.max(least, math.min(most, x))
        end
        values[257], values[258] = least, most
        local a = tensor[class .. 'Tensor'](values)
        local x = a:double()
        local exact = x / d
        local floor, whole = tensor.floor(exact), tensor.trunc(exact)
        local function check(name, want)
          local got = tensor[name](a, d):double()
          local off = tensor.max(tensor.abs(got - want))
          assert(off == 0, ('%s by %.0f'):format(name, d))
        end
        check('div', whole)
        check('floorDivide', floor)
        check('fmod', x - whole * d)
        check('remainder', x - floor * d)
      end
    end)
  end
end)

-- The fast forms are exact, so a loop of math.fmod, which divides bit by bit, gives the same.
describe('remainders and rounded quotients of doubles', function()
  it('are those of math.fmod', function()
    tensor.manualSeed(5)
    local n = 4000
    local function numbers(range)
      local exponent = tensor.DoubleTensor(n):uniform(-range, range)
      local sign = tensor.DoubleTensor(n):uniform(-1, 1):sign()
      return tensor.cmul(sign, tensor.pow(2, exponent))
    end
    local function same(x, y) return x == y and 1 / x == 1 / y or x ~= x and y ~= y end
    for _, range in ipairs { 1, 20, 50, 200 } do
      local a, b = numbers(range), numbers(range / 2)
      a:narrow(1, 1, 1000):floor()
      b:narrow(1, 1, 1000):ceil()
      a[5], b[6], a[7], b[8], a[9] = 0, 0, 1 / 0, 1 / 0, 0 / 0
      local rest, floor = tensor.cfmod(a, b), tensor.floorDivide(a, b)
      for i = 1, n do
        local x, y = a[i], b[i]
        local r = math.fmod(x, y)
        assert(same(rest[i], r), ('fmod(%.17g, %.17g): %.17g'):format(x, y, rest[i]))
        if y ~= 0 and r == r then
          local q = (x - r) / y - ((r ~= 0 and (r < 0) ~= (y < 0)) and 1 or 0)
          local whole = math.floor(q)
          q = q - whole > 0.5 and whole + 1 or whole
          assert(floor[i] == q, ('floor of %.17g / %.17g: %.17g'):format(x, y, floor[i]))
        end
      end
    end
  end)
end)

describe('bytes divided by a number', function()
  it('are exact for all pairs', function()
    local all = tensor.range(0, 255):byte()
    local numbers = tensor.range(0, 255)
    for d = 1, 255 do
      local want = tensor.floor(numbers / d)
      local rest = numbers - want * d
      assert(tensor.floorDivide(all, d):double():equal(want), d)
      assert(tensor.div(all, d):double():equal(want), d)
      assert(tensor.remainder(all, d):double():equal(rest), d)
      assert(tensor.fmod(all, d):double():equal(rest), d)
      assert(tensor.floorDivide(all[{ { 3, -1, 2 } }], d):double():equal(want[{ { 3, -1, 2 } }]), d)
    end
  end)
end)
