-- Box plots: quartiles, whiskers and outliers of several samples.

local boxes = {}

local WIDTH, CAP = 0.5, 0.2  -- of a box and of the end of a whisker
local REACH = 1.5            -- length of a whisker, relative to the box

-- Returns the quantile q of a sorted list, interpolated linearly.
local function quantile(sorted, q)
   local at = 1 + q * (#sorted - 1)
   local below = math.floor(at)
   -- The difference of two numbers may be infinite, that of their halves is not.
   local half, next_half = sorted[below] / 2, (sorted[below + 1] or sorted[below]) / 2
   return (half + (at - below) * (next_half - half)) * 2
end

--- Returns {low, first, median, third, high, outliers} of a list of numbers; nil if none is finite.
-- low and high: the ends of the whiskers.
function boxes.summary(list)
   local sorted = {}
   for _, x in ipairs(list) do
      if x - x == 0 then sorted[#sorted + 1] = x end
   end
   if #sorted == 0 then return nil end
   table.sort(sorted)
   local s = {first = quantile(sorted, 0.25), median = quantile(sorted, 0.5),
              third = quantile(sorted, 0.75), outliers = {}}
   local reach = REACH * (s.third - s.first)
   for _, x in ipairs(sorted) do
      if x < s.first - reach or x > s.third + reach then
         table.insert(s.outliers, x)
      else
         s.low, s.high = s.low or x, x
      end
   end
   -- Without an element in its reach, a whisker ends at the box.
   s.low, s.high = math.min(s.low, s.first), math.max(s.high, s.third)
   return s
end

--- Adds the box of a sample at x to a layer: lines, and outliers as points.
function boxes.add(layer, x, list)
   local s = boxes.summary(list)
   if not s then return end
   local left, right = x - WIDTH / 2, x + WIDTH / 2
   local function path(xs, ys) table.insert(layer.paths, {x = xs, y = ys}) end
   path({left, right, right, left, left}, {s.first, s.first, s.third, s.third, s.first})
   path({left, right}, {s.median, s.median})
   for _, whisker in ipairs {{s.first, s.low}, {s.third, s.high}} do
      path({x, x}, whisker)
      path({x - CAP / 2, x + CAP / 2}, {whisker[2], whisker[2]})
   end
   for _, y in ipairs(s.outliers) do
      table.insert(layer.x, x)
      table.insert(layer.y, y)
   end
end

return boxes
