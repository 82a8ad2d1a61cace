-- examples/digits.lua as run by a user.

local tensor = require 'tensor'
local files = require 'support.files'

-- Returns the output of a shell command, including errors, and its exit status.
local function shell(command)
  local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1; echo "status=$?"'))
  local output, status = pipe:read('*a'):match('^(.*)status=(%d+)\n$')
  pipe:close()
  return output, tonumber(status)
end

local function absolute(path)
  local output, status = shell(("realpath '%s'"):format(path))
  assert(status == 0, output)
  return output:match '^[^\n]+'
end

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
local examples = absolute(here .. '../../examples')
local launcher = absolute((os.getenv('TENSOR_PREFIX') or here .. '../../build/prefix')
                          .. '/bin/tensor')

local contents = files.content

describe('examples/digits.lua', function()
  local folder

  setup(function()
    folder = files.new_folder()
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
      local output, status = run('--epochs 1 --out device.png --device ' .. device)
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
    local picture = tensor.load(folder .. '/two.png', {type = 'Byte'})
    assert.are.same({3, 800, 1920}, picture:size():totable())
    for name, color in pairs {paper = {255, 255, 255}, training = {0, 114, 178},
                              test = {213, 94, 0}} do
      local same = tensor.eq(picture, tensor.ByteTensor(color):view(3, 1, 1):expandAs(picture))
      assert.is_true(same:min(1):sum() > 0, 'no color of the ' .. name)
    end
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
    assert.are.equal('digits.lua: save: cannot open <nowhere/digits.png> in mode w: ' ..
                     'No such file or directory\n', output)
    output, status = run '--epochs 1 --quiet --out digits.dat'
    assert.are.equal(1, status)
    assert.are.equal('digits.lua: --out digits.dat: a name that ends in .png or .jpg is ' ..
                     'expected\n', output)
  end)

  it('says what is wrong with its data, and fails', function()
    shell(("cp -r '%s' '%s/examples'"):format(examples, folder))
    local script, data = 'examples/digits.lua', folder .. '/examples/data/digits.csv'
    local good = contents(data)
    local image = good:match('^[^\n]*\n')
    local function check(text, message)
      files.write(data, text)
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
