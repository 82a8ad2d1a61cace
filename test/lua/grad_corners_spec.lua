-- Gradients where a function is not differentiable, or a formula would give NaN: the table in
-- doc/gradients.md, as exact numbers. Then gradients of other element types, of operands of
-- different shapes, and of nested tables.

local tensor = require 'tensor'
local elements = require 'support.elements'
local cases = require('support.cases').cases
local gradients = require 'support.gradients'

local inf, nan = math.huge, 0 / 0
local T = tensor.DoubleTensor

local function text(list)
  local parts = {}
  -- + 0 turns -0 into 0.
  for k, x in ipairs(list) do parts[k] = x ~= x and 'nan' or ('%.10g'):format(x + 0) end
  return table.concat(parts, ' ')
end
local function elements_of(t)
  return t:nElement() > 0 and t:contiguous():view(-1):totable() or {}
end

local function copies(list)
  local all = {}
  for k, t in ipairs(list) do all[k] = t:clone() end
  return all
end

-- The gradients of the sum of the first result. f may change its arguments.
local function gradients_of(f, args)
  local y = f(unpack(copies(args)))
  local seed = tensor.isTensor(y) and y:clone():fill(1) or 1
  local got = {}
  for k, g in ipairs((tensor.vjp(function(...) return (f(...)) end, args, { seed }))) do
    got[k] = text(elements_of(g))
  end
  return got
end

