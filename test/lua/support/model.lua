-- A tensor in plain Lua: its shape, and its elements in row-major order. Tensors of any layout are
-- made from models and read back into models.

local has_ffi, ffi = pcall(require, 'ffi')
local tensor = require 'tensor'
local elements = require 'support.elements'

local new_table = require 'table.new'

local model = {}

function model.count(shape)
  if #shape == 0 then return 0 end
  local n = 1
  for _, size in ipairs(shape) do n = n * size end
  return n
end

function model.new(shape, data)
  return { shape = shape, data = data or {} }
end

--- Returns a model of this shape with elements f(0-based position).
function model.fill(shape, f)
  local count = model.count(shape)
  local data = new_table(count, 0)
  for i = 1, count do data[i] = f(i - 1) end
  return model.new(shape, data)
end

--- Returns a model with random elements of a kind (see elements).
function model.random(e, kind, shape, random)
  return model.fill(shape, function() return elements.value(e, kind, random) end)
end

--- Returns the indices (from 1) of the element at a 0-based position.
function model.indices(shape, position)
  local index = new_table(#shape, 0)
  for d = #shape, 1, -1 do
    index[d] = position % math.max(shape[d], 1) + 1
    position = math.floor(position / math.max(shape[d], 1))
  end
  return index
end

--- Returns the element at these indices, and its position in data.
function model.at(m, index)
  local position = 0
  for d, size in ipairs(m.shape) do position = position * size + index[d] - 1 end
  return m.data[position + 1], position + 1
end

--- Returns a model of this shape with elements f(indices). All calls get the same table of indices.
function model.build(shape, f)
  local index = model.indices(shape, 0)
  return model.fill(shape, function(position)
    if position > 0 then
      local d = #shape
      while index[d] == shape[d] do
        index[d] = 1
        d = d - 1
      end
      index[d] = index[d] + 1
    end
    return f(index)
  end)
end

function model.copy(m)
  local data = new_table(#m.data, 0)
  for i, x in ipairs(m.data) do data[i] = x end
  return model.new(m.shape, data)
end

--- Applies f to the elements of models of the same shape.
function model.map(f, a, b, c)
  local data = new_table(#a.data, 0)
  for i = 1, #a.data do data[i] = f(a.data[i], b and b.data[i], c and c.data[i]) end
  return model.new(a.shape, data)
end

--- Returns the result of expanding the first slice of dimension 1 to its whole size.
function model.expanded(m)
  local first = m.shape[1]
  if not first or first < 2 then return m end
  local slice = #m.data / first
  return model.fill(m.shape, function(position) return m.data[position % slice + 1] end)
end

local function flatten(nested, depth, data, n)
  if depth > 1 then
    for i = 1, #nested do n = flatten(nested[i], depth - 1, data, n) end
    return n
  end
  for i = 1, #nested do data[n + i] = nested[i] end
  return n + #nested
end

function model.read(t)
  local shape = t:size():totable()
  if #shape < 2 then return model.new(shape, #shape == 1 and t:totable() or {}) end
  if t:nElement() > 0 and t:isContiguous() then return model.new(shape, t:view(-1):totable()) end
  local data = new_table(t:nElement(), 0)
  flatten(t:totable(), #shape, data, 0)
  return model.new(shape, data)
end

--- Returns a string that determines the elements of t, and that NaN are equal in.
function model.bytes(t)
  t = t:contiguous()
  if t:nElement() == 0 then return '' end
  if not has_ffi then
    local parts = t:view(-1):totable()
    for i, x in ipairs(parts) do parts[i] = ('%.17g'):format(x) end
    return table.concat(parts, ' ')
  end
  return ffi.string(t:data(), t:nElement() * t:elementSize())
end

-- Calls f(position, step, first, last) for each row along the last dimension: the element at
-- position `first` of the model's data is at `position` in the storage, the next one is `step`
-- further.
local function each_row(shape, strides, offset, f)
  local size = shape[#shape]
  for row = 0, model.count(shape) / math.max(size, 1) - 1 do
    local rest, at = row, offset
    for d = #shape - 1, 1, -1 do
      at = at + rest % shape[d] * strides[d]
      rest = math.floor(rest / shape[d])
    end
    f(at, strides[#shape], row * size + 1, row * size + size)
  end
end

local function row_major(shape, inner)
  local strides, step = {}, inner or 1
  for d = #shape, 1, -1 do
    strides[d] = step
    step = step * math.max(shape[d], 1)
  end
  return strides, 0
end

-- Strides and storage offset, by layout.
local layouts = {
  contiguous = row_major,
  transposed = function(shape)
    local strides, step = {}, 1
    for d = 1, #shape do
      strides[d] = step
      step = step * math.max(shape[d], 1)
    end
    return strides, 0
  end,
  offset = function(shape) return row_major(shape), 5 end,
  strided = function(shape)
    local strides = row_major(shape, 2)
    for d = 1, #shape - 1 do strides[d] = strides[d] * 3 end
    return strides, 1
  end,
  expanded = function(shape)
    local strides = row_major(shape)
    if shape[1] and shape[1] > 1 then strides[1] = 0 end
    return strides, 0
  end,
}

local SENTINEL = 77

--- Returns a function that returns a new tensor with the model's elements in a layout at each call.
-- Elements of the storage outside the tensor are SENTINEL. 'expanded' takes an expanded model.
function model.maker(e, m, layout)
  local shape = m.shape
  if #shape == 0 then return function() return e.Tensor() end end
  local strides, offset = layouts[layout or 'contiguous'](shape)
  local last = offset
  for d = 1, #shape do last = last + math.max(shape[d] - 1, 0) * strides[d] end
  local stored = new_table(last + 2, 0)
  for i = 1, last + 2 do stored[i] = SENTINEL end
  local data = m.data
  if #data > 0 then
    each_row(shape, strides, offset, function(at, step, begin, finish)
      for i = begin, finish do stored[at + 1 + (i - begin) * step] = data[i] end
    end)
  end
  local sizes, steps = tensor.LongStorage(shape), tensor.LongStorage(strides)
  local first = e.Storage(stored)
  return function()
    return e.Tensor(e.Storage(last + 2):copy(first), offset + 1, sizes, steps)
  end
end

function model.tensor(e, m, layout) return model.maker(e, m, layout)() end

--- Returns the position of a storage element outside the tensor that differs from model.tensor()'s
-- initial value, or nil.
function model.disturbed(t)
  if t:nElement() == 0 then return nil end
  local stored = t:storage():totable()
  local shape, strides = t:size():totable(), t:stride():totable()
  local first = t:storageOffset()
  each_row(shape, strides, first, function(at, step, begin, finish)
    for i = 0, finish - begin do stored[at + i * step] = SENTINEL end
  end)
  for i = 1, #stored do
    if stored[i] ~= SENTINEL then return i end
  end
end

--- Returns true if two numbers agree within a tolerance, relative to the larger of want and scale.
function model.close(got, want, tolerance, scale)
  if got == want or (got ~= got and want ~= want) then return true end
  if tolerance == 0 or got ~= got or want ~= want then return false end
  if math.abs(want) == math.huge then return false end
  return math.abs(got - want) <= tolerance * math.max(math.abs(want), scale or 0)
end

--- Returns nil if both models agree, otherwise a description of the difference.
function model.difference(got, want, tolerance, scale)
  local sizes, wanted = table.concat(got.shape, 'x'), table.concat(want.shape, 'x')
  -- Computed sizes are floats in Lua 5.3 and later.
  if sizes ~= wanted:gsub('%.0', '') then return ('size %s instead of %s'):format(sizes, wanted) end
  local a, b = got.data, want.data
  if #a ~= #b then return ('%d elements instead of %d'):format(#a, #b) end
  for i = 1, #b do
    if not model.close(a[i], b[i], tolerance, scale) then
      return ('element %d of %s is %.17g instead of %.17g'):format(i, wanted, a[i], b[i])
    end
  end
end

return model
