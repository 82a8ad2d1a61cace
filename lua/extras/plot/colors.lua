-- Colors of series, and color maps.

local sorted_keys = require 'tensor.versions'.sorted_keys

local colors = {
   -- The palette of Okabe and Ito, which color-blind readers can distinguish, and five more.
   series = {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0},
             {86, 180, 233}, {70, 74, 82}, {136, 34, 85}, {128, 128, 0}, {94, 60, 153},
             {140, 86, 75}, {0, 190, 180}},
   text = {40, 44, 52}, axis = {70, 74, 82}, grid = {226, 228, 232},
}

local NONE = {200, 200, 200}  -- the color of NaN and infinite values

-- Colors at equal distances from the lowest to the highest value.
local maps = {
   grey = {{0, 0, 0}, {255, 255, 255}},
   viridis = {{68, 1, 84}, {72, 40, 120}, {62, 74, 137}, {49, 104, 142}, {38, 130, 142},
              {31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}},
   -- Blue, white, red: for values on both sides of a center.
   diverging = {{5, 48, 97}, {67, 147, 195}, {247, 247, 247}, {214, 96, 77}, {103, 0, 31}},
}

local LEVELS = 256

local names = {
   black = {0, 0, 0}, white = {255, 255, 255}, grey = {128, 128, 128}, gray = {128, 128, 128},
   blue = {0, 114, 178}, orange = {230, 159, 0}, green = {0, 158, 115}, red = {213, 94, 0},
   pink = {204, 121, 167}, cyan = {86, 180, 233}, purple = {94, 60, 153}, brown = {140, 86, 75},
   olive = {128, 128, 0},
}

--- named(name): returns a color. Most are those of the series. '#ff8000' has the two hexadecimal
-- digits of red, green and blue.
function colors.named(name)
   local red, green, blue = name:match '^#(%x%x)(%x%x)(%x%x)$'
   if red then
      return {tonumber(red, 16), tonumber(green, 16), tonumber(blue, 16)}
   elseif names[name] then
      return names[name]
   end
   error(('plot: a color is %s, or as in "#ff8000", got %s')
         :format(table.concat(sorted_keys(names), ', '), name), 0)
end

--- lighter(color): returns the color of a band: the color at an opacity of 0.3 over white.
function colors.lighter(color)
   local mixed = {}
   for c = 1, 3 do mixed[c] = math.floor(255 - 0.3 * (255 - color[c]) + 0.5) end
   return mixed
end

function colors.check(name)
   if not maps[name] then
      error(('plot: colors are "viridis", "grey" or "diverging", got %s'):format(tostring(name)), 0)
   end
end

-- Returns the colors of all levels, followed by the color of NaN.
local function levels(tensor, map)
   local rows = {}
   for k = 0, LEVELS - 1 do
      local at = k / (LEVELS - 1) * (#map - 1)
      local i = math.min(math.floor(at), #map - 2)
      local row = {}
      for c = 1, 3 do
         row[c] = math.floor(map[i + 1][c] + (at - i) * (map[i + 2][c] - map[i + 1][c]) + 0.5)
      end
      rows[k + 1] = row
   end
   rows[LEVELS + 1] = NONE
   return tensor.ByteTensor(rows)
end

--- Maps values to the range from 0 to 1, and those that are not finite to NaN. Differences are
-- computed from halves, because that of two numbers may be infinite.
function colors.shade(values, low, high)
   local half = high / 2 - low / 2
   local shade = (values / 2 - low / 2):div(half > 0 and half or 1):clamp(0, 1)
   return shade:maskedFill(values:isfinite():eq(0), 0 / 0)
end

--- Maps a matrix of values to colors: a ByteTensor of 3 x H x W.
function colors.paint(tensor, values, low, high, name)
   local level = colors.shade(values, low, high):mul(LEVELS - 1):round():add(1)
   level:maskedFill(level:ne(level), LEVELS + 1)
   local picked = levels(tensor, maps[name]):index(1, level:long():view(level:nElement()))
   return picked:view(values:size(1), values:size(2), 3):permute(3, 1, 2):contiguous()
end

--- of_values(tensor, values, name): returns a list with the color of each number in a list. Equal
-- colors are the same table.
function colors.of_values(tensor, values, name)
   colors.check(name)
   if #values == 0 then return {} end
   local t = tensor.DoubleTensor(values):view(1, #values)
   local finite = t:maskedSelect(t:isfinite())
   local any = finite:nElement() > 0
   local low, high = any and finite:min() or 0, any and finite:max() or 1
   local list, known = colors.paint(tensor, t, low, high, name):select(2, 1):t():totable(), {}
   for i, color in ipairs(list) do
      local key = table.concat(color, ' ')
      known[key] = known[key] or color
      list[i] = known[key]
   end
   return list
end

return colors
