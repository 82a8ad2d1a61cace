-- Run by dist_spec with several ranks: nested tables that differ between ranks, gradients of
-- functions with branches, results in given tensors, and arguments that are errors on all ranks.

local torch = require 'tensor'
local dist = require 'tensor.dist'

local rank, size = dist.init{timeout = 60}
local function fails(messages, f, ...)
  local ok, problem = pcall(f, ...)
  for _, message in ipairs(type(messages) == 'table' and messages or {messages}) do
    assert(not ok and tostring(problem):find(message, 1, true), tostring(problem))
  end
end
local function float(...) return torch.FloatTensor{...} end
local sum = size * (size + 1) / 2

-- Each rank uses another parameter, so that gradients are complete in another order.
for _, options in ipairs{{}, {bytes = 1}, {deterministic = true}} do
  local params = {}
  for r = 1, size do
    params['p' .. r] = float(1)
  end
  local df = dist.grad(function(p, x)
    return (p['p' .. rank] * x + p.p1 * x):sum()
  end, options)
  for _ = 1, 3 do
    local grads, loss = df(params, 10 * rank)
    assert(loss == 20 * rank)
    for r = 1, size do
      assert(math.abs(grads['p' .. r][1] - ((r == 1 and 10 * sum or 0) + 10 * r) / size) < 1e-5)
    end
    dist.check(grads)
  end
end

-- Tensors of integers are constants: their gradients are 0.
for _, options in ipairs{{}, {bytes = 1}, {deterministic = true}} do
  local df = dist.grad(function(p, x) return (p.w * x * p.count[1]):sum() + p.z:sum() end, options)
  local params = {w = float(1), count = torch.LongTensor{3, 4}, mask = {torch.ByteTensor{1}},
                  z = torch.HalfTensor{1}}
  local grads = df(params, rank)
  assert(grads.w[1] == 3 * sum / size and grads.z[1] == 1)
  assert(grads.count:equal(torch.LongTensor{0, 0}) and grads.mask[1]:equal(torch.ByteTensor{0}))
  assert(params.count[2] == 4 and params.mask[1][1] == 1)
end

-- Numbers are parameters and gradients, too.
for _, options in ipairs{{}, {deterministic = true}, {tensors = true}} do
  local df = dist.grad(function(p, x) return (p.w * x * p.scale):sum() + p.list[1] * rank end,
                       options)
  local grads = df({w = float(1), scale = 2, list = {3}}, rank)
  local function value(x) return torch.isTensor(x) and x[1] or x end
  assert(grads.w[1] == 2 * sum / size and value(grads.scale) == sum / size)
  assert(value(grads.list[1]) == sum / size)
end
assert(dist.grad(function(a) return a * rank end)(1) == sum / size)
for _, options in ipairs{{}, {deterministic = true}} do
  local grads = dist.averageGradients({a = {rank}, w = float(rank)}, options)
  assert(grads.a[1] == sum / size and grads.w[1] == sum / size)
end
local mixed = {scale = rank, w = float(rank)}
assert(dist.synchronize(mixed, size) == mixed and mixed.scale == size and mixed.w[1] == size)
assert(dist.check{a = 5} and dist.synchronize(rank) == 1)
local blob = torch.FloatBlob(2)
blob:data():fill(1)
local gradient = dist.grad(function(b) return (b:data() * rank):sum() end)(blob)
assert(gradient[1] == sum / size and blob:diff()[2] == sum / size)
local means, none, last = dist.averageChunks(size, function(k)
  return {a = k, w = {torch.DoubleTensor{k}}}, nil, k
end)
assert(means.a == sum / size and means.w[1][1] == sum / size and none == nil)
assert(last == sum / size)

-- Results in given tensors. The operand stays.
local x, r = float(rank, 1), torch.FloatTensor()
assert(dist.allReduce(x, 'sum', {result = r}) == r and r[1] == sum and x[1] == rank)
assert(dist.allReduce(x, {result = r, async = true}):wait() == r and r[2] == size)
assert(dist.allReduce(x, {result = r, deterministic = true}) == r and r[1] == sum and x[1] == rank)
dist.reduce(x, 'max', size, {result = r:zero()})
assert(r[1] == (rank == size and size or 0) and x[1] == rank)
assert(dist.broadcast(x, size, {result = r}) == r and r[1] == size and x[1] == rank)
local nested = {b = {torch.FloatTensor(3, 3)}}
assert(dist.allGather({b = {x}}, {result = nested}).b[1] == nested.b[1])
assert(nested.b[1]:size(1) == size and nested.b[1][size][1] == size)
dist.gather(x, {result = rank == 1 and r or nil})
assert(rank > 1 or r[size][1] == size)
local rows = torch.FloatTensor(2 * size, 3):fill(rank)
assert(dist.reduceScatter(rows, {result = r}):sum() == 6 * sum and r:size(1) == 2)
assert(dist.allToAll(rows, {result = r}) == r and r:size(1) == 2 * size)

