-- Attention with masks of any layout, compared with the softmax of whole rows.

local tensor = require 'tensor'
local near = require 'support.close'.near
local same_on_threads = require 'support.same_on_threads'

local TYPES = {Float = 3e-6, Double = 1e-13, Half = 2e-3, BFloat16 = 2e-2}

local function reference(q, k, v, mask, is_bytes)
  local weights = tensor.bmm(q, k:transpose(2, 3)):div(math.sqrt(q:size(3)))
  mask = mask:double():expandAs(weights)
  if is_bytes then
    weights:maskedFill(mask:eq(0), -math.huge)
  else
    weights:add(mask)
  end
  local softmax = tensor.nanToNum(weights:softmax(3))  -- 0 where a row sees nothing
  return tensor.bmm(softmax, v)
end

-- Masks of rows x columns elements, of which make(...) has any layout.
local layouts = {
  contiguous = function(make, rows, columns) return make(rows, columns) end,
  transposed = function(make, rows, columns) return make(columns, rows):t() end,
  gaps = function(make, rows, columns) return make(rows, columns, 2):select(3, 2) end,
  row = function(make, rows, columns) return make(1, columns):expand(rows, columns) end,
  column = function(make, rows, columns) return make(rows, 1):expand(rows, columns) end,
  batch = function(make, rows, columns) return make(2, rows, columns) end,
}

describe('attention with a mask', function()
  for name, tolerance in pairs(TYPES) do
    it('of a ' .. name .. 'Tensor', function()
      tensor.manualSeed(5)
      local kind = ('torch.%sTensor'):format(name)
      local function random(...) return tensor.Tensor(...):normal():type(kind) end
      local function bytes(...) return tensor.ByteTensor(...):bernoulli(0.6) end
      for _, size in ipairs{{1, 1}, {3, 15}, {70, 16}, {65, 300}, {5, 257}} do
        local rows, columns = unpack(size)
        local q, k, v = random(2, rows, 7), random(2, columns, 7), random(2, columns, 5)
        for layout, build in pairs(layouts) do
          for _, make in ipairs{bytes, random} do
            local mask = build(make, rows, columns)
            local what = ('%d x %d, %s'):format(rows, columns, layout)
            local want = reference(q:double(), k:double(), v:double(), mask, make == bytes)
            near(want, tensor.attention(q, k, v, mask), tolerance, what)
            if name == 'Double' then
              local g = tensor.Tensor(2, rows, 5):normal()
              local function slopes(f)
                return tensor.vjp(f, {q, k, v}, {g})
              end
              local found = slopes(function(a, b, c) return tensor.attention(a, b, c, mask) end)
              local full = mask:expand(2, rows, columns):clone()
              local same = slopes(function(a, b, c) return tensor.attention(a, b, c, full) end)
              for i = 1, 3 do near(same[i], found[i], tolerance, what .. ', gradient') end
            end
          end
        end
      end
    end)
  end

  it('gives the same bits with any number of threads', function()
    local x = tensor.FloatTensor(2, 3, 130, 16):normal()
    local mask = tensor.ByteTensor(130, 130):bernoulli(0.7)
    same_on_threads({1, 2}, function() return tensor.attention(x, x, x, mask) end)
  end)
end)
