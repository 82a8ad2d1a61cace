-- tensor.compile(f): returns a function with the results of f. The core records f's operations and
-- replays them in one pass for each result. If it cannot do so, f is called.

local check_self = require 'tensor.check_self'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'

local function install(tensor)
   local native = tensor._compile
   if not native then
      return  -- the function is there already
   end
   local call, record = native.call, native.record
   local create, resume, yield = coroutine.create, coroutine.resume, versions.yield
   local status, unpack = coroutine.status, versions.unpack
   local pack = versions.pack
   local losses = require 'tensor.losses'
   local nested = require 'tensor.nested'
   local recordable = require 'tensor.recordable'
   local recording = require 'tensor.recording'
   recording.native_refuse = native.refuse
   local Compiled = {}
   Compiled.__index = Compiled
   local dependencies = require 'tensor.dependencies' (tensor, native.new(), Compiled)

   -- Raises the error of f, in a coroutine. error(message, 2) in f names a line of this file, which
   -- calls f there. The program's line that called the compiled function takes its place.
   local own = debug and debug.getinfo and debug.getinfo(1, 'S').short_src .. ':' or ''
   local function fail(thread, failure)
      failure = versions.closed(thread, failure)
      local is_here = own ~= '' and type(failure) == 'string' and failure:sub(1, #own) == own
      local message = is_here and failure:match('^%d+: (.*)', #own + 1)
      if message then
         raise(message)
      end
      error(failure, 0)
   end

   -- Resumes a function that yielded. Its further operations are not recorded.
   local function passed(thread, ok, ...)
      if status(thread) == 'suspended' then
         return passed(thread, resume(thread, yield(thread, ...)))
      elseif not ok then
         fail(thread, (...))
      end
      return ...
   end

   local function finished(thread, ok, ...)
      recording.core = nil
      if ok == nil then
         return passed(thread, resume(thread, yield(thread, ...)))
      elseif not ok then
         fail(thread, (...))
      end
      return ...
   end

   -- The results of a replay are new, so the loss of gradients among them is remembered again. One
   -- of several recordings may have a loss.
   local function pack_results(self, tables, ...)
      self.has_loss = self.has_loss or losses.is_loss((...), (select(2, ...)))
      return self.forms:pack_results(tables, ...)
   end
   local function noted(self, ...)
      if self.has_loss then
         losses.note(...)
      end
      return ...
   end

   -- Returns the list of the values in the arguments and, last, their form; nil: there are too many
   -- forms.
   local function flat_list(self, arguments)
      local list = self.forms:flatten(arguments)
      if list.form then
         list[list.n + 1] = list.form
         return list
      end
   end

   -- Returns a function that calls f with the arguments, and returns what `packed` makes of its
   -- results. list: the values in the arguments, which f must not exchange.
   local function flat(self, arguments, list, packed)
      local function checked(...)
         local now = self.forms:flatten(arguments)
         local same = now.form == list.form
         for k = 1, list.n do
            same = same and rawequal(now[k], list[k])
         end
         if not same then
            native.refuse(self.core, 'changes a table among its arguments')
         end
         return packed(...)
      end
      local f = recordable.recorded(self.f)
      return function()
         return checked(f(unpack(arguments, 1, arguments.n)))
      end
   end

   -- Calls f, with the values in its arguments as a list. The call is recorded in a coroutine of
   -- its own, so that a yield ends the recording. rows, kinds: the dependencies of f.
   local function record_list(self, rows, kinds, arguments, list, ...)
      local function packed(...)
         return pack_results(self, list and list.tables, ...)
      end
      recording.core = self.core
      local thread
      if list then
         thread = create(flat(self, arguments, list, packed))
      else
         local f = recordable.recorded(self.f)
         thread = create(function(...) return packed(f(...)) end)
      end
      return noted(self, self.forms:unpack_results(list and list.tables,
         finished(thread, record(self.core, self.f, thread, rows, kinds, ...))))
   end

   -- Calls f, which cannot be recorded, and remembers the reason. f does not run in a coroutine,
   -- because it may read which coroutine runs.
   local function refuse_call(self, reason, arguments, ...)
      -- An earlier call may have been recorded, and have changed what f can read.
      local thread = create(function() native.refuse(self.core, reason) end)
      record(self.core, self.f, thread, nil, reason, ...)
      if arguments then
         return self.f(unpack(arguments, 1, arguments.n))
      end
      return self.f(...)
   end

   -- The form of the arguments depends on the tables that f can read.
   local function record_call(self, arguments, list, ...)
      local rows, kinds, tables = dependencies(self.f)
      if not rows then
         return refuse_call(self, kinds, arguments, ...)
      elseif not (list and self.forms:capture(tables)) then
         return record_list(self, rows, kinds, arguments, list, ...)
      end
      list = flat_list(self, arguments)
      if not list then
         return self.f(unpack(arguments, 1, arguments.n))
      end
      return record_list(self, rows, kinds, arguments, list, unpack(list, 1, list.n + 1))
   end

   local function call_with_values(self, arguments, list, ...)
      local result, results = call(self.core, self.f, ...)
      if result == nil then
         return record_call(self, arguments, list, ...)
      elseif result == false then
         if list then
            return self.f(unpack(arguments, 1, arguments.n))
         end
         return self.f(...)
      elseif result == true then
         return noted(self, self.forms:unpack_results(list and list.tables,
            unpack(results, 1, results.n)))
      end
      return result
   end

   function Compiled:__call(...)
      for k = 1, select('#', ...) do
         if nested.is_nested((select(k, ...))) then
            local arguments = pack(...)
            local list = flat_list(self, arguments)
            if not list then
               return self.f(...)
            end
            return call_with_values(self, arguments, list, unpack(list, 1, list.n + 1))
         end
      end
      return call_with_values(self, nil, nil, ...)
   end

   --- Returns one line for each signature, which reports whether calls are replayed.
   function Compiled:explain()
      check_self(getmetatable(self) == Compiled, 'explain')
      return table.concat(native.explain(self.core), '\n')
   end

   function Compiled:__tostring()
      return ('compile(%s)'):format(tostring(self.f))
   end

   --- Returns the function of the module that makes such an object, and its argument: for copies
   -- in other threads.
   function Compiled:__remake()
      return 'compile', self.f
   end

   --- Returns true while tensor.compile records the operations of this thread.
   function tensor.isCompiling()
      return native.is_active()
   end

   function tensor.compile(f)
      if not versions.is_callable(f) then
         error(('compile: a function is expected, got %s'):format(type_name(f)), 2)
      end
      f = versions.as_function(f)
      return setmetatable({ f = f, core = native.new(), forms = nested.new() }, Compiled)
   end
   tensor._compile = nil  -- private
end

return install
