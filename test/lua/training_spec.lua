-- tensor.training: checkpoints, the progress line.

local tensor = require 'tensor'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local tree = require 'tensor.tree'

describe('tensor.training', function()
  local filename
  before_each(function()
    filename = os.tmpname()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
  end)
  after_each(function()
    os.remove(filename)
  end)

  it('continues from a checkpoint with the same bits', function()
    local x, y = tensor.randn(20, 3), tensor.LongTensor(20):random(1, 2)
    local function make()
      local net = nn.sequential{nn.linear(3, 4), nn.batchNorm(4), nn.relu, nn.dropout(0.5),
                                nn.linear(4, 2)}
      return {net = net, params = net.init(), step = optim.adam{rate = 0.01}}
    end
    local function train(parts, from, to)
      local df = tensor.grad(function(p, a, b)
        return nn.crossEntropy(parts.net(p, a, {train = true}), b)
      end)
      local batches = data.batches({x, y}, {size = 5, seed = 2})
      for epoch = from, to do
        for a, b in batches(epoch) do
          parts.step(parts.params, (df(parts.params, a, b)))
        end
      end
    end
    tensor.manualSeed(5)
    local straight = make()
    train(straight, 1, 2)
    training.save(filename, straight, {epoch = 2})
    train(straight, 3, 4)
    local number = tensor.random()

    tensor.manualSeed(6)
    local resumed = make()
    local info = training.load(filename, resumed)
    assert.are.same({epoch = 2}, info)
    train(resumed, info.epoch + 1, 4)
    tree.map(function(a, b) assert.is_true(a:equal(b)) end, straight.params, resumed.params)
    tree.map(function(a, b) assert.is_true(a:equal(b)) end, straight.net.state, resumed.net.state)
    assert.are.equal(number, tensor.random())
    assert.are.equal(16, resumed.step:steps())
  end)

  it('restores batches, generators and the iterations of lbfgs', function()
    local x = tensor.randn(20, 3)
    local function make()
      return {batches = data.batches(x, {size = 5}), noise = tensor.Generator(),
              step = optim.lbfgs{iterations = 3}, params = {w = tensor.ones(3)}}
    end
    local function train(parts, epochs)
      for _ = 1, epochs do
        for a in parts.batches() do
          local y = a:prod(2):view(-1)
          local df = tensor.grad(function(p) return nn.mse(tensor.mv(a, p.w), y) end)
          parts.step(parts.params, df)
          parts.params.w:add(0.01, tensor.randn(parts.noise, 3))
        end
      end
    end
    local straight = make()
    train(straight, 2)
    training.save(filename, straight)
    train(straight, 2)
    local resumed = make()
    assert.is_nil(training.load(filename, resumed))
    assert.are.equal(2, resumed.batches.state.epoch)
    train(resumed, 2)
    assert.are.same(straight.params.w:totable(), resumed.params.w:totable())
    assert.are.equal(tensor.random(straight.noise), tensor.random(resumed.noise))
  end)

  it('continues in the middle of an epoch', function()
    local x = tensor.range(1, 22):view(11, 2)
    local function noisy(a) return a + tensor.randn(a:size()) end
    for _, options in ipairs{{}, {transform = noisy}, {transform = noisy, threads = 2}} do
      local function make()
        return {batches = data.batches(x, {size = 4, seed = 3, transform = options.transform,
                                           threads = options.threads})}
      end
      local function sums(batches, epoch)
        local list = {}
        for a in batches(epoch) do list[#list + 1] = a:sum() end
        return list
      end
      local straight = make()
      local whole, following = sums(straight.batches, 1), sums(straight.batches)
      local number = 0
      for _ in straight.batches(1) do
        number = number + 1
        training.save(filename, straight)
        local resumed = make()
        training.load(filename, resumed)
        local rest = sums(resumed.batches, 1)
        assert.are.equal(3 - number, #rest)
        for k, sum in ipairs(rest) do
          assert.are.equal(whole[#whole - #rest + k], sum)
        end
        -- Only once, and only in this epoch.
        assert.are.same(whole, sums(resumed.batches, 1))
        training.load(filename, resumed)
        assert.are.same(following, sums(resumed.batches))
        resumed.batches:stop()
      end
      assert.are.equal(3, number)
      straight.batches:stop()
    end
  end)

  it('refuses to continue an epoch with batches of another size', function()
    local x = tensor.range(1, 10)
    local parts = {batches = data.batches(x, {size = 4, seed = 3})}
    local step = parts.batches(1)
    step()
    training.save(filename, parts)
    local other = {batches = data.batches(x, {size = 2, seed = 3})}
    training.load(filename, other)
    assert.has_error(function() other.batches(1) end,
                     'data.batches: the checkpoint was saved after 1 batches of size 4, but the ' ..
                     'size is 2')
    assert.are.equal(2, (other.batches(2)()):size(1))
  end)

  it('counts the epochs of loops within loops', function()
    local batches = data.batches(tensor.range(1, 4), {size = 2, seed = 3})
    for _ in batches() do
      for _ in batches() do end
    end
    assert.are.equal(3, batches.state.epoch)
  end)

  it('load changes nothing if the checkpoint does not fit', function()
    local function make()
      local net = nn.sequential{nn.linear(2, 3), nn.batchNorm(3)}
      return {step = optim.adam{rate = 1}, params = net.init(), net = net,
              batches = data.batches(tensor.randn(4, 2), {size = 2}), noise = tensor.Generator(),
              value = {n = 1, name = 'a', [3] = true}}
    end
    local first = make()
    first.step(first.params, tree.clone(first.params))
    for _ in first.batches() do end
    first.value = {n = 7, name = 'b', [3] = false}
    training.save(filename, first)
    local function fails(expected, change)
      local parts = make()
      change(parts)
      local before, random = tensor.serialize(parts.params), tensor.getRNGState()
      assert.has_error(function() training.load(filename, parts) end,
                       ('training.load: %s: %s'):format(filename, expected))
      assert.are.equal(before, tensor.serialize(parts.params))
      assert.are.equal(0, parts.step.steps and parts.step:steps() or 0)
      assert.are.equal(0, parts.batches.state.epoch)
      assert.are.equal(1, parts.value.n)
      assert.are.equal('a', parts.value.name)
      assert.is_true(random:equal(tensor.getRNGState()))
    end
    fails('params.1.weight: a tensor of size [2 x 3] is expected, got a tensor of size [3 x 2]',
          function(parts) parts.params[1].weight = tensor.ones(2, 3) end)
    fails('params.2.weight: the program has no such value',
          function(parts) parts.params[2].weight = nil end)
    fails('params.extra: a tensor of size [1] is expected, got nil',
          function(parts) parts.params.extra = tensor.ones(1) end)
    fails('net.2.mean: a tensor of size [4] is expected, got a tensor of size [3]',
          function(parts) parts.net = nn.sequential{nn.linear(2, 3), nn.batchNorm(4)} end)
    fails('step: the optimizer sgd expected, got the optimizer adam',
          function(parts) parts.step = optim.sgd{rate = 1} end)
    fails('step: a generator expected, got the optimizer adam',
          function(parts) parts.step = tensor.Generator() end)
    fails('params.1.weight: a torch.FloatTensor is expected, got a torch.DoubleTensor',
          function(parts) parts.params[1].weight = tensor.FloatTensor(3, 2):fill(1) end)
    fails('value.3: a string is expected, got a boolean',
          function(parts) parts.value[3] = 'true' end)
    fails('value.extra: a boolean is expected, got nil',
          function(parts) parts.value.extra = false end)
    fails('noise: parameters expected, got a generator', function(parts) parts.noise = {} end)
    local parts = make()
    training.load(filename, parts)
    assert.are.equal(1, parts.step:steps())
    assert.are.same({n = 7, name = 'b', [3] = false}, parts.value)
    assert.has_error(function() training.save(filename, tensor.ones(1)) end,
                     'training.save: a table of parts is expected, got a tensor of size [1]')
  end)

  it('a step with a state of another form changes nothing', function()
    local function first()
      return {a = tensor.ones(2), b = tensor.FloatTensor{1, 1}}
    end
    for name, options in pairs{sgd = {rate = 1, momentum = 0.9}, adam = {rate = 1}, lbfgs = {}} do
      local function gradients(params)
        local g = {a = params.a:clone(), b = params.b:clone()}
        return name == 'lbfgs' and function() return g, 1 end or g
      end
      local step = optim[name](options)
      local params = first()
      step(params, gradients(params))
      training.save(filename, {step = step})
      local function fails(expected, other, change)
        local parts = {step = optim[name](options)}
        training.load(filename, parts)
        if change then
          change(parts.step.state)
        end
        local before = tensor.serialize{other, parts.step.state}
        assert.error_matches(function() parts.step(other, gradients(other)) end,
                             ('^optim.%s: %s'):format(name, expected))
        assert.are.equal(before, tensor.serialize{other, parts.step.state})
      end
      local is_lbfgs = name == 'lbfgs'
      fails(is_lbfgs and 'the parameters have 3 elements, but the gradient of the last step is a '
              .. 'tensor of size %[4%]$'
              or 'parameter 1 has size %[1%], but had size %[2%] in the last step$',
            {a = tensor.ones(1), b = tensor.FloatTensor{1, 1}})
      fails(is_lbfgs and 'the gradient is a torch.FloatTensor, but the gradient of the last step '
              .. 'is a torch.DoubleTensor$'
              or 'parameter 1 is a torch.FloatTensor, but its %a+ in the last step is a '
              .. 'torch.DoubleTensor$',
            {a = tensor.FloatTensor{1, 1}, b = tensor.FloatTensor{1, 1}})
      fails(is_lbfgs and 'a number is expected as the step in the state, got a string$'
              or 'a state is a table with the number of steps, got a string$',
            first(), function(state) state.step = 'x' end)
      fails(is_lbfgs and 'a table is expected as the history in the state, got nil$'
              or 'parameter 1: its x is a number$',
            first(), function(state) (state[1] or state).x, state.history = 5, nil end)
    end
  end)

  it('errors about files have the position of the call', function()
    for _, name in ipairs{'save', 'load'} do
      local _, problem = pcall(function() training[name]('/no/such/file', {}) end)
      assert.matches('^[^:]*training_spec%.lua:%d+: ' .. name .. ': cannot open ', problem)
    end
  end)

  it('save refuses parameters that contain themselves', function()
    local params = {tensor.ones(1)}
    params[2] = params
    os.remove(filename)
    assert.has_error(function() training.save(filename, {params = params}) end,
                     'tree: a table of tensors contains itself')
    assert.is_nil(io.open(filename))
  end)

  it('save refuses functions, which load would not read', function()
    local function schedule() end
    local function refuses(place, ...)
      local ok, found = pcall(training.save, filename, ...)
      assert.is_false(ok)
      assert.are.equal(('training.save: %s is a function, which a checkpoint cannot contain')
                       :format(place), found)
      assert.is_nil(io.open(filename))
    end
    local t = tensor.ones(1)
    os.remove(filename)
    refuses('info.schedule', {p = {t}}, {schedule = schedule})
    refuses('info', {p = {t}}, print)
    refuses('p.act.2', {p = {t, act = {t, schedule}}})
    refuses('net', {net = schedule})
    local step = optim.sgd{rate = 1}
    step.state.rate = schedule
    refuses('step.rate', {step = step})
    local cyclic = {}
    cyclic.self = cyclic
    training.save(filename, {p = {t}}, {cyclic, cyclic, step = 1})
    assert.are.equal(1, training.load(filename, {p = {t}}).step)
  end)

  it('restore refuses damaged states', function()
    local state, t = tensor.getRNGState(), tensor.zeros(1)
    local function refused(expected, checkpoint, parts)
      local ok, found = pcall(require 'tensor.checkpoints'.restore, checkpoint, parts or {p = t})
      assert.is_false(ok)
      assert.is_truthy(found:find('training.load: ' .. expected, 1, true), found)
      assert.are.equal(0, t[1])
      assert.is_true(state:equal(tensor.getRNGState()))
    end
    local one = tensor.ones(1)
    for _, damaged in ipairs{
      false, 5, {}, {parts = 5, generator = state}, {parts = {p = one}},
      {parts = {p = one}, generator = one}, {parts = {p = one}, kinds = 5, generator = state},
    } do
      refused('the value is not a checkpoint', damaged)
    end
    local short = tensor.ByteTensor(3)
    refused('the checkpoint: the default generator: the state is invalid: ',
            {parts = {p = one}, generator = short})
    refused('the checkpoint: g: the state is invalid: ',
            {parts = {g = short}, generator = state}, {g = tensor.Generator()})
    refused('the checkpoint: p: parameters expected, got a table of parts',
            {parts = {p = one}, kinds = {p = {}}, generator = state})
  end)

  it('steps checks its arguments', function()
    local text = 'training.steps: a number is expected as the '
    assert.has_error(function() training.steps(10) end, text .. 'last number, got nil')
    assert.has_error(function() training.steps(1, 2, true) end, text .. 'step, got boolean')
  end)

  it('the loop over batches checks its state', function()
    local batches = data.batches(tensor.range(1, 4), {size = 2, seed = -3})
    for expected, state in pairs{
      ['seed in the state: a whole number is expected, got nil'] = {epoch = 0},
      ['epoch in the state: a whole number of at least 0 is expected, got x'] =
        {seed = 1, epoch = 'x'},
      ['batch in the state: a whole number of at least 0 is expected, got 1.5'] =
        {seed = 1, epoch = 0, batch = 1.5},
    } do
      batches.state = state
      assert.has_error(function() batches() end, 'data.batches: ' .. expected)
    end
  end)

  it('load names what is missing', function()
    training.save(filename, {params = {tensor.ones(2)}})
    assert.has_error(function() training.load(filename, {weights = {}}) end,
                     ('training.load: %s has no part weights'):format(filename))
    for _, contents in ipairs{3, {parts = {}, generator = tensor.getRNGState(), kinds = 5}} do
      tensor.save(filename, contents)
      assert.has_error(function() training.load(filename, {}) end,
                       ('training.load: %s is not a checkpoint'):format(filename))
    end
  end)

  it('progress shows the rate and the time left on a terminal only', function()
    local now, lines = 0, {}
    local output = {
      write = function(_, ...) lines[#lines + 1] = table.concat{...} end, flush = function() end,
    }
    local function clock() return now end
    local show = training.progress(1000, {output = output, terminal = true, clock = clock})
    now = 2
    show(10, 'loss 0.5')
    now = 2.05
    show(11)
    now = 4
    show(20)
    now = 100
    show(1000)
    assert.are.same({'\r10/1000  5/s  3:18 left  loss 0.5',
                     '\r20/1000  5/s  3:16 left          ',
                     '\r1000/1000  10/s  0:00 left       \n'}, lines)
    training.progress(10, {output = output, terminal = false})(5)
    training.progress(1e6, {output = output, terminal = true, clock = clock})
    assert.are.equal(3, #lines)
    local hours = training.progress(7200.5, {output = output, terminal = true, clock = clock})
    now = 101
    hours(1)
    assert.are.equal('\r1/7200.5  1/s  2:00:00 left', lines[4])
  end)

  -- An output that keeps its lines, and a clock that the test sets.
  local function fake_terminal()
    local self = {lines = {}, now = 0}
    self.output = {
      write = function(_, ...) table.insert(self.lines, table.concat{...}) end,
      flush = function() end,
    }
    self.options = {output = self.output, terminal = true, delay = 1,
                    clock = function() return self.now end}
    return self
  end

  it('steps shows the progress of a loop that takes longer than a second', function()
    local screen, seen = fake_terminal(), {}
    for k in training.steps(1, 9, 2, screen.options) do
      seen[#seen + 1] = k
      screen.now = screen.now + 0.6
    end
    assert.are.same({1, 3, 5, 7, 9}, seen)
    assert.are.same({'\r2/5  1.67/s  0:02 left', '\r3/5  1.67/s  0:01 left',
                     '\r4/5  1.67/s  0:01 left', '\r5/5  1.67/s  0:00 left\n'}, screen.lines)
    screen, seen = fake_terminal(), {}
    for k in training.steps(3, 1, -1, screen.options) do seen[#seen + 1] = k end
    for k in training.steps(2, 1, screen.options) do seen[#seen + 1] = k end
    for k in training.steps(1, 2) do seen[#seen + 1] = k end
    assert.are.same({3, 2, 1, 1, 2}, seen)
    assert.are.same({}, screen.lines)
  end)

  it('load and save show such a line, and remove it', function()
    local progress = require 'tensor.progress'
    local screen = fake_terminal()
    local report, clear = progress.of_file('load big.npy', screen.options)
    report(0, 4e9)
    screen.now = 2
    report(1e9, 4e9)
    report(2e9, 4e9)
    screen.now = 4
    report(2e9, nil)
    screen.now = 6
    report(1e9, 3e9)
    clear()
    clear()
    assert.are.same({'\rload big.npy  1 GB of 4 GB  25%  0:06 left',
                     '\rload big.npy  2 GB                        ',
                     '\rload big.npy  1 GB of 3 GB  33%  0:12 left',
                     '\r' .. (' '):rep(42) .. '\r'}, screen.lines)
    assert.is_nil(progress.of_file('x', {output = screen.output}))
    assert.are.equal('-:--', progress.duration(math.huge))
    assert.are.equal('-:--', progress.duration(0 / 0))
  end)
end)

describe('optimizers', function()
  it('clipNorm takes what optimizers take, and can be compiled', function()
    local blob = tensor.FloatBlob(2)
    blob:diff():copy(tensor.FloatTensor{3, 4})
    local gradients = {w = blob, i = tensor.LongTensor{9}}
    assert.are.equal(5, optim.clipNorm(gradients, 1))
    assert.is_true(math.abs(blob:diff():norm() - 1) < 1e-6)
    assert.are.same({9}, gradients.i:totable())
    assert.are.equal(0, optim.clipNorm({gradients.i}, 1))
    for _, class in ipairs{'Half', 'BFloat16'} do
      local g = tensor[class .. 'Tensor'](100000):fill(1000)
      assert.is_true(math.abs(optim.clipNorm({g}, 1) / 316227.766 - 1) < 0.01)
      assert.is_true(math.abs(g[1] / 0.00316 - 1) < 0.01)
    end
    local function clip(g)
      local norm = optim.clipNorm(g, 1)
      return tensor.isTensor(norm) and norm or tensor.DoubleTensor{norm}
    end
    local compiled = tensor.compile(clip)
    for _, numbers in ipairs{{3, 4}, {0.3, 0.4}, {30, 40}, {0, 0}, {6e4, 6e4}} do
      local a = {tensor.FloatTensor(numbers), {x = tensor.DoubleTensor{{1}, {2}}:t()},
                 tensor.HalfTensor(numbers), tensor.BFloat16Tensor(numbers)}
      local b = tree.clone(a)
      assert.are.same(clip(a):totable(), compiled(b):totable())
      assert.is_true(a[1]:equal(b[1]) and a[2].x:equal(b[2].x))
      assert.is_true(a[3]:equal(b[3]) and a[4]:equal(b[4]))
    end
    for _, f in ipairs{optim.clipNorm, function(g) return compiled(g) end} do
      local g = {tensor.DoubleTensor{0 / 0, 1}, tensor.DoubleTensor{2}}
      f(g, 1)
      assert.is_true(g[1]:ne(g[1]):all() and g[2]:ne(g[2]):all())
    end
    assert.matches('done %d times', compiled:explain())
  end)

  it('lbfgs checks what it is given', function()
    local function df(p) return {p[1] * 2}, p[1]:norm() ^ 2 end
    local p = {tensor.Tensor{3}}
    local function as_tensors(q)
      local gradients, loss = df(q)
      return gradients, tensor.Tensor{loss}
    end
    local _, losses = optim.lbfgs{iterations = 3}(p, as_tensors)
    assert.are.equal(9, losses[1])
    local before = p[1][1]
    local options = {rate = function() end}
    for expected, call in pairs{
      ['the loss, got nil'] = function() optim.lbfgs{}(p, function(q) return {q[1] * 2} end) end,
      ['a function that returns gradients and loss is expected, got nil'] =
        function() optim.lbfgs{}(p) end,
      ['the rate must be a number, got nil'] = function() optim.lbfgs(options)(p, df) end,
    } do
      local done, message = pcall(call)
      assert.is_false(done)
      assert.matches(expected, message, 1, true)
      assert.are.equal(before, p[1][1])
    end
    assert.are.same({5}, select(2, optim.lbfgs{}({}, function() return {}, 5 end)))
  end)

  it('remember parameters by their path', function()
    local step = optim.sgd{rate = 0.1, momentum = 0.5}
    local p = {a = tensor.zeros(1), b = tensor.zeros(1)}
    step(p, {a = tensor.ones(1), b = tensor.ones(1):mul(-100)})
    step({b = p.b}, {b = tensor.zeros(1)})
    assert.are.equal(15, p.b[1])
    p.c = tensor.zeros(1)
    step(p, {a = tensor.zeros(1), b = tensor.zeros(1), c = tensor.zeros(1)})
    assert.is_true(math.abs(p.a[1] + 0.15) < 1e-12)
    assert.are.equal(17.5, p.b[1])
    assert.are.equal(0, p.c[1])
    local message = select(2, pcall(step, {tensor.zeros(1)}, {tensor.ones(1)}))
    assert.matches('optim.sgd: the state is that of other parameters: params.1 is not among those',
                   message, 1, true)
    local own, q = optim.sgd{rate = 1, momentum = 0.5}, {a = {b = tensor.zeros(1)}}
    q['a.b'], q[1], q['1'] = tensor.zeros(1), tensor.zeros(1), tensor.zeros(1)
    for _ = 1, 3 do
      own(q, {a = {b = tensor.Tensor{1}}, ['a.b'] = tensor.Tensor{10}, tensor.Tensor{100},
              ['1'] = tensor.Tensor{1000}})
    end
    assert.are.same({-4.25, -42.5, -425, -4250},
                    {q.a.b[1], q['a.b'][1], q[1][1], q['1'][1]})
    step.state.paths = nil  -- a state of an earlier version
    step(p, {a = tensor.zeros(1), b = tensor.zeros(1), c = tensor.zeros(1)})
    assert.are.equal(18.75, p.b[1])
  end)
end)
