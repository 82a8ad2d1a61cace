-- The specs are written for LuaJIT. This file defines LuaJIT's names in other Lua versions. Cases
-- that need LuaJIT itself are marked as pending, with a reason.

local dialect = {}

--- Returns the LuaJIT feature that the code needs and this Lua lacks, or nil.
function dialect.lacks(code)
  if rawget(_G, 'jit') then return nil end
  return code:find "require *'ffi'" and "LuaJIT's FFI"
         or code:find '%f[%w_]jit%.' and "LuaJIT's compiler" or nil
end

-- Marks the running case as pending.
local function leave(reason)
  -- The function of that name in busted's main module would declare a new case.
  require 'busted.core'().pending(reason)
end

--- Marks the running case as pending if this Lua cannot run the code.
function dialect.check(code)
  local what = dialect.lacks(code)
  if what then leave('needs ' .. what) end
end

--- Mark the running case as pending if this Lua is not LuaJIT, or is older than the version.
function dialect.needs_luajit(reason)
  if not rawget(_G, 'jit') then leave(reason) end
end
function dialect.since(version, reason)
  if not rawget(_G, 'jit') and _VERSION < 'Lua ' .. version then leave(reason) end
end

--- Marks the running case as pending if this Lua cannot read the Torch7 file, for example
-- functions.
function dialect.loads(name)
  if name:find 'closure' or name:find 'function' then
    dialect.needs_luajit 'functions are the bytecode of LuaJIT'
  elseif name:find 'mlp%-float' then
    dialect.needs_luajit 'the last of 17 digits is rounded in the way of LuaJIT'
  elseif name:find 'Long%-extremes' then
    dialect.since('5.3', 'numbers of Lua 5.1 have no more than 53 bits')
  end
end

--- Converts numbers in a text to LuaJIT's format: integers do not end in .0.
function dialect.plain(text)
  return math.type and (text:gsub('(%d)%.0%f[^%w.]', '%1')) or text
end

if rawget(_G, 'jit') then return dialect end

for _, name in ipairs(package.loaded.busted and { 'ffi', 'jit' } or {}) do
  package.preload[name] = function()
    package.loaded[name] = nil  -- what Lua 5.1 has put there, to see loops
    dialect.check(name == 'ffi' and "require 'ffi'" or 'jit.on')
  end
end
package.preload['table.new'] = function()
  return function() return {} end
end

package.searchpath = package.searchpath or require 'tensor.versions'.searchpath

if not rawget(_G, 'unpack') then
  rawset(_G, 'unpack', table.unpack)
  rawset(_G, 'loadstring', load)

  --- Tables can have a finalizer in these versions if the metatable contains __gc from the start.
  rawset(_G, 'newproxy', function(with_metatable)
    return setmetatable({}, with_metatable and { __gc = function() end } or nil)
  end)

  --- Like setfenv of Lua 5.1, if the function uses globals.
  rawset(_G, 'setfenv', function(f, environment)
    local k = 1
    while true do
      local name = debug.getupvalue(f, k)
      if name == '_ENV' then
        debug.upvaluejoin(f, k, function() return environment end, 1)
      end
      if not name or name == '_ENV' then return f end
      k = k + 1
    end
  end)
end

return dialect
