-- tensor.dist with 1, 2 and 4 ranks, and programs that fail.

local torch = require 'tensor'
local dist = require 'tensor.dist'
local child = require 'support.child'
local settings = require 'support.settings'
local sleep = require 'tensor.native'.sleep

local prefix = os.getenv 'TENSOR_PREFIX' or ''

-- Runs a command. Returns its output and its exit status.
local function run(command)
  local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1; echo "status=$?"'))
  local output = pipe:read '*a'
  pipe:close()
  local text, status = output:match '^(.*)status=(%d+)\n$'
  return text, tonumber(status)
end

-- Runs a script of test/lua/dist with some ranks. With one rank, without a launcher.
local function start(ranks, script, ...)
  local option = ranks > 1 and '-n ' .. ranks or ''
  return run(("OMP_NUM_THREADS=1 '%s/bin/tensor' %s test/lua/dist/%s.lua %s"):format(
    prefix, option, script, table.concat({...}, ' ')))
end

-- Waits until a process has ended, for at most 10 s. It may remain as a zombie.
local function has_ended(pid)
  for _ = 1, 100 do
    local file = io.open(('/proc/%s/stat'):format(pid))
    local stat = file and file:read '*a'
    if file then
      file:close()
    end
    if not stat or stat:find '%) Z' then
      return true
    end
    sleep(0.1)
  end
  return false
end

-- The MPI that the transport belongs to may be missing on this machine.
local has_mpi = select(2, run('command -v ' .. (os.getenv 'TENSOR_MPIRUN' or 'mpirun'))) == 0
  and (os.getenv 'TENSOR_MPI_PLUGIN'
       or select(2, run(("ls '%s/lib/libTHmpi.so'"):format(prefix))) == 0)
local when_mpi = has_mpi and it or pending

