-- Dashed and dotted lines.

local dashes = {}

-- The lengths of a dash and of the gap after it, in multiples of the thickness. The ends of lines
-- are round, which makes each dash longer by one thickness.
local styles = {solid = false, dashed = {4, 4}, dotted = {0, 3}}

function dashes.check(style)
   if styles[style] == nil then
      error(('plot: style is "solid", "dashed" or "dotted", got %q'):format(style), 0)
   end
end

-- Adds the dashes of a line to a list. Short gaps between two points of the line do not count.
local function add(line, on, off, parts)
   local part, left = {line[1]}, on  -- part: the current dash, or nil in a gap
   parts[#parts + 1] = part
   for k = 2, #line do
      local from, to = line[k - 1], line[k]
      local length = math.sqrt((to[1] - from[1]) ^ 2 + (to[2] - from[2]) ^ 2)
      local at = 0
      while length - at > left do
         at = at + left
         local point = {from[1] + at / length * (to[1] - from[1]),
                        from[2] + at / length * (to[2] - from[2])}
         if part then
            if on > 0 then part[#part + 1] = point end
            part, left = nil, off
         else
            part, left = {point}, on
            parts[#parts + 1] = part
         end
      end
      left = left - (length - at)
      if part and on > 0 then part[#part + 1] = to end
   end
end

-- Thin lines have the dashes of this thickness: the number of dashes stays limited.
local LEAST = 0.5

--- of(lines, style, thickness): returns lines, each a list of points {x, y}, as lines for their
-- dashes. A dot is a line of one point. style: see check, or nil.
function dashes.of(lines, style, thickness)
   local lengths = style and styles[style]
   if not lengths then return lines end
   local parts, unit = {}, math.max(thickness, LEAST)
   for _, line in ipairs(lines) do
      add(line, lengths[1] * unit, lengths[2] * unit, parts)
   end
   return parts
end

return dashes
