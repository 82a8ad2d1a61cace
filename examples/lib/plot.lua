-- Draws curves of positive values over the steps 1, 2, 3, ... on a canvas, with a logarithmic y
-- axis.

local plot = {}

local GRID, AXIS = {226, 228, 232}, {70, 74, 82}
local THICKNESS = 2.2

local function log10(value)
  return math.log(value) / math.log(10)
end

local function round(value)
  return math.floor(value + 0.5)
end

-- Returns 1, 2 and 5 times powers of ten that enclose all values.
local function ticks(curves)
  local low, high = math.huge, -math.huge
  for _, curve in ipairs(curves) do
    for _, value in ipairs(curve.values) do
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  local marks = {}
  for exponent = math.floor(log10(low)), math.floor(log10(high)) + 1 do
    for _, factor in ipairs {1, 2, 5} do
      local mark = factor * 10 ^ exponent
      if marks[1] and mark <= low then
        marks[1] = nil
      end
      if not marks[#marks] or marks[#marks] < high then
        marks[#marks + 1] = mark
      end
    end
  end
  return marks
end

-- Returns 1, 2 or 5 times a power of ten, so that at most `most` such steps fit into the range.
local function stride(range, most)
  local power = 1
  while true do
    for _, factor in ipairs {1, 2, 5} do
      if factor * power * most >= range then
        return factor * power
      end
    end
    power = power * 10
  end
end

--- Draws curves {name =, color =, values = {...}} in a rectangle {x =, y =, width =, height =}. The
-- axis labels {vertical =, horizontal =} and numbers are drawn outside of it.
function plot.curves(page, box, curves, labels)
  local steps, marks = #curves[1].values, ticks(curves)
  local low, high = log10(marks[1]), log10(marks[#marks])
  local right, bottom = box.x + box.width - 1, box.y + box.height - 1

  local function across(step)
    return box.x + (step - 1) / math.max(steps - 1, 1) * (box.width - 1)
  end
  local function down(value)
    return bottom - (log10(value) - low) / (high - low) * (box.height - 1)
  end

  for _, mark in ipairs(marks) do
    local y = round(down(mark))
    page:fill(box.x, y, box.width, 1, GRID)
    page:text(box.x - 8, y - 3, ('%g'):format(mark), {color = AXIS, align = 'right'})
  end
  local between = stride(steps, 6)
  for step = between, steps, between do
    local x = round(across(step))
    page:fill(x, box.y, 1, box.height, GRID)
    page:text(x, bottom + 8, tostring(step), {color = AXIS, align = 'center'})
  end
  page:fill(box.x, box.y, 1, box.height, AXIS)
  page:fill(box.x, bottom, box.width, 1, AXIS)
  page:text(box.x, box.y - 18, labels.vertical, {color = AXIS})
  page:text(right, bottom + 22, labels.horizontal, {color = AXIS, align = 'right'})

  local legend = 0
  for _, curve in ipairs(curves) do
    legend = math.max(legend, page.textwidth(curve.name))
  end
  for i, curve in ipairs(curves) do
    local points = {}
    for step, value in ipairs(curve.values) do
      points[step] = {across(step), down(value)}
    end
    page:line(points, curve.color, steps > 1 and THICKNESS or 3 * THICKNESS)
    -- The legend, from the top right corner downwards.
    local y = box.y + 14 * i - 4
    local x = right - 12 - legend
    page:line({{x - 28, y + 3}, {x - 8, y + 3}}, curve.color, THICKNESS)
    page:text(x, y, curve.name, {color = AXIS})
  end
end

return plot
