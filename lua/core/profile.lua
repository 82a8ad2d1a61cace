-- tensor.profile: measures the operations that a function calls.

local type_name = require 'tensor.type_name'
local is_callable = require 'tensor.versions'.is_callable
local with_setting = require 'tensor.with_setting'

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

-- Adds rows to those of the same operations and devices in the list `all`.
local function add(all, rows)
   for _, row in ipairs(rows) do
      local sum
      for _, other in ipairs(all) do
         if other.op == row.op and other.device == row.device then
            sum = other
         end
      end
      if sum then
         for _, key in ipairs {'calls', 'seconds', 'bytes', 'fallbacks'} do
            sum[key] = sum[key] + row[key]
         end
      else
         all[#all + 1] = row
      end
   end
end

local function install(tensor)
   local current  -- the rows of the profile that runs, or nil

   local function get()
      return current
   end

   local function set(rows)
      local before = current
      current = nil
      if before then
         add(before, tensor._stopprofile())
      end
      if rows then
         tensor._startprofile()
      end
      current = rows
   end

   local function finish(rows)
      table.sort(rows, function(a, b) return a.seconds > b.seconds end)
      print_rows(rows)
      return rows
   end

   --- profile(f, ...): calls f(...), then prints and returns a list of operations, slowest first:
   -- {op=, device=, calls=, seconds=, bytes=, fallbacks=}. Operations of all threads are counted,
   -- except while f is suspended by a yield. Device operations are synchronized, so their time is
   -- included. Errors of f pass unchanged.
   function tensor.profile(f, ...)
      if not is_callable(f) then
         error(('profile: a function is expected, got %s'):format(type_name(f)), 2)
      end
      if current then
         error('profile: the call is inside a function that is being profiled', 2)
      end
      local rows = {}
      return finish(rows, with_setting(get, set, rows, f, ...))
   end
end

return install
