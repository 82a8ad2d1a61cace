-- tensor.profile: measures the operations that a function calls.

local type_name = require 'tensor.type_name'
local is_callable = require 'tensor.versions'.is_callable

local units = {{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}

local function bytes(n)
   for _, unit in ipairs(units) do
      if n >= unit[1] then
         return ('%.1f %sB'):format(n / unit[1], unit[2])
      end
   end
   return ('%d B'):format(n)
end

local function print_rows(rows)
   local format = '%-20s %-8s %9s %12s %12s %10s %9s'
   print(format:format('operation', 'device', 'calls', 'time', 'per call', 'bytes', 'fallbacks'))
   for _, row in ipairs(rows) do
      local each = row.seconds / row.calls
      print(format:format(row.op, row.device, ('%d'):format(row.calls),
                          ('%.3f ms'):format(row.seconds * 1e3), ('%.3f us'):format(each * 1e6),
                          bytes(row.bytes), ('%d'):format(row.fallbacks)))
   end
end

-- Returns true while the function of an earlier call runs. Its coroutine may have been left at a
-- yield.
local function is_running(thread)
   if type(thread) ~= 'thread' then
      return thread ~= nil
   end
   local status = coroutine.status(thread)
   return status == 'running' or status == 'normal'
end

local function install(tensor)
   local profiled  -- the coroutine of the call, true for the main one of Lua 5.1

   local function finish(ok, ...)
      profiled = nil
      local rows = tensor._stopprofile()
      if not ok then
         error((...), 0)
      end
      print_rows(rows)
      return rows
   end

   --- profile(f, ...): calls f(...), then prints and returns a list of operations, slowest first:
   -- {op=, device=, calls=, seconds=, bytes=, fallbacks=}. Operations of all threads are counted.
   -- Device operations are synchronized, so their time is included. Errors of f pass unchanged.
   function tensor.profile(f, ...)
      if not is_callable(f) then
         error(('profile: a function is expected, got %s'):format(type_name(f)), 2)
      end
      if is_running(profiled) then
         error('profile: the call is inside a function that is being profiled', 2)
      end
      profiled = coroutine.running() or true
      tensor._startprofile()
      return finish(pcall(f, ...))
   end
end

return install
