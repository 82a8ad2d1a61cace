-- Cases of the rows that rearrange or index elements, and of products of tensors of any rank.

local model = require 'support.model'
local composed = require 'support.composed'

local changed, inserted, own = composed.changed, composed.inserted, composed.own
local join, lists, over = composed.join, composed.lists, composed.exactly_over

local cases = {}

function cases.install(shared)
  local omit, elements = shared.omit, shared.elements
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 }, { 0 }, { 2, 0, 3 } }

  ---- joining
  local function with_dim(list, d)
    local parts = {}
    for i, m in ipairs(list) do parts[i] = model.new(inserted(m.shape, d, 1), m.data) end
    return parts
  end
  c.fuse = {
    scenarios = over(shapes, function(m, _, shape, e, random)
      local list = { list = { m, model.random(e, 'any', shape, random) } }
      return { 'a + b', list }, { '-(a - b)', list }, { 'where(b < a, a, b)', list }
    end),
    reference = function(e, text, given)
      local a, b, data = given.list[1], given.list[2], {}
      for i, x in ipairs(a.data) do
        local y = b.data[i]
        data[i] = y < x and x or y
        if text == 'a + b' then data[i] = e.store(x + y) end
        if text == '-(a - b)' then data[i] = e.store(-e.store(x - y)) end
      end
      return model.new(a.shape, data)
    end,
  }
  c.stack = {
    scenarios = over(shapes, function(m, dims, shape, e, random)
      local list = { list = { m, model.random(e, 'any', shape, random), m } }
      return { list, omit }, { list, dims + 1 }, { list, -2 }, { { list = { m } }, 1 }
    end),
    reference = function(_, given, dim)
      if dim == omit then dim = 1 end
      if dim < 0 then dim = #given.list[1].shape + 2 + dim end
      return join(with_dim(given.list, dim), dim)
    end,
  }
  c.hstack = {
    scenarios = lists({ { 3 }, { 2 } }, { { 2, 3 }, { 2, 1 } }, { { 2, 3, 2 }, { 2, 1, 2 } }),
    reference = function(_, given) return join(given.list, math.min(#given.list[1].shape, 2)) end,
  }
  c.vstack = {
    scenarios = lists({ { 3 }, { 3 } }, { { 2, 3 }, { 3 } }, { { 2, 3, 2 }, { 1, 3, 2 } }),
    reference = function(_, given)
      local parts = {}
      for i, m in ipairs(given.list) do
        parts[i] = #m.shape == 1 and model.new({ 1, m.shape[1] }, m.data) or m
      end
      return join(parts, 1)
    end,
  }

  ---- ---- reordering ----
  local function flipped(m, dims)
    return model.build(m.shape, function(index)
      local from = index
      for _, d in ipairs(dims) do from = changed(from, d, m.shape[d] + 1 - index[d]) end
      return (model.at(m, from))
    end)
  end
  c.flip = {
    scenarios = over(shapes, function(m, dims)
      return { m, { dims = { 1 } } }, { m, { dims = { dims } } },
             dims > 1 and { m, { dims = { 2, 1 } } } or nil
    end),
    reference = function(_, m, given) return flipped(m, given.dims) end,
  }
  c.flipAll = {
    scenarios = over(shapes, function(m) return { m } end),
    reference = function(_, m)
      local dims = {}
      for d = 1, #m.shape do dims[d] = d end
      return flipped(m, dims)
    end,
  }
  c.roll = {
    scenarios = over(shapes, function(m, dims)
      return { m, 1, 1 }, { m, -2, dims }, { m, 9, -1 }, { m, 0, 1 }
    end),
    reference = function(_, m, shift, dim)
      local d = own(dim, m)
      return model.build(m.shape, function(index)
        return (model.at(m, changed(index, d, (index[d] - 1 - shift) % m.shape[d] + 1)))
      end)
    end,
  }
  c.rollDims = {
    scenarios = over(shapes, function(m, dims)
      return { m, { sizes = { 2 } }, { dims = { 1 } } },
             { m, { sizes = { -1, 2, 3 } }, { dims = { dims, 1, -1 } } },
             dims > 1 and { m, { sizes = { 1, -9 } }, { dims = { 2, 1 } } } or nil
    end),
    reference = function(_, m, shifts, given)
      local moved = {}
      for k, dim in ipairs(given.dims) do
        local d = own(dim, m)
        moved[d] = (moved[d] or 0) + shifts.sizes[k]
      end
      return model.build(m.shape, function(index)
        local from = {}
        for d, i in ipairs(index) do from[d] = (i - 1 - (moved[d] or 0)) % m.shape[d] + 1 end
        return (model.at(m, from))
      end)
    end,
  }
  c.rollAll = {
    scenarios = over(shapes, function(m) return { m, 1 }, { m, -2 }, { m, 100 } end),
    reference = function(_, m, shift)
      return model.fill(m.shape, function(i) return m.data[(i - shift) % #m.data + 1] end)
    end,
  }
  c.rot90 = {
    scenarios = over({ { 3, 4 }, { 2, 3, 4 }, { 1, 3 }, { 0, 2 } }, function(m, dims)
      return { m, omit, omit, omit }, { m, 2, omit, omit }, { m, 3, 1, dims }, { m, 4, dims, 1 },
             { m, -1, -2, -1 }
    end),
    reference = function(_, m, k, a, b)
      k, a, b = k == omit and 1 or k, own(a == omit and 1 or a, m), own(b == omit and 2 or b, m)
      for _ = 1, k % 4 do
        local from = m
        local shape = changed(changed(m.shape, a, m.shape[b]), b, m.shape[a])
        -- The last column becomes the first row.
        m = model.build(shape, function(index)
          return (model.at(from, changed(changed(index, a, index[b]), b,
                                         from.shape[b] + 1 - index[a])))
        end)
      end
      return m
    end,
  }
  local function tiled(_, m, given)
    local ndim = math.max(#m.shape, #given.sizes)
    local shape, extra = {}, ndim - #m.shape
    for d = 1, ndim do
      shape[d] = (m.shape[d - extra] or 1) * (given.sizes[d - (ndim - #given.sizes)] or 1)
    end
    return model.build(shape, function(index)
      local from = {}
      for d, size in ipairs(m.shape) do from[d] = (index[d + extra] - 1) % size + 1 end
      return (model.at(m, from))
    end)
  end
  c.tile = {
    reference = tiled,
    scenarios = over(shapes, function(m)
      return { m, { sizes = { 2 } } }, { m, { sizes = { 2, 3 } } },
             { m, { sizes = { 2, 1, 1, 2 } } }, { m, { sizes = { 0 } } }
    end),
  }
  c['repeat'] = {
    reference = tiled,
    scenarios = over(shapes, function(m)
      return { m, { sizes = { 2, 1, 3 } } }, { m, { sizes = { 1, 2, 1, 2 } } }
    end),
  }
  c.diff = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }, function(m)
      return { m, omit, omit }, { m, 1, 1 }, { m, 2, -1 }, { m, 0, 1 }
    end),
    reference = function(e, m, n, dim)
      n, dim = n == omit and 1 or n, own(dim == omit and -1 or dim, m)
      -- 16-bit floats are rounded once.
      local reduced = e.name == 'Half' or e.name == 'BFloat16'
      for k = 1, n do
        local from = m
        m = model.build(changed(m.shape, dim, math.max(m.shape[dim] - 1, 0)), function(index)
          local next_one = model.at(from, changed(index, dim, index[dim] + 1))
          local difference = next_one - model.at(from, index)
          return reduced and k < n and difference or e.store(difference)
        end)
      end
      return m
    end,
  }

  ---- views
  c.flatten = {
    view = true,
    scenarios = over(shapes, function(m, dims)
      return { m, omit, omit }, { m, 1, dims }, { m, dims, -1 }, dims > 1 and { m, 1, 2 } or nil
    end),
    reference = function(_, m, first, last)
      first, last = first == omit and 1 or first, own(last == omit and -1 or last, m)
      local shape, product = {}, 1
      for d, size in ipairs(m.shape) do
        if d >= first and d <= last then product = product * size end
        if d < first or d > last then shape[#shape + 1] = size end
        if d == last then shape[#shape + 1] = product end
      end
      return model.new(shape, m.data)
    end,
  }
  c.unflatten = {
    view = true,
    scenarios = over({ { 6 }, { 3, 6 }, { 6, 2 }, { 6, 0 } }, function(m, _, shape)
      local dim = shape[1] == 6 and 1 or 2
      return { m, dim, { sizes = { 2, 3 } } }, { m, dim - 1 - #shape, { sizes = { 3, -1, 1 } } },
             { m, dim, { sizes = { 6 } } }
    end),
    reference = function(_, m, dim, given)
      local shape, d = {}, own(dim, m)
      for k, size in ipairs(m.shape) do
        if k == d then
          for _, part in ipairs(given.sizes) do shape[#shape + 1] = part == -1 and 2 or part end
        else
          shape[#shape + 1] = size
        end
      end
      return model.new(shape, m.data)
    end,
  }
  local function permuted(m, dims)
    local shape = {}
    for to, from in ipairs(dims) do shape[to] = m.shape[from] end
    return model.build(shape, function(index)
      local inner = {}
      for to, from in ipairs(dims) do inner[from] = index[to] end
      return (model.at(m, inner))
    end)
  end
  c.movedim = {
    view = true,
    scenarios = over(shapes, function(m, dims)
      return { m, 1, dims }, { m, dims, 1 }, { m, -1, -1 }
    end),
    reference = function(_, m, from, to)
      local dims = {}
      for d = 1, #m.shape do dims[d] = d end
      table.insert(dims, own(to, m), table.remove(dims, own(from, m)))
      return permuted(m, dims)
    end,
  }
  c.movedims = {
    view = true,
    scenarios = over(shapes, function(m, dims)
      return { m, { dims = { 1 } }, { dims = { dims } } }, { m, { dims = {} }, { dims = {} } },
             dims > 1 and { m, { dims = { 1, 2 } }, { dims = { -1, 1 } } } or nil
    end),
    reference = function(_, m, from, to)
      local dims, rest = {}, {}
      for d = 1, #m.shape do rest[d] = d end
      for k, d in ipairs(to.dims) do
        dims[own(d, m)] = own(from.dims[k], m)
        rest[own(from.dims[k], m)] = false
      end
      local next_one = 1
      for d = 1, #m.shape do
        while rest[next_one] == false do next_one = next_one + 1 end
        if not dims[d] then
          dims[d] = next_one
          next_one = next_one + 1
        end
      end
      return permuted(m, dims)
    end,
  }
  c.swapaxes = {
    view = true, scenarios = over(shapes, function(m, dims) return { m, 1, dims } end),
    reference = function(_, m, a, b)
      local dims = {}
      for d = 1, #m.shape do dims[d] = d end
      dims[a], dims[b] = dims[b], dims[a]
      return permuted(m, dims)
    end,
  }
  c.item = {
    scenarios = over({ { 1 }, { 1, 1 }, { 1, 1, 1 } }, function(m) return { m } end),
    reference = function(_, m) return m.data[1] end,
  }

  ---- ---- creation ----
  c.fullLike = {
    scenarios = over(shapes, function(m) return { m, 3 } end),
    reference = function(_, m, x) return model.fill(m.shape, function() return x end) end,
  }
  -- The elements are uninitialized, so only empty shapes can be compared.
  c.emptyLike = {
    scenarios = over({ { 0 }, { 2, 0, 3 } }, function(m) return { m } end),
    reference = function(_, m) return model.new(m.shape) end,
  }
  c.arangeTo = {
    scenarios = function() return { { args = { 5 } }, { args = { 1 } }, { args = { 0 } } } end,
    reference = function(_, last) return model.fill({ last }, function(i) return i end) end,
  }

  ---- by index
  local function indices(shape, limit, random)
    return model.fill(shape, function() return math.floor(random() * limit) + 1 end)
  end
  c.takeAlongDim = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 } }, function(m, dims, shape, _, random)
      return { m, indices(shape, shape[1], random), 1 },
             { m, indices(changed(shape, dims, 6), shape[dims], random), -1 },
             dims > 1 and { m, indices(changed(shape, 1, 1), shape[dims], random), dims } or nil
    end),
    reference = function(_, m, index, dim)
      local d, shape = own(dim, m), {}
      for k, size in ipairs(index.shape) do
        shape[k] = k == d and size or math.max(size, m.shape[k])
      end
      return model.build(shape, function(i)
        local at, from = {}, {}
        for k in ipairs(shape) do
          at[k] = index.shape[k] == 1 and 1 or i[k]
          from[k] = m.shape[k] == 1 and 1 or i[k]
        end
        return (model.at(m, changed(from, d, (model.at(index, at)))))
      end)
    end,
  }
  c.takeAlong = {
    scenarios = over({ { 7 }, { 3, 4 } }, function(m, _, _, _, random)
      return { m, indices({ 5 }, #m.data, random) }, { m, indices({ 2, 3 }, #m.data, random) }
    end),
    reference = function(_, m, index)
      return model.fill({ #index.data }, function(i) return m.data[index.data[i + 1]] end)
    end,
  }
  c.oneHot = {
    scenarios = function(_, random)
      return { { args = { indices({ 4 }, 5, random), 5 } },
               { args = { indices({ 2, 3 }, 3, random), omit } },
               { args = { model.new({ 0 }), 2 } } }
    end,
    reference = function(_, index, n)
      if n == omit then n = math.max(unpack(index.data)) end
      return model.build(inserted(index.shape, #index.shape + 1, n), function(i)
        local inner = changed(i, #i, nil)
        return model.at(index, inner) == i[#i] and 1 or 0
      end)
    end,
  }
  c.maskedScatter = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 } }, function(m, _, shape, e, random)
      local mask = model.random(elements.Byte, 'logical', shape, random)
      return { m, mask, model.random(e, 'any', { #m.data }, random) }
    end),
    reference = function(_, m, mask, src)
      local r, next_one = model.copy(m), 0
      for i, chosen in ipairs(mask.data) do
        if chosen ~= 0 then
          next_one = next_one + 1
          r.data[i] = src.data[next_one]
        end
      end
      return r
    end,
  }

  ---- products
  local function pairs_of(...)
    local list = { ... }
    return function(e, random)
      local all = {}
      for i, pair in ipairs(list) do
        all[i] = { scale = 64 * 8, args = { model.random(e, 'any', pair[1], random),
                                            model.random(e, 'any', pair[2], random) } }
      end
      return all
    end
  end
  c.matmul = {
    ulps = 8,
    scenarios = pairs_of({ { 3 }, { 3 } }, { { 2, 3 }, { 3 } }, { { 3 }, { 3, 2 } },
                         { { 2, 3 }, { 3, 4 } }, { { 2, 3, 4 }, { 4, 2 } }, { { 2, 3, 4 }, { 4 } },
                         { { 3 }, { 2, 3, 4 } }, { { 2, 3 }, { 4, 3, 2 } },
                         { { 2, 2, 3 }, { 2, 3, 2 } }, { { 2, 1, 2, 3 }, { 4, 3, 2 } },
                         { { 0, 3 }, { 3, 2 } }, { { 2, 0 }, { 0, 2 } }),
    reference = function(e, a, b)
      local sa, sb = a.shape, b.shape
      if #sa == 1 then sa = { 1, sa[1] } end
      if #sb == 1 then sb = { sb[1], 1 } end
      local left, right = model.new(sa, a.data), model.new(sb, b.data)
      local full, batch = {}, math.max(#sa, #sb) - 2
      for d = 1, batch do
        full[d] = math.max(sa[d - batch + #sa - 2] or 1, sb[d - batch + #sb - 2] or 1)
      end
      full[batch + 1], full[batch + 2] = sa[#sa - 1], sb[#sb]
      local r = model.build(full, function(i)
        local at_a, at_b, total = {}, {}, 0
        for d = 1, #sa - 2 do at_a[d] = math.min(i[d + batch - #sa + 2], sa[d]) end
        for d = 1, #sb - 2 do at_b[d] = math.min(i[d + batch - #sb + 2], sb[d]) end
        for k = 1, sa[#sa] do
          at_a[#sa - 1], at_a[#sa] = i[#i - 1], k
          at_b[#sb - 1], at_b[#sb] = k, i[#i]
          total = total + model.at(left, at_a) * model.at(right, at_b)
        end
        return e.store(total)
      end)
      local shape = {}
      for d = 1, batch do shape[d] = full[d] end
      if #a.shape > 1 then shape[#shape + 1] = full[batch + 1] end
      if #b.shape > 1 then shape[#shape + 1] = full[batch + 2] end
      r.shape = #shape > 0 and shape or { 1 }
      return r
    end,
  }
  c.outer = {
    ulps = 1, scenarios = pairs_of({ { 3 }, { 4 } }, { { 2, 2 }, { 3 } }, { { 1 }, { 1 } }),
    reference = function(e, a, b)
      return model.build({ #a.data, #b.data }, function(i)
        return e.store(a.data[i[1]] * b.data[i[2]])
      end)
    end,
  }
  c.kron = {
    ulps = 1, scenarios = pairs_of({ { 3 }, { 4 } }, { { 2, 2 }, { 2, 2 } }, { { 2, 3 }, { 3, 1 } },
                                   { { 2 }, { 2, 3 } }, { { 2, 1, 2 }, { 3 } }, { { 0 }, { 2 } }),
    reference = function(e, a, b)
      local ndim, shape = math.max(#a.shape, #b.shape), {}
      local function size(m, d) return m.shape[d - ndim + #m.shape] or 1 end
      for d = 1, ndim do shape[d] = size(a, d) * size(b, d) end
      return model.build(shape, function(i)
        local at_a, at_b = {}, {}
        for d = 1, ndim do
          local k = d - ndim
          if k + #a.shape > 0 then at_a[k + #a.shape] = math.floor((i[d] - 1) / size(b, d)) + 1 end
          if k + #b.shape > 0 then at_b[k + #b.shape] = (i[d] - 1) % size(b, d) + 1 end
        end
        return e.store(model.at(a, at_a) * model.at(b, at_b))
      end)
    end,
  }
  return c
end

return cases
