-- Steps of scripts/first-gpu-hour: luajit first-gpu-hour.lua <step> <device>. A failing step raises
-- an error. The last line that a step prints is its summary.

package.path = 'test/lua/?.lua;' .. package.path
dofile 'test/lua/helper.lua'
local tensor = require 'tensor'
local step, device = arg[1], arg[2]
local is_soft = device == 'soft'
local steps = {}

local function on_device(class, ...)
  return tensor[class](...):to(device)
end

-- The first launch of each family, which loads its kernels, and a second one.
function steps.launches()
  local found
  for _, each in ipairs(tensor.devices()) do
    if each.name == tensor.Tensor():to(device):device() then
      found = each
    end
  end
  print(found.model, found.memory, tensor.info().software)
  local x = on_device('FloatTensor', 5):fill(2)
  local regular = tensor.eye(3):float():to(device)
  local calls = {
    fill = function() x:fill(2) end,
    unary = function() return x:exp() end,
    binary = function() return x + x end,
    sum = function() return x:sum() end,
    copy = function() return x:double() end,
    sort = function() return x:sort() end,
    product = function() return x:dot(x) end,
    random = function() x:uniform() end,
    inverse = function() return regular:inverse() end,
    fourier = function() return tensor.rfft(x) end,
    index = function() return x:index(1, tensor.LongTensor{1, 2}) end,
  }
  for name, call in pairs(calls) do
    local times = {}
    for k = 1, 2 do
      local start = tensor.tic()
      call()
      tensor.synchronize()
      times[k] = tensor.toc(start) * 1000
    end
    print(('%-8s first %.3f ms, second %.3f ms'):format(name, times[1], times[2]))
  end
  assert(x:fill(2):sum() == 10 and (x + 1)[3] == 3)
end

-- More elements than 32-bit indices count. The software device takes fewer.
function steps.large()
  local n = is_soft and 2 ^ 16 + 5 or 2 ^ 32 + 5
  local bytes = on_device('ByteTensor', n):fill(1)
  assert(bytes:sum() == n)
  assert(bytes:narrow(1, n - 3, 4):fill(3):sum() == 12)
  assert(bytes:sum() == n + 8)
  local m = is_soft and 2 ^ 15 + 3 or 2 ^ 31 + 3
  local floats = on_device('FloatTensor', m):fill(1)
  floats:add(1)
  assert(floats:sum() == 2 * m)
  assert(floats:cumsum(1)[m] == tensor.FloatTensor{2 * m}[1])
  local at = tensor.LongTensor{1, m}
  assert(floats:index(1, at):sum() == 4)
  floats[m] = -1
  assert(floats:min() == -1)
  local rows = floats:narrow(1, 1, m - 3):view(4, (m - 3) / 4)
  assert(rows:t():clone()[1][1] == 2 and rows:sum(2)[1][1] == (m - 3) / 2)
  -- Convolutions as products and as direct sums.
  for _, channels in ipairs{8, 1} do
    local signals = floats:narrow(1, 1, m - 3):view(1, channels, (m - 3) / channels)
    local outputs = math.max(1, channels / 2)
    local weight = on_device('FloatTensor', outputs, channels, 3):fill(0.5)
    local sums = tensor.conv1d(signals, weight)
    assert(sums:min() == 3 * channels and sums:max() == 3 * channels)
  end
  print(('%d and %d elements'):format(n, m))
end

-- Work of several threads, each with a state of its own.
function steps.threads()
  local ok, threads = pcall(require, 'threads')
  if not ok then
    print 'skipped: the package threads is not installed'
    os.exit(77)
  end
  local pool = threads.Threads(4, function() require 'tensor' end)
  for k = 1, 16 do
    pool:addjob(function()
      local own = require 'tensor'
      local x = own.FloatTensor(1000):fill(k):to(device)
      for _ = 1, 100 do
        x = x * 1
      end
      return x:sum()
    end, function(sum) assert(sum == 1000 * k) end)
  end
  pool:synchronize()
  pool:terminate()
  print '16 jobs in 4 threads'
end

-- Allocates until the device has no memory left. Tensors stay valid, and the freed memory can be
-- allocated again.
function steps.memory()
  local kept = on_device('FloatTensor', 1000):fill(7)
  local size = is_soft and 2 ^ 40 or 2 ^ 30
  local blocks = {}
  local ok, message
  repeat
    ok, message = pcall(function()
      blocks[#blocks + 1] = tensor.ByteTensor():to(device):resize(size):fill(1)
    end)
  until not ok or #blocks > 1000
  assert(not ok and message:find 'out of memory', message)
  assert(kept:sum() == 7000)
  local filled = #blocks
  blocks = nil
  collectgarbage()
  collectgarbage()
  tensor.emptyCache(device)
  assert(on_device('FloatTensor', 1000):fill(1):sum() == 1000)
  print(('%d blocks of %.0f bytes'):format(filled, size))
end

-- Ends while work is queued.
function steps.exit()
  local x = on_device('FloatTensor', 2 ^ 16):fill(1)
  for _ = 1, 1000 do
    x:add(1)
  end
  print 'ends with queued work'
  os.exit(0)
end

-- The times of bench/gpu.lua, and those of PyTorch if it is installed.
function steps.bench()
  local command = 'scripts/run-gpu-bench ' .. device .. (is_soft and ' add' or '')
  os.exit(os.execute(command) == 0 and 0 or 1)
end

assert(steps[step], 'unknown step')()
