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
end)
