-- tensor.image: scales, crops and flips images, with the names and signatures of Torch7's package
-- image.

local versions = require 'tensor.versions'
local each, shown = versions.each, versions.shown
local types = require 'tensor.types'
local names = require 'tensor.names'
local native = require 'tensor.native'

local LARGEST = 1000000  -- largest width or height of a result
-- Weighted sums of 8-bit integers are computed in float if the sum of the weights is at most this:
-- they are exact, and means differ by more than twice their rounding error.
local LARGEST_IN_FLOAT = 4096
local FEW = 16  -- for fewer rows or columns of floats, passes are faster than products
local EIGHT_BITS = {Byte = true, Char = true}
local NEAREST = {nearest = true, simple = true}  -- modes
-- Equivalents of functions of Torch7's package and of other libraries.
local OTHERS = {load = "tensor.load 'x.png' reads a picture",
                save = "tensor.save('x.png', t) writes a picture",
                display = 'tensor.plot.image(t) shows a picture',
                blur = 'tensor.conv2(t, kernel) computes weighted means of one channel',
                resize = 'instead of resize, use scale',
                rgb2gray = "t:mean(1) is the mean of the colors; tensor.load('x.png', {channels " ..
                           '= 1}) converts a picture to grey',
                rotate = 'tensor.rot90 rotates by 90 degrees'}
local POSITIONS = {c = true, tl = true, tr = true, bl = true, br = true}

-- Resampling along one dimension: functions that return the taps of each output element, and the
-- sum of the weights of an element. A tap is {index (from 1), weight}: an input element that
-- contributes. Weights are positive integers: not 0, because 0 * infinity would be NaN.
local sides = {}

