-- Cases of the rows that reduce, scan and sort.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 1, 1, 1 }, { 40, 3 } }
  local large = { 317, 331 }

  -- before: arguments between the tensor and the dimension; after: those after it.
  local function along(kind, before, after)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { large } or shapes) do
        local m = model.random(e, kind, shape, random)
        local dims = #shape > 1 and { 1, #shape, -1 } or { 1 }
        for k, d in ipairs(dims) do
          for j, rest in ipairs(after or { { omit }, { true }, { false } }) do
            if j == 1 or k == 2 or #shape == 1 then
              local args = { m }
              for _, x in ipairs(before or {}) do args[#args + 1] = x end
              args[#args + 1] = d
              for _, x in ipairs(rest) do args[#args + 1] = x end
              all[#all + 1] = { args = args, scale = is_large and 331 * 64 or 512 }
            end
          end
        end
      end
      return all
    end
  end
  local function of_all(kind, rests)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { large } or shapes) do
        for _, rest in ipairs(rests or { {} }) do
          local args = { model.random(e, kind, shape, random) }
          for _, x in ipairs(rest) do args[#args + 1] = x end
          all[#all + 1] = { args = args, scale = is_large and 8 * 104927 or 512 }
        end
      end
      return all
    end
  end

  local slices, reduced = lines.slices, lines.reduced

  local function sum(list)
    local total = 0
    for _, x in ipairs(list) do total = total + x end
    return total
  end
  local function product(e)
    return function(list)
      local total = 1
      for _, x in ipairs(list) do total = e.integral and e.store(total * x) or total * x end
      return total
    end
  end
  local function mean(list) return sum(list) / #list end
  local function variance(biased)
    return function(list)
      local middle, total = mean(list), 0
      for _, x in ipairs(list) do total = total + (x - middle) ^ 2 end
      return total / (biased == true and #list or #list - 1)
    end
  end
  local function deviation(biased)
    local var = variance(biased)
    return function(list) return math.sqrt(var(list)) end
  end
  local function power_mean(p)
    return function(list)
      local total, largest, smallest = 0, 0, math.huge
      for _, x in ipairs(list) do
        local size = math.abs(x)
        largest, smallest = math.max(largest, size), math.min(smallest, size)
        if p == 0 then
          total = total + (x ~= 0 and 1 or 0)
        else
          total = total + size ^ p
        end
      end
      if p == math.huge then return largest end
      if p == -math.huge then return smallest end
      return p == 0 and total or total ^ (1 / p)
    end
  end

  local function row_of(name, kind, f)
    c[name] = {
      ulps = 2, scenarios = along(kind),
      reference = function(e, m, d, keep)
        local of = f(e)
        return reduced(m, d, keep, function(list) return e.store(of(list)) end)
      end,
    }
  end
  row_of('sum', 'wide', function() return sum end)
  row_of('prod', 'factor', product)
  row_of('mean', 'any', function() return mean end)

  local function all_of(name, kind, f, rests)
    c[name] = {
      ulps = 4, accumulated = true, scenarios = of_all(kind, rests),
      reference = function(e, m, x) return f(e, x)(m.data) end,
    }
  end
  all_of('sumall', 'wide', function() return sum end)
  all_of('prodall', 'factor', function()
    return function(list)
      local total = 1
      for _, x in ipairs(list) do total = total * x end
      return total
    end
  end)
  -- Products of many elements would overflow in every type, so most factors are set to 1.
  local all_products = c.prodall.scenarios
  c.prodall.scenarios = function(e, random, is_large)
    local list = all_products(e, random, is_large)
    for _, scenario in ipairs(list) do
      for i, x in ipairs(scenario.args[1].data) do
        if i > 30 and math.abs(x) ~= 1 then scenario.args[1].data[i] = 1 end
      end
    end
    return list
  end
  all_of('meanall', 'any', function() return mean end)
  local bias = { { omit }, { false }, { true } }
  all_of('varall', 'any', function(_, biased) return variance(biased) end, bias)
  all_of('stdall', 'any', function(_, biased) return deviation(biased) end, bias)
  local powers = { { omit }, { 1 }, { 2 }, { 3 }, { 0 }, { math.huge }, { -math.huge }, { 1.5 } }
  all_of('normall', 'any', function(_, p) return power_mean(p == omit and 2 or p) end, powers)

  local function moment(name, f)
    c[name] = {
      ulps = 4,
      scenarios = along('any', nil, { { omit, omit }, { true, omit }, { true, false } }),
      reference = function(e, m, d, biased, keep)
        local of = f(biased)
        return reduced(m, d, keep, function(list) return e.store(of(list)) end)
      end,
    }
  end
  moment('var', variance)
  moment('std', deviation)
  c.norm = {
    ulps = 4,
    scenarios = function(e, random, is_large)
      local all = {}
      for _, p in ipairs(is_large and { 2, 1 } or { 2, 1, 3, 0, math.huge }) do
        for _, s in ipairs(along('any', { p })(e, random, is_large)) do all[#all + 1] = s end
      end
      return all
    end,
    reference = function(e, m, p, d, keep)
      local of = power_mean(p)
      return reduced(m, d, keep, function(list) return e.store(of(list)) end)
    end,
  }
  c.dist = {
    ulps = 4, accumulated = true,
    scenarios = function(e, random)
      local all = {}
      for _, shape in ipairs(shapes) do
        for _, p in ipairs { omit, 1, 3 } do
          all[#all + 1] = { scale = 64, args = { model.random(e, 'any', shape, random),
                                                 model.random(e, 'any', shape, random), p } }
        end
      end
      return all
    end,
    reference = function(e, a, b, p)
      local store = e.reduced and shared.elements.Float.store or e.store
      local differences = model.map(function(x, y) return store(x - y) end, a, b)
      return power_mean(p == omit and 2 or p)(differences.data)
    end,
  }

  local function extreme(better)
    return function(list)
      local best, at
      for i, x in ipairs(list) do
        if best == nil or better(x, best) then best, at = x, i end
      end
      return best, at
    end
  end
  for name, better in pairs { min = function(x, y) return x < y end,
                              max = function(x, y) return x > y end } do
    local find = extreme(better)
    c[name] = {
      ulps = 0, scenarios = along('small'),
      reference = function(_, m, d, keep)
        return reduced(m, d, keep, function(list) return (find(list)) end),
               reduced(m, d, keep, function(list) return select(2, find(list)) end)
      end,
    }
    c[name .. 'all'] = {
      ulps = 0, scenarios = of_all('wide'),
      reference = function(_, m) return (find(m.data)) end,
    }
  end

  local function logical(want)
    return {
      ulps = 0,
      scenarios = function(e, random)
        local all = of_all('logical')(e, random)
        for _, x in ipairs { 0, 1 } do
          all[#all + 1] = { args = { model.fill({ 3, 5 }, function() return x end) } }
        end
        all[#all + 1] = { args = { model.new { 0 } } }
        return all
      end,
      reference = function(_, m)
        for _, x in ipairs(m.data) do
          if (x ~= 0) == want then return want end
        end
        return not want
      end,
    }
  end
  c.logicalall, c.logicalany = logical(false), logical(true)

  c.trace = {
    ulps = 2, accumulated = true,
    scenarios = function(e, random)
      local all = {}
      for i, shape in ipairs { { 3, 3 }, { 2, 5 }, { 5, 2 }, { 1, 1 } } do
        all[i] = { args = { model.random(e, 'any', shape, random) }, scale = 32 }
      end
      return all
    end,
    reference = function(_, m)
      local total = 0
      for i = 1, math.min(m.shape[1], m.shape[2]) do total = total + model.at(m, { i, i }) end
      return total
    end,
  }

  local function scan(kind, combine)
    return {
      ulps = 4,
      scenarios = function(e, random, is_large)
        local all = {}
        for _, shape in ipairs(is_large and { large } or shapes) do
          local m = model.random(e, kind, shape, random)
          all[#all + 1] = { args = { m, omit }, scale = 8 * shape[1] }
          all[#all + 1] = { args = { m, #shape }, scale = 8 * shape[#shape] }
        end
        all[#all + 1] = { args = { model.new { 0 }, omit } }
        return all
      end,
      reference = function(e, m, d)
        if d == omit then d = 1 end
        local result = model.copy(m)
        local outer = {}
        for i, size in ipairs(m.shape) do outer[i] = size end
        outer[d] = math.min(outer[d], 1)
        for position = 0, model.count(outer) - 1 do
          local index = model.indices(outer, position)
          local running
          for i = 1, m.shape[d] do
            index[d] = i
            local x, at = model.at(m, index)
            running = running and combine(e, running, x) or x
            result.data[at] = e.store(running)
          end
        end
        return result
      end,
    }
  end
  c.cumsum = scan('any', function(e, a, x) return e.integral and e.store(a + x) or a + x end)
  c.cumprod = scan('factor', function(e, a, x) return e.integral and e.store(a * x) or a * x end)

  c.sort = {
    ulps = 0,
    scenarios = function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { { 3, 40009 } } or shapes) do
        for _, kind in ipairs { 'small', 'wide' } do
          local m = model.random(e, kind, shape, random)
          all[#all + 1] = { args = { m, omit, omit } }
          if not is_large then
            all[#all + 1] = { args = { m, 1, true } }
            all[#all + 1] = { args = { m, 1, false } }
          end
        end
      end
      return all
    end,
    -- Equal elements keep their order.
    reference = function(_, m, d, descending)
      d = d == omit and #m.shape or d
      local values, places = model.copy(m), model.copy(m)
      local lists, outer = slices(m, d)
      for k, list in ipairs(lists) do
        local order = {}
        for i = 1, #list do order[i] = i end
        table.sort(order, function(i, j)
          local x, y = list[i], list[j]
          if x == y then return i < j end
          if descending == true then return x > y end
          return x < y
        end)
        local index = model.indices(outer, k - 1)
        for i = 1, #list do
          index[d] = i
          local _, at = model.at(m, index)
          values.data[at], places.data[at] = list[order[i]], order[i]
        end
      end
      return values, places
    end,
  }
  return c
end

return cases
