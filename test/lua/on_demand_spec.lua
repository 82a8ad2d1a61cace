-- Parts of the module that are loaded when a program first reads one of their fields.

local child = require 'support.child'
local tensor = require 'tensor'

describe('a part of the module', function()
  it('is loaded when a field is read', function()
    assert.are.equal('nil\tfunction\tfunction\ttable\n', (child.run [[
      print(rawget(tensor, 'vjp'), type(tensor.grad), type(rawget(tensor, 'vjp')),
            type(tensor.plot))
    ]]))
    assert.are.equal('torch.CmdLine\ttorch.Derived\tmine\n', (child.run [[
      local Derived = tensor.class('torch.Derived', 'torch.Tester')
      function Derived:name() return 'mine' end
      print(tensor.typename(tensor.CmdLine()), tensor.typename(tensor.Derived()),
            tensor.Derived():name())
    ]]))
  end)

  it('is complete: with extra arguments refused, and unknown names', function()
    local output = child.run [[
      print(pcall(tensor.finfo, 'Float', 2))
      print(pcall(function() return tensor.plot.lin end))
      print(pcall(function() return tensor.ensum end))
    ]]
    -- Lua 5.1 does not know the number of parameters.
    assert.matches((rawget(_G, 'jit') or rawget(math, 'type')) and 'finfo: ' or '^true', output)
    assert.matches("tensor.plot has no function or field 'lin': did you mean line%?", output)
    assert.matches("the module has no function or field 'ensum': did you mean einsum%?", output)
  end)

  it('does not replace what the program has set', function()
    assert.are.equal('5\tfunction\t5\nmine\tfunction\n', (child.run [[
      tensor.grad = 5
      print(tensor.grad, type(tensor.vjp), tensor.grad)
      function tensor.Tester.add() return 'mine' end
      print(tensor.Tester():add(), type(tensor.Tester().run))
    ]]))
  end)

  it('is loaded for a list of the fields', function()
    local output = child.run [[
      local complete = require 'tensor.repl.complete'
      print(table.concat(complete.candidates('tensor.custom', {tensor = tensor}), ' '))
    ]]
    assert.are.equal('customGradient\n', output)
    assert.are.equal('function\ttable\ttable\n', (child.run [[
      require 'torch'
      print(type(rawget(tensor, 'einsum')), type(rawget(tensor, 'plot')),
            type(rawget(tensor, 'CmdLine')))
    ]]))
  end)

  it('is loaded to read an object of its classes', function()
    local text = tensor.serialize(tensor.CmdLine(), 'ascii')
    assert.are.equal('torch.CmdLine\n', (child.run(([[
      print(tensor.typename(tensor.deserialize(%q, 'ascii')))
    ]]):format(text))))
  end)

  it('is there, and shares its state, after package.loaded was cleared', function()
    local output = child.run [[
      local function again()
        for name in pairs(package.loaded) do
          if name:find '^tensor' then package.loaded[name] = nil end
        end
        return require 'tensor'
      end
      tensor.grad(function(x) return x:sum() end)(tensor.ones(2))
      for k = 1, 3 do
        local t = again()
        print(t == tensor, t.scope(function() return t.keep(t.ones(2)) end):sum())
        local scope = t.scope()
        scope:close()
        local optim = require 'tensor.optim'
        local gradients, loss = t.grad(function(x) return x:sum() end)(t.ones(2))
        -- The loss is not taken for a rate.
        print(optim.sgd {rate = 0.5}(t.ones(2), gradients, loss)[1])
      end
      local df = tensor.compile(tensor.grad(function(x) return tensor.cmul(x, x):sum() end))
      for k = 1, 3 do io.write(df(tensor.Tensor{k, k})[1], ' ') end
      print(df(tensor.Tensor{1, 2})[2])
    ]]
    assert.are.equal(('true\t2\n0.5\n'):rep(3) .. '2 4 6 4\n', output)
  end)

  it('is there if an extra is required first after package.loaded was cleared', function()
    for _, extra in ipairs{'data', 'image', 'nn', 'optim', 'plot', 'training'} do
      assert.are.equal('true\n', child.run(([[
        for name in pairs(package.loaded) do
          if name:find '^tensor' then package.loaded[name] = nil end
        end
        require 'tensor.%s'
        print(require 'tensor'.einsum('i,i->', tensor.ones(2), tensor.ones(2))[1] == 2)
      ]]):format(extra)))
    end
  end)

  it('is not read by finalizers while it is loaded', function()
    if not pcall(collectgarbage, 'isrunning') then
      return pending 'Lua 5.1 does not report whether the collector runs'
    end
    assert.are.equal('false\nfalse\nfalse\ntrue\nfalse\n', (child.run [[
      local function show() print(collectgarbage 'isrunning') end
      for _, name in ipairs {'tensor.custom_gradient', 'tensor.test.tester', 'tensor.load'} do
        package.preload[name] = function(...)
          show()
          return assert(loadfile(package.searchpath(name, package.path)))(...)
        end
      end
      local _ = tensor.checkpoint, tensor.Tester.run
      pcall(tensor.load, 'absent')
      show()
      collectgarbage 'stop'
      _ = tensor.einsum
      show()
    ]]))
  end)

  it('states that it is being loaded', function()
    assert.matches('^[^\n]*:%d+: checkpoint: this part of the module is being loaded\nfunction\n',
                   (child.run [[
      local name = 'tensor.custom_gradient'
      package.preload[name] = function(...)
        print(select(2, pcall(function() return tensor.checkpoint end)))
        return assert(loadfile(package.searchpath(name, package.path)))(...)
      end
      print(type(tensor.checkpoint))
    ]]))
  end)
end)
