-- Compares allReduce with mpi4py's Allreduce and with PyTorch's gloo backend:
--
--   [PYTHON=python3] build/prefix/bin/tensor bench/dist/compare.lua [ranks [rounds [bytes]]]
--
-- The libraries take turns, `rounds` times (5). Prints medians, and ratios of our time to theirs.
-- Sizes are 4 KiB to `bytes` (256 MiB). The MPI is that of mpirun for us and for mpi4py.

local ranks, rounds = tonumber(arg[1] or 2), tonumber(arg[2] or 5)
local most = tonumber(arg[3] or 2 ^ 28)
local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local python = os.getenv 'PYTHON' or 'python3'
local launch = ('OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '
  .. 'MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 mpirun --oversubscribe --bind-to none -n %d '):format(
  ranks)
local commands = {
  {name = 'tensor', command = ('%s %s %sworker.lua %d'):format(launch, arg[-1], here, most)},
  {name = 'mpi4py', command = ('%s %s %sworker.py mpi4py %d'):format(launch, python, here, most)},
  {name = 'gloo', command = ('%s %s %sworker.py gloo %d'):format(launch, python, here, most)},
}

local times, sizes = {}, {}
for _ = 1, rounds do
  for _, library in ipairs(commands) do
    local pipe = assert(io.popen(library.command))
    for line in pipe:lines() do
      local bytes, seconds = line:match '^(%d+) ([%d.]+)$'
      if bytes then
        bytes = tonumber(bytes)
        if not times[bytes] then
          times[bytes] = {}
          sizes[#sizes + 1] = bytes
        end
        local list = times[bytes][library.name] or {}
        times[bytes][library.name] = list
        list[#list + 1] = tonumber(seconds)
      end
    end
    pipe:close()
  end
end

local function median(list)
  if not list then
    return 0 / 0
  end
  table.sort(list)
  return list[math.ceil(#list / 2)]
end
print(('%d ranks; us, and the ratio of our time'):format(ranks))
print(('%10s %10s %10s %6s %10s %6s'):format('bytes', 'tensor', 'mpi4py', '', 'gloo', ''))
local products, counts = {mpi4py = 0, gloo = 0}, {mpi4py = 0, gloo = 0}
for _, bytes in ipairs(sizes) do
  local ours = median(times[bytes].tensor)
  local line = ('%10d %10.1f'):format(bytes, ours * 1e6)
  for _, name in ipairs{'mpi4py', 'gloo'} do
    local theirs = median(times[bytes][name])
    line = line .. (' %10.1f %6.2f'):format(theirs * 1e6, ours / theirs)
    if theirs == theirs then
      products[name] = products[name] + math.log(ours / theirs)
      counts[name] = counts[name] + 1
    end
  end
  print(line)
end
for name, sum in require('tensor.versions').each(products) do
  print(('geometric mean of the ratio to %s: %.2f'):format(name, math.exp(sum / counts[name])))
end
