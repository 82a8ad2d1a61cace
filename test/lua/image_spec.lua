-- tensor.image: scaling, cropping and flipping, compared with plain loops and with values from
-- PyTorch (test/reference/images.py).

local tensor = require 'tensor'
local child = require 'support.child'
local format_files = require 'support.format_files'
local error_of = require 'support.raises'.message
local numbers = require 'support.figures'.numbers

local image = tensor.image

-- The element at row y and column x of a channel, counting from 0.
local function at(t, c, y, x)
  return t:dim() == 3 and t[{c, y + 1, x + 1}] or t[{y + 1, x + 1}]
end

local function sizes(text)
  local height, width = text:match '(%d+)x(%d+)'
  return tonumber(height), tonumber(width)
end

-- The mean of an area, counted as if each pixel were divided into as many parts as the result has
-- pixels.
local function mean_of_area(t, c, height, width, y, x)
  local h, w, sum = t:size(-2), t:size(-1), 0
  for i = y * h, (y + 1) * h - 1 do
    for j = x * w, (x + 1) * w - 1 do
      sum = sum + at(t, c, math.floor(i / height), math.floor(j / width))
    end
  end
  return sum / (h * w)
end

local function pixels(height, width)
  local t = tensor.DoubleTensor(height, width)
  for i = 0, height * width - 1 do
    t[{math.floor(i / width) + 1, i % width + 1}] = ((7 * i) % 11 - 5) / 4
  end
  return t
end

-- The weights of `from` elements in each of `to` elements, as whole numbers, and their sum.
local function weights(from, to)
  local matrix = tensor.DoubleTensor(to, from)
  for i = 0, to - 1 do
    for j = 0, from - 1 do
      local weight
      if to > from then
        weight = to - 1 - math.abs(i * (from - 1) - j * (to - 1))
      else
        weight = math.min((i + 1) * from, (j + 1) * to) - math.max(i * from, j * to)
      end
      matrix[{i + 1, j + 1}] = math.max(weight, 0)
    end
  end
  return matrix, to > from and to - 1 or from
end

-- Calls body with images of all types and layouts.
local function each(body)
  format_files.each(function(e, layout, t)
    if t:dim() ~= 2 or t:nElement() == 0 then return end
    body(e, layout, t)
    body(e, layout .. ', a channel', t:view(1, t:size(1), t:size(2)))
    local both = t.cat(t:contiguous(), t:clone():add(1), 3)
    body(e, layout .. ', channels last', both:permute(3, 1, 2))
  end)
end

describe('image', function()
  it('refuses unknown names', function()
    for name, hint in pairs { load = ": tensor.load 'x.png' reads a picture", spin = '',
                              rotate = ': tensor.rot90 rotates by 90 degrees',
                              scael = ': did you mean scale?',
                              save = ": tensor.save('x.png', t) writes a picture" } do
      assert.has_error(function() return image[name] end,
                       ("tensor.image has no function or field '%s'%s"):format(name, hint))
    end
    tensor.setRule('fields', 'torch7')
    local load = image.load
    tensor.setRule('fields', 'tensor')
    assert.is_nil(load)
  end)
end)

