-- Cases of sampled functions, distances, and more element-wise rows.

local lines = require 'support.lines'
local model = require 'support.model'
local composed = require 'support.composed'

local changed, over, vector = composed.changed, composed.over, composed.vector

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }
  local function given(x, default) return x == omit and default or x end

  ---- element by element
  c.iscloseNan = {
    scenarios = over(shapes, function(m, _, shape, e, random)
      local other = model.random(e, 'maybe_nan', shape, random)
      return { m, other, 0.25, 0.5, true }, { m, other, 0, 1, false }
    end, 'maybe_nan'),
    reference = function(_, a, b, relative, absolute, equal_nan)
      return model.map(function(x, y)
        if equal_nan and x ~= x and y ~= y then return 1 end
        return (x == y or math.abs(x - y) <= absolute + relative * math.abs(y)) and 1 or 0
      end, a, b)
    end,
  }
  local function is_close(x, y, relative, absolute, equal_nan)
    if equal_nan == true and x ~= x and y ~= y then return true end
    return x == y or math.abs(x - y) <= given(absolute, 1e-8) + given(relative, 1e-5) * math.abs(y)
  end
  local function against_number(m)
    local first = m.data[1]
    return { m, first, omit, omit, omit }, { m, first + 1, 0.25, 0.5, true },
           { m, 0 / 0, 0, 1, true }, { m, 0 / 0, 0, 1, false }
  end
  c.iscloseValue = {
    scenarios = over(shapes, against_number, 'maybe_nan'),
    reference = function(_, m, y, ...)
      local limits = { ... }
      return model.map(function(x) return is_close(x, y, unpack(limits)) and 1 or 0 end, m)
    end,
  }
  c.allcloseValue = {
    scenarios = over(shapes, against_number, 'maybe_nan'),
    reference = function(_, m, y, ...)
      for _, x in ipairs(m.data) do
        if not is_close(x, y, ...) then return false end
      end
      return true
    end,
  }
  c.roundTo = {
    ulps = 2,
    scenarios = over(shapes, function(m) return { m, 0 }, { m, 1 }, { m, -1 } end),
    reference = function(e, m, decimals)
      return model.map(function(x)
        local y = x * 10 ^ decimals
        local whole = y < 0 and -math.floor(-y + 0.5) or math.floor(y + 0.5)
        if e.integral and decimals > 0 then return x end
        return e.store(whole / 10 ^ decimals)
      end, m)
    end,
  }
  c.frexp = {
    scenarios = over(shapes, function(m) return { m } end),
    reference = function(_, m)
      return model.map(function(x) return (math.frexp(x)) end, m),
             model.map(function(x) return select(2, math.frexp(x)) end, m)
    end,
  }

  ---- sampled functions
  local function along(m, d, keep, f) return lines.reduced(m, d, keep, f) end
  local function trapezoids(list, x)
    local sum = 0
    for i = 2, #list do sum = sum + (list[i] + list[i - 1]) / 2 * (x(i) - x(i - 1)) end
    return sum
  end
  local function points(n) return model.fill({ n }, function(k) return k * k / 4 + k end) end
  local wide = { { 7 }, { 3, 4 }, { 2, 3, 4 } }
  c.trapezoid = {
    ulps = 4,
    scenarios = over(shapes, function(m) return { m, omit, omit }, { m, 0.5, 1 } end),
    reference = function(e, m, spacing, d)
      spacing = given(spacing, 1)
      return along(m, d == omit and #m.shape or d, false, function(list)
        return e.store(trapezoids(list, function(i) return i * spacing end))
      end)
    end,
  }
  c.trapezoidAt = {
    ulps = 4,
    scenarios = over(wide, function(m, _, shape)
      return { m, points(shape[#shape]), omit }, { m, points(shape[1]), 1 }
    end),
    reference = function(e, m, x, d)
      return along(m, d == omit and #m.shape or d, false, function(list)
        return e.store(trapezoids(list, function(i) return x.data[i] end))
      end)
    end,
  }
  local function slopes(e, list, x)
    local r, n = {}, #list
    local function between(i, j) return (list[j] - list[i]) / (x(j) - x(i)) end
    for i = 1, n do
      if i == 1 or i == n then
        r[i] = e.store(between(math.max(i - 1, 1), math.min(i + 1, n)))
      else
        local left, right = x(i) - x(i - 1), x(i + 1) - x(i)
        r[i] = e.store((between(i - 1, i) * right + between(i, i + 1) * left) / (left + right))
      end
    end
    return r
  end
  c.slope = {
    ulps = 8,
    scenarios = over(wide, function(m) return { m, omit, omit }, { m, 0.5, 1 } end),
    reference = function(e, m, spacing, d)
      spacing = given(spacing, 1)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        return slopes(e, list, function(i) return i * spacing end)
      end))
    end,
  }
  c.slopeAt = {
    singular_expanded = true,
    ulps = 16,
    scenarios = over(wide, function(m, _, shape)
      return { m, points(shape[#shape]), omit }, { m, points(shape[1]), 1 }
    end),
    reference = function(e, m, x, d)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        return slopes(e, list, function(i) return x.data[i] end)
      end))
    end,
  }
  c.interp = {
    singular_expanded = true,
    ulps = 16,
    scenarios = over(shapes, function(m, _, _, e, random)
      return { m, vector(-4, -1, 0, 2, 5), model.random(e, 'any', { 5 }, random) },
             { m, vector(1), model.random(e, 'any', { 1 }, random) }
    end),
    reference = function(e, m, x, y)
      local n = #x.data
      return model.map(function(t)
        if t <= x.data[1] then return y.data[1] end
        if t >= x.data[n] then return y.data[n] end
        local k = 1
        while x.data[k + 1] <= t do k = k + 1 end
        local part = (t - x.data[k]) / (x.data[k + 1] - x.data[k])
        return e.store(y.data[k] + part * (y.data[k + 1] - y.data[k]))
      end, m)
    end,
  }
  c.unwrap = {
    ulps = 16,
    scenarios = over(shapes, function(m) return { m, omit, omit }, { m, 1, 4 } end),
    reference = function(e, m, d, period)
      period = given(period, 2 * math.pi)
      return (lines.mapped(m, d == omit and #m.shape or d, 1, function(list)
        local r, shift = { list[1] }, 0
        for i = 2, #list do
          local step = list[i] - list[i - 1]
          local whole = (step + period / 2) % period - period / 2
          if whole == -period / 2 and step > 0 then whole = period / 2 end
          if math.abs(step) >= period / 2 then shift = shift + whole - step end
          r[i] = e.store(list[i] + shift)
        end
        return r
      end))
    end,
  }
  c.logcumsumexp = {
    ulps = 16,
    scenarios = over(shapes, function(m, dims) return { m, omit }, { m, dims } end),
    reference = function(e, m, d)
      return (lines.mapped(m, given(d, 1), 1, function(list)
        local r, sum = {}, 0
        for i, x in ipairs(list) do
          sum = sum + math.exp(x)
          r[i] = e.store(math.log(sum))
        end
        return r
      end))
    end,
  }
  c.cdist = {
    ulps = 8,
    scenarios = function(e, random)
      local all = {}
      for _, pair in ipairs { { { 3, 4 }, { 2, 4 } }, { { 3, 2 }, { 3, 2 } },
                              { { 2, 3, 2 }, { 4, 2 } } } do
        for _, p in ipairs { omit, 1, math.huge, 3 } do
          all[#all + 1] = { scale = 64, args = { model.random(e, 'any', pair[1], random),
                                                 model.random(e, 'any', pair[2], random), p } }
        end
      end
      return all
    end,
    reference = function(e, a, b, p)
      p = given(p, 2)
      local shape = changed(a.shape, #a.shape, b.shape[#b.shape - 1])
      return model.build(shape, function(i)
        local total = 0
        for k = 1, a.shape[#a.shape] do
          local x = model.at(a, changed(i, #i, k))
          local y = model.at(b, { i[#i], k })
          local step = math.abs(x - y)
          total = p == math.huge and math.max(total, step) or total + step ^ p
        end
        return e.store(p == math.huge and total or total ^ (1 / p))
      end)
    end,
  }

  return c
end

return cases
