-- tensor.summary compared with loops over the elements, for every type and for views.

local tensor = require 'tensor'
local elements = require 'support.elements'

local function close(a, b) return math.abs(a - b) <= 1e-6 * math.max(1, math.abs(b)) end

-- Computes the same statistics for a list of numbers.
local function reference(list)
  local r = {nans = 0, infinities = 0, zeros = 0, min = math.huge, max = -math.huge, sum = 0}
  local finite = {}
  for _, x in ipairs(list) do
    if x ~= x then
      r.nans = r.nans + 1
    elseif math.abs(x) == math.huge then
      r.infinities = r.infinities + 1
    else
      finite[#finite + 1] = x
      r.zeros = r.zeros + (x == 0 and 1 or 0)
      r.min, r.max, r.sum = math.min(r.min, x), math.max(r.max, x), r.sum + x
    end
  end
  r.mean = r.sum / #finite
  local squares = 0
  for _, x in ipairs(finite) do squares = squares + (x - r.mean) ^ 2 end
  r.std = math.sqrt(squares / (#finite - 1))
  r.histogram = {}
  for k = 1, 10 do r.histogram[k] = 0 end
  for _, x in ipairs(finite) do
    local k = math.min(10, math.floor((x - r.min) / (r.max - r.min) * 10) + 1)
    r.histogram[k] = r.histogram[k] + 1
  end
  return r
end

local function flat(t)
  local list = {}
  local copy = t:double():contiguous()
  for i = 1, copy:nElement() do list[i] = copy:storage()[copy:storageOffset() + i - 1] end
  return list
end

describe('summary', function()
  for _, e in ipairs(elements) do
    it('of ' .. e.name .. ' is that of its elements', function()
      -- No element lies on the boundary between two bins.
      local numbers = e.Tensor {{0, 3, 14, 15}, {9, 2, 6, 53}, {5, 8, 0, 97}, {9, 32, 38, 46}}
      local views = {numbers, numbers:t(), numbers:narrow(2, 2, 3), numbers:select(1, 3),
                     numbers:narrow(1, 1, 2):t()}
      for _, t in ipairs(views) do
        local s, r = tensor.summary(t), reference(flat(t))
        assert.are.equal(t:type(), s.type)
        assert.are.same(t:size():totable(), s.size)
        assert.are.equal(t:nElement(), s.elements)
        assert.are.equal(t:isContiguous(), s.contiguous)
        assert.are.equal(t:nElement() * t:elementSize(), s.bytes)
        assert.are.equal(16 * t:elementSize(), s.storageBytes)
        assert.are.equal(t:device(), s.device)
        for _, name in ipairs {'nans', 'infinities', 'zeros', 'min', 'max'} do
          assert.are.equal(r[name], s[name], name)
        end
        assert.is_true(close(s.mean, r.mean) and close(s.std, r.std))
        assert.are.same(r.histogram, s.histogram)
        assert.are.equal(11, #s.edges)
        assert.are.equal(s.max, s.edges[11])
      end
    end)

    if not e.integral then
      it('of ' .. e.name .. ' counts NaNs and infinities', function()
        local s = tensor.summary(e.Tensor {0 / 0, 1, 1 / 0, -1 / 0, 0, 0 / 0, 4})
        assert.are.same({2, 2, 1, 0, 4}, {s.nans, s.infinities, s.zeros, s.min, s.max})
        assert.is_true(close(s.mean, 5 / 3))
        s = tensor.summary(e.Tensor {0 / 0})
        assert.are.same({1, 0}, {s.nans, s.elements - 1})
        assert.is_nil(s.min)
      end)
    end
  end

  it('has a text', function()
    local text = tostring(tensor.summary(tensor.FloatTensor {{1, 1}, {1, 0 / 0}}))
    assert.are.equal(table.concat({
      'torch.FloatTensor of size 2x2 on ' .. tensor.FloatTensor(1):device(),
      '4 elements of 4 B: 16 B; contiguous, in a storage of 16 B',
      'NaN: 1, infinite: 0, zero: 0',
      'from 1 to 1, mean 1, standard deviation 0',
      '           1 .. 1                     3 ' .. ('#'):rep(40),
    }, '\n'), text)
  end)

  it('is of anything that is a tensor', function()
    local s = tensor.summary(tensor.Tensor())
    assert.are.same({0, 0, {}}, {s.elements, s.storageBytes, s.size})
    assert.is_string(tostring(s))
    s = tensor.summary(tensor.Tensor {-1e308, 1e308})
    assert.are.same({2}, s.histogram)
    assert.is_string(tostring(s))
    s = tensor.summary(tensor.Tensor {5})
    assert.are.same({0, {1}}, {s.std, s.histogram})
    assert.has_error(function() tensor.summary(3) end, 'summary: a tensor is expected, got number')
    assert.has_error(function() tensor.summary() end, 'summary: a tensor is expected, got nil')
  end)
end)
