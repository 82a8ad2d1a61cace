-- Fourier transforms against figures of SciPy, for lengths with small and large prime factors, and
-- their errors. The cases of the op table compare all forms and layouts with plain sums.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'
local fails = require 'support.raises'.text

local figures = require 'support.figures'.read 'fourier.txt'

-- Multiples of 1/8, by the generator of test/reference/fourier.py.
local function numbers(count, seed)
  local t = tensor.DoubleTensor(count)
  for k = 1, count do
    seed = seed * 16807 % 2147483647
    t[k] = (math.floor(seed / 97) % 65 - 32) / 8
  end
  return t
end

local function near(name, got, tolerance)
  local want = tensor.DoubleTensor(figures[name])
  assert.are.equal(want:nElement(), got:nElement(), name)
  local difference = (got:double():contiguous():view(-1) - want):abs():max()
  local most = (tolerance or 1e-14) * (1 + tensor.abs(want):max())
  assert.is_true(difference <= most, ("%s differs by %.3g"):format(name, difference))
end

describe('Fourier transforms', function()
  for _, n in ipairs { 1, 7, 16, 45, 61, 67, 134 } do
    it('of length ' .. n, function()
      local z = numbers(2 * n, n):view(n, 2)
      local half = numbers(2 * (math.floor(n / 2) + 1), n):view(-1, 2)
      local t = numbers(n, n)
      near('fft ' .. n, tensor.fft(z))
      near('rfft ' .. n, tensor.rfft(t))
      near('irfft ' .. n, tensor.irfft(half, n))
      near('fft ' .. n, tensor.fft(z:float()), 1e-6)
      near('rfft ' .. n, tensor.rfft(t:float()), 1e-6)
      near('irfft ' .. n, tensor.irfft(half:float(), n), 1e-6)
      -- Along the first dimension, where several positions are transformed side by side.
      local columns = tensor.fft(z:view(n, 1, 2):expand(n, 19, 2), 0, 1)
      near('fft ' .. n, columns:select(2, 19))
      near('rfft ' .. n, tensor.rfft(t:view(n, 1):expand(n, 19), 0, 1):select(2, 11))
      near('irfft ' .. n, tensor.irfft(half:view(-1, 1, 2):expand(half:size(1), 19, 2), n, 1)
                            :select(2, 1))
      near('fft ' .. n, tensor.fft(z:view(1, n, 2):expand(19, n, 2)):select(1, 17))
    end)
  end

  it('over several dimensions', function()
    near('fftn', tensor.fftn(numbers(48, 3):view(2, 3, 4, 2), 'ortho'))
    near('irfftn', tensor.irfftn(numbers(48, 4):view(2, 3, 4, 2), { 3, 5 }, { 3, 1 }))
    near('fftconvolve', tensor.fftConvolve(numbers(12, 5):view(3, 4), numbers(6, 6):view(2, 3),
                                           'same'))
  end)

  it('are inverses of each other for long rows', function()
    for _, n in ipairs { 4096, 6000, 8191, 10007 } do
      local t = numbers(n, 9)
      local back = tensor.irfft(tensor.rfft(t), n)
      assert.is_true((back - t):abs():max() < 1e-12, n)
      local z = tensor.complex(t, numbers(n, 10))
      assert.is_true((tensor.ifft(tensor.fft(z)) - z):abs():max() < 1e-12, n)
    end
  end)

  it('do not depend on the number of threads', function()
    local z = numbers(2 * 97 * 400, 1):view(400, 97, 2)
    same_on_threads({ 1, 2 }, function() return tensor.fft(z), tensor.fft(z, 0, 1) end)
  end)

  it('keep the tables of the latest lengths', function()
    for n = 1, 40 do
      local t = numbers(n, n)
      assert.is_true((tensor.irfft(tensor.rfft(t), n) - t):abs():max() < 1e-13, n)
    end
    near('rfft 7', tensor.rfft(numbers(7, 7)))
  end)

  it('crop and pad', function()
    local t = numbers(9, 2)
    for n = 1, 13 do
      local own = tensor.zeros(n)
      local count = math.min(n, 9)
      own:narrow(1, 1, count):copy(t:narrow(1, 1, count))
      assert.is_true(tensor.rfft(t, n):equal(tensor.rfft(own)), n)
    end
    assert.is_true(tensor.rfft(tensor.zeros(0, 3), 4, 1):equal(tensor.zeros(3, 3, 2)))
    assert.are.same({ 0, 3, 2 }, tensor.rfft(tensor.zeros(0, 4)):size():totable())
  end)
end)