-- Averages the input that falls into each output element. An input element has length `to`, an
-- output element has length `from`; both are divided by their greatest common divisor.
function sides.area(from, to)
   local divisor, rest = from, to
   while rest > 0 do divisor, rest = rest, divisor % rest end
   local taps, length, own_length = {}, to / divisor, from / divisor
   for i = 0, to - 1 do
      local first, last, own = i * own_length, (i + 1) * own_length, {}
      for j = math.floor(first / length), math.ceil(last / length) - 1 do
         own[#own + 1] = {j + 1, math.min(last, (j + 1) * length) - math.max(first, j * length)}
      end
      taps[i + 1] = own
   end
   return taps, own_length
end

-- As in Torch7: upscaling interpolates and aligns the first and last elements; downscaling
-- averages.
function sides.bilinear(from, to)
   if to <= from then return sides.area(from, to) end
   local taps, length = {}, to - 1
   for i = 0, to - 1 do
      local part = i * (from - 1) % length
      local before = (i * (from - 1) - part) / length + 1
      taps[i + 1] = part == 0 and {{before, length}} or
                    {{before, length - part}, {before + 1, part}}
   end
   return taps, length
end

return function(tensor)
   local function fail(name, ...) error(('image.%s: '):format(name) .. string.format(...), 0) end

   local function shape(t) return table.concat(t:size():totable(), ' x ') end

   local function check(name, src)
      if not tensor.isTensor(src) then
         fail(name, 'a tensor is expected, got %s', tensor.type(src))
      elseif src:dim() ~= 2 and src:dim() ~= 3 or src:nElement() == 0 then
         fail(name, 'an image has H x W or channels x H x W elements, got %s', shape(src))
      end
   end

   local function whole(name, what, value, least, most)
      if type(value) ~= 'number' or not (value >= least and value <= most and value % 1 == 0) then
         fail(name, '%s is a whole number from %d to %d, got %s', what, least, most,
              shown(value))
      end
      return value
   end

   local function resize_and_copy(dst, result)
      dst:resize(result:size()):copy(result)
   end

   -- Returns the result, or copies it into dst if that is given. After an error, dst has its former
   -- shape and storage.
   local function give(dst, result)
      if not dst then return result end
      local before = dst.new():set(dst)
      local copied, failure = pcall(resize_and_copy, dst, result)
      if not copied then
         dst:set(before)
         error(failure, 0)
      end
      return dst
   end

   -- Returns the optional leading argument dst, and the remaining arguments.
   local function split(name, a, b, ...)
      if tensor.isTensor(a) and tensor.isTensor(b) then
         return a, b, ...
      end
      check(name, a)
      return nil, a, b, ...
   end

   -- Returns the number of output elements of a product: few if each has many taps, so that the
   -- matrix of the weights is small, and more where each call costs more.
   local function block_size(t, dim, to)
      return math.ceil((t:device() == 'cpu' and 32 or 256) * math.min(16 * to / t:size(dim), 1))
   end

   -- Returns weighted sums along dimension 2 or 3, of type `kind`, as products with matrices of the
   -- weights: for a block of output elements at a time, and the input elements between their taps.
   -- The elements must be finite, because most weights in these matrices are 0. The sums have the
   -- type `compute`. The function `round`, if any, changes them before they are converted.
   local function sum_blocks(t, dim, taps, divisor, compute, kind, round)
      local channels, size, sums = t:size(1), t:size(), nil
      size[dim] = #taps
      local result = t.new():type(kind):resize(size)
      if round then sums = t.new():type(compute) end
      if dim == 3 then t = t:type(compute) end  -- faster than the short rows of the parts
      local block = block_size(t, dim, #taps)
      for start = 1, #taps, block do
         local stop, index, weight = math.min(start + block - 1, #taps), {}, {}
         local first, final = taps[start][1][1], taps[stop]
         local n, m = stop - start + 1, final[#final][1] - first + 1
         for i = start, stop do
            for _, tap in ipairs(taps[i]) do
               local at = tap[1] - first
               index[#index + 1] = (dim == 2 and (i - start) * m + at or at * n + i - start) + 1
               weight[#weight + 1] = tap[2] / divisor
            end
         end
         local matrix = tensor.DoubleTensor(n * m):zero()
         matrix:indexCopy(1, tensor.LongTensor(index), tensor.DoubleTensor(weight))
         matrix = matrix:type(compute)
         local part, place = t:narrow(dim, first, m):type(compute), result:narrow(dim, start, n)
         if dim == 2 then
            tensor.bmm(sums or place, matrix:view(1, n, m):expand(channels, n, m), part)
         else
            tensor.bmm(sums or place, part, matrix:view(1, m, n):expand(channels, m, n))
         end
         if round then place:copy(round(sums)) end
      end
      return result
   end

   -- Like sum_blocks, but with one pass over all output elements per tap, and for all floats.
   local function sum_taps(t, dim, taps, divisor, most)
      local result
      for k = 1, most do
         local index, weight = {}, {}
         for i, own in ipairs(taps) do
            -- All need the same number of taps: the last tap is split into equal parts if there are
            -- fewer.
            local n = #own
            local tap, parts = own[math.min(k, n)], k >= n and most - n + 1 or 1
            index[i], weight[i] = tap[1], tap[2] / (divisor * parts)
         end
         local weights = tensor.DoubleTensor(weight):typeAs(t)
         if dim ~= t:dim() then weights = weights:view(-1, 1) end
         local part = t:index(dim, tensor.LongTensor(index))
         part:cmul(weights:expandAs(part))
         result = result and result:add(part) or part
      end
      return result
   end

   -- Like sum_taps, but with one pass per output element: faster for few outputs with many taps.
   local function sum_slices(t, dim, taps, divisor)
      local slices = {}
      for i, own in ipairs(taps) do
         local weight = {}
         for k, tap in ipairs(own) do weight[k] = tap[2] / divisor end
         local weights = tensor.DoubleTensor(weight):typeAs(t)
         if dim ~= t:dim() then weights = weights:view(-1, 1) end
         local slice = t:narrow(dim, own[1][1], #own)
         slices[i] = tensor.cmul(slice, weights:expandAs(slice)):sum(dim)
      end
      return tensor.cat(slices, dim)
   end

   local function sum_floats(t, dim, taps, divisor)
      local most = 1
      for _, own in ipairs(taps) do most = math.max(most, #own) end
      local sum = most <= 2 * #taps and sum_taps or sum_slices
      return sum(t, dim, taps, divisor, most)
   end

   -- Returns a function that divides sums and rounds them to integers, halves up. A quarter of the
   -- distance between two quotients is added, so that rounding errors do not matter.
   local function rounding(element, divisor)
      local half = 0.5 + 0.25 / divisor
      return function(sums)
         sums:mul(1 / divisor):add(half)
         return element == 'Byte' and sums or sums:floor()
      end
   end

   -- Returns a copy of t, channels x height x width, resampled along a dimension as in Torch7's
   -- mode 'simple': the nearest input element at or before the position. Views are faster than an
   -- index if these are every k-th element, or each element k times.
   local function pick(t, dim, to)
      local from, index = t:size(dim), {}
      if from % to == 0 then return t:unfold(dim, 1, from / to):select(4, 1):clone() end
      if to % from == 0 then
         local size, repeated = t:size(), t:size():totable()
         size[dim] = to
         table.insert(repeated, dim + 1, to / from)
         return t:unsqueeze(dim + 1):expand(tensor.LongStorage(repeated)):clone():view(size)
      end
      for i = 0, to - 1 do index[i + 1] = math.floor(i * from / to) + 1 end
      return t:index(dim, tensor.LongTensor(index))
   end

   -- Returns t, channels x height x width, with sizes[dim] weighted means along each of `dims`.
   local function resample(t, dims, sizes, side)
      local kind, element, divisor = t:type(), types.element_name(t), 1
      local is_float = types.is_floating[kind]
      t = t:type(types.widened[kind] or kind)
      -- Devices may compute products of floats with less precision.
      local precise = t:device() == 'cpu'
      local total = is_float and precise and t:sum()
      local finite = total and total - total == 0
      for k, dim in ipairs(dims) do
         local taps, length = side(t:size(dim), sizes[dim])
         if not is_float then
            divisor = divisor * length
            local in_float = EIGHT_BITS[element] and divisor <= LARGEST_IN_FLOAT
                             and precise
            local compute = types.beside(kind, in_float and 'torch.FloatTensor'
                                               or 'torch.DoubleTensor')
            if k < #dims then
               t = sum_blocks(t, dim, taps, 1, compute, compute)
            else
               t = sum_blocks(t, dim, taps, 1, compute, kind, rounding(element, divisor))
            end
         elseif finite and t:nElement() >= FEW * t:size(dim) then
            t = sum_blocks(t, dim, taps, length, t:type(), t:type())
         else
            t = sum_floats(t, dim, taps, length)
         end
      end
      return t:type(kind)
   end

   local image = {}

   -- Returns the width and height for a size string of Torch7.
   local function size_of(name, src, size)
      local height, width = src:size(-2), src:size(-1)
      local text = type(size) == 'number' and ('%.14g'):format(size) or tostring(size)
      local w, h = text:match '^(%d+)x(%d+)$'
      if w then return tonumber(w), tonumber(h) end
      local least, up, down = text:match '^%^(%d+)$', text:match '^%*([%d.]+)$', 1
      if not up then up, down = text:match '^%*([%d.]+)/([%d.]+)$' end
      local factor
      if tonumber(up) and tonumber(down) then
         factor = tonumber(up) / tonumber(down)
      elseif least then
         factor = tonumber(least) / math.min(width, height)
      elseif text:match '^%d+$' then
         factor = tonumber(text) / math.max(width, height)
      else
         fail(name, 'a size is a number, "WxH", "^least", "*factor" or "*up/down", got %s', text)
      end
      return math.max(math.floor(width * factor + 0.5), 1),
             math.max(math.floor(height * factor + 0.5), 1)
   end

   --- scale(src, width, height [, mode]), scale(src, size [, mode]) or scale(dst, src [, mode]).
   local function scale(...)
      local dst, src, width, height, mode = split('scale', ...)
      check('scale', src)
      if dst then
         check('scale', dst)
         mode, width, height = width, dst:size(-1), dst:size(-2)
      elseif type(height) ~= 'number' then
         mode = height
         width, height = size_of('scale', src, width)
      end
      local side = sides[mode or 'bilinear']
      if not side and not NEAREST[mode] then
         fail('scale', 'the mode is "bilinear", "nearest" ("simple") or "area", got %s',
              tostring(mode))
      end
      whole('scale', 'the width', width, 1, LARGEST)
      whole('scale', 'the height', height, 1, LARGEST)
      -- Resamples the dimension with the stronger reduction first: this leaves less work for the
      -- other one. Rows are faster than columns: if both shrink alike, they are first, and if both
      -- grow alike, last.
      local sizes, dims = {[2] = height, [3] = width}, {}
      local by_width, by_height = width / src:size(-1), height / src:size(-2)
      local order = (by_width < by_height or by_width == by_height and by_width > 1) and {3, 2} or
                    {2, 3}
      for _, dim in ipairs(order) do
         if src:size(dim - 4) ~= sizes[dim] then dims[#dims + 1] = dim end
      end
      -- A view has the class of its elements, also if src has one that a program has derived.
      local t = src:dim() == 3 and src:permute(1, 2, 3) or src:unsqueeze(1)
      if #dims == 0 then
         t = t:clone()
      elseif side then
         t = resample(t, dims, sizes, side)
      else
         for _, dim in ipairs(dims) do t = pick(t, dim, sizes[dim]) end
      end
      if src:dim() == 2 then t = t:select(1, 1) end
      if dst and dst:dim() ~= t:dim() then
         fail('scale', 'the result has %s elements and the tensor for it %s', shape(t), shape(dst))
      end
      return give(dst, t)
   end

   --- crop([dst,] src, x1, y1, x2, y2): the part from (x1, y1), inclusive, to (x2, y2), exclusive;
   -- from 0. crop([dst,] src, position, width, height): position is "c", "tl", "tr", "bl" or "br".
   local function crop(...)
      local dst, src, a, b, c, d = split('crop', ...)
      check('crop', src)
      local height, width = src:size(-2), src:size(-1)
      local left, top, right, bottom = a, b, c, d
      if type(a) == 'string' then
         if not POSITIONS[a] then
            fail('crop', 'a position is "c", "tl", "tr", "bl" or "br", got "%s"', a)
         end
         local w = whole('crop', 'the width', b, 1, width)
         local h = whole('crop', 'the height', c, 1, height)
         left, top = a:find 'r' and width - w or 0, a:find 'b' and height - h or 0
         if a == 'c' then
            left, top = math.floor((width - w) / 2), math.floor((height - h) / 2)
         end
         right, bottom = left + w, top + h
      end
      left = whole('crop', 'x1', left, 0, width - 1)
      top = whole('crop', 'y1', top, 0, height - 1)
      right = whole('crop', 'x2', right or width, left + 1, width)
      bottom = whole('crop', 'y2', bottom or height, top + 1, height)
      local part = src:narrow(-2, top + 1, bottom - top):narrow(-1, left + 1, right - left)
      return give(dst, part:clone())
   end

   local function flip(name, dim)
      return function(...)
         local dst, src = split(name, ...)
         check(name, src)
         return give(dst, tensor.flip(src, src:dim() + dim))
      end
   end

   -- Returns the largest number of arguments of a call with these first ones.
   local function most_arguments(name, a, b, c)
      local has_dst = tensor.isTensor(a) and tensor.isTensor(b)
      if name == 'scale' then
         return not has_dst and type(c) == 'number' and 4 or 3
      end
      local others = name == 'crop' and (type(has_dst and c or b) == 'string' and 3 or 4) or 0
      return (has_dst and 2 or 1) + others
   end

   -- Errors get the position of the caller.
   for name, f in each {scale = scale, crop = crop, hflip = flip('hflip', 0),
                         vflip = flip('vflip', -1)} do
      image[name] = function(...)
         native.refuse_extra('image.' .. name, most_arguments(name, ...), ...)
         local done, result = pcall(f, ...)
         if not done then error(result, 2) end
         return result
      end
   end
   tensor.image = setmetatable(image, {__index = names.refuse(tensor, 'tensor.image', function(name)
      return OTHERS[name] or names.suggestion(name, {image})
   end)})
end
