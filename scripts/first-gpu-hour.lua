-- Steps of scripts/first-gpu-hour: luajit first-gpu-hour.lua <step> <device>. A failing step raises
-- an error. The last line that a step prints is its summary.

package.path = 'test/lua/?.lua;' .. package.path
dofile 'test/lua/helper.lua'
local tensor = require 'tensor'
local step, device = arg[1], arg[2]
local is_soft = device == 'soft'
local steps = {}
local ffi = require 'ffi'

local function on_device(class, ...)
  return tensor[class](...):to(device)
end

-- The driver's answer whether devices have memory pools; the plugin allocates from them.
local function memory_pools()
  local loaded, driver = pcall(function() return ffi.load 'libcuda.so.1' end)
  if not loaded then return 'unknown: ' .. tostring(driver) end
  ffi.cdef 'int cuInit(unsigned); int cuDeviceGetAttribute(int *, int, int);'
  local POOLS_SUPPORTED = 115
  local value = ffi.new 'int[1]'
  assert(driver.cuInit(0) == 0 and driver.cuDeviceGetAttribute(value, POOLS_SUPPORTED, 0) == 0)
  return value[0] == 1 and 'yes' or 'no'
end

-- The first launch of each family, which loads its kernels, and a second one.
function steps.launches()
  local found
  for _, each in ipairs(tensor.devices()) do
    if each.name == tensor.Tensor():to(device):device() then
      found = each
    end
  end
  local x = on_device('FloatTensor', 5):fill(2)
  local calls = {
    fill = function() x:fill(2) end,
    unary = function() return x:exp() end,
    binary = function() return x + x end,
    sum = function() return x:sum() end,
    copy = function() return x:double() end,
    sort = function() return x:sort() end,
    product = function() return x:dot(x) end,
    random = function() x:uniform() end,
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
  print(('%s; %s; %.0f MiB; memory pools: %s'):format(
    found.model, found.software, found.memory / 2 ^ 20, is_soft and 'no' or memory_pools()))
end

-- The libraries that the plugin loads on first use. Without cuSOLVER or cuFFT, calls fall back.
function steps.libraries()
  tensor.resetStats()
  tensor.warnOfFallbacks(true)
  local matrix = tensor.eye(3):float():to(device)
  local images = on_device('FloatTensor', 2, 64, 14, 14):fill(1)
  local weight = on_device('FloatTensor', 64, 64, 3, 3):fill(1)
  assert(tensor.mm(matrix, matrix):sum() == 3 and matrix:inverse():sum() == 3)
  assert(tensor.rfft(matrix):max() == 1)
  assert(tensor.conv2d(images, weight):max() == 576)
  local loaded = {}
  for line in io.lines '/proc/self/maps' do
    local name = line:match '/libcu([a-z]+)[^/]*$'
    loaded[name or ''] = true
  end
  local names = {}
  for _, name in ipairs{'blas', 'solver', 'fft', 'dnn'} do
    names[#names + 1] = ('cu%s %s'):format(name, loaded[name] and 'yes' or 'no')
  end
  if not is_soft and not loaded.dnn then
    print 'without cuDNN, the own algorithms compute convolutions'
  end
  print(table.concat(names, ', '))
  local name = next(tensor.stats().fallbacks)
  assert(not name, name and name .. ' fell back to the CPU')
end

-- More symmetric matrices than a call of cuSOLVER accepts, and a larger workspace.
function steps.batches()
  tensor.resetStats()
  for side, count in pairs{[3] = 40000, [32] = 20000} do
    if is_soft then count = 40 end
    local x = on_device('FloatTensor', count, side, side):uniform()
    local a = x + x:transpose(2, 3)
    local values, vectors = tensor.eigh(a)
    local products = tensor.bmm(a, vectors)
    local scaled = tensor.cmul(vectors, values:view(values:size(1), 1, side):expandAs(vectors))
    assert((products - scaled):abs():max() < 1e-3, side)
    print(('eigenvalues of %d matrices of side %d'):format(count, side))
  end
  assert(not next(tensor.stats().fallbacks))
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

-- Lua states in threads, which use the device at the same time.
function steps.threads()
  local name = device
  local batches = require('tensor.data').batches(tensor.range(1, 16):to('cpu'), {
    size = 1, shuffle = false, threads = 4,
    transform = function(k)
      local own = require 'tensor'
      local x = own.FloatTensor(1000):to(name):fill(k[1])
      for _ = 1, 100 do
        x = x * 1
      end
      return own.withDevice('cpu', own.Tensor, {x:sum()})
    end
  })
  local count = 0
  for sum in batches() do
    count = count + 1
    assert(sum[1] == 1000 * count)
  end
  assert(count == 16)
  print '16 jobs in 4 threads'
end

-- Returns true if f returns true in a child process.
local function in_child(f)
  io.stdout:flush()
  local pid = ffi.C.fork()
  if pid == 0 then
    local done, result = pcall(f)
    if not done then io.stderr:write(result, '\n') end
    ffi.C._exit(done and result and 0 or 1)
  end
  local status = ffi.new 'int[1]'
  return pid > 0 and ffi.C.waitpid(pid, status, 0) == pid and status[0] == 0
end

-- Child processes: of a parent that has not used the device, and of one that has. CUDA does not
-- work in the latter.
function steps.fork()
  ffi.cdef 'int fork(void); int waitpid(int, int *, int); void _exit(int);'
  local host = tensor.FloatTensor(1000):fill(1)
  local function sum_on_device()
    return on_device('FloatTensor', 1000):fill(1):sum() == 1000
  end
  assert(in_child(sum_on_device), 'a child cannot use the device')
  assert(sum_on_device())
  assert(in_child(function() return host:add(1):sum() == 2000 end), 'a child cannot use the CPU')
  if not is_soft then
    assert(in_child(function()
      local done, message = pcall(sum_on_device)
      return not done and message:find 'before fork' ~= nil
    end), 'a child of a process that has used CUDA gets no error')
  end
  assert(host:sum() == 1000 and sum_on_device())
  print(('%d child processes'):format(is_soft and 2 or 3))
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

assert(steps[step], 'unknown step')()
