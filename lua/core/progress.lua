-- Progress on a terminal: a line that is drawn again and again.

local core = require 'tensor.core'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'
local is_integer = versions.is_integer

local progress = {}

local PERIOD = 0.1  -- seconds between two drawings
local DELAY = 1     -- seconds before load, save and loops show anything

-- A host may have removed this library. Then no output is a terminal.
local io = rawget(_G, 'io')

-- Returns true if the output is a file that is a terminal.
local function is_terminal(output)
   return io and io.type(output) == 'file' and core.isatty(output)
end

--- duration(seconds): returns the time as 'm:ss' or 'h:mm:ss', or '-:--' if it is unknown.
function progress.duration(seconds)
   if seconds == math.huge or seconds ~= seconds then
      return '-:--'
   end
   local whole = math.floor(seconds + 0.5)
   local hours, minutes = math.floor(whole / 3600), math.floor(whole / 60) % 60
   if hours > 0 then
      return ('%d:%02d:%02d'):format(hours, minutes, whole % 60)
   end
   return ('%d:%02d'):format(minutes, whole % 60)
end

local function has_methods(output)
   return versions.is_callable(output.write) and versions.is_callable(output.flush)
end

--- Raises an error unless the option output is a file, or has methods like a file. fail(message)
-- raises it.
function progress.check_output(output, fail)
   local fine, has = pcall(has_methods, output)
   if not (fine and has) then
      fail 'the option output must be a file, or have the methods write and flush'
   end
end

--- Returns the clock of the option clock, a function, or of the system instead of nil. It raises an
-- error of the function `name` unless the option returns a number.
function progress.clock(name, option)
   return option and function()
      local time = option()
      if type(time) ~= 'number' then
         raise(('%s: the option clock must return a number, got %s'):format(name, type_name(time)))
      end
      return time
   end or core._clock
end

--- line([options]): returns an object that draws a line of text on a terminal; without a terminal
-- it does nothing. options: output (io.stdout), terminal (overrides the check), clock (a function
-- that returns seconds), delay (seconds in which nothing is shown; 0).
-- Its functions: due(): returns true if it is time to draw, at most ten times a second;
-- draw(text [, last]): replaces the line, and ends it if last is true; clear(): removes it.
function progress.line(options)
   options = options or {}
   local output = options.output or io and io.stdout
   if options.output then
      progress.check_output(output, function(text) raise('training.progress: ' .. text) end)
   end
   local clock = progress.clock('training.progress', options.clock)
   local terminal = options.terminal
   if terminal == nil then
      terminal = is_terminal(output)
   end
   local self, width = {start = clock()}, 0
   local next_time = self.start + (options.delay or 0)

   function self.elapsed()
      return clock() - self.start
   end
   function self.due()
      return terminal and clock() >= next_time
   end
   function self.draw(text, last)
      if not terminal then
         return
      end
      next_time = clock() + PERIOD
      -- Spaces overwrite the rest of a longer previous line.
      width = math.max(width, #text)
      output:write('\r', text, (' '):rep(width - #text), last and '\n' or '')
      output:flush()
      width = last and 0 or width
   end
   function self.clear()
      if width > 0 then
         output:write('\r', (' '):rep(width), '\r')
         output:flush()
      end
      width = 0
   end
   return self
end

local units = {{'GB', 1e9}, {'MB', 1e6}, {'kB', 1e3}}

local function size_text(bytes)
   for _, unit in ipairs(units) do
      if bytes >= unit[2] then
         return ('%.3g %s'):format(bytes / unit[2], unit[1])
      end
   end
   return ('%d bytes'):format(bytes)
end

--- of_file(label): returns report(done, total), for the option `progress` of load and save, and
-- finish(). After a second they show the bytes done in a line on the terminal of stderr, and remove
-- it at the end. Returns nil if stderr is not a terminal. total may be nil.
function progress.of_file(label, options)
   options = options or {output = io and io.stderr, delay = DELAY}
   if options.terminal == nil and not is_terminal(options.output) then
      return nil
   end
   local line = progress.line(options)
   local function report(done, total)
      if not line.due() then
         return
      end
      local text = ('%s  %s'):format(label, size_text(done))
      if total and total > 0 and done > 0 then
         local left = line.elapsed() * (total - done) / done
         local percent = math.floor(100 * done / total)
         text = ('%s of %s  %d%%  %s left'):format(text, size_text(total), percent,
                                                  progress.duration(left))
      end
      line.draw(text)
   end
   return report, line.clear
end

--- of_steps(total [, options]): returns show(step [, text]), which draws the step, the steps per
-- second, the time left and the text. After the last step the line ends. options: those of line.
function progress.of_steps(total, options)
   if type(total) ~= 'number' then
      raise(('training.progress: the number of steps is expected, got %s'):format(type(total)))
   end
   local line, shown = progress.line(options), not (options and options.delay)
   return function(step, text)
      local last = step >= total
      if not (line.due() or last and shown) then
         return
      end
      shown = true
      local rate = step / math.max(line.elapsed(), 1e-9)
      local parts = {('%.14g/%.14g  %.3g/s  %s left'):format(step, total, rate,
                                                       progress.duration((total - step) / rate))}
      parts[2] = text
      line.draw(table.concat(parts, '  '), last)
   end
end

local function check_number(what, value)
   if type(value) ~= 'number' then
      raise(('training.steps: a number is expected as the %s, got %s'):format(what, type(value)))
   end
end

--- steps(first, last [, step] [, options]): returns an iterator over the numbers that a numeric for
-- loop takes. After a second it shows the progress on the terminal of stderr. options: those of
-- line.
function progress.steps(first, last, step, options)
   if type(step) == 'table' then
      step, options = nil, step
   end
   step = step or 1
   check_number('first number', first)
   check_number('last number', last)
   check_number('step', step)
   if step == 0 then
      raise 'training.steps: the step is 0'
   end
   local show = progress.of_steps(math.max(0, math.floor((last - first) / step) + 1),
                                  options or {output = io and io.stderr, delay = DELAY})
   -- As in a loop of LuaJIT, the first number is exact, and each of the others is the sum of the
   -- last one and the step.
   local done, value = 0, nil
   return function()
      local before = value
      if before then
         done, value = done + 1, before + step
         show(done)
         -- Large numbers are rounded to the same one. Integers of Lua wrap around.
         if step > 0 and value <= before or step < 0 and value >= before then
            return nil
         end
      else
         value = is_integer(step) and first or first + 0.0
      end
      if step > 0 and value <= last or step < 0 and value >= last then
         return value
      end
      return nil
   end
end

return progress