-- The memory of a device goes through the host, and the copies are counted.
local there, on_device = pcall(function() return torch.FloatTensor(1000):to 'soft' end)
if there and size > 1 then
  on_device:fill(rank)
  torch.resetStats()
  dist.allReduce(on_device)
  on_device:mul(2)
  local stats = torch.stats()
  assert(stats.d2h.bytes == 4000 and stats.h2d.bytes == 4000 and not next(stats.fallbacks))
  assert(on_device:device():find 'soft' and on_device[1000] == 2 * sum)
end

-- Nested tables are scattered.
local part = {a = float(0), b = {torch.IntTensor(2)}}
local all = {a = torch.range(1, size):float():view(size, 1), b = {torch.IntTensor(size, 2):fill(4)}}
assert(dist.scatter(part, rank == size and all or nil, size) == part)
assert(part.a[1] == rank and part.b[1][2] == 4)
dist.scatter(part, rank == 1 and all or nil, {async = true}):wait()
assert(part.a[1] == rank)

-- The asynchronous calls of the C interface.
local has_ffi, ffi = pcall(require, 'ffi')
if has_ffi then
  ffi.cdef [[
    void *THDist_barrierAsync(void *group);
    void *THDistFloat_allReduceAsync(void *group, void *self, int reduction);
    void *THDistFloat_allGatherAsync(void *group, void *r, void *src);
    void *THDistFloat_broadcastAsync(void *group, void *self, int root);
    void THDistWork_wait(void *work);
    int THDistWork_isDone(void *work);
    void THDistWork_free(void *work);
  ]]
  local C = ffi.load(os.getenv 'TENSOR_PREFIX' .. '/lib/libTH.so')
  local t, gathered = float(rank, 2), torch.FloatTensor()
  local works = {C.THDistFloat_allReduceAsync(nil, t:cdata(), 0),
                 C.THDistFloat_allGatherAsync(nil, gathered:cdata(), x:cdata()),
                 C.THDist_barrierAsync(nil),
                 C.THDistFloat_broadcastAsync(nil, float(1):cdata(), size - 1)}
  t:fill(7)
  for k = 1, 3 do
    C.THDistWork_wait(works[k])
    C.THDistWork_wait(works[k])
    assert(C.THDistWork_isDone(works[k]) == 1)
  end
  for k = 1, 4 do
    C.THDistWork_free(works[k])
  end
  assert(t[1] == sum and gathered[size][1] == size)
end

-- A compiled function exchanges elements each time.
local compiled = torch.compile(function(p)
  local q = p * 2
  dist.allReduce(q)
  return q + 1
end)
for k = 1, 4 do
  assert(compiled(torch.FloatTensor{rank, k})[2] == 2 * k * size + 1)
end

-- Groups without a reference are freed: MPICH has about 2,000 of them.
local garbage = setmetatable({{}}, {__mode = 'v'})
collectgarbage 'stop'
for _ = 1, 600 do
  dist.split(1)
end
assert(garbage[1] == nil)
collectgarbage 'restart'

-- Other values beside tensors.
local function mixed_values()
  return {w = float(rank), loss = rank, last = rank == size, net = {name = 'of rank ' .. rank}}
end
local function has_values_of(root, values)
  return values.w[1] == root and values.loss == root and values.last == (root == size)
         and values.net.name == 'of rank ' .. root
end
for _, name in ipairs{'broadcast', 'synchronize'} do
  local values = mixed_values()
  assert(dist[name](values, size) == values and has_values_of(size, values))
end
assert(dist.synchronize({name = 'rank ' .. rank}).name == 'rank 1')
for _, options in ipairs{{}, {deterministic = true}, {async = true}} do
  local values = mixed_values()
  local result = dist.allReduce(values, options)
  assert((options.async and result:wait() or result) == values)
  assert(values.w[1] == sum and values.loss == sum and values.net.name == 'of rank ' .. rank)
