-- What differs between LuaJIT and Lua 5.1, 5.3 and 5.4.

local versions = {}

--- pairs and next, under names that LuaJIT's parser does not recognize. For a loop over `pairs(t)`
-- or `next, t` the parser emits the instruction ITERN. LuaJIT before August 2023 has a bug, and
-- Debian 12 has such a version. A compiled loop with ITERN never ends if it runs inside a finalizer
-- and meets a value of another type than before. Users' finalizers may call any function of ours,
-- so all loops in lua/ use these names. scripts/lint checks it.
versions.each = pairs
versions.raw_next = next

local jit = rawget(_G, 'jit')

--- The FFI, or nil. Other Luas may have a library of that name, whose objects are not LuaJIT's.
if jit then
   local found, ffi = pcall(require, 'ffi')
   versions.ffi = found and ffi or nil
end

--- What runs: 'LuaJIT 2.1.0' or 'Lua 5.4'.
versions.name = jit and jit.version or _VERSION

--- The kind of processor, where it is known.
versions.arch = jit and jit.arch or nil

versions.unpack = table.unpack or unpack

function versions.pack(...)
   return {n = select('#', ...), ...}
end

local loadstring = loadstring or load

--- The function of a text, or nil and a message. environment: its globals, where they are others.
function versions.load(text, name, environment)
   if not environment or _VERSION == 'Lua 5.1' then
      local chunk, message = loadstring(text, name)
      return chunk and environment and setfenv(chunk, environment) or chunk, message
   end
   return load(text, name, nil, environment)
end

versions.log10 = math.log10 or function(number)
   return math.log(number, 10)
end

--- Whether a value is an integer of 64 bits, which LuaJIT and Lua 5.1 do not have.
versions.is_integer = math.type and function(value)
   return math.type(value) == 'integer'
end or function()
   return false
end

--- As xpcall of f with arguments, which Lua 5.1 does not pass on.
versions.xpcall = xpcall
if not select(2, xpcall(function(...) return ... end, print, true)) then
   function versions.xpcall(f, handler, ...)
      local count, arguments = select('#', ...), {...}
      return xpcall(count == 0 and f or function()
         return f(versions.unpack(arguments, 1, count))
      end, handler)
   end
end

--- What find modules for require.
versions.searchers = package.searchers or package.loaders

--- The file of a module that require would find by these templates; or nil and a message.
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

--- An object at whose end a function is called.
function versions.at_end(f)
   if newproxy then
      local object = newproxy(true)
      getmetatable(object).__gc = f
      return object
   end
   return setmetatable({}, {__gc = f})
end

--- Has the compiler of LuaJIT leave a function alone.
function versions.interpreted(f, nested)
   if jit then
      jit.off(f, nested)
   end
end

return versions
