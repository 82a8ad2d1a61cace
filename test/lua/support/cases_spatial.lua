-- Cases of convolutions, pools and resampling of batches of images, computed by plain loops.

local model = require 'support.model'

local cases = {}

-- Returns the parts of a shape: batch, channels and three spatial sizes, padded by 1 in front.
local function parts(shape, dims)
  local size = { 1, 1, 1 }
  for d = 1, dims do size[3 - dims + d] = shape[#shape - dims + d] end
  return { batch = #shape == dims + 2 and shape[1] or 1, channels = shape[#shape - dims],
           size = size, has_batch = #shape == dims + 2 }
end

-- The numbers of a parameter for each dimension, padded by `missing` in front.
local function each(arg, dims, default, missing)
  local list = {}
  for d = 1, 3 do
    local own = d - (3 - dims)
    if own < 1 then
      list[d] = missing
    elseif type(arg) == 'table' and arg.sizes then
      list[d] = arg.sizes[#arg.sizes == 1 and 1 or own]
    else
      list[d] = type(arg) == 'number' and arg or default
    end
  end
  return list
end

local function shape_of(p, channels, size, dims)
  local shape = { channels }
  if p.has_batch then table.insert(shape, 1, p.batch) end
  for d = 4 - dims, 3 do shape[#shape + 1] = size[d] end
  return shape
end

-- Calls f(position, z, y, x) for each position of a box; positions count from 0.
local function over(size, f)
  local position = 0
  for z = 0, size[1] - 1 do
    for y = 0, size[2] - 1 do
      for x = 0, size[3] - 1 do
        f(position, z, y, x)
        position = position + 1
      end
    end
  end
end

local function volume(size) return size[1] * size[2] * size[3] end

-- Calls f(image position, result position, kernel position) for each product of a convolution.
local function for_products(image, result, kernel, stride, padding, dilation, f)
  over(result, function(r, z, y, x)
    over(kernel, function(k, a, b, c)
      local i = z * stride[1] - padding[1] + a * dilation[1]
      local j = y * stride[2] - padding[2] + b * dilation[2]
      local l = x * stride[3] - padding[3] + c * dilation[3]
      if i >= 0 and i < image[1] and j >= 0 and j < image[2] and l >= 0 and l < image[3] then
        f((i * image[2] + j) * image[3] + l, r, k)
      end
    end)
  end)
end

-- transposed: t is the result of the convolution, of which the image is computed.
local function convolve(e, dims, omit, transposed, t, weight, bias, stride, padding, dilation,
                        groups, more)
  local own, w = parts(t.shape, dims), parts(weight.shape, dims)
  stride, padding = each(stride, dims, 1, 1), each(padding, dims, 0, 0)
  dilation, more = each(dilation, dims, 1, 1), each(more, dims, 0, 0)
  groups = type(groups) == 'number' and groups or 1
  local size, channels = {}, weight.shape[1]
  if transposed then channels = weight.shape[2] * groups end
  for d = 1, 3 do
    local reach = dilation[d] * (w.size[d] - 1) + 1
    if transposed then
      size[d] = (own.size[d] - 1) * stride[d] - 2 * padding[d] + reach + more[d]
    else
      size[d] = math.floor((own.size[d] + 2 * padding[d] - reach) / stride[d]) + 1
    end
  end
  local from_plane, to_plane, taps = volume(own.size), volume(size), volume(w.size)
  local data = {}
  for k = 1, own.batch * channels * to_plane do
    local channel = math.floor((k - 1) / to_plane) % channels
    data[k] = bias ~= omit and bias.data[channel + 1] or 0
  end
  local from, to = own.channels / groups, channels / groups
  for n = 0, own.batch - 1 do
    for c = 0, channels - 1 do
      local group, inside = math.floor(c / to), c % to
      for i = 0, from - 1 do
        local source = ((n * own.channels) + group * from + i) * from_plane
        local target = (n * channels + c) * to_plane
        -- The weight is outputs x inputs of the convolution, or of what it is the transpose of.
        local kernel = (transposed and (group * from + i) * to + inside or c * from + i) * taps
        local image, result = own.size, size
        if transposed then image, result = size, own.size end
        for_products(image, result, w.size, stride, padding, dilation, function(x, y, k)
          if transposed then x, y = y, x end
          data[target + y + 1] = data[target + y + 1] +
            t.data[source + x + 1] * weight.data[kernel + k + 1]
        end)
      end
    end
  end
  for k, x in ipairs(data) do data[k] = e.store(x) end
  return model.new(shape_of(own, channels, size, dims), data)
end

local function sizes(...) return { sizes = { ... } } end

-- {t, weight, bias?, stride, padding, dilation, groups}; false: no bias, nil: omitted.
local convolutions = {
  { { { 2, 2, 6 }, { 3, 2, 3 }, true, 2, 1, 2, 1 }, { { 1, 1, 1 }, { 1, 1, 1 }, true },
    { { 4, 5 }, { 2, 2, 2 }, true, 1, 0, 1, 2 }, { { 0, 2, 4 }, { 3, 2, 2 }, true } },
  { { { 2, 2, 5, 4 }, { 3, 2, 3, 2 }, true }, { { 2, 3, 3 }, { 2, 2, 2, 2 }, true },
    { { 1, 4, 6, 7 }, { 2, 2, 2, 3 }, true, sizes(2, 3), sizes(1, 2), sizes(2, 1), 2 },
    { { 2, 3, 4, 4 }, { 3, 1, 3, 3 }, true, 1, 1, 1, 3 },
    { { 2, 3, 3, 9 }, { 5, 3, 1, 1 }, true, 2 }, { { 0, 1, 2, 2 }, { 1, 1, 2, 2 }, true } },
  { { { 1, 2, 3, 4, 3 }, { 2, 2, 2, 2, 3 }, true, sizes(1, 2, 1), sizes(1, 0, 1) },
    { { 1, 2, 2, 2 }, { 1, 1, 2, 1, 2 }, true, 1, 1, sizes(1), 1 } },
}
local large = { { { 2, 3, 700 }, { 5, 3, 7 }, true, 2, 3 },
                { { 3, 4, 21, 19 }, { 18, 4, 3, 3 }, true, 1, 1 },
                { { 2, 2, 6, 9, 8 }, { 5, 2, 3, 3, 2 }, true, 1, 1 } }
-- The same for the transposed convolutions: {t, weight, bias?, stride, padding, outputPadding,
-- groups, dilation}.
local transposed = {
  { { { 2, 2, 4 }, { 2, 3, 3 }, true, 2, 1, 1, 1, 2 }, { { 1, 1, 1 }, { 1, 1, 1 }, true },
    { { 4, 3 }, { 4, 1, 2 }, true, 1, 0, 0, 2 } },
  { { { 2, 2, 3, 4 }, { 2, 3, 3, 2 }, true }, { { 2, 3, 3 }, { 2, 2, 2, 2 }, true },
    { { 1, 4, 3, 3 }, { 4, 1, 2, 3 }, true, sizes(2, 3), sizes(1, 0), sizes(1, 2), 2 },
    { { 0, 1, 2, 2 }, { 1, 1, 2, 2 }, true } },
  { { { 1, 2, 2, 3, 2 }, { 2, 2, 2, 2, 3 }, true, sizes(1, 2, 1), sizes(1, 0, 1) } },
}
local large_transposed = { { { 2, 3, 300 }, { 3, 5, 7 }, true, 2, 3 },
                           { { 3, 5, 15, 17 }, { 5, 9, 3, 3 }, true, 2, 1 },
                           { { 2, 5, 4, 6, 5 }, { 5, 3, 3, 3, 2 }, true, 1, 1 } }

local function convolution_case(shared, dims, is_transposed)
  local omit = shared.omit
  local plain, big = convolutions[dims], large[dims]
  if is_transposed then plain, big = transposed[dims], large_transposed[dims] end
  return {
    ulps = 8,
    scenarios = function(e, random, is_large)
      local all = {}
      for k, c in ipairs(is_large and { big } or plain) do
        local t = model.random(e, 'any', c[1], random)
        local weight = model.random(e, 'any', c[2], random)
        local groups = is_transposed and c[7] or 1
        local outputs = is_transposed and c[2][2] * groups or c[2][1]
        local args = { t, weight, c[3] and model.random(e, 'any', { outputs }, random) or omit }
        for n = 4, is_transposed and 8 or 7 do args[n] = c[n] or omit end
        all[k] = { args = args, scale = 64 * #weight.data }
      end
      return all
    end,
    reference = function(e, t, weight, bias, stride, padding, a, b, c)
      if is_transposed then
        return convolve(e, dims, omit, true, t, weight, bias, stride, padding, c, b, a)
      end
      return convolve(e, dims, omit, false, t, weight, bias, stride, padding, a, b)
    end,
  }
end

-- ---- pools

-- The elements of each window along a dimension, and the divisor of the mean. Positions count from
-- 0.
local function pool_windows(size, kernel, stride, padding, dilation, ceil, counts_padding)
  local windows, reach = {}, (kernel - 1) * dilation + 1
  local count = (size + 2 * padding - reach) / stride
  count = (ceil and math.ceil(count) or math.floor(count)) + 1
  if ceil and (count - 1) * stride >= size + padding then count = count - 1 end
  for k = 1, count do
    local first, list = (k - 1) * stride - padding, {}
    for i = 0, kernel - 1 do
      local at = first + i * dilation
      if at >= 0 and at < size then list[#list + 1] = at end
    end
    list.divisor = counts_padding and math.min(first + kernel, size + padding) - first or #list
    windows[k] = list
  end
  return windows
end
local function adaptive_windows(size, count)
  local windows = {}
  for k = 0, count - 1 do
    local list = {}
    for at = math.floor(k * size / count), math.ceil((k + 1) * size / count) - 1 do
      list[#list + 1] = at
    end
    list.divisor = #list
    windows[k + 1] = list
  end
  return windows
end

-- Calls f(elements of a plane in a window, divisor) for each window, and returns a model of what it
-- returns.
local function over_windows(t, dims, windows, f)
  local own, size = parts(t.shape, dims), {}
  for d = 1, 3 do size[d] = #windows[d] end
  local plane, data = volume(own.size), {}
  for p = 0, own.batch * own.channels - 1 do
    over(size, function(_, z, y, x)
      local list = {}
      for _, a in ipairs(windows[1][z + 1]) do
        for _, b in ipairs(windows[2][y + 1]) do
          for _, c in ipairs(windows[3][x + 1]) do
            local at = (a * own.size[2] + b) * own.size[3] + c
            list[#list + 1] = { at + 1, t.data[p * plane + at + 1] }
          end
        end
      end
      data[#data + 1] = f(list, windows[1][z + 1].divisor * windows[2][y + 1].divisor *
                                windows[3][x + 1].divisor)
    end)
  end
  return model.new(shape_of(own, own.channels, size, dims), data)
end

local function maxima(t, dims, windows)
  local indices = {}
  local values = over_windows(t, dims, windows, function(list)
    local best = list[1]
    for _, candidate in ipairs(list) do
      local is_nan = candidate[2] ~= candidate[2]
      if best[2] == best[2] and (is_nan or candidate[2] > best[2]) then best = candidate end
    end
    indices[#indices + 1] = best[1]
    return best[2]
  end)
  return values, model.new(values.shape, indices)
end
local function means(e, t, dims, windows)
  return over_windows(t, dims, windows, function(list, divisor)
    local sum = 0
    for _, element in ipairs(list) do sum = sum + element[2] end
    return e.store(sum / divisor)
  end)
end

local function all_windows(t, dims, size, stride, padding, dilation, ceil, counts_padding)
  local own = parts(t.shape, dims).size
  size = each(size, dims, nil, 1)
  stride, padding = each(stride, dims, 0, 1), each(padding, dims, 0, 0)
  dilation = each(dilation, dims, 1, 1)
  local windows = {}
  for d = 1, 3 do
    windows[d] = pool_windows(own[d], size[d], stride[d] == 0 and size[d] or stride[d], padding[d],
                              dilation[d], ceil == true, counts_padding)
  end
  return windows
end
local function all_adaptive(t, dims, size)
  local own, windows = parts(t.shape, dims).size, {}
  size = each(size, dims, nil, 1)
  for d = 1, 3 do windows[d] = adaptive_windows(own[d], size[d]) end
  return windows
end

local pool_shapes = { { { 2, 2, 7 }, { 3, 5 }, { 0, 1, 3 } },
                      { { 2, 2, 5, 6 }, { 1, 4, 4 }, { 0, 2, 2, 2 } },
                      { { 1, 2, 4, 3, 5 }, { 2, 2, 3, 2 } } }
local large_pools = { { 40, 20, 100 }, { 20, 30, 17, 20 }, { 9, 8, 10, 11, 12 } }
-- Arguments after the size. Half of size 2 or 3 is 1.
local function pool_arguments(dims, omit, is_max)
  local list = { { 2 }, { 2, 1 }, { 3, 2, 1 }, { 2, 2, 1, true } }
  if is_max then list[4] = { 2, 2, 1, 1, true } end
  if not is_max then list[5] = { 3, 2, 1, false, false } end
  if dims == 2 then list[#list + 1] = { sizes(2, 1), sizes(1, 2), sizes(1, 0) } end
  for _, args in ipairs(list) do
    for k = 1, 5 do
      if args[k] == nil then args[k] = omit end
    end
  end
  return list
end

local function scenarios_of(shapes, big, arguments)
  return function(e, random, is_large)
    local all = {}
    for _, shape in ipairs(is_large and { big } or shapes) do
      for k, args in ipairs(arguments) do
        local t = model.random(e, 'any', shape, random)
        if not is_large or k == 1 then
          all[#all + 1] = { args = { t, unpack(args) }, scale = 64 }
        end
      end
    end
    return all
  end
end

-- ---- interpolation

local function interpolate(e, t, count, step, mode, align)
  local dims = #t.shape - 2
  local own = parts(t.shape, dims)
  local linear = type(mode) == 'string' and mode:sub(1, 1) ~= 'n'
  align = align == true
  local terms = {}
  for d = 1, 3 do
    terms[d] = {}
    for k = 0, count[d] - 1 do
      local n, m = own.size[d], count[d]
      if d < 4 - dims then
        terms[d][k] = { { 0, 1 } }
      elseif not linear then
        local at = step and math.floor(k * step) or math.floor(k * n / m)
        terms[d][k] = { { math.min(at, n - 1), 1 } }
      else
        local at = math.max(0, (k + 0.5) * (step or n / m) - 0.5)
        if align then at = m > 1 and k * (n - 1) / (m - 1) or 0 end
        at = math.min(at, n - 1)
        local first = math.floor(at)
        terms[d][k] = { { first, 1 - (at - first) }, { math.min(first + 1, n - 1), at - first } }
      end
    end
  end
  local plane, data = volume(own.size), {}
  for p = 0, own.batch * own.channels - 1 do
    over(count, function(_, z, y, x)
      local sum = 0
      for _, a in ipairs(terms[1][z]) do
        for _, b in ipairs(terms[2][y]) do
          for _, c in ipairs(terms[3][x]) do
            local at = (a[1] * own.size[2] + b[1]) * own.size[3] + c[1]
            sum = sum + a[2] * b[2] * c[2] * t.data[p * plane + at + 1]
          end
        end
      end
      data[#data + 1] = e.store(sum)
    end)
  end
  return model.new(shape_of(own, own.channels, count, dims), data)
end

function cases.install(shared)
  local omit, c = shared.omit, {}
  for dims = 1, 3 do
    c[('conv%dd'):format(dims)] = convolution_case(shared, dims, false)
    c[('convTranspose%dd'):format(dims)] = convolution_case(shared, dims, true)
    c[('maxPool%dd'):format(dims)] = {
      scenarios = scenarios_of(pool_shapes[dims], large_pools[dims],
                               pool_arguments(dims, omit, true)),
      reference = function(_, t, size, stride, padding, dilation, ceil)
        return maxima(t, dims, all_windows(t, dims, size, stride, padding, dilation, ceil))
      end,
    }
    c[('avgPool%dd'):format(dims)] = {
      ulps = 8,
      scenarios = scenarios_of(pool_shapes[dims], large_pools[dims],
                               pool_arguments(dims, omit, false)),
      reference = function(e, t, size, stride, padding, ceil, counts)
        return means(e, t, dims, all_windows(t, dims, size, stride, padding, 1, ceil,
                                             counts ~= false))
      end,
    }
    local parts_of_size = { { 2 }, { 1 }, { 5 } }
    if dims == 2 then parts_of_size[4] = { sizes(3, 2) } end
    c[('adaptiveMaxPool%dd'):format(dims)] = {
      scenarios = scenarios_of(pool_shapes[dims], large_pools[dims], parts_of_size),
      reference = function(_, t, size) return maxima(t, dims, all_adaptive(t, dims, size)) end,
    }
    c[('adaptiveAvgPool%dd'):format(dims)] = {
      ulps = 8,
      scenarios = scenarios_of(pool_shapes[dims], large_pools[dims], parts_of_size),
      reference = function(e, t, size) return means(e, t, dims, all_adaptive(t, dims, size)) end,
    }
  end
  local images = { { 2, 2, 5 }, { 1, 2, 3, 4 }, { 1, 1, 2, 3, 2 }, { 0, 2, 3 }, { 2, 1, 1 } }
  local function modes(first)
    return { { first, omit, omit }, { first, 'linear', omit }, { first, 'bilinear', true },
             { first, 'nearest', false } }
  end
  c.interpolate = {
    ulps = 8,
    scenarios = scenarios_of(images, { 30, 20, 15, 16 }, modes(4)),
    reference = function(e, t, size, mode, align)
      return interpolate(e, t, each(size, #t.shape - 2, nil, 1), nil, mode, align)
    end,
  }
  c.upsample = {
    ulps = 8,
    scenarios = scenarios_of(images, { 30, 20, 15, 16 }, modes(1.5)),
    reference = function(e, t, scale, mode, align)
      local count = {}
      for d, n in ipairs(parts(t.shape, #t.shape - 2).size) do
        count[d] = d < 6 - #t.shape and 1 or math.floor(n * scale)
      end
      return interpolate(e, t, count, 1 / scale, mode, align)
    end,
  }
  return c
end

return cases