describe('windows', function()
  for _, name in ipairs { 'hann', 'hamming', 'blackman', 'bartlett' } do
    it(name, function()
      near(name .. ' periodic', tensor[name .. 'Window'](7))
      near(name .. ' symmetric', tensor[name .. 'Window'](7, false))
    end)
  end
  it('kaiser', function()
    near('kaiser periodic', tensor.kaiserWindow(7))
    near('kaiser symmetric', tensor.kaiserWindow(7, 12, false))
  end)
  it('of no element', function()
    assert.are.equal(0, tensor.hannWindow(0):nElement())
  end)
  it('of one element, which is the middle', function()
    for _, name in ipairs { 'hann', 'hamming', 'blackman', 'bartlett' } do
      assert.are.equal(1, tensor[name .. 'Window'](1)[1])
      assert.are.equal(1, tensor[name .. 'Window'](1, false)[1])
    end
    assert.are.equal(1, tensor.kaiserWindow(1)[1])
  end)
end)

describe('short-time transforms', function()
  it('are reversed by istft', function()
    for _, row in ipairs { { 64, 16, 4 }, { 50, 12, 5 }, { 41, 7, 2 } } do
      local length, n, hop = unpack(row)
      local t = numbers(3 * length, 7):view(3, length)
      local window = tensor.hammingWindow(n)
      local back = tensor.istft(tensor.stft(t, window, hop), window, hop, true, length)
      assert.is_true((back - t):abs():max() < 1e-12)
    end
  end)
end)

describe('the arguments of Fourier transforms', function()
  it('may be nil, for the default value', function()
    local z = tensor.randn(4, 3, 2)
    assert.is_true(tensor.fft(z, 0, 1):equal(tensor.fft(z, nil, 1)))
    assert.is_true(tensor.fft(z, 0, -1, 'ortho'):equal(z:fft(nil, nil, 'ortho')))
  end)
  it('are not nil if a dimension may be meant', function()
    local t = tensor.ones(2, 3)
    for _, name in ipairs { 'std', 'var', 'sum', 'mean' } do
      assert.is_false(pcall(tensor[name], t, nil))
    end
  end)
  it('have options with known words or their first letters', function()
    local z = tensor.randn(4, 3, 2)
    assert.is_true(tensor.fft(z, 0, 1, 'f'):equal(tensor.fft(z, 0, 1, 'forward')))
    assert.is_false(tensor.fft(z, 0, 1, 'f'):equal(tensor.fft(z, 0, 1, 'b')))
    for _, word in ipairs { 'foo', 'backwards', 'forw', 'Ortho', '' } do
      local done, message = pcall(tensor.fft, z, 0, 1, word)
      assert.is_false(done)
      assert.is_truthy(message:find("'backward' or 'ortho' or 'forward'", 1, true), message)
    end
  end)
end)

describe('errors of Fourier transforms', function()
  local real, z = tensor.ones(4, 3), tensor.ones(4, 3, 2)
  it('name the function and what is wrong', function()
    fails('fft: a complex tensor is expected, with a last dimension of size 2, got a size of ' ..
          '[4 x 3]', tensor.fft, real)
    fails('a complex tensor is expected', tensor.irfft, tensor.ones(2))
    fails('a length of -1 is negative', tensor.fft, z, -1)
    fails('out of range', tensor.fft, z, 0, 3)
    fails('has too few elements', tensor.irfft, tensor.ones(1, 2))
    fails('has too few elements', tensor.rfft, tensor.zeros(3, 0))
    fails('dimension 2 is listed twice', tensor.fftn, z, { 2, -1 })
    fails('1 sizes are given for 2 dimensions', tensor.fftn, z, { 4 }, { 1, 2 })
    fails('out of range', tensor.fft2, tensor.ones(4, 2))
    fails('needs a list of dimensions', tensor.fftshift, z)
    fails('the time between samples is 0', tensor.fftfreq, 4, 0)
    fails('1 element is expected at least, got 0', tensor.fftfreq, 0)
    fails('the number of elements is -1', tensor.hannWindow, -1)
    fails('a number from 0 to 700 is expected, got -1', tensor.kaiserWindow, 4, -1)
    fails('do not broadcast', tensor.complexMul, tensor.ones(3, 2), tensor.ones(4, 2))
    fails('two tensors of the same shape', tensor.complex, tensor.ones(3), tensor.ones(4))
    fails('no operand lies inside of the other one', tensor.fftConvolve, tensor.ones(3, 1),
          tensor.ones(1, 3), 'valid')
    fails('tensors of the same number of dimensions', tensor.fftConvolve, real, tensor.ones(3))
    fails('tensors with elements are expected', tensor.fftConvolve, tensor.zeros(0), tensor.ones(3))
    local window = tensor.ones(4)
    fails('too few to reflect 2 of them', tensor.stft, tensor.ones(2), window)
    fails('fewer than those of the window, 4', tensor.stft, tensor.ones(3), window, 1, false)
    fails('a hop of -1 is negative', tensor.stft, tensor.ones(8), window, -1)
    fails('frequencies x frames x 2 is expected, with 3 frequencies', tensor.istft,
          tensor.ones(4, 3, 2), window)
    fails('the sum of the squared windows is 0', tensor.istft, tensor.ones(3, 3, 2),
          tensor.hannWindow(4), 4, false)
    fails('the length is -1', tensor.istft, tensor.ones(3, 3, 2), window, 1, true, -1)
  end)
end)