describe('image.scale', function()
  it('enlarges as PyTorch does', function()
    local count = 0
    for line in io.lines 'test/data/images.txt' do
      local mode, before, after, figures = line:match '^(%S+) (%S+) (%S+)\t(.*)$'
      local height, width = sizes(after)
      local expected = numbers(figures)
      local got = image.scale(pixels(sizes(before)), width, height, mode)
      assert.are.same({height, width}, got:size():totable())
      local worst = (got:view(-1) - tensor.DoubleTensor(expected)):abs():max()
      assert.is_true(worst < 1e-14, line:match '^[^\t]*' .. ' ' .. worst)
      count = count + 1
    end
    assert.are.equal(14, count)
  end)

  it('makes means of areas of all types and layouts', function()
    each(function(e, layout, t)
      local before = t:clone()
      for _, wanted in ipairs {{1, 1}, {2, 3}, {1, 2}} do
        local height, width = unpack(wanted)
        local got = image.scale(t, width, height)
        local area = image.scale(t, width, height, 'area')
        assert.are.equal(t:type(), got:type())
        for c = 1, t:dim() == 3 and t:size(1) or 1 do
          for y = 0, height - 1 do
            for x = 0, width - 1 do
              local mean = mean_of_area(t, c, height, width, y, x)
              local near = e.integral and 0.5 or math.max(e.eps, 1e-15) * 8 * (1 + math.abs(mean))
              assert.near(mean, at(area, c, y, x), near + 1e-9, e.name .. ' ' .. layout)
              if height <= t:size(-2) and width <= t:size(-1) then
                assert.are.equal(at(area, c, y, x), at(got, c, y, x))
              end
            end
          end
        end
      end
      assert.is_true(before:equal(t))
    end)
  end)

  it('makes means where there are many, and parts of pixels', function()
    for _, case in ipairs {{1, 50, 3, 1}, {40, 7, 2, 5}, {9, 31, 4, 7}, {2, 3, 5, 7},
                           {31, 2, 1, 2}} do
      local t = pixels(case[1], case[2])
      local height, width = case[3], case[4]
      local got = image.scale(t, width, height, 'area')
      for y = 0, height - 1 do
        for x = 0, width - 1 do
          assert.near(mean_of_area(t, 1, height, width, y, x), got[{y + 1, x + 1}], 1e-13)
        end
      end
    end
  end)

  it('takes the next pixel of all types and layouts', function()
    each(function(e, layout, t)
      for _, mode in ipairs {'nearest', 'simple'} do
        local got = image.scale(t, 7, 2, mode)
        for c = 1, t:dim() == 3 and t:size(1) or 1 do
          for y = 0, 1 do
            for x = 0, 6 do
              local expected = at(t, c, math.floor(y * t:size(-2) / 2),
                                  math.floor(x * t:size(-1) / 7))
              assert.are.equal(expected, at(got, c, y, x), e.name .. ' ' .. layout)
            end
          end
        end
      end
    end)
    local large = tensor.LongTensor{{2 ^ 53, 1}}
    large:add(1)
    assert.is_true(image.scale(large, 4, 1, 'nearest')[{{}, {1}}]:equal(large[{{}, {1}}]))
  end)

  it('rounds integers, halves up', function()
    assert.are.same({{2}}, image.scale(tensor.ByteTensor{{1, 2}}, 1, 1):totable())
    assert.are.same({{-1}}, image.scale(tensor.IntTensor{{-1, -2}}, 1, 1):totable())
    assert.are.same({{0, 128, 255}}, image.scale(tensor.ByteTensor{{0, 255}}, 3, 1):totable())
    assert.are.same({{255, 255, 255}}, image.scale(tensor.ByteTensor{{255, 255}}, 3, 1):totable())
    -- Halves whose terms, as 5 / 6 and 3 / 6, are inexact.
    assert.are.same({{6}}, image.scale(tensor.ByteTensor{{5, 3, 3, 5, 8, 9}}, 1, 1):totable())
    assert.are.same({{3, 3, 2, 2, 1, 1, 0}},
                    image.scale(tensor.ByteTensor{{3, 0}}, 7, 1):totable())
  end)

  it('rounds exact means, along one dimension and both', function()
    for _, class in ipairs {'ByteTensor', 'CharTensor', 'ShortTensor', 'IntTensor'} do
      local least = class == 'ByteTensor' and 0 or -100
      for _, sizes_of_case in ipairs {{1, 6, 1, 1}, {3, 2, 5, 7}, {7, 10, 2, 3}, {64, 65, 66, 61},
                                      {1, 2, 1, 11}, {90, 3, 91, 2}, {40, 40, 20, 80}} do
        local h, w, height, width = unpack(sizes_of_case)
        local t = tensor[class](h, w):random(least, 100)
        local rows, row_sum = weights(h, height)
        local columns, column_sum = weights(w, width)
        local sums = tensor.mm(tensor.mm(rows, t:double()), columns:t()):long()
        local divisor = row_sum * column_sum
        local expected = tensor.floorDivide(sums:mul(2):add(divisor), 2 * divisor)
        assert.is_true(image.scale(t, width, height):long():equal(expected),
                       class .. ' ' .. table.concat(sizes_of_case, ' '))
      end
    end
  end)

  it('is as good for many elements as for few, and where one is infinite', function()
    for _, sizes_of_case in ipairs {{40, 70, 90, 71}, {70, 40, 33, 20}, {3, 200, 3, 1}} do
      local h, w, height, width = unpack(sizes_of_case)
      local t = tensor.randn(2, h, w)
      local rows, row_sum = weights(h, height)
      local columns, column_sum = weights(w, width)
      local expected = tensor.matmul(tensor.matmul(rows, t), columns:t())
                       :div(row_sum * column_sum)
      for _, with_infinity in ipairs {false, true} do
        if with_infinity then t[{2, h, w}] = 1 / 0 end
        local got = image.scale(t, width, height)
        assert.is_true((got[1] - expected[1]):abs():max() < 1e-13)
        assert.are.equal(with_infinity, got[{2, height, width}] == 1 / 0)
      end
    end
  end)

  it('keeps NaN and infinities where they are', function()
    local t = tensor.Tensor{{1, 1 / 0, 1, 1, 0 / 0, 1, 2}}
    local got = image.scale(t, 3, 1, 'area'):view(-1):totable()
    assert.are.equal(1 / 0, got[1])
    assert.is_true(got[2] ~= got[2] and got[3] ~= got[3])
    assert.are.equal(1 / 0, image.scale(t:narrow(2, 1, 4), 1, 1)[{1, 1}])
    local larger = image.scale(t:narrow(2, 1, 3), 9, 1):view(-1):totable()
    assert.are.same({1, 1 / 0, 1 / 0, 1}, {larger[1], larger[2], larger[5], larger[9]})
  end)

  it('knows sizes as Torch7 wrote them', function()
    local t = tensor.range(1, 24):view(4, 6)
    local function size(...) return table.concat(image.scale(t, ...):size():totable(), 'x') end
    assert.are.equal('2x3', size(3))
    assert.are.equal('2x3', size('3'))
    assert.are.equal('5x7', size('7x5'))
    assert.are.equal('2x3', size('^2'))
    assert.are.equal('8x12', size('*2'))
    assert.are.equal('2x3', size('*1/2', 'nearest'))
    assert.are.equal('1x1', size('*0.01'))
    assert.are.equal('4x6', size(6, 4))
    local same = image.scale(t, 6, 4)
    assert.is_true(same:equal(t) and same:storage() ~= t:storage())
    local dst = tensor.Tensor(2, 3)
    assert.are.equal(dst, image.scale(dst, t, 'nearest'))
    assert.is_true(dst:equal(image.scale(t, 3, 2, 'simple')))
  end)
end)