end
-- Tables that contain numbers, but no tensor.
for _, options in ipairs{{}, {deterministic = true}, {async = true}} do
  local values = {loss = rank, net = {last = 2 * rank, name = 'of rank ' .. rank}}
  local result = dist.allReduce(values, 'mean', options)
  assert((options.async and result:wait() or result) == values)
  assert(values.loss == sum / size and values.net.last == 2 * sum / size)
  assert(values.net.name == 'of rank ' .. rank)
end
assert(dist.reduce({rank}, 'max', size)[1] == rank)
assert(dist.reduce({-rank}, 'max', 1)[1] == -rank)
assert(dist.reduce({rank}, 'sum', 1)[1] == (rank == 1 and sum or rank))
fails('allReduce: loss is a number: the option result is for tensors', dist.allReduce, {loss = 1},
      {result = {loss = 1}})
for _, name in ipairs{'reduceScatter', 'allToAll'} do
  fails(name .. ': a tensor or a nested table of tensors is expected, got table', dist[name], {1})
end
local reduced = dist.reduce(mixed_values(), 'max', 1)
assert(reduced.loss == (rank == 1 and size or rank) and reduced.w[1] == reduced.loss)
fails('broadcast: last is a boolean: the option async is for tensors', dist.broadcast,
      mixed_values(), {async = true})
fails('allReduce: loss is a number: the option result is for tensors', dist.allReduce,
      mixed_values(), {result = mixed_values()})
for _, name in ipairs{'allGather', 'gather', 'reduceScatter', 'allToAll'} do
  fails(name .. ': a.1 is a number: a tensor is expected', dist[name], {a = {1}, w = float(rank)})
end
fails('scatter: a is a string: a tensor is expected', dist.scatter, {a = 'b', w = float(0)},
      rank == 1 and {a = 'b', w = torch.ones(size, 1):float()} or nil)
local cyclic = {rank = rank}
cyclic.self = cyclic
local copy = dist.broadcast(cyclic)
assert(copy.self == copy and copy.rank == 1)
cyclic.w = float(1)
for _, name in ipairs{'broadcast', 'allReduce', 'synchronize', 'check', 'averageGradients'} do
  fails(name .. ': a table of tensors contains itself', dist[name], cyclic)
end

-- A handle keeps its result in a scope.
local handles = {torch.scope(function()
  return dist.allGather(float(rank), {async = true}), dist.allReduce(rank, {async = true}),
         dist.allReduce({w = float(rank)}, {async = true})
end)}
assert(handles[1]:wait()[size][1] == size and handles[2]:wait() == sum)
assert(handles[3]:wait().w[1] == sum)

-- Arguments that are wrong in the same way on all ranks.
for _, call in ipairs{
  function() dist.allReduce(x, {foo = 1}) end, function() dist.broadcast(x, 99) end,
  function() dist.save('/no/such/file', {x}) end, function() dist.load('/no/such/file', {x}) end,
  function() dist.grad(5) end, function() dist.grad(function(p) return p * 2 end)(x) end,
  function() dist.grad(print)('x') end, function() dist.grad(print)(cyclic) end,
  function() dist.grad(print, {argument = 0}) end, function() dist.broadcast(cyclic) end,
  function() dist.allReduce(x, {result = torch.IntTensor()}) end,
  function() dist.allReduce({a = x}, {result = {}}) end,
} do
  local _, problem = pcall(call)
  assert(problem:find '^[^:\n]*tables%.lua:%d+: %a+: [^:\n]+', problem)
  assert(select(2, problem:gsub('%.lua:', '')) == 1, problem)
end
fails('split: color 0: nil or a whole number from 1 is expected', dist.split, 0)
fails('split: color 1.5', dist.split, 1.5)
fails('split: key a: a whole number', dist.split, 1, 'a')
fails('group: a list of ranks is expected, got nil', dist.group)
fails('group: a list of ranks is expected, got an empty table', dist.group, {})
fails('group: a list of ranks is expected, got number', dist.group, 5)
fails('group: a list of ranks is expected, got string', dist.group, '1,2')
fails('group: a list of ranks is expected, got boolean', dist.group, false)
fails('group: a list of ranks is expected, got torch.LongTensor', dist.group, torch.LongTensor{1})
fails('shard: a tensor of 0 dimensions has no rows', dist.shard, torch.FloatTensor())
for _, value in ipairs{{1, 2}, 'x', true, setmetatable({}, {__tostring = print})} do
  fails('shard: a number of elements or a tensor is expected, got ' .. type(value), dist.shard,
        value)
end
for _, value in ipairs{-1, 1.5, 1 / 0} do
  fails('shard: a number of elements or a tensor is expected, got ' .. value, dist.shard, value)
