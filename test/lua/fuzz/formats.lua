-- The formats of load and save for random tests: objects that each can hold, the options with which
-- they are saved and loaded, and whether what is loaded is the same.

local tensor = require 'tensor'
local elements = require 'support.elements'

local formats = {}

local function below(random, n) return math.floor(random() * n) end

-- ---- tensors ------------------------------------------------------------------------------------

-- Elements of any bits: NaNs with payloads, denormals, infinities.
local function fill_with_bits(t, e, random)
  local n, bytes = t:nElement(), {}
  for k = 1, n * t:elementSize() do bytes[k] = string.char(below(random, 256)) end
  bytes[#bytes + 1] = '\0'
  local file = tensor.MemoryFile(tensor.CharStorage():string(table.concat(bytes)), 'r'):binary()
  t:copy(e.Tensor(file['read' .. e.name](file, n)):viewAs(t))
  return t
end

local function fill_with_numbers(t, e, random)
  local flat = t:view(t:nElement())
  for k = 1, flat:size(1) do
    local x = below(random, 201) - (e.signed == false and 0 or 100)
    flat[k] = (e.integral or random() < 0.5) and x or x / 8
  end
  return t
end

-- A tensor of sizes in a layout of any kind.
local function laid_out(e, sizes, fill, random)
  local kind, more = below(random, 5), {}
  for d, n in ipairs(sizes) do more[d] = n end
  if kind == 1 and #sizes > 1 then
    more[1], more[2] = sizes[2], sizes[1]
  elseif kind == 2 then
    more[#more] = more[#more] + 2
  elseif kind == 3 then
    table.insert(more, 1, 3)
  elseif kind == 4 then
    more[1] = math.min(more[1], 1)
  end
  local t = e.Tensor(unpack(more))
  if t:nElement() > 0 then fill(t, e, random) end
  if kind == 1 and #sizes > 1 then return t:transpose(1, 2) end
  if kind == 2 then return t:narrow(#sizes, 2, sizes[#sizes]) end
  if kind == 3 then return t:select(1, 2) end
  return kind == 4 and t:expand(tensor.LongStorage(sizes)) or t
end

local function any_element(random) return elements[below(random, #elements) + 1] end

local function any_sizes(random, least, most)
  local sizes = {}
  for d = 1, least + below(random, most - least + 1) do
    sizes[d] = random() < 0.05 and 0 or 1 + below(random, 4)
  end
  return sizes
end

local function any_tensor(random, fill)
  return laid_out(any_element(random), any_sizes(random, 1, 5), fill or fill_with_bits, random)
end

-- The elements, bit for bit.
local function bits(t)
  if t:nElement() == 0 then return '' end
  local name, file = t:type():match '^torch%.(%w+)Tensor$', tensor.MemoryFile():binary()
  file['write' .. name](file, t:clone():storage())
  return file:seek(1):readString '*a'
end

local function same(a, b)
  if tensor.isTensor(a) then
    return tensor.isTensor(b) and a:type() == b:type() and a:isSameSizeAs(b) and bits(a) == bits(b)
  elseif type(a) == 'table' then
    if type(b) ~= 'table' then return false end
    for key, value in pairs(a) do
      if not same(value, b[key]) then return false end
    end
    for key in pairs(b) do
      if a[key] == nil then return false end
    end
    return true
  end
  return a == b
end

-- ---- what formats hold --------------------------------------------------------------------------

local function any_name(random)
  local letters = {}
  for k = 1, 1 + below(random, 6) do letters[k] = string.char(97 + below(random, 26)) end
  return table.concat(letters)
end

local function named_tensors(random)
  local tensors = {}
  for _ = 1, below(random, 4) do tensors[any_name(random)] = any_tensor(random) end
  return tensors
end

local function any_object(random, fill, depth)
  local kind = below(random, depth < 3 and 8 or 5)
  if kind < 3 then return any_tensor(random, fill) end
  if kind == 3 then return any_name(random):rep(below(random, 100)) end
  if kind == 4 then return random() < 0.5 and random() * 1e6 or random() < 0.5 end
  local object = {}
  for k = 1, below(random, 5) do
    object[random() < 0.5 and k or any_name(random)] = any_object(random, fill, depth + 1)
  end
  return object
end

local function picture(random, e, channels)
  local t = laid_out(e, { channels, 1 + below(random, 9), 1 + below(random, 9) },
                     e.integral and fill_with_bits or fill_with_numbers, random)
  return e.integral and t or t:clone():abs():div(101)
end

-- Each returns an object, options of save, options of load, and what load returns: an equal object,
-- or a function that checks it; nil if it is not known.
function formats.npy(random)
  local t = any_tensor(random)
  return t, {}, { map = random() < 0.5 }, t
end

function formats.npz(random)
  local tensors = named_tensors(random)
  return tensors, { compress = random() < 0.5 }, {}, tensors
end

if pcall(require, 'cjson') then
  function formats.safetensors(random)
    local tensors = named_tensors(random)
    tensors.__metadata__ = nil
    return tensors, { metadata = { [any_name(random)] = any_name(random) } },
           { map = random() < 0.5 }, tensors
  end
end

local modes = { 'binary', 'ascii', 'b64' }
function formats.t7(random)
  local mode = modes[below(random, #modes) + 1]
  -- Text has no bits of NaNs.
  local object = any_object(random, mode == 'ascii' and fill_with_numbers or fill_with_bits, 1)
  return object, { mode = mode }, { mode = random() < 0.5 and mode or nil }, object
end

-- Columns of numbers and of text, with names.
local characters = { 'a', 'B', '7', '-', '.', ' ', '\t', ',', ';', '"', "'", '#', '\n', '\r',
                     '\r\n', 'NA', 'nan', '\195\164', '\\', '1e5' }
local function any_text(random)
  local parts = {}
  for k = 1, below(random, 5) do parts[k] = characters[below(random, #characters) + 1] end
  return table.concat(parts)
end
local function columns_of_text(random)
  local object, types, rows = {}, {}, 1 + below(random, 5)
  for _ = 1, 1 + below(random, 4) do
    local name, e = any_name(random), any_element(random)
    if random() < 0.5 then
      object[name], types[name] = {}, 'text'
      for row = 1, rows do object[name][row] = any_text(random) end
    else
      object[name], types[name] = laid_out(e, { rows }, fill_with_numbers, random), e.name
    end
  end
  return object, {}, { columns = true, header = true, types = types }, function(loaded)
    for name, column in pairs(object) do
      if not same(column, loaded[name]) then return false end
    end
    return true
  end
end

local function table_of_text(random)
  if random() < 0.4 then return columns_of_text(random) end
  local e = any_element(random)
  local t = laid_out(e, { 1 + below(random, 5), 1 + below(random, 4) }, fill_with_numbers, random)
  return t, {}, { header = false, type = e.name }, t
end
formats.csv, formats.tsv = table_of_text, table_of_text

function formats.png(random)
  if random() < 0.7 then
    local t = picture(random, elements.Byte, 1 + below(random, 4))
    return t, {}, { type = 'Byte' }, t
  end
  local t = picture(random, elements.Float, 1 + below(random, 4))
  return t, { bits = 16 }, { channels = 1 + below(random, 4) }
end

function formats.jpg(random)
  return picture(random, elements.Byte, random() < 0.5 and 1 or 3),
         { quality = 1 + below(random, 100) }, {}
end

function formats.binaryproto(random)
  local name = random() < 0.5 and 'Float' or 'Double'
  local blobs = {}
  for k = 1, random() < 0.5 and 1 or 1 + below(random, 3) do
    local sizes = any_sizes(random, 0, 5)
    blobs[k] = tensor[name .. 'Blob'](sizes)
    if blobs[k]:count() > 0 then
      fill_with_numbers(blobs[k]:data(), elements[name], random)
      fill_with_numbers(blobs[k]:diff(), elements[name], random)
    end
  end
  return #blobs == 1 and blobs[1] or blobs, { diff = random() < 0.5 }, {}
end

--- True if a loaded object is as expected.
function formats.same(expected, loaded)
  if type(expected) == 'function' then return expected(loaded) end
  return same(expected, loaded)
end

--- The names of the formats, in order.
function formats.list()
  local names = {}
  for name in pairs(formats) do
    if name ~= 'same' and name ~= 'list' then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

return formats