-- A name, a function, and its arguments, each followed by the gradient.
local corners = {
  { 'abs at 0', function(x) return x:abs() end, { -2, 0, 3 }, { -1, 0, 1 } },
  { 'relu at 0', function(x) return x:relu() end, { -2, 0, 3 }, { 0, 0, 1 } },
  { 'relu of NaN', function(x) return x:relu() end, { nan, -1 }, { 1, 0 } },
  { 'sign', function(x) return tensor.sign(x) + x end, { -2, 0, 3 }, { 1, 1, 1 } },
  { 'floor and round', function(x) return tensor.floor(x) + tensor.round(x) + x end,
    { 1, 2.5 }, { 1, 1 } },
  { 'frac', function(x) return x:frac() end, { 1, 2.5 }, { 1, 1 } },
  { 'sqrt at 0', function(x) return x:sqrt() end, { 0, 4 }, { inf, 0.25 } },

  -- extreme values
  { 'max of equal elements', function(x) return x:max() end, { 3, 1, 3 }, { 0.5, 0, 0.5 } },
  { 'min of equal elements', function(x) return x:min() end, { 3, 1, 1 }, { 0, 0.5, 0.5 } },
  { 'max over dimensions', function(x) return x:view(2, 2):max { 1, 2 } end,
    { 3, 3, 1, 3 }, { 1 / 3, 1 / 3, 0, 1 / 3 } },
  { 'max along a dimension', function(x) return (x:max(1)) end, { 3, 1, 3 }, { 1, 0, 0 } },
  { 'min along a dimension', function(x) return (x:min(1)) end, { 3, 1, 1 }, { 0, 1, 0 } },
  { 'median', function(x) return (x:median()) end, { 5, 1, 3, 7 }, { 0, 0, 1, 0 } },
  { 'unique', function(x) return (tensor.unique(x)):cmul(T { 1, 10 }) end, { 3, 1, 3, 3, 1 },
    { 10 / 3, 0.5, 10 / 3, 10 / 3, 0.5 } },
  { 'uniqueValues', function(x) return tensor.uniqueValues(x):cmul(T { 1, 10 }) end,
    { 3, 1, 3, 3, 1 }, { 10 / 3, 0.5, 10 / 3, 10 / 3, 0.5 } },
  { 'kthvalue', function(x) return (x:kthvalue(2)) end, { 5, 1, 3 }, { 0, 0, 1 } },
  { 'topk', function(x) return (x:topk(2, 1, true)) end, { 5, 1, 3 }, { 1, 0, 1 } },
  { 'sort of equal elements', function(x) return x:sort():cmul(T { 1, 10, 100 }) end,
    { 2, 1, 2 }, { 10, 1, 100 } },
  { 'cummax', function(x) return (x:cummax()) end, { 1, 3, 3, 2 }, { 1, 1, 2, 0 } },
  { 'cmax of equal elements', tensor.cmax, { 1, 2, 3 }, { 0, 0.5, 1 }, { 2, 2, 2 },
    { 1, 0.5, 0 } },
  { 'cmin of equal elements', tensor.cmin, { 1, 2, 3 }, { 1, 0.5, 0 }, { 2, 2, 2 },
    { 0, 0.5, 1 } },
  { 'infinite gradients of equal elements', function(x, y) return tensor.cmax(x, y) * inf end,
    { 1, 3 }, { inf, inf }, { 1, 2 }, { inf, 0 } },
  { 'cmax of NaN', tensor.cmax, { nan, 2, nan, 1 }, { 1, 1, 1, 0 }, { 1, nan, nan, 2 },
    { 1, 1, 1, 1 } },
  { 'cmin of NaN', tensor.cmin, { nan, 2, nan, 1 }, { 1, 1, 1, 1 }, { 1, nan, nan, 2 },
    { 1, 1, 1, 0 } },
  { 'fmax of NaN', tensor.fmax, { nan, 2, nan, 1, 3 }, { 0, 1, 1, 0, 0.5 }, { 1, nan, nan, 2, 3 },
    { 1, 0, 0, 1, 0.5 } },
  { 'fmin of NaN', tensor.fmin, { nan, 2, nan, 1, 3 }, { 0, 1, 1, 1, 0.5 }, { 1, nan, nan, 2, 3 },
    { 1, 0, 0, 0, 0.5 } },
  { 'cmax of NaN and a number', function(x) return tensor.cmax(x, 2) end, { nan }, { 1 } },
  { 'cmin of NaN and a number', function(x) return tensor.cmin(x, 2) end, { nan }, { 1 } },
  { 'ldexp', tensor.ldexp, { 3, 1 }, { 4, 0.5 }, { 2, -1 },
    { 12 * math.log(2), 0.5 * math.log(2) } },
  { 'cmax with a number', function(x) return tensor.cmax(x, 2) end, { 1, 2, 3 }, { 0, 0, 1 } },
  { 'cmin with a number', function(x) return tensor.cmin(x, 2) end, { 1, 2, 3 }, { 1, 0, 0 } },
  { 'clamp at a bound', function(x) return x:clamp(1, 3) end, { 0, 1, 2, 3, 4 },
    { 0, 0, 1, 0, 0 } },
  { 'clamp from below', function(x) return x:clamp(1) end, { 0, 1, 2 }, { 0, 0, 1 } },
  { 'leakyRelu', function(x) return tensor.leakyRelu(x, 0.5) end, { -1, 0, 2 }, { 0.5, 0.5, 1 } },
  { 'elu', function(x) return tensor.elu(x, 2) end, { -700, 0, 2 }, { 2 * math.exp(-700), 2, 1 } },
  { 'clampMax', function(x) return x:clampMax(1) end, { 0, 1, 2 }, { 1, 0, 0 } },

  -- products
  { 'prod with a zero', function(x) return x:prod() end, { 2, 0, 3 }, { 0, 6, 0 } },
  { 'prod with two zeros', function(x) return x:prod() end, { 0, 0, 3 }, { 0, 0, 0 } },
  { 'prod along a dimension', function(x) return x:view(3, 2):prod(1) end, { 2, 5, 0, 4, 3, 0 },
    { 0, 0, 6, 0, 0, 20 } },
  { 'prod over dimensions', function(x) return x:view(1, 2, 2):prod { 2, 3 } end, { 2, 5, 0, 4 },
    { 0, 0, 40, 0 } },
  { 'cumprod with a zero', function(x) return x:cumprod() end, { 2, 0, 3 }, { 1, 8, 0 } },
  { 'cumprod with two zeros', function(x) return x:cumprod() end, { 0, 0, 3 }, { 1, 0, 0 } },
  { 'cumprod along dimension 2', function(x) return x:view(2, 2):cumprod(2) end, { 0, 2, 3, 0 },
    { 3, 0, 1, 3 } },

  -- powers
  { 'x ^ 0 at 0', function(x) return x ^ 0 end, { 0, 2 }, { 0, 0 } },
  { 'x ^ 1 at 0', function(x) return x ^ 1 end, { 0, 2 }, { 1, 1 } },
  { 'x ^ 2 at 0', function(x) return x ^ 2 end, { 0, 2 }, { 0, 4 } },
  { 'x ^ 0.5 at 0', function(x) return x ^ 0.5 end, { 0, 4 }, { inf, 0.25 } },
  { 'pow(0, x)', function(x) return tensor.pow(0, x) end, { 0, 2 }, { 0, 0 } },
  { 'pow(1, x)', function(x) return tensor.pow(1, x) end, { 0, 2 }, { 0, 0 } },
  { 'cpow', tensor.cpow, { 0, 0, 0, 2, -2 }, { 0, 1, 0, 0, 12 },
    { 0, 1, 2, 0, 3 }, { 0, 0, 0, math.log(2), nan } },

  -- norms and deviations
  { 'norm of zeros', function(x) return x:norm() end, { 0, 0 }, { 0, 0 } },
  { '1-norm with a zero', function(x) return x:norm(1) end, { -2, 0 }, { -1, 0 } },
  { '3-norm of zeros', function(x) return x:norm(3) end, { 0, 0 }, { 0, 0 } },
  { '3-norm with a zero', function(x) return x:norm(3) end, { 2, 0 }, { 1, 0 } },
  { '10-norm with a zero', function(x) return x:norm(10) end, { 1e-40, 0 }, { 1, 0 } },
  { '10-distance', function(x) return x:dist(T { 0, 2 }, 10) end, { 1e-40, 2 }, { 1, 0 } },
  { '0.5-norm with a zero', function(x) return x:norm(0.5) end, { 4, 0 }, { 1, 0 } },
  { '0-norm', function(x) return x:norm(0) end, { 2, 0 }, { 0, 0 } },
  { 'maximum norm', function(x) return x:norm(inf) end, { -3, 1, 3 }, { -0.5, 0, 0.5 } },
  { 'norm of a row of zeros', function(x) return x:view(2, 2):norm(2, 2) end, { 0, 0, 3, 4 },
    { 0, 0, 0.6, 0.8 } },
  { 'distance of equal tensors', tensor.dist, { 1, 2 }, { 0, 0 }, { 1, 2 }, { 0, 0 } },
  { 'hypot at 0', tensor.hypot, { 0, 3 }, { 0, 0.6 }, { 0, 4 }, { 0, 0.8 } },
  { 'std of equal elements', function(x) return x:std() end, { 2, 2, 2 }, { 0, 0, 0 } },
  { 'std of a row of equal elements', function(x) return x:view(2, 2):std(2) end, { 2, 2, 1, 3 },
    { 0, 0, -math.sqrt(0.5), math.sqrt(0.5) } },
  { 'var of equal elements', function(x) return x:var() end, { 2, 2, 2 }, { 0, 0, 0 } },

  -- NaN and infinities that are not selected
  { 'where', function(x, y) return tensor.where(tensor.ByteTensor { 1, 0, 1 }, x, y) end,
    { 1, nan, 3 }, { 1, 0, 1 }, { nan, 2, inf }, { 0, 1, 0 } },
  { 'where of a square root', function(x, y)
    return tensor.where(tensor.ByteTensor { 1, 0 }, x, y:sqrt())
  end, { nan, 3 }, { 1, 0 }, { 1, 4 }, { 0, 0.25 } },
  { 'where of a logarithm', function(x)
    return tensor.where(tensor.ByteTensor { 1, 0 }, tensor.log(x), x)
  end, { 4, 0 }, { 0.25, nan } },
  { 'maskedFill', function(x) return x:clone():maskedFill(tensor.ByteTensor { 0, 1 }, 5) end,
    { 1, nan }, { 1, 0 } },
  { 'nanToNum', function(x) return x:nanToNum() end, { 1, nan, inf }, { 1, 0, 0 } },
  { 'nansum', function(x) return x:nansum() end, { 1, nan, 3 }, { 1, 0, 1 } },
  { 'nanmean', function(x) return x:nanmean() end, { 1, nan, 3 }, { 0.5, 0, 0.5 } },
  { 'softmax of -inf', function(x) return x:softmax():cmul(T { 1, 0, 0 }) end, { 0, 0, -inf },
    { 0.25, -0.25, 0 } },
  { 'logsumexp of -inf', function(x) return x:logsumexp() end, { 0, 0, -inf }, { 0.5, 0.5, 0 } },

  -- operators with a number first
  { '6 / x', function(x) return 6 / x end, { 2, -1 }, { -1.5, -6 } },
  { '5 - x', function(x) return 5 - x end, { 2, -1 }, { -1, -1 } },
  { '2 ^ x', function(x) return tensor.pow(2, x) end, { 0, 3 },
    { math.log(2), 8 * math.log(2) } },
  { 'x % 3', function(x) return x % 3 end, { 4, -1 }, { 1, 1 } },
  { 'x % y', function(x, y) return x % y end, { 7, -7 }, { 1, 1 }, { 2, 2 }, { -3, 4 } },

  -- elements that are read several times, or not at all
  { 'expand', function(x) return x:view(1, 2):expand(3, 2) end, { 1, 2 }, { 3, 3 } },
  { 'index with repetitions', function(x) return x:index(1, tensor.LongTensor { 2, 2, 1 }) end,
    { 1, 2, 3 }, { 1, 2, 0 } },
  { 'unfold', function(x) return x:unfold(1, 2, 1) end, { 1, 2, 3 }, { 1, 2, 1 } },
  { 'scatterReduce: amax of equal elements', function(x, y)
    return x:clone():scatterReduce(1, tensor.LongTensor { 1, 1, 2 }, y, 'amax')
  end, { 4, 2, 3 }, { 1 / 3, 1, 1 }, { 4, 4, 1 }, { 1 / 3, 1 / 3, 0 } },
  { 'scatterReduce: amin with NaN', function(x, y)
    return x:clone():scatterReduce(1, tensor.LongTensor { 1, 1, 2 }, y, 'amin')
  end, { 4, 2, 3 }, { 0, 0, 1 }, { nan, nan, 1 }, { 0.5, 0.5, 1 } },
  { 'scatterReduce: amax without t', function(x, y)
    return x:clone():scatterReduce(1, tensor.LongTensor { 1, 1 }, y, 'amax', false)
  end, { 9, 2 }, { 0, 1 }, { 4, 5 }, { 0, 1 } },
  { 'scatterReduce: prod with zeros', function(x, y)
    return x:clone():scatterReduce(1, tensor.LongTensor { 1, 1, 2, 2, 3, 3 }, y, 'prod')
  end, { 5, 2, 0, 7 }, { 0, 0, 6, 1 }, { 0, 3, 0, 0, 2, 3 }, { 15, 0, 0, 0, 0, 0 } },
  { 'scatterReduce with an index smaller than src', function(x, y)
    return x:view(2, 2):clone():scatterReduce(2, tensor.LongTensor { { 1 } }, y:view(2, 2), 'prod')
  end, { 5, 2, 6, 7 }, { 3, 1, 1, 1 }, { 3, 4, 8, 9 }, { 5, 0, 0, 0 } },
  { 'indexCopy with repetitions', function(x, y)
    return x:clone():indexCopy(1, tensor.LongTensor { 1, 2 }, y)
  end, { 1, 2, 3 }, { 0, 0, 1 }, { 4, 5 }, { 1, 1 } },
}

