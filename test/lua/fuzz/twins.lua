-- Compares a call with the same call on copies of its operands in another layout. The results must
-- be equal bit for bit. This finds operations that are wrong for a layout without a reference.

local ffi = require 'ffi'

local twins = {}

local function set(text)
  local names = {}
  for name in text:gmatch '%S+' do names[name] = true end
  return names
end

-- Rows that depend on the layout, have uninitialized results, or amplify rounding errors.
local never = set [[
  emptyLike isSetTo view viewAs unflatten
  btrifact btrisolve cholesky cond det eig eigh gels geqrf gesv inverse logdet lstsq lu matrixExp
  matrixNorm matrixPower matrixRank nuclearNorm orgqr ormqr pinverse potrf potri potrs pstrf qr
  slogdet solve svd svdvals symeig trtrs]]
-- Rows that add or multiply many elements, in an order that depends on the layout; and xlogy, whose
-- vectorized loops round differently from its scalar ones.
local rounding = set [[
  addbmm addmm addmv addr baddbmm bmm cdist conv2 conv3 corrcoef cov covWeights cumprod cumsum dist
  dot einsum ger histogram histogramEdges histogramWeights histogramdd kron logSoftmax logsumexp
  matmul mean mm mv nanmean nanprod nanstd nansum nanvar norm outer prod renorm softmax std sum
  cumulativeTrapezoid nancumprod nancumsum trace trapezoid trapezoidAt unwrap var xcorr2 xcorr3
  xlogy]]

--- Returns how the calls of a row can be compared: "compared", "compared roughly", or nil.
function twins.kind(name, slots)
  for _, slot in ipairs(slots) do
    if slot.kind == 'g' then return nil end
  end
  return not never[name] and (rounding[name] and 'compared roughly' or 'compared') or nil
end

