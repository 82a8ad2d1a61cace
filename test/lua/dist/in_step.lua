-- Run by dist_spec with 2 ranks: errors of one rank, which are errors on all ranks at this step;
-- checkpoints.

local torch = require 'tensor'
local dist = require 'tensor.dist'

local rank = dist.init{timeout = 60}
local is_last = rank == dist.size()
local function fails(message, f, ...)
  local fine, problem = pcall(f, ...)
  assert(not fine and tostring(problem):find(message, 1, true), tostring(problem))
  return problem
end

-- The gradient of parameter k is k. The backward pass of the second one fails in some steps, when
-- the gradients of the others are on their way.
local failure, place
local breaks = torch.customGradient(function(x) return x * 1 end, function(gradient)
  if place == 'backward' then
    error(failure, 0)
  end
  return gradient
end)
local params = {}
for k = 1, 4 do
  params[k] = torch.zeros(k < 3 and 5 or 200, 200)
end
for _, options in ipairs{{}, {bytes = 1}, {deterministic = true}} do
  local df = dist.grad(function(p)
    if place == 'forward' then
      error(failure, 0)
    end
    return p[1]:sum() + breaks(p[2]):sum() * 2 + p[3]:sum() * 3 + p[4]:sum() * 4
  end, options)
  for step, own in ipairs{'forward', 'none', 'backward', 'none', 'forward', 'both', 'none'} do
    failure = {'an object', step}
    place = own == 'both' and 'forward' or is_last and own
    if own == 'both' or is_last and own ~= 'none' then
      local _, problem = pcall(df, params)
      assert(problem == failure)
    elseif own ~= 'none' then
      fails('; rank 2: barrier, from an error in grad: table: ', df, params)
    else
      -- After an error, a later step repeats the calls of this one, which may be in a scope.
      torch.scope(function()
        for k, gradient in ipairs(df(params)) do
          assert(gradient:eq(k):all())
        end
      end)
    end
  end
end

for _, value in ipairs{1, torch.FloatTensor()} do
  fails(is_last and 'in a chunk' or 'barrier, from an error in averageChunks: in a chunk',
        dist.averageChunks, 4, function(k) return k < 4 and value or error 'in a chunk' end)
end
dist.barrier()

-- A checkpoint has the random numbers of each rank. It fits on all ranks, or nothing is changed.
local file = dist.broadcast(rank == 1 and os.tmpname())
torch.manualSeed(rank)
dist.save(file, {w = torch.ones(1)})
local drawn = torch.uniform()
torch.manualSeed(rank + 50)
local parts = {w = torch.zeros(is_last and 2 or 1)}
fails(is_last and 'training.load: ' .. file .. ': w: a tensor of size [2] is expected'
      or 'rank 1: load of a checkpoint that fits; rank 2: barrier, from training.load: ',
      dist.load, file, parts)
assert(parts.w:sum() == 0)
parts.w:resize(1)
dist.load(file, parts)
assert(parts.w:sum() == 1 and torch.uniform() == drawn)

-- Different calls on Lua values, with messages of the same size.
fails('rank 1: broadcast of a LongTensor of size [1]; rank 2: broadcast of a value (',
      dist.broadcast, is_last and 'x' or torch.LongTensor{7})
fails('rank 1: save of a value (allGather', is_last and dist.load or dist.save, file, parts)
fails('; rank 2: broadcast of a value (', is_last and dist.broadcast or dist.load, file,
      not is_last and parts or nil)
dist.barrier()
if rank == 1 then
  os.remove(file)
  print 'ok'
end
