-- Cases of rows that the Python Array API, NumPy and PyTorch have: diagonals, cumulative results
-- with a first element, differences with ends, bits, and transforms of Hermitian signals.

local complex = require 'support.complex'
local composed = require 'support.composed'
local lines = require 'support.lines'
local model = require 'support.model'

local changed, over = composed.changed, composed.over

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }
  local matrices = { { 3, 4 }, { 2, 3, 4 }, { 4, 3 } }
  local function given(x, default) return x == omit and default or x end
  local function own(dim, m) return lines.dimension(m, dim) end

  ---- matrices
  c.matrixTranspose = {
    view = true,
    scenarios = over(matrices, function(m) return { m } end),
    reference = function(_, m)
      local n = #m.shape
      local shape = changed(changed(m.shape, n, m.shape[n - 1]), n - 1, m.shape[n])
      return model.build(shape, function(i)
        return (model.at(m, changed(changed(i, n, i[n - 1]), n - 1, i[n])))
      end)
    end,
  }
  c.traceDiagonal = {
    ulps = 4,
    -- functions_spec tests that a single matrix gives a number.
    scenarios = over({ { 2, 3, 4 }, { 2, 2, 3, 3 } }, function(m)
      return { m, 0 }, { m, 1 }, { m, -1 }, { m, 9 }
    end),
    reference = function(e, m, offset)
      local n = #m.shape
      local outer = { unpack(m.shape, 1, n - 2) }
      return model.build(outer, function(index)
        local sum = 0
        for i = math.max(1 - offset, 1), math.min(m.shape[n - 1], m.shape[n] - offset) do
          sum = sum + model.at(m, changed(changed(index, n - 1, i), n, i + offset))
        end
        return e.store(sum)
      end)
    end,
  }
  local function numbers(...)
    local all = { ... }
    return function()
      local scenarios = {}
      for i, args in ipairs(all) do scenarios[i] = { args = args } end
      return scenarios
    end
  end
  c.eyeDiagonal = {
    scenarios = numbers({ 3, 4, 1 }, { 3, 4, -2 }, { 2, 2, 0 }, { 2, 2, 5 }, { 2, 2, -2 },
                        { 3, -1, 1 }),
    reference = function(_, n, m, k)
      return model.build({ n, m == -1 and n or m }, function(i)
        return i[2] - i[1] == k and 1 or 0
      end)
    end,
  }
  c.linspaceEnd = {
    ulps = 4,
    scenarios = numbers({ 0, 1, 5, false }, { 0, 1, 5, true }, { 2, -2, 4, false },
                        { 3, 5, 1, false }, { 3, 5, 0, true }),
    reference = function(e, a, b, n, endpoint)
      local steps = math.max(endpoint and n - 1 or n, 1)
      return model.fill({ n }, function(k) return e.store(a + k * (b - a) / steps) end)
    end,
  }

  ---- cumulative results, and differences
  local function cumulative(first, combine)
    return {
      ulps = 8,
      scenarios = over(shapes, function(m, dims) return { m, 1, true }, { m, dims, false } end,
                       'factor'),
      reference = function(e, m, d, initial)
        return (lines.mapped(m, own(d, m), 1, function(list)
          local r, running = { initial and e.store(first) or nil }, first
          for _, x in ipairs(list) do
            running = combine(running, x)
            r[#r + 1] = e.store(running)
          end
          return r
        end))
      end,
    }
  end
  local function plus(a, b) return a + b end
  local function times(a, b) return a * b end
  c.cumsumInitial = cumulative(0, plus)
  c.cumprodInitial = cumulative(1, times)
  local function without_nan(neutral, combine)
    return {
      ulps = 8,
      scenarios = over(shapes, function(m, dims) return { m, omit }, { m, dims } end, 'maybe_nan'),
      reference = function(e, m, d)
        return (lines.mapped(m, own(given(d, 1), m), 1, function(list)
          local r, running = {}, neutral
          for i, x in ipairs(list) do
            running = combine(running, x == x and x or neutral)
            r[i] = e.store(running)
          end
          return r
        end))
      end,
    }
  end
  c.nancumsum, c.nancumprod = without_nan(0, plus), without_nan(1, times)
  c.cumulativeTrapezoid = {
    ulps = 8,
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 } }, function(m)
      return { m, omit, omit }, { m, 0.5, 1 }
    end),
    reference = function(e, m, spacing, d)
      return (lines.mapped(m, own(given(d, -1), m), 1, function(list)
        local r, sum = {}, 0
        for i = 2, #list do
          sum = sum + (list[i] + list[i - 1]) / 2 * given(spacing, 1)
          r[i - 1] = e.store(sum)
        end
        return r
      end))
    end,
  }
  c.diffWith = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 } }, function(m, dims, shape, e, random)
      local before = model.random(e, 'any', changed(shape, dims, 2), random)
      local after = model.random(e, 'any', changed(shape, dims, 1), random)
      return { m, 1, dims, before, after }, { m, 2, dims, before, omit }
    end),
    reference = function(e, m, n, d, before, after)
      local parts, k = { before, m, after ~= omit and after or nil }, 0
      return (lines.mapped(m, d, 1, function()
        k = k + 1
        local list = {}
        for _, part in ipairs(parts) do
          for _, x in ipairs(lines.slices(part, d)[k]) do list[#list + 1] = x end
        end
        -- 16-bit floats are rounded once.
        local reduced = e.name == 'Half' or e.name == 'BFloat16'
        for left = n - 1, 0, -1 do
          for i = 1, #list - 1 do
            local difference = list[i + 1] - list[i]
            list[i] = reduced and left > 0 and difference or e.store(difference)
          end
          list[#list] = nil
        end
        return list
      end))
    end,
  }
  c.nanmedianall = {
    scenarios = over(shapes, function(m) return { m } end, 'maybe_nan'),
    reference = function(_, m)
      local list = {}
      for _, x in ipairs(m.data) do
        if x == x then list[#list + 1] = x end
      end
      table.sort(list)
      return list[math.floor((#list + 1) / 2)] or 0 / 0
    end,
  }

  ---- bits
  local function along(m, d, f) return (lines.mapped(m, own(given(d, -1), m), 1, f)) end
  c.packbits = {
    scenarios = over({ { 7 }, { 3, 16 }, { 2, 9, 4 }, { 8 } }, function(m)
      return { m, omit }, { m, 1 }
    end, 'small'),
    reference = function(_, m, d)
      return along(m, d, function(list)
        local r = {}
        for first = 1, #list, 8 do
          local byte = 0
          for k = 0, 7 do byte = 2 * byte + ((list[first + k] or 0) ~= 0 and 1 or 0) end
          r[#r + 1] = byte
        end
        return r
      end)
    end,
  }
  c.unpackbits = {
    scenarios = over(shapes, function(m) return { m, omit }, { m, 1 } end, 'bits'),
    reference = function(_, m, d)
      return along(m, d, function(list)
        local r = {}
        for _, x in ipairs(list) do
          for k = 7, 0, -1 do r[#r + 1] = math.floor(x / 2 ^ k) % 2 end
        end
        return r
      end)
    end,
  }

  ---- transforms of signals whose second half has the conjugates of the first
  local function scale(n, norm)
    return norm == 'ortho' and 1 / math.sqrt(n) or norm == 'forward' and 1 / n or 1
  end
  c.hfft = {
    ulps = 16,
    scenarios = over({ { 5, 2 }, { 2, 3, 2 } }, function(m)
      return { m, omit, omit, omit }, { m, 7, -1, 'ortho' }
    end),
    reference = function(e, m, n, _, norm)
      local signal = complex.of_model(m)
      local d = #signal.shape
      n = given(n, 2 * (signal.shape[d] - 1))
      local re = lines.slices(model.new(signal.shape, signal.re), d)
      local im = lines.slices(model.new(signal.shape, signal.im), d)
      local k = 0
      return (lines.mapped(model.new(signal.shape, signal.re), d, 1, function()
        k = k + 1
        local r = {}
        for j = 0, n - 1 do
          local sum = re[k][1]
          for i = 1, math.floor(n / 2) do
            local angle = 2 * math.pi * i * j / n
            local weight = 2 * i == n and 1 or 2
            local x, y = re[k][i + 1] or 0, im[k][i + 1] or 0
            if 2 * i == n then y = 0 end
            sum = sum + weight * (x * math.cos(angle) + y * math.sin(angle))
          end
          r[j + 1] = e.store(sum * scale(n, norm))
        end
        return r
      end))
    end,
  }
  c.ihfft = {
    ulps = 16,
    scenarios = over({ { 5 }, { 2, 6 } }, function(m)
      return { m, omit, omit, omit }, { m, 7, -1, 'forward' }
    end),
    reference = function(e, m, n, _, norm)
      local d = #m.shape
      n = given(n, m.shape[d])
      local inverse = norm == 'forward' and 1 or norm == 'ortho' and 1 / math.sqrt(n) or 1 / n
      local function part(of)
        return (lines.mapped(m, d, 1, function(list)
          local r = {}
          for j = 0, math.floor(n / 2) do
            local sum = 0
            for i = 0, n - 1 do sum = sum + (list[i + 1] or 0) * of(2 * math.pi * i * j / n) end
            r[j + 1] = sum * inverse
          end
          return r
        end))
      end
      local re, im = part(math.cos), part(math.sin)
      return complex.to_model(e, { shape = re.shape, re = re.data, im = im.data })
    end,
  }
  return c
end

return cases