describe('image.crop and flips', function()
  it('copy what they name, of all types and layouts', function()
    each(function(_, layout, t)
      local before, height, width = t:clone(), t:size(-2), t:size(-1)
      local flat, upside = image.hflip(t), image.vflip(t)
      local part = image.crop(t, 1, 0, width, height - 1)
      assert.are.same({height - 1, width - 1}, {part:size(-2), part:size(-1)})
      for c = 1, t:dim() == 3 and t:size(1) or 1 do
        for y = 0, height - 1 do
          for x = 0, width - 1 do
            assert.are.equal(at(t, c, y, x), at(flat, c, y, width - 1 - x), layout)
            assert.are.equal(at(t, c, y, x), at(upside, c, height - 1 - y, x))
            if x > 0 and y < height - 1 then
              assert.are.equal(at(t, c, y, x), at(part, c, y, x - 1))
            end
          end
        end
      end
      part:fill(0)
      flat:fill(0)
      assert.is_true(before:equal(t))
    end)
  end)

  it('cut at places, and into tensors that are given', function()
    local t = tensor.range(0, 29):view(5, 6)
    local corners = {tl = 0, tr = 3, bl = 18, br = 21, c = 7}
    for place, first in pairs(corners) do
      local part = image.crop(t, place, 3, 2)
      assert.are.same({2, 3}, part:size():totable())
      assert.are.same({first, first + 8}, {part[{1, 1}], part[{2, 3}]}, place)
    end
    assert.are.same({4, 5}, image.crop(t, 1, 1):size():totable())
    for _, name in ipairs {'hflip', 'vflip'} do
      local dst = tensor.Tensor()
      assert.are.equal(dst, image[name](dst, t))
      assert.is_true(dst:equal(image[name](t)))
      local own = t:clone()
      assert.is_true(image[name](own, own):equal(dst))
    end
    local dst = tensor.Tensor()
    assert.are.equal(dst, image.crop(dst, t, 'c', 2, 2))
    assert.are.same({2, 2}, dst:size():totable())
  end)

  it('say what is wrong, and change nothing', function()
    local t = tensor.range(1, 12):view(3, 4)
    local function fails(message, name, ...)
      assert.matches(message, error_of(image[name], ...), 1, true)
    end
    fails('image.scale: a tensor is expected, got nil', 'scale')
    fails('image.scale: an image has H x W or channels x H x W elements, got 4', 'scale', t[1], 2)
    fails('got 2 x 0', 'scale', tensor.Tensor(2, 0), 2, 2)
    fails('the width is a whole number from 1 to 1000000, got 0', 'scale', t, 0, 2)
    fails('the height is a whole number from 1 to 1000000, got 2.5', 'scale', t, 2, 2.5)
    fails('the width is a whole number', 'scale', t, 1e9, 1)
    fails('got big', 'scale', t, 'big')
    fails('got nil', 'scale', t)
    fails('the mode is "bilinear", "nearest" ("simple") or "area", got cubic',
          'scale', t, 2, 'cubic')
    fails('an image has H x W', 'scale', tensor.Tensor(4), t)
    fails('the tensor for it', 'scale', tensor.Tensor(1, 2, 2), t)
    fails('x1 is a whole number from 0 to 3, got -1', 'crop', t, -1, 0, 2, 2)
    fails('x2 is a whole number from 3 to 4, got 5', 'crop', t, 2, 0, 5, 2)
    fails('a position is', 'crop', t, 'middle', 2, 2)
    fails('the height is a whole number from 1 to 3, got 4', 'crop', t, 'c', 2, 4)
    fails('image.hflip: a tensor is expected, got string', 'hflip', 'x')
    fails('image.vflip: an image has', 'vflip', tensor.ones(2, 2, 2, 2))
    assert.is_true(t:equal(tensor.range(1, 12):view(3, 4)))
  end)
end)

