-- Compares what Torch7's nn does with this library and what PyTorch does: a training step of LeNet,
-- the forward pass of ResNet-18, and a training step of char-rnn. The programs here make the calls
-- of nn. Prints a table: minima of three processes each, which alternate.
--
-- Usage: luajit bench/torch7/measure.lua [PYTHON] [quick]
--   PYTHON: one that has PyTorch; without it, only our times are measured
--   quick: one process with one thread, and short measurements

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local python, options = require 'arguments'(arg, 'quick')
local quick = options.quick
local rounds, seconds = quick and 1 or 3, quick and 0.01 or 1

local rows = {
  {name = 'lenet', title = 'LeNet, a training step of 64 images',
   command = 'build/release/bench/torch7_client lenet'},
  {name = 'resnet18', title = 'ResNet-18, forward, one image',
   command = 'build/release/bench/torch7_client resnet18'},
  {name = 'lstm', title = 'char-rnn, a training step in doubles',
   command = 'build/prefix/bin/tensor ' .. here .. 'lstm.lua'},
}

local function run(command, threads)
  local pipe = io.popen(('OMP_NUM_THREADS=%d %s %g'):format(threads, command, seconds))
  local time = tonumber(pipe:read '*l')
  pipe:close()
  assert(time, command)
  return time
end

for threads = 1, quick and 1 or 2 do
  print(('%-36s %12s %12s %6s'):format(threads .. ' thread(s)', 'ours, ms', 'PyTorch, ms', 'ratio'))
  for _, row in ipairs(rows) do
    local ours, theirs = math.huge, math.huge
    for _ = 1, rounds do
      ours = math.min(ours, run(row.command, threads))
      if python then
        local command = ('%s %speers.py %s'):format(python, here, row.name)
        theirs = math.min(theirs, run(command, threads))
      end
    end
    print(('%-36s %12.2f %12s %6s'):format(row.title, ours / 1e6,
          python and ('%.2f'):format(theirs / 1e6) or '-',
          python and ('%.2f'):format(ours / theirs) or '-'))
  end
end