-- A name, a function, its argument, and the rows of the matrix of second derivatives.
local second = {
  { 'prod with a zero', function(x) return x:prod() end, { 2, 0, 3 },
    { 0, 3, 0, 3, 0, 2, 0, 2, 0 } },
  { 'prod with two zeros', function(x) return x:prod() end, { 0, 0, 3 },
    { 0, 3, 0, 3, 0, 0, 0, 0, 0 } },
  { 'scatterReduce: prod with a zero', function(x)
    return tensor.ones(1):scatterReduce(1, tensor.LongTensor { 1, 1, 1 }, x, 'prod'):sum()
  end, { 2, 0, 3 }, { 0, 3, 0, 3, 0, 2, 0, 2, 0 } },
  { 'scatterReduce: prod of t and a zero', function(x)
    return x:narrow(1, 1, 1):clone():scatterReduce(1, tensor.LongTensor { 1, 1 },
                                                   x:narrow(1, 2, 2), 'prod'):sum()
  end, { 2, 0, 3 }, { 0, 3, 0, 3, 0, 2, 0, 2, 0 } },
  { 'cumprod with a zero', function(x) return x:cumprod():sum() end, { 2, 0, 3 },
    { 0, 4, 0, 4, 0, 2, 0, 2, 0 } },
  { 'cumprod with two zeros', function(x) return x:cumprod():sum() end, { 0, 0, 3 },
    { 0, 4, 0, 4, 0, 0, 0, 0, 0 } },
  { 'x ^ 2 at 0', function(x) return (x ^ 2):sum() end, { 0, 1 }, { 2, 0, 0, 2 } },
  { 'x ^ 1 at 0', function(x) return (x ^ 1):sum() end, { 0, 1 }, { 0, 0, 0, 0 } },
  { 'norm of zeros', function(x) return x:norm() end, { 0, 0 }, { 0, 0, 0, 0 } },
  { 'norm of a row of zeros', function(x) return x:view(2, 1):norm(2, 2):sum() end, { 0, 2 },
    { 0, 0, 0, 0 } },
  { 'std of equal elements', function(x) return x:std() end, { 2, 2 }, { 0, 0, 0, 0 } },
  { 'abs at 0', function(x) return x:abs():sum() end, { 0, 1 }, { 0, 0, 0, 0 } },
  { 'square of relu at 0', function(x) return x:relu():pow(2):sum() end, { 0, 1 },
    { 0, 0, 0, 2 } },
  { 'cpow at exponent 0', function(x)
    return tensor.cpow(x, T { 0, 2 }):sum()
  end, { 0, 3 }, { 0, 0, 0, 2 } },
}

