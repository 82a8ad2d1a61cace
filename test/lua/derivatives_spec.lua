-- tensor.jvp, tensor.jacobian and tensor.hessian: how often they call the function.

local tensor = require 'tensor'
local D = tensor.DoubleTensor

-- Returns a function that multiplies by random factors 0 and 2, and one that returns the number of
-- its calls.
local function random_factors()
  local calls = 0
  return function(x)
    calls = calls + 1
    return tensor.cmul(x, tensor.dropout(x * 0 + 1, 0.5))
  end, function() return calls end
end

-- The factors of the first call after a seed.
local function factors(seed, count)
  tensor.manualSeed(seed)
  return tensor.dropout(tensor.ones(count), 0.5)
end

describe('The derivatives of functions with random numbers', function()
  it('are those of one call in jacobian and hessian', function()
    for seed = 1, 3 do
      local mask = factors(seed, 6)
      local next_number = tensor.uniform()
      local f, calls = random_factors()
      tensor.manualSeed(seed)
      assert.are.same(tensor.diag(mask):totable(), tensor.jacobian(f, tensor.ones(6)):totable())
      assert.are.equal(1, calls())
      assert.are.equal(next_number, tensor.uniform())
      tensor.manualSeed(seed)
      local h = tensor.hessian(function(x) return tensor.pow(f(x):sum(), 2) end, tensor.ones(6))
      assert.are.same((tensor.ger(mask, mask) * 2):totable(), h:totable())
      assert.are.equal(2, calls())
    end
  end)
  it('are those of the results of jvp', function()
    for seed = 1, 3 do
      local f, calls = random_factors()
      tensor.manualSeed(seed)
      local list, y = tensor.jvp(f, { tensor.ones(6) }, { tensor.ones(6) })
      assert.are.same(factors(seed, 6):totable(), y:totable())
      assert.are.same(y:totable(), list[1]:totable())
      assert.are.equal(1, calls())
    end
  end)
end)

describe('jvp, jacobian and hessian', function()
  local x = D{ { 1, 10 }, { 3, 30 } }
  it('update running statistics once', function()
    for name, derive in pairs{
      jvp = function(f) tensor.jvp(f, { x }, { x }) end,
      jacobian = function(f) tensor.jacobian(f, x) end,
      hessian = function(f) tensor.hessian(function(t) return f(t):sum() end, x) end,
    } do
      local mean, variance = tensor.zeros(2), tensor.ones(2)
      derive(function(t) return tensor.batchNorm(t, mean, variance, nil, nil, true) end)
      assert.is_true(math.abs(mean[1] - 0.2) < 1e-12, name)
    end
  end)
  it('run the rules of customGradient and checkpoint once for each row', function()
    local rules, calls = 0, 0
    local square = tensor.customGradient(function(t) return tensor.cmul(t, t) end, function(g, _, a)
      rules = rules + 1
      return { tensor.cmul(g[1], a[1]) * 2 }
    end)
    local cube = tensor.checkpoint(function(t)
      calls = calls + 1
      return tensor.pow(t, 3)
    end)
    local v = D{ 1, 2, 3 }
    local function f(t) return square(t) + cube(t) end
    assert.are.same({ { 5, 0, 0 }, { 0, 16, 0 }, { 0, 0, 33 } }, tensor.jacobian(f, v):totable())
    assert.are.equal(3, rules)
    assert.are.equal(4, calls)  -- one more for the result
    assert.are.same({ { 8, 0, 0 }, { 0, 14, 0 }, { 0, 0, 20 } },
                    tensor.hessian(function(t) return f(t):sum() end, v):totable())
  end)
  it('are differentiated', function()
    local v = D{ 1, 2 }
    local function cubes(t) return tensor.pow(t, 3) end
    local g = tensor.grad(function(t) return tensor.jacobian(cubes, t):sum() end)(v)
    assert.are.same({ 6, 12 }, g:totable())
    g = tensor.grad(function(t)
      return tensor.hessian(function(s) return cubes(s):sum() end, t):sum()
    end)(v)
    assert.are.same({ 6, 6 }, g:totable())
  end)
  it('give 0 for results without a derivative', function()
    local v = D{ 1, 2 }
    for _, f in ipairs{ function() return 3 end, function() return D{ 3 } end,
                        function(t) return t:narrow(1, 1, 1):long() end } do
      assert.are.same({ { 0, 0 } }, tensor.jacobian(f, v):totable())
      local slope = tensor.jvp(f, { v }, { v })[1]
      assert.are.equal(0, tensor.isTensor(slope) and slope[1] or slope)
    end
    assert.are.equal(0, tensor.jacobian(function(t) return t:narrow(1, 1, 0) end, v):nElement())
    assert.are.equal(0, tensor.jvp(function(t) return t:narrow(1, 1, 0) end, { v }, { v })[1]
      :nElement())
  end)
  it('pass the errors of functions and rules', function()
    local v = D{ 1, 2 }
    local bad = tensor.customGradient(function(t) return t * 2 end, function() error 'no rule' end)
    for _, f in ipairs{ bad, function() error 'no rule' end } do
      assert.has_error(function() tensor.jacobian(f, v) end, 'no rule')
      assert.has_error(function() tensor.jvp(f, { v }, { v }) end, 'no rule')
    end
    assert.are.equal(2, tensor.grad(function(t) return tensor.sum(t * 2) end)(v)[1])
  end)
  it('of jacobian and hessian are compiled', function()
    local v, w = D{ 1, 2 }, D{ 3, 5 }
    local compiled = tensor.compile(function(at)
      return tensor.jacobian(function(t) return tensor.pow(t, 3) end, at),
             tensor.hessian(function(t) return tensor.pow(t, 3):sum() end, at)
    end)
    for _, at in ipairs{ v, w, v, w } do
      local first, second = compiled(at)
      assert.are.same({ { 3 * at[1] ^ 2, 0 }, { 0, 3 * at[2] ^ 2 } }, first:totable())
      assert.are.same({ { 6 * at[1], 0 }, { 0, 6 * at[2] } }, second:totable())
    end
    -- While the collector runs all the time, fewer calls are recorded.
    if not require('support.settings').gc then
      assert.matches('done %d times', compiled:explain())
    end
  end)
end)
