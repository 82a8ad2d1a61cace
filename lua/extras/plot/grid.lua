-- Several figures on one page, in rows.

local letters = require 'tensor.plot.letters'

local grid = {}

-- The number of letters of a line, without escape sequences.
local function width_of(line) return letters.count((line:gsub('\27%[[%d;]*m', ''))) end

-- A page whose origin is moved.
local Moved = {}
Moved.__index = Moved

local function moved_lines(lines, x, y)
   local result = {}
   for i, line in ipairs(lines) do
      result[i] = {}
      for k, p in ipairs(line) do result[i][k] = {p[1] + x, p[2] + y} end
   end
   return result
end
function Moved:rect(x, y, ...) self.page:rect(x + self.x, y + self.y, ...) end
function Moved:text(x, y, ...) self.page:text(x + self.x, y + self.y, ...) end
function Moved:image(x, y, ...) self.page:image(x + self.x, y + self.y, ...) end
function Moved:lines(lines, ...) self.page:lines(moved_lines(lines, self.x, self.y), ...) end
function Moved:area(sides, ...) self.page:area(moved_lines(sides, self.x, self.y), ...) end
function Moved:dots(points, ...)
   self.page:dots(moved_lines({points}, self.x, self.y)[1], ...)
end

-- Returns the positions of columns and rows, each with the sum of the sizes at the end.
-- size(figure) returns a width and a height.
local function positions(rows, size)
   local widths, heights = {}, {}
   for i, row in ipairs(rows) do
      for j, figure in ipairs(row) do
         local width, height = size(figure)
         widths[j] = math.max(widths[j] or 0, width)
         heights[i] = math.max(heights[i] or 0, height)
      end
   end
   local function sums(list)
      local result = {0}
      for k, x in ipairs(list) do result[k + 1] = result[k] + x end
      return result
   end
   return sums(widths), sums(heights)
end

local function size_of(figure) return figure.options.width, figure.options.height end

--- Returns the width and the height of the page.
function grid.size(rows)
   local x, y = positions(rows, size_of)
   return x[#x], y[#y]
end

--- Calls draw(figure, page) for each figure, with a page at its position.
function grid.draw(rows, page, draw)
   local x, y = positions(rows, size_of)
   for i, row in ipairs(rows) do
      for j, figure in ipairs(row) do
         draw(figure, setmetatable({page = page, x = x[j], y = y[i]}, Moved))
      end
   end
   return page
end

--- Puts the texts of figures side by side. text(figure) returns the text of one.
function grid.text(rows, text)
   local parts = {}
   for _, row in ipairs(rows) do
      local columns, most = {}, 0
      for j, figure in ipairs(row) do
         columns[j] = {}
         for line in (text(figure) .. '\n'):gmatch '(.-)\n' do table.insert(columns[j], line) end
         most = math.max(most, #columns[j])
      end
      for k = 1, most do
         local line = ''
         for j, column in ipairs(columns) do
            local width = 0
            for _, other in ipairs(column) do width = math.max(width, width_of(other)) end
            line = line .. (column[k] or '')
            if j < #columns then
               line = line .. (' '):rep(width - width_of(column[k] or '') + 2)
            end
         end
         parts[#parts + 1] = line:gsub(' +$', '')
      end
   end
   return table.concat(parts, '\n')
end

return grid
