-- The conditions that must hold after each call.

local ffi = require 'ffi'

local check = {}

local function tensor_fits(T, t)
  local dims = t:dim()
  local elements, last = dims > 0 and 1 or 0, t:storageOffset()
  if last < 1 then return ('the offset is %g'):format(last) end
  for d = 1, dims do
    local size, stride = t:size(d), t:stride(d)
    if size < 0 or stride < 0 then
      return ('dimension %d has size %g and stride %g'):format(d, size, stride)
    end
    elements = elements * size
    last = last + (size - 1) * stride
  end
  if elements ~= t:nElement() then
    return ('%g elements in a tensor of %g'):format(t:nElement(), elements)
  end
  local storage = t:storage()
  if elements == 0 or storage and last <= storage:size() then return end
  -- The storage may have been made smaller since; then nothing may be read.
  if pcall(t.clone, t) then
    return ('the view ends at element %g of a storage of %g'):format(last, storage
                                                                    and storage:size() or 0)
  end
  return nil, T
end

--- Returns a description of what is wrong with an object, or nil.
function check.object(T, object)
  if T.isTensor(object) then
    local ok, text = pcall(tensor_fits, T, object)
    -- A finalizer may have resized it between two calls.
    if ok and text then ok, text = pcall(tensor_fits, T, object) end
    -- A finalizer may have freed it meanwhile.
    if ok or pcall(object.dim, object) then return text end
    return
  end
  if T.isStorage(object) and object:size() < 0 then return 'a storage of negative size' end
end

local kinds = { 'C++ exception', 'std::', '%(null%)', 'bad_alloc', 'basic_string', 'vector::' }

-- Returns true if a message contains the name of something that the line calls.
local function names_a_call(message, line)
  for word in message:gmatch '[%a_][%w_]*' do
    if line:find('[:.]' .. word .. '[({]') or line:find('%["' .. word .. '"%]%(') then
      return true
    end
  end
end

--- Returns a description of what is wrong with an error message, or nil. line: the call, if the
-- message must name it.
function check.message(message, line)
  if type(message) ~= 'string' then return 'the error is a ' .. type(message) end
  if #message < 4 then return 'the message is ' .. message end
  for _, kind in ipairs(kinds) do
    if message:find(kind) then return 'the message is ' .. message end
  end
  if line and not (names_a_call(message, line) or message:find 'bad argument'
                   or message:find 'attempt to') then
    return 'the message names no function: ' .. message
  end
end

local function bytes(T, t)
  if t:nElement() == 0 then return '' end
  local copy = t:clone()
  return ffi.string(copy:data(), copy:nElement() * copy:elementSize()), T
end

local function storage_text(T, storage)
  local n = storage:size()
  local parts = { T.typename(storage), n }
  if n > 0 and n < 3000 then
    local class = T.typename(storage):match 'torch%.(.*)Storage'
    parts[#parts + 1] = (bytes(T, T[class .. 'Tensor'](storage)))
  end
  return table.concat(parts, ' ')
end

--- Returns the current device of an object.
function check.place(T, object)
  return (T.isTensor(object) or T.isStorage(object)) and object:device() or ''
end

--- Sizes and bytes of an object, to be compared after a call that was refused. Reads a copy,
-- so that the elements stay where they are.
function check.picture(T, object)
  if T.isStorage(object) then return storage_text(T, object) end
  if not T.isTensor(object) then return tostring(T.typename(object)) end
  local parts = { T.typename(object), object:storageOffset() }
  for d = 1, object:dim() do
    parts[#parts + 1] = object:size(d) .. ':' .. object:stride(d)
  end
  local storage = object:storage()
  -- It may have got a storage without elements.
  parts[#parts + 1] = storage and storage:size() > 0 and storage_text(T, storage) or ''
  return table.concat(parts, ' ')
end

return check