end
assert(dist.shard(torch.FloatTensor(0, 3)):nElement() == 0)
fails('broadcast: root x is not a rank', dist.broadcast, x, 'x')
fails('gather: root 1.5 is not a rank', dist.gather, x, 1.5)
fails('reduce: root 0 is not a rank', dist.reduce, x, 'sum', 0)
fails('receive: rank 9 does not exist', dist.receive, 9)
fails('scatter: unknown option async', dist.scatter, {1, 2, 3}, 1, {async = true})
fails('averageGradients: unknown option async', dist.averageGradients, x, {async = true})
fails('grad: unknown option byte', dist.grad, print, {byte = 1})
fails('init: unknown option timeuot', dist.init, {timeuot = 5})
fails('init: option timeout must be a number, got a string', dist.init, {timeout = '5'})
fails('init: option transport must be a string, got a boolean', dist.init, {transport = true})
fails('allReduce: option deterministic must be a boolean, got a number', dist.allReduce, x,
      {deterministic = 1})
fails('grad: option bytes must be a number, got a table', dist.grad, print, {bytes = {}})
fails('barrier: unknown option timeout; the options are async', dist.barrier, {timeout = 'x'})
fails('init: a table of options is expected, got a number', dist.init, 5)
fails('the options async and deterministic exclude each other', dist.allReduce, x,
      {async = true, deterministic = true})
for _, options in ipairs{{}, {deterministic = true}} do
  local integers = torch.IntTensor{3}
  fails("allReduce: 'mean' of an IntTensor: a floating-point tensor is expected", dist.allReduce,
        integers, 'mean', options)
  fails("allReduce: 'mean' of a LongTensor: a floating-point tensor is expected", dist.allReduce,
        {torch.LongTensor{3}}, 'mean', options)
  assert(integers[1] == 3)
  for _, value in ipairs{'abc', {}, {'abc'}, true} do
    fails('allReduce: a tensor or a nested table of tensors is expected, got ' .. type(value),
          dist.allReduce, value, 'sum', options)
  end
  fails('allReduce: a tensor or a nested table of tensors is expected, got nil', dist.allReduce,
        nil, 'sum', options)
end
assert(dist.allReduce(torch.IntTensor{rank}, {deterministic = true})[1] == sum)
-- Wrong results are errors before any tensor is written, also the right ones in the same table.
for _, deterministic in ipairs{false, true} do
  local given = float(7)
  for _, wrong in ipairs{torch.IntTensor(2), 3, 'x', {}, false} do
    fails('allReduce: result: a torch.FloatTensor is expected, got ' .. torch.type(wrong),
          dist.allReduce, x, {result = wrong, deterministic = deterministic})
    fails('allReduce: result: a torch.FloatTensor is expected, got ' .. torch.type(wrong),
          dist.allReduce, {a = x, b = x}, {result = {a = given, b = wrong},
                                           deterministic = deterministic})
  end
  fails('b is in only one of them', dist.allReduce, {a = x, b = x},
        {result = {a = given}, deterministic = deterministic})
  assert(given:equal(float(7)) and x[1] == rank)
end
fails('broadcast: the option result is for tensors', dist.broadcast, 'x', 1, {result = x})
fails('averageChunks: a function is expected, got number', dist.averageChunks, size, 3)
for _, f in ipairs{{}, setmetatable({}, {}), setmetatable({}, {__metatable = true})} do
  fails('averageChunks: a function is expected, got table', dist.averageChunks, size, f)
end
local double = setmetatable({factor = 2}, {__call = function(self, k) return self.factor * k end})
assert(dist.averageChunks(size, double) == 2 * sum / size)
fails('averageChunks: tensors of floating-point numbers are expected, got a torch.IntTensor',
      dist.averageChunks, size, function() return torch.IntTensor{1} end)
fails('averageChunks: the results differ: 8 chunks of 1 Float[', dist.averageChunks, 8,
      function(k) return torch.FloatTensor(k) end)

-- Wrong arguments of one rank are errors on all ranks, which stay in step. Its error and those of
-- the other ranks contain the text.
local threads = {}
for k = 1, size + 1 do
  threads[k] = coroutine.create(print)
