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
end)
