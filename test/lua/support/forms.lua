-- Parses the argument forms of the op table ("[*T] T [x=1] T") for the tests.

local forms = {}

local function slot_of(word)
  local inner = word:match('^%[(.*)%]$')
  local body = inner or word
  local mark = body:match('^[*+]')
  body = body:gsub('^[*+]', '')
  return { kind = body:match('^{') and '{' or body:sub(1, 1), of = body:match('^{(%u)}$'),
           result = mark ~= nil, fresh = mark == '+', optional = inner ~= nil }
end

--- Returns a list of slots {kind, result, fresh, optional, parameter} of one form; parameter is the
-- number of the row's parameter. <x=1> is not an argument.
function forms.slots(text)
  local slots, parameter = {}, 0
  for word in text:gmatch('%S+') do
    parameter = parameter + 1
    if not word:find '^<' then
      slots[#slots + 1] = slot_of(word)
      slots[#slots].parameter = parameter
    end
  end
  return slots
end

--- Returns the alternative method forms of a row.
function forms.methods(row)
  local text = row.method == '=' and row['function'] or row.method
  local all = {}
  if text == '-' then return all end
  for form in (text .. ' | '):gmatch('(.-) | ') do all[#all + 1] = forms.slots(form) end
  return all
end

--- Returns, for each slot of a method that is not a result, the number of the corresponding
-- argument of the function. Arguments without a slot in the method must be omitted. Returns nil if
-- the method cannot be called with these arguments.
function forms.align(method, arguments, given, omit)
  local map, k = {}, 1
  for i, slot in ipairs(method) do
    if not slot.result or slot.required then
      while arguments[k] and arguments[k].kind ~= slot.kind do
        if given[k] ~= omit then return nil end
        k = k + 1
      end
      if not arguments[k] then return nil end
      if given[k] == omit and not slot.optional then return nil end
      map[i] = k
      k = k + 1
    end
  end
  for rest = k, #arguments do
    if given[rest] ~= omit then return nil end
  end
  return map
end

--- Returns the set of the values that the row changes.
function forms.changed(row, slots, map, values)
  local changed = {}
  for i, k in pairs(map) do
    if row.parameters[slots[i].parameter].inout and values[k] ~= nil then
      changed[values[k]] = true
    end
  end
  return changed
end

return forms
