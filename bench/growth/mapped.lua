-- Sums, normalizes and multiplies a mapped .npy file that is larger than the memory, in pieces. The
-- file is sparse: it takes some blocks on the disk, and its zeros are made when they are read. So
-- this measures the page cache and the library, not a disk.
--
-- Usage: build/prefix/bin/tensor bench/growth/mapped.lua [GIB] [FOLDER]
--   GIB: the size, by default 40; FOLDER: where the file is made, by default build/bench

local tensor = require 'tensor'
tensor.setdefaulttensortype 'torch.FloatTensor'

io.stdout:setvbuf('line')
local gib, folder = tonumber(arg[1] or 40), arg[2] or 'build/bench'
local COLUMNS, ROWS_AT_ONCE, OUTPUTS = 1024, 8192, 16
local all_rows = 16 * math.floor(gib * 2 ^ 30 / 4 / COLUMNS / 16)
local filename = folder .. '/sparse.npy'

-- Writes a header, `ones` elements with the value 1 at regular distances, and a last one.
local function make_file(rows, ones)
  local dictionary = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }"):format(
    rows, COLUMNS)
  local header = dictionary .. (' '):rep(4096 - 10 - #dictionary - 1) .. '\n'
  local file = assert(io.open(filename, 'wb'))
  file:write('\147NUMPY\1\0', string.char(#header % 256, math.floor(#header / 256)), header)
  for k = 1, ones do
    file:seek('set', 4096 + 4 * (rows / ones * k * COLUMNS - k))
    file:write '\0\0\128\63'
  end
  -- The last element gives the file the length that the header states.
  file:seek('set', 4096 + 4 * (rows * COLUMNS - 1))
  file:write '\0\0\128\63'
  file:close()
end

local function blocks_on_disk()
  local pipe = io.popen('du -k ' .. filename)
  local kib = tonumber(pipe:read('*a'):match('^%d+'))
  pipe:close()
  return kib
end

-- Returns the memory of the process without mapped files, in MB.
local function own_memory()
  for line in io.lines('/proc/self/status') do
    local anonymous = line:match('^RssAnon:%s*(%d+)')
    if anonymous then
      return tonumber(anonymous) / 1000
    end
  end
end

-- Calls visit(piece) for the rows of x, some thousand at a time. Prints the time, the rate and the
-- processor time of all threads.
local function pass(name, x, visit)
  local start, clock = tensor.tic(), os.clock()
  for first = 1, all_rows, ROWS_AT_ONCE do
    tensor.scope(visit, x:narrow(1, first, math.min(ROWS_AT_ONCE, all_rows - first + 1)))
  end
  local elapsed = tensor.toc(start)
  print(('%-10s %7.2f s  %6.2f GB/s  %7.2f s of processor time  %4.0f MB beside the file'):format(
    name, elapsed, 4 * all_rows * COLUMNS / elapsed / 1e9, os.clock() - clock, own_memory()))
end

local ok, message = pcall(function()
  local ones = 16
  make_file(2 ^ 14, ones) -- 64 MiB
  assert(blocks_on_disk() < 10000, 'the file system does not keep holes')
  make_file(all_rows, ones)
  print(('%g GiB, %d KiB of them on the disk'):format(gib, blocks_on_disk()))
  local x = tensor.load(filename, {map = true})
  os.remove(filename) -- The mapping keeps the contents, also if this process is killed.
  local count = all_rows * COLUMNS

  local sum, squares = 0, 0
  pass('sum', x, function(piece) sum = sum + piece:sum() end)
  local expected = ones + 1
  assert(sum == expected, ('the sum is %g instead of %g'):format(sum, expected))
  pass('variance', x, function(piece) squares = squares + piece:dot(piece) end)
  local mean = sum / count
  local deviation = math.sqrt(squares / count - mean * mean)

  local normal, largest = tensor.Tensor(ROWS_AT_ONCE, COLUMNS), 0
  pass('normalize', x, function(piece)
    local part = normal:narrow(1, 1, piece:size(1))
    tensor.add(part, piece, -mean):div(deviation)
    largest = math.max(largest, part:max())
  end)
  local wanted = (1 - mean) / deviation
  assert(math.abs(largest / wanted - 1) < 1e-5, 'the normalized ones are wrong')

  local weight, product = tensor.Tensor(COLUMNS, OUTPUTS):fill(2),
                          tensor.Tensor(ROWS_AT_ONCE, OUTPUTS)
  local total = 0
  pass('multiply', x, function(piece)
    local part = product:narrow(1, 1, piece:size(1))
    total = total + part:mm(piece, weight):sum()
  end)
  assert(total == 2 * OUTPUTS * expected, 'the product is wrong')
end)
os.remove(filename)
if not ok then
  error(message, 0)
end
