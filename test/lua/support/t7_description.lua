-- Describes an object in the format of test/data/t7/description.tar.

local tensor = require 'tensor'

local function number_text(x)
  if x ~= x then return 'nan' end
  return (('%.17g'):format(x))
end

local function string_text(s)
  local text = s:gsub('["\\\128-\255%c]', function(c) return ('\\x%02x'):format(c:byte()) end)
  return ('string len=%d "%s"'):format(#s, text)
end

-- Returns n elements of a storage from a 0-based position on, without rounding integers.
local function element_text(storage, position)
  if tensor.typename(storage) == 'torch.LongStorage' then
    if not rawget(_G, 'jit') then return ('%d'):format(storage[position + 1]) end
    return (tostring(storage:data()[position]):gsub('LL$', ''))
  end
  return number_text(storage[position + 1])
end

local function rank(key)
  local ranks = { boolean = 1, number = 2, string = 3 }
  return ranks[type(key)] or 4
end
local function key_before(a, b)
  if rank(a) ~= rank(b) then return rank(a) < rank(b) end
  if type(a) == 'boolean' then return not a and b end
  return rank(a) < 4 and a < b
end

-- Returns the description as lines, without the remarks that start with #.
local function describe_object(object)
  local lines, numbers, count = {}, {}, 0

  local function number_of(value)
    local key = type(value) == 'userdata' and tensor.pointer(value) or value
    local known = numbers[key]
    if not known then
      count = count + 1
      numbers[key] = count
    end
    return known or count, known ~= nil
  end

  local visit

  local function visit_storage(storage, indent, prefix)
    if storage == nil then
      lines[#lines + 1] = indent .. prefix .. 'nil'
      return
    end
    local n, seen = number_of(storage)
    local head = ('%s%s%s #%d'):format(indent, prefix, tensor.typename(storage), n)
    if seen then
      lines[#lines + 1] = head .. ' (same storage as above)'
      return
    end
    lines[#lines + 1] = ('%s size=%d'):format(head, storage:size())
    local values = {}
    for i = 1, storage:size() do values[i] = element_text(storage, i - 1) end
    lines[#lines + 1] = indent .. '  values: ' .. table.concat(values, ' ')
  end

  local function visit_tensor(t, indent, prefix)
    local name, n, seen = tensor.typename(t), number_of(t)
    if seen then
      lines[#lines + 1] = ('%s%s%s #%d (same object as above)'):format(indent, prefix, name, n)
      return
    end
    local sizes, strides = t:size():totable(), t:stride():totable()
    local nelement = #sizes > 0 and 1 or 0
    for _, size in ipairs(sizes) do nelement = nelement * size end
    lines[#lines + 1] =
      ('%s%s%s #%d dim=%d size=[%s] stride=[%s] storageOffset=%d nElement=%d contiguous=%s')
      :format(indent, prefix, name, n, #sizes, table.concat(sizes, ' '),
              table.concat(strides, ' '), t:storageOffset(), nelement,
              tostring(t:isContiguous()))
    local values, storage = {}, t:storage()
    for i = 0, nelement - 1 do
      local rest, position = i, t:storageOffset() - 1
      for d = #sizes, 1, -1 do
        position = position + rest % sizes[d] * strides[d]
        rest = math.floor(rest / sizes[d])
      end
      values[i + 1] = element_text(storage, position)
    end
    lines[#lines + 1] = indent .. '  elements (row-major): ' .. table.concat(values, ' ')
    visit_storage(storage, indent .. '  ', 'storage: ')
  end

  local function visit_entries(entries, indent)
    local keys = {}
    for key in pairs(entries) do keys[#keys + 1] = key end
    table.sort(keys, key_before)
    for _, key in ipairs(keys) do
      if rank(key) == 4 then
        visit(key, indent, 'key: ')
        visit(entries[key], indent, 'value: ')
      else
        local text = type(key) == 'string' and string_text(key):match '".*"$'
                     or type(key) == 'number' and number_text(key) or tostring(key)
        visit(entries[key], indent, ('[%s] = '):format(text))
      end
    end
  end

  function visit(value, indent, prefix)
    local head = indent .. prefix
    if value == nil then
      lines[#lines + 1] = head .. 'nil'
    elseif type(value) == 'number' then
      local remark = value == 0 and 1 / value < 0 and ' (negative zero)' or ''
      lines[#lines + 1] = head .. 'number ' .. number_text(value) .. remark
    elseif type(value) == 'string' then
      lines[#lines + 1] = head .. string_text(value)
    elseif type(value) == 'boolean' then
      lines[#lines + 1] = head .. 'boolean ' .. tostring(value)
    elseif tensor.isTensor(value) then
      visit_tensor(value, indent, prefix)
    elseif tensor.isStorage(value) then
      visit_storage(value, indent, prefix)
    elseif type(value) == 'function' then
      local n, seen = number_of(value)
      lines[#lines + 1] = ('%sfunction #%d%s'):format(head, n, seen and ' (same object as above)'
                                                               or '')
      local place, name, upvalue = 1, debug.getupvalue(value, 1)
      while not seen and name do
        visit(upvalue, indent .. '  ', ('upvalue %d %s = '):format(place, name))
        place = place + 1
        name, upvalue = debug.getupvalue(value, place)
      end
    else
      local n, seen = number_of(value)
      local class = tensor.typename(value)
      local name = class and 'torch object ' .. class or 'table'
      if seen then
        lines[#lines + 1] = ('%s%s #%d (same object as above)'):format(head, class or name, n)
        return
      end
      local entries = 0
      for _ in pairs(value) do entries = entries + 1 end
      lines[#lines + 1] = ('%s%s #%d entries=%d'):format(head, name, n, entries)
      visit_entries(value, indent .. '  ')
    end
  end

  visit(object, '', '')
  return lines
end

return describe_object