-- A package named image, structured like Torch7's, in a separate process.
describe('tensor.image and a package image', function()
  local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './'
  local packages = ('package.path = %q .. package.path\n')
                   :format(here .. 'support/packages/?/init.lua;')
  local both = [[
    local own = require 'tensor'.image
    assert(own ~= image and require 'image' == image and torch.image == own)
    local t = torch.range(1, 4):view(1, 2, 2):float()
    local function show(...)
      for _, r in ipairs {...} do
        print(torch.type(r), table.concat(r:contiguous():view(-1):totable(), ' '))
      end
    end
    -- Our scale averages; that of the package takes the last element of each block.
    show(own.scale(t, 1, 1), image.scale(t, 1, 1), t.image.scale(torch.FloatTensor(), t, 1, 1))
    show(own.scale(torch.FloatTensor(1, 1, 1), t), image.scale(torch.FloatTensor(1, 1, 1), t))
    show(own.crop(t, 1, 0, 2, 2), image.crop(t, 1, 0, 2, 2))
    show(own.hflip(t), image.hflip(t))
    assert(t.image.name == 'Float' and torch.ByteTensor().image.name == 'Byte')
    assert(t:long().image == nil)
    local file = os.tmpname()
    image.save(file, t:mul(0.25))
    show(image.load(file, 1), image.load(file, 1, 'byte'), torch.load(file))
    os.remove(file)]]
  local expected = table.concat({
    'torch.FloatTensor\t2.5', 'torch.FloatTensor\t4', 'torch.FloatTensor\t4',
    'torch.FloatTensor\t2.5', 'torch.FloatTensor\t4',
    'torch.FloatTensor\t2 4', 'torch.FloatTensor\t2 4',
    'torch.FloatTensor\t2 1 4 3', 'torch.FloatTensor\t2 1 4 3',
    'torch.FloatTensor\t0.25 0.5 0.75 1', 'torch.ByteTensor\t63 127 191 255',
    'torch.FloatTensor\t0.25 0.5 0.75 1', ''
  }, '\n')

  for _, first in ipairs {'', "require 'image'", "require 'torch'"} do
    it('do not clash' .. (first ~= '' and ', after ' .. first or ''), function()
      local output, status = child.run("require 'image'\n" .. both, {first = packages .. first})
      assert.are.equal(expected, output)
      assert.are.equal(0, status)
    end)
  end

  it('are not each other', function()
    local output = child.run(
      "local _, other = pcall(require, 'image') print(image, other == tensor.image)")
    assert.are.equal('nil\tfalse\n', output)
  end)
end)
