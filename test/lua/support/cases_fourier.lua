-- Cases of Fourier transforms and windows, computed by plain sums.

local lines = require 'support.lines'
local model = require 'support.model'
local complex = require 'support.complex'

local complex_of, model_of = complex.of_model, complex.to_model
local complex_of_real = complex.of_real

local cases = {}

-- Replaces each line along dimension d, lists re and im, by the n elements that f(re, im) returns.
local function along(c, d, n, f)
  local before = lines.slices(model.new(c.shape, c.re), d)
  local imaginary = lines.slices(model.new(c.shape, c.im), d)
  local shape = { unpack(c.shape) }
  shape[d] = n
  local outer = { unpack(shape) }
  outer[d] = 1
  local re, im = model.fill(shape, function() return 0 end),
                 model.fill(shape, function() return 0 end)
  for k = 1, #before do
    local x, y = f(before[k], imaginary[k])
    local index = model.indices(outer, k - 1)
    for i = 1, n do
      index[d] = i
      local _, at = model.at(re, index)
      re.data[at], im.data[at] = x[i], y[i]
    end
  end
  return { shape = shape, re = re.data, im = im.data }
end

-- The transform of n elements by its definition, times `scale`. Missing elements are 0.
local function dft(c, d, n, sign, scale)
  local cosine, sine = {}, {}
  for k = 0, n - 1 do
    cosine[k], sine[k] = math.cos(2 * math.pi * k / n), sign * math.sin(2 * math.pi * k / n)
  end
  return along(c, d, n, function(x, y)
    local re, im = {}, {}
    for k = 0, n - 1 do
      local a, b = 0, 0
      for j = 0, math.min(n, #x) - 1 do
        local u, v = cosine[j * k % n], sine[j * k % n]
        a = a + x[j + 1] * u - y[j + 1] * v
        b = b + x[j + 1] * v + y[j + 1] * u
      end
      re[k + 1], im[k + 1] = a * scale, b * scale
    end
    return re, im
  end)
end

local function first(c, d, n)
  return along(c, d, n, function(x, y) return x, y end)
end
-- All n elements, from the first half of them.
local function with_conjugates(c, d, n)
  return along(c, d, n, function(x, y)
    local re, im = {}, {}
    for k = 0, n - 1 do
      local mirrored = 2 * k > n
      local from = (mirrored and n - k or k) + 1
      re[k + 1] = x[from] or 0
      im[k + 1] = 2 * k % n == 0 and 0 or (mirrored and -1 or 1) * (y[from] or 0)
    end
    return re, im
  end)
end

local kinds = {
  fft = { sign = -1, reads_complex = true, writes_complex = true },
  ifft = { sign = 1, reads_complex = true, writes_complex = true },
  rfft = { sign = -1, writes_complex = true },
  irfft = { sign = 1, reads_complex = true },
}

local function transform(e, name, m, sizes, dims, norm)
  local kind = kinds[name]
  local c = kind.reads_complex and complex_of(m) or complex_of_real(m)
  local function scale(n)
    if norm == 'ortho' then return 1 / math.sqrt(n) end
    return (kind.sign == 1) == (norm ~= 'forward') and 1 / n or 1
  end
  for k, dim in ipairs(dims) do
    local d = dim < 0 and #c.shape + 1 + dim or dim
    local n = sizes and sizes[k] or 0
    local is_real = k == #dims and (name == 'rfft' or name == 'irfft')
    if n == 0 then n = is_real and name == 'irfft' and 2 * (c.shape[d] - 1) or c.shape[d] end
    -- Transforms along other dimensions do not change which elements are conjugates.
    if is_real and name == 'irfft' then c = with_conjugates(c, d, n) end
    c = dft(c, d, n, kind.sign, scale(n))
    if is_real and name == 'rfft' then c = first(c, d, math.floor(n / 2) + 1) end
  end
  if kind.writes_complex then return model_of(e, c) end
  local data = {}
  for k, x in ipairs(c.re) do data[k] = e.store(x) end
  return model.new(c.shape, data)
end

function cases.install(shared)
  local omit = shared.omit
  local c = {}
  local function given(x) return x ~= omit and x or nil end

  -- Scenarios of operands of these shapes, without the 2 of complex tensors. args(dims): lists of
  -- further arguments.
  local function over(list, is_complex, args)
    return function(e, random)
      local all = {}
      for _, shape in ipairs(list) do
        local full = { unpack(shape) }
        if is_complex then full[#full + 1] = 2 end
        for _, further in ipairs(args(#shape)) do
          all[#all + 1] = { scale = 64 * model.count(shape) + 64,
                            args = { model.random(e, 'any', full, random), unpack(further) } }
        end
      end
      return all
    end
  end
  local function with_large(small, shape, is_complex, args)
    local large = over({ shape }, is_complex, args)
    return function(e, random, is_large) return (is_large and large or small)(e, random) end
  end

  for name, kind in pairs(kinds) do
    local is_complex = kind.reads_complex or false
    local shapes = { { 5 }, { 4, 3 }, { 2, 3, 4 }, { 3, 2 }, { 13 }, { 0, 4 } }
    c[name] = {
      ulps = 8,
      scenarios = with_large(over(shapes, is_complex, function(dims)
        return { { omit, omit, omit }, { 6, 1, omit }, { 3, -1, 'ortho' }, { 7, dims, 'forward' } }
      end), { 300, 60 }, is_complex, function()
        return { { omit, omit, omit }, { 63, 2, omit } }
      end),
      reference = function(e, m, n, dim, norm)
        return transform(e, name, m, { given(n) or 0 }, { given(dim) or -1 }, norm)
      end,
    }
    local planes = { { 4, 3 }, { 2, 3, 4 } }
    c[name .. 'nSizes'] = {
      ulps = 8,
      scenarios = over(planes, is_complex, function(dims)
        return { { { sizes = { 5, 2 } }, { dims = { dims, 1 } }, omit },
                 { { sizes = { 0, 6 } }, { dims = { 1, -1 } }, 'ortho' } }
      end),
      reference = function(e, m, sizes, dims, norm)
        return transform(e, name, m, sizes.sizes, dims.dims, norm)
      end,
    }
    c[name .. 'nDims'] = {
      ulps = 8,
      scenarios = over(planes, is_complex, function(dims)
        return { { { dims = { dims } }, 'forward' }, { { dims = { dims, 1 } }, omit } }
      end),
      reference = function(e, m, dims, norm)
        return transform(e, name, m, nil, dims.dims, norm)
      end,
    }
    local function all_dims(m, last)
      local list, count = {}, #m.shape - (is_complex and 1 or 0)
      for d = math.max(1, count - (last or count) + 1), count do list[#list + 1] = d end
      return list
    end
    c[name .. 'n'] = {
      ulps = 8,
      scenarios = over({ { 5 }, { 4, 3 }, { 2, 3, 4 } }, is_complex,
                       function() return { { omit }, { 'ortho' } } end),
      reference = function(e, m, norm) return transform(e, name, m, nil, all_dims(m), norm) end,
    }
    c[name .. '2'] = {
      ulps = 8,
      scenarios = over(planes, is_complex, function() return { { omit }, { 'forward' } } end),
      reference = function(e, m, norm) return transform(e, name, m, nil, all_dims(m, 2), norm) end,
    }
  end

  -- ---- frequencies

  local function numbers(list)
    return function()
      local all = {}
      for k, args in ipairs(list) do all[k] = { args = args, scale = 1 } end
      return all
    end
  end
  local function vector(e, n, f)
    return model.fill({ n }, function(k) return e.store(f(k)) end)
  end
  c.fftfreq = {
    ulps = 2, scenarios = numbers { { 5, omit }, { 8, 0.5 }, { 1, omit }, { 1000, 2 } },
    reference = function(e, n, d)
      return vector(e, n, function(k) return (2 * k < n and k or k - n) / (n * (given(d) or 1)) end)
    end,
  }
  c.rfftfreq = {
    ulps = 2, scenarios = numbers { { 5, omit }, { 8, 0.5 }, { 1, omit }, { 1000, 2 } },
    reference = function(e, n, d)
      return vector(e, math.floor(n / 2) + 1, function(k) return k / (n * (given(d) or 1)) end)
    end,
  }

  local function shifted(m, dims, back)
    local by = {}
    for _, d in ipairs(dims) do
      by[lines.dimension(m, d)] = math.floor(m.shape[lines.dimension(m, d)] / 2)
    end
    return model.build(m.shape, function(index)
      local from = {}
      for d, i in ipairs(index) do
        from[d] = (i - 1 - (back and -1 or 1) * (by[d] or 0)) % m.shape[d] + 1
      end
      return (model.at(m, from))
    end)
  end
  for name, back in pairs { fftshift = false, ifftshift = true } do
    c[name] = {
      scenarios = over({ { 5 }, { 4 }, { 1 } }, false, function() return { {} } end),
      reference = function(_, m) return shifted(m, { 1 }, back) end,
    }
    c[name .. 'Dims'] = {
      scenarios = over({ { 5, 4 }, { 2, 3, 4 } }, false,
                       function() return { { { dims = { 1, -1 } } }, { { dims = { 2 } } } } end),
      reference = function(_, m, dims) return shifted(m, dims.dims, back) end,
    }
  end

  -- ---- windows

  local function bessel(x)
    local sum, term = 1, 1
    for k = 1, 500 do
      term = term * (x / 2 / k) ^ 2
      sum = sum + term
    end
    return sum
  end
  local windows = {
    hann = function(x) return 0.5 - 0.5 * math.cos(2 * math.pi * x) end,
    hamming = function(x) return 0.54 - 0.46 * math.cos(2 * math.pi * x) end,
    blackman = function(x)
      return 0.42 - 0.5 * math.cos(2 * math.pi * x) + 0.08 * math.cos(4 * math.pi * x)
    end,
    bartlett = function(x) return 1 - math.abs(2 * x - 1) end,
    kaiser = function(x, beta)
      return bessel(beta * math.sqrt(math.max(0, 1 - (2 * x - 1) ^ 2))) / bessel(beta)
    end,
  }
  local function window(e, name, n, periodic, beta)
    local count = periodic == false and n - 1 or n
    return vector(e, n, function(k)
      return n == 1 and 1 or windows[name](k / count, beta)
    end)
  end
  for name in pairs(windows) do
    c[name .. 'Window'] = {
      ulps = 8, scenarios = numbers { { 6, omit }, { 5, false }, { 1, false }, { 1, true },
                                      { 500, true } },
      reference = function(e, n, periodic) return window(e, name, n, periodic) end,
    }
  end
  c.kaiserWindow.scenarios = numbers { { 6, omit, omit }, { 5, 3.5, false }, { 1, 0, true },
                                       { 300, 40, omit } }
  c.kaiserWindow.reference = function(e, n, beta, periodic)
    return window(e, 'kaiser', n, periodic, given(beta) or 12)
  end

  -- ---- frames

  local function signal_window(e, n)
    return model.fill({ n }, function(k) return e.store(1 + k % 3 / 4) end)
  end
  local function frame_options(w, hop, center)
    local n = #w.data
    return n, given(hop) or math.max(1, math.floor(n / 4)),
           center ~= false and math.floor(n / 2) or 0
  end
  c.stft = {
    ulps = 8,
    scenarios = function(e, random)
      local all = {}
      for _, row in ipairs { { { 9 }, 4, omit, omit }, { { 2, 7 }, 5, 2, false },
                             { { 8 }, 8, 3, true } } do
        all[#all + 1] = { scale = 1024, args = { model.random(e, 'any', row[1], random),
                                                 signal_window(e, row[2]), row[3], row[4] } }
      end
      return all
    end,
    reference = function(e, m, w, hop, center)
      local n, step, pad = frame_options(w, hop, center)
      local length = m.shape[#m.shape]
      local count = math.floor((length + 2 * pad - n) / step) + 1
      local rows = #m.data / length
      local frames = {}
      for r = 0, rows - 1 do
        for k = 0, count - 1 do
          for i = 0, n - 1 do
            local at = math.abs(k * step + i - pad)
            if at >= length then at = 2 * length - 2 - at end
            frames[#frames + 1] = m.data[r * length + at + 1] * w.data[i + 1]
          end
        end
      end
      local spectra = dft(complex_of_real(model.new({ rows, count, n }, frames)), 3, n, -1, 1)
      local half = math.floor(n / 2) + 1
      local shape = { unpack(m.shape) }
      shape[#shape] = half
      shape[#shape + 1] = count
      shape[#shape + 1] = 2
      return model.fill(shape, function(position)
        local part = position % 2
        local k = math.floor(position / 2) % count
        local f = math.floor(position / 2 / count) % half
        local r = math.floor(position / 2 / count / half)
        local at = (r * count + k) * n + f + 1
        return e.store(part == 0 and spectra.re[at] or spectra.im[at])
      end)
    end,
  }
  c.istft = {
    ulps = 16,
    scenarios = function(e, random)
      local all = {}
      for _, row in ipairs { { { 3, 4, 2 }, 4, omit, omit, omit },
                             { { 2, 3, 3, 2 }, 5, 2, false, omit },
                             { { 5, 2, 2 }, 8, 3, true, 5 } } do
        all[#all + 1] = { scale = 64, args = { model.random(e, 'any', row[1], random),
                                               signal_window(e, row[2]), row[3], row[4], row[5] } }
      end
      return all
    end,
    reference = function(e, m, w, hop, center, length)
      local n, step, pad = frame_options(w, hop, center)
      local dims = #m.shape
      local half, count = m.shape[dims - 2], m.shape[dims - 1]
      local rows = #m.data / (half * count * 2)
      local spectra = complex_of(model.new({ rows, half, count, 2 }, m.data))
      local parts = dft(with_conjugates(spectra, 2, n), 2, n, 1, 1 / n)
      local total = n + step * (count - 1)
      local size = given(length) or total - 2 * pad
      local shape = {}
      for d = 1, dims - 3 do shape[d] = m.shape[d] end
      shape[#shape + 1] = size
      return model.fill(shape, function(position)
        local r, at = math.floor(position / size), position % size + pad
        local sum, weight = 0, 0
        for k = 0, count - 1 do
          local i = at - k * step
          if i >= 0 and i < n then
            local factor = w.data[i + 1]
            sum = sum + parts.re[(r * n + i) * count + k + 1] * factor
            weight = weight + factor * factor
          end
        end
        return e.store(sum / weight)
      end)
    end,
  }

  c.fftConvolve = {
    ulps = 16,
    scenarios = function(e, random)
      local all = {}
      for _, pair in ipairs { { { 7 }, { 3 } }, { { 4, 3 }, { 2, 3 } }, { { 2 }, { 5 } } } do
        local a = model.random(e, 'any', pair[1], random)
        local b = model.random(e, 'any', pair[2], random)
        for _, mode in ipairs { omit, 'same', 'valid' } do
          all[#all + 1] = { scale = 4096, args = { a, b, mode } }
        end
      end
      return all
    end,
    reference = function(e, a, b, mode)
      local shape, start = {}, {}
      for d, n in ipairs(a.shape) do
        local m = b.shape[d]
        shape[d], start[d] = n + m - 1, 0
        if mode == 'same' then shape[d], start[d] = n, math.floor((m - 1) / 2) end
        if mode == 'valid' then
          shape[d], start[d] = math.max(n, m) - math.min(n, m) + 1, math.min(n, m) - 1
        end
      end
      return model.build(shape, function(index)
        local sum = 0
        for position = 0, #a.data - 1 do
          local from, inside = model.indices(a.shape, position), true
          for d, i in ipairs(from) do
            from[d] = index[d] + start[d] - i + 1
            inside = inside and from[d] >= 1 and from[d] <= b.shape[d]
          end
          if inside then sum = sum + a.data[position + 1] * model.at(b, from) end
        end
        return e.store(sum)
      end)
    end,
  }
  return c
end

return cases
