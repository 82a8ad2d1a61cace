-- xlua.progress: a progress bar for loops, with the estimated remaining time and the time per step.

local native = require 'tensor.native'

local progress = {}

--- Formats seconds with the two largest nonzero units: '1h5m', '3s20ms'.
function progress.format_time(seconds)
   local parts = {}
   for _, unit in ipairs {{'D', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}, {'ms', 1e-3}} do
      -- The addend compensates the rounding error of 1e-3, which is not exact in binary.
      local count = math.floor(seconds / unit[2] + 1e-9)
      seconds = seconds - count * unit[2]
      if count > 0 and #parts < 2 then
         parts[#parts + 1] = count .. unit[1]
      end
   end
   return #parts > 0 and table.concat(parts) or '0ms'
end

-- Returns the number of columns of the terminal; default 80.
local columns
local function width()
   if not columns then
      local count = tonumber(os.getenv 'COLUMNS') or native.terminal_width()
      columns = math.max(50, math.min(count or 80, 120))
   end
   return columns
end

-- The output that io.output has set.
local output = {
   write = function(_, ...) io.write(...) end,
   flush = function() io.flush() end,
}

-- State of the current bar: its line, its first step, and the last step.
local current_bar

local function line(bar, current, goal)
   local length = width() - 34
   local share = goal > 0 and current / goal or 1
   local filled = math.max(0, math.min(length, math.floor(share * length)))
   local text = ('='):rep(filled - 1) .. (filled > 0 and '>' or '') .. ('.'):rep(length - filled)
   local count = (' %s/%s '):format(tostring(current), tostring(goal))
   local from = math.max(0, math.floor((length - #count) / 2))
   text = text:sub(1, from) .. count .. text:sub(from + #count + 1)
   local elapsed = bar.line.elapsed()
   local step = current > bar.first and elapsed / (current - bar.first) or 0
   local rest = current >= goal and 'Tot: ' .. progress.format_time(elapsed)
                or 'ETA: ' .. progress.format_time((goal - current) * step)
   return (' [%s] %s | Step: %s'):format(text, rest, progress.format_time(step))
end

--- show(current, goal): shows that `current` of `goal` steps are done, at most ten times per
-- second. The last step ends the line; a step smaller than the previous one starts a new bar.
function progress.show(current, goal)
   local bar = current_bar
   if not bar or current < bar.last then
      bar = {line = native.progress.line {terminal = true, output = output}, first = current}
   elseif current < goal and not bar.line.due() then
      bar.last = current
      return
   end
   bar.last = current
   bar.line.draw(line(bar, current, goal), current >= goal)
   current_bar = current < goal and bar or nil
end

return progress
