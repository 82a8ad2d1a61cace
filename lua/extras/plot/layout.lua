-- Computes the layout of a figure: axes, boxes of bars, and positions of points.

local axis = require 'tensor.plot.ticks'

local layout = {}

local MARGIN = 0.04
local BAR = 0.8  -- the fraction of the width per bar group that is filled
-- Half the width at each position with a label.
local HALF = {bars = BAR / 2, boxplot = 0.25}

local function finite(x) return x - x == 0 end

local function limits_of() return {low = math.huge, high = -math.huge} end
local function take(limits, value, log)
   if finite(value) and (not log or value > 0) then
      limits.low = math.min(limits.low, value)
      limits.high = math.max(limits.high, value)
   end
end

-- A layer or a path in it that runs across an axis does not change its limits.
local function take_points(layer, x, y, log)
   for i = 1, layer.x and #layer.x or 0 do
      if finite(layer.x[i]) and finite(layer.y[i]) then
         if layer.across ~= 'x' then take(x, layer.x[i], log.x) end
         if layer.across ~= 'y' then take(y, layer.y[i], log.y) end
      end
   end
end

--- Returns boxes {left, right, bottom, top} of a layer of bars or of a histogram; nil for other
-- layers. Below a logarithmic axis, boxes are cut off when they are drawn.
local function boxes_of(layer, groups)
   if not layer.heights then return nil end
   local boxes = {}
   for i, height in ipairs(layer.heights) do
      local left, right
      if layer.edges then
         left, right = layer.edges[i], layer.edges[i + 1]
      else
         local width = BAR / groups
         left = i - BAR / 2 + (layer.group - 1) * width
         right = left + width
      end
      if finite(height) then
         boxes[#boxes + 1] = {left, right, math.min(height, 0), math.max(height, 0)}
      end
   end
   return boxes
end

local function new_axis(limits, fixed, options)
   local low, high = limits.low, limits.high
   if fixed then
      low, high = fixed[1], fixed[2]
      options.margin, options.fixed = 0, true
   elseif low > high then
      low, high = options.log and 1 or 0, options.log and 10 or 1
   end
   return axis.new(low, high, options)
end

--- Computes the x and y axes of a figure with at most about `across` and `down` marks, and the
-- boxes of its layers.
function layout.of(figure, across, down)
   local options = figure.options
   local x, y, boxes, groups = limits_of(), limits_of(), {}, 0
   local zero, labels, picture, reversed = false, nil, nil, false
   for _, layer in ipairs(figure.layers) do
      if layer.kind == 'bars' then
         groups = groups + 1
         layer.group = groups
      end
      labels = labels or layer.labels
   end
   for k, layer in ipairs(figure.layers) do
      boxes[k] = boxes_of(layer, groups)
      for _, box in ipairs(boxes[k] or {}) do
         take(x, box[1], options.log.x)
         take(x, box[2], options.log.x)
         if not options.log.y then take(y, box[3]) end
         take(y, box[4], options.log.y)
         zero = true
      end
      local half = HALF[layer.kind]
      for i = 1, half and #(layer.heights or layer.labels) or 0 do
         take(x, i - half)
         take(x, i + half)
      end
      take_points(layer, x, y, options.log)
      for _, path in ipairs(layer.paths or layer.band or {}) do
         take_points(path, x, y, options.log)
      end
      reversed = reversed or layer.counts_rows
      if layer.picture then
         picture = layer
         take(x, 0.5)
         take(x, layer.picture:size(3) + 0.5)
         take(y, 0.5)
         take(y, layer.picture:size(2) + 0.5)
      end
   end
   local histogram = zero and groups == 0
   local margin = picture and 0 or MARGIN
   local ax = new_axis(x, options.xlimits,
                       {log = options.log.x, most = across, margin = histogram and 0 or margin})
   local ay = new_axis(y, options.ylimits,
                       {log = options.log.y, most = down, margin = margin,
                        keeplow = zero and y.low == 0, keephigh = zero and y.high == 0})
   if labels then
      ax.marks = {}
      for i, label in ipairs(labels) do
         local position = ax:position(i)
         if position >= 0 and position <= 1 then table.insert(ax.marks, {i, label}) end
      end
   end
   ay.reversed = picture ~= nil or reversed or false
   return {x = ax, y = ay, boxes = boxes, picture = picture}
end

-- Clips a segment to 0..1 in both dimensions. Returns the start and end as fractions of its length,
-- or nil if it is outside.
local function clip(a, b)
   local from, to = 0, 1
   for k = 1, 2 do
      local way = b[k] - a[k]
      if way == 0 then
         if a[k] < 0 or a[k] > 1 then return nil end
      else
         local enter, leave = (0 - a[k]) / way, (1 - a[k]) / way
         if enter > leave then enter, leave = leave, enter end
         from, to = math.max(from, enter), math.min(to, leave)
      end
   end
   if from > to then return nil end
   return from, to
end

--- Maps the points of a layer to positions from 0 to 1. Points without a position are false. The
-- third element of a position is the color of the point, if points have colors.
function layout.positions(view, layer)
   local positions = {}
   for i = 1, #layer.x do
      local px = layer.across == 'x' and layer.x[i] or view.x:position(layer.x[i])
      local py = layer.across == 'y' and layer.y[i] or view.y:position(layer.y[i])
      if view.y.reversed then py = 1 - py end
      local color = layer.point_colors and layer.point_colors[i]
      if view.y.log and layer.y[i] <= 0 and
            (layer.is_band or layer.is_error_bar and math.max(layer.y[1], layer.y[2]) > 0) then
         py = view.y.reversed and 1 or 0
      end
      positions[i] = finite(px) and finite(py) and {px, py, color}
   end
   return positions
end

--- Returns the part of dimension d of a picture inside an axis: `from` and `to`, positions on the
-- axis, and `first` and `count`, the elements between them, where element k covers k - 1 to k.
-- Returns nil if the part is empty. The second result is the picture; if the axis is logarithmic,
-- its elements at equal steps, of which `steps` cover the axis.
function layout.span(ax, picture, d, steps)
   local size = picture:size(d)
   local low, high = ax:position(0.5), ax:position(size + 0.5)
   local part = {from = math.max(low, 0), to = math.min(high, 1)}
   if part.from >= part.to then return nil, picture end
   local function element(position) return ax:value(position) - 0.5 end
   part.first = low >= 0 and 0 or element(0)
   part.count = (high <= 1 and size or element(1)) - part.first
   if not ax.log then return part, picture end
   local list = {}
   steps = math.ceil((part.to - part.from) * steps)
   for k = 1, steps do
      local at = element(part.from + (k - 0.5) / steps * (part.to - part.from))
      list[k] = math.min(math.max(math.floor(at) + 1, 1), size)
   end
   part.first, part.count = 0, steps
   return part, picture:index(d, require 'tensor'.LongTensor(list))
end

--- Returns the positions inside the axes.
function layout.inside(positions)
   local inside = {}
   for _, p in ipairs(positions) do
      if p and p[1] >= 0 and p[1] <= 1 and p[2] >= 0 and p[2] <= 1 then
         inside[#inside + 1] = p
      end
   end
   return inside
end

-- Returns the runs of points of two lines without gaps: pairs of the first and last point, where
-- there are two or more.
local function runs_of(low, high)
   local runs, first = {}, nil
   for k = 1, #low + 1 do
      local is_point = low[k] and high[k]
      if is_point then
         first = first or k
      elseif first then
         if k - first > 1 then runs[#runs + 1] = {first, k - 1} end
         first = nil
      end
   end
   return runs
end

--- Returns the areas of a band between two lines. An area is a pair of lists of positions with the
-- same x, 2 to columns + 1 at equal distances. It ends at missing positions and at the axes. If
-- several points are nearest to a position, it covers all of them.
function layout.areas(view, band, columns)
   local low, high = layout.positions(view, band[1]), layout.positions(view, band[2])
   local function cut(value) return math.min(math.max(value, 0), 1) end

   local function area_of(k, stop)
      local from, to = cut(low[k][1]) * columns, cut(low[stop][1]) * columns
      local first, last = math.ceil(from), math.floor(to)
      if last <= first then
         first = math.min(math.floor((from + to) / 2), columns - 1)
         last = first + 1
      end
      local area, near = {{}, {}}, k
      for column = first, last do
         local x = column / columns
         while k + 1 < stop and low[k + 1][1] < x do k = k + 1 end
         local width = low[k + 1][1] - low[k][1]
         local part = width > 0 and cut((x - low[k][1]) / width) or 0
         local function between(line) return line[k][2] + part * (line[k + 1][2] - line[k][2]) end
         local y, other = between(low), between(high)
         local least, most = math.min(y, other), math.max(y, other)
         while near < stop and low[near][1] * columns <= column - 0.5 do near = near + 1 end
         local i = near
         while i <= stop and low[i][1] * columns < column + 0.5 do i = i + 1 end
         if i - near > 1 then
            for n = near, i - 1 do
               least = math.min(least, low[n][2], high[n][2])
               most = math.max(most, low[n][2], high[n][2])
            end
         end
         if y > other then least, most = most, least end
         table.insert(area[1], {x, cut(least)})
         table.insert(area[2], {x, cut(most)})
      end
      return area
   end

   local areas = {}
   for _, run in ipairs(runs_of(low, high)) do
      if low[run[1]][1] <= 1 and low[run[2]][1] >= 0 then
         areas[#areas + 1] = area_of(run[1], run[2])
      end
   end
   return areas
end

--- Returns lines through the positions, interrupted at missing positions and clipped at the axes.
-- There are `columns` columns. In each column, only the positions that affect the picture are kept.
function layout.lines(positions, columns)
   local kept, i = {}, 1
   while i <= #positions do
      local p = positions[i]
      local column = p and math.floor(p[1] * columns)
      local low, high, last = i, i, i
      while column and positions[last + 1] and
            math.floor(positions[last + 1][1] * columns) == column do
         last = last + 1
         if positions[last][2] < positions[low][2] then low = last end
         if positions[last][2] > positions[high][2] then high = last end
      end
      local before = 0
      for _, k in ipairs {i, math.min(low, high), math.max(low, high), last} do
         if k > before then
            kept[#kept + 1], before = positions[k], k
         end
      end
      i = last + 1
   end
   local lines, line = {}, nil
   for k, p in ipairs(kept) do
      local q = kept[k + 1]
      local from, to
      if p and q then from, to = clip(p, q) end
      if from then
         local function at(part)
            return {p[1] + part * (q[1] - p[1]), p[2] + part * (q[2] - p[2])}
         end
         if not line then
            line = {at(from)}
            lines[#lines + 1] = line
         end
         line[#line + 1] = at(to)
         if to < 1 then line = nil end
      else
         -- a point between two gaps is drawn as a dot
         if p and not q and not line and #layout.inside {p} == 1 then lines[#lines + 1] = {p} end
         line = nil
      end
   end
   return lines
end

return layout
