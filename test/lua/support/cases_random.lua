-- Cases of random operations: filling a tensor of any layout gives the same numbers, in element
-- order, as the same number of scalar calls. random_spec checks the numbers themselves.

local tensor = require 'tensor'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 0 } }

  local function filling(name, lists, draw, ulps)
    c[name] = {
      inout = true, random = true, ulps = ulps or 0,
      scenarios = function(e, random, large)
        local all = {}
        for _, shape in ipairs(large and { { 317, 331 } } or shapes) do
          for _, list in ipairs(lists) do
            local args = { model.random(e, 'any', shape, random), omit }
            for _, x in ipairs(list) do
              args[#args + 1] = x == 'p' and model.random(shared.elements.Double, 'logical',
                                                          shape, random) or x
            end
            all[#all + 1] = { args = args }
          end
        end
        return all
      end,
      reference = function(e, m, _, ...)
        local given, values = { ... }, {}
        for i, x in ipairs(given) do
          if x ~= omit then values[i] = x end
        end
        return model.fill(m.shape, function(position)
          return e.store(draw(e, position, values[1], values[2]))
        end)
      end,
    }
  end

  -- The number of values that random() draws: the integers from 0 that the type represents exactly,
  -- at most 2^32.
  local range = { Byte = 2 ^ 8, Char = 2 ^ 7, Short = 2 ^ 15, Int = 2 ^ 31, Half = 2 ^ 11 + 1,
                  BFloat16 = 2 ^ 8 + 1, Float = 2 ^ 24 + 1 }
  filling('random', { {} }, function(e) return tensor.random() % (range[e.name] or 2 ^ 32) end)
  filling('cappedRandom', { { 100 }, { 1 } }, function(_, _, top) return tensor.random(top) end)
  filling('clampedRandom', { { 5, 90 }, { 3, 3 } }, function(_, _, low, high)
    return tensor.random(low, high)
  end)
  local function passing(f)
    return function(_, _, a, b)
      if b then return f(a, b) end
      if a then return f(a) end
      return f()
    end
  end
  filling('uniform', { { omit, omit }, { -2, 3 } }, passing(tensor.uniform))
  filling('normal', { { omit, omit }, { 1, 3 } }, passing(tensor.normal), 1)
  filling('exponential', { { 1.5 } }, passing(tensor.exponential), 1)
  filling('cauchy', { { omit, omit }, { 1, 2 } }, passing(tensor.cauchy), 2)
  filling('logNormal', { { omit, omit } }, passing(tensor.logNormal), 2)
  filling('geometric', { { 0.3 } }, passing(tensor.geometric))
  filling('bernoulli', { { omit }, { 0.2 } }, passing(tensor.bernoulli))
  local function by_tensor(_, position, p) return tensor.bernoulli(p.data[position + 1]) end
  filling('bernoulli_FloatTensor', { { 'p' } }, by_tensor)
  filling('bernoulli_DoubleTensor', { { 'p' } }, by_tensor)

  local sizes = function()
    return { { args = { omit, { sizes = { 4, 3 } } } }, { args = { omit, { sizes = { 5 } } } } }
  end
  for name, draw in pairs { rand = tensor.uniform, randn = tensor.normal } do
    c[name] = {
      random = true, scenarios = sizes, ulps = 1,
      reference = function(e, _, given)
        return model.fill(given.sizes, function() return e.store(draw()) end)
      end,
    }
  end
  for name, draw in pairs { randLike = tensor.uniform, randnLike = tensor.normal } do
    c[name] = {
      random = true, ulps = 1,
      scenarios = function(e)
        return { { args = { omit, model.fill({ 4, 3 }, function() return e.store(1) end) } },
                 { args = { omit, model.new { 0 } } } }
      end,
      reference = function(e, _, like)
        return model.fill(like.shape, function() return e.store(draw()) end)
      end,
    }
  end
  c.randint = {
    random = true,
    scenarios = function()
      return { { args = { omit, 3, 7, { sizes = { 4, 3 } } } },
               { args = { omit, 5, 6, { sizes = { 3 } } } } }
    end,
    reference = function(_, _, low, high, given)
      return model.fill(given.sizes, function() return tensor.random(low, high - 1) end)
    end,
  }
  c.randintTo = {
    random = true,
    scenarios = function()
      return { { args = { omit, 4, { sizes = { 4, 3 } } } },
               { args = { omit, 1, { sizes = { 3 } } } } }
    end,
    reference = function(_, _, high, given)
      return model.fill(given.sizes, function() return tensor.random(0, high - 1) end)
    end,
  }
  c.randperm = {
    random = true,
    scenarios = function() return { { args = { omit, 1 } }, { args = { omit, 30 } } } end,
    -- Each position is swapped with one at or after it. Philox sorts by keys of two words each.
    reference = function(_, _, n)
      local data = {}
      for i = 1, n do data[i] = i end
      if tensor.getGenerator() == 'philox' then
        local high, low = {}, {}
        for i = 1, n do
          high[i], low[i] = tensor.random(), tensor.random()
        end
        table.sort(data, function(i, j)
          if high[i] ~= high[j] then return high[i] < high[j] end
          return low[i] < low[j]
        end)
        return model.new({ n }, data)
      end
      for i = 1, n - 1 do
        local j = i + tensor.random() % (n - i + 1)
        data[i], data[j] = data[j], data[i]
      end
      return model.new({ n }, data)
    end,
  }
  -- Numbers drawn by rejection are checked for their range; random_spec checks the distributions.
  local function drawn(low, high, whole)
    return function(_, _, r)
      for _, x in ipairs(r.data) do
        if not (x >= low and x <= high) or whole and x % 1 ~= 0 then
          return ('%.17g is out of range'):format(x)
        end
      end
    end
  end
  local function sampled(name, low, high, whole, numbers, kinds)
    c[name] = {
      random = true, inout = true, check = drawn(low, high, whole),
      scenarios = function(e, random)
        local all = {}
        for _, shape in ipairs(shapes) do
          for _, list in ipairs(numbers) do
            all[#all + 1] = { args = { model.random(e, 'small', shape, random), omit,
                                       unpack(list) } }
          end
        end
        return all
      end,
      reference = function(_, m) return m end,
    }
    c[kinds.name] = {
      random = true, check = drawn(low, high, whole),
      scenarios = function(e, random)
        local all = {}
        for _, shape in ipairs(shapes) do
          local args = { omit }
          for _, kind in ipairs(kinds) do
            args[#args + 1] = model.random(e, kind, shape, random)
          end
          all[#all + 1] = { args = args }
        end
        return all
      end,
      reference = function(_, _, m) return m end,
    }
  end
  local inf = math.huge
  sampled('gamma', 0, inf, false, { { 0.5, omit }, { 3, 2 } },
          { name = 'gamma_shapes', 'positive' })
  sampled('beta', 0, 1, false, { { 0.5, 2 } }, { name = 'beta_tensors', 'positive', 'positive' })
  sampled('chi2', 0, inf, false, { { 3 } }, { name = 'chi2_degrees', 'positive' })
  sampled('poisson', 0, 127, true, { { 0.5 }, { 20 } }, { name = 'poisson_rates', 'positive' })
  sampled('binomial', 0, 127, true, { { 10, 0.25 }, { 100, 0.75 } },
          { name = 'binomial_tensors', 'small', 'logical' })
  c.multinomial = {
    random = true,
    scenarios = function(e, random)
      local all = {}
      for _, shape in ipairs { { 5 }, { 3, 6 } } do
        local p = model.random(e, 'positive', shape, random)
        all[#all + 1] = { args = { omit, p, 20, true } }
        all[#all + 1] = { args = { omit, p, 4, omit } }
      end
      return all
    end,
    -- By running sums of the remaining probabilities.
    reference = function(_, _, p, n, replacing)
      local columns = p.shape[#p.shape]
      local data = {}
      for row = 0, #p.data / columns - 1 do
        local left = {}
        for i = 1, columns do left[i] = p.data[row * columns + i] end
        for _ = 1, n do
          local total = 0
          for _, x in ipairs(left) do total = total + x end
          local at, sum, u = 1, left[1], tensor.uniform() * total
          while sum < u do
            at = at + 1
            sum = sum + left[at]
          end
          data[#data + 1] = at
          if replacing ~= true then left[at] = 0 end
        end
      end
      return model.new(#p.shape == 1 and { n } or { p.shape[1], n }, data)
    end,
  }

  -- Rounded normal values, multiplied by deviations and added to means, rounding at each step.
  local function normals(e, like, mean, deviation)
    local made = model.fill(like.shape, function() return e.store(tensor.normal()) end)
    for i, z in ipairs(made.data) do
      made.data[i] = e.store(e.store(z * deviation(i)) + mean(i))
    end
    return made
  end
  local function with_parameters(list_args)
    return function(e, random)
      local all = {}
      for _, shape in ipairs(shapes) do
        all[#all + 1] = { scale = 64, args = list_args(function(kind)
          return model.random(e, kind, shape, random)
        end) }
      end
      return all
    end
  end
  c.normal_means_stddevs = {
    random = true, ulps = 2,
    scenarios = with_parameters(function(make)
      return { omit, make 'any', make 'positive' }
    end),
    reference = function(e, _, means, deviations)
      return normals(e, means, function(i) return means.data[i] end,
                     function(i) return deviations.data[i] end)
    end,
  }
  c.normal_means = {
    random = true, inout = true, ulps = 2,
    scenarios = with_parameters(function(make) return { make 'any', omit, make 'any', 3 } end),
    reference = function(e, _, _, means, deviation)
      return normals(e, means, function(i) return means.data[i] end,
                     function() return deviation end)
    end,
  }
  c.normal_stddevs = {
    random = true, ulps = 2,
    scenarios = with_parameters(function(make) return { omit, -2, make 'positive' } end),
    reference = function(e, _, mean, deviations)
      return normals(e, deviations, function() return mean end,
                     function(i) return deviations.data[i] end)
    end,
  }

  -- Alias tables. Aliases count from 1. By Torch7's rules, 1 means no alias, otherwise the category
  -- itself does.
  local function alias_tables(e, p)
    local torch7 = tensor.getRule 'arithmetic' == 'torch7'
    local compute = e.reduced and shared.elements.Float.store or e.store
    local n, alias, q, smaller, larger = #p.data, {}, {}, {}, {}
    for i, x in ipairs(p.data) do
      local share = compute(n * x)
      alias[i], q[i] = torch7 and 1 or i, e.store(share)
      table.insert(share < 1 and smaller or larger, i)
    end
    while #smaller > 0 and #larger > 0 do
      local large, small = larger[#larger], smaller[#smaller]
      alias[small] = large
      q[large] = e.store(q[large] - (1 - q[small]))
      if q[large] < 1 then
        smaller[#smaller] = large
        larger[#larger] = nil
      else
        smaller[#smaller] = nil
      end
    end
    local most = math.max(unpack(q))
    for i = 1, n do
      if most > 1 then q[i] = e.store(q[i] / most) end
      if alias[i] == (torch7 and 1 or i) then q[i] = 1 end
    end
    return model.new({ n }, alias), model.new({ n }, q)
  end
  c.multinomialAliasSetup = {
    scenarios = function(e, random)
      local all = {}
      for i, n in ipairs { 5, 1, 30 } do
        local p, total = model.random(e, 'positive', { n }, random), 0
        for _, x in ipairs(p.data) do total = total + x end
        for k, x in ipairs(p.data) do p.data[k] = e.store(x / total) end
        all[i] = { args = { p } }
      end
      return all
    end,
    reference = alias_tables,
  }
  c.multinomialAliasDraw = {
    random = true, inout = true,
    scenarios = function(e, random)
      local alias, q = alias_tables(e, model.new({ 4 }, { 0.125, 0.25, 0.5, 0.125 }))
      local all = {}
      for i, shape in ipairs(shapes) do
        all[i] = { args = { model.random(shared.elements.Long, 'any', shape, random), omit, alias,
                            q } }
      end
      return all
    end,
    reference = function(_, m, _, alias, q)
      return model.fill(m.shape, function()
        local i = math.floor(tensor.uniform() * #q.data) + 1
        local own = tensor.uniform() <= q.data[i]
        local torch7 = tensor.getRule 'arithmetic' == 'torch7'
        return own and i or alias.data[i] - (torch7 and 1 or 0)
      end)
    end,
  }
  return c
end

return cases
