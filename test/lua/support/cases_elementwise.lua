-- Cases of the element-wise rows: plain formulas, and input numbers.

local bit = require 'bit'
local model = require 'support.model'

local floor, ceil, abs = math.floor, math.ceil, math.abs
local omit = {}
local cases = {}

local small_shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 1, 1, 1 }, { 0 }, { 2, 0, 3 }, {} }
-- More elements than one thread processes; not a multiple of the vector width.
local large_shape = { 317, 331 }

local function cut(x) return x < 0 and ceil(x) or floor(x) end

-- Replaces models that broadcast by models expanded to their common shape.
local function elementwise(f)
  return function(e, ...)
    local values, models = { ... }, {}
    for i, value in ipairs(values) do
      if type(value) == 'table' and value.data then models[#models + 1] = { i, value } end
    end
    local first = models[1][2]
    return model.fill(first.shape, function(position)
      local x = {}
      for i, value in ipairs(values) do x[i] = value end
      for _, pair in ipairs(models) do x[pair[1]] = pair[2].data[position + 1] end
      return e.store(f(e, x[1], x[2], x[3], x[4]))
    end)
  end
end

-- arguments: a list of kinds of elements (strings, see elements) and functions that return a number
-- for an element type. In each scenario, the strings are replaced by models of one shape.
local function scenarios(...)
  local lists = { ... }
  return function(e, random, large)
    local all = {}
    for _, shape in ipairs(large and { large_shape } or small_shapes) do
      for k, list in ipairs(lists) do
        if k == 1 or (shape[1] == 3 and not large) then
          local args = {}
          for i, entry in ipairs(list) do
            if type(entry) == 'string' then
              args[i] = model.random(e, entry, shape, random)
            elseif type(entry) == 'function' then
              args[i] = e.store(entry(e))
            else
              args[i] = entry
            end
          end
          all[#all + 1] = { args = args, scale = 8 }
        end
      end
    end
    return all
  end
end

local function case(name, ulps, f, ...)
  cases[name] = { ulps = ulps, scenarios = scenarios(...), reference = elementwise(f) }
end
local function unary(name, ulps, kind, f)
  case(name, ulps, function(_, x) return f(x) end, { kind })
end
local function number(x) return function() return x end end
local function by_type(integral, floating)
  return function(e) return e.integral and integral or floating end
end

---- ---- of one tensor ----
unary('abs', 0, 'wide', abs)
unary('neg', 0, 'wide', function(x) return -x end)
unary('sign', 0, 'wide', function(x) return x > 0 and 1 or x < 0 and -1 or 0 end)
unary('square', 1, 'wide', function(x) return x * x end)
unary('bitnot', 0, 'wide', function(x) return -1 - x end)
unary('cinv', 1, 'nonzero', function(x) return 1 / x end)
unary('sqrt', 1, 'positive', math.sqrt)
unary('rsqrt', 3, 'positive', function(x) return 1 / math.sqrt(x) end)
unary('cbrt', 2, 'positive', function(x) return x ^ (1 / 3) end)
unary('deg2rad', 2, 'any', math.rad)
unary('rad2deg', 2, 'any', math.deg)
unary('exp2', 4, 'mild', function(x) return 2 ^ x end)
unary('exp', 4, 'mild', math.exp)
unary('expm1', 8, 'mild', function(x)
  -- Near 0 by the Taylor series; elsewhere without cancellation.
  if abs(x) > 0.25 then return math.exp(x) - 1 end
  local sum, term = 0, 1
  for k = 1, 20 do
    term = term * x / k
    sum = sum + term
  end
  return sum
end)
unary('log', 4, 'positive', math.log)
unary('log1p', 8, 'positive', function(x) return math.log(1 + x) end)
unary('log2', 4, 'positive', function(x) return math.log(x) / math.log(2) end)
unary('log10', 4, 'positive', math.log10)
unary('sin', 4, 'mild', math.sin)
unary('cos', 4, 'mild', math.cos)
unary('tan', 8, 'unit', math.tan)
unary('asin', 4, 'unit', math.asin)
unary('acos', 4, 'unit', math.acos)
unary('atan', 4, 'any', math.atan)
unary('sinh', 4, 'mild', math.sinh)
unary('cosh', 4, 'mild', math.cosh)
unary('tanh', 4, 'mild', math.tanh)
unary('asinh', 8, 'any', function(x)
  local size = math.log(abs(x) + math.sqrt(x * x + 1))
  return x < 0 and -size or size
end)
unary('acosh', 8, 'positive', function(x) return math.log(x + math.sqrt(x * x - 1)) end)
unary('atanh', 8, 'unit', function(x) return math.log((1 + x) / (1 - x)) / 2 end)
unary('sinc', 16, 'any', function(x)
  return x == 0 and 1 or math.sin(math.pi * x) / (math.pi * x)
end)
unary('sigmoid', 4, 'any', function(x) return 1 / (1 + math.exp(-x)) end)
unary('logit', 32, 'share', function(x) return math.log(x / (1 - x)) end)
unary('erf', 8, 'unit', function(x)
  -- The Taylor series alternates, but its terms are at most 1 here.
  local sum, term = 0, x
  for k = 0, 80 do
    sum = sum + term / (2 * k + 1)
    term = -term * x * x / (k + 1)
  end
  return 2 / math.sqrt(math.pi) * sum
end)
local function erfc_far(z)
  local tail = 0
  for k = 200, 1, -1 do tail = k / 2 / (z + tail) end
  return math.exp(-z * z) / math.sqrt(math.pi) / (z + tail)
end
local function erf(x)
  -- Near 0 the Taylor series, whose terms alternate; farther out the continued fraction of erfc.
  if abs(x) < 2 then
    local sum, term = 0, x
    for k = 0, 120 do
      sum = sum + term / (2 * k + 1)
      term = -term * x * x / (k + 1)
      if abs(term) < 1e-18 * abs(sum) then break end
    end
    return 2 / math.sqrt(math.pi) * sum
  end
  local erfc = erfc_far(abs(x))
  return x < 0 and erfc - 1 or 1 - erfc
end
unary('erfc', 16, 'unit', function(x) return 1 - erf(x) end)
unary('erfinv', 16, 'unit', function(y)
  -- Newton's method. The limited steps keep it from diverging in the tails of erf.
  if abs(y) >= 1 then return y / 0 end
  local x, want, before = 0, abs(y), nil
  for _ = 1, 200 do
    -- Near 1 by erfc, which keeps the digits.
    local rest = x < 1 and want - erf(x) or erfc_far(x) - (1 - want)
    local step = rest * math.sqrt(math.pi) / 2 * math.exp(x * x)
    local next_x = x + math.max(-0.25, math.min(0.25, step))
    -- In the end x stays, or alternates between two neighbours.
    if next_x == x or next_x == before then break end
    before, x = x, next_x
  end
  return y < 0 and -x or x
end)
unary('digamma', 64, 'positive', function(x)
  local shift = 0
  while x < 20 do
    shift = shift + 1 / x
    x = x + 1
  end
  local y = 1 / (x * x)
  local series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
  return math.log(x) - 0.5 / x - series - shift
end)
-- The Hurwitz zeta function: a sum of many terms, and the integral and derivatives of the rest.
local function zeta(s, x)
  local sum = 0
  for k = 0, 199 do sum = sum + (x + k) ^ -s end
  local y = x + 200
  return sum + y ^ (1 - s) / (s - 1) + y ^ -s / 2 + s * y ^ (-s - 1) / 12
         - s * (s + 1) * (s + 2) * y ^ (-s - 3) / 720
end
case('polygamma', 64, function(_, x, n)
  local factorial = 1
  for k = 2, n do factorial = factorial * k end
  return (n % 2 == 1 and 1 or -1) * factorial * zeta(n + 1, x)
end, { 'positive', number(1) }, { 'positive', number(2) }, { 'positive', number(4) })
local function bessel(order)
  return function(x)
    local term = order == 0 and 1 or x / 2
    local sum = term
    for k = 1, 100 do
      term = term * x * x / 4 / (k * (k + order))
      sum = sum + term
    end
    return sum
  end
end
unary('i0', 8, 'any', bessel(0))
unary('i1', 8, 'any', bessel(1))
unary('relu', 0, 'special', function(x) return x < 0 and 0 or x end)
unary('gelu', 16, 'mild', function(x) return x * (1 + erf(x / math.sqrt(2))) / 2 end)
unary('silu', 8, 'any', function(x) return x / (1 + math.exp(-x)) end)
unary('softplus', 8, 'any', function(x) return math.log(1 + math.exp(x)) end)
unary('lgamma', 16, 'positive', function(x)
  -- Stirling's series, after shifting x to at least 20.
  local shift = 0
  while x < 20 do
    shift = shift + math.log(x)
    x = x + 1
  end
  local y = 1 / (x * x)
  local series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / x
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + series - shift
end)
-- The result may be near 0 although terms of the reference are as large as 40, so the tolerance is
-- larger.
local lgammas = cases.lgamma.scenarios
cases.lgamma.scenarios = function(e, ...)
  local all = lgammas(e, ...)
  for _, scenario in ipairs(all) do scenario.scale = e.name == 'Double' and 64 or scenario.scale end
  return all
end
unary('ceil', 0, 'any', ceil)
unary('floor', 0, 'any', floor)
unary('round', 0, 'any', function(x) return x < 0 and -floor(-x + 0.5) or floor(x + 0.5) end)
unary('trunc', 0, 'any', cut)
unary('frac', 0, 'any', function(x) return x - cut(x) end)

---- of a tensor and a number, and of two tensors
local function plus(_, x, y) return x + y end
local function minus(_, x, y) return x - y end
local function times(_, x, y) return x * y end
local function quotient(e, x, y) return e.integral and cut(x / y) or x / y end
local function truncated_rest(_, x, y) return math.fmod(x, y) end
local function floored_rest(_, x, y)
  local rest = math.fmod(x, y)
  return rest ~= 0 and (rest < 0) ~= (y < 0) and rest + y or rest
end
local function power(e, x, y)
  if not e.integral then return x ^ y end
  if y < 0 then return x == 1 and 1 or x == -1 and (y % 2 == 0 and 1 or -1) or 0 end
  local result = 1
  for _ = 1, y do result = e.store(result * x) end
  return result
end
local function shift_left(e, x, n)
  if e.integral and n >= e.bits then return 0 end
  return x * 2 ^ n
end
local function shift_right(e, x, n)
  if not e.integral then return x / 2 ^ n end
  if n >= e.bits then return x < 0 and -1 or 0 end
  return floor(x / 2 ^ n)
end
local function larger(_, x, y) return x > y and x or y end
local function smaller(_, x, y) return x < y and x or y end
local function bitwise(f) return function(_, x, y) return f(x, y) end end

case('add', 1, plus, { 'wide', number(3) }, { 'any', by_type(100, 0.1) })
case('sub', 1, minus, { 'wide', number(3) }, { 'any', by_type(100, 0.1) })
case('mul', 1, times, { 'wide', number(3) }, { 'any', by_type(11, 0.1) })
case('div', 1, quotient, { 'wide', number(3) }, { 'any', by_type(5, 0.3) })
case('fmod', 1, truncated_rest, { 'wide', number(5) }, { 'any', by_type(3, 0.75) })
case('remainder', 1, floored_rest, { 'wide', number(5) }, { 'any', by_type(3, 0.75) })
case('pow', 4, power, { 'base', number(3) }, { 'base', number(0) }, { 'base', number(2) },
     { 'positive', by_type(1, 0.5) })
case('tpow', 4, function(e, value, x) return power(e, value, x) end, { number(3), 'exponent' },
     { number(2), 'exponent' })
-- t:tpow(x) means pow(t, x), so the other order needs both tensors.
cases.tpow.ambiguous_in_place = true
case('lshift', 1, shift_left, { 'any', number(3) }, { 'wide', number(1) })
case('rshift', 1, shift_right, { 'any', number(2) }, { 'wide', number(1) })
case('bitand', 0, bitwise(bit.band), { 'wide', number(12) }, { 'any', number(5) })
case('bitor', 0, bitwise(bit.bor), { 'wide', number(12) }, { 'any', number(5) })
case('bitxor', 0, bitwise(bit.bxor), { 'wide', number(12) }, { 'any', number(5) })
case('cmaxValue', 0, larger, { 'any', number(2) })
case('cminValue', 0, smaller, { 'any', number(2) })
case('clamp', 0, function(_, x, low, high) return x < low and low or x > high and high or x end,
     { 'any', number(1), number(3) }, { 'wide', number(2), number(2) })

case('leakyRelu', 1, function(_, x, slope)
  return x > 0 and x or (slope == omit and 0.01 or slope) * x
end, { 'special', omit }, { 'wide', number(3) })
case('elu', 8, function(_, x, alpha)
  return x > 0 and x or (alpha == omit and 1 or alpha) * (math.exp(x) - 1)
end, { 'wide', omit }, { 'wide', number(3) })
case('clampMin', 0, function(_, x, low) return x < low and low or x end, { 'special', number(1) })
case('clampMax', 0, function(_, x, high) return x > high and high or x end,
     { 'special', number(3) })

local function scaled(sign)
  return function(_, x, value, y)
    if value == omit then value = 1 end
    return x + sign * value * y
  end
end
case('cadd', 2, scaled(1), { 'wide', omit, 'wide' }, { 'wide', number(3), 'wide' },
     { 'any', by_type(2, -0.7), 'any' })
case('csub', 2, scaled(-1), { 'wide', omit, 'wide' }, { 'wide', number(3), 'wide' },
     { 'any', by_type(2, -0.7), 'any' })
case('cmul', 1, times, { 'wide', 'wide' })
case('cdiv', 1, quotient, { 'wide', 'nonzero' })
case('cfmod', 1, truncated_rest, { 'wide', 'nonzero' })
case('cremainder', 4, floored_rest, { 'any', 'nonzero' })
case('cpow', 4, power, { 'base', 'exponent' })
case('clshift', 1, shift_left, { 'any', 'bits' })
case('crshift', 1, shift_right, { 'any', 'bits' })
case('cbitand', 0, bitwise(bit.band), { 'wide', 'wide' })
case('cbitor', 0, bitwise(bit.bor), { 'wide', 'wide' })
case('cbitxor', 0, bitwise(bit.bxor), { 'wide', 'wide' })
case('cmax', 0, larger, { 'wide', 'wide' }, { 'small', 'small' })
case('cmin', 0, smaller, { 'wide', 'wide' }, { 'small', 'small' })
case('hypot', 4, function(_, x, y) return math.sqrt(x * x + y * y) end, { 'any', 'any' })
case('logaddexp', 16, function(_, x, y) return math.log(math.exp(x) + math.exp(y)) end,
     { 'any', 'any' })
local function floored(_, x, y) return floor(x / y) end
case('floorDivide', 0, floored, { 'wide', 'nonzero' })
case('floorDivideValue', 0, floored, { 'wide', number(3) }, { 'any', by_type(5, 0.75) })
local function larger_number(_, x, y) return (x ~= x or y > x) and y or x end
local function smaller_number(_, x, y) return (x ~= x or y < x) and y or x end
case('fmax', 0, larger_number, { 'maybe_nan', 'maybe_nan' })
case('fmin', 0, smaller_number, { 'maybe_nan', 'maybe_nan' })
local function divisor(x, y)
  x, y = abs(x), abs(y)
  while y > 0 do x, y = y, x % y end
  return x
end
case('gcd', 0, function(_, x, y) return divisor(x, y) end, { 'wide', 'wide' }, { 'any', 'any' })
case('lcm', 0, function(_, x, y)
  return (x == 0 or y == 0) and 0 or abs(x) / divisor(x, y) * abs(y)
end, { 'any', 'any' })
local function with_sign(_, x, y)
  return (y < 0 or 1 / y < 0) and -abs(x) or abs(x)
end
case('copysign', 0, with_sign, { 'any', 'signed_zero' })
case('copysignValue', 0, with_sign, { 'any', number(-2) }, { 'any', number(3) })
case('heaviside', 0, function(_, x, y) return x < 0 and 0 or x > 0 and 1 or y end,
     { 'small', 'any' })
case('nextafter', 0, function(e, x, y)
  if x == y then return y end
  if x == 0 then
    local least = e.name == 'Float' and 2 ^ -149 or 2 ^ -1074
    return y > 0 and least or -least
  end
  local _, exponent = math.frexp(x)
  local step = (e.name == 'Float' and 2 ^ -24 or 2 ^ -53) * 2 ^ exponent
  -- Below a power of 2 the numbers are twice as dense.
  if (y > x) ~= (x > 0) and math.frexp(abs(x)) == 0.5 then step = step / 2 end
  return y > x and x + step or x - step
end, { 'any', 'any' }, { 'small', 'any' })
local function scaled_by_power(_, x, n) return x * 2 ^ cut(n) end
case('ldexp', 0, scaled_by_power, { 'any', 'small' })
case('ldexpValue', 0, scaled_by_power, { 'any', number(3) }, { 'any', number(-1.5) })
case('xlogy', 16, function(_, x, y) return x == 0 and 0 or x * math.log(y) end,
     { 'small', 'positive' }, { 'any', 'positive' })
-- The power series of the lower incomplete gamma function, by the gamma function as a product.
local function lower_gamma(_, a, x)
  local product, shifted = 1, a
  while shifted < 20 do
    product = product * shifted
    shifted = shifted + 1
  end
  local y = 1 / (shifted * shifted)
  local log_gamma = (shifted - 0.5) * math.log(shifted) - shifted + 0.5 * math.log(2 * math.pi)
                    + (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / shifted
  local gamma = math.exp(log_gamma) / product
  local term = 1 / a
  local sum = term
  for k = 1, 200 do
    term = term * x / (a + k)
    sum = sum + term
  end
  return math.exp(a * math.log(x) - x) * sum / gamma
end
case('igamma', 256, lower_gamma, { 'positive', 'positive' })
case('igammac', 256, function(e, a, x) return 1 - lower_gamma(e, a, x) end,
     { 'positive', 'positive' })
case('atan2', 4, function(_, y, x) return math.atan2(y, x) end, { 'any', 'any' })
case('addcmul', 24, function(_, x, value, y, z)
  return x + (value == omit and 1 or value) * y * z
end, { 'any', omit, 'any', 'any' }, { 'any', number(2), 'any', 'any' })
case('addcdiv', 24, function(e, x, value, y, z)
  return x + quotient(e, (value == omit and 1 or value) * y, z)
end, { 'any', omit, 'any', 'nonzero' }, { 'any', number(2), 'any', 'nonzero' })
case('clampTensors', 0, function(_, x, low, high) return math.min(math.max(x, low), high) end,
     { 'wide', 'small', 'wide' }, { 'small', 'small', 'small' })
case('where', 0, function(_, mask, x, y) return mask ~= 0 and x or y end,
     { 'logical', 'wide', 'wide' })
case('lerp', 4, function(_, x, y, weight) return x + weight * (y - x) end,
     { 'any', 'any', number(0.25) })
case('lerpTensor', 4, function(_, x, y, weight) return x + weight * (y - x) end,
     { 'any', 'any', 'positive' })

---- ---- comparison: results are 0 or 1 in the result's own type ----
local comparisons = {
  lt = function(x, y) return x < y end, le = function(x, y) return x <= y end,
  gt = function(x, y) return x > y end, ge = function(x, y) return x >= y end,
  eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end,
}
for name, holds in pairs(comparisons) do
  local function compare(_, x, y) return holds(x, y) and 1 or 0 end
  case(name .. 'Value', 0, compare, { 'small', number(1) }, { 'any', number(2) })
  case(name .. 'Tensor', 0, compare, { 'small', 'small' }, { 'any', 'any' })
end

case('isnan', 0, function(_, x) return x ~= x and 1 or 0 end, { 'maybe_nan' })

case('isinf', 0, function(_, x) return abs(x) == math.huge and 1 or 0 end, { 'special' })
case('isfinite', 0, function(_, x) return abs(x) < math.huge and 1 or 0 end, { 'special' })
case('signbit', 0, function(_, x) return (x < 0 or 1 / x < 0) and 1 or 0 end,
     { 'signed_zero' })
case('logicalNot', 0, function(_, x) return x == 0 and 1 or 0 end, { 'small' }, { 'maybe_nan' })
case('logicalAnd', 0, function(_, x, y) return x ~= 0 and y ~= 0 and 1 or 0 end,
     { 'small', 'small' })
case('logicalOr', 0, function(_, x, y) return (x ~= 0 or y ~= 0) and 1 or 0 end,
     { 'small', 'small' })
case('logicalXor', 0, function(_, x, y) return (x ~= 0) ~= (y ~= 0) and 1 or 0 end,
     { 'small', 'small' })
local function is_close(x, y, relative, absolute)
  if relative == omit then relative = 1e-5 end
  if absolute == omit then absolute = 1e-8 end
  return x == y or abs(y) < math.huge and abs(x - y) <= absolute + relative * abs(y)
end
case('isclose', 0, function(_, ...) return is_close(...) and 1 or 0 end,
     { 'special', 'special', omit, omit }, { 'small', 'small', 0.5, omit },
     { 'small', 'small', 0, 1 }, { 'small', 'small', 0.25, 0.75 })
case('nanToNum', 0, function(e, x, nan, up, down)
  if x ~= x then return nan == omit and 0 or nan end
  if x == math.huge then return up == omit and e.largest or up end
  if x == -math.huge then return down == omit and -e.largest or down end
  return x
end, { 'special', omit, omit, omit }, { 'special', number(2), number(3), number(-5) },
     { 'special', number(0), number(math.huge), number(-math.huge) })

---- whole tensors
local function same_shape(a, b)
  return table.concat(a.shape, 'x') == table.concat(b.shape, 'x')
end
local function pairs_of_tensors(e, random)
  local all = {}
  for _, shape in ipairs(small_shapes) do
    local a = model.random(e, 'small', shape, random)
    all[#all + 1] = { args = { a, model.copy(a) } }
    local b = model.copy(a)
    if #b.data > 0 then
      b.data[#b.data] = b.data[#b.data] + 1
      all[#all + 1] = { args = { a, b } }
    end
    all[#all + 1] = { args = { a, model.random(e, 'small', { 2, 2 }, random) } }
  end
  return all
end
cases.equal = {
  ulps = 0, scenarios = pairs_of_tensors,
  reference = function(_, a, b)
    return same_shape(a, b) and model.difference(a, b, 0) == nil
  end,
}
cases.allclose = {
  ulps = 0,
  scenarios = function(e, random)
    local all = {}
    for _, shape in ipairs(small_shapes) do
      local a = model.random(e, 'small', shape, random)
      local b = model.map(function(x) return x + 1 end, a)
      for _, limits in ipairs { { omit, omit }, { 0, 1 }, { 0, 0.5 }, { 0.6, 0 } } do
        all[#all + 1] = { args = { a, b, unpack(limits) } }
      end
      all[#all + 1] = { args = { a, model.copy(a), omit, omit } }
    end
    return all
  end,
  reference = function(_, a, b, relative, absolute)
    for k = 1, #a.data do
      if not is_close(a.data[k], b.data[k], relative, absolute) then return false end
    end
    return true
  end,
}
cases.isSameSizeAs = {
  ulps = 0, scenarios = pairs_of_tensors,
  reference = function(_, a, b) return same_shape(a, b) end,
}
-- Tensors created separately are never the same view.
cases.isSetTo = {
  ulps = 0, scenarios = pairs_of_tensors, reference = function() return false end,
}

return { cases = cases, omit = omit }
