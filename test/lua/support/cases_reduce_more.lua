-- Cases of more reductions: over several dimensions, of integers in doubles, logical, ignoring NaN,
-- and log-sum-exp.

local lines = require 'support.lines'
local model = require 'support.model'

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local reduced, reduced_over = lines.reduced, lines.reduced_over

  local shapes = { { 7 }, { 3, 4 }, { 2, 3, 5 }, { 1 }, { 1, 1, 1 } }
  local large = { 317, 331 }

  -- Returns the value of keepdim; if it is omitted, by_default.
  local function keeps(keep, by_default)
    if keep == omit then return by_default end
    return keep
  end

  local function scenarios(kind, list_args)
    return function(e, random, is_large)
      local all = {}
      for _, shape in ipairs(is_large and { large } or shapes) do
        for _, args in ipairs(list_args(#shape)) do
          local list = { model.random(e, kind, shape, random) }
          for _, x in ipairs(args) do list[#list + 1] = x end
          all[#all + 1] = { args = list, scale = is_large and 331 * 317 or 512 }
        end
      end
      return all
    end
  end
  local function of_all() return { {} } end
  local function along(dims)
    if dims == 1 then return { { 1, omit }, { 1, true } } end
    return { { 1, omit }, { dims, true }, { -1, false } }
  end
  local function over(dims)
    local all = { { { dims = { 1 } }, omit } }
    if dims > 1 then
      all[2] = { { dims = { 2, 1 } }, true }
      all[3] = { { dims = { 1, -1 } }, false }
    end
    if dims > 2 then all[4] = { { dims = { 1, 2, 3 } }, omit } end
    return all
  end
  -- Inserts the argument `biased` of variances after the first argument.
  local function moments(list_args)
    return function(dims)
      local all = {}
      for i, args in ipairs(list_args(dims)) do
        all[i] = { args[1], i % 2 == 0 and true or omit, i % 2 == 0 and args[2] or omit }
      end
      return all
    end
  end

  local function sum(list)
    local total = 0
    for _, x in ipairs(list) do total = total + x end
    return total
  end
  local function product(list)
    local total = 1
    for _, x in ipairs(list) do total = total * x end
    return total
  end
  local function mean(list) return sum(list) / #list end
  local function variance(list, biased)
    local middle, total = mean(list), 0
    for _, x in ipairs(list) do total = total + (x - middle) ^ 2 end
    return total / (biased == true and #list or #list - 1)
  end
  local function deviation(list, biased) return math.sqrt(variance(list, biased)) end
  local function norm(list)
    local total = 0
    for _, x in ipairs(list) do total = total + x * x end
    return math.sqrt(total)
  end
  local function best(list, better)
    local at = 1
    for i, x in ipairs(list) do
      if better(x, list[at]) then at = i end
    end
    return list[at], at
  end
  local function less(x, y) return x < y end
  local function greater(x, y) return x > y end
  local function numbers(list)
    local all = {}
    for _, x in ipairs(list) do
      if x == x then all[#all + 1] = x end
    end
    return all
  end
  local function nansum(list) return sum(numbers(list)) end
  local function nanmean(list) return mean(numbers(list)) end
  local function logsumexp(list)
    local top, total = (best(list, greater)), 0
    for _, x in ipairs(list) do total = total + math.exp(x - top) end
    return top + math.log(total)
  end
  local function all(list)
    for _, x in ipairs(list) do
      if x == 0 then return 0 end
    end
    return 1
  end
  local function any(list)
    for _, x in ipairs(list) do
      if x ~= 0 then return 1 end
    end
    return 0
  end

  local function dims_row(name, kind, f, keep_by_default)
    c[name] = {
      ulps = 4, scenarios = scenarios(kind, over),
      reference = function(e, m, dims, keep)
        return reduced_over(m, dims.dims, keeps(keep, keep_by_default), function(list)
          return e.store(f(list))
        end)
      end,
    }
  end
  dims_row('sumDims', 'wide', sum, true)
  dims_row('prodDims', 'factor', product, true)
  c.prodDims.scenarios = function(e, random)
    local list = scenarios('factor', over)(e, random)
    for _, scenario in ipairs(list) do scenario.scale = nil end
    return list
  end
  dims_row('meanDims', 'any', mean, true)
  dims_row('minDims', 'wide', function(list) return (best(list, less)) end, true)
  dims_row('maxDims', 'wide', function(list) return (best(list, greater)) end, true)
  dims_row('logicalAllDims', 'logical', all, false)
  dims_row('logicalAnyDims', 'logical', any, false)
  dims_row('nansumDims', 'maybe_nan', nansum, false)
  dims_row('nanmeanDims', 'maybe_nan', nanmean, false)
  dims_row('logsumexpDims', 'any', logsumexp, false)
  c.normDims = {
    ulps = 4,
    scenarios = scenarios('any', function(dims)
      local list = {}
      for i, args in ipairs(over(dims)) do list[i] = { 2, args[1], args[2] } end
      return list
    end),
    reference = function(e, m, _, dims, keep)
      return reduced_over(m, dims.dims, keeps(keep, true), function(list)
        return e.store(norm(list))
      end)
    end,
  }
  for name, f in pairs { varDims = variance, stdDims = deviation } do
    local function reference(store)
      return function(e, m, dims, biased, keep)
        return reduced_over(m, dims.dims, keeps(keep, true), function(list)
          return store(e, f(list, biased))
        end)
      end
    end
    c[name] = {
      ulps = 4, scenarios = scenarios('any', moments(over)),
      reference = reference(function(e, x) return e.store(x) end),
    }
    c[name .. 'Double'] = {
      ulps = 4, doubles = true, scenarios = scenarios('any', moments(over)),
      reference = reference(function(_, x) return x end),
    }
  end

  -- Integers are averaged in doubles.
  c.meanDimsDouble = {
    ulps = 4, doubles = true, scenarios = scenarios('wide', over),
    reference = function(_, m, dims, keep)
      return reduced_over(m, dims.dims, keeps(keep, true), mean)
    end,
  }
  c.meanallDouble = {
    ulps = 4, doubles = true, scenarios = scenarios('wide', of_all),
    reference = function(_, m) return mean(m.data) end,
  }
  c.meanDouble = {
    ulps = 4, doubles = true, scenarios = scenarios('wide', along),
    reference = function(_, m, d, keep) return reduced(m, d, keep, mean) end,
  }
  for name, f in pairs { var = variance, std = deviation } do
    c[name .. 'allDouble'] = {
      ulps = 4, doubles = true,
      scenarios = scenarios('any', function() return { { omit }, { true }, { false } } end),
      reference = function(_, m, biased) return f(m.data, biased) end,
    }
    c[name .. 'Double'] = {
      ulps = 4, doubles = true, scenarios = scenarios('any', moments(along)),
      reference = function(_, m, d, biased, keep)
        return reduced(m, d, keep, function(list) return f(list, biased) end)
      end,
    }
  end

  -- In operations with NumPy's and PyTorch's names, the dimension is dropped unless keep is true.
  local function along_row(name, kind, f, stores)
    c[name] = {
      ulps = 4, scenarios = scenarios(kind, along),
      reference = function(e, m, d, keep)
        return reduced(m, d, keeps(keep, false), function(list)
          local x = f(list)
          return stores and e.store(x) or x
        end)
      end,
    }
  end
  local function all_row(name, kind, f)
    c[name] = {
      ulps = 4, accumulated = true, scenarios = scenarios(kind, of_all),
      reference = function(_, m) return f(m.data) end,
    }
  end
  along_row('logicalAll', 'logical', all)
  along_row('logicalAny', 'logical', any)
  along_row('argmax', 'small', function(list) return select(2, best(list, greater)) end)
  along_row('argmin', 'small', function(list) return select(2, best(list, less)) end)
  all_row('argmaxall', 'small', function(list) return select(2, best(list, greater)) end)
  all_row('argminall', 'small', function(list) return select(2, best(list, less)) end)
  along_row('nansum', 'maybe_nan', nansum, true)
  along_row('nanmean', 'maybe_nan', nanmean, true)
  all_row('nansumall', 'maybe_nan', nansum)
  local function nanproduct(list) return product(numbers(list)) end
  local function least(list) return #list > 0 and (best(list, less)) or 0 / 0 end
  local function most(list) return #list > 0 and (best(list, greater)) or 0 / 0 end
  local function nanmin(list) return least(numbers(list)) end
  local function nanmax(list) return most(numbers(list)) end
  local function nonzero(list)
    local n = 0
    for _, x in ipairs(list) do n = n + (x ~= 0 and 1 or 0) end
    return n
  end
  for name, row in pairs { nanprod = { 'factor', nanproduct }, nanmin = { 'maybe_nan', nanmin },
                           nanmax = { 'maybe_nan', nanmax } } do
    along_row(name, row[1], row[2], true)
    all_row(name .. 'all', row[1], row[2])
    dims_row(name .. 'Dims', row[1], row[2], false)
  end
  for _, name in ipairs { 'nanprod', 'nanprodall', 'nanprodDims' } do
    local list_of = c[name].scenarios
    c[name].scenarios = function(e, random)
      local list = list_of(e, random)
      for _, scenario in ipairs(list) do scenario.scale = nil end
      return list
    end
  end
  along_row('countNonzero', 'small', nonzero)
  all_row('countNonzeroall', 'small', nonzero)
  c.countNonzeroDims = {
    ulps = 0, scenarios = scenarios('small', over),
    reference = function(_, m, dims, keep)
      return reduced_over(m, dims.dims, keeps(keep, false), nonzero)
    end,
  }
  -- The unbiased variance of one number is NaN.
  local function nanvariance(list, biased)
    list = numbers(list)
    if #list <= (biased == true and 0 or 1) then return 0 / 0 end
    return variance(list, biased)
  end
  local function nandeviation(list, biased) return math.sqrt(nanvariance(list, biased)) end
  for name, f in pairs { nanvar = nanvariance, nanstd = nandeviation } do
    c[name] = {
      ulps = 8, scenarios = scenarios('maybe_nan', moments(along)),
      reference = function(e, m, d, biased, keep)
        return reduced(m, d, keeps(keep, false), function(list)
          return e.store(f(list, biased))
        end)
      end,
    }
    c[name .. 'Dims'] = {
      ulps = 8, scenarios = scenarios('maybe_nan', moments(over)),
      reference = function(e, m, dims, biased, keep)
        return reduced_over(m, dims.dims, keeps(keep, false), function(list)
          return e.store(f(list, biased))
        end)
      end,
    }
    c[name .. 'all'] = {
      ulps = 8, accumulated = true,
      scenarios = scenarios('maybe_nan', function() return { { omit }, { true } } end),
      reference = function(_, m, biased) return f(m.data, biased) end,
    }
  end
  -- Any number may be subtracted from n.
  local function corrected(list, correction)
    return variance(list, true) * #list / math.max(#list - correction, 0)
  end
  local function corrections(list_args)
    return function(dims)
      local made = {}
      for i, args in ipairs(list_args(dims)) do
        made[i] = { args[1], i % 2 / 2, args[2] }
      end
      return made
    end
  end
  for name, root in pairs { varCorrection = false, stdCorrection = true } do
    for suffix, doubles in pairs { [''] = false, Double = true } do
      local function f(e, correction)
        return function(list)
          local x = corrected(list, correction)
          x = root and math.sqrt(x) or x
          return doubles and x or e.store(x)
        end
      end
      c[name .. suffix] = {
        ulps = 8, doubles = doubles, scenarios = scenarios('any', corrections(along)),
        reference = function(e, m, d, correction, keep)
          return reduced(m, d, keeps(keep, true), f(e, correction))
        end,
      }
      c[name .. 'Dims' .. suffix] = {
        ulps = 8, doubles = doubles, scenarios = scenarios('any', corrections(over)),
        reference = function(e, m, dims, correction, keep)
          return reduced_over(m, dims.dims, keeps(keep, true), f(e, correction))
        end,
      }
    end
  end
  all_row('nanmeanall', 'maybe_nan', nanmean)
  along_row('logsumexp', 'any', logsumexp, true)
  all_row('logsumexpall', 'any', logsumexp)

  for name, of in pairs { softmax = math.exp, logSoftmax = function(x) return x end } do
    c[name] = {
      ulps = 8,
      scenarios = scenarios('any', function(dims) return { { omit }, { 1 }, { dims } } end),
      reference = function(e, m, d)
        d = d == omit and #m.shape or d
        return (lines.mapped(m, d, 1, function(list)
          local total, made = logsumexp(list), {}
          for i, x in ipairs(list) do made[i] = e.store(of(x - total)) end
          return made
        end))
      end,
    }
  end

  local function running(better)
    return {
      ulps = 0, scenarios = scenarios('small', function(dims) return { { omit }, { dims } } end),
      reference = function(_, m, d)
        return lines.mapped(m, d == omit and 1 or d, 2, function(list)
          local values, places, at = {}, {}, 1
          for i, x in ipairs(list) do
            if x == list[at] or better(x, list[at]) then at = i end
            values[i], places[i] = list[at], at
          end
          return values, places
        end)
      end,
    }
  end
  c.cummax, c.cummin = running(greater), running(less)
  return c
end

return cases
