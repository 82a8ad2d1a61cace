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
   local exchange = tensor._exchangeScope
   tensor._exchangeScope = nil  -- private
   if not exchange then
      return  -- the functions are there already
   end

   -- The innermost open scope of each thread: {objects, outer=, ended=}. The core adds objects.
   -- outer: the previous scope of the thread. In the coroutine of a gradient, it is that of the
   -- caller. Weak: an abandoned coroutine takes its scopes along.
   local innermost = setmetatable({}, {__mode = 'kv'})
   local open = weak_set()  -- all scopes that have not ended

   -- Returns the scope, or the next outer one that has not ended.
   local function open_one(scope)
      while scope and scope.ended do
         scope = scope.outer
      end
      return scope
   end

   local function enter()
      local scope = {weak_set()}
      scope.outer = open_one(exchange(innermost, scope))
      open[scope] = true
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
      scope.ended, open[scope] = true, nil
      local objects, outer = scope[1], open_one(scope.outer)
      if exchange(innermost, outer, scope) ~= scope then
         -- An outer scope ends before an inner one, or another coroutine ends the scope.
         for thread, current in each(innermost) do
            if current == scope then
               innermost[thread] = outer
            end
         end
      end
      walk(function(object)
         if objects[object] then
            objects[object] = nil
            if outer then
               outer[1][object] = true
            end
         end
      end, ...)
      for object in each(objects) do
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
      if raw_next(open) then
         walk(function(object)
            for scope in each(open) do
               scope[1][object] = nil
            end
         end, ...)
      end
      return ...
   end
end

return install
