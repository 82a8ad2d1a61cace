-- Hints about names and habits of NumPy, PyTorch and Python.

local tensor = require 'tensor'
local suggestions = require 'tensor.repl.suggestions'
local versions = require 'tensor.versions'

describe('names of NumPy and PyTorch', function()
  local tables = {tensor, tensor.getmetatable 'torch.DoubleTensor'}

  it('are answered with ours', function()
    for name, hint in pairs {
      rint = 'round, which rounds halves away from 0', around = 'round, which rounds halves',
      split_with_sizes = 'split(t, {2, 3})', chisquare = 'Tensor(n):chi2(df)', len = 'size(1)',
      append = 'cat(t, u), where u is Tensor{x}', choice = 'index(1, randint(1, n + 1, count)), or',
      linear = 'addmm(b, t, w:t())', huber_loss = 'huber',
      memmap = "load('file.npy', {map = true})",
    } do
      local text = suggestions.of(name, tables)
      assert.matches(('instead of %s, use %s'):format(name, hint), text, 1, true)
    end
    assert.matches('^only functions that tensor.grad calls', suggestions.of('enable_grad', tables))
  end)

  it('have equivalents that can be called', function()
    -- In the equivalents, the functions of the module are globals, and the methods are functions.
    local a = tensor.ones(4, 2)
    local environment = setmetatable({t = tensor.ones(4, 3), w = tensor.ones(2, 3), a = a, b = a,
                                      c = a, d = a, n = 4, df = 3, scale = 2, tau = 2},
                                     {__index = tensor})
    for _, name in ipairs {'split_with_sizes', 'chisquare', 'rayleigh', 'gumbel', 'standard_t',
                           'block', 'instance_norm', 'linear', 'gumbel_softmax', 'hardswish',
                           'get_default_dtype'} do
      local code = suggestions.of(name, tables):match 'use (.*)':gsub(', with the sizes', '')
      code = 'return ' .. code:gsub('{2, 3}', '{1, 3}')
      assert.is_not_nil(assert(versions.load(code, '=hint', environment))(), name)
    end
  end)
end)
