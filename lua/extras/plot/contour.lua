-- Contour lines of a matrix, by marching squares. x counts columns and y counts rows, from 1.

local contour = {}

-- Returns the position between two neighbours where the values cross the level, from 0 to 1.
-- The difference of two numbers may be infinite, that of their halves is not.
local function crossing(a, b, level) return (level / 2 - a / 2) / (b / 2 - a / 2) end

-- Calls add(edge, edge) for each piece of the contour line in a cell. An edge is {key, x, y}; equal
-- keys are the same edge of neighbouring cells.
local function each_piece(rows, i, j, level, add)
   local a, b, c, d = rows[i][j], rows[i][j + 1], rows[i + 1][j + 1], rows[i + 1][j]
   if not (a - a == 0 and b - b == 0 and c - c == 0 and d - d == 0) then return end
   local edges = {}
   local function visit(low, high, key, x, y)
      if (low < level) ~= (high < level) then
         local part = crossing(low, high, level)
         edges[#edges + 1] = {key, x(part), y(part)}
      end
   end
   visit(a, b, ('h%d %d'):format(i, j), function(t) return j + t end, function() return i end)
   visit(b, c, ('v%d %d'):format(i, j + 1), function() return j + 1 end,
         function(t) return i + t end)
   visit(d, c, ('h%d %d'):format(i + 1, j), function(t) return j + t end,
         function() return i + 1 end)
   visit(a, d, ('v%d %d'):format(i, j), function() return j end, function(t) return i + t end)
   if #edges == 2 then
      add(edges[1], edges[2])
   elseif #edges == 4 then  -- a saddle: the center decides which corners are connected
      local top, right, bottom, left = edges[1], edges[2], edges[3], edges[4]
      if (a / 4 + b / 4 + c / 4 + d / 4 < level) == (a < level) then
         add(top, right)
         add(bottom, left)
      else
         add(top, left)
         add(bottom, right)
      end
   end
end

-- Joins pieces to lines {x = {...}, y = {...}}. at: the pieces at each edge, by its key.
local function join(pieces, at)
   local lines, used = {}, {}
   local function follow(piece, edge, line)
      while piece do
         used[piece] = true
         edge = piece[1][1] == edge[1] and piece[2] or piece[1]
         line.x[#line.x + 1], line.y[#line.y + 1] = edge[2], edge[3]
         local next_piece = nil
         for _, other in ipairs(at[edge[1]]) do
            if not used[other] then next_piece = other end
         end
         piece = next_piece
      end
   end
   local function start(piece, edge)
      local line = {x = {edge[2]}, y = {edge[3]}}
      follow(piece, edge, line)
      lines[#lines + 1] = line
   end
   for _, piece in ipairs(pieces) do  -- lines that end at the border
      for side = 1, 2 do
         if not used[piece] and #at[piece[side][1]] == 1 then start(piece, piece[side]) end
      end
   end
   for _, piece in ipairs(pieces) do  -- closed lines
      if not used[piece] then start(piece, piece[1]) end
   end
   return lines
end

--- Returns the contour lines of a level as {x = {...}, y = {...}}. rows: the matrix as tables.
function contour.lines(rows, level)
   local pieces, at = {}, {}
   local function add(first, second)
      local piece = {first, second}
      pieces[#pieces + 1] = piece
      for _, edge in ipairs(piece) do
         at[edge[1]] = at[edge[1]] or {}
         table.insert(at[edge[1]], piece)
      end
   end
   for i = 1, #rows - 1 do
      for j = 1, #rows[1] - 1 do each_piece(rows, i, j, level, add) end
   end
   return join(pieces, at)
end

return contour
