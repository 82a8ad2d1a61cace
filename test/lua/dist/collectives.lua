-- Run by dist_spec with several ranks: every collective with every element type and three layouts,
-- compared with what follows from the ranks. Arguments: the device of the tensors.

local torch = require 'tensor'
local dist = require 'tensor.dist'

if arg[1] and arg[1] ~= 'cpu' then
  torch.setDefaultDevice(arg[1])
end
assert(not dist.isParallel())
local rank, size = dist.init{timeout = 60}
assert(dist.isParallel() == (size > 1))
local types = {'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double'}

-- A 4 x 6 matrix in a layout, and its copy.
local layouts = {
  function(Tensor) return Tensor(4, 6) end,
  function(Tensor) return Tensor(6, 4):t() end,
  function(Tensor) return Tensor(8, 9):narrow(1, 3, 4):narrow(2, 2, 6) end,
}

-- Element k of rank r, small enough for sums and products in each type.
local function element(r, k)
  return (r * 3 + k * 5) % 4 + (k % 2)
end
local function filled(make, Tensor, r)
  local t, k = make(Tensor), 0
  return t:copy(Tensor(4, 6):apply(function()
    k = k + 1
    return element(r, k)
  end))
end
-- Compares with f(k), the expected value of element k in row-major order. All types represent it
-- exactly. count: the number of elements; default: 24.
local function expect(t, f, what, count)
  local k = 0
  torch.DoubleTensor(t:size()):copy(t):apply(function(x)
    k = k + 1
    if x ~= f(k) then
      error(('%s: element %d is %g, expected %g'):format(what, k, x, f(k)), 0)
    end
  end)
  if k ~= (count or 24) then error(('%s: %d elements'):format(what, k), 0) end
end
local reductions = {
  sum = function(a, b) return a + b end,
  prod = function(a, b) return a * b end,
  min = math.min,
  max = math.max,
}
local function reduced(name, k)
  local f, value = reductions[name == 'mean' and 'sum' or name], element(1, k)
  for r = 2, size do
    value = f(value, element(r, k))
  end
  return name == 'mean' and value / size or value
end

for _, name in ipairs(types) do
  local Tensor = torch[name .. 'Tensor']
  for number, make in ipairs(layouts) do
    local what = ('%s, layout %d'):format(name, number)
    for _, reduction in ipairs{'sum', 'mean', 'prod', 'min', 'max'} do
      if reduction ~= 'mean' or name:find 'Half' or name:find 'Float' or name == 'Double' then
        local t = filled(make, Tensor, rank)
        assert(dist.allReduce(t, reduction) == t)
        expect(t, function(k) return reduced(reduction, k) end, what .. ' allReduce ' .. reduction)
      end
    end
    local t = filled(make, Tensor, rank)
    dist.reduce(t, 'sum', size)
    expect(t, function(k)
      return rank == size and reduced('sum', k) or element(rank, k)
    end, what .. ' reduce')
    t = dist.broadcast(filled(make, Tensor, rank), size)
    expect(t, function(k) return element(size, k) end, what .. ' broadcast')
    local all = dist.allGather(filled(make, Tensor, rank))
    assert(all:type() == 'torch.' .. name .. 'Tensor' and all:size(1) == size)
    for r = 1, size do
      expect(all[r], function(k) return element(r, k) end, what .. ' allGather')
    end
    local gathered = dist.gather(filled(make, Tensor, rank), 1)
    assert((gathered ~= nil) == (rank == 1))
    if gathered then
      assert(gathered:equal(all))
    end
    local own = make(Tensor):zero()
    assert(dist.scatter(own, rank == size and all or nil, size) == own)
    expect(own, function(k) return element(rank, k) end, what .. ' scatter')
    -- Four rows: divided by 1, 2 or 4 ranks.
    local rows = 4 / size
    local part = dist.reduceScatter(filled(make, Tensor, rank), 'max')
    expect(part, function(k) return reduced('max', k + (rank - 1) * rows * 6) end,
           what .. ' reduceScatter', rows * 6)
    local exchanged = dist.allToAll(filled(make, Tensor, rank))
    assert(exchanged:nElement() == 24)
    for r = 1, size do
      expect(exchanged:narrow(1, (r - 1) * rows + 1, rows),
             function(k) return element(r, k + (rank - 1) * rows * 6) end, what .. ' allToAll',
             rows * 6)
    end
    if size > 1 then
      -- Around a ring: each receives while it sends.
      local right, left = rank % size + 1, (rank - 2) % size + 1
      local work = dist.send(filled(make, Tensor, rank), right, {async = true})
      local received = dist.receive(make(Tensor), left)
      expect(received, function(k) return element(left, k) end, what .. ' receive')
      work:wait()
    end
    local work = dist.allReduce(filled(make, Tensor, rank), 'sum', {async = true})
    local later = dist.allReduce(torch.DoubleTensor{rank}, 'max')
    expect(work:wait(), function(k) return reduced('sum', k) end, what .. ' async')
    assert(later[1] == size and work:isDone())
  end
