-- tensor.compile: functions that compare their arguments with each other and with what else they
-- can read, by == or as keys of tables.

local tensor = require 'tensor'
local support = require 'support.compiled'
local busy_collector = require('support.settings').gc

local D = tensor.Tensor

-- Calls f and its compiled function with each list of arguments, and compares the first results.
-- Some calls must be replayed. With the collector running all the time, a loop over the arguments
-- sometimes runs too often in LuaJIT of 2022, and the recording is refused.
local function compare(f, ...)
  local compiled = tensor.compile(f)
  for k = 1, select('#', ...) do
    local arguments = select(k, ...)
    if type(arguments) == 'function' then arguments = arguments() end
    local expected = f(unpack(arguments, 1, 3))
    assert.is_true(support.same(expected, (compiled(unpack(arguments, 1, 3)))), k)
  end
  if not busy_collector then assert.matches('done [1-9]%d* times', compiled:explain()) end
  return compiled
end

describe('compile notices', function()
  local x, y, z = D{ 1, 2, 3 }, D{ 4, 5, 6 }, D{ 7, 8, 9 }

  it('tensors that are keys of tables', function()
    local cache = { [x] = 5 }
    local function keyed(a) return a * (cache[a] or 1) end
    compare(keyed, { x }, { x }, { x }, { y }, { y }, { y }, { x }, { z })
    compare(keyed, { y }, { y }, { y }, { x })
    local sets = { frozen = setmetatable({ [x] = true }, { __mode = 'k' }) }
    compare(function(a) return sets.frozen[a] and a * 1 or a * 2 end,
            { y }, { y }, { y }, { x }, { z })
    -- A key of which the function knows elements, too.
    compare(function(a)
      for key, factor in pairs(cache) do a = a + key * factor end
      return a
    end, { x }, { x }, { x }, { y })
  end)

  it('keys that come and go', function()
    local cache = {}
    local function put(key, value) return function() cache[key] = value return { x } end end
    compare(function(a) return a * (cache[a] or 1) end, { x }, { x }, { x }, put(x, 4), { x },
            { x }, put(x, nil), { x }, { y }, put(y, 3), { y }, { x })
  end)

  it('the state of parameters that a function makes', function()
    local function new()
      local state = {}
      local df = tensor.grad(function(p) return tensor.cmul(p, p):sum() end, { tensors = true })
      return function(p)
        local gradient = df(p)
        state[p] = state[p] or tensor.zerosLike(p)
        state[p]:mul(0.9):add(gradient)
        p:add(-0.1, state[p])
      end
    end
    local f, c = new(), tensor.compile(new())
    for _ = 1, 3 do
      local p, q = D{ 1, 2 }, D{ 1, 2 }
      for _ = 1, 5 do f(p) c(q) end
      assert.is_true(p:equal(q))
    end
    assert.matches('done 2 times', c:explain())
  end)

  it('which tables among its arguments are one', function()
    local t, s = { x }, { x }
    local function f(a, b) return a[1] * (rawequal(a, b) and 2 or 3) end
    compare(f, { t, t }, { t, t }, { t, t }, { t, s }, { s, s })
    compare(f, { t, s }, { t, s }, { t, s }, { t, t })
    compare(function(a) return a[1][1] * (a[1] == a.deep[1] and 2 or 3) end,
            { { t, deep = { t } } }, { { t, deep = { t } } }, { { t, deep = { t } } },
            { { t, deep = { s } } }, { { s, deep = { s } } })
    local function loop(of)
      local a = { of }
      a.self = a
      return { a }
    end
    compare(function(a) return a[1] * (a.self == a and 2 or 3) end, loop(x), loop(y), loop(z),
            { { x, self = { y, self = {} } } })
  end)

  it('tables among its arguments that it can read', function()
    local fixed, other = { x }, { x }
    local function equal(a) return a[1] * (a == fixed and 2 or 3) end
    compare(equal, { other }, { other }, { other }, { fixed }, { fixed }, { fixed }, { { y } })
    compare(equal, { fixed }, { fixed }, { fixed }, { other })
    local factors = { [fixed] = 7 }
    compare(function(a) return a[1] * (factors[a] or 1) end,
            { other }, { other }, { other }, { fixed })
    local class = { __index = { k = 2 } }
    local object = setmetatable({}, class)
    compare(function(a) return x * (getmetatable(object) == a and object.k or 1) end,
            { {} }, { {} }, { {} }, { class })
    local metatable = { __index = function() return 2 end }
    local computed = setmetatable({}, metatable)
    compare(function(a) return x * (getmetatable(computed) == a and 2 or 1) end,
            { {} }, { {} }, { {} }, { metatable })
    -- A table that it can read since a later call.
    local holder = {}
    compare(function(a) return a[1] * (a == holder.t and 2 or 3) end, { other }, { other },
            { other }, function() holder.t = other return { other } end, { other }, { other },
            { fixed }, { other })
  end)

  it('keys of tables among its arguments', function()
    local function f(a, t) return a * (t[a] or 1) end
    compare(f, { x, { [x] = 5 } }, { x, { [x] = 5 } }, { y, { [y] = 5 } }, { y, { [x] = 5 } },
            { y, { [y] = 5 } })
    local key = { 1 }
    compare(function(a, t) return x * (t[a] or 1) end, { key, { [key] = 5 } },
            { key, { [key] = 5 } }, { key, { [key] = 5 } }, { { 1 }, { [key] = 5 } })
    compare(function(t)
      local sum = 0
      for k, v in pairs(t) do sum = sum + k.factor * v end
      return sum
    end, { { [{ factor = 2 }] = x } }, { { [{ factor = 2 }] = x } }, { { [{ factor = 2 }] = y } },
       { { [{ factor = 3 }] = x } })
  end)
end)

