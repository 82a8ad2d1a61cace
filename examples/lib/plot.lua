-- Curves over equal steps 1, 2, 3, ... with a logarithmic vertical axis, drawn on a canvas.

local plot = {}

local GRID, AXIS = {226, 228, 232}, {70, 74, 82}
local THICKNESS = 2.2

local function log10(value)
  return math.log(value) / math.log(10)
end

-- Whole powers of ten around all values: their exponents.
local function decades(curves)
  local low, high = math.huge, -math.huge
  for _, curve in ipairs(curves) do
    for _, value in ipairs(curve.values) do
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  low, high = math.floor(log10(math.max(low, 1e-9))), math.ceil(log10(math.max(high, 1e-9)))
  return low, math.max(high, low + 1)
end

-- 1, 2 or 5 times a power of ten, such that about `count` steps of it fill the range.
local function niceStep(range, count)
  local power = 10 ^ math.floor(log10(range / count))
  for _, factor in ipairs {1, 2, 5} do
    if factor * power * count >= range then
      return math.max(1, factor * power)
    end
  end
  return math.max(1, 10 * power)
end

--- Draws curves {name =, color =, values = {...}} into the rectangle {x =, y =, width =, height =}
-- that the axes bound; what they are labelled with stands around it.
function plot.curves(page, box, curves, labels)
  local steps = #curves[1].values
  local low, high = decades(curves)
  local right, bottom = box.x + box.width - 1, box.y + box.height - 1

  local function across(step)
    return box.x + (step - 1) / math.max(steps - 1, 1) * (box.width - 1)
  end
  local function down(value)
    return bottom - (log10(math.max(value, 10 ^ low)) - low) / (high - low) * (box.height - 1)
  end

  for exponent = low, high do
    local y = math.floor(down(10 ^ exponent) + 0.5)
    page:fill(box.x, y, box.width, 1, GRID)
    page:text(box.x - 8, y - 3, ('%g'):format(10 ^ exponent), {color = AXIS, align = 'right'})
  end
  local stride = niceStep(steps, 6)
  for step = stride, steps, stride do
    local x = math.floor(across(step) + 0.5)
    page:fill(x, box.y, 1, box.height, GRID)
    page:text(x, bottom + 8, ('%d'):format(step), {color = AXIS, align = 'center'})
  end
  page:fill(box.x, box.y, 1, box.height, AXIS)
  page:fill(box.x, bottom, box.width, 1, AXIS)
  page:text(box.x, box.y - 18, labels.vertical, {color = AXIS})
  page:text(right, bottom + 22, labels.horizontal, {color = AXIS, align = 'right'})

  for i, curve in ipairs(curves) do
    local points = {}
    for step, value in ipairs(curve.values) do
      points[step] = {across(step), down(value)}
    end
    page:line(points, curve.color, THICKNESS)
    -- The legend, from the top right corner downwards.
    local y = box.y + 14 * i - 4
    page:line({{right - 104, y + 3}, {right - 84, y + 3}}, curve.color, THICKNESS)
    page:text(right - 76, y, curve.name, {color = AXIS})
  end
end

return plot
