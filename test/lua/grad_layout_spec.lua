-- Functions whose actions depend on the memory layout of their arguments: derivatives of any order
-- see the layout of the tensors that were passed.

local tensor = require 'tensor'

local D = tensor.DoubleTensor

-- The sum of the squares, and three times as much in a tensor that contiguous() returns.
local function f(x)
  local y = x:contiguous()
  y:mul(3)
  return tensor.cmul(x, x):sum()
end

local layouts = {
  contiguous = { function() return D { { 1, 2 }, { 3, 4 } } end, 18 },
  transposed = { function() return D { { 1, 2 }, { 3, 4 } }:t() end, 2 },
  narrowed = { function() return D { { 1, 2, 5 }, { 3, 4, 6 } }:narrow(2, 1, 2) end, 2 },
  permuted = { function() return D(2, 1, 2):fill(2):permute(3, 1, 2) end, 2 },
  ['every second'] = { function() return D { { 1, 5 }, { 2, 6 } }:select(2, 1) end, 2 },
}

describe('a function of a tensor that is', function()
  for name, layout in pairs(layouts) do
    local make, factor = layout[1], layout[2]
    it(name .. ' has derivatives of this layout', function()
      local x = make()
      local want = tensor.mul(x, factor):contiguous()
      local df = tensor.grad(f)
      assert.are.same(want:totable(), (df(make())):contiguous():totable())
      local inner
      local outer = tensor.grad(function(p)
        local g = df(p)
        inner = tensor.stopGradient(g)
        return g:sum()
      end)(make())
      assert.are.same(want:totable(), inner:contiguous():totable())
      assert.are.same(x:nElement() * factor, outer:sum())
      local n = x:nElement()
      assert.are.same(tensor.eye(n):double():mul(factor):totable(),
                      tensor.hessian(f, make()):totable())
      assert.are.same(want:view(1, n):totable(), tensor.jacobian(f, make()):totable())
      assert.is_true(tensor.gradcheck(f, { make() }))
    end)
  end

  it('expanded has derivatives', function()
    local x = D { 2 }:expand(3)
    assert.are.same({ { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } },
                    tensor.hessian(function(t) return tensor.cmul(t, t):sum() end, x):totable())
  end)
end)

-- Functions that merge dimensions: as a view, or as a copy that is changed.
describe('a function that merges dimensions of', function()
  local views = {
    ['a slice'] = { function() return tensor.rand(2, 5, 4):narrow(2, 1, 3) end,
                    function(x) return x:view(2, 12) end },
    ['a selected column'] = { function() return tensor.rand(3, 4, 2):select(3, 1) end,
                              function(x) return x:view(-1) end },
    ['a permuted slice'] = { function()
                               return tensor.rand(4, 3, 5):narrow(3, 2, 2):transpose(1, 2)
                             end, function(x) return x:transpose(1, 2):flatten(1, 2):mul(3) end },
    ['a flattened slice'] = { function() return tensor.rand(2, 5, 4):narrow(2, 1, 3) end,
                              function(x) return x:flatten(2, 3):mul(3) end },
  }
  for name, case in pairs(views) do
    it(name .. ' has the same derivatives of all kinds', function()
      local x, view = case[1](), case[2]
      local function g(t)
        local v = view(t)
        return tensor.cmul(t, t):sum() + tensor.cmul(v, v):sum()
      end
      -- g may change its argument.
      local start = x:clone()
      local function restored() return x:copy(start) end
      local own = tensor.grad(g)(x):contiguous():view(-1)
      local jacobian = tensor.jacobian(g, restored()):view(-1)
      assert.is_true(jacobian:isclose(own, 1e-9):all())
      assert.is_true(tensor.gradcheck(g, { restored() }))
      assert.are.equal(x:nElement(), tensor.hessian(g, restored()):size(1))
    end)
  end
end)

describe('t[mask] = source', function()
  it('checks the number of elements in gradients and compiled functions, too', function()
    local source = D { 5, 6, 7 }
    local function put(a)
      local b = a * 1
      b[a:gt(0)] = source
      return b
    end
    local message = 'the mask has 2 ones, but the source has 3 elements'
    local compiled = tensor.compile(put)
    for _, g in ipairs { put, compiled, tensor.grad(function(a) return put(a):sum() end) } do
      local fine, failure = pcall(g, D { 1, 2, -1 })
      assert.is_false(fine)
      assert.matches(message, failure)
    end
    for _ = 1, 3 do
      assert.are.same({ 5, 6, 7 }, compiled(D { 1, 2, 3 }):totable())
      assert.matches(message, select(2, pcall(compiled, D { 1, 2, -1 })))
    end
    assert.are.same({ 0, 0, 0 },
                    (tensor.grad(function(a) return put(a):sum() end)(D { 1, 2, 3 })):totable())
  end)
end)

