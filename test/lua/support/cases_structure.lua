-- Cases of the rows that fill, create, join and view tensors.

local composed = require 'support.composed'
local model = require 'support.model'

local changed, inserted = composed.changed, composed.inserted

local cases = {}
local omit

local function list(...)
  local shapes = { ... }
  return shapes
end

-- One model per shape, inserted into the arguments that f returns.
local function over(shapes, f, kind)
  return function(e, random)
    local all = {}
    for _, shape in ipairs(shapes) do
      for _, args in ipairs { f(shape, model.random(e, kind or 'any', shape, random)) } do
        all[#all + 1] = { args = args }
      end
    end
    return all
  end
end

local general = list({ 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 }, { 0 }, { 2, 0, 3 })
local full = list({ 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 })

local function constant(value)
  return function(shape) return model.fill(shape, function() return value end) end
end

function cases.install(shared)
  omit = shared.omit
  local c = {}

  c.fill = { inout = true, scenarios = over(general, function(_, m) return { m, 3 } end),
             reference = function(_, m, x) return constant(x)(m.shape) end }
  c.zero = { inout = true, scenarios = over(general, function(_, m) return { m } end),
             reference = function(_, m) return constant(0)(m.shape) end }
  local sizes = function()
    return { { args = { { sizes = { 3, 4 } } } }, { args = { { sizes = { 5 } } } },
             { args = { { sizes = { 2, 1, 3 } } } }, { args = { { sizes = { 0 } } } } }
  end
  c.zeros = { scenarios = sizes, reference = function(_, s) return constant(0)(s.sizes) end }
  c.ones = { scenarios = sizes, reference = function(_, s) return constant(1)(s.sizes) end }
  local like = over(general, function(_, m) return { m } end)
  c.zerosLike = { scenarios = like, reference = function(_, m) return constant(0)(m.shape) end }
  c.onesLike = { scenarios = like, reference = function(_, m) return constant(1)(m.shape) end }

  local function plain(...)
    local lists = { ... }
    return function()
      local all = {}
      for i, args in ipairs(lists) do all[i] = args and { args = args } or nil end
      return all
    end
  end
  c.eye = {
    scenarios = plain({ 3, omit }, { 1, omit }, { 2, 4 }, { 4, 2 }),
    reference = function(_, n, m)
      if m == omit then m = n end
      return model.build({ n, m }, function(i) return i[1] == i[2] and 1 or 0 end)
    end,
  }
  local function progression(inclusive)
    return function(e, first, last, step)
      if step == omit then step = 1 end
      local data, i = {}, 0
      while true do
        local x = first + i * step
        local past = step > 0 and x > last or step < 0 and x < last
        if past or (not inclusive and x == last) then break end
        i = i + 1
        data[i] = e.store(x)
      end
      return model.new({ #data }, data)
    end
  end
  local progressions = plain({ 1, 5, omit }, { 2, 9, 3 }, { 9, 2, -2 }, { 4, 4, omit })
  c.range = { ulps = 1, scenarios = progressions, reference = progression(true) }
  c.arange = {
    ulps = 1, reference = progression(false),
    scenarios = function(e)
      return plain({ 1, 5, omit }, { 2, 9, 3 }, { 9, 2, -2 }, not e.integral and { 0, 2, 0.5 })()
    end,
  }
  local function points(f)
    return function(e, a, b, n)
      if n == omit then n = 100 end
      return model.fill({ n }, function(i)
        return e.store(f(a + (n > 1 and (b - a) / (n - 1) * i or 0)))
      end)
    end
  end
  local spans = plain({ 0, 1, omit }, { -2, 3, 7 }, { 1, 0.5, 2 }, { 2, 2, 1 })
  c.linspace = { ulps = 4, scenarios = spans, reference = points(function(x) return x end) }
  c.logspace = { ulps = 8, scenarios = spans, reference = points(function(x) return 10 ^ x end) }

  c.diag = {
    scenarios = over(list({ 4 }, { 1 }, { 3, 3 }, { 2, 4 }, { 4, 3 }), function(_, m)
      return { m, omit }, { m, 1 }, #m.data > 1 and { m, -1 } or nil
    end),
    reference = function(_, m, k)
      if k == omit then k = 0 end
      if #m.shape == 1 then
        local n = m.shape[1] + math.abs(k)
        return model.build({ n, n }, function(i)
          if i[2] - i[1] ~= k then return 0 end
          return m.data[math.min(i[1], i[2])]
        end)
      end
      local data = {}
      for i = 1, m.shape[1] do
        if i + k >= 1 and i + k <= m.shape[2] then data[#data + 1] = model.at(m, { i, i + k }) end
      end
      return model.new({ #data }, data)
    end,
  }
  local function triangle(keep)
    return {
      scenarios = over(list({ 3, 3 }, { 2, 4 }, { 4, 2 }, { 1, 1 }, { 0, 3 }), function(_, m)
        return { m, omit }, { m, 1 }, { m, -1 }
      end),
      reference = function(_, m, k)
        if k == omit then k = 0 end
        return model.build(m.shape, function(i)
          return keep(i[2] - i[1], k) and model.at(m, i) or 0
        end)
      end,
    }
  end
  c.tril = triangle(function(d, k) return d <= k end)
  c.triu = triangle(function(d, k) return d >= k end)

  local function joined(parts, dim)
    local filled = {}
    for _, m in ipairs(parts) do
      if #m.shape > 0 then filled[#filled + 1] = m end
    end
    local ndim = #filled[1].shape
    if dim == omit then dim = ndim end
    ndim = math.max(ndim, dim)
    local function size(m, d) return m.shape[d] or 1 end
    local shape, ends = {}, {}
    for d = 1, ndim do shape[d] = size(filled[1], d) end
    shape[dim] = 0
    for i, m in ipairs(filled) do
      shape[dim] = shape[dim] + size(m, dim)
      ends[i] = shape[dim]
    end
    return model.build(shape, function(index)
      local part, position = 1, index[dim]
      while position > ends[part] do part = part + 1 end
      local inner = {}
      for d = 1, #filled[part].shape do inner[d] = index[d] end
      inner[dim] = position - (part > 1 and ends[part - 1] or 0)
      return (model.at(filled[part], inner))
    end)
  end
  local function to_join(wrap)
    return function(e, random)
      local function m(...) return model.random(e, 'any', { ... }, random) end
      return { { args = wrap(m(3), m(2), omit) }, { args = wrap(m(3, 2), m(3, 4), omit) },
               { args = wrap(m(3, 2), m(1, 2), 1) }, { args = wrap(m(2, 3, 4), m(2, 2, 4), 2) },
               { args = wrap(m(3), m(3), 2) }, { args = wrap(m(), m(3), omit) },
               { args = wrap(m(0, 3), m(2, 3), 1) } }
    end
  end
  c.cat = {
    scenarios = to_join(function(a, b, dim) return { a, b, dim } end),
    reference = function(_, a, b, dim) return joined({ a, b }, dim) end,
  }
  c.catArray = {
    scenarios = to_join(function(a, b, dim) return { { list = { a, b, a } }, dim } end),
    reference = function(_, given, dim) return joined(given.list, dim) end,
  }

  local function reshaped(_, m, given)
    local shape, known, unknown = {}, 1, nil
    for d, size in ipairs(given.sizes) do
      shape[d] = size
      if size == -1 then unknown = d else known = known * size end
    end
    if unknown then shape[unknown] = #m.data / known end
    return model.new(shape, m.data)
  end
  c.reshape = {
    scenarios = over(list({ 12 }, { 3, 4 }, { 2, 2, 3 }), function(_, m)
      return { m, { sizes = { 4, 3 } } }, { m, { sizes = { -1 } } }, { m, { sizes = { 2, -1, 1 } } }
    end),
    reference = reshaped,
  }

  ---- views
  local function view(scenarios, shape_and_index)
    return {
      view = true, scenarios = scenarios,
      reference = function(_, m, ...)
        local shape, index = shape_and_index(m, ...)
        return model.build(shape, function(i) return (model.at(m, index(i))) end)
      end,
    }
  end
  local function without(values, d)
    local copy = changed(values, 1, values[1])
    table.remove(copy, d)
    return copy
  end

  c.narrow = view(over(full, function(shape, m)
    return { m, 1, 1, shape[1] }, { m, #shape, shape[#shape], 1 }, { m, -1, -1, 1 }
  end), function(m, dim, first, size)
    local d = dim < 0 and #m.shape + 1 + dim or dim
    if first < 0 then first = m.shape[d] + 1 + first end
    return changed(m.shape, d, size), function(i) return changed(i, d, i[d] + first - 1) end
  end)
  c.select = view(over(list({ 3, 4 }, { 2, 3, 4 }), function(shape, m)
    return { m, 1, 2 }, { m, #shape, 1 }, { m, -2, -1 }
  end), function(m, dim, at)
    local d = dim < 0 and #m.shape + 1 + dim or dim
    if at < 0 then at = m.shape[d] + 1 + at end
    return without(m.shape, d), function(i) return inserted(i, d, at) end
  end)
  local function exchange(values, a, b)
    return changed(changed(values, a, values[b]), b, values[a])
  end
  c.transpose = view(over(general, function(shape, m)
    return { m, 1, #shape }, { m, #shape, 1 }
  end), function(m, a, b)
    return exchange(m.shape, a, b), function(i) return exchange(i, a, b) end
  end)
  c.t = view(over(list({ 3, 4 }, { 1, 2 }, { 0, 3 }), function(_, m) return { m } end), function(m)
    return exchange(m.shape, 1, 2), function(i) return exchange(i, 1, 2) end
  end)
  c.unfold = view(over(list({ 7 }, { 3, 4 }, { 3, 2, 5 }), function(shape, m)
    return { m, 1, 2, 1 }, { m, #shape, 3, 2 }, { m, 1, shape[1], 1 }
  end), function(m, d, size, step)
    local shape = changed(m.shape, d, math.floor((m.shape[d] - size) / step) + 1)
    shape[#shape + 1] = size
    return shape, function(i)
      local inner = changed(i, d, (i[d] - 1) * step + i[#i])
      inner[#inner] = nil
      return inner
    end
  end)
  -- Tensors of one element give a number: see views_spec.
  local several = list({ 1, 3, 1 }, { 2, 3 }, { 2, 1, 1, 3 }, { 1, 0 })
  c.squeeze = {
    view = true, scenarios = over(several, function(_, m) return { m } end),
    reference = function(_, m)
      local shape = {}
      for _, size in ipairs(m.shape) do
        if size ~= 1 then shape[#shape + 1] = size end
      end
      return model.new(shape, m.data)
    end,
  }
  c.squeeze1d = {
    view = true,
    scenarios = over(list({ 1, 3, 1 }, { 2, 3 }, { 1, 1 }, { 2, 1, 1, 3 }, { 1, 0 }),
                     function(shape, m) return { m, 1 }, { m, #shape } end),
    reference = function(_, m, d)
      if m.shape[d] ~= 1 then return m end
      return model.new(without(m.shape, d), m.data)
    end,
  }
  c.unsqueeze1d = {
    view = true,
    scenarios = over(general, function(shape, m) return { m, 1 }, { m, #shape + 1 } end),
    reference = function(_, m, d) return model.new(inserted(m.shape, d, 1), m.data) end,
  }
  local function expanded(_, m, given)
    local shape = given.sizes or given.shape
    local extra = #shape - #m.shape
    return model.build(shape, function(i)
      local inner = {}
      for d, size in ipairs(m.shape) do inner[d] = size == 1 and 1 or i[d + extra] end
      return (model.at(m, inner))
    end)
  end
  local singles = list({ 1, 4 }, { 3, 1 }, { 1, 1 }, { 3, 4 })
  c.expand = { view = true, reference = expanded, scenarios = over(singles, function(_, m)
    return { m, { sizes = { 3, 4 } } }, { m, { sizes = { 2, 3, 4 } } }
  end) }
  c.expandAs = { view = true, reference = expanded, scenarios = over(singles, function(_, m)
    return { m, model.fill({ 3, 4 }, function() return 0 end) }
  end) }
  c.view = {
    view = true, contiguous = true, reference = reshaped,
    scenarios = over(list({ 12 }, { 3, 4 }, { 2, 2, 3 }), function(_, m)
      return { m, { sizes = { 4, 3 } } }, { m, { sizes = { -1 } } }, { m, { sizes = { 2, -1, 1 } } }
    end),
  }
  c.viewAs = {
    view = true, contiguous = true,
    scenarios = over(list({ 12 }, { 3, 4 }), function(_, m)
      return { m, model.fill({ 2, 6 }, function() return 0 end) }
    end),
    reference = function(_, m, other) return model.new(other.shape, m.data) end,
  }
  c.permute = view(over(list({ 2, 3, 4 }, { 0, 2, 3 }), function(_, m)
    return { m, { dims = { 3, 1, 2 } } }, { m, { dims = { 2, 1, 3 } } }
  end), function(m, given)
    local shape = {}
    for to, from in ipairs(given.dims) do shape[to] = m.shape[from] end
    return shape, function(i)
      local inner = {}
      for to, from in ipairs(given.dims) do inner[from] = i[to] end
      return inner
    end
  end)

  return c
end

return cases
