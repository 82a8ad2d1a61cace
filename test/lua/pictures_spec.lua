-- Pictures as PNG and JPEG files. PNG files are made with zlib alone, by support/png.lua and
-- test/reference/picture_files.py.

local tensor = require 'tensor'
local child = require 'support.child'
local format_files = require 'support.format_files'
local png = require 'support.png'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'

local with_name = files.with_name

local write = files.write

-- Values of 0 to 255, as a ByteTensor.
local function picture(channels, height, width)
  return tensor.range(0, channels * height * width - 1):mul(37):fmod(256):byte()
               :view(channels, height, width)
end

local function same(expected, got)
  assert.are.equal(expected:type(), got:type())
  assert.are.same(expected:size():totable(), got:size():totable())
  assert.is_true(expected:equal(got))
end

describe('PNG files', function()
  it('that others wrote are read', function()
    with_name('.png', function(name)
      for _, channels in ipairs {1, 3} do
        local t = picture(channels, 5, 7)
        write(name, png.encode(channels == 1 and t[1] or t))
        same(t, tensor.load(name, {type = 'Byte'}))
        same(t:float():div(255), tensor.load(name))
        same(t:double():div(255), tensor.load(name, {type = 'torch.DoubleTensor'}))
      end
    end)
  end)

  it('are the same in all types', function()
    with_name('.png', function(name)
      local t = picture(1, 16, 16)
      tensor.save(name, t)
      for _, kind in ipairs {'Half', 'BFloat16', 'Float', 'Double'} do
        same(t:double():div(255):type(('torch.%sTensor'):format(kind)),
             tensor.load(name, {type = kind}))
      end
    end)
  end)

  -- Sanitizers use memory of their own.
  local when_exact = child.sanitized and pending or it
  when_exact('take no more memory than the samples and the result', function()
    with_name('.png', function(name)
      tensor.save(name, tensor.ByteTensor(1, 3000, 3000):fill(7))
      local output = child.run(([[
        local function peak()
          for line in io.lines '/proc/self/status' do
            local kilobytes = line:match '^VmHWM:%%s+(%%d+)'
            if kilobytes then return kilobytes * 1024 end
          end
        end
        local before = peak()
        local t = tensor.load(%q)
        print((peak() - before) / t:nElement())
      ]]):format(name))
      -- 1 byte for a sample and 4 for an element of the result; double precision takes 8 more.
      assert.is_true(tonumber(output) < 8, output)
    end)
  end)

  it('of all kinds are read', function()
    -- The contents of the script's files: 7 times the number of the sample, modulo most + 1.
    local function samples(most, height, width)
      return tensor.range(0, height * width - 1):mul(7):fmod(most + 1):view(height, width)
    end
    local function load(name, options)
      return tensor.load(('%s../data/pictures/%s.png'):format(here, name), options)
    end
    local byte = {type = 'Byte'}
    same(samples(255, 11, 13):byte():view(1, 11, 13), load('interlaced', byte))
    same(samples(255, 4, 5):byte():view(1, 4, 5), load('gamma', byte))
    same(samples(65535, 5, 9):view(5, 3, 3):permute(3, 1, 2):div(65535):contiguous(),
         load('interlaced_rgb16', {type = 'Double'}))
    for _, bits in ipairs {1, 2, 4} do
      local most = 2 ^ bits - 1
      same(samples(most, 3, 5):mul(255 / most):byte():view(1, 3, 5), load('grey' .. bits, byte))
    end
    -- Color k of the palette is 3 k, 3 k + 1, 3 k + 2; the first is clear, the second half so.
    local index = samples(15, 3, 5)
    local colors = (index * 3):view(1, 3, 5):expand(3, 3, 5):clone()
    for channel = 1, 3 do colors[channel]:add(channel - 1) end
    same(colors:byte(), load('palette', byte))
    local alpha = index:clone():fill(255)
    alpha:maskedFill(index:eq(0), 0):maskedFill(index:eq(1), 128)
    same(tensor.cat(colors, alpha:view(1, 3, 5), 1):byte(), load('palette_alpha', byte))
  end)

  it('are written from all types and layouts, and read by zlib alone', function()
    with_name('.PNG', function(name)
      for channels = 1, 4 do
        local t = picture(channels, 6, 5)
        for _, view in ipairs {t, t:transpose(2, 3), t:narrow(2, 2, 3), t:select(1, 1),
                               t:narrow(3, 1, 1):expand(channels, 6, 4)} do
          local expected = view:dim() == 2 and view:unsqueeze(1) or view
          tensor.save(name, view)
          same(expected:contiguous(), tensor.load(name, {type = 'Byte'}))
          for _, element in ipairs {'Float', 'Double'} do
            tensor.save(name, view:type(('torch.%sTensor'):format(element)):div(255))
            same(expected:contiguous(), tensor.load(name, {type = 'Byte'}))
          end
        end
      end
      tensor.save(name, tensor.FloatTensor{{-1, 0.5, 2, 1 / 0}})
      same(tensor.ByteTensor{{{0, 128, 255, 255}}}, tensor.load(name, {type = 'Byte'}))
      tensor.save(name, tensor.FloatTensor{{0, 0.5, 1, 300}})
      same(tensor.ByteTensor{{{0, 128, 255, 255}}}, tensor.load(name, {type = 'Byte'}))
    end)
  end)

  it('have 16 bits where that is wanted', function()
    with_name('.png', function(name)
      local t = tensor.DoubleTensor{{0, 1, 32767, 32768, 40000, 65535}}
      tensor.save(name, t:clone():div(65535), {bits = 16})
      same(t:clone():div(65535):view(1, 1, 6), tensor.load(name, {type = 'Double'}))
      same(tensor.ByteTensor{{{0, 0, 127, 128, 156, 255}}}, tensor.load(name, {type = 'Byte'}))
    end)
  end)

  it('change between grey and color', function()
    with_name('.png', function(name)
      local color = tensor.DoubleTensor{1, 0, 1}:view(3, 1, 1)
      tensor.save(name, color)
      local grey = tensor.load(name, {channels = 1, type = 'Double'})
      assert.are.same({1, 1, 1}, grey:size():totable())
      assert.are.near(0.299 + 0.114, grey[1][1][1], 1e-12)
      same(tensor.FloatTensor{1, 0, 1, 1}:view(4, 1, 1), tensor.load(name, {channels = 4}))
      tensor.save(name, tensor.FloatTensor{1, 0}:view(2, 1, 1))
      same(tensor.FloatTensor{1, 1, 1, 0}:view(4, 1, 1), tensor.load(name, {channels = 4}))
      same(tensor.FloatTensor{1, 1, 1}:view(3, 1, 1), tensor.load(name, {channels = 3}))
    end)
  end)

  it('that are damaged, or too large for what they have, are errors', function()
    with_name('.png', function(name)
      tensor.save(name, picture(3, 40, 30))
      local bytes = files.content(name)
      assert.is_true(format_files.damage(bytes, '.png', 300) > 200)
      write(name, bytes:sub(1, 16) .. '\127\255\255\255\127\255\255\255' .. bytes:sub(25))
      assert.matches(name, error_of(tensor.load, name), 1, true)
      -- Heads that are right, with their sums, of pictures that are not there.
      write(name, png.encode(tensor.ByteTensor(2, 2):zero()))
      local small = files.content(name)
      local function write_head(size)
        local head = 'IHDR' .. size .. '\8\0\0\0\0'
        local zlib = require 'ffi'.load 'libz.so.1'
        local sum = tonumber(zlib.crc32(0, head, #head))
        write(name, small:sub(1, 12) .. head .. string.char(
          math.floor(sum / 2 ^ 24), math.floor(sum / 2 ^ 16) % 256, math.floor(sum / 256) % 256,
          sum % 256) .. small:sub(34))
      end
      write_head '\0\0\100\0\0\0\100\0'
      assert.matches('25600 x 25600 pixels do not fit', error_of(tensor.load, name), 1, true)
      -- They are refused before libpng allocates rows of that width.
      local function most_memory()
        local status = io.open '/proc/self/status'
        local text = status and status:read '*a' or ''
        if status then status:close() end
        return tonumber(text:match 'VmPeak:%s*(%d+)' or 0) / 1024
      end
      local before = most_memory()
      write_head '\16\0\0\0\127\255\255\255'
      assert.matches('268435456 x 2147483647 pixels', error_of(tensor.load, name), 1, true)
      assert.is_true(most_memory() < before + 200)
      write(name, '')
      assert.matches('ends too early', error_of(tensor.load, name), 1, true)
    end)
  end)
end)

describe('JPEG files', function()
  it('are nearly unchanged after saving and loading', function()
    for _, ending in ipairs {'.jpg', '.jpeg'} do
      with_name(ending, function(name)
        for _, channels in ipairs {1, 3} do
          local ramp = tensor.linspace(0, 1, 40):view(1, 1, 40):expand(channels, 24, 40)
          local t = ramp:clone()
          t[1]:mul(0.5)
          local before = t:clone()
          tensor.save(name, t, {quality = 95})
          same(before, t)
          local back = tensor.load(name, {type = 'Double'})
          assert.are.same({channels, 24, 40}, back:size():totable())
          assert.is_true((back - t):abs():max() < 0.05)
          assert.is_true((back - t):abs():mean() < 0.01)
        end
      end)
    end
  end)

  it('are smaller with less quality', function()
    with_name('.jpg', function(name)
      local t, sizes = picture(3, 32, 32), {}
      for i, quality in ipairs {10, 50, 95} do
        tensor.save(name, t, {quality = quality})
        sizes[i] = #files.content(name)
      end
      assert.is_true(sizes[1] < sizes[2] and sizes[2] < sizes[3])
    end)
  end)

  it('that are damaged or cut are errors', function()
    with_name('.jpg', function(name)
      tensor.save(name, picture(3, 40, 30))
      local bytes = files.content(name)
      assert.is_true(format_files.damage(bytes, '.jpg', 300) > 150)
      for _, part in ipairs {0, 2, 20, 200, #bytes - 40} do
        write(name, bytes:sub(1, part))
        assert.matches(name, error_of(tensor.load, name), 1, true)
      end
    end)
  end)
end)

describe('pictures', function()
  it('are read whatever their extension is', function()
    local t = picture(3, 8, 8)
    for ending, other in pairs {['.png'] = '.jpg', ['.jpg'] = '.png'} do
      with_name(ending, function(name)
        tensor.save(name, t)
        with_name(other, function(copy)
          write(copy, files.content(name))
          same(tensor.load(name), tensor.load(copy))
        end)
      end)
    end
    for bytes, format in pairs {['GIF89a'] = 'a GIF', ['RIFF\1\2\3\4WEBPVP8 '] = 'a WebP',
                                ['BM\0\0'] = 'a BMP'} do
      with_name('.png', function(name)
        write(name, bytes)
        assert.matches(('it is %s file: PNG and JPEG files can be read'):format(format),
                       error_of(tensor.load, name), 1, true)
      end)
    end
  end)

  it('stay if progress raises an error at its last call', function()
    for _, ending in ipairs {'.png', '.jpg'} do
      with_name(ending, function(name)
        tensor.save(name, tensor.ones(2, 2))
        local before = files.content(name)
        local function stop(done, total)
          if done == total then error 'stop' end
        end
        assert.matches('stop', error_of(tensor.save, name, tensor.ones(9, 9), {progress = stop}),
                       1, true)
        assert.are.equal(before, files.content(name))
      end)
    end
  end)

  it('that cannot be are errors, and files stay', function()
    with_name('.png', function(name)
      local t = picture(1, 2, 2)
      tensor.save(name, t)
      local function fails(message, object, options)
        local text = error_of(tensor.save, name, object, options)
        assert.matches(message, text, 1, true)
        assert.matches(name, text, 1, true)
      end
      fails('got torch.IntTensor', t:int())
      fails('got table', {})
      fails('channels 1 to 4, got 5 x 2 x 2', tensor.ones(5, 2, 2))
      fails('got 4', tensor.ones(4))
      fails('got 2 x 0', tensor.Tensor(2, 0))
      fails('contains NaN', tensor.Tensor{{0 / 0}})
      fails('values up to 200: divide them by 255, or convert them by t:byte()',
            tensor.FloatTensor{{0, 0 / 0, 200}, {0, 100, 50}})
      fails('bits are 8 or 16, got 4', t, {bits = 4})
      fails('unknown option quality', t, {quality = 4})
      same(t, tensor.load(name, {type = 'Byte'}))
      assert.matches('type of a picture', error_of(tensor.load, name, {type = 'Long'}), 1, true)
      assert.matches('channels are', error_of(tensor.load, name, {channels = 5}), 1, true)
    end)
    with_name('.jpg', function(name)
      local function fails(message, object, options)
        assert.matches(message, error_of(tensor.save, name, object, options), 1, true)
      end
      fails('channels 1 or 3, got 4 x 2 x 2', tensor.ones(4, 2, 2))
      fails('at most 65500', tensor.ones(1, 1, 70000))
      fails('quality is from 1 to 100, got 0', tensor.ones(2, 2), {quality = 0})
    end)
  end)
end)
