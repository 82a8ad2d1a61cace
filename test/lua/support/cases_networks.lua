-- Cases of layers and losses of networks.

local tensor = require 'tensor'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  local function any(e, shape, random) return model.random(e, 'any', shape, random) end
  local function positive(e, shape, random) return model.random(e, 'positive', shape, random) end

  -- Returns scenarios with the arguments that f(e, random, shape) returns for each shape.
  local function over(shapes, large, f, scale)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { large } or shapes) do
        for _, args in ipairs { f(e, random, shape) } do
          all[#all + 1] = { scale = scale or 16, args = args }
        end
      end
      return all
    end
  end

  ---- normalization

  -- The result for groups of positions from 0: of(position) is the number of the group, from 1,
  -- and weight_of(position) that of the weight, from 0. options: weight, bias, epsilon; mean and
  -- variance, if they are given; uncentered.
  local function normalized(e, m, of, weight_of, options)
    local sums, counts, squares = {}, {}, {}
    for k, x in ipairs(m.data) do
      local group = of(k - 1)
      sums[group] = (sums[group] or 0) + x
      counts[group] = (counts[group] or 0) + 1
    end
    -- The sum of the deviations corrects the rounding errors of a long sum.
    local rest = {}
    for k, x in ipairs(m.data) do
      local group = of(k - 1)
      rest[group] = (rest[group] or 0) + (x - sums[group] / counts[group])
    end
    for group, sum in pairs(rest) do sums[group] = sums[group] + sum end
    local function mean(group)
      if options.mean then return options.mean.data[group] end
      return options.uncentered and 0 or sums[group] / counts[group]
    end
    -- Kahan's summation: `lost` is what the last additions have rounded away.
    local lost = {}
    for k, x in ipairs(m.data) do
      local group = of(k - 1)
      local square, before = (x - mean(group)) ^ 2 - (lost[group] or 0), squares[group] or 0
      squares[group] = before + square
      lost[group] = squares[group] - before - square
    end
    local function variance(group)
      return options.variance and options.variance.data[group] or squares[group] / counts[group]
    end
    local epsilon = options.epsilon
    if type(epsilon) ~= 'number' then epsilon = 1e-5 end
    local function element(list, k, otherwise)
      return (list == omit or list == nil) and otherwise or list.data[weight_of(k) + 1]
    end
    return model.fill(m.shape, function(k)
      local group = of(k)
      local x = (m.data[k + 1] - mean(group)) / math.sqrt(variance(group) + epsilon)
      return e.store(x * element(options.weight, k, 1) + element(options.bias, k, 0))
    end)
  end

  local layer_shapes = { { 3, 4 }, { 2, 3, 5 }, { 7 }, { 0, 3 }, { 3, 1 } }
  local function last(shape) return { sizes = { shape[#shape] } } end
  c.layerNorm = {
    ulps = 32,
    scenarios = over(layer_shapes, { 1100, 130 }, function(e, random, shape)
      local m, size = any(e, shape, random), { shape[#shape] }
      local w, b = any(e, size, random), any(e, size, random)
      return { m, last(shape), omit, omit, omit }, { m, last(shape), w, omit, omit },
             { m, last(shape), w, b, omit }, { m, { sizes = shape }, omit, omit, 0.5 }
    end),
    reference = function(e, m, sizes, weight, bias, epsilon)
      local n = model.count(sizes.sizes)
      return normalized(e, m, function(k) return math.floor(k / n) + 1 end,
                        function(k) return k % n end,
                        { weight = weight, bias = bias, epsilon = epsilon })
    end,
  }
  c.rmsNorm = {
    ulps = 32,
    scenarios = over(layer_shapes, { 1100, 130 }, function(e, random, shape)
      local m, size = any(e, shape, random), { shape[#shape] }
      return { m, last(shape), omit, omit }, { m, last(shape), any(e, size, random), 0.5 }
    end),
    reference = function(e, m, sizes, weight, epsilon)
      local n = model.count(sizes.sizes)
      return normalized(e, m, function(k) return math.floor(k / n) + 1 end,
                        function(k) return k % n end,
                        { weight = weight, epsilon = epsilon, uncentered = true })
    end,
  }

  local function inner(m)
    local n = 1
    for d = 3, #m.shape do n = n * m.shape[d] end
    return n
  end
  local function channel_of(m)
    local n, channels = inner(m), m.shape[2]
    return function(k) return math.floor(k / n) % channels end
  end
  c.groupNorm = {
    ulps = 32,
    scenarios = over({ { 2, 4, 3 }, { 3, 4 }, { 2, 6, 2, 3 }, { 0, 4, 2 } }, { 20, 32, 17, 9 },
                     function(e, random, shape)
      local m, size = any(e, shape, random), { shape[2] }
      local w, b = any(e, size, random), any(e, size, random)
      return { m, 2, omit, omit, omit }, { m, 2, w, b, 0.5 }, { m, 1, w, omit, omit }
    end),
    reference = function(e, m, groups, weight, bias, epsilon)
      local n = inner(m) * m.shape[2] / groups
      return normalized(e, m, function(k) return math.floor(k / n) + 1 end, channel_of(m),
                        { weight = weight, bias = bias, epsilon = epsilon })
    end,
  }
  -- The running mean and variance are changed, so their elements must not share memory.
  c.batchNorm = {
    ulps = 32, contiguous = true,
    scenarios = over({ { 5, 3 }, { 2, 3, 4 }, { 2, 2, 5, 7 }, { 2, 3, 0 } }, { 20, 70, 7, 9 },
                     function(e, random, shape)
      local m, size = any(e, shape, random), { shape[2] }
      local w, b = any(e, size, random), any(e, size, random)
      local mean, variance = any(e, size, random), positive(e, size, random)
      return { m, mean, variance, w, b, true, omit, omit },
             { m, mean, variance, w, b, true, 0.5, 0.5 },
             { m, mean, variance, w, omit, omit, omit, omit },
             { m, mean, variance, omit, omit, omit, omit, omit },
             { m, mean, variance, w, b, false, 0.1, 0.5 }
    end),
    reference = function(e, m, mean, variance, weight, bias, training, _, epsilon)
      local given = training ~= true
      local channel = channel_of(m)
      return normalized(e, m, function(k) return channel(k) + 1 end, channel,
                        { weight = weight, bias = bias, epsilon = epsilon,
                          mean = given and mean or nil, variance = given and variance or nil })
    end,
  }

  ---- other layers

  c.embedding = {
    scenarios = over({ { 4 }, { 2, 3 }, { 0 }, { 1 } }, { 300, 7 }, function(e, random, shape)
      local indices = model.fill(shape, function(k)
        return k % 3 == 2 and -1 - k % 6 or 1 + k % 6
      end)
      return { any(e, { 6, 3 }, random), indices }
    end),
    reference = function(_, weight, indices)
      local rows, n = weight.shape[1], weight.shape[2]
      local shape = { unpack(indices.shape) }
      shape[#shape + 1] = n
      return model.fill(shape, function(k)
        local index = indices.data[math.floor(k / n) + 1]
        if index < 0 then index = index + rows + 1 end
        return weight.data[(index - 1) * n + k % n + 1]
      end)
    end,
  }
  c.dropout = {
    ulps = 1, random = true,
    scenarios = over({ { 7 }, { 3, 4 }, { 0 }, { 1 } }, { 317, 331 }, function(e, random, shape)
      local m = any(e, shape, random)
      return { omit, m, omit }, { omit, m, 0.25 }, { omit, m, 0 }, { omit, m, 1 }
    end),
    reference = function(e, _, m, p)
      if p == omit then p = 0.5 end
      local factor = p < 1 and e.store(1 / (1 - p)) or 1
      return model.map(function(x)
        return e.store(x * tensor.bernoulli(1 - p) * factor)
      end, m)
    end,
  }

  local function sigmoid(x) return 1 / (1 + math.exp(-x)) end
  local function tanh(x) return 2 * sigmoid(2 * x) - 1 end
  -- The result of which == 1 is h, and the other one c.
  local function lstm(e, gates, state, which)
    local n = state.shape[2]
    return model.fill(state.shape, function(k)
      local row, column = math.floor(k / math.max(n, 1)), k % math.max(n, 1)
      local function gate(number) return gates.data[row * 4 * n + number * n + column + 1] end
      local next_state = sigmoid(gate(1)) * state.data[k + 1] + sigmoid(gate(0)) * tanh(gate(2))
      return e.store(which == 1 and sigmoid(gate(3)) * tanh(next_state) or next_state)
    end)
  end
  c.lstmCell = {
    ulps = 64,
    scenarios = over({ { 2, 3 }, { 1, 1 }, { 0, 2 }, { 3, 0 } }, { 130, 70 },
                     function(e, random, shape)
      return { any(e, { shape[1], 4 * shape[2] }, random), any(e, shape, random) }
    end),
    reference = function(e, gates, state)
      return lstm(e, gates, state, 1), lstm(e, gates, state, 2)
    end,
  }

  -- The outputs and the states of all steps.
  local function lstm_over(e, gates, weight, output, state)
    local steps, batch, n = gates.shape[1], gates.shape[2], state.shape[2]
    local h, states = { [0] = output.data }, { [0] = state.data }
    for t = 1, steps do
      h[t], states[t] = {}, {}
      for row = 0, batch - 1 do
        for column = 1, n do
          local function gate(number)
            local k = number * n + column
            local sum = gates.data[((t - 1) * batch + row) * 4 * n + k]
            for j = 1, n do
              sum = sum + weight.data[(k - 1) * n + j] * h[t - 1][row * n + j]
            end
            return sum
          end
          local at = row * n + column
          local new = sigmoid(gate(1)) * states[t - 1][at] + sigmoid(gate(0)) * tanh(gate(2))
          states[t][at] = new
          h[t][at] = sigmoid(gate(3)) * tanh(new)
        end
      end
    end
    local function result(values)
      return model.fill({ steps, batch, n }, function(k)
        return e.store(values[math.floor(k / (batch * n)) + 1][k % (batch * n) + 1])
      end)
    end
    return result(h), result(states)
  end
  c.lstm = {
    ulps = 64,
    scenarios = over({ { 3, 2, 2 }, { 1, 1, 1 }, { 0, 2, 2 }, { 2, 0, 3 }, { 2, 3, 0 } },
                     { 3, 7, 270 }, function(e, random, sizes)
      local steps, batch, n = unpack(sizes)
      local weight = any(e, { 4 * n, n }, random)
      for k, x in ipairs(weight.data) do weight.data[k] = e.store(x / (n + 1)) end
      return { any(e, { steps, batch, 4 * n }, random), weight, any(e, { batch, n }, random),
               any(e, { batch, n }, random) }
    end),
    reference = lstm_over,
  }

  local function attended(e, q, k, v, mask, causal, scale)
    local n = #q.shape
    local rows, depth = q.shape[n - 1], q.shape[n]
    local columns, width = k.shape[n - 1], v.shape[n]
    if scale == omit then scale = 1 / math.sqrt(depth) end
    local shape = { unpack(q.shape) }
    shape[n] = width
    return model.fill(shape, function(at)
      local column, row = at % width, math.floor(at / width) % rows
      local matrix = math.floor(at / (width * rows))
      local sum, largest, weights = 0, -math.huge, {}
      for j = 0, columns - 1 do
        local x = 0
        for d = 0, depth - 1 do
          x = x + q.data[(matrix * rows + row) * depth + d + 1]
            * k.data[(matrix * columns + j) * depth + d + 1]
        end
        x = x * scale
        if mask ~= omit then x = x + mask.data[row * columns + j + 1] end
        if causal == true and j > row + columns - rows then x = -math.huge end
        weights[j] = x
        largest = math.max(largest, x)
      end
      if largest == -math.huge then return 0 end
      local total = 0
      for j = 0, columns - 1 do
        local w = math.exp(weights[j] - largest)
        sum = sum + w
        total = total + w * v.data[(matrix * columns + j) * width + column + 1]
      end
      return e.store(total / sum)
    end)
  end
  c.attention = {
    ulps = 64,
    scenarios = over({ { { 3, 4 }, 5, 3 }, { { 2, 3, 2 }, 3, 2 }, { { 2, 1, 4, 3 }, 2, 1 },
                       { { 0, 3, 2 }, 3, 2 }, { { 2, 3 }, 0, 2 } },
                     { { 3, 100, 8 }, 300, 5 }, function(e, random, sizes)
      local q, columns, width = sizes[1], sizes[2], sizes[3]
      local k, v = { unpack(q) }, { unpack(q) }
      k[#q - 1], v[#q - 1], v[#q] = columns, columns, width
      local qs = model.random(e, 'mild', q, random)
      local ks, vs = model.random(e, 'mild', k, random), any(e, v, random)
      local mask = model.random(e, 'mild', { q[#q - 1], columns }, random)
      return { qs, ks, vs, omit, omit, omit }, { qs, ks, vs, omit, true, omit },
             { qs, ks, vs, mask, omit, omit }, { qs, ks, vs, mask, true, 0.25 }
    end),
    reference = attended,
  }

  ---- losses of class numbers

  local function loss_shapes(f)
    return over({ { 4, 5 }, { 5 }, { 2, 3, 4 }, { 0, 3 } }, { 600, 40 }, f)
  end
  local function numbers(shape, classes)
    return model.fill(#shape > 0 and shape or { 1 }, function(k) return (k * 3) % classes + 1 end)
  end
  local function without(shape, dim)
    local rest = {}
    for d, size in ipairs(shape) do
      if d ~= dim then rest[#rest + 1] = size end
    end
    return rest
  end
  -- The losses of the rows, and their weights.
  local function losses(m, classes, options)
    local dim = options.dim
    if type(dim) ~= 'number' then dim = -1 end
    if dim < 0 then dim = #m.shape + 1 + dim end
    local count, inside = m.shape[dim], 1
    for d = dim + 1, #m.shape do inside = inside * m.shape[d] end
    local ignored = type(options.ignored) == 'number' and options.ignored or -100
    local smoothing = type(options.smoothing) == 'number' and options.smoothing or 0
    local function weight(class)
      return options.weight == omit and 1 or options.weight.data[class]
    end
    local values, weights = {}, {}
    for row, class in ipairs(classes.data) do
      local first = math.floor((row - 1) / inside) * inside * count + (row - 1) % inside
      local function element(k) return m.data[first + (k - 1) * inside + 1] end
      local largest, sum = -math.huge, 0
      for k = 1, count do largest = math.max(largest, element(k)) end
      for k = 1, count do sum = sum + math.exp(element(k) - largest) end
      local log_sum = options.logs and 0 or largest + math.log(sum)
      values[row], weights[row] = 0, 0
      if class ~= ignored then
        weights[row] = weight(class)
        local rest = 0
        for k = 1, count do rest = rest + weight(k) * (log_sum - element(k)) end
        values[row] = (1 - smoothing) * weight(class) * (log_sum - element(class))
          + smoothing / count * rest
      end
    end
    return values, weights
  end
  local function total(values, weights, reduction)
    local sum, divisor = 0, 0
    for k, x in ipairs(values) do
      sum = sum + x
      divisor = divisor + weights[k]
    end
    return reduction == 'sum' and sum or sum / divisor
  end
  local function rows(e, classes, values)
    return model.fill(classes.shape, function(k) return e.store(values[k + 1]) end)
  end
  c.crossEntropyall = {
    ulps = 16,
    scenarios = loss_shapes(function(e, random, shape)
      local m, n = any(e, shape, random), shape[#shape]
      local classes, w = numbers(without(shape, #shape), n), positive(e, { n }, random)
      local all = {
        { m, classes, omit, omit, omit, omit, omit }, { m, classes, omit, 1, omit, 'sum', omit },
        { m, classes, w, -100, 0.25, 'mean', omit },
      }
      if shape[1] > 0 then
        w = positive(e, { shape[1] }, random)
        all[4] = { m, numbers(without(shape, 1), shape[1]), w, 2, 0.5, 'sum', 1 }
      end
      return unpack(all)
    end),
    reference = function(_, m, classes, weight, ignored, smoothing, reduction, dim)
      local values, weights = losses(m, classes, { weight = weight, ignored = ignored,
                                                   smoothing = smoothing, dim = dim })
      return total(values, weights, reduction)
    end,
  }
  c.crossEntropy = {
    ulps = 16,
    scenarios = loss_shapes(function(e, random, shape)
      local m, n = any(e, shape, random), shape[#shape]
      local classes, w = numbers(without(shape, #shape), n), positive(e, { n }, random)
      return { m, classes, omit, omit, omit, 'none', omit },
             { m, classes, w, 1, 0.25, 'none', omit }
    end),
    reference = function(e, m, classes, weight, ignored, smoothing, _, dim)
      return rows(e, classes, (losses(m, classes, { weight = weight, ignored = ignored,
                                                    smoothing = smoothing, dim = dim })))
    end,
  }
  c.nllall = {
    ulps = 16,
    scenarios = loss_shapes(function(e, random, shape)
      local m, n = any(e, shape, random), shape[#shape]
      local classes, w = numbers(without(shape, #shape), n), positive(e, { n }, random)
      return { m, classes, omit, omit, omit, omit }, { m, classes, w, 2, 'sum', omit }
    end),
    reference = function(_, m, classes, weight, ignored, reduction, dim)
      local values, weights = losses(m, classes, { weight = weight, ignored = ignored, dim = dim,
                                                   logs = true })
      return total(values, weights, reduction)
    end,
  }
  c.nll = {
    ulps = 1,
    scenarios = loss_shapes(function(e, random, shape)
      local m, n = any(e, shape, random), shape[#shape]
      local classes, w = numbers(without(shape, #shape), n), positive(e, { n }, random)
      return { m, classes, omit, omit, 'none', omit }, { m, classes, w, 2, 'none', omit }
    end),
    reference = function(e, m, classes, weight, ignored, _, dim)
      return rows(e, classes, (losses(m, classes, { weight = weight, ignored = ignored, dim = dim,
                                                    logs = true })))
    end,
  }

  ---- losses of pairs of elements

  local pair_shapes, large_pair = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 0 } }, { 117, 131 }
  local function mean(m, reduction)
    local sum = 0
    for _, x in ipairs(m.data) do sum = sum + x end
    return reduction == 'sum' and sum or sum / #m.data
  end
  -- A row that returns a number and one that returns the elements. element(x, y, ...): the loss.
  local function pair_loss(name, lists, element)
    local function scenarios(reductions)
      return over(pair_shapes, large_pair, function(e, random, shape)
        local all = {}
        local x, y = any(e, shape, random), model.random(e, 'unit', shape, random)
        for _, list in ipairs(lists) do
          for _, reduction in ipairs(reductions) do
            local args = { x, y }
            for _, more in ipairs(list) do
              args[#args + 1] = more == 'w' and positive(e, shape, random) or more
            end
            args[#args + 1] = reduction
            all[#all + 1] = args
          end
        end
        return unpack(all)
      end)
    end
    local function elements_of(store, x, y, ...)
      local more = { ... }
      return model.fill(x.shape, function(k)
        local values = {}
        for i = 1, #more - 1 do
          local value = more[i]
          values[i] = type(value) == 'table' and value ~= omit and value.data[k + 1] or value
        end
        return store(element(x.data[k + 1], y.data[k + 1], unpack(values)))
      end)
    end
    c[name] = {
      ulps = 8, scenarios = scenarios { 'none' },
      reference = function(e, ...) return elements_of(e.store, ...) end,
    }
    c[name .. 'all'] = {
      ulps = 32, scenarios = scenarios { omit, 'mean', 'sum' },
      reference = function(_, ...)
        return mean(elements_of(function(x) return x end, ...), (select(select('#', ...), ...)))
      end,
    }
  end
  pair_loss('mse', { {} }, function(x, y) return (x - y) ^ 2 end)
  pair_loss('huber', { { omit }, { 0.75 } }, function(x, y, delta)
    if delta == omit then delta = 1 end
    local d = math.abs(x - y)
    return d < delta and d * d / 2 or delta * (d - delta / 2)
  end)
  pair_loss('binaryCrossEntropy', { { omit, omit }, { 'w', omit }, { 'w', 'w' } },
            function(x, y, weight, p)
    local soft = math.max(-x, 0) + math.log(1 + math.exp(-math.abs(x)))
    local loss = (1 - y) * x + (1 + ((p == omit and 1 or p) - 1) * y) * soft
    return weight == omit and loss or weight * loss
  end)
  return c
end

return cases
