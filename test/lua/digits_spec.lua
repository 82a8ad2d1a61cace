-- examples/digits.lua as run by a user, and the pictures that examples/lib writes.

local bit = require 'bit'
local ffi = require 'ffi'
local tensor = require 'tensor'

ffi.cdef [[
int uncompress(unsigned char *to, unsigned long *to_length,
               const unsigned char *from, unsigned long length);
char *realpath(const char *path, char *resolved);
void free(void *pointer);
]]
local found, zlib = pcall(ffi.load, 'z')
if not found then
  zlib = ffi.load('libz.so.1')
end

local function absolute(path)
  local resolved = ffi.C.realpath(path, nil)
  assert(resolved ~= nil, path)
  local text = ffi.string(resolved)
  ffi.C.free(resolved)
  return text
end

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local examples = absolute(here .. '../../examples')
local launcher = absolute((os.getenv('TENSOR_PREFIX') or here .. '../../build/prefix')
                          .. '/bin/tensor')
package.path = examples .. '/?.lua;' .. package.path

-- Returns the output of a shell command, including errors, and its exit status.
local function shell(command)
  local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1; echo "status=$?"'))
  local output, status = pipe:read('*a'):match('^(.*)status=(%d+)\n$')
  pipe:close()
  return output, tonumber(status)
end