end

-- Few elements are reduced in the messages that compare the calls, many by the transport, and very
-- many in parts.
for _, name in ipairs(types) do
  for _, count in ipairs{5000, 20000, name == 'Double' and 2500000 or 0} do
    for _, reduction in ipairs{'sum', 'prod', 'min', 'max'} do
      local t = torch[name .. 'Tensor'](count)
      if count > 0 then
        local first = torch[name .. 'Tensor'](16)
        for k = 1, 16 do
          first[k] = element(rank, k)
        end
        t:copy(first:repeatTensor(math.ceil(count / 16)):narrow(1, 1, count))
        dist.allReduce(t, reduction)
        expect(t:narrow(1, count - 8, 8), function(k)
          return reduced(reduction, (count - 9 + k - 1) % 16 + 1)
        end, ('%s allReduce %s of %d'):format(name, reduction, count), 8)
      end
    end
  end
end

-- NaN is never lost, and zeros of different signs give the same bits on all ranks.
local special = torch.FloatTensor{rank == size and 0 / 0 or rank, rank == 1 and -0.0 or 0.0, 1}
for _, reduction in ipairs{'min', 'max'} do
  for _, copies in ipairs{1, 3000} do
    local t = dist.allReduce(special:repeatTensor(copies), reduction):narrow(1, 3 * copies - 2, 3)
    assert(t[1] ~= t[1] and t[3] == 1)
    dist.check(t)
    if size > 1 then
      assert(1 / t[2] == (reduction == 'min' and -math.huge or math.huge))
    end
  end
end

-- Empty tensors, tensors without dimensions, nested tables, numbers.
dist.allReduce(torch.FloatTensor(0, 3))
dist.allReduce(torch.FloatTensor())
assert(dist.allGather(torch.IntTensor(2, 0)):size(2) == 2)
local nested = {a = torch.FloatTensor{1}, b = {torch.LongTensor{rank}}, name = 'kept'}
assert(dist.allReduce(nested) == nested and nested.a[1] == size and nested.name == 'kept')
assert(nested.b[1][1] == size * (size + 1) / 2)
assert(dist.allGather{x = torch.FloatTensor{rank}}.x[size][1] == size)
assert(dist.allReduce(rank) == size * (size + 1) / 2 and dist.allReduce(rank, 'max') == size)
assert(dist.allReduce(rank, 'mean', {async = true}):wait() == (size + 1) / 2)

-- All ranks are on this machine.
local local_ranks = dist.allGather(torch.IntTensor{dist.localRank()})
assert(dist.localSize() == size and local_ranks:view(-1):sort():equal(torch.range(1, size):int()))

