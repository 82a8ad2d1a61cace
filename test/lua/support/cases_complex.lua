-- Cases of complex numbers, computed element by element.

local model = require 'support.model'
local complex = require 'support.complex'

local complex_of, model_of = complex.of_model, complex.to_model

local cases = {}

function cases.install()
  local c = {}

  local function pairs_of_models(kind, list, is_complex)
    return function(e, random)
      local all = {}
      for _, shapes in ipairs(list) do
        local args = {}
        for k, shape in ipairs(shapes) do
          local full = { unpack(shape) }
          if is_complex then full[#full + 1] = 2 end
          args[k] = model.random(e, kind, full, random)
        end
        all[#all + 1] = { scale = 4096, args = args }
      end
      return all
    end
  end
  local same = { { { 5 }, { 5 } }, { { 2, 3 }, { 2, 3 } }, { { 0 }, { 0 } } }
  local function joined(e, a, b, f)
    local re, im = {}, {}
    for k = 1, #a.data do re[k], im[k] = f(a.data[k], b.data[k]) end
    return model_of(e, { shape = a.shape, re = re, im = im })
  end
  c.complexOf = {
    scenarios = pairs_of_models('any', same, false),
    reference = function(e, a, b) return joined(e, a, b, function(x, y) return x, y end) end,
  }
  c.polar = {
    ulps = 4, scenarios = pairs_of_models('any', same, false),
    reference = function(e, a, b)
      return joined(e, a, b, function(x, y) return x * math.cos(y), x * math.sin(y) end)
    end,
  }
  local single = { { { 5 } }, { { 2, 3 } }, { { 0 } } }
  local function number_case(f)
    return {
      ulps = 4, scenarios = pairs_of_models('any', single, true),
      reference = function(e, m)
        local t, data = complex_of(m), {}
        for k = 1, #t.re do data[k] = e.store(f(t.re[k], t.im[k])) end
        return model.new(t.shape, data)
      end,
    }
  end
  c.complexAbs = number_case(function(x, y) return math.sqrt(x * x + y * y) end)
  c.complexAngle = number_case(function(x, y) return (math.atan2 or math.atan)(y, x) end)
  c.complexConj = {
    scenarios = pairs_of_models('any', single, true),
    reference = function(e, m)
      local t = complex_of(m)
      for k = 1, #t.im do t.im[k] = -t.im[k] end
      return model_of(e, t)
    end,
  }
  local broadcast = { { { 5 }, { 5 } }, { { 2, 3 }, { 3 } }, { { 2, 1 }, { 1, 4 } },
                      { { 0 }, { 1 } }, { { 67 }, { 67 } } }
  local function both_case(f)
    return function(e, a, b)
      local shape, ndim = {}, math.max(#a.shape, #b.shape)
      local function size(m, d) return m.shape[d - ndim + #m.shape] or 1 end
      for d = 1, ndim - 1 do
        shape[d] = size(a, d) == 1 and size(b, d) or size(a, d)
      end
      local re, im = {}, {}
      for position = 0, model.count(shape) - 1 do
        local index = model.indices(shape, position)
        local function at(m, part)
          local own = {}
          for d = ndim - #m.shape + 1, ndim - 1 do
            own[#own + 1] = size(m, d) == 1 and 1 or index[d]
          end
          own[#own + 1] = part
          return (model.at(m, own))
        end
        re[position + 1], im[position + 1] = f(at(a, 1), at(a, 2), at(b, 1), at(b, 2))
      end
      return model_of(e, { shape = shape, re = re, im = im })
    end
  end
  c.complexMul = {
    ulps = 4, scenarios = pairs_of_models('any', broadcast, true),
    reference = both_case(function(a, b, x, y) return a * x - b * y, a * y + b * x end),
  }
  c.complexDiv = {
    ulps = 8, scenarios = pairs_of_models('positive', broadcast, true),
    reference = both_case(function(a, b, x, y)
      local d = x * x + y * y
      return (a * x + b * y) / d, (b * x - a * y) / d
    end),
  }
  return c
end

return cases
