-- Specs are written for LuaJIT. What other Luas do not have, or name otherwise, has its old name
-- here; a case that needs LuaJIT itself is pending, and says so.

local dialect = {}

--- What code needs of LuaJIT where another Lua runs; else nil.
function dialect.lacks(code)
  if rawget(_G, 'jit') then return nil end
  return code:find "require *'ffi'" and "LuaJIT's FFI"
         or code:find '%f[%w_]jit%.' and "LuaJIT's compiler" or nil
end

-- Has the case that runs be pending.
local function leave(reason)
  -- The function of that name in the module declares a case.
  require 'busted.core'().pending(reason)
end

--- The same where code cannot run.
function dialect.check(code)
  local what = dialect.lacks(code)
  if what then leave('needs ' .. what) end
end

--- The same where another Lua runs than LuaJIT, or one before the version.
function dialect.needs_luajit(reason)
  if not rawget(_G, 'jit') then leave(reason) end
end
function dialect.since(version, reason)
  if not rawget(_G, 'jit') and _VERSION < 'Lua ' .. version then leave(reason) end
end

--- The same for a file of Torch7's with functions.
function dialect.loads(name)
  if name:find 'closure' or name:find 'function' then
    dialect.needs_luajit 'functions are the bytecode of LuaJIT'
  elseif name:find 'mlp%-float' then
    dialect.needs_luajit 'the last of 17 digits is rounded in the way of LuaJIT'
  elseif name:find 'Long%-extremes' then
    dialect.since('5.3', 'numbers of Lua 5.1 have no more than 53 bits')
  end
end

--- A text with numbers as LuaJIT writes them: whole ones do not end in .0.
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

  --- Tables have finalizers of their own there, if those are there from the beginning.
  rawset(_G, 'newproxy', function(with_metatable)
    return setmetatable({}, with_metatable and { __gc = function() end } or nil)
  end)

  --- As Lua 5.1's, where the function has globals.
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