-- Strides are positive or 0. In memory order each dimension must step over the ones inside it.
local function overlaps_itself(t)
  local order = {}
  for d = 1, t:dim() do
    if t:size(d) > 1 then order[#order + 1] = { t:stride(d), t:size(d) } end
  end
  table.sort(order, function(a, b) return a[1] < b[1] end)
  local reach = 1
  for _, dimension in ipairs(order) do
    if dimension[1] < reach then return true end
    reach = reach + dimension[1] * (dimension[2] - 1)
  end
  return false
end

-- A copy in another layout: contiguous, or with gaps and an offset, or transposed.
local function copy_of(t, k)
  local dims = t:dim()
  local copy
  if t:nElement() == 0 or not t:isContiguous() then
    copy = t:clone()
  elseif dims > 1 and k % 2 == 0 then
    copy = t:transpose(1, dims):clone():transpose(1, dims)
  else
    local sizes = t:size():totable()
    sizes[dims + 1] = 3
    copy = t.new(unpack(sizes)):fill(99):select(dims + 1, 2):copy(t)
  end
  -- A device computes with its own functions, so the copy is on the same device.
  return copy:device() == t:device() and copy or copy:to(t:device())
end

-- The first and the last byte of a storage at the CPU. Asking for the address of another would move
-- it there.
local function extent(storage)
  if storage:head() ~= 'cpu' then return 0, 0 end
  local first = storage:data(true)
  return first, first + storage:size() * storage:elementSize()
end

-- Tests if two tensors share memory. Their storages can differ: DLPack makes a second one.
local function share(t, u)
  local a, b = t:storage(), u:storage()
  if not a or not b then return false end
  local first, last = extent(a)
  local other, other_last = extent(b)
  return a == b or first < other_last and other < last
end

local function is_floating(T, t)
  local name = T.typename(t)
  return name:find 'Float' or name:find 'Double' or name:find 'Half'
end

-- Tests if rounding errors can be large: elements are large or not finite.
local function is_wild(T, t)
  if not is_floating(T, t) or t:nElement() == 0 then return false end
  for _, x in ipairs(t:clone():view(-1):totable()) do
    if x ~= x or math.abs(x) > 100 then return true end
  end
  return false
end

--- Returns the operands of a line by their slots: {object, copy, shared, overlaps}. Returns nil if
-- an operand is not a tensor, or has elements for which a rough comparison is meaningless.
function twins.operands(T, v, list, roughly)
  local operands = {}
  for _, k in ipairs(list) do
    local object = v[k]
    if object ~= nil and (not T.isTensor(object) or roughly and is_wild(T, object)) then
      return nil
    end
    if object ~= nil then
      local own = { object = object, shared = false, overlaps = overlaps_itself(object) }
      for _, other in pairs(operands) do
        if rawequal(other.object, object) then
          own.copy = other.copy
        elseif share(other.object, object) then
          own.shared, other.shared = true, true
        end
      end
      own.copy = own.copy or copy_of(object, k)
      operands[k] = own
    end
  end
  return operands
end

local function bytes(t)
  local copy = t:clone()
  return ffi.string(copy:data(), copy:nElement() * copy:elementSize())
end

-- Zeros of both signs differ, and all NaNs are the same. roughly: by rounding errors.
local function same_numbers(a, b, roughly)
  return a == b and (roughly or a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b
         or roughly and math.abs(a - b) <= 0.05 * (1 + math.abs(a))
end

local function same_elements(T, a, b, roughly)
  if a:nElement() == 0 or bytes(a) == bytes(b) then return true end
  if not is_floating(T, a) then return false end
  local other = b:clone():view(-1):totable()
  for k, x in ipairs(a:clone():view(-1):totable()) do
    if not same_numbers(x, other[k], roughly) then return false end
  end
  return true
end

--- Describes how two values differ; nil: they are equal.
local function difference(T, a, b, roughly)
  if T.type(a) ~= T.type(b) then return ('a %s and a %s'):format(T.type(a), T.type(b)) end
  if T.isTensor(a) then
    if not a:isSameSizeAs(b) then
      return ('sizes %s and %s'):format(table.concat(a:size():totable(), 'x'),
                                        table.concat(b:size():totable(), 'x'))
    end
    return not same_elements(T, a, b, roughly) and ('elements of a %s: %s and %s'):format(
      T.type(a), tostring(a):sub(1, 300), tostring(b):sub(1, 300)) or nil
  elseif type(a) == 'number' then
    return not same_numbers(a, b, roughly) and ('%.17g and %.17g'):format(a, b) or nil
  elseif type(a) == 'table' then
    if #a ~= #b then return ('%d and %d results'):format(#a, #b) end
    for k = 1, #a do
      local text = difference(T, a[k], b[k], roughly)
      if text then return text end
    end
  elseif type(a) ~= 'userdata' and a ~= b then
    return ('%s and %s'):format(tostring(a), tostring(b))
  end
end

--- Tests if the results of a call depend on the order of its writes: to an operand that overlaps
-- itself, or to results that share memory.
function twins.is_undefined(T, operands, results)
  for _, own in pairs(operands) do
    if own.overlaps and (results[2] == own.object or difference(T, own.object, own.copy)) then
      return true
    end
  end
  for k = 2, #results do
    for other = 2, k - 1 do
      local a, b = results[k], results[other]
      if T.isTensor(a) and T.isTensor(b) and share(a, b) then return true end
    end
  end
  return false
end

--- Describes how two calls differ in results or operands; nil: they are equal. first and second:
-- {ok, results...} of each. An operand that shares memory with another may have changed by what was
-- written there. A device may find an error when results are written, and none if there are none.
function twins.difference(T, operands, first, second, roughly)
  if not (first[1] and second[1]) then
    for _, own in pairs(operands) do
      if own.object:device() ~= 'cpu' then return end
    end
  end
  if first[1] ~= second[1] then
    local message = tostring(first[1] and second[2] or first[2])
    -- A copy of what another library has, or may not be resized, is an ordinary tensor.
    if message:find 'cannot be resized' or message:find 'memory' then return end
    return ('one call raises an error: %s, %s'):format(tostring(first[2]), tostring(second[2]))
  end
  if first[1] then
    local text = difference(T, first, second, roughly)
    if text then return 'results: ' .. text end
  end
  for k, own in pairs(operands) do
    local text = not own.shared and difference(T, own.object, own.copy, roughly)
    if text then return ('v[%d]: %s'):format(k, text) end
  end
end

return twins