describe('the gradient of elu', function()
  it('has a derivative where exp overflows', function()
    for class, x in pairs { Half = 12, Float = 100, Double = 800 } do
      local T = tensor[class .. 'Tensor']
      local slopes = tensor.jvp(tensor.elu, { T { x } }, { T { 1 } })
      assert.are.equal(1, slopes[1][1])
      local function sum(t) return tensor.elu(t):sum() end
      assert.are.equal(0, tensor.hessian(sum, T { x })[1][1])
      assert.is_true(tensor.hessian(sum, T { -1 })[1][1] > 0.36)
    end
  end)

  it('is exact where the result is near -1', function()
    for class, digits in pairs { Float = 1e-6, BFloat16 = 8e-3, Half = 2e-3, Double = 1e-14 } do
      local x = { -1, -4, -6, -8 }
      if digits < 1e-3 then x[5], x[6] = -18, -40 end
      local df = tensor.grad(function(t) return tensor.elu(t, 2):sum() end)
      local g = df(tensor[class .. 'Tensor'](x))
      for k, number in ipairs(x) do
        assert.is_true(math.abs(g[k] / (2 * math.exp(number)) - 1) < digits)
      end
    end
  end)
end)

describe('the matrices of derivatives by integers', function()
  it('are errors', function()
    local function sum(x) return x:sum() end
    for _, name in ipairs { 'jacobian', 'hessian' } do
      local ok, message = pcall(function()
        local matrix = tensor[name](sum, tensor.LongTensor { 1, 2 })
        return matrix
      end)
      assert.is_false(ok)
      assert.matches('grad_layout_spec.lua.*' .. name .. ': a torch.LongTensor has integers only: '
                     .. 't:double%(%) converts it', message)
    end
  end)
end)

describe('topk of no elements', function()
  it('has the gradient 0', function()
    local x = tensor.DoubleTensor { 1, 2 }
    local g = tensor.grad(function(t) return t:topk(0):sum() + t:sum() end)(x)
    assert.are.same({ 1, 1 }, g:totable())
  end)
end)

describe('a storage', function()
  it('that views another cannot be made of elements that the gradient depends on', function()
    for _, loss in ipairs {
      function(x) return x:sum() + D(tensor.DoubleStorage(x:storage(), 1, 2)):sum() end,
      function(x)
        local y = x * 3
        tensor.DoubleStorage(y:storage(), 1, 2):fill(7)
        return y:sum()
      end,
    } do
      assert.error_matches(function() tensor.grad(loss)(D { 1, 1 }) end,
                           'DoubleStorage: exposes elements that the gradient depends on')
    end
    local g = tensor.grad(function(x)
      local c = D { 4, 5 }
      local y = tensor.cmul(x, c)
      tensor.DoubleStorage(c:storage(), 1, 2):fill(7)
      return y:sum()
    end)(D { 1, 1 })
    assert.are.same({ 4, 5 }, g:totable())
  end)
  it('that shrinks and grows has new elements', function()
    local function gradient(loss) return (tensor.grad(loss)(D { 1, 2, 3 }):totable()) end
    local function resized(...)
      local sizes = { ... }
      return function(x)
        local y = x * 2
        for _, size in ipairs(sizes) do y:storage():resize(size) end
        return (y * 5):sum()
      end
    end
    assert.are.same({ 10, 10, 10 }, gradient(resized(5, 3)))
    assert.are.same({ 10, 10, 10 }, gradient(resized(20, 15, 3)))
    assert.are.same({ 10, 0, 0 }, gradient(resized(20, 15, 1, 3)))
    assert.are.same({ 10, 0, 0 }, gradient(resized(1, 3)))
    assert.are.same({ 0, 0, 0 }, gradient(resized(0, 3)))
    assert.are.same({ 0, 0, 0 }, gradient(function(x)
      x:storage():resize(0)
      x:storage():resize(3)
      return x:sum()
    end))
    -- Values from before are kept.
    assert.are.same({ 2, 4, 6 }, gradient(function(x)
      local y = x * 1
      local loss = tensor.cmul(y, y):sum()
      y:storage():resize(0)
      return loss
    end))
    -- An error changes nothing.
    assert.are.same({ 10, 10, 10 }, gradient(function(x)
      local y = x * 2
      assert.has_error(function() y:storage():resize(-1) end)
      return (y * 5):sum()
    end))
  end)
  it('that shrinks and grows in a function with its own gradient is written', function()
    assert.error_matches(function()
      tensor.grad(function(x)
        local emptied = tensor.customGradient(function(y)
          y:storage():resize(0):resize(2)
          return y:sum()
        end, function() return { false } end)
        return emptied(x * 2)
      end)(D { 1, 1 })
    end, 'writes to a tensor that the gradient depends on, but does not return it')
  end)
end)