describe('tensor.dist', function()
  it('refuses scripts on the standard input of several processes', function()
    for _, arguments in ipairs{'-n 2 -', '-n 2', '-n2'} do
      local text, status = run(('echo "print(1)" | \'%s/bin/tensor\' %s'):format(prefix, arguments))
      assert.are.equal('tensor: -n needs the file of a script: a single process can read the ' ..
                       'standard input\n', text)
      assert.are.equal(2, status)
    end
  end)

  when_mpi('runs a script on the standard input of one process', function()
    local text, status = run(('echo "print(1)" | \'%s/bin/tensor\' -n 1 -'):format(prefix))
    assert.are.equal('1\n', text)
    assert.are.equal(0, status)
  end)

  it('has one rank without a launcher', function()
    assert.are.equal(1, dist.rank())
    assert.are.equal(1, dist.size())
    assert.are.equal(1, dist.localRank())
    assert.are.equal(1, dist.localSize())
    assert.is_false(dist.isParallel())
    assert.are.equal('', dist.library())
    local t = torch.FloatTensor{1, 2}
    assert.are.equal(t, dist.allReduce(t, 'mean'))
    assert.are.equal(2, t[2])
    for _, name in ipairs{'allReduce', 'reduce'} do
      -- It works on a copy.
      local x = torch.ones(2)
      local handle = dist[name](x, {async = true})
      x:zero()
      assert.are.equal(2, handle:wait():sum())
    end
    local options = {argument = 2, tensors = true}
    local gradient, loss = dist.grad(function(a, x) return (a * x):sum() end, options)(2, t)
    assert.are.equal(2, gradient[1])
    assert.are.equal(6, loss[1])
    assert.has_error(function() dist.init{timeout = -1} end,
                     'init: timeout -1: a number of seconds is expected')
    assert.has_error(function() dist.averageChunks(0, function() end) end,
                     'averageChunks: 0 chunks for 1 ranks: at least one for each is expected')
  end)

  local device = settings.device or 'cpu'
  for _, ranks in ipairs{1, 2, 4} do
    (ranks == 1 and it or when_mpi)(('runs collectives with %d ranks'):format(ranks), function()
      local output, status = start(ranks, 'collectives', device)
      assert.are.equal(('ok %d\n'):format(ranks), output)
      assert.are.equal(0, status)
    end)
  end

  for _, ranks in ipairs{1, 2, 3} do
    (ranks == 1 and it or when_mpi)(('compares nested tables of %d ranks'):format(ranks), function()
      local output, status = start(ranks, 'tables')
      assert.are.equal(('ok %d\n'):format(ranks), output)
      assert.are.equal(0, status)
    end)
  end

  when_mpi('keeps ranks in step after errors of one rank', function()
    local output, status = start(2, 'in_step')
    assert.are.equal('ok\n', output)
    assert.are.equal(0, status)
  end)

  when_mpi('gives the same bits for 1, 2, 3 and 4 ranks', function()
    local file = os.tmpname()
    finally(function() os.remove(file) end)
    local expected, status = start(1, 'training', file, 'save')
    assert.are.equal(0, status, expected)
    for _, ranks in ipairs{2, 3, 4} do
      local output = start(ranks, 'training', file, ranks == 3 and 'save' or 'load')
      assert.are.equal(expected, output)
    end
  end)

  -- Sanitizers keep freed memory for a while.
  local when_exact = child.sanitized and pending or when_mpi
  when_exact('does not leak', function()
    local output, status = start(2, 'many', 5000)
    assert.are.equal('ok\n', output)
    assert.are.equal(0, status)
  end)

  local faults = {
    shapes = {"ranks 1, 3: allReduce 'sum' of a FloatTensor of size [4]",
              "rank 2: allReduce 'sum' of a FloatTensor of size [3]"},
    order = {'rank 1: barrier', "ranks 2, 3: allReduce 'max' of a FloatTensor of size [1000]"},
    error = {'rank 2: ', 'an error of rank two'},
    ['end'] = {'rank 2: the program has ended'},
    pending = {'rank 2 ends while others do not: the ranks disagree', 'rank 1: allReduce'},
    absent = {'init: timeout: MPI did not start within 4 s; 3 ranks are expected'},
    late = {'timeout: rank 2 did not take part within 4 s'},
    message = {'receive: rank 1 has sent an IntTensor of size [3]; a FloatTensor of size [3] is '
               .. 'expected'},
    stopped = {'timeout: '},
    killed = {},
    inside = {},
  }
  for _, fault in ipairs{'shapes', 'order', 'error', 'end', 'pending', 'absent', 'late', 'message',
                         'stopped', 'killed', 'inside'} do
    when_mpi('ends all ranks: ' .. fault, function()
      local output, status = start(3, 'faults', fault)
      assert.are_not.equal(0, status)
      for _, text in ipairs(faults[fault]) do
        assert.is_truthy(output:find(text, 1, true), output)
      end
    end)
  end

  when_mpi('ends all ranks after Ctrl-C', function()
    local output, status = start(3, 'faults', 'interrupted')
    assert.are_not.equal(0, status)
    assert.is_nil(output:find('not interrupted', 1, true), output)
    local count = 0
    for pid in output:gmatch 'has number (%d+)' do
      count = count + 1
      assert.is_true(has_ended(pid))
    end
    assert.are.equal(3, count, output)
  end)

  when_mpi('does not count the time in which the job is suspended', function()
    local output, status = start(3, 'faults', 'suspended')
    assert.are.equal('all have continued\n', output)
    assert.are.equal(0, status)
  end)

  -- With 2 ranks the elements are in the messages that compare the calls.
  when_mpi('reports a late rank to which elements are on their way', function()
    local output, status = start(2, 'faults', 'late')
    assert.are_not.equal(0, status)
    assert.is_truthy(output:find(faults.late[1], 1, true), output)
  end)

  when_mpi('reports processes that srun has not connected', function()
    local output, status = run(('SLURM_STEP_NUM_TASKS=3 \'%s/bin/tensor\' -e "require '
      .. '\'tensor.dist\'.init{transport = \'mpi\'}"'):format(prefix))
    assert.are_not.equal(0, status)
    assert.is_truthy(output:find('the launcher has started 3 processes, but ', 1, true), output)
    assert.is_truthy(output:find(' has 1: it needs the mpirun of its own MPI, or the option --mpi '
      .. 'of srun that fits it', 1, true), output)
    assert.are.equal('1\n', (run(('SLURM_STEP_NUM_TASKS=3 \'%s/bin/tensor\' -e "print(require '
      .. '\'tensor.dist\'.size())"'):format(prefix))))
  end)

  it('reports a launcher without a transport', function()
    local output, status = run(("OMPI_COMM_WORLD_SIZE=2 TENSOR_MPI_PLUGIN=/none '%s/bin/tensor' "
      .. [[-e "require 'tensor.dist'.init()"]]):format(prefix))
    assert.are.equal(1, status)
    assert.is_truthy(output:find('init: the launcher has started 2 processes, but there is no MPI '
      .. 'transport', 1, true), output)
  end)
end)
