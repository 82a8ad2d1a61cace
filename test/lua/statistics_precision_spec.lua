-- Statistics of floats that need more digits than a float has.

local tensor = require 'tensor'

local F = tensor.FloatTensor

describe('statistics of floats', function()
  it('find the rank of nanquantile in doubles', function()
    local y = F(1001):zero()
    y:narrow(1, 335, 667):fill(1e6)
    assert.are.equal(y:quantile(0.3333, 1)[1], y:nanquantile(0.3333, 1)[1])
    assert.is_true(math.abs(y:nanquantile(0.3333, 1)[1] - 300000) < 1)
    y = F(2, 100001):zero()
    y:narrow(2, 33332, 66670):fill(1e6)
    y[2][1] = 0 / 0
    local ranks = y:nanquantile(0.33330123, 2):view(-1)
    assert.are.equal(y:quantile(0.33330123, 2):view(-1)[1], ranks[1])
    assert.is_true(math.abs(ranks[2] - (0.33330123 * 99999 - 33329) * 1e6) < 1)
    local h = tensor.HalfTensor(4099):zero()
    h[1], h[2] = 3, 5
    assert.are.equal(5, h:nanquantile(1, 1)[1])
    assert.are.equal(3, h:nanquantile(4097 / 4098, 1)[1])
  end)

  it('remove the rounding error of the means of covariances', function()
    local lists = { { 10000001, 10000002, 10000000, 10000002, 10000003, 10000002 },
                    { 1000001, 1000002, 1000003, 1000004, 1000005, 1000005.25, 1000007 } }
    for _, list in ipairs(lists) do
      local t = F(list)
      local exact = t:double():var()
      local function is_close(x) assert.is_true(math.abs(x / exact - 1) < 1e-6) end
      is_close(tensor.cov(t)[1][1])
      is_close(tensor.covWeights(t, F(#list):fill(1))[1][1])
      is_close(tensor.cov(tensor.stack({ t, -t }))[2][2])
      is_close(-tensor.cov(tensor.stack({ t, -t }))[1][2])
    end
    local counts = tensor.LongTensor { 1, 2, 3 }
    local k = F { 1000001, 1000002, 1000000 }
    assert.is_true(math.abs(tensor.cov(k, counts)[1][1] / tensor.cov(k:double(), counts)[1][1] - 1)
                   < 1e-6)
  end)

  it('do not overflow in norms', function()
    for _, scale in ipairs { 1e200, 1e300, 1e-200 } do
      for p = 1, 4 do
        local t = tensor.Tensor { 3, -4, 2 }
        for _, order in ipairs { p, p + 0.5 } do
          assert.is_true(math.abs((t * scale):norm(order) / scale / t:norm(order) - 1) < 1e-12)
        end
      end
    end
    for _, size in ipairs { 1e-153, 1e-155, 1e-161, 1e-162, 1e-200, 1e-310 } do
      local t = tensor.Tensor { { -size }, { 0 } }
      local along = t:norm(2, 2):view(-1)
      for _, norm in ipairs { t:norm(), t:norm(2, 1)[1][1], along[1] } do
        assert.is_true(math.abs(norm / size - 1) < 1e-12)
      end
      assert.are.equal(0, along[2])
    end
    assert.is_true(math.abs(F { 1e-35, 0 }:norm(10, 1)[1] / 1e-35 - 1) < 1e-6)
    assert.are.equal(0, tensor.zeros(3):norm(2, 1)[1])
    local rows = tensor.Tensor { { 3e200, -4e200 }, { 3, 4 }, { 0, 0 }, { 1 / 0, 1 },
                                 { 0 / 0, 1e200 } }
    local norms = rows:norm(2, 2):view(-1)
    assert.is_true(math.abs(norms[1] / 5e200 - 1) < 1e-14)
    assert.are.same({ 5, 0, 1 / 0 }, norms:narrow(1, 2, 3):totable())
    assert.are_not.equal(norms[5], norms[5])
    local columns = rows:t():narrow(2, 1, 2):norm(3, 1)
    assert.is_true(math.abs(columns[{ 1, 1 }] / (91 ^ (1 / 3) * 1e200) - 1) < 1e-14)
    local limited = rows:narrow(1, 1, 2):clone():renorm(2, 1, 10)
    assert.is_true(limited:allclose(tensor.Tensor { { 6, -8 }, { 3, 4 } }))
  end)

  it('do not overflow in distances', function()
    local D = tensor.DoubleTensor
    local distance = tensor.dist(D { 1e200, 0 }, D { 0, 1e200 })
    assert.is_true(math.abs(distance / 2 ^ 0.5 / 1e200 - 1) < 1e-15)
    for _, size in ipairs { 1e-161, 1e-200, 1e300 } do
      assert.is_true(math.abs(D { size }:dist(D { 0 }, 3) / size - 1) < 1e-12)
    end
    assert.are.equal(0, D { 1e200, 2 }:dist(D { 1e200, 2 }))
    assert.are.equal(1 / 0, D { 1 / 0, 2 }:dist(D { 1, 2 }))
    assert.are.equal(120000, tensor.HalfTensor { 6e4 }:dist(tensor.HalfTensor { -6e4 }))
  end)

  it('do not overflow in gradients of products', function()
    local x = F { 1e30, 1e30, 1e-30, 1e-30 }
    local want = F { 1e-30, 1e-30, 1e30, 1e30 }
    assert.is_true(tensor.grad(function(t) return t:prod() end)(x):allclose(want, 1e-6, 0))
    local rows = tensor.grad(function(t) return t:prod(2):sum() end)(x:view(1, 4))
    assert.is_true(rows:allclose(want:view(1, 4), 1e-6, 0))
    assert.are.equal('torch.FloatTensor', rows:type())
  end)

  it('do not overflow in normalizations', function()
    tensor.manualSeed(1)
    local function is_close(a, b)
      return (a - b):abs():max() < 1e-5 * math.max(1, b:abs():max())
    end
    for _, name in ipairs { 'FloatTensor', 'BFloat16Tensor' } do
      local T = tensor[name]
      local function check(f, ...)
        local x = tensor.randn(...):type(T.new():type()) * 1e30
        local big = x:double()
        local want = f(big)
        local got = f(x)
        local tolerance = name == 'FloatTensor' and 1e-5 or 0.05
        assert.is_true((got:double() - want):abs():max() < tolerance)
        if name == 'FloatTensor' then
          local g = tensor.randn(...)
          local function slope(t, v) return tensor.vjp(f, { t }, { v })[1] end
          local slopes = slope(x, g:float()):double() * 1e30
          assert.is_true(is_close(slopes, slope(big, g) * 1e30))
        end
      end
      check(function(t) return tensor.layerNorm(t, { 40 }) end, 3, 40)
      check(function(t) return tensor.rmsNorm(t, { 1500 }) end, 2, 1500)
      check(function(t) return tensor.groupNorm(t, 2) end, 2, 6, 5)
      check(function(t) return (tensor.batchNorm(t, nil, nil, nil, nil, true)) end, 6, 3)
      check(function(t) return (tensor.batchNorm(t, nil, nil, nil, nil, true)) end, 4, 3, 40)
    end
    local ends = tensor.layerNorm(tensor.FloatTensor { { 3e38, -3e38 } }, { 2 })
    assert.is_true((ends - tensor.FloatTensor { { 1, -1 } }):abs():max() < 1e-6)
  end)
end)

describe('the standard deviation fits the type where its square does not:', function()
  local scales = { Half = { 1e-4, 1000 }, BFloat16 = { 1e-25, 1e25 }, Float = { 1e-25, 1e25 } }

  -- Calls f with tensors of two rows of numbers of size x.
  local function for_each_scale(f)
    for name, list in pairs(scales) do
      for _, x in ipairs(list) do
        local t = tensor[name .. 'Tensor'] { { x, -x, x, -x }, { 0, x, x, 2 * x } }
        f(t, name == 'Float' and 1e-6 or name == 'Half' and 1e-3 or 1e-2)
      end
    end
  end
  local function check(want, got, tolerance)
    got = got:double():view(-1)
    want = want:view(-1)
    for k = 1, want:numel() do
      assert.is_true(math.abs(got[k] / want[k] - 1) < tolerance, got[k] .. ', not ' .. want[k])
    end
  end

  it('std with a correction', function()
    for_each_scale(function(t, tolerance)
      local exact = t:double()
      assert.are.same(t:std(2):totable(), t:std(2, 1):totable())
      assert.are.same(t:std(2, true):totable(), t:std(2, 0):totable())
      assert.are.same(t:std({ 1, 2 }):totable(), t:std({ 1, 2 }, 1):totable())
      check(exact:std(2, 2.5), t:std(2, 2.5), tolerance)
      check(exact:std({ 1, 2 }, 2), t:std({ 1, 2 }, 2), tolerance)
      local function f(x) return x:std(2, 2):sum() end
      check(tensor.grad(f)(exact)[1], tensor.grad(f)(t)[1], tolerance)
    end)
  end)

  it('nanstd', function()
    for_each_scale(function(t, tolerance)
      local exact = t:double()
      check(exact:nanstd(2), t:nanstd(2), tolerance)
      check(exact:nanstd({ 1, 2 }, true), t:nanstd({ 1, 2 }, true), tolerance)
      t[2][1], exact[2][1] = 0 / 0, 0 / 0
      check(exact:nanstd(2), t:nanstd(2), tolerance)
      check(exact:nanstd({ 1, 2 }), t:nanstd({ 1, 2 }), tolerance)
    end)
  end)
end)

it('variances of 16 bits with a correction are rounded once', function()
  for _, name in ipairs { 'Half', 'BFloat16' } do
    tensor.manualSeed(1)
    local t = tensor[name .. 'Tensor'](100, 7):normal()
    for _, correction in ipairs { 0.5, 1, 2 } do
      local want = t:double():var(2, correction):typeAs(t)
      assert.are.equal(0, t:var(2, correction):ne(want):sum())
    end
  end
end)

it('the mean without NaN fits the type where the sum does not', function()
  assert.are.same({ F { 3e38 }[1] }, F { 3e38, 3e38 }:nanmean(1):totable())
  assert.are.same({ F { 3e38 }[1] }, F { 3e38, 3e38, 0 / 0 }:nanmean(1):totable())
  assert.are.same({ 2 }, F { 1, 0 / 0, 3 }:nanmean(1):totable())
  local h = tensor.HalfTensor { 6e4, 6e4, 0 / 0 }
  assert.are.same({ h[1] }, h:nanmean({ 1 }):totable())
end)

it('variances without NaN do not round the mean of floats', function()
  assert.are.equal(32, tensor.nanvar(F { { 1e8, 1e8 + 8, 0 / 0 } }, 2):totable()[1])
end)