it('conjugates have the parts of the operand, the second one with the other sign', function()
  local inf = math.huge
  for _, name in ipairs { 'Float', 'Double', 'Half', 'BFloat16' } do
    local T = tensor[name .. 'Tensor']
    local z = T { { 1, -2 }, { -0.0, 0 }, { inf, -inf }, { 0, -0.0 }, { 2 ^ -20, 3 } }
    local got = tensor.complexConj(z)
    assert.is_true(got:equal(T { { 1, 2 }, { 0, 0 }, { inf, inf }, { 0, 0 }, { 2 ^ -20, -3 } }))
    assert.same({ -inf, -inf, inf }, { 1 / got[2][1], 1 / got[2][2], 1 / got[4][2] })
    for _, rows in ipairs { 3, 50 } do
      local strided = T(rows, 40, 3):normal():narrow(3, 2, 2)
      local want = tensor.cmul(strided, T { 1, -1 }:expandAs(strided))
      assert.is_true(tensor.complexConj(strided):equal(want))
      assert.is_true(tensor.complexConj(strided:clone()):equal(want))
    end
    local own = z:clone()
    assert.is_true(tensor.complexConj(own, own):equal(got))
    assert.same({ 0, 2 }, tensor.complexConj(T(0, 2)):size():totable())
  end
  assert.is_true(tensor.gradcheck(tensor.complexConj, { tensor.randn(3, 4, 2) }, { order = 2 }))
end)

it('quotients of complex numbers neither overflow nor lose infinities', function()
  local inf = math.huge
  -- a, b, and a / b by annex G of the C standard. nan: NaN.
  local nan = 'nan'
  local cases = {
    { 1, 1, inf, 0, 0, 0 }, { 1, 1, inf, inf, 0, 0 }, { 1, 2, -inf, inf, 0, 0 },
    { 1e300, 1e300, 1e300, 1e300, 1, 0 }, { 1e-300, 1e-300, 1e-300, 1e-300, 1, 0 },
    { 1e308, 1e308, 1, 1, 1e308, 0 }, { 1e308, 1e308, 2e-8, 0, inf, inf },
    { 5e-324, 0, 5e-324, 0, 1, 0 }, { 1e-320, 0, 1e-300, 1e-300, 5e-21, -5e-21 },
    { 1, 0, 0, 0, inf, nan }, { 0, 0, 0, 0, nan, nan }, { 0, 0, 2, 1, 0, 0 },
    { inf, 0, 1, 1, inf, -inf }, { inf, inf, 1, 0, inf, inf }, { inf, 1, inf, 1, nan, nan },
    { 1, 3, 1, 1, 2, 1 }, { 1, 2, 0, 2, 1, -0.5 }, { 0, 0, 0, inf, 0, 0 },
  }
  for _, T in ipairs { tensor.DoubleTensor, tensor.FloatTensor } do
    for _, case in ipairs(cases) do
      local most = 0
      for k = 1, 4 do
        local x = math.abs(case[k])
        if x ~= 0 and x < inf then most = math.max(most, x, 1 / x) end
      end
      if T == tensor.DoubleTensor or most < 1e30 then
        -- Among others, and alone.
        for _, n in ipairs { 1, 67 } do
          local a, b = T(n, 2):fill(1), T(n, 2):fill(2)
          a[n][1], a[n][2], b[n][1], b[n][2] = unpack(case, 1, 4)
          local r = tensor.complexDiv(a, b)
          for k = 1, 2 do
            local want, got = case[4 + k], r[n][k]
            local fits = want == nan and got ~= got or want == got
                           or want ~= nan and math.abs(got / want - 1) < 1e-3 and want ~= 0
            assert.is_true(fits, ('%g %g / %g %g: %s'):format(case[1], case[2], case[3], case[4],
                                                             tostring(got)))
          end
        end
      end
    end
  end
  local apart = tensor.FloatTensor { { 1e30, 1e-30 }, { 1e15, 1e-31 } }
  assert.is_true(tensor.complexDiv(apart, tensor.FloatTensor { { 1, 0 } }):equal(apart))
  local huge = tensor.FloatTensor { { 3e38, 3e38 } }
  assert.is_true((tensor.complexDiv(huge, huge) - tensor.FloatTensor { { 1, 0 } }):abs():max() == 0)
  tensor.manualSeed(1)
  assert.is_true(tensor.gradcheck(tensor.complexDiv, { tensor.randn(3, 4, 2), tensor.randn(4, 2) },
                                  { order = 2 }))
end)