local function contents(filename)
  local file = assert(io.open(filename, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

local function bigendian(text, position)
  local a, b, c, d = text:byte(position, position + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

-- The CRC of PNG chunks, computed bit by bit.
local function crc(text)
  local register = 0xffffffff
  for i = 1, #text do
    register = bit.bxor(register, text:byte(i))
    for _ = 1, 8 do
      local low = bit.band(register, 1)
      register = bit.bxor(bit.rshift(register, 1), low == 1 and 0xedb88320 or 0)
    end
  end
  return bit.bnot(register) % 2 ^ 32
end

-- Decodes a PNG file with 8 bits per channel and no filters: shape, color type, and rows of bytes.
local function decode(file)
  assert.are.equal('\137PNG\r\n\26\n', file:sub(1, 8))
  local kinds, data, position = {}, {}, 9
  while position <= #file do
    local length, kind = bigendian(file, position), file:sub(position + 4, position + 7)
    kinds[#kinds + 1] = kind
    data[kind] = (data[kind] or '') .. file:sub(position + 8, position + 7 + length)
    assert.are.equal(crc(file:sub(position + 4, position + 7 + length)),
                     bigendian(file, position + 8 + length))
    position = position + 12 + length
  end
  assert.are.equal(#file + 1, position)
  assert.are.same({'IHDR', 'IDAT', 'IEND'}, kinds)
  assert.are.equal('', data.IEND)
  local width, height = bigendian(data.IHDR, 1), bigendian(data.IHDR, 5)
  local depth, color, method, filter, interlace = data.IHDR:byte(9, 13)
  assert.are.same({13, 8, 0, 0, 0}, {#data.IHDR, depth, method, filter, interlace})

  local stride = 1 + width * (color == 2 and 3 or 1)
  local size = ffi.new('unsigned long[1]', height * stride + 1)
  local bytes = ffi.new('unsigned char[?]', size[0])
  assert.are.equal(0, zlib.uncompress(bytes, size, data.IDAT, #data.IDAT))
  assert.are.equal(height * stride, tonumber(size[0]))
  local rows = {}
  for y = 1, height do
    assert.are.equal(0, bytes[(y - 1) * stride])
    rows[y] = ffi.string(bytes + (y - 1) * stride + 1, stride - 1)
  end
  return {width = width, height = height, color = color, rows = rows}
end

describe('examples/digits.lua', function()
  local folder

  setup(function()
    folder = assert(shell('mktemp -d')):match('^[^\n]+')
  end)
  teardown(function()
    shell(("rm -rf '%s'"):format(folder))
  end)

  -- Runs the example in the folder.
  local function run(options, script)
    return shell(("cd '%s' && '%s' '%s' %s"):format(
      folder, launcher, script or examples .. '/digits.lua', options or ''))
  end

  it('reads at least 96 % of the test digits with its defaults', function()
    local output, status = run()
    assert.are.equal(0, status, output)
    local accuracy = tonumber(output:match('test accuracy ([%d.]+) %%\n$'))
    assert.is_true(accuracy >= 96 and accuracy <= 100, output)
    assert.is_truthy(output:find('1437 images to train on, 360 to test on', 1, true))
    assert.is_truthy(output:find('%d images/s\n'))
    -- Output that is not a terminal: separate lines, nothing is redrawn.
    assert.is_nil(output:find('\r', 1, true))
    assert.is_truthy(output:find('\n60/60  loss %d'))

    -- The confusion matrix counts all test images; its diagonal counts those classified correctly.
    local total, correct = 0, 0
    local matrix = output:match('shown  read as[^\n]*\n(.-)\n\n')
    local row = 0
    for line in matrix:gmatch('[^\n]+') do
      local column = 0
      for cell in line:match('^ *%d+(.*)$'):gmatch('%S+') do
        local n = tonumber(cell) or 0
        total = total + n
        correct = correct + (row == column and n or 0)
        column = column + 1
      end
      assert.are.equal(10, column)
      row = row + 1
    end
    assert.are.equal(10, row)
    assert.are.equal(360, total)
    assert.are.equal(('%.2f'):format(100 * correct / total), ('%.2f'):format(accuracy))
    local _, misread = output:gsub('%d read as %d', '')
    assert.are.equal(360 - correct, misread)
  end)

  it('learns the same on a device, which nothing leaves but what is read', function()
    local function last_lines(device)
      local output, status = shell(('%s %s/digits.lua --epochs 1 --out /dev/null --device %s')
                                   :format(launcher, examples, device))
      assert.are.equal(0, status, output)
      return output
    end
    local on_cpu, on_device = last_lines('cpu'), last_lines('soft')
    assert.are.equal(on_cpu:match('test accuracy [%d.]+'), on_device:match('test accuracy [%d.]+'))
    local steps, to_device, to_host, left = on_device:match(
      'epoch of (%d+) steps: (%d+) copies to the device, (%d+) of %d+ bytes from it; '
      .. 'fallbacks to the CPU: ([^\n]+)')
    assert.are.equal('0', to_device)
    assert.are.equal(steps, to_host)
    assert.are.equal('nothing', left)
  end)

  it('draws its picture as a PNG', function()
    local output, status = run('--epochs 2 --out two.png')
    assert.are.equal(0, status, output)
    assert.is_truthy(output:find('wrote two.png', 1, true))
    local picture = decode(contents(folder .. '/two.png'))
    assert.are.same({960, 480, 2}, {picture.width, picture.height, picture.color})
    local seen = {}
    for _, row in ipairs(picture.rows) do
      for pixel in row:gmatch('...') do
        seen[pixel] = true
      end
    end
    assert.is_true(seen['\255\255\255'], 'no white paper')
    assert.is_true(seen['\31\101\181'], 'no blue curve')
    assert.is_true(seen['\222\112\26'], 'no orange curve')
  end)

  it('gives the same for the same seed, and something else for another', function()
    local first = run('--epochs 1 --quiet --seed 5 --out a.png')
    assert.are.equal(first, (run('--epochs 1 --quiet --seed 5 --out b.png')))
    assert.are.equal(contents(folder .. '/a.png'), contents(folder .. '/b.png'))
    run('--epochs 1 --quiet --seed 6 --out b.png')
    assert.are_not.equal(contents(folder .. '/a.png'), contents(folder .. '/b.png'))
  end)

  it('prints one line with --quiet', function()
    local output, status = run('--epochs 1 --quiet')
    assert.are.equal(0, status)
    assert.is_truthy(output:match('^test accuracy [%d.]+ %%\n$'), output)
  end)

  it('says what is wrong with its options, and fails', function()
    for _, case in ipairs {
      {'--epoch 3', 'unknown option --epoch'},
      {'3', 'unknown option 3'},
      {'--epochs', '--epochs needs a value'},
      {'--epochs 0', '--epochs 0: a whole number from 1 to 10000 is expected'},
      {'--epochs 2.5', '--epochs 2.5: a whole number from 1 to 10000 is expected'},
      {'--epochs many', '--epochs many: a whole number from 1 to 10000 is expected'},
      {'--seed -1', '--seed -1: a whole number from 0 to 4294967295 is expected'},
      {"--out ''", '--out : a name is expected'},
    } do
      local output, status = run(case[1])
      assert.are.equal(1, status, case[1])
      assert.are.equal('digits.lua: ' .. case[2], output:match('^[^\n]*'))
      assert.is_truthy(output:find('\nusage: digits.lua [options]\n', 1, true))
      assert.is_nil(output:find('traceback', 1, true))
    end
    local output, status = run('--help')
    assert.are.equal(0, status)
    assert.is_truthy(output:find('^usage: digits.lua %[options%]\n'))
  end)

  it('says where it cannot write its picture, and fails', function()
    local output, status = run('--epochs 1 --quiet --out nowhere/digits.png')
    assert.are.equal(1, status)
    assert.are.equal('digits.lua: nowhere/digits.png: No such file or directory\n', output)
  end)

  it('says what is wrong with its data, and fails', function()
    shell(("cp -r '%s' '%s/examples'"):format(examples, folder))
    local script, data = 'examples/digits.lua', folder .. '/examples/data/digits.csv'
    local good = contents(data)
    local image = good:match('^[^\n]*\n')
    local function check(text, message)
      local file = assert(io.open(data, 'wb'))
      file:write(text)
      file:close()
      local output, status = run('--epochs 1', script)
      assert.are.equal(1, status, output)
      assert.are.equal('digits.lua: examples/data/digits.csv' .. message .. '\n', output)
    end
    check(image .. '1,2,3\n', ', line 2: 64 values and a digit are expected')
    check(image:gsub('%d+\n', 'ten\n'), ', line 1: 64 values and a digit are expected')
    check(image:gsub('%d+\n', '10\n'), ', line 1: 64 values and a digit are expected')
    check('', ': 721 images or more are expected, got 0')
    check(image:rep(100), ': 721 images or more are expected, got 100')
    os.remove(data)
    local output, status = run('--epochs 1', script)
    assert.are.equal(1, status)
    assert.are.equal('digits.lua: examples/data/digits.csv: No such file or directory\n', output)
  end)
end)

describe('examples/lib/png.lua', function()
  local png = require 'lib.png'

  it('writes grey pictures', function()
    local image = tensor.ByteTensor {{0, 1, 2}, {253, 254, 255}}
    assert.are.same({width = 3, height = 2, color = 0, rows = {'\0\1\2', '\253\254\255'}},
                    decode(png.encode(image)))
    assert.are.same({'\0\253', '\1\254', '\2\255'}, decode(png.encode(image:t())).rows)
    assert.are.same({2, 3}, image:size():totable())
  end)

  it('writes pictures of three colors, whatever their layout in memory', function()
    local image = tensor.ByteTensor(3, 2, 2)
    image[1], image[2], image[3] = 10, 20, 30
    image[{2, 1, 2}] = 99
    assert.are.same({width = 2, height = 2, color = 2,
                     rows = {'\10\20\30\10\99\30', '\10\20\30\10\20\30'}},
                    decode(png.encode(image)))
    assert.are.same({'\10\20\30\10\20\30', '\10\99\30\10\20\30'},
                    decode(png.encode(image:transpose(2, 3))).rows)
    assert.are.same({'\10\99\30'}, decode(png.encode(image[{{}, {1}, {2}}])).rows)
  end)

  it('rejects files that are not images', function()
    local function fails(image, message)
      assert.has_error(function() png.encode(image) end, message)
    end
    local shape = 'png: a picture has H x W or 3 x H x W pixels'
    fails(tensor.FloatTensor(2, 2), 'png: a ByteTensor is expected, got torch.FloatTensor')
    fails({}, 'png: a ByteTensor is expected, got table')
    fails(nil, 'png: a ByteTensor is expected, got nil')
    fails(tensor.ByteTensor(), shape)
    fails(tensor.ByteTensor(4), shape)
    fails(tensor.ByteTensor(4, 2, 2), shape)
    fails(tensor.ByteTensor(1, 3, 2, 2), shape)
  end)
end)
