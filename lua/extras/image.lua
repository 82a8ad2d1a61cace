-- tensor.image: scales, crops and flips images, with the names and signatures of Torch7's package
-- image.

local each = require 'tensor.versions'.each
local native = require 'tensor.native'

local LARGEST = 1000000  -- largest width or height of a result
local POSITIONS = {c = true, tl = true, tr = true, bl = true, br = true}

-- Resampling along one dimension: functions that return, for each output element, the input
-- elements that contribute to it, as a list of taps {index (from 1), weight}. Weights are never 0,
-- because 0 * infinity would be NaN.
local sides = {}

-- Torch7's 'simple': the nearest input element at or before the position.
function sides.nearest(from, to)
   local taps = {}
   for i = 0, to - 1 do taps[i + 1] = {{math.floor(i * from / to) + 1, 1}} end
   return taps
end

-- Averages the input that falls into each output element. Works in integer units: an input element
-- has length `to`, an output element has length `from`.
function sides.area(from, to)
   local taps = {}
   for i = 0, to - 1 do
      local first, last, own = i * from, (i + 1) * from, {}
      for j = math.floor(first / to), math.ceil(last / to) - 1 do
         local part = math.min(last, (j + 1) * to) - math.max(first, j * to)
         own[#own + 1] = {j + 1, part / from}
      end
      taps[i + 1] = own
   end
   return taps
end

-- As in Torch7: upscaling interpolates and aligns the first and last elements; downscaling
-- averages.
function sides.bilinear(from, to)
   if to <= from then return sides.area(from, to) end
   local taps = {}
   for i = 0, to - 1 do
      local position = i * (from - 1) / (to - 1)
      local before = math.floor(position)
      local part = position - before
      taps[i + 1] = part == 0 and {{before + 1, 1}} or
                    {{before + 1, 1 - part}, {before + 2, part}}
   end
   return taps
end

sides.simple = sides.nearest

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
              tostring(value))
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

   -- Computes weighted sums of taps along a dimension: one pass over all output elements per tap.
   local function sum_taps(t, dim, taps, most)
      local result
      for k = 1, most do
         local index, weight = {}, {}
         for i, own in ipairs(taps) do
            -- All need the same number of taps: the last tap is split into equal parts if there are
            -- fewer.
            local n = #own
            local tap, parts = own[math.min(k, n)], k >= n and most - n + 1 or 1
            index[i], weight[i] = tap[1], tap[2] / parts
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
   local function sum_slices(t, dim, taps)
      local slices = {}
      for i, own in ipairs(taps) do
         local weight = {}
         for k, tap in ipairs(own) do weight[k] = tap[2] end
         local weights = tensor.DoubleTensor(weight):typeAs(t)
         if dim ~= t:dim() then weights = weights:view(-1, 1) end
         local slice = t:narrow(dim, own[1][1], #own)
         slices[i] = tensor.cmul(slice, weights:expandAs(slice)):sum(dim)
      end
      return tensor.cat(slices, dim)
   end

   local function resample(t, dim, to, side)
      if t:size(dim) == to then return t end
      local taps, most = side(t:size(dim), to), 1
      if side == sides.nearest then
         local index = {}
         for i, own in ipairs(taps) do index[i] = own[1][1] end
         return t:index(dim, tensor.LongTensor(index))
      end
      for _, own in ipairs(taps) do most = math.max(most, #own) end
      if most <= 2 * to then return sum_taps(t, dim, taps, most) end
      return sum_slices(t, dim, taps)
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
      if not side then
         fail('scale', 'the mode is "bilinear", "nearest" ("simple") or "area", got %s',
              tostring(mode))
      end
      whole('scale', 'the width', width, 1, LARGEST)
      whole('scale', 'the height', height, 1, LARGEST)
      local kind, t = src:type(), src
      if kind:find 'Half' or kind:find 'BFloat16' then
         t = src:float()
      elseif not kind:find 'Float' and not kind:find 'Double' and side ~= sides.nearest then
         t = src:double()
      end
      -- Shrink the dimension with the stronger reduction first: this leaves less work for the other
      -- one.
      if width * src:size(-2) < height * src:size(-1) then
         t = resample(resample(t, t:dim(), width, side), t:dim() - 1, height, side)
      else
         t = resample(resample(t, t:dim() - 1, height, side), t:dim(), width, side)
      end
      if t:type() ~= kind then
         if t:type():find 'Double' then t = tensor.add(t, 0.5):floor() end
         t = t:type(kind)
      elseif t == src then
         t = src:clone()
      end
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
   tensor.image = image
end
