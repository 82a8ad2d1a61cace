-- tensor.compile(f): returns a function with the results of f. The core records f's operations and
-- replays them in one pass for each result. If it cannot do so, f is called.

local function install(tensor)
   -- Private.
   local native = tensor._compile
   tensor._compile = nil
   if not native then
      return  -- the function is there already
   end
   local call, record = native.call, native.record
   local create, resume, yield = coroutine.create, coroutine.resume, coroutine.yield
   local status, unpack = coroutine.status, require 'tensor.versions'.unpack
   local Compiled = {}
   Compiled.__index = Compiled
   local dependencies = require 'tensor.dependencies' (tensor, native.new(), Compiled)

   -- Resumes a function that yielded. Its further operations are not recorded.
   local function passed(thread, ok, ...)
      if status(thread) == 'suspended' then
         return passed(thread, resume(thread, yield(...)))
      elseif not ok then
         error((...), 0)
      end
      return ...
   end

   local function finished(thread, ok, ...)
      if ok == nil then
         return passed(thread, resume(thread, yield(...)))
      elseif not ok then
         error((...), 0)
      end
      return ...
   end

   -- The function runs in a coroutine of its own, so that a yield ends the recording.
   local function recorded(core, f, thread, rows, kinds, ...)
      return finished(thread, record(core, f, thread, rows, kinds, ...))
   end
   local function examined(self, rows, kinds, ...)
      return recorded(self.core, self.f, create(self.f), rows, kinds, ...)
   end

   function Compiled:__call(...)
      local result, list = call(self.core, self.f, ...)
      if result == nil then
         local rows, kinds = dependencies(self.f)
         return examined(self, rows, kinds, ...)
      elseif result == false then
         return self.f(...)
      elseif result == true then
         return unpack(list, 1, list.n)
      end
      return result
   end

   --- Returns one line for each signature, which reports whether calls are replayed.
   function Compiled:explain()
      return table.concat(native.explain(self.core), '\n')
   end

   function Compiled:__tostring()
      return ('compile(%s)'):format(tostring(self.f))
   end

   function tensor.compile(f)
      if type(f) ~= 'function' then
         error(('compile: a function is expected, got %s'):format(tensor.type(f) or type(f)), 2)
      end
      return setmetatable({ f = f, core = native.new() }, Compiled)
   end
end

return install
