-- Makes doc/reference.md from the op table: what the functions are called and take is asked of the
-- module, their families are read from lib/TH/THOps.def.
-- Usage, from the repository's root:
--   build/prefix/bin/tensor scripts/make-reference.lua doc/reference.md
-- Without a file name nothing is written; the text is the result of this chunk.

local tensor = require 'tensor'

-- The families, under the headings of THOps.def.
local function read_families()
  local file = assert(io.open('lib/TH/THOps.def'))
  local text = file:read('*a')
  file:close()
  local families = {}
  -- What is before the first heading defines the macros.
  for heading, start in text:gmatch('/%* %-%-%-%- (.-) %-%-%-%- %*/()') do
    local family = { heading = heading:gsub('%s+', ' '), rows = {} }
    families[#families + 1] = family
    local rows = text:match('^(.-)/%* %-%-%-%-', start) or text:match('^(.-)#undef', start)
    for macro, name in rows:gmatch('%f[%w](TH_%u+)%(([%w_]+)') do
      for _, suffix in ipairs(macro == 'TH_COMPARE' and { 'Value', 'Tensor' } or { '' }) do
        family.rows[name .. suffix] = true
      end
    end
  end
  return families
end

-- The C function's parameters: names, and whether they are tensors. A list's length is no argument.
local function parameters_of(row)
  local list = {}
  for declaration in row.parameters:sub(2, -2):gmatch('[^,]+') do
    local name = declaration:match('([%w_]+)%s*$')
    if name ~= 'numInputs' then
      list[#list + 1] = { name = name, tensor = declaration:find 'Tensor' ~= nil }
    end
  end
  return list
end

-- The slots of one form, as THOps.def describes them, with the names of their parameters: a form
-- may leave parameters out.
local function parse(form, parameters)
  local slots, position, results, operands = {}, 0, 0, 0
  for word in form:gmatch('%S+') do
    local slot = { optional = word:find '^%[' ~= nil, fresh = word:find '^[+<]' ~= nil,
                   result = word:find '^%[?[*+]' ~= nil }
    word = word:gsub('%b()', '')  -- an option's letters
    -- Neither a new tensor nor a fixed value is an argument.
    slot.kind, slot.default = word:match('^[%[<]?[*+]?([%a{])[T}]*=?([^%]>]*)[%]>]?$')
    local is_tensor = slot.kind:find '[TLIBMAFD{]' ~= nil
    repeat
      position = position + 1
      assert(parameters[position], form)
    until parameters[position].tensor == is_tensor
    slot.name = parameters[position].name
    slots[#slots + 1] = slot
    results = results + (slot.result and 1 or 0)
    operands = operands + (not slot.result and slot.kind == 'T' and 1 or 0)
  end
  for _, slot in ipairs(slots) do
    if slot.result and results > 1 then
      local plain = { rt_ = 'values', ri_ = 'indices' }
      slot.name = plain[slot.name] or slot.name:gsub('_$', '')
    elseif slot.result and (slot.optional or slot.fresh) then
      slot.name = 'result'
    elseif slot.result then
      -- Changed in place, or written only.
      slot.name = (slot.name == 'tensor' or operands == 0) and 't' or 'result'
    elseif slot.name == 'tensor' or slot.name == 'self' then
      slot.name = 't'
    end
  end
  return slots
end

local function argument(slot)
  local name = slot.name
  if slot.kind == '{' then name = '{' .. name .. '...}' end
  if slot.kind == 'r' then name = '{' .. name .. '...}' end
  -- A dimension of no tensor stands for none.
  if slot.kind == 'i' and tonumber(slot.default) == -1000 then return name end
  if slot.kind == 's' or slot.kind == 'p' then name = name .. '...' end
  return slot.default ~= '' and name .. ' = ' .. slot.default or name
end

-- The arguments from the slot number `first` on, with brackets about what may be left out.
local function arguments(slots, first)
  local last = 0
  for k = first, #slots do
    if not slots[k].optional then last = k end
  end
  local text = ''
  for k = first, #slots do
    local slot = slots[k]
    if not slot.fresh then
      if k > last then
        text = text .. (text == '' and '[%s]' or ' [, %s]'):format(argument(slot))
      elseif slot.optional then
        text = text .. ('[%s,] '):format(argument(slot))
      else
        text = text .. argument(slot) .. (k < last and ', ' or '')
      end
    end
  end
  return text
end

-- The text in lines of at most 100 columns.
local function wrapped(text, indent)
  local lines, line = {}, indent
  for word in text:gmatch('%S+') do
    if #line + #word > 99 then
      lines[#lines + 1] = line
      line = indent
    end
    line = line .. (line == indent and '' or ' ') .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

-- The forms of a row, as calls.
local function calls(row, names)
  local all = {}
  if row['function'] ~= '-' then
    for form in (row['function'] .. ' | '):gmatch('(.-) | ') do
      all[#all + 1] = ('tensor.%s(%s)'):format(row.lua, arguments(parse(form, names), 1))
    end
  end
  local methods = row.method == '=' and row['function'] or row.method
  if methods ~= '-' then
    for form in (methods .. ' | '):gmatch('(.-) | ') do
      local slots = parse(form, names)
      local object = 1
      while slots[object].optional or slots[object].fresh do object = object + 1 end
      if slots[object].kind == '{' then object = 1 end
      all[#all + 1] = ('%s:%s(%s)'):format(slots[object].name, row.lua,
                                           arguments(slots, object + 1))
    end
  end
  return all
end

local introduction = [[
# Reference

<!-- Made by scripts/make-reference.lua from lib/TH/THOps.def; not written by hand. -->

One entry for each function and method of the op table. What else tensors and storages can do
(construction, sizes, conversion) is in [tensors.md](tensors.md); what the functions have in common
is in [operations.md](operations.md).

How to read an entry:

- `[x,]` may be left out, `x = 1` has this value when left out, `sizes...` are numbers, one table of
  numbers, or a LongStorage.
- A function's `result` may be left out: then a new tensor is made. It is returned in both cases.
- `result:add([t,] value)` puts the result into the object. Without `t` the object is the operand,
  too: `t:add(1)` changes `t`.
- Where the method has the form `t:sum(dimension)`, the result is a new tensor;
  `result:sum(t, dimension)` puts it into the object.
- Dimensions and indices count from 1, or from the end where negative: -1 is the last.
- `mask` is a ByteTensor, `index` a LongTensor, and so are the `indices` that come back.
- The C name stands for one function per element type: `add` is `THFloatTensor_add`,
  `THIntTensor_add` and so on. Rows with the same Lua name are tried in the order given.
]]

local function reference()
  local families = read_families()
  local rows_of, order = {}, {}
  for _, row in ipairs(tensor._optable()) do
    if row.lua ~= '' then
      if not rows_of[row.lua] then
        rows_of[row.lua] = {}
        order[#order + 1] = row.lua
      end
      table.insert(rows_of[row.lua], row)
    end
  end

  local out = { introduction }
  local sorted = {}
  for k, name in ipairs(order) do sorted[k] = name end
  table.sort(sorted, function(a, b)
    local x, y = a:lower(), b:lower()
    return x < y or (x == y and a < b)
  end)
  local links = {}
  for k, name in ipairs(sorted) do
    links[k] = ('[%s](#%s)'):format(name, name:lower())
  end
  out[#out + 1] = wrapped(table.concat(links, ', '), '')

  for _, family in ipairs(families) do
    local heading = family.heading:gsub('^%l', string.upper)
    local entries = {}
    for _, name in ipairs(order) do
      if family.rows[rows_of[name][1].name] then
        entries[#entries + 1] = '### ' .. name .. '\n'
        for _, row in ipairs(rows_of[name]) do
          for _, call in ipairs(calls(row, parameters_of(row))) do
            entries[#entries + 1] = ('- `%s`'):format(call)
          end
          local facts = ('%s (%s; C: `%s`)'):format(row.doc, row.typenames, row.name)
          entries[#entries + 1] = '\n' .. wrapped(facts, '  ') .. '\n'
        end
      end
    end
    if #entries > 0 then
      out[#out + 1] = '\n## ' .. heading .. '\n'
      out[#out + 1] = table.concat(entries, '\n')
    end
  end
  return (table.concat(out, '\n'):gsub('\n\n\n+', '\n\n'):gsub('\n+$', '')) .. '\n'
end

local text = reference()
local output = ...
if output then
  local file = assert(io.open(output, 'w'))
  file:write(text)
  file:close()
end
return text
