-- The element types as seen by the tests: how they store a number, and numbers to test with.

local has_ffi, ffi = pcall(require, 'ffi')
local tensor = require 'tensor'

local elements = {}

local seed_of_run = tonumber(require('support.settings').seed) or 0

-- A random generator independent of the one under test. The setting seed selects other
-- numbers.
function elements.generator(seed)
  local state = ((seed or 1) + seed_of_run * 7919) % 2147483646 + (seed_of_run > 0 and 1 or 0)
  return function()
    state = (state * 16807) % 2147483647
    return state / 2147483647
  end
end

local function wrapping(bits, signed)
  local range = 2 ^ bits
  local half = range / 2
  return function(x)
    local r = x % range
    if signed and r >= half then r = r - range end
    return r
  end
end

-- Returns a function that rounds a number to the type, by storing it.
local function rounding(class)
  local slot = tensor[class](1)
  return function(x)
    slot[1] = x
    return slot[1]
  end
end

local function add(name, fields)
  fields.name = name
  fields.class = 'torch.' .. name .. 'Tensor'
  fields.Tensor = tensor[name .. 'Tensor']
  fields.Storage = tensor[name .. 'Storage']
  elements[#elements + 1] = fields
  fields.number = #elements
  elements[name] = fields
end

for _, row in ipairs { { 'Byte', 8, false }, { 'Char', 8, true }, { 'Short', 16, true },
                       { 'Int', 32, true }, { 'Long', 64, true } } do
  local name, bits, signed = row[1], row[2], row[3]
  local lowest = signed and -2 ^ (bits - 1) or 0
  add(name, { integral = true, bits = bits, signed = signed, eps = 0, lowest = lowest,
              -- A Lua number cannot represent all 64-bit integers; no case overflows them.
              store = bits == 64 and function(x) return x end or wrapping(bits, signed) })
end
add('Half', { eps = 2 ^ -10, largest = 65504, reduced = true, store = rounding 'HalfTensor',
              accumulated = 2 ^ -22 })
add('BFloat16', { eps = 2 ^ -7, largest = (2 - 2 ^ -7) * 2 ^ 127, reduced = true,
                  store = rounding 'BFloat16Tensor', accumulated = 2 ^ -22 })
local float = has_ffi and ffi.new 'float[1]'
add('Float', { eps = 2 ^ -23, largest = (2 - 2 ^ -23) * 2 ^ 127, accumulated = 2 ^ -44,
               store = has_ffi and function(x) float[0] = x return tonumber(float[0]) end
                       or rounding 'FloatTensor' })
add('Double', { eps = 2 ^ -52, largest = (2 - 2 ^ -52) * 2 ^ 1023, accumulated = 2 ^ -44,
                store = function(x) return x end })

local function truncated(x) return x < 0 and math.ceil(x) or math.floor(x) end

-- Kinds of numbers: each function returns one number, as stored in the type.
local kinds = {}
function kinds.any(e, random)
  if e.integral then
    return e.signed and math.floor(random() * 17) - 8 or math.floor(random() * 17)
  end
  -- Most numbers have few bits, so that their sums are exact in every type; the others test
  -- rounding.
  if random() < 0.8 then return (math.floor(random() * 65) - 32) / 4 end
  return random() * 16 - 8
end
function kinds.wide(e, random)
  if not e.integral then return kinds.any(e, random) end
  local reach = math.min(e.bits, 25)
  local x = math.floor(random() * 2 ^ reach)
  return e.signed and x - 2 ^ (reach - 1) or x
end
function kinds.nonzero(e, random)
  local x = kinds.any(e, random)
  return x == 0 and 3 or x
end
function kinds.positive(e, random)
  if e.integral then return math.floor(random() * 9) + 1 end
  return random() * 8 + 0.125
end
function kinds.unit(_, random) return random() * 2 - 1 end
function kinds.share(_, random) return 0.05 + 0.9 * random() end
function kinds.mild(_, random) return random() * 6 - 3 end
function kinds.bits(e, random)
  return math.floor(random() * 7) + (e.integral and random() < 0.1 and e.bits or 0)
end
function kinds.exponent(_, random) return math.floor(random() * 4) end
function kinds.base(e, random)
  if e.integral and e.bits < 32 then return kinds.wide(e, random) end
  return math.floor(random() * 7) - (e.signed and 3 or 0)
end
-- Factors whose products do not overflow in any type.
function kinds.factor(e, random)
  local x = random()
  if x < 0.1 then return 2 end
  if x < 0.2 then return e.integral and 1 or 0.5 end
  return (x < 0.4 and (e.signed or not e.integral)) and -1 or 1
end
function kinds.logical(_, random) return random() < 0.5 and 1 or 0 end
function kinds.maybe_nan(e, random)
  return not e.integral and random() < 0.3 and 0 / 0 or kinds.any(e, random)
end
function kinds.signed_zero(e, random)
  return not e.integral and random() < 0.3 and -0.0 or kinds.any(e, random)
end
function kinds.special(e, random)
  if e.integral or random() < 0.5 then return kinds.any(e, random) end
  local x = random()
  return x < 0.3 and 0 / 0 or x < 0.6 and math.huge or x < 0.9 and -math.huge or -0.0
end
function kinds.small(_, random) return truncated(random() * 4) end

function elements.value(e, kind, random)
  return e.store(kinds[kind](e, random))
end

--- Returns true if rows of the op table with these types support this element type.
function elements.supports(types, e)
  if types == 'INTEGRAL' then return e.integral == true end
  if types == 'FLOATING' then return not e.integral end
  if types == 'REAL' then return e.name == 'Float' or e.name == 'Double' end
  assert(types == 'ALL', types)
  return true
end

return elements
