-- Complex arrays: a shape, real parts and imaginary parts.

local model = require 'support.model'

local complex = {}

--- Returns the complex array of a model with a last dimension of size 2.
function complex.of_model(m)
  local shape, re, im = {}, {}, {}
  for d = 1, #m.shape - 1 do shape[d] = m.shape[d] end
  for k = 1, #m.data / 2 do re[k], im[k] = m.data[2 * k - 1], m.data[2 * k] end
  return { shape = shape, re = re, im = im }
end

--- Returns the complex array with the real parts of a model.
function complex.of_real(m)
  local im = {}
  for k = 1, #m.data do im[k] = 0 end
  return { shape = { unpack(m.shape) }, re = m.data, im = im }
end

--- Returns the model of a complex array, in the element type e.
function complex.to_model(e, c)
  local shape, data = { unpack(c.shape) }, {}
  shape[#shape + 1] = 2
  for k = 1, #c.re do data[2 * k - 1], data[2 * k] = e.store(c.re[k]), e.store(c.im[k]) end
  return model.new(shape, data)
end

return complex
