-- Cases of the convolutions, computed by plain loops over the kernel.

local model = require 'support.model'

local cases = {}

-- Returns the spatial sizes padded to three, and the number of leading dimensions.
local function volume(m, dims)
  local leading = #m.shape - dims
  local size = { 1, 1, 1 }
  for d = 1, dims do size[3 - dims + d] = m.shape[leading + d] end
  return size, leading
end

-- Adds to total[o] the convolution of plane p of image and plane q of kernel. Planes count from 0.
local function add_plane(total, o, image, p, t, kernel, q, k, out, full, flipped)
  for z = 0, out[1] - 1 do
    for y = 0, out[2] - 1 do
      for x = 0, out[3] - 1 do
        local sum = 0
        for a = 0, k[1] - 1 do
          for b = 0, k[2] - 1 do
            for c = 0, k[3] - 1 do
              -- The position in the image that corresponds to a position in the kernel.
              local i, j, l = z + a, y + b, x + c
              if full then i, j, l = z - a, y - b, x - c end
              if i >= 0 and i < t[1] and j >= 0 and j < t[2] and l >= 0 and l < t[3] then
                local w = (a * k[2] + b) * k[3] + c
                if flipped then w = k[1] * k[2] * k[3] - 1 - w end
                sum = sum + image.data[((p * t[1] + i) * t[2] + j) * t[3] + l + 1] *
                            kernel.data[q * k[1] * k[2] * k[3] + w + 1]
              end
            end
          end
        end
        local at = ((o * out[1] + z) * out[2] + y) * out[3] + x + 1
        total[at] = (total[at] or 0) + sum
      end
    end
  end
end

local function convolve(e, dims, convolution, image, kernel, full)
  local t, image_planes = volume(image, dims)
  local k, kernel_planes = volume(kernel, dims)
  local out, shape, data = {}, {}, {}
  for d = 1, 3 do out[d] = full and t[d] + k[d] - 1 or t[d] - k[d] + 1 end
  local flipped = convolution ~= full
  if image_planes == 1 then
    shape[1] = kernel.shape[1]
    for o = 0, shape[1] - 1 do
      for p = 0, image.shape[1] - 1 do
        local q = kernel_planes == 1 and o or o * image.shape[1] + p
        if kernel_planes == 2 or p == o then
          add_plane(data, o, image, p, t, kernel, q, k, out, full, flipped)
        end
      end
    end
  else
    add_plane(data, 0, image, 0, t, kernel, 0, k, out, full, flipped)
  end
  for d = 4 - dims, 3 do shape[#shape + 1] = out[d] end
  for i, x in ipairs(data) do data[i] = e.store(x) end
  return model.new(shape, data)
end

local shapes = {
  [2] = {
    { { 5, 6 }, { 2, 3 } }, { { 1, 1 }, { 1, 1 } }, { { 3, 3 }, { 3, 3 } }, { { 4, 40 }, { 3, 5 } },
    { { 2, 4, 5 }, { 2, 3, 2 } }, { { 1, 3, 2 }, { 1, 1, 2 } },
    { { 2, 4, 5 }, { 3, 2, 3, 2 } }, { { 3, 3, 9 }, { 5, 3, 2, 1 } },
    { { 1, 2, 2 }, { 1, 1, 2, 2 } },
  },
  [3] = {
    { { 3, 4, 5 }, { 2, 2, 3 } }, { { 1, 1, 1 }, { 1, 1, 1 } }, { { 2, 3, 21 }, { 2, 1, 4 } },
    { { 2, 3, 3, 4 }, { 2, 2, 1, 3 } },
    { { 2, 2, 3, 4 }, { 5, 2, 1, 2, 3 } }, { { 1, 2, 2, 2 }, { 1, 1, 2, 2, 2 } },
  },
}
local large = { [2] = { { 3, 40, 50 }, { 5, 3, 4, 3 } },
                [3] = { { 2, 6, 20, 21 }, { 3, 2, 2, 3, 3 } } }

function cases.install(shared)
  local c = {}
  for name, kind in pairs { conv2 = { 2, true }, xcorr2 = { 2, false },
                            conv3 = { 3, true }, xcorr3 = { 3, false } } do
    local dims, convolution = kind[1], kind[2]
    c[name] = {
      ulps = 8,
      scenarios = function(e, random, is_large)
        local all = {}
        for _, pair in ipairs(is_large and { large[dims] } or shapes[dims]) do
          local image = model.random(e, 'any', pair[1], random)
          local kernel = model.random(e, 'any', pair[2], random)
          local scale = 64 * #kernel.data
          for _, option in ipairs { 'V', 'F' } do
            all[#all + 1] = { args = { image, kernel, option }, scale = scale }
          end
          if not is_large then
            all[#all + 1] = { args = { image, kernel, shared.omit }, scale = scale }
            -- The kernel is larger than the image.
            all[#all + 1] = #pair[1] == #pair[2] and
              { args = { kernel, image, 'F' }, scale = scale * #image.data } or nil
          end
        end
        return all
      end,
      reference = function(e, image, kernel, option)
        return convolve(e, dims, convolution, image, kernel, option == 'F')
      end,
    }
  end
  return c
end

return cases