it('replays return tables with keys and tables as the function does', function()
  local c = tensor.compile(function(a)
    local gradient, both = a * 2, {}
    both.again = both
    return { [a] = gradient, both, both, gradient }, both
  end)
  for k = 1, 4 do
    local a = D{ k }
    local r, both = c(a)
    assert.are.equal(2 * k, r[a][1])
    assert.is_true(rawequal(r[3], r[a]) and rawequal(r[1], both) and rawequal(r[2], both)
                   and rawequal(both.again, both))
  end
  assert.matches('done 2 times', c:explain())
end)

it('compiled functions do not keep tensors and tables that are keys', function()
  local cache = setmetatable({}, { __mode = 'k' })
  local c = tensor.compile(function(a, t) return a * (cache[a] or 1) * (t[a] or 1) end)
  local alive = setmetatable({}, { __mode = 'k' })
  for k = 1, 3 do
    local x = D{ k }
    cache[x] = k
    for _ = 1, 4 do assert.are.equal(k * k * 5, c(x, { [x] = 5 })[1]) end
    alive[x] = true
  end
  for _ = 1, 3 do collectgarbage() end
  assert.is_nil(next(alive))
end)

it('compiled functions that call others do not read what these remember about calls', function()
  local inner = tensor.compile(function(p) return p.x * 2 end)
  local outer = tensor.compile(function(p) return inner(p) + 1 end)
  for k = 1, 6 do
    assert.are.equal(2 * k + 1, outer({ x = D{ k } })[1])
    assert.are.equal(2 * k, inner({ x = D{ k }, [k] = true })[1])
  end
  assert.matches('done 3 times', outer:explain())
end)

it('a module with tensors as keys is not compiled', function()
  local x, y = D{ 1, 2 }, D{ 3, 4 }
  local module = {}
  package.loaded.some_module = module
  local reason = 'can read a module or an environment with tensors as keys'
  local function f(a)
    module[a] = module[a] or 5
    return a * module[a]
  end
  local c = tensor.compile(f)
  for _, a in ipairs{ x, x, x, y, y } do assert.is_true(c(a):equal(a * 5)) end
  assert.matches(reason, c:explain(), 1, true)
  support.is_called(reason, f, x)
  package.loaded.some_module = nil
end)