end
for _, row in ipairs{
  {('scatter: the list has %d values for %d ranks'):format(size + 1, size), function(own)
    return dist.scatter(own and threads)
  end},
  {('scatter: the list has 0 values for %d ranks'):format(size), function(own)
    return dist.scatter(own and {})
  end},
  {'scatter: a list of values is expected, got ', function(own)
    return dist.scatter(own and 5 or nil)
  end},
  {'scatter: the root has no tensor to scatter', function()
    return dist.scatter(float(0))
  end},
  {'scatter: a tensor is expected, got table', function(own)
    return dist.scatter(float(0), own and {float(0)} or nil)
  end},
  {'tree: the tables differ: a is in only one of them', function(own)
    return dist.scatter({a = float(0)}, own and {b = float(0)} or nil)
  end},
  {'scatter: Unwritable object <thread>', function(own)
    return dist.scatter(own and {n = size, threads[1]})
  end},
  {'allGather: Unwritable object <thread>', function(own)
    return dist.allGather(own and threads[1])
  end},
} do
  local _, problem = pcall(row[2], rank == 1)
  assert(tostring(problem):find('^[^:\n]*tables%.lua:%d+: %a+: [^:\n]+'), problem)
  assert(problem:find(row[1], 1, true) and select(2, problem:gsub('%.lua:', '')) == 1, problem)
  dist.barrier()
end
local values = {n = size, [size] = 'last'}
assert(dist.scatter(rank == 1 and values) == (rank == size and 'last' or nil))

-- Tables that differ, although each call exchanges the same number of elements.
if size > 1 then
  local own = rank == 1
  local a, b = torch.FloatTensor(own and 2 or 3), torch.FloatTensor(own and 3 or 2)
  local function texts(call, more)
    return {('the ranks disagree: rank 1: %s of a Float[2], b Float[3]%s'):format(call, more),
            ('; rank%s: %s of a Float[3], b Float[2]%s'):format(
              size == 2 and ' 2' or 's 2, 3', call, more)}
  end
  for _, options in ipairs{{}, {deterministic = true}} do
    fails(texts('averageGradients', options.deterministic and ' (' or ', bucket 1 ('),
          dist.averageGradients, {a = a:fill(rank), b = b:fill(rank)}, options)
    assert(a:eq(rank):all() and b:eq(rank):all())
  end
  fails(texts('grad', ', step '), dist.grad(function(p) return p.a:sum() + p.b:sum() end),
        {a = a, b = b})
  fails({', from x Float[1]', ', from y Float[1]'}, dist.allReduce,
        {[own and 'x' or 'y'] = float(1)})
  fails({'rank 1: allReduce of Float[2 x 3] (allToAll', 'allReduce of Float[3 x 2]'},
        dist.allReduce, own and torch.FloatTensor(2, 3) or torch.FloatTensor(3, 2),
        {deterministic = true})
  fails({'rank 1: averageChunks of 8 chunks of 1 Double[1] (allToAll',
         ': averageChunks of 9 chunks of 1 Double[1] (allToAll'}, dist.averageChunks,
        own and 8 or 9, function(k) return k end)
  fails({'the ranks disagree: rank 1: group of ranks 1, 2; rank', ': group of ranks 1'}, dist.group,
        own and {1, 2} or {1})
  -- Equal bytes of another shape, of another type, and numbers.
  fails('check: params.a differs on rank', dist.check,
        {a = own and torch.zeros(2, 3) or torch.zeros(3, 2)})
  fails('check: net.1 differs on rank', dist.check,
        {own and float(0) or torch.IntTensor{0}}, 'net')
  fails('check: params.scale differs on rank', dist.check, {scale = own and 1 or 2})
  fails({'check of a (allGather', 'check of b ('}, dist.check, {[own and 'a' or 'b'] = float(0)})
  -- One of the tables is empty.
  for _, name in ipairs{'check', 'averageGradients', 'synchronize'} do
    fails(('the ranks disagree: rank 1: %s of no tensors; rank'):format(name), dist[name],
          own and {} or {a = float(0)})
  end
  fails('the ranks disagree', dist.averageGradients, own and {} or {a = float(0)},
        {deterministic = true})
  fails('broadcast: Unwritable object <thread>', dist.broadcast, own and threads[1])
  fails('the ranks disagree', dist.broadcast, {w = float(0), [own and 'a' or 'b'] = 'c'})
  -- One rank is in a function of the program, the others in grad: the message names it. A barrier
  -- has no root.
  local df = dist.grad(function(p) return (p * p):sum() end)
  fails({'rank 1: barrier; rank', ': grad of Float[5], step '}, own and dist.barrier or df,
        not own and torch.FloatTensor(5):fill(1) or nil)
end
dist.barrier()

if rank == 1 then
  print('ok ' .. size)
end
