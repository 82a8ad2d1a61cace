-- tensor.nn: the arguments of losses of classes.

local tensor = require 'tensor'
local nn = require 'tensor.nn'

describe('tensor.nn', function()
  it('losses check their arguments', function()
    local x = tensor.zeros(2, 3)
    for _, name in ipairs{'nll', 'crossEntropy'} do
      for _, case in ipairs{
        {'a tensor of 1 or more dimensions is expected, got nil'},
        {'a tensor of 1 or more dimensions is expected, got a number', 1, x},
        {'a tensor of 1 or more dimensions is expected, got a tensor of size []', tensor.Tensor()},
        {'a LongTensor of classes is expected, got nil', x},
        {'a LongTensor of classes is expected, got a number', x, 1},
        {'a LongTensor of classes is expected, got a table', x, {1, 2}},
        {'class numbers of size [0] are expected for a tensor of size [0 x 3], got a tensor of '
         .. 'size [2]: classes lie along the last dimension', tensor.Tensor(0, 3),
         tensor.LongTensor{1, 2}},
        {'class numbers of size [2] are expected for a tensor of size [2 x 0], got a tensor of '
         .. 'size [1]: classes lie along the last dimension', tensor.Tensor(2, 0),
         tensor.LongTensor{1}},
      } do
        assert.has_error(function() nn[name](case[2], case[3]) end,
                         ('nn.%s: %s'):format(name, case[1]))
      end
    end
  end)

  it('losses accept classes in the shape of the rows, flat, or with a last size of 1', function()
    local x = tensor.randn(4, 6, 5)
    local classes = tensor.LongTensor(4, 6):random(1, 5)
    for _, name in ipairs{'nll', 'crossEntropy'} do
      local expected = tensor[name](x, classes)
      for _, c in ipairs{classes, classes:t():contiguous():t(), classes:view(24),
                         classes:view(24, 1), classes:view(4, 6, 1)} do
        assert.equal(expected, nn[name](x, c))
      end
      for _, c in ipairs{classes:view(6, 4), classes:view(1, 24), classes:view(2, 12, 1),
                         classes:view(1, 4, 6), tensor.LongTensor(4, 5):fill(1)} do
        assert.error_matches(function() nn[name](x, c) end, 'nn.' .. name .. ": class numbers of "
          .. "size [4 x 6] are expected for a tensor of size [4 x 6 x 5], got ", 1, true)
      end
      assert.error_matches(function() nn[name](x, tensor.LongTensor(4, 5):fill(1)) end,
                           "classes, 'mean', 2) takes those along dimension 2", 1, true)
      assert.equal(nn[name](tensor.ones(1, 5), tensor.LongTensor{2}),
                   nn[name](tensor.ones(5), tensor.LongTensor{2}))
    end
  end)
end)
