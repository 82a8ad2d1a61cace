-- tensor.compile(f): a function that does what f does, in one pass for each result, where the core
-- can do again what it has recorded of f; else it calls f.

local function install(tensor)
   -- Nobody else's to call.
   local native = tensor._compile
   tensor._compile = nil
   if not native then
      return  -- the function is there already
   end
   local call, start, stop, finish = native.call, native.start, native.stop, native.finish
   local create, resume, yield = coroutine.create, coroutine.resume, coroutine.yield
   local status, unpack = coroutine.status, require 'tensor.versions'.unpack

   -- What is not recorded any more.
   local function passed(thread, ok, ...)
      if status(thread) == 'suspended' then
         return passed(thread, resume(thread, yield(...)))
      elseif not ok then
         error((...), 0)
      end
      return ...
   end

   local function finished(self, thread, ok, ...)
      if status(thread) == 'suspended' then
         stop(self.core, 'yields')
         return passed(thread, resume(thread, yield(...)))
      end
      finish(self.core, self.f, ok, ...)
      if not ok then
         error((...), 0)
      end
      return ...
   end

   -- In a coroutine of its own, so that it is known when it yields: others run then.
   local function record(self, thread, ...)
      start(self.core)
      return finished(self, thread, resume(thread, ...))
   end

   local Compiled = {}
   Compiled.__index = Compiled

   function Compiled:__call(...)
      local result, list = call(self.core, self.f, ...)
      if result == nil then
         return record(self, create(self.f), ...)
      elseif result == false then
         return self.f(...)
      elseif result == true then
         return unpack(list, 1, list.n)
      end
      return result
   end

   --- What becomes of the calls with arguments of each kind.
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
