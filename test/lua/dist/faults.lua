-- Run by dist_spec with 2 or 3 ranks: programs that fail. Argument: the fault.

local torch = require 'tensor'
local dist = require 'tensor.dist'

local fault = arg[1]
local is_second = os.getenv 'OMPI_COMM_WORLD_RANK' == '1' or os.getenv 'PMI_RANK' == '1'
if fault == 'absent' and is_second then
  require 'tensor.native'.sleep(60)
end
local rank = dist.init{timeout = fault == 'absent' and 4 or 60}
dist.barrier()
if fault == 'late' then
  dist.init{timeout = 4}
end
local t = torch.FloatTensor(1000):fill(1)
if fault == 'shapes' then
  dist.allReduce(torch.FloatTensor(rank == 2 and 3 or 4))
elseif fault == 'order' then
  if rank == 1 then
    dist.barrier()
  end
  dist.allReduce(t, 'max')
elseif fault == 'error' then
  if rank == 2 then
    error('an error of rank two')
  end
  dist.allReduce(t)
elseif fault == 'end' then
  if rank ~= 2 then
    dist.allReduce(t)
  end
elseif fault == 'pending' then
  if rank == 1 then
    dist.pending = dist.allReduce(t, {async = true})  -- not collected before the end
  end
elseif fault == 'late' then
  if rank == 2 then
    require 'tensor.native'.sleep(60)
  end
  dist.allReduce(t)
elseif fault == 'message' then
  if rank == 1 then
    dist.send(torch.IntTensor(3), 2)
  elseif rank == 2 then
    dist.receive(torch.FloatTensor(3), 1)
  end
  dist.barrier()
elseif fault == 'inside' then
  -- Nearly all of the time is spent in calls.
  if rank == 2 then
    os.execute '(sleep 0.3; kill -9 $PPID) &'
  end
  t:resize(2 ^ 22)
  while true do
    dist.allReduce(t)
  end
elseif fault == 'stopped' then
  -- Rank 2 is suspended, most likely while data is exchanged.
  dist.init{timeout = 1}
  t:resize(2 ^ 25):fill(1)
  for step = 1, math.huge do
    if rank == 2 and step == 3 then
      os.execute '(sleep 0.1; kill -STOP $PPID) &'
    end
    dist.allReduce(t, 'max')
  end
elseif fault == 'suspended' then
  -- All ranks are suspended for longer than the timeout, while rank 1 waits for the others.
  dist.init{timeout = 2}
  os.execute '(sleep 0.5; kill -STOP $PPID; sleep 3; kill -CONT $PPID) &'
  if rank ~= 1 then
    require 'tensor.native'.sleep(1)
  end
  if rank == 2 then
    dist.send(t, 1)
  elseif rank == 1 then
    dist.receive(2)
  end
  dist.allReduce(t)
  if rank == 1 then
    print 'all have continued'
  end
elseif fault == 'interrupted' then
  -- Prints the number of each process. Then one of them presses Ctrl-C, that is, sends SIGINT to
  -- the launcher, an ancestor.
  local function parent_of(pid)
    local stat = io.open(('/proc/%s/stat'):format(pid)):read '*a'
    return stat:match '%((.*)%) %S+ (%d+)'
  end
  -- Open MPI 5 runs as prterun. The parent of MPICH's ranks is hydra_pmi_proxy, whose parent is
  -- mpiexec.hydra: the last of several is the launcher.
  local function launcher_of(pid)
    local launcher
    while pid ~= '0' do
      local name, parent = parent_of(pid)
      if name:find '^mpi' or name:find '^orte' or name:find '^prte' or name:find '^hydra' then
        launcher = pid
      elseif launcher then
        break
      end
      pid = parent
    end
    return launcher or error 'not interrupted: no ancestor is a launcher'
  end
  local own = io.open '/proc/self/stat':read '*a':match '^%d+'
  io.stdout:write(('has number %s\n'):format(own))
  io.stdout:flush()
  dist.barrier()
  if rank == 2 then
    os.execute('kill -INT ' .. launcher_of(own))
  end
  -- The signal comes within a second.
  local last = os.time() + 120
  while os.time() < last do
    dist.allReduce(t)
  end
  error 'not interrupted: the launcher has not ended this process'
elseif fault == 'killed' then
  for step = 1, math.huge do
    if rank == 2 and step == 100 then
      os.execute 'kill -9 $PPID'
    end
    dist.allReduce(t)
  end
end
