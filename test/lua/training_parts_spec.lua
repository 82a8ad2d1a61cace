-- Tests checkpoints with generators, batches, layers and optimizers in nested tables.

local tensor = require 'tensor'
local checkpoints = require 'tensor.checkpoints'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local versions = require 'tensor.versions'

describe('training.progress', function()
  it('refuses outputs and clocks that it cannot use', function()
    for _, output in ipairs {{}, {write = print, flush = 1}, tensor.ones(1)} do
      assert.has_error(function() training.progress(3, {output = output, terminal = true}) end,
        'training.progress: the option output must be a file, or have the methods write and flush')
    end
    assert.has_error(function() training.progress(3, {clock = function() end}) end,
                     'training.progress: the option clock must return a number, got nil')
    local time = 1
    local show = training.progress(3, {clock = function() return time end, terminal = true,
                                       output = {write = print, flush = print}})
    time = {}
    assert.has_error(function() show(1) end,
                     'training.progress: the option clock must return a number, got table')
  end)

  it('steps adds the step to the first number', function()
    for _, case in ipairs {{0.1, 3, 1}, {1, 2, 0.1}, {0.3, -1, -0.1}, {2, 1, 0.5}, {1, 2, 1e300},
                           {-0.7, 0.7, 0.1}, {1, 3, 1}, {3, 1, -1}} do
      local first, last, step = unpack(case)
      local expected, got = {}, {}
      local k = versions.is_integer(step) and first or first + 0.0
      while step > 0 and k <= last or step < 0 and k >= last do
        expected[#expected + 1], k = k, k + step
      end
      for n in training.steps(first, last, step) do got[#got + 1] = n end
      assert.are.same(expected, got)
      assert.are.equal(versions.is_integer(expected[1]), versions.is_integer(got[1]))
    end
  end)

  it('steps ends where numbers do not increase', function()
    local largest = rawget(math, 'maxinteger') or 2 ^ 53
    for _, sign in ipairs {1, -1} do
      local count = 0
      for _ in training.steps(sign * (largest - 1), sign * largest, sign) do
        count = count + 1
        if count > 3 then break end
      end
      assert.are.equal(2, count)
    end
    assert.has_error(function() training.steps(1, 3, 0) end, 'training.steps: the step is 0')
  end)
end)

describe('tensor.training', function()
  local filename
  before_each(function()
    filename = os.tmpname()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
  end)
  after_each(function() os.remove(filename) end)

  local function make()
    local net, plain = nn.sequential{nn.linear(2, 3), nn.batchNorm(3)}, nn.linear(3, 1)
    return {
      nets = {G = net, D = plain, list = {nn.batchNorm(3)}},
      params = {G = net.init(), D = plain.init()},
      steps = {G = optim.adam{rate = 0.1}, D = optim.sgd{rate = 0.1, momentum = 0.5}},
      loaders = {train = data.batches(tensor.range(1, 8):view(4, 2), {size = 2})},
      random = {all = {tensor.Generator(), tensor.Generator()}, n = 1},
    }
  end

  -- Changes the state of each part. Returns what depends on it.
  local function run(parts)
    local sums = {tensor.random(parts.random.all[1]), tensor.random(parts.random.all[2])}
    local df = tensor.grad(function(p, x)
      local y = parts.nets.list[1]({}, parts.nets.G(p.G, x, {train = true}), {train = true})
      return parts.nets.D(p.D, y):mean()
    end)
    for x in parts.loaders.train() do
      local gradients = df(parts.params, x)
      parts.steps.G(parts.params.G, gradients.G)
      parts.steps.D(parts.params.D, gradients.D)
      sums[#sums + 1] = x:sum()
      sums[#sums + 1] = parts.params.D.weight:sum()
    end
    parts.random.n = parts.random.n + 1
    sums[#sums + 1] = parts.nets.list[1].state.mean:sum()
    sums[#sums + 1] = parts.nets.G.state[2].mean:sum()
    sums[#sums + 1] = parts.steps.G:steps()
    return sums
  end

  it('restores generators, batches, layers and optimizers in nested tables', function()
    local parts, resumed = make(), make()
    run(parts)
    training.save(filename, parts)
    local expected = run(parts)
    training.load(filename, resumed)
    assert.are.equal(2, resumed.random.n)
    assert.are.same(expected, run(resumed))
  end)

  it('finds parts in tables with a metatable', function()
    local Trainer = {}
    Trainer.__index = Trainer
    local function trainer(seed)
      return setmetatable({w = tensor.zeros(1), g = tensor.Generator(), seed = seed}, Trainer)
    end
    local first, second = trainer(1), trainer(2)
    training.save(filename, {trainer = first})
    local expected = tensor.random(first.g)
    training.load(filename, {trainer = second})
    assert.are.equal(expected, tensor.random(second.g))
    assert.are.equal(1, second.seed)
    assert.are.equal(Trainer, getmetatable(second))
  end)

  it('saves objects in tables without their class', function()
    -- Files contain the names of the classes of objects.
    local module = {}
    local Part = tensor.class('spec.CheckpointPart', module)
    function Part:__init(k) self.w = tensor.Tensor{k} end
    local object = module.CheckpointPart
    local shared = {w = tensor.ones(1)}
    training.save(filename, {p = {object(1), deep = {object(2)}}, q = {shared, shared}})
    local saved = checkpoints.read(filename).parts
    assert.is_nil(getmetatable(saved.p[1]))
    assert.is_nil(getmetatable(saved.p.deep[1]))
    assert.is_true(rawequal(saved.q[1], saved.q[2]))
    local parts = {p = {object(3), deep = {object(4)}}, q = {{w = tensor.zeros(1)}, shared}}
    training.load(filename, parts)
    assert.are.equal(1, parts.p[1].w[1])
    assert.are.equal(2, parts.p.deep[1].w[1])
    assert.are.equal('spec.CheckpointPart', tensor.typename(parts.p[1]))
  end)

  it('refuses keys that load does not restore', function()
    assert.has_error(function() training.save(filename, {p = {a = {[true] = tensor.ones(1)}}}) end,
                     'training.save: the keys of p.a must be strings or numbers, got a boolean')
  end)

  it('names the path of a part that does not fit, and changes nothing', function()
    local parts = make()
    run(parts)
    training.save(filename, parts)
    local function fails(expected, change)
      local others = make()
      change(others)
      local before = tensor.serialize{others.params.G, others.random.n}
      assert.has_error(function() training.load(filename, others) end,
                       ('training.load: %s: %s'):format(filename, expected))
      assert.are.equal(before, tensor.serialize{others.params.G, others.random.n})
    end
    fails('steps.D: the optimizer adam expected, got the optimizer sgd',
          function(p) p.steps.D = optim.adam{rate = 1} end)
    fails('random.all.2: a layer expected, got a generator',
          function(p) p.random.all[2] = nn.linear(1, 1) end)
    fails('random.all.3: a generator is expected, got nil',
          function(p) p.random.all[3] = tensor.Generator() end)
    fails('loaders.train: the program has no such value', function(p) p.loaders = {} end)
    fails('loaders: parameters expected, got a table of parts',
          function(p) p.loaders = tensor.ones(1) end)
    fails('params.D.bias: the optimizer adam expected, got parameters',
          function(p) p.params.D.bias = optim.adam{rate = 1} end)
    fails('nets.G.2.mean: a tensor of size [1] is expected, got a tensor of size [3]',
          function(p) p.nets.G.state[2].mean = tensor.ones(1) end)
  end)

  it('save names the path of a function', function()
    local step = optim.sgd{rate = 1}
    step.state.f = print
    assert.has_error(function() training.save(filename, {steps = {D = step}}) end,
                     'training.save: steps.D.f is a function, which a checkpoint cannot contain')
  end)

  it('is what an error of save advises for layers and optimizers', function()
    local places = {['<?>'] = nn.linear(2, 3), ['<?>.nets.1'] = {nets = {nn.gru(1, 2)}}}
    for place, value in pairs(places) do
      local fine, text = pcall(tensor.save, filename, value)
      assert.is_false(fine)
      assert.matches(('Unwritable layer at %s: save its parameters, or use training.save')
                     :format(place), text, 1, true)
    end
    for _, step in ipairs {optim.adam{rate = 0.1}, optim.lbfgs{}} do
      assert.error_matches(function() tensor.serialize(step) end,
                           'Unwritable optimizer at <%?>: save its state, or use training.save')
    end
  end)

  it('a checkpoint has the states of each rank', function()
    -- Different numbers on each rank, or the same.
    local function parts(rank, seed)
      local found = {g = {tensor.Generator()}, net = {nn.batchNorm(1)}, p = tensor.ones(1),
                     step = optim.sgd{rate = 1}}
      tensor.manualSeed(found.g[1], 50 + (seed or rank))
      tensor.manualSeed(seed or rank)
      found.net[1].state.mean:fill(rank)
      found.step.state.rank = rank
      return found
    end
    local function saved(seed)
      local ranks = {}
      for rank = 1, 3 do
        ranks[rank] = checkpoints.own_states(parts(rank, seed))
      end
      local contents = checkpoints.contents(parts(1, seed))
      contents.ranks = ranks
      return contents
    end
    -- Returns the numbers of the two generators of a rank.
    local function restored(contents, rank, mean)
      local own = parts(9)
      checkpoints.restore(checkpoints.of_rank(contents, own, rank), own)
      assert.are.equal(mean, own.net[1].state.mean[1])
      assert.are.equal(1, own.step.state.rank)
      return tensor.uniform(), tensor.uniform(own.g[1])
    end
    local function expected(rank)
      local own = parts(rank)
      return tensor.uniform(), tensor.uniform(own.g[1])
    end
    local different, same, seen = saved(), saved(2), {}
    for rank = 1, 5 do
      local a, b = restored(different, rank, rank < 4 and rank or 1)
      if rank < 4 then
        assert.are.same({expected(rank)}, {a, b})
      end
      assert.is_nil(seen[a])
      assert.is_nil(seen[b])
      seen[a], seen[b] = true, true
      assert.are.same({a, b}, {restored(different, rank, rank < 4 and rank or 1)})
      assert.are.same({expected(2)}, {restored(same, rank, rank < 4 and rank or 1)})
    end
    different.ranks = nil
    assert.are.same({expected(1)}, {restored(different, 2, 1)})
    for _, damaged in ipairs{5, {5}, {{generator = tensor.ones(1)}}} do
      different.ranks = damaged
      assert.has_error(function() checkpoints.restore(different, parts(1)) end,
                       'training.load: the value is not a checkpoint')
    end
  end)

  it('have the values of tracked numbers', function()
    tensor.grad(function(x)
      local sum = x:sum()
      local contents = checkpoints.contents({loss = sum, all = {sum}}, {loss = sum})
      assert.are.same({loss = 2, all = {2}}, contents.parts)
      local own = {loss = sum * 2, all = {1}}
      checkpoints.restore(contents, own)
      assert.are.same({loss = 2, all = {2}}, own)
      return sum
    end)(tensor.ones(2))
  end)

  it('have no values that cannot be restored', function()
    for place, parts in pairs {s = {s = tensor.DoubleStorage(2)},
                               ['s.1.b'] = {s = {{b = tensor.DoubleStorage(2)}}}} do
      local message = place .. ' is a torch.DoubleStorage, which a checkpoint cannot contain'
      assert.has_error(function() checkpoints.contents(parts) end, 'training.save: ' .. message)
      local contents = checkpoints.contents {w = 1}
      contents.parts = parts
      assert.has_error(function() checkpoints.restore(contents, parts) end,
                       'training.load: the checkpoint: ' .. message)
    end
    assert.has_error(function() checkpoints.contents {s = {tensor.FloatBlob(2)}} end,
      'training.save: s.1 is a torch.FloatBlob, which a checkpoint cannot contain')
  end)
end)
