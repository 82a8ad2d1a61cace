-- Convolutions: reference values from SciPy, accepted combinations of ranks, and errors.
-- Comparisons with plain loops for all types and layouts are in support/cases_convolution.lua.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'
local figures_of = require 'support.figures'

local numbers, sizes_of = figures_of.numbers, figures_of.sizes

local function filled(sizes, factor, period, shift, scale)
  local t = tensor.Tensor(sizes)
  local i = -1
  return t:apply(function()
    i = i + 1
    return ((factor * i) % period - shift) / scale
  end)
end

describe('convolutions', function()
  it('agree with SciPy', function()
    local count = 0
    for line in io.lines('test/data/convolution.txt') do
      local name, mode, image, kernel, result, figures =
        line:match '^(%w+) (%w) ([%dx]+) ([%dx]+) ([%dx]+)\t(.*)$'
      local t, k = filled(sizes_of(image), 7, 11, 5, 4), filled(sizes_of(kernel), 5, 7, 3, 2)
      local want = tensor.Tensor(numbers(figures)):view(sizes_of(result))
      for _, class in ipairs { 'Double', 'Float', 'Half' } do
        class = 'torch.' .. class .. 'Tensor'
        local got = tensor[name](t:type(class), k:type(class), mode)
        assert.is_true(got:double():equal(want), line)
      end
      count = count + 1
    end
    assert.are.equal(24, count)
  end)

  it('take ranks as Torch7 does', function()
    local image, planes = tensor.ones(5, 6), tensor.ones(2, 5, 6)
    local function size(name, ...)
      return table.concat(tensor[name](...):size():totable(), 'x')
    end
    assert.are.equal('4x4', size('conv2', image, tensor.ones(2, 3)))
    assert.are.equal('6x8', size('conv2', image, tensor.ones(2, 3), 'F'))
    assert.are.equal('2x4x4', size('conv2', planes, tensor.ones(2, 2, 3)))
    assert.are.equal('7x4x4', size('xcorr2', planes, tensor.ones(7, 2, 2, 3), 'V'))
    assert.are.equal('1x4x4', size('conv3', planes, tensor.ones(2, 2, 3)))
    local volumes = tensor.ones(3, 2, 5, 6)
    assert.are.equal('3x1x4x4', size('conv3', volumes, tensor.ones(3, 2, 2, 3)))
    assert.are.equal('4x3x6x8', size('xcorr3', volumes, tensor.ones(4, 3, 2, 2, 3), 'F'))
    assert.are.equal(3 * 12, tensor.xcorr3(volumes, tensor.ones(4, 3, 2, 2, 3))[{ 1, 1, 1, 1 }])
  end)

  it('are methods, with and without a result', function()
    local image, kernel = tensor.rand(4, 5), tensor.rand(2, 2)
    local want = tensor.conv2(image, kernel, 'F')
    assert.is_true(image:conv2(kernel, 'F'):equal(want))
    local r = tensor.Tensor()
    assert.is_true(rawequal(r, r:conv2(image, kernel, 'F')) and r:equal(want))
    assert.is_true(rawequal(image, tensor.conv2(image, image, kernel, 'F')))
    assert.is_true(image:equal(want))
  end)

  it('name shapes, modes and types in errors, and change nothing', function()
    local r = tensor.ones(2)
    local function message(name, ...)
      local done, text = pcall(tensor[name], r, ...)
      assert.is_false(done)
      assert.is_true(r:equal(tensor.ones(2)))
      return text
    end
    local image = tensor.ones(3, 4)
    assert.matches('conv2: the image is smaller than the kernel: image %[3 x 4%], kernel %[4 x 1%]',
                   message('conv2', image, tensor.ones(4, 1)))
    assert.matches('invalid number of planes: image %[2 x 3 x 3%], kernel %[3 x 2 x 2%]',
                   message('xcorr2', tensor.ones(2, 3, 3), tensor.ones(3, 2, 2)))
    assert.matches('invalid number of planes', message('xcorr2', tensor.ones(2, 3, 3),
                                                       tensor.ones(4, 3, 2, 2)))
    assert.matches('2D and 2D, 3D and 3D, or 3D and 4D expected, got image %[3 x 4%], kernel %[2%]',
                   message('conv2', image, tensor.ones(2)))
    assert.matches('3D and 3D, 4D and 4D, or 4D and 5D expected', message('conv3', image, image))
    assert.matches('need elements', message('conv2', image, tensor.Tensor(0, 2)))
    assert.matches("%['V' or 'F'%]", message('conv2', image, tensor.ones(2, 2), 'S'))
    assert.matches('invalid arguments', message('conv2', image, tensor.FloatStorage(2)))
  end)

  it('do not depend on the number of threads', function()
    local image, kernel = tensor.rand(8, 40, 50), tensor.rand(6, 8, 3, 3)
    same_on_threads({ 1, 4 }, function() return tensor.conv2(image, kernel, 'F') end)
  end)

  -- Computes one output plane as a sum of shifted images.
  local function summed(image, kernel)
    local height = image:size(2) - kernel:size(2) + 1
    local width = image:size(3) - kernel:size(3) + 1
    local sum = image.new(height, width):zero()
    for plane = 1, image:size(1) do
      for y = 1, kernel:size(2) do
        for x = 1, kernel:size(3) do
          sum:add(kernel[{ plane, y, x }], image[plane]:narrow(1, y, height):narrow(2, x, width))
        end
      end
    end
    return sum
  end

  it('have rows of any length', function()
    for _, class in ipairs { 'FloatTensor', 'DoubleTensor' } do
      for width = 1, 75 do
        local image = tensor[class](2, 4, width + 2):random(9)
        local kernels = tensor[class](5, 2, 2, 3):random(9)
        local found = tensor.xcorr2(image, kernels)
        for k = 1, 5 do
          local expected = summed(image, kernels[k])
          assert.is_true(found[k]:equal(expected))
        end
      end
    end
  end)

  it('go through large images in parts', function()
    for _, class in ipairs { 'FloatTensor', 'DoubleTensor' } do
      local image = tensor[class](16, 64, 75):random(9)
      local kernels = tensor[class](18, 16, 5, 5):random(9)
      local found = tensor.xcorr2(image, kernels)
      for _, k in ipairs { 1, 18 } do
        assert.is_true(found[k]:equal(summed(image, kernels[k])))
      end
      -- Volumes, split so that parts begin and end within planes.
      local volume = image:view(2, 8, 64, 75)
      local cubes = kernels:view(18, 2, 8, 5, 5):narrow(3, 1, 4):contiguous()
      local planes = tensor.xcorr3(volume, cubes)
      for z = 1, 5 do
        local of_plane = volume:narrow(2, z, 4):contiguous():view(8, 64, 75)
        assert.is_true(planes[{ 18, z }]:equal(summed(of_plane, cubes[18]:view(8, 5, 5))))
      end
    end
  end)
end)
