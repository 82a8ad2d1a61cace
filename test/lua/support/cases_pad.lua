-- Cases of the rows that pad a tensor.

local model = require 'support.model'
local over = require 'support.composed'.exactly_over

local cases = {}

function cases.install(shared)
  local omit = shared.omit
  local c = {}

  -- Returns the source position of an element of a padded tensor along a dimension, or nil.
  -- Positions 1 to n are the original elements.
  local sources = {
    value = function(i, n) return i >= 1 and i <= n and i or nil end,
    edge = function(i, n) return math.max(1, math.min(n, i)) end,
    wrap = function(i, n) return (i - 1) % n + 1 end,
    reflect = function(i, n)
      while n > 1 and (i < 1 or i > n) do i = i < 1 and 2 - i or 2 * n - i end
      return n > 1 and i or 1
    end,
    symmetric = function(i, n)
      while i < 1 or i > n do i = i < 1 and 1 - i or 2 * n + 1 - i end
      return i
    end,
  }
  local function padded(m, widths, mode, value)
    local shape, source = {}, sources[mode]
    for d, size in ipairs(m.shape) do shape[d] = size + widths[2 * d - 1] + widths[2 * d] end
    return model.build(shape, function(index)
      local from = {}
      for d, i in ipairs(index) do
        from[d] = source(i - widths[2 * d - 1], m.shape[d])
        if not from[d] then return value end
      end
      return (model.at(m, from))
    end)
  end
  local function widths_of(dims, values)
    local widths = {}
    for k = 1, 2 * dims do widths[k] = values[(k - 1) % #values + 1] end
    return { sizes = widths }
  end
  c.pad = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 }, { 0 }, { 2, 0, 3 } }, function(m, dims)
      return { m, widths_of(dims, { 1, 2, 0 }), omit }, { m, widths_of(dims, { 0 }), 3 },
             { m, widths_of(dims, { 3, 0, 1 }), 7 }
    end),
    reference = function(_, m, widths, value)
      return padded(m, widths.sizes, 'value', value == omit and 0 or value)
    end,
  }
  c.padMode = {
    scenarios = over({ { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 } }, function(m, dims)
      return { m, widths_of(dims, { 1, 2, 0 }), 'edge', omit },
             { m, widths_of(dims, { 5, 9, 1 }), 'reflect', omit },
             { m, widths_of(dims, { 9, 5 }), 'symmetric', omit },
             { m, widths_of(dims, { 9, 0, 3 }), 'wrap', omit },
             { m, widths_of(dims, { 0 }), 'edge', omit },
             { m, widths_of(dims, { 2, 0, 1 }), 'constant', 7 },
             { m, widths_of(dims, { 1 }), 'constant', omit }
    end),
    reference = function(_, m, widths, mode, value)
      if mode == 'constant' then mode, value = 'value', value == omit and 0 or value end
      return padded(m, widths.sizes, mode, value)
    end,
  }
  return c
end

return cases
