-- Markers of points: dots, and outlines drawn with lines.

local markers = {}

local THICKNESS = 1.4
local SCALE = 0.75         -- of outlines: they look smaller than dots
local REACH = 1.15 * SCALE  -- of the largest shape

-- Lines around the center of a marker of size 2. An outline ends where it begins.
local shapes = {
   square = {{{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}, {-0.85, -0.85}}},
   diamond = {{{0, -1.15}, {1.15, 0}, {0, 1.15}, {-1.15, 0}, {0, -1.15}}},
   triangle = {{{0, -1.1}, {1, 0.75}, {-1, 0.75}, {0, -1.1}}},
   plus = {{{-1, 0}, {1, 0}}, {{0, -1}, {0, 1}}},
   cross = {{{-0.8, -0.8}, {0.8, 0.8}}, {{-0.8, 0.8}, {0.8, -0.8}}},
   circle = {{}},
}
for k = 0, 12 do
   local angle = k * math.pi / 6
   shapes.circle[1][k + 1] = {math.cos(angle), math.sin(angle)}
end

function markers.check(name)
   if name ~= 'dot' and not shapes[name] then
      error(('plot: marker is "dot", "circle", "square", "diamond", "triangle", "plus" or ' ..
             '"cross", got %q'):format(name), 0)
   end
end

--- Returns the distance from the center of a marker that it reaches.
function markers.radius(name, size)
   return name == 'dot' and size / 2 or size * REACH
end

--- Draws a marker at each point.
function markers.draw(page, points, name, color, size)
   if name == 'dot' then return page:dots(points, color, size) end
   local lines = {}
   for _, point in ipairs(points) do
      for _, shape in ipairs(shapes[name]) do
         local line = {}
         for i, p in ipairs(shape) do
            line[i] = {point[1] + p[1] * size * SCALE, point[2] + p[2] * size * SCALE}
         end
         lines[#lines + 1] = line
      end
   end
   page:lines(lines, color, THICKNESS)
end

return markers
