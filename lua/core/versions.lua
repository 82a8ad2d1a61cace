-- The differences between LuaJIT and Lua 5.1, 5.3 and 5.4.

-- The REPL uses these functions, after inputs that may have assigned to globals.
local _VERSION, error, getmetatable, load, loadfile = _VERSION, error, getmetatable, load, loadfile
local pcall, rawequal, rawget, select = pcall, rawequal, rawget, select
local sort, tostring, type, xpcall = table.sort, tostring, type, xpcall

-- By rawget: a program may make reads of undeclared globals errors.
local jit, newproxy, setfenv = rawget(_G, 'jit'), rawget(_G, 'newproxy'), rawget(_G, 'setfenv')

local versions = {}

--- pairs and next, under names that LuaJIT's parser does not recognize. For a loop over `pairs(t)`
-- or `next, t` the parser emits the instruction ITERN. LuaJIT before August 2023 has a bug, and
-- Debian 12 has such a version. A compiled loop with ITERN never ends if it runs inside a finalizer
-- and meets a value of another type than before. Users' finalizers may call any function of ours,
-- so all loops in lua/ use these names. scripts/lint checks it.
versions.each = pairs
versions.raw_next = next

--- LuaJIT's FFI, or nil. A library of that name for another Lua has other objects.
if jit then
   local found, ffi = pcall(require, 'ffi')
   versions.ffi = found and ffi or nil
end

--- The name of the interpreter: 'LuaJIT 2.1.0' or 'Lua 5.4'.
versions.name = jit and jit.version or _VERSION

--- The processor architecture, or nil if it is unknown.
versions.arch = jit and jit.arch or nil

versions.unpack = table.unpack or rawget(_G, 'unpack')

function versions.pack(...)
   return {n = select('#', ...), ...}
end

local loadstring = rawget(_G, 'loadstring') or load

--- load(text, name [, environment]): compiles text. Returns a function, or nil and a message.
-- environment: the table of globals; default: that of the program.
function versions.load(text, name, environment)
   if not environment or _VERSION == 'Lua 5.1' then
      local chunk, message = loadstring(text, name)
      return chunk and environment and setfenv(chunk, environment) or chunk, message
   end
   return load(text, name, nil, environment)
end

--- loadfile(path, environment): like load, for the text in a file.
function versions.loadfile(path, environment)
   if _VERSION == 'Lua 5.1' then
      local chunk, message = loadfile(path)
      return chunk and setfenv(chunk, environment), message
   end
   return loadfile(path, nil, environment)
end

-- Types in alphabetical order; numbers and strings in theirs; other keys in that of their texts.
local function is_before(a, b)
   local of_a, of_b = type(a), type(b)
   if of_a ~= of_b then
      return of_a < of_b
   elseif of_a == 'number' or of_a == 'string' then
      return a < b
   end
   return tostring(a) < tostring(b)
end

