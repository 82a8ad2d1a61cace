-- tensor.scope and tensor.keep: memory that is freed at the end of a function instead of by the
-- collector.

local check_self = require 'tensor.check_self'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'
local each, raw_next = versions.each, versions.raw_next

-- The program may assign to globals before the methods of a class are added, which uses keep.
local error, getmetatable, pcall, select = error, getmetatable, pcall, select
local setmetatable, type = setmetatable, type

-- Keys that do not keep their objects alive.
local function weak_set()
   return setmetatable({}, {__mode = 'k'})
end

local function install(tensor)
   local record = tensor._record
   tensor._record = nil  -- private
   if not record then
      return  -- the functions are there already
   end

   -- The open scopes, in the order of their beginnings: {objects=, thread=, outer=, position=}.
   -- outer: the open scope that recorded for this thread before, also if another coroutine began
   -- it, as with the coroutine of a gradient. Weak: an abandoned coroutine takes its scopes along.
   local open, last = setmetatable({}, {__mode = 'v'}), 0
   local recording = 0  -- the position of the scope that gets the objects, or got them

   local function innermost()
      while last > 0 and not open[last] do
         last = last - 1
      end
      return open[last]
   end

   local function enter()
      local scope, before = {objects = weak_set()}, innermost()
      local is_inner
      scope.thread, is_inner = record(scope.objects)
      -- A new coroutine may have the address of the thread of a scope that was collected.
      if is_inner and recording == last then
         scope.outer = before
      end
      last = last + 1
      scope.position, open[last], recording = last, scope, last
      return scope
   end

   -- Calls visit(object) for the userdata in the values and in their tables, of any depth.
   local function walk(visit, ...)
      local waiting, count, seen = {}, 0, {}
      local function meet(value)
         if type(value) == 'userdata' then
            visit(value)
         elseif type(value) == 'table' and not seen[value] then
            seen[value] = true
            count = count + 1
            waiting[count] = value
         end
      end
      for k = 1, select('#', ...) do
         meet((select(k, ...)))
      end
      while count > 0 do
         local fields = waiting[count]
         count = count - 1
         for key, field in raw_next, fields do
            meet(key)
            meet(field)
         end
      end
   end

   local function leave(scope, ...)
      if scope.ended then
         return
      end
      scope.ended = true
      -- Scopes of coroutines may end in any order.
      open[scope.position] = nil
      local outer, current = scope.outer, innermost()
      recording = last
      record(current and current.objects,
             current and (current == outer and scope.thread or current.thread))
      walk(function(object)
         if scope.objects[object] then
            scope.objects[object] = nil
            if outer and not outer.ended then
               outer.objects[object] = true
            end
         end
      end, ...)
      for object in each(scope.objects) do
         getmetatable(object).__gc(object)
      end
   end

   local function finish(scope, ok, ...)
      leave(scope, ...)
      if not ok then
         error((...), 0)
      end
      return ...
   end

   local Scope = {}
   Scope.__index = Scope
   function Scope:close()
      check_self(getmetatable(self) == Scope, 'close')
      leave(self.scope)
   end
   Scope.__close = Scope.close

   --- scope(f, ...): returns f(...), and frees the tensors and storages that this thread made in f,
   -- except those in the results or the error, and those given to keep. Their memory is reused at
   -- once, so that a program needs no more than what is alive. To use a freed tensor later is an
   -- error. Errors of f pass unchanged. scope(): an object whose method close() ends the scope; in
   -- Lua 5.4, `local s <close> = tensor.scope()`.
   function tensor.scope(f, ...)
      if f == nil and select('#', ...) == 0 then
         return setmetatable({scope = enter()}, Scope)
      elseif not versions.is_callable(f) then
         error(('scope: a function is expected, got %s'):format(type_name(f)), 2)
      end
      return finish(enter(), pcall(f, ...))
   end

   --- keep(...): the tensors and storages in the arguments, and in their tables, outlive all open
   -- scopes. Returns the arguments.
   function tensor.keep(...)
      if innermost() then
         walk(function(object)
            for _, scope in each(open) do
               scope.objects[object] = nil
            end
         end, ...)
      end
      return ...
   end
end

return install
