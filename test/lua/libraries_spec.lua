-- Lua states without some libraries of Lua, or with globals that must be declared.

local child = require 'support.child'
local dialect = require 'support.dialect'
local tensor = require 'tensor'

-- Lua code that removes libraries.
local function without(names)
  return ([[
    local names = %q
    for name in names:gmatch '%%w+' do
      rawset(_G, name, nil)
      package.loaded[name], package.preload[name] = nil, nil
    end
  ]]):format(names)
end

-- Uses the module without the library io.
local USE = [[
  local name = %q
  tensor.save(name, {a = tensor.ones(3)})
  print(tensor.load(name).a:sum())
  print(tensor.deserialize(tensor.serialize{tensor.ones(2)})[1]:sum())
  print(tensor.compile(function(t) return t + 1 end)(tensor.ones(2)):sum())
  print(tensor.grad(function(t) return t:sum() end)(tensor.ones(2)):sum())
  print(#tensor.plot.bars{1, 2}:text() > 100)
  for i in require 'tensor.training'.steps(1, 2) do print(i) end
]]
local RESULTS = '3\n2\n4\n2\ntrue\n1\n2\n'

local function use(first)
  local name = os.tmpname()
  local output = child.run(USE:format(name .. '.npz'), {first = first})
  os.remove(name .. '.npz')
  os.remove(name)
  return output
end

describe('a Lua state', function()
  it('needs some libraries, which an error names', function()
    for names, missing in pairs {debug = 'debug', ['coroutine debug'] = 'coroutine, debug'} do
      local output, status = child.run('', {first = without(names)})
      assert.are.equal(1, status)
      assert.is_truthy(output:find('tensor: this Lua state lacks standard libraries that the ' ..
                                   'module needs: ' .. missing .. '\n', 1, true), output)
    end
    local output = child.run('', {first = 'debug = {traceback = debug.traceback}'})
    assert.matches('the module needs: debug\n', output, 1, true)
  end)

  it('needs the FFI of LuaJIT', function()
    dialect.needs_luajit 'other Lua versions have no FFI'
    local output = child.run('', {first = without 'ffi'})
    assert.matches('the module needs: ffi\n', output, 1, true)
  end)

  it('names the line where pointers need the FFI', function()
    if rawget(_G, 'jit') then return pending 'LuaJIT has the FFI' end
    for _, call in ipairs {'t:data()', 't:cdata()', 't:storage():data()', "t:toDLPack('soft')"} do
      local f = assert(loadstring(('local t = ...\nlocal p = %s\nreturn p'):format(call), '=user'))
      local ok, message = pcall(f, tensor.ones(2))
      assert.is_false(ok)
      assert.matches('^user:2: .*need.* the FFI of LuaJIT', message)
    end
  end)

  it('may lack the others', function()
    assert.are.equal(RESULTS, use(without 'io os'))
    assert.matches('plot.live: the library io is needed', (child.run([[
      print(pcall(tensor.plot.live))
      tensor.plot.live{output = {}, terminal = false}
    ]], {first = without 'io'})), 1, true)
    -- The check of a misspelled variable cannot be reported.
    assert.are.equal('1\n', (child.run('print(tensor.ones(1):sum())',
                                       {first = without 'io', before = 'export TENSOR_PLOT=x'})))
  end)

  it('may require that globals are declared', function()
    local strict = [[
      setmetatable(_G, {__index = function(_, name) error('undeclared ' .. name) end})
    ]]
    assert.are.equal(RESULTS, use(strict))
    assert.are.equal(RESULTS, use(without 'io os' .. strict))
    -- Each of these is missing in one of the Lua versions, or in a host.
    local other = 'local unpack = table.unpack or unpack\n'
                  .. without 'jit loadstring newproxy setfenv unpack arg' .. [[
      table.unpack = unpack
    ]] .. strict
    assert.are.equal(RESULTS, use(other))
    local output = child.run([[
      require 'tensor.native'.on_demand.load_all()
      for name in ('autograd checkpoints data dist entries examples help image nn optim training '
                   .. 'tree'):gmatch '%S+' do
        require('tensor.' .. name)
      end
      local paths = require 'tensor.compat.paths'
      print(paths.execdir(), type(paths.is_mac()))
      local parser = require 'tensor.compat.optionparser'('usage')
      parser:help(io.stdout)
    ]], {first = other})
    assert.matches('^nil\tboolean\nusage\n.*%-h', output)
  end)
end)