describe('the gradient of', function()
  for _, corner in ipairs(corners) do
    local name, f = corner[1], corner[2]
    it(name, function()
      local args, want = {}, {}
      for k = 3, #corner, 2 do
        args[#args + 1] = T(corner[k])
        want[#want + 1] = text(corner[k + 1])
      end
      assert.are.same(want, gradients_of(f, args))
    end)
  end
end)

describe('the second derivatives of', function()
  for _, corner in ipairs(second) do
    local name, f, x, want = unpack(corner)
    it(name, function()
      assert.are.equal(text(want), text(elements_of(tensor.hessian(f, T(x)))))
    end)
  end
end)

-- One or two rows of each family.
local rows = {
  exp = true, abs = true, cmul = true, cdiv = true, clamp = true, addcmul = true, where = true,
  sum = true, max = true, norm = true, softmax = true, cumsum = true, sort = true, topk = true,
  indexSelect = true, scatterAdd = true, maskedSelect = true, cat = true, pad = true, flip = true,
  mm = true, addmv = true, dot = true, narrow = true, expand = true, tril = true, cov = true,
  quantile = true, nanToNum = true, normal_means = true, lerp = true, varall = true,
}

for number, row in ipairs(tensor._optable()) do
  for _, e in ipairs { elements.Half, elements.BFloat16, elements.Float } do
    if rows[row.name] and elements.supports(row.types, e) then
      it(('the gradient of %s of %s'):format(row.name, e.name), function()
        local case = cases[row.name]
        local scenario = case.scenarios(e, elements.generator(number))[1]
        local reduced = gradients.program(row, case, e, scenario, 'contiguous',
                                          elements.generator(number))
        local double = gradients.program(row, case, elements.Double, scenario, 'contiguous',
                                         elements.generator(number))
        tensor.manualSeed(number)
        reduced:check_type(double, 32 * e.eps)
      end)
    end
  end
end

describe('the gradient of atan2', function()
  it('is right for operands whose squares are 0', function()
    for _, n in ipairs { 1, 2000 } do
      local x = tensor.HalfTensor(n):fill(2 ^ -14)
      local g = tensor.vjp(function(t) return tensor.atan2(t, x) end, { x:clone() },
                           { tensor.HalfTensor(n):fill(1) })[1]
      assert.is_true(math.abs(g[n] - 2 ^ 13) <= 8, g[n])
    end
  end)
end)

describe('batchNorm with its running moments', function()
  local x = T { { 1, 2 }, { 3, 5 }, { 0, -1 } }

  it('reads them only, and may be called several times', function()
    local function norm(m, v) return tensor.batchNorm(x, m, v):sum() end
    assert.is_true(tensor.gradcheck(function(m, v) return norm(m, v) + norm(m, v) * 2 end,
                                    { T { 0.5, 1 }, T { 1, 2 } }))
    assert.are.same({ 3, 3 }, tensor.grad(function(m)
      norm(m, T { 1, 1 })
      return (m * 3):sum()
    end)(T { 0, 0 }):totable())
    assert.is_true(tensor.gradcheck(function(t)
      local m, v = t:mean(1):view(-1), t:var(1):view(-1)
      return tensor.batchNorm(t, m, v):exp():sum() + tensor.cmul(m, m):sum()
    end, { x }, { order = 2 }))
  end)

  it('can be computed again, and be compiled with expanded moments', function()
    local df = tensor.grad(tensor.checkpoint(function(m)
      return tensor.batchNorm(x, m, tensor.ones(2)):sum()
    end))
    assert.are.equal(2, df(T { 0, 1 }):nElement())
    local f = tensor.compile(function(t)
      return tensor.batchNorm(t, tensor.ones(1):expand(2), tensor.ones(1):expand(2)) * 2
    end)
    for _ = 1, 3 do
      assert.is_true((f(x) - (x - 1) * 2):abs():max() < 1e-4)
    end
    assert.matches('done %d times', f:explain())
  end)
end)

describe('an empty result', function()
  local w = tensor.ones(3, 2):double()
  for name, f in pairs {
    embedding = function(p) return tensor.embedding(p, tensor.LongTensor(0)) end,
    matmul = function(p) return tensor.matmul(tensor.zeros(0, 4, 3):double(), p) end,
    cdist = function(p) return tensor.cdist(tensor.zeros(0, 2):double(), p) end,
    kron = function(p) return tensor.kron(p, tensor.zeros(0, 2):double()) end,
    repeatTensor = function(p) return p:repeatTensor(0, 2) end,
    diff = function(p) return p:narrow(1, 1, 1):diff(1, 1) end,
  } do
    it('of ' .. name .. ' has a gradient of zeros', function()
      local df = tensor.grad(function(p) return f(p):sum() end)
      local gradient, loss = df(w)
      assert.are.equal(0, loss)
      assert.are.same(tensor.zeros(3, 2):totable(), gradient:totable())
    end)
  end
end)

describe('the gradient of a conversion', function()
  it('has the type of the operand', function()
    for _, from in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
      for _, to in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
        local class = tensor[from .. 'Tensor']
        local x = class { 1, 2, -3 }
        local g = tensor.vjp(function(t)
          local y = t:type('torch.' .. to .. 'Tensor')
          return y * 2 + y
        end, { x }, { tensor[to .. 'Tensor'] { 1, 4, 8 } })[1]
        assert.are.equal(class():type(), g:type())
        assert.are.same({ 3, 12, 24 }, g:totable())
      end
    end
  end)

  it('by copy has the type of the operand', function()
    local g = tensor.vjp(function(t)
      local y = tensor.DoubleTensor(2):fill(7)
      y:copy(t)
      return tensor.cmul(y, y)
    end, { tensor.FloatTensor { 1, 2 } }, { T { 1, 1 } })[1]
    assert.are.equal('torch.FloatTensor', g:type())
    assert.are.same({ 2, 4 }, g:totable())
  end)

  it('to integers is 0', function()
    local g = tensor.vjp(function(t)
      return t:long():double() + t
    end, { T { 1.5, 2 } }, { T { 1, 1 } })[1]
    assert.are.same({ 1, 1 }, g:totable())
  end)
end)

describe('operands of different shapes', function()
  local function values(shape, k)
    local t = T(tensor.LongStorage(shape))
    if t:nElement() > 0 then
      t:view(-1):copy(tensor.range(1, t:nElement()):mul(0.17):add(0.3 + 0.05 * k))
    end
    return t
  end
  local pairs_of_shapes = {
    { { 2, 3 }, { 3 } }, { { 3 }, { 2, 3 } }, { { 2, 3 }, { 2, 1 } }, { { 3, 1 }, { 1, 2 } },
    { { 2, 1, 3 }, { 4, 1 } }, { { 2, 3 }, { 1 } }, { { 1 }, { 1, 1 } }, { { 5 }, { 1, 5 } },
    { { 2, 3 }, { 3, 2 } }, { { 6 }, { 2, 3 } }, { { 2 }, { 2, 1 } }, { { 0, 3 }, { 3 } },
    { { 3, 3, 1 }, { 3, 3 } },
  }
  local functions = {
    add = tensor.add, cmul = tensor.cmul, cdiv = tensor.cdiv, cpow = tensor.cpow,
    atan2 = tensor.atan2, cmax = tensor.cmax, dist = tensor.dist,
    lerp = function(a, b) return tensor.lerp(a, b, 0.3) end,
    addcmul = function(a, b) return tensor.addcmul(a, 2, b, b) end,
    where = function(a, b) return tensor.where(a:gt(1), a, b) end,
    copy = function(a, b)
      local r = tensor.cmul(a, b):zero()
      return r:copy(a) + r:copy(b)
    end,
    maskedFill = function(a, b) return a:clone():maskedFill(b:gt(1), 2) end,
    maskedCopy = function(a, b)
      return a:clone():maskedCopy(b:gt(1), tensor.cat(b:view(-1), a:view(-1)))
    end,
    maskedSelect = function(a, b) return tensor.maskedSelect(a, b:gt(1)) end,
    maskedScatter = function(a, b)
      return tensor.maskedScatter(a, b:gt(1), tensor.cmul(a, b):view(-1))
    end,
    normal = function(a, b)
      tensor.manualSeed(3)
      return tensor.normal(a, b)
    end,
    ['in place'] = function(a, b)
      local r = tensor.cmul(a, b)
      return r:cmul(a):add(b):cdiv(a)
    end,
  }
  local names = {}
  for name in pairs(functions) do names[#names + 1] = name end
  table.sort(names)
  for _, mode in ipairs { 'numpy', 'torch7' } do
    for _, name in ipairs(names) do
      it(('%s, by the rule %s'):format(name, mode), function()
        tensor.manualSeed(1)
        local before = tensor.setBroadcast(mode)
        finally(function() tensor.setBroadcast(before) end)
        local checked = 0
        for _, shapes in ipairs(pairs_of_shapes) do
          local args = { values(shapes[1], 1), values(shapes[2], 2) }
          -- A mask may broadcast, but not what it selects from.
          if pcall(functions[name], unpack(args)) then
            local ok, message = tensor.gradcheck(functions[name], args, { order = 2 })
            assert.is_true(ok, ('%s and %s: %s'):format(table.concat(shapes[1], 'x'),
                                                        table.concat(shapes[2], 'x'),
                                                        tostring(message)))
            for k, g in ipairs((tensor.vjp(functions[name], args, {}))) do
              assert.is_true(g:isSameSizeAs(args[k]))
            end
            checked = checked + 1
          end
        end
        assert.is_true(checked > 6)
      end)
    end
  end
end)

describe('nested tables', function()
  it('may not contain themselves, but a table at two places', function()
    local p = { w = T{ 1, 2 } }
    p.more = { p }
    local function f(t) return t.w:sum() end
    local function cyclic(x)
      local result = { x * 2 }
      result[2] = result
      return result
    end
    for name, call in pairs{
      grad = function() tensor.grad(f)(p) end,
      vjp = function() tensor.vjp(f, { p }, { 1 }) end,
      jvp = function() tensor.jvp(f, { p }, { p }) end,
      gradcheck = function() tensor.gradcheck(f, { p }) end,
      stopGradient = function() tensor.stopGradient(p) end,
      checkpoint = function()
        tensor.grad(function(x) return tensor.checkpoint(cyclic)(x)[1]:sum() end)(p.w)
      end,
      customGradient = function()
        tensor.grad(function(x)
          return tensor.customGradient(f, f)({ w = x, p }):sum()
        end)(p.w)
      end,
    } do
      assert.has_error(call, name .. ': a table of tensors contains itself')
    end
    for name, call in pairs{
      vjp = function() tensor.vjp(cyclic, { p.w }, { cyclic(p.w) }) end,
      jvp = function() tensor.jvp(cyclic, { p.w }, { p.w }) end,
      grad = function() tensor.grad(function(x) return x:sum(), cyclic(x) end)(p.w) end,
    } do
      assert.has_error(call, name .. ': a table of tensors contains itself')
    end
    local shared = { T{ 3 } }
    local g = tensor.grad(function(t) return (t[1][1] * t[2][1]):sum() end)({ shared, shared })
    assert.are.same({ 6 }, g[1][1]:totable())
    -- The tape of a call that failed is closed.
    assert.are.same({ 1, 1 }, tensor.grad(f)({ w = T{ 1, 2 } }).w:totable())
    local tree = require 'tensor.tree'
    for _, name in ipairs{ 'leaves', 'clone', 'count', 'norm' } do
      assert.has_error(function() tree[name](p) end, 'tree: a table of tensors contains itself')
    end
    local step = require 'tensor.optim'.sgd{ rate = 1 }
    assert.has_error(function() step(p, p) end, 'tree: a table of tensors contains itself')
    assert.are.equal(2, tree.count({ shared, { shared, T{ 1 } } }))
    local deep = p.w
    for _ = 1, 2000 do deep = { deep } end
    assert.has_error(function() tensor.grad(f)(deep) end,
                     'grad: a table of tensors has more than 1000 levels')
  end)
end)

it('the gradient of normal by its deviations is the standard normal number', function()
  local n = 5
  tensor.manualSeed(1)
  local drawn = tensor.normal(tensor.zeros(n), tensor.ones(n)):totable()
  for _, mean in ipairs { 10, tensor.zeros(n):fill(10) } do
    for _, deviation in ipairs { 0, 1e-5, 1 } do
      local slope = tensor.grad(function(d)
        tensor.manualSeed(1)
        return tensor.normal(mean, d):sum()
      end)(tensor.zeros(n):fill(deviation))
      assert.are.same(drawn, slope:totable())
    end
  end
end)
