-- Cases of weights of 8 bits.

local elements = require 'support.elements'
local model = require 'support.model'

local cases = {}

function cases.install()
  local c = {}
  local float = elements.Float

  local function round_even(x)
    local low = math.floor(x)
    local rest = x - low
    if rest ~= 0.5 then return rest < 0.5 and low or low + 1 end
    return low % 2 == 0 and low or low + 1
  end

  -- Returns the integers and the scales of the rows of m, in the arithmetic of the compute type.
  local function quantized(e, m)
    local store = e.name == 'Double' and function(x) return x end or float.store
    local cols, scales = m.shape[2], {}
    for i = 1, m.shape[1] do
      local largest = 0
      for j = 1, cols do
        local size = math.abs(m.data[(i - 1) * cols + j])
        if size > largest or size ~= size then largest = size end
        if size ~= size then break end
      end
      local scale = float.store(store(largest / 127))
      scales[i] = scale < math.huge and scale or 0 / 0
    end
    local q = model.fill(m.shape, function(k)
      local scale = scales[math.floor(k / cols) + 1]
      if scale == 0 or scale ~= scale then return 0 end
      return math.max(-127, math.min(127, round_even(store(m.data[k + 1] / scale))))
    end)
    return q, model.new({ m.shape[1] }, scales)
  end

  local shapes, large = { { 3, 4 }, { 1, 1 }, { 5, 33 }, { 4, 300 }, { 0, 3 }, { 3, 0 } },
                        { { 150, 270 } }
  c.quantizeRows = {
    scenarios = function(e, random, is_large)
      local all = {}
      for k, shape in ipairs(is_large and large or shapes) do
        local m = model.random(e, k % 2 == 0 and 'any' or 'mild', shape, random)
        -- Rows of zeros, with NaN and with infinity.
        if shape[1] > 3 then
          local cols = shape[2]
          for j = 1, cols do m.data[j] = 0 end
          m.data[cols + 2] = 0 / 0
          m.data[2 * cols + 3] = -math.huge
        end
        all[#all + 1] = { args = { m } }
      end
      return all
    end,
    reference = quantized,
  }

  -- Integers from -127 to 127, and scales.
  local function weights(shape, random)
    return model.fill(shape, function() return math.floor(random() * 255) - 127 end),
           model.fill({ shape[1] }, function() return float.store(random() / 127) end)
  end
  c.dequantizeRows = {
    ulps = 1,
    scenarios = function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and large or shapes) do
        local q = weights(shape, random)
        all[#all + 1] = { args = { q, model.random(e, 'mild', { shape[1] }, random) } }
      end
      return all
    end,
    reference = function(e, q, scales)
      return model.fill(q.shape, function(k)
        return e.store(q.data[k + 1] * scales.data[math.floor(k / q.shape[2]) + 1])
      end)
    end,
  }

  -- Few rows of t run other kernels than many. Most sizes are not multiples of the vectors.
  c.quantizedLinear = {
    ulps = 8,
    scenarios = function(e, random, is_large)
      local all = {}
      local sizes = is_large and { { { 20 }, 71, 530 } } or
        { { {}, 5, 37 }, { { 1 }, 1, 1 }, { { 2 }, 3, 70 }, { { 3 }, 9, 33 }, { { 2, 3 }, 4, 19 },
          { { 14 }, 6, 45 }, { { 0 }, 3, 4 }, { { 2 }, 0, 4 }, { { 2 }, 3, 0 },
          -- Rows of several times 16 weights, which devices read at once.
          { { 3 }, 3, 16 }, { { 1 }, 5, 64 }, { { 4 }, 2, 1056 } }
      for _, size in ipairs(sizes) do
        local outputs, inputs = size[2], size[3]
        local shape = { unpack(size[1]) }
        shape[#shape + 1] = inputs
        local w, scales = weights({ outputs, inputs }, random)
        all[#all + 1] = { args = { model.random(e, 'mild', shape, random), w, scales },
                          scale = 8 * math.max(1, inputs) }
      end
      return all
    end,
    reference = function(e, t, w, scales)
      local n, k = w.shape[1], w.shape[2]
      local shape = { unpack(t.shape) }
      shape[#shape] = n
      return model.fill(shape, function(position)
        local row, column, sum = math.floor(position / n), position % n, 0
        for l = 1, k do sum = sum + t.data[row * k + l] * w.data[column * k + l] end
        return e.store(sum * scales.data[column + 1])
      end)
    end,
  }
  return c
end

return cases
