-- An axis: the limits of the values shown, and the round numbers of its tick marks.

local log10 = require 'tensor.versions'.log10

local axis = {}
axis.__index = axis

local MOST_DECADES = 8
local TWO_MARKS = 5  -- With at most 5 steps, a range contains at least two linear marks.
local DIGITS, MOST_DIGITS = 10, 17  -- of a tick mark
-- Between these, powers of ten are neither 0 nor infinite.
local LEAST_POWER, MOST_POWER = -323, 308.25
local LEAST = 1e-300  -- smaller ranges are 0
local EPSILON = 2 ^ -52
-- Values whose difference is a rounding error are equal.
local SAME = 4 * EPSILON
-- Over smaller relative ranges, a logarithmic axis is drawn as a linear one. It looks the same, and
-- differences of logarithms are inaccurate.
local NARROW = 1e-6
local LARGEST = 1.7976931348623157e308

-- Differences are computed from halves, because that of two numbers may be infinite.
local function half_range(low, high) return high / 2 - low / 2 end

local function largest_of(low, high) return math.max(math.abs(low), math.abs(high)) end

-- Returns 1, 2 or 5 times a power of ten, so that at most `most` such steps fit into the range.
local function step_of(range, most)
   local power = 10 ^ math.floor(log10(range / most))
   for _, factor in ipairs {1, 2, 5} do
      if factor * power * most >= range then return factor * power end
   end
   return 10 * power
end

-- Returns the number of digits that distinguish the multiples of a step up to a value.
local function digits_of(step, value)
   local digits = math.floor(log10(value)) - math.floor(log10(step)) + 1
   return math.min(math.max(digits, DIGITS), MOST_DIGITS)
end

local function text_of(value, digits) return ('%%.%dg'):format(digits):format(value) end

local function linear(low, high, most)
   local half, marks = half_range(low, high), {}
   local largest = largest_of(low, high)
   -- Multiples of smaller steps are not all different numbers.
   local least = largest * EPSILON * most / 2
   local step = step_of(math.max(half, least), most / 2)
   local slack = half / step * 2e-9
   local is_tiny = half < 8 * least  -- Rounding errors are visible.
   local digits = is_tiny and MOST_DIGITS or digits_of(step, largest)
   for k = math.ceil(low / step - slack), math.floor(high / step + slack) do
      local value = k * step
      -- The quotients above are rounded, too.
      if value >= low - slack * step and value <= high + slack * step then
         marks[#marks + 1] = {value, text_of(k == 0 and 0 or value, digits)}
      end
   end
   if #marks < 2 and is_tiny then
      return {{low, text_of(low, MOST_DIGITS)}, {high, text_of(high, MOST_DIGITS)}}
   end
   return marks
end

local function logarithmic(low, high, most)
   local first, last = math.floor(log10(low)), math.ceil(log10(high))
   local every = math.ceil((last - first) / MOST_DECADES)
   local factors = last - first <= 2 and {1, 2, 5} or {1}
   local marks = {}
   for exponent = first, last, every do
      for _, factor in ipairs(factors) do
         local value = factor * 10 ^ exponent
         if value >= low * (1 - 1e-9) and value <= high * (1 + 1e-9) then
            marks[#marks + 1] = {value, text_of(value, DIGITS)}
         end
      end
   end
   -- Ranges inside a decade, as from 0.6 to 0.9, contain one such mark or none.
   return #marks > 1 and marks or linear(low, high, most)
end

local function itself(value) return value end

--- new(low, high, options): creates an axis from low to high. log: a logarithmic axis; most: the
-- approximate number of marks; margin: the fraction of the range added at both ends; fixed: show
-- this range also if rounding errors are larger.
function axis.new(low, high, options)
   local half = half_range(low, high)
   local curved = options.log and high / low - 1 > NARROW
   local equal = not curved and
                 half <= math.max(options.fixed and 0 or SAME / 2 * largest_of(low, high), LEAST)
   curved = curved or options.log and equal
   local scale = curved and log10 or itself
   local from, to = scale(low), scale(high)
   if equal then
      local more = curved and 0.5 or math.max(0.5, 0.1 * math.abs(from))
      from, to = math.max(from - more, -LARGEST), math.min(to + more, LARGEST)
   end
   local more = (options.margin or 0) * 2 * half_range(from, to)
   from = options.keeplow and from or math.max(from - more, -LARGEST)
   to = options.keephigh and to or math.min(to + more, LARGEST)
   if curved then from, to = math.max(from, LEAST_POWER), math.min(to, MOST_POWER) end
   low, high = curved and 10 ^ from or from, curved and 10 ^ to or to
   local most = options.log and math.max(options.most or 0, TWO_MARKS) or options.most
   local marks = (curved and logarithmic or linear)(low, high, most)
   return setmetatable({low = low, high = high, from = from, to = to, log = options.log,
                        scale = scale, marks = marks}, axis)
end

--- Returns the value at a position.
function axis:value(position)
   local at = 2 * (self.from / 2 * (1 - position) + self.to / 2 * position)
   return self.scale == itself and at or 10 ^ at
end

--- Returns the position of a value: 0 at the low end, 1 at the high end, NaN if it has none (log of
-- a nonpositive value).
function axis:position(value)
   if self.log and value <= 0 then return 0 / 0 end
   return half_range(self.from, self.scale(value)) / half_range(self.from, self.to)
end

return axis