--- sorted_keys(t [, types]): returns the keys of a table in order: of all types, or of those in the
-- set `types`. If the keys are booleans, numbers and strings, the order is the same in all
-- processes.
function versions.sorted_keys(t, types)
   local keys = {}
   for key in versions.each(t) do
      if not types or types[type(key)] then
         keys[#keys + 1] = key
      end
   end
   sort(keys, is_before)
   return keys
end

versions.log10 = math.log10 or function(number)
   return math.log(number, 10)
end

--- Returns true for a 64-bit integer. LuaJIT and Lua 5.1 have none.
versions.is_integer = math.type and function(value)
   return math.type(value) == 'integer'
end or function()
   return false
end

--- format_number(format, number): string.format, with the decimal point '.' in all locales.
function versions.format_number(format, number)
   return (format:format(number):gsub('[^%w+-]+', '.'))
end

--- tostring, but a float that is a whole number is shown without ".0", as LuaJIT and Lua 5.1 do.
local kind_of = math.type
versions.shown = kind_of and function(value)
   return kind_of(value) == 'float' and versions.format_number('%.14g', value) or tostring(value)
end or tostring

--- xpcall(f, handler, ...): calls f(...). The xpcall of Lua 5.1 passes no arguments.
versions.xpcall = xpcall
if not select(2, xpcall(function(...) return ... end, print, true)) then
   function versions.xpcall(f, handler, ...)
      local count, arguments = select('#', ...), {...}
      return xpcall(count == 0 and f or function()
         return f(versions.unpack(arguments, 1, count))
      end, handler)
   end
end

--- The functions by which require finds modules.
versions.searchers = package.searchers or package.loaders

--- searchpath(name, templates): returns the file of a module, or nil and a message.
versions.searchpath = package.searchpath or function(name, templates)
   local tried = {}
   for template in templates:gmatch '[^;]+' do
      local file = template:gsub('%?', (name:gsub('%.', '/')))
      local handle = io.open(file)
      if handle then
         handle:close()
         return file
      end
      tried[#tried + 1] = ("\n\tno file '%s'"):format(file)
   end
   return nil, table.concat(tried)
end

--- Like require, but a module that could not be loaded can be required again. LuaJIT and Lua 5.1
-- store a mark in package.loaded while they load a module. After an error, as when memory is short,
-- the marks of the module and of those that it requires stay, and each later require fails.
function versions.require(name)
   local loaded, before = package.loaded, {}
   if type(loaded[name]) == 'table' or type(loaded[name]) == 'function' then
      return loaded[name]
   end
   for other, value in versions.raw_next, loaded do
      before[other] = value
   end
   local ok, result = pcall(require, name)
   if ok then
      return result
   end
   -- Nothing is allocated from here on: memory may be short.
   local mark = loaded[name]
   if mark ~= nil then
      for other, value in versions.raw_next, loaded do
         if rawequal(value, mark) and not rawequal(before[other], mark) then
            loaded[other] = nil
         end
      end
   end
   error(result, 0)
end

--- Returns an object that calls f when it is collected.
function versions.at_end(f)
   if newproxy then
      local object = newproxy(true)
      getmetatable(object).__gc = f
      return object
   end
   return setmetatable({}, {__gc = f})
end

--- Returns true for a function, and for a table whose metatable has __call, such as a layer.
function versions.is_callable(f)
   if type(f) ~= 'table' then
      return type(f) == 'function'
   end
   local metatable = getmetatable(f)
   if type(metatable) ~= 'table' or rawget(metatable, '__call') == nil then
      return false
   end
   -- All classes have __call, which calls the operator __call__ of the class. A constructor has the
   -- metatable of its class.
   return rawget(metatable, '__typename') == nil or metatable.__call__ ~= nil
          or rawequal(rawget(metatable, '__constructor'), f)
end

-- False in Lua 5.1, except LuaJIT.
local coroutines_run_c_functions = pcall(coroutine.create, print)

--- Returns f if it is a function, otherwise a function that calls the callable value f. Coroutines
-- and the debug library accept functions only; in Lua 5.1, coroutines accept those of Lua only.
function versions.as_function(f)
   if type(f) == 'function' and (coroutines_run_c_functions or pcall(coroutine.create, f)) then
      return f
   end
   return function(...) return f(...) end
end

--- closed(thread, failure): closes the variables of a coroutine that failed, which Lua 5.4 leaves
-- to the function that resumed it. Returns the error, which may be that of a variable.
function versions.closed(thread, failure)
   local ok, other
   local status = coroutine.status(thread)
   -- A program may have resumed the coroutine, which is then still active.
   if coroutine.close and (status == 'dead' or status == 'suspended') then
      ok, other = coroutine.close(thread)
   end
   -- Lua 5.4.0 to 5.4.2 return true.
   return ok == false and other or failure
end

--- yield(thread, ...): passes on what a coroutine has yielded that the running one has resumed. In
-- Lua 5.4, if the running one is closed then, closes the variables of the other one.
function versions.yield(_, ...)
   return coroutine.yield(...)
end
if coroutine.close then
   local Waiting = {}
   Waiting.__index = Waiting
   function Waiting:__close()
      local ok, failure = true, nil
      if self.thread then
         ok, failure = coroutine.close(self.thread)
      end
      if not ok then
         error(failure, 0)
      end
   end
   function Waiting:resumed(...)
      self.thread = nil
      return ...
   end
   versions.yield = load [[
      local new, yield = ...
      return function(thread, ...)
         local waiting <close> = new(thread)
         return waiting:resumed(yield(...))
      end
   ]](function(thread) return setmetatable({thread = thread}, Waiting) end, coroutine.yield)
end

--- Disables LuaJIT's compiler for a function, and with `nested` for its inner functions.
function versions.interpreted(f, nested)
   if jit then
      jit.off(f, nested)
   end
end

return versions
