-- Torch7 programs and packages: behaviour that the other specs do not test.

local child = require 'support.child'
local dialect = require 'support.dialect'

-- Each function is compiled with the first argument. A finalizer then calls it with the second. In
-- some versions of LuaJIT a loop over pairs does not end there: versions.each in lua/versions.lua.
it('finalizers may call what loops over tables', function()
  local output, status = child.run([[
    local numbers, tables = {}, {}
    for i = 1, 100 do
      numbers['k' .. i], tables['k' .. i] = i, {tostring(i)}
    end
    local function object(fields)
      local result = tensor.factory 'module.Class'()
      for name, value in pairs(fields) do result[name] = value end
      return result
    end
    module = {}
    tensor.class 'module.Class'
    local tester = tensor.Tester()
    local function copy(value) return tensor.deserialize(tensor.serialize(value)) end
    local calls = {
      {'a table', copy, numbers, tables},
      {'an object', copy, object(numbers), object(tables)},
      {'Tester', function(value) tester:eq(value, value) end, numbers, tables},
    }
    for _, call in ipairs(calls) do
      for _ = 1, 100 do call[2](call[3]) end
    end
    local function finalizer()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        for _, call in ipairs(calls) do
          for _ = 1, 100 do call[2](call[4]) end
          print(call[1])
        end
      end
      return proxy
    end
    finalizer()
    collectgarbage()
    kept = finalizer()  -- to be called when the state closes
  ]], {seconds = 20})
  assert.equal(('a table\nan object\nTester\n'):rep(2), output)
  assert.equal(0, status)
end)

