-- A plot that is redrawn in the terminal while a program runs.

local native = require 'tensor.native'
local screen = require 'tensor.plot.screen'
local plot_options = require 'tensor.plot.options'
local versions = require 'tensor.versions'

local live = {__unwritable = {'plot', 'save the numbers that it shows'}}
live.__index = live

-- Adds a point to each series: values by name.
function live:__call(x, values)
   if type(x) ~= 'number' or type(values) ~= 'table' then
      error(('plot: a number and a table of numbers by name are expected, got %s and %s')
            :format(type(x), type(values)), 2)
   end
   local names = {}
   for name, value in versions.each(values) do
      if type(name) ~= 'string' or type(value) ~= 'number' then
         error(('plot: numbers by name are expected, got %s for %s')
               :format(type(value), tostring(name)), 2)
      end
      names[#names + 1] = name
   end
   table.sort(names)
   for _, name in ipairs(names) do
      if not self.series[name] then
         self.series[name] = {x = {}, y = {}}
         table.insert(self.names, name)
      end
      local series = self.series[name]
      table.insert(series.x, x)
      table.insert(series.y, values[name])
   end
   local now = self.clock()
   if self.terminal and now >= self.shown + self.interval then
      self.shown = now
      self:draw()
   end
end

--- Returns the figure of all points so far.
function live:figure()
   local figure = self.new_figure(self.options)
   for _, name in ipairs(self.names) do
      figure:line(self.series[name].x, self.series[name].y, {name = name})
   end
   return figure
end

--- Draws the figure in place of the last one.
function live:draw()
   local columns = self.columns or screen.columns_of_terminal()
   local text = self:figure():text(columns, self.lines, self.colors)
   local up = self.height and ('\27[%dA\r'):format(self.height) or ''
   self.height = select(2, text:gsub('\n', '')) + 1
   self.output:write(up, (text:gsub('\n', '\27[K\n')), '\27[K\n')
   self.output:flush()
end

--- Draws the last state, if the output is a terminal.
function live:finish()
   if self.terminal and #self.names > 0 then self:draw() end
end

--- new(new_figure, options): new_figure(options) creates a figure. options: those of the figure,
-- and interval (seconds between two drawings, by default 0.2), columns, lines, colors, output,
-- terminal, clock.
function live.new(new_figure, options)
   local own = plot_options.take(new_figure().options, options, 'live')
   local of_figure = {}
   for name, value in versions.each(options or {}) do
      if own[name] == nil then of_figure[name] = value end
   end
   local io = rawget(_G, 'io')  -- a host may have removed it
   if not io and (own.output == nil or own.terminal == nil) then
      error('plot: the library io is needed, which this Lua state lacks', 0)
   end
   own.interval, own.output = own.interval or 0.2, own.output or io.stdout
   native.progress.check_output(own.output, function(text) error('plot: ' .. text, 0) end)
   own.clock = native.progress.clock('plot', own.clock)
   if own.terminal == nil then
      own.terminal = io.type(own.output) == 'file' and native.is_terminal(own.output)
   end
   if own.terminal and own.colors == nil then own.colors = screen.mode_of_terminal(os.getenv) end
   own.new_figure, own.options = new_figure, of_figure
   own.series, own.names, own.shown = {}, {}, -math.huge
   return setmetatable(own, live)
end

return native.limit_arguments(live)
