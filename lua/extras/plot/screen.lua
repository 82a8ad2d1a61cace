-- The characters of a plot in the terminal: Braille dots and other characters, with colors.

local letters = require 'tensor.plot.letters'
local native = require 'tensor.native'

local screen = {}
screen.__index = screen

-- The bit of each dot in a Braille character, by row and column.
local BITS = {{1, 8}, {2, 16}, {4, 32}, {64, 128}}
local NARROWEST, WIDEST = 20, 100  -- figures in a terminal
local RESET = '\27[0m'

--- Creates an empty screen. Positions count from 0 at the top left. mode: 'true' (16 million
-- colors), '256' or nil (none).
function screen.new(columns, rows, mode)
   return setmetatable({columns = columns, rows = rows, mode = mode, dots = {}, cells = {},
                        ink = {}, paper = {}}, screen)
end

--- Sets a dot. x and y are from 0 to 1, y upwards.
function screen:dot(x, y, color)
   local columns, rows = self.columns, self.rows
   local px = math.min(math.max(math.floor(x * columns * 2), 0), columns * 2 - 1)
   local py = math.min(math.max(math.floor((1 - y) * rows * 4), 0), rows * 4 - 1)
   local cell = math.floor(py / 4) * columns + math.floor(px / 2)
   local set, bit = self.dots[cell] or 0, BITS[py % 4 + 1][px % 2 + 1]
   if math.floor(set / bit) % 2 == 0 then self.dots[cell] = set + bit end
   self.ink[cell] = color
end

--- Sets a character. ink, paper: colors, or nil.
function screen:put(column, row, text, ink, paper)
   local cell = row * self.columns + column
   self.cells[cell], self.ink[cell], self.paper[cell] = text, ink, paper
end

-- Returns the escape sequence of a color. kind: 38 for characters, 48 for the background.
local function sequence(mode, kind, color)
   if not color then return ('\27[%dm'):format(kind + 1) end
   if mode == 'true' then
      return ('\27[%d;2;%d;%d;%dm'):format(kind, color[1], color[2], color[3])
   end
   local function level(x) return math.floor(x / 51 + 0.5) end
   return ('\27[%d;5;%dm'):format(kind, 16 + 36 * level(color[1]) + 6 * level(color[2]) +
                                        level(color[3]))
end

--- Returns a text in a color.
function screen:colored(text, color)
   return self.mode and color and sequence(self.mode, 38, color) .. text .. RESET or text
end

--- Returns the characters of a row, without blanks at the end.
function screen:line(row)
   local first, last = row * self.columns, -1
   for column = 0, self.columns - 1 do
      local cell = first + column
      if self.dots[cell] or self.paper[cell] or (self.cells[cell] or ' ') ~= ' ' then
         last = column
      end
   end
   local parts, ink, paper = {}, nil, nil
   for column = 0, last do
      local cell = first + column
      if self.mode then
         if self.ink[cell] ~= ink then
            ink = self.ink[cell]
            parts[#parts + 1] = sequence(self.mode, 38, ink)
         end
         if self.paper[cell] ~= paper then
            paper = self.paper[cell]
            parts[#parts + 1] = sequence(self.mode, 48, paper)
         end
      end
      local dots = self.dots[cell]
      parts[#parts + 1] = dots and letters.of_code(0x2800 + dots) or self.cells[cell] or ' '
   end
   if ink or paper then parts[#parts + 1] = RESET end
   return table.concat(parts)
end

--- Returns the number of columns of a figure in the terminal; nil if stdout is not a terminal.
function screen.columns_of_terminal()
   local width = native.terminal_width()
   return width and math.min(math.max(width, NARROWEST), WIDEST)
end

--- Returns the colors of the terminal: 'true', '256' or nil. environment(name) returns an
-- environment variable.
function screen.mode_of_terminal(environment)
   local function of(name) return environment(name) or '' end
   if of 'NO_COLOR' ~= '' or of 'TERM' == '' or of 'TERM' == 'dumb' then return nil end
   if of 'COLORTERM' == 'truecolor' or of 'COLORTERM' == '24bit' then return 'true' end
   return of('TERM'):find('256color', 1, true) and '256' or nil
end

return screen