describe('Fourier transforms of many short rows', function()
  -- Several rows are transformed side by side. Single rows are transformed on their own.
  local function rows_alone(f, t)
    local all = {}
    for k = 1, t:size(1) do all[k] = f(t[k]) end
    return tensor.stack(all)
  end

  for _, n in ipairs { 1, 2, 3, 4, 6, 7, 8, 10, 14, 16, 30, 63, 100, 200, 500 } do
    it('of ' .. n .. ' elements are those of single rows', function()
      for _, class in ipairs { 'float', 'double' } do
        local eps = class == 'float' and 1e-5 or 1e-13
        local function check(got, want)
          assert.are.same(want:size():totable(), got:size():totable())
          assert.is_true((got - want):abs():max() < eps)
        end
        for _, count in ipairs { 2, 5, 16, 37 } do
          local t = numbers(count * n, n)[class](numbers(count * n, n)):view(count, n)
          local z = tensor.stack({ t, t * 2 - 1 }, 3)
          check(tensor.rfft(t), rows_alone(tensor.rfft, t))
          check(tensor.fft(z), rows_alone(tensor.fft, z))
          check(tensor.ifft(z), rows_alone(tensor.ifft, z))
          for _, length in ipairs { 2 * n - 1, 2 * n } do
            local function inverse(x) return tensor.irfft(x, length) end
            check(inverse(z), rows_alone(inverse, z))
          end
          check(tensor.rfft(t, n + 4), rows_alone(function(x) return tensor.rfft(x, n + 4) end, t))
          -- Rows that are not contiguous.
          local apart = tensor.zeros(count, 2 * n)[class](tensor.zeros(count, 2 * n))
          apart[{ {}, { 1, n } }]:copy(t)
          check(tensor.rfft(apart[{ {}, { 1, n } }]), tensor.rfft(t))
          check(tensor.rfft(t:t():contiguous():t()), tensor.rfft(t))
        end
      end
    end)
  end
end)

describe('stft of many frames', function()
  it('is that of each frame', function()
    for _, class in ipairs { 'FloatTensor', 'DoubleTensor' } do
      local window = tensor.hannWindow(40):type('torch.' .. class)
      local signals = tensor[class](3, 40000):uniform()
      local spectra = tensor.stft(signals, window, 10, false)
      assert.are.same({ 3, 21, 3997, 2 }, spectra:size():totable())
      for _, k in ipairs { 1, 2, 1000, 2999, 3997 } do
        local frame = signals[{ {}, { 10 * k - 9, 10 * k + 30 } }]
        local want = tensor.rfft(tensor.cmul(frame, window:view(1, -1):expandAs(frame)))
        assert.is_true((spectra[{ {}, {}, k }] - want):abs():max() < 1e-5)
      end
      assert.is_true((tensor.stft(signals[2], window, 10, false) - spectra[2]):abs():max() < 1e-5)
    end
  end)
end)