-- Values.
local value = dist.broadcast(rank == 1 and {list = {1, 2}, text = 'x\0y'} or nil)
assert(value.list[2] == 2 and value.text == 'x\0y')
local values = dist.allGather(('v'):rep(rank))
assert(#values == size and #values[size] == size)
values = dist.gather({rank}, size)
assert((values ~= nil) == (rank == size) and (not values or values[1][1] == 1))
local list
if rank == 1 then
  list = {}
  for r = 1, size do
    list[r] = {own = r, t = torch.FloatTensor(r):fill(r)}
  end
end
value = dist.scatter(list)
assert(value.own == rank and value.t:size(1) == rank)

-- Functions and nil are values.
local double = dist.broadcast(rank == 1 and function(x) return 2 * x end or nil)
assert(double(4) == 8)
assert(dist.broadcast(nil) == nil)
assert(dist.allGather(nil)[1] == nil)

-- If the root's tensor has a wrong size, all ranks get an error, and stay in step.
if size > 1 then
  local done, message = pcall(dist.scatter, torch.DoubleTensor(2),
                              rank == 1 and torch.DoubleTensor(1, 2) or nil)
  assert(not done and message:find('from a DoubleTensor of size [1 x 2]', 1, true), message)
  dist.barrier()
end

-- Messages stay in order, also among asynchronous ones.
if rank == 1 then
  for r = 2, size do
    local last
    for k = 1, 5 do
      last = dist.send(torch.DoubleTensor(k):fill(k), r, {async = true})
    end
    dist.send({text = 'value', t = torch.IntTensor{r}}, r)
    last:wait()
  end
else
  local works = {}
  for k = 1, 4 do
    works[k] = dist.receive(torch.DoubleTensor(k), 1, {async = true})
  end
  assert(works[4]:wait():sum() == 16 and works[2]:wait():sum() == 4)
  assert(dist.receive(1):sum() == 25)
  local received = dist.receive(1)
  assert(received.text == 'value' and received.t[1] == rank)
end

-- Groups.
local odd = dist.split(rank % 2 + 1)
assert(odd:size() == (rank % 2 == 1 and math.ceil(size / 2) or math.floor(size / 2)))
assert(odd:allReduce(1) == odd:size())
local reversed = dist.split(1, size - rank + 1)
assert(reversed:rank() == size - rank + 1)
local pair = dist.group{size, 1}
assert((pair ~= nil) == (rank == 1 or rank == size))
if pair then
  assert(pair:broadcast(rank, 1) == size)
end

-- Errors that are the same on all ranks leave the ranks in step.
local function fails(message, f, ...)
  local ok, problem = pcall(f, ...)
  assert(not ok and tostring(problem):find(message, 1, true), tostring(problem))
end
fails("allReduce: unknown reduction 'avg'", dist.allReduce, torch.FloatTensor(2), 'avg')
fails("allReduce: 'mean' of an IntTensor", dist.allReduce, torch.IntTensor(2), 'mean')
fails('broadcast: root ' .. size + 1, dist.broadcast, torch.IntTensor(2), size + 1)
fails('send: rank ' .. rank .. ' is this rank itself', dist.send, torch.IntTensor(2), rank)
fails('allReduce: unknown option', dist.allReduce, torch.FloatTensor(2), 'sum', {asinc = true})
fails('barrier: a table of options', dist.barrier, 3)
fails('receive: options need a tensor', dist.receive, 1, {async = true})
-- Tensors without dimensions have no place for the ranks.
local empty = torch.FloatTensor()
for _, options in ipairs{{}, {async = true}} do
  local function finish(handle)
    return options.async and handle:wait()
  end
  local text = 'tensors without dimensions cannot be gathered'
  fails(text, function() finish(dist.allGather(empty, options)) end)
  fails(text, function() finish(dist.gather(empty, 1, options)) end)
  fails('tensors cannot be scattered to results without dimensions', function()
    finish(dist.scatter(empty, rank == 1 and torch.FloatTensor(size) or nil, 1, options))
  end)
end
local rows = dist.allGather(torch.FloatTensor(0))
assert(rows:dim() == 2 and rows:size(1) == size and rows:size(2) == 0)
if size > 1 then
  fails('the ranks disagree', dist.allGather, rank == 1 and empty or torch.FloatTensor(1))
  fails('a multiple of ' .. size, dist.allToAll, torch.FloatTensor(size + 1))
  fails('the ranks disagree: rank 1: broadcast of a FloatTensor of size [1]; ', dist.broadcast,
        torch.FloatTensor(rank), 1)
end
-- After a disagreement the elements are unchanged, also on ranks whose neighbours agreed with them.
if size > 1 then
  local t = torch.FloatTensor(rank == size and 3 or 2):fill(rank)
  fails('the ranks disagree', dist.allReduce, t)
  assert(t:eq(rank):all())
  if rank == size then
    fails('the ranks disagree', dist.barrier)
  else
    fails('the ranks disagree', dist.allReduce, t)
  end
  assert(t:eq(rank):all())
end
assert(dist.allReduce(1) == size)
local p = torch.FloatTensor{rank}
if size > 1 then
  local nested_params = {a = {p}, b = torch.FloatTensor(2):fill(1)}
  fails('check: params.a.1 differs on rank', dist.check, nested_params)
end
-- The collector frees received tensors.
if size > 1 then
  local before, most = torch.memory().bytes, 0
  local large = rank == 1 and torch.zeros(1e6)
  for _ = 1, 20 do
    if rank == 1 then
      dist.send(large, 2)
    elseif rank == 2 then
      dist.receive(1)
      most = math.max(most, torch.memory().bytes - before)
    end
  end
  assert(most < 100e6, most)
end

if rank == 1 then
  print('ok ' .. size)
end
