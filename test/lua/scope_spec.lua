-- tensor.scope frees what a function makes, except what it returns or keeps.

local child = require 'support.child'
local data = require 'tensor.data'
local tensor = require 'tensor'
local unpack = require 'tensor.versions'.unpack

local function is_freed(t)
  local fine, message = pcall(function() return t:nElement() end)
  if not fine then assert.matches('freed', message) end
  return not fine
end

describe('tensor.scope', function()
  it('returns the results and frees everything else', function()
    local before = tensor.Tensor{1, 2, 3}
    local made = {}
    local a, b, c = tensor.scope(function(x, y)
      made[1], made[2] = x + 1, x * y
      made[3] = made[1]:storage()
      made[4] = made[2]:narrow(1, 1, 2)
      before:add(made[1])
      return made[2]:sum(), made[1] - made[2], nil
    end, before, 2)
    assert.equal(12, a)
    assert.same({0, -1, -2}, b:totable())
    assert.is_nil(c)
    assert.same({3, 5, 7}, before:totable())
    for k = 1, 4 do assert.is_true(k == 3 or is_freed(made[k]), k) end
    assert.has_error(function() return made[3]:size() end)
  end)

  it('keeps nested results, and the memory of their views', function()
    local result = tensor.scope(function()
      local whole = tensor.range(1, 6)
      local list = {rows = {whole:view(2, 3)[2]}, whole:storage()}
      list.self = list
      return list
    end)
    collectgarbage()
    assert.same({4, 5, 6}, result.rows[1]:totable())
    assert.equal(6, result[1]:size())
    assert.equal(result, result.self)
  end)

  it('finds results in long lists and behind __pairs', function()
    local list = tensor.scope(function()
      local last = {value = tensor.ones(2)}
      for _ = 1, 2e5 do last = {next = last} end
      return setmetatable({list = last}, {__pairs = error})
    end)
    local node = list.list
    while node.next do node = node.next end
    assert.equal(2, node.value:sum())
  end)

  it('keeps what keep is given, in all scopes', function()
    local cache, inner = {}, nil
    tensor.scope(function()
      tensor.scope(function()
        cache.a = tensor.keep(tensor.ones(2))
        cache.b, cache.n = tensor.keep({tensor.ones(3)}, 5)
        inner = tensor.ones(4)
      end)
    end)
    assert.equal(2, cache.a:sum())
    assert.equal(3, cache.b[1]:sum())
    assert.equal(5, cache.n)
    assert.is_true(is_freed(inner))
  end)

  it('gives the results of an inner scope to the outer one', function()
    local inner
    local sum = tensor.scope(function()
      inner = tensor.scope(function() return tensor.ones(5) end)
      return inner:sum()
    end)
    assert.equal(5, sum)
    assert.is_true(is_freed(inner))
    local kept = tensor.scope(function()
      return tensor.scope(function() return tensor.ones(5) end)
    end)
    assert.equal(5, kept:sum())
  end)

  it('passes errors on', function()
    local made
    local fine, message = pcall(tensor.scope, function()
      made = tensor.ones(2)
      error({code = 7, at = {tensor.ones(3)}})
    end)
    assert.is_false(fine)
    assert.equal(7, message.code)
    assert.equal(3, message.at[1]:sum())
    assert.is_true(is_freed(made))
    assert.has_error(function() tensor.scope(5) end, 'scope: a function is expected, got number')
    assert.is_false(is_freed(tensor.ones(2)))
  end)

  it('leaves generators alone', function()
    local generator
    tensor.scope(function() generator = tensor.Generator() end)
    assert.are.equal('number', type(tensor.uniform(generator, 0, 1)))
  end)

  it('raises errors where a freed tensor is used', function()
    local t, s
    tensor.scope(function()
      t = tensor.ones(2, 2)
      s = t:storage()
    end)
    local other = tensor.ones(2, 2)
    for _, use in ipairs {
      function() return t[1] end, function() return t[{1, 2}] end, function() t[1] = 3 end,
      function() t[{1, 2}] = 3 end, function() return t + 1 end, function() return other * t end,
      function() return other:copy(t) end, function() return #t end, function() return t:size() end,
      function() return t:data() end, function() return tostring(t) == nil and error 'nil' end,
      function() return s[1] end, function() return tensor.Tensor(s) end,
      function() return tensor.cat({other, t}) end, function() return t:totable() end,
    } do
      for _ = 1, 100 do pcall(use) end  -- compiled, too
    end
    for _, use in ipairs {
      function() return t + 1 end, function() return t[{1, 2}] end, function() return s[1] end,
      function() return tensor.add(other, t) end, function() return t:exp() end,
      function() return tensor.cat({other, t}) end,
    } do
      local fine, message = pcall(use)
      assert.is_false(fine)
      assert.matches('freed', message)
    end
    assert.equal(4, other:sum())
  end)

  it('makes freed tensors recognizable', function()
    local t, s
    tensor.scope(function()
      t = tensor.ones(2)
      s = tensor.LongStorage(2)
    end)
    assert.equal('[freed torch.DoubleTensor]', tostring(t))
    assert.equal('[freed torch.LongStorage]', tostring(s))
    local optim, tree = require 'tensor.optim', require 'tensor.tree'
    for _, use in ipairs {
      function() return t:type() end, function() return s:type() end,
      function() return tree.leaves {{t}} end, function() return optim.clipNorm({t}, 1) end,
      function() return optim.sgd {rate = 1}({w = t}, {w = tensor.ones(2)}) end,
    } do
      local fine, message = pcall(use)
      assert.is_false(fine)
      assert.matches('a finalizer or tensor.scope has freed', message)
    end
  end)

  it('does not free what other coroutines make', function()
    local thread = coroutine.wrap(function()
      local mine = tensor.ones(3)
      coroutine.yield(mine)
      coroutine.yield(tensor.scope(function() return mine + 1 end))
      local _ = mine + 1
      return mine
    end)
    local mine, result
    tensor.scope(function()
      mine, result = thread(), thread()
    end)
    assert.equal(3, mine:sum())
    assert.equal(6, result:sum())
    assert.equal(mine, thread())
  end)

  it('may be left by a coroutine that yields', function()
    local made
    local thread = coroutine.wrap(function()
      return tensor.scope(function()
        made = tensor.ones(3)
        return made + coroutine.yield(1)
      end)
    end)
    if not pcall(thread) then return end  -- Lua 5.1 cannot yield through pcall
    local meanwhile = tensor.ones(2)
    local nested = tensor.scope(function() return tensor.ones(1) end)
    assert.equal(9, thread(2):sum())
    assert.is_true(is_freed(made))
    assert.is_false(is_freed(meanwhile))
    assert.is_false(is_freed(nested))
  end)

  it('belongs to a coroutine while others have scopes, too', function()
    local function request(made)
      return coroutine.wrap(function()
        return tensor.scope(function()
          for k = 1, 3 do
            made[k] = tensor.ones(k)
            coroutine.yield()
          end
          return tensor.ones(4)
        end)
      end)
    end
    local a, b, c, resumed = {}, {}, {}, nil
    local threads = {request(a), request(b), request(c)}
    if not pcall(threads[1]) then return end  -- Lua 5.1 cannot yield through pcall
    threads[2]()
    local between = tensor.scope(function()
      threads[3]()
      local result = tensor.ones(2)
      for _ = 1, 2 do
        for k = 1, 3 do threads[k]() end
      end
      resumed = tensor.ones(2)
      return result
    end)
    assert.is_true(is_freed(resumed))
    assert.is_false(is_freed(between))
    for _, made in ipairs {a, b, c} do
      for k = 1, 3 do assert.is_false(is_freed(made[k])) end
    end
    for index, made in ipairs {a, b, c} do
      assert.equal(4, threads[index]():sum())
      for k = 1, 3 do assert.is_true(is_freed(made[k]), k) end
    end
  end)

  it('may be ended by another coroutine, and before inner ones', function()
    local made, scope = {}, nil
    local thread = coroutine.wrap(function()
      local outer = tensor.scope()
      scope = tensor.scope()
      made[1] = tensor.ones(1)
      coroutine.yield()
      made[2] = tensor.ones(2)
      scope = tensor.scope()
      made[3] = tensor.ones(3)
      outer:close()
      made[4] = tensor.ones(4)
      scope:close()
      made[5] = tensor.ones(5)
    end)
    thread()
    scope:close()
    thread()
    for k = 1, 4 do assert.is_true(is_freed(made[k]), k) end
    assert.is_false(is_freed(made[5]))
  end)

  it('frees what a coroutine makes with another value of a setting', function()
    local made
    local function make(x)
      made = tensor.isTensor(x) and x * 2 or made
      return x
    end
    local checkpoint = tensor.checkpoint(function(x)
      make(x)
      return x:sum()
    end)
    local source = tensor.ones(4, 2)
    for name, f in pairs {
      checkpoint = function() tensor.grad(checkpoint)(tensor.ones(3)) end,
      withDevice = function() tensor.withDevice('cpu', make, tensor.ones(3)) end,
      batches = function()
        for _ in data.batches({source}, {size = 2, transform = make})() do tensor.ones(1) end
      end,
    } do
      for _, thread in ipairs {tensor.scope, coroutine.wrap(function() tensor.scope(f) end)} do
        made = nil
        thread(f)
        assert.is_true(is_freed(made), name)
      end
    end
    coroutine.wrap(function()
      tensor.scope(function()
        tensor.withDevice('cpu', tensor.keep, tensor.ones(3))
        assert.has_error(function() tensor.withDevice('cpu', error, 'here') end, 'here')
        made = tensor.ones(3)
      end)
    end)()
    assert.is_true(is_freed(made))
  end)

  it('is collected with its tensors if it is abandoned', function()
    local function abandon(number)
      local t = tensor.scope(function()
        return tensor.ones(1000):add(number)
      end)
      tensor.scope()
      tensor.ones(1000):add(t)
      error 'abandoned'
    end
    local threads = setmetatable({}, {__mode = 'k'})
    tensor.scope(function()
      local outer, kept = tensor.ones(3), nil
      local before = tensor.memory().bytes
      for k = 1, 20 do
        local thread = coroutine.create(function()
          tensor.scope()
          local t = tensor.ones(1000)
          coroutine.yield(k)
          return t
        end)
        threads[thread] = true
        coroutine.resume(thread)
        pcall(abandon, k)
        kept = tensor.scope(function() return tensor.ones(2) end)
      end
      for _ = 1, 3 do collectgarbage() end
      assert.is_nil(next(threads))
      assert.is_true(tensor.memory().bytes - before < 10 * 8000)
      assert.equal(2, kept:sum())
      assert.equal(3, outer:sum())
    end)
  end)

  it('is an object without a function', function()
    local scope = tensor.scope()
    local made, kept = tensor.ones(3), tensor.keep(tensor.ones(3))
    scope:close()
    scope:close()
    assert.is_true(is_freed(made))
    assert.is_false(is_freed(kept))
    local load_text = require 'tensor.versions'.load
    local code = load_text([[
      local tensor = ...
      local made
      do
        local scope <close> = tensor.scope()
        made = tensor.ones(2)
      end
      return made
    ]], 'close')
    if code then assert.is_true(is_freed(code(tensor))) end
  end)

  it('needs no collector', function()
    collectgarbage()
    collectgarbage()
    collectgarbage 'stop'
    local x = tensor.ones(1000)
    local before, most = tensor.memory().bytes, 0
    for _ = 1, 100 do
      tensor.scope(function()
        local y = (x * 2 + 1):exp()
        most = math.max(most, tensor.memory().bytes)
        return y:sum()
      end)
    end
    local after = tensor.memory().bytes
    collectgarbage 'restart'
    assert.is_true(after - before < 8000, after - before)
    assert.is_true(most - before < 5 * 8000, most - before)
  end)

  it('frees what the function of a gradient makes', function()
    local made, kept, results, inner = {}, {}, nil, nil
    local df = tensor.grad(function(v)
      made[1] = tensor.cmul(v, v)
      kept[1] = tensor.keep(v + 1)
      results = tensor.scope(function()
        inner = v * 3
        return {v * 2}
      end)
      made[2] = tensor.ones(2)
      return made[1]:sum() + results[1]:sum()
    end)
    local gradient = tensor.scope(function()
      made[3] = tensor.ones(2)
      local g = df(tensor.Tensor{1, 2})
      made[4] = tensor.ones(2)
      return g
    end)
    assert.same({4, 6}, gradient:totable())
    for k = 1, 4 do assert.is_true(is_freed(made[k]), k) end
    assert.is_true(is_freed(results[1]))
    assert.is_true(is_freed(inner))
    assert.same({2, 3}, kept[1]:totable())
    -- Without a scope, nothing is freed; a scope that f leaves open gets nothing more.
    df(tensor.Tensor{1, 2})
    assert.is_false(is_freed(made[1]))
    assert.is_true(is_freed(inner))
    local open, after
    tensor.scope(function()
      tensor.grad(function(v)
        open = tensor.scope()
        made[1] = tensor.cmul(v, v)
        return made[1]:sum()
      end)(tensor.ones(2))
      after = tensor.ones(2)
      open:close()
      assert.is_true(is_freed(made[1]))
      assert.is_false(is_freed(after))
    end)
  end)

  it('leaves the state of optimizers alone', function()
    local optim = require 'tensor.optim'
    local nn = require 'tensor.nn'
    local net = nn.sequential{nn.linear(2, 3), nn.batchNorm(3), nn.tanh, nn.linear(3, 1)}
    local x, start = tensor.randn(5, 2), net.init()
    local df = tensor.grad(function(p) return nn.mse(net(p, x, {train = true}), x:sum(2)) end)
    local function run(name, options, around, kind)
      local params, step = {}, optim[name](options)
      for k, part in ipairs(start) do
        params[k] = {}
        for field, t in pairs(part) do params[k][field] = t:clone():type(kind) end
      end
      for _ = 1, 4 do
        around(function()
          if name == 'lbfgs' then return step(params, df) end
          local gradients = {}
          for k, part in ipairs(params) do
            gradients[k] = {}
            for field, t in pairs(part) do gradients[k][field] = tensor.cmul(t, t) end
          end
          step(params, gradients)
        end)
      end
      collectgarbage()
      return params[1].weight:double():totable()
    end
    for name, options in pairs{sgd = {rate = 0.1, momentum = 0.9}, adam = {rate = 0.1},
                               adamW = {rate = 0.1}, rmsprop = {rate = 0.1, momentum = 0.5},
                               adagrad = {rate = 0.1}, nadam = {rate = 0.1}, adadelta = {},
                               lbfgs = {iterations = 3}} do
      for _, kind in ipairs{'torch.DoubleTensor', 'torch.BFloat16Tensor'} do
        if name ~= 'lbfgs' or kind == 'torch.DoubleTensor' then
          assert.same(run(name, options, function(f) f() end, kind),
                      run(name, options, tensor.scope, kind), name)
        end
      end
    end
  end)

  it('leaves what the module itself makes when a function is first used', function()
    assert.equal('torch.DoubleTensor\t4\n', child.run [[
      local function twice()
        local figure = tensor.plot({1, 2, 3}, {title = 'a'})
        local _ = figure:pixels()
        return tensor.ones(2):apply(function(x) return x * 2 end):sum()
      end
      tensor.scope(twice)
      print(tensor.type(tensor.ones(2)), twice())
    ]])
  end)

  it('may surround gradients and compiled functions', function()
    local x = tensor.Tensor{1, 2, 3}
    local slope = tensor.grad(function(v) return (v * v):sum() end)
    local twice = tensor.compile(function(v) return v * 2 + 1 end)
    for _ = 1, 5 do
      local g, r = tensor.scope(function()
        local _ = slope(x) + 1
        return slope(x), twice(x)
      end)
      assert.same({2, 4, 6}, g:totable())
      assert.same({3, 5, 7}, r:totable())
    end
  end)

  it('record by a function that programs cannot call', function()
    assert.is_nil(rawget(tensor, '_exchangeScope'))
  end)

  it('leaves tracked numbers to the collector', function()
    local function f(x)
      local s, n
      tensor.scope(function()
        tensor.scope(function() s = (x * 2):sum() end)
        n = s * x[1]
      end)
      return n + s
    end
    local x = tensor.DoubleTensor{ 1, 2 }
    assert.are.equal(12, f(x))
    local g, value = tensor.grad(f)(x)
    assert.are.equal(12, value)
    assert.are.same({ 10, 4 }, g:totable())
  end)

  it('names freed tensors among other arguments', function()
    local freed
    tensor.scope(function() freed = tensor.DoubleTensor(3) end)
    local t = tensor.ones(3)
    local batches = require 'tensor.data'.batches({ t }, { size = 3, threads = 1,
      transform = function(x) return x, freed end })
    for _, case in ipairs{
      { tensor.einsum, 'i,i->i', t, freed }, { tensor.einsum, 'i,i->i', { t, freed } },
      { tensor.split, freed, 1 }, { tensor.meshgrid, freed, t },
      { tensor.fuse 'a + b', { a = t, b = freed } }, { tensor.fuse 'a + b', t, freed },
      { tensor.plot.line, freed }, { tensor.plot.line, { freed } }, { tensor.plot.image, freed },
      { tensor.plot.boxplot, { freed } }, { tensor.grad(function() return freed end), t },
      { tensor.jacobian, function() return freed end, t },
      { tensor.vjp, tensor.exp, { t }, { freed } },
      { batches },
    } do
      local ok, message = pcall(case[1], unpack(case, 2))
      assert.is_false(ok)
      assert.is_truthy(message:find('freed torch.DoubleTensor', 1, true), message)
    end
  end)
end)
