-- Compares convolutions of LeNet, ResNet-18 and ResNet-50, and the forward pass of ResNet-18, with
-- PyTorch, which uses oneDNN. Prints a table: minima of three processes each, which alternate.
--
-- Usage: luajit bench/networks/measure.lua [PYTHON] [quick]
--   PYTHON: one that has PyTorch; without it, only our times are measured
--   quick: batches of one image, one thread, one process, and short measurements

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local python, options = require 'arguments'(arg, 'quick')
local quick = options.quick
local rounds, seconds = quick and 1 or 3, quick and 0.002 or 0.05

local shapes, names = {}, ''
for line in io.lines(here .. 'shapes.txt') do
  if not line:find '^#' then
    local numbers = {}
    for number in line:gmatch '%d+' do
      numbers[#numbers + 1] = tonumber(number)
    end
    shapes[#shapes + 1] = ('%dx%d, %d to %d of %d, stride %d'):format(
      numbers[4], numbers[4], numbers[1], numbers[2], numbers[3], numbers[5])
    names = ('%s %d'):format(names, #shapes)
  end
end
shapes[#shapes + 1] = 'ResNet-18, forward'
names = names .. ' resnet18'

-- Adds the times of a process to the least ones. Returns the checksums.
local function run(program, threads, batch, least)
  local pipe = io.popen(('OMP_NUM_THREADS=%d OPENBLAS_NUM_THREADS=%d %s %g %d %s'):format(
    threads, threads, program, seconds, batch, names))
  local sums = {}
  for line in pipe:lines() do
    local time, sum = line:match '^(%S+) (%S+)$'
    sums[#sums + 1] = tonumber(sum)
    least[#sums] = math.min(least[#sums] or math.huge, tonumber(time))
  end
  pipe:close()
  return sums
end

for _, batch in ipairs(quick and {1} or {1, 16}) do
  for threads = 1, quick and 1 or 2 do
    local ours, theirs = {}, {}
    for _ = 1, rounds do
      local sums = run('build/prefix/bin/tensor ' .. here .. 'program.lua', threads, batch, ours)
      local others = python and run(python .. ' ' .. here .. 'program.py', threads, batch, theirs)
      for k, sum in ipairs(others or {}) do
        assert(math.abs(sums[k] - sum) <= 1e-3 * math.max(1, math.abs(sum)),
               shapes[k] .. ': the results differ')
      end
    end
    print(('%-36s %12s %12s %6s'):format(('batch %d, %d thread(s)'):format(batch, threads),
                                         'ours, us', 'PyTorch, us', 'ratio'))
    local logarithms = 0
    for k, name in ipairs(shapes) do
      local other = theirs[k]
      print(('%-36s %12.1f %12s %6s'):format(
        name, ours[k] / 1000, other and ('%.1f'):format(other / 1000) or '-',
        other and ('%.2f'):format(ours[k] / other) or '-'))
      logarithms = logarithms + (other and k < #shapes and math.log(ours[k] / other) or 0)
    end
    if python then
      print(('%-36s %12s %12s %6.2f'):format('geometric mean of the convolutions', '', '',
                                             math.exp(logarithms / (#shapes - 1))))
    end
  end
end