it('serialized strings and storages end with what was written', function()
  local output = child.run [[
    print(tensor.serializeToStorage('foo'):size(), #tensor.serialize 'foo')
    print(tensor.deserialize(tensor.serialize 'foo'),
          tensor.deserializeFromStorage(tensor.serializeToStorage {1})[1],
          tensor.deserialize(tensor.serialize({1, 'x'}, 'ascii'), 'ascii')[2])]]
  assert.equal('11\t11\nfoo\t1\tx\n', output)
end)

it('the symbols of TH, luaT and the modules that paths.require loads are global', function()
  local output = child.run [[
    local ffi = require 'ffi'
    ffi.cdef 'void THFloatStorage_free(void *); int luaT_typename(void *, int);'
    ffi.cdef 'int luaopen_lfs(void *)'
    local function found(name) return (pcall(function() return ffi.C[name] end)) end
    print(found 'THFloatStorage_free', found 'luaT_typename')
    require 'torch'
    print(found 'THFloatStorage_free', found 'luaT_typename', found 'luaopen_lfs')
    print(torch.type(paths.require 'lfs'), found 'luaopen_lfs')
    local storage = torch.FloatStorage {1, 2}
    storage:retain()
    ffi.C.THFloatStorage_free(storage:cdata())
    print(storage[2])]]
  assert.equal('false\tfalse\ntrue\ttrue\tfalse\ntable\ttrue\n2\n', output)
end)

describe('the hook of writeObject', function()
  local tensor = require 'tensor'

  -- Writes an object with a hook and reads it again.
  local function written(object, hook)
    local file = tensor.MemoryFile()
    file:writeObject(object, nil, hook)
    file:seek(1)
    return file:readObject()
  end

  it('replaces tables, functions and objects, and what is in them', function()
    local inner, seen = {2}, {}
    local result = written({1, inner, inner, key = 'text'}, function(object)
      seen[object] = (seen[object] or 0) + 1
      return object == inner and {3} or object
    end)
    assert.same({1, {3}, {3}, key = 'text'}, result)
    assert.equal(result[2], result[3])
    assert.equal(1, seen[inner])
    local t = tensor.FloatTensor {1, 2}
    assert.equal(7, written({t}, function(object)
      return object == t and tensor.FloatTensor {7} or object
    end)[1][1])
    local function five() return 5 end
    assert.equal(6, written(five, function(object)
      return object == five and function() return 6 end or object
    end)())
  end)

  it('is not called for numbers, strings and booleans', function()
    local calls = 0
    local function hook(object)
      calls = calls + 1
      return object
    end
    assert.same({1, 'x', true}, written({1, 'x', true}, hook))
    assert.equal(1, calls)
    assert.equal(5, written(5, hook))
    assert.equal(1, calls)
  end)

  it('must be a function that returns an object of the same kind', function()
    assert.error_matches(function() written({}, 5) end, 'hook must be a function, got number')
    assert.error_matches(function() written({}, function() end) end,
                         'must return an object of the same kind: got nil for table')
    assert.error_matches(function() written({}, function() return tensor.ones(1) end) end,
                         'got torch.DoubleTensor for table')
  end)
end)

it('a Tester calls io.write with one string', function()
  local output = child.run [[
    require 'torch'
    local write, text, most = io.write, {}, 0
    io.write = function(...)
      most = math.max(most, select('#', ...))
      text[#text + 1] = ...
    end
    local tester = torch.Tester()
    tester:add(function() tester:assert(false) end, 'fails')
    tester:add(function() tester:assert(true) end, 'passes')
    tester:add(function() end, 'left out')
    tester:disable 'left out'
    pcall(tester.run, tester)
    io.write = write
    print(most, table.concat(text):find '1/3 fails .*FAIL.*2 asserts in 3 tests' ~= nil)]]
  assert.equal('1\ttrue\n', output)
end)

it('setnumthreads takes 0 as 1 after require torch', function()
  local output = child.run [[
    tensor.setnumthreads(2)
    print((pcall(tensor.setnumthreads, 0)), tensor.getnumthreads())
    require 'torch'
    torch.setnumthreads(0)
    print(torch.getnumthreads())
    print((pcall(torch.setnumthreads, 1e9)), torch.getnumthreads())]]
  assert.equal('false\t2\n1\nfalse\t1\n', output)
end)

it('the aliases of multinomialAliasSetup count from 1', function()
  local tensor = require 'tensor'
  local function aliases()
    local p = tensor.Tensor {0.1, 0.2, 0.3, 0.25, 0.15}
    return tensor.multinomialAliasSetup(p)[1]:totable()
  end
  assert.same({4, 2, 3, 3, 4}, aliases())
  tensor.setRule('arithmetic', 'torch7')
  assert.same({4, 1, 1, 3, 4}, aliases())
  tensor.setRule('arithmetic', 'tensor')
end)

describe('methods that programs probe', function()
  local function present(first, second)
    return (child.run(([[
      tensor = nil
      %s %s
      local T = require 'tensor'
      local t = T.FloatTensor {{1, 2}, {3, 4}}
      local exists = rawget(T.getmetatable 'torch.FloatTensor', 'flatten') ~= nil
      local _, field = pcall(function() return t.flatten end)
      assert(exists == (type(field) == 'function'))
      print(exists, t.argmax ~= nil, t.unique ~= nil, T.flatten(t):dim())
      for _, name in ipairs {'Byte', 'Char', 'Short', 'Int', 'Long', 'Double', 'BFloat16'} do
        local class = T.getmetatable(('torch.%%sTensor'):format(name))
        if (rawget(class, 'flatten') ~= nil) ~= exists then print(name) end
      end]]):format(first, second)))
  end

  it('are there after require tensor', function()
    assert.equal('true\ttrue\ttrue\t1\n', present("require 'tensor'", ''))
  end)

  it('are functions only after require torch, in any order', function()
    local hidden = 'false\ttrue\ttrue\t1\n'
    assert.equal(hidden, present("require 'torch'", ''))
    assert.equal(hidden, present("require 'torch'", "require 'tensor'"))
    assert.equal(hidden, present("require 'tensor'", "require 'torch'"))
  end)

  -- As in torch-autograd.
  it('do not shadow the methods of an object that wraps a tensor', function()
    local output = child.run [[
      require 'torch'
      local Value = {}
      function Value.flatten(v) return v.raw end
      function Value.__index(v, name)
        local raw = rawget(v, 'raw')
        if raw[name] ~= nil then
          return raw[name]
        end
        return Value[name]
      end
      local t = torch.rand(2, 3)
      local v = setmetatable({raw = t}, Value)
      print(v:flatten() == t, v.size(t):size())]]
    assert.equal('true\t2\n', output)
  end)
end)

-- As at the start of the package image, where it reads its arguments.
it('the modules dok and sys.fpath are there for packages', function()
  local output = child.run [[
    require 'torch'
    require 'xlua'
    require 'dok'
    print(type(require 'sys.fpath'))
    local function scale(...)
      local _, width, mode = dok.unpack({...}, 'image.scale', 'gives another size',
        {arg = 'width', type = 'number', help = 'columns', req = true},
        {arg = 'mode', type = 'string', help = 'how', default = 'bilinear'})
      return width, mode
    end
    print(scale(3), scale {width = 4, mode = 'simple'})
    print(pcall(dok.error, 'wrong', 'image.load'))]]
  assert.equal('function\n3\t4\tsimple\n', (output:gsub('false.*', '')))
  assert.matches('<image.load> wrong', output)
end)

describe('the program th', function()
  -- The launcher is a script, so sanitizers cannot check it.
  if child.sanitized then
    return
  end
  local prefix = assert(os.getenv 'TENSOR_PREFIX')

  -- Returns the output of a program of the prefix, and its exit status.
  local function run(command, input)
    local pipe = assert(io.popen(("printf '%%s' '%s' | env -u LUA_PATH -u LUA_CPATH NO_COLOR=1 "
                                  .. "timeout 60 '%s/bin'/%s 2>&1; echo $?")
                                 :format(input or '', prefix, command)))
    local text = pipe:read '*a'
    pipe:close()
    return dialect.plain(text)
  end

  local script = os.tmpname()
  setup(function()
    local file = assert(io.open(script, 'w'))
    -- Like char-rnn and similar programs, which use modules that they do not require.
    file:write [[
      print(torch.FloatTensor(2):fill(3):sum(), path.exists '/nosuch', lfs.attributes('/', 'mode'),
            paths.dirp '/', type(sys.clock()), type(xlua.progress), torch.getBroadcast(),
            torch.ones(1).nosuch, ...)
      print(arg[0] == debug.getinfo(1, 'S').source:sub(2), arg[1], arg[2])]]
    file:close()
  end)
  teardown(function() os.remove(script) end)

  it('runs scripts with the globals of Torch7, as tensor --torch7 does', function()
    local expected = '6\tfalse\tdirectory\ttrue\tnumber\tfunction\ttorch7\tnil\t-a\tb\n' ..
                     'true\t-a\tb\n0\n'
    assert.equal(expected, run('th ' .. script .. ' -a b'))
    assert.equal(expected, run('tensor --torch7 ' .. script .. ' -a b'))
  end)

  it('runs code, requires modules and enters the REPL', function()
    assert.equal('2\n0\n', run 'th -e "print(torch.ones(2):sum())"')
    assert.equal('true\n0\n', run 'th -l paths -e "print(paths == require \'paths\')"')
    assert.equal('3\n5\n0\n', run('th -i -e "x = torch.ones(3):sum() print(x)"', 'x + 2\n'))
    assert.equal('5\n0\n', run('th', 'torch.ones(5):sum()\n'))
    assert.matches('usage: tensor', run 'th -h')
  end)

  it('leaves tensor alone without the option', function()
    assert.equal('nil\tnil\tnil\n0\n', run('tensor -', 'print(torch, path, lfs)'))
  end)

  it('ends with a status that tells of errors', function()
    assert.matches('oops.*\n1\n$', run 'th -e "error \'oops\'"')
    assert.matches('\n1\n$', run 'th /nosuch.lua')
    assert.matches('\n2\n$', run 'th --nosuch')
  end)
end)
