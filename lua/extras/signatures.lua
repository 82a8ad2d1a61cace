-- Call signatures of operations as text, from the forms of the op table. Used by tensor.help and
-- the reference documentation.

local signatures = {}

-- Parses a form (see THOps.def) into slots, with the names of their parameters. A form may omit
-- parameters.
local function parse(form, row)
   local parameters = row.parameters
   local slots, position, results, operands = {}, 0, 0, 0
   for word in form:gmatch('%S+') do
      local slot = { optional = word:find '^%[' ~= nil, fresh = word:find '^[+<]' ~= nil,
                            result = word:find '^%[?[*+]' ~= nil }
      word = word:gsub('%b()', '')  -- remove the option's letters
      -- Slots with '+' (new tensor) or '<' (fixed value) are not arguments.
      slot.kind, slot.default = word:match('^[%[<]?[*+]?([%a{])[TL}]*=?([^%]>]*)[%]>]?$')
      local is_tensor = slot.kind:find '[TLIBCMWAFD{]' ~= nil
      repeat
         position = position + 1
         assert(parameters[position], form)
      until parameters[position].tensor == is_tensor
      slot.name = parameters[position].name
      slots[#slots + 1] = slot
      slot.hidden = word:find '^<' ~= nil
      results = results + (slot.result and not slot.hidden and 1 or 0)
      operands = operands + (not slot.result and slot.kind == 'T' and 1 or 0)
   end
   for _, slot in ipairs(slots) do
      if slot.result and results > 1 then
         local plain = { rt_ = 'values', ri_ = 'indices' }
         slot.name = plain[slot.name] or slot.name:gsub('_$', '')
      elseif slot.result and (slot.optional or slot.fresh) then
         slot.name = 'result'
      elseif slot.result then
         -- 't' if the tensor is modified in place, 'result' if it is only written.
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
   -- The default of cross means: no dimension. Do not show it.
   if slot.default == '-0x1p62' then return name end
   if slot.default == 'null' then return name end  -- nil
   if slot.kind == 's' or slot.kind == 'p' then name = name .. '...' end
   if (slot.kind == 't' or slot.kind == 'o') and slot.default ~= '' then
      return ("%s = '%s'"):format(name, slot.default)
   end
   return slot.default ~= '' and name .. ' = ' .. slot.default or name
end

-- Formats the arguments from slot `first` on, with brackets around optional ones.
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

--- Wraps text into lines of at most `width` columns, by default 100.
function signatures.wrapped(text, indent, width)
   local lines, line = {}, indent
   for word in text:gmatch('%S+') do
      if #line + #word > (width or 100) - 1 and line ~= indent then
         lines[#lines + 1] = line
         line = indent
      end
      line = line .. (line == indent and '' or ' ') .. word
   end
   lines[#lines + 1] = line
   return table.concat(lines, '\n')
end

-- Forms to show instead of those of the op table, which other rows hide in part. Three arguments of
-- clamp are two bounds, and t:median() is a number; both differ after require 'torch'.
local FORMS = {clampMin = '+T T d', median = '[*T] [*L] T i [b=true]'}
FORMS.mode, FORMS.nanmedian, FORMS.kthvalue = FORMS.median, FORMS.median, '[*T] [*L] T l i [b=true]'

-- Returns true if the last argument of a row's function may be the class of the result: no argument
-- is a tensor.
local function takes_class(row)
   return row['function']:find '^%[%*T%] [^TLIBCMWAFD{]*$' ~= nil
end

--- Returns the help text of a row.
function signatures.text(row)
   local class = takes_class(row) and " The last argument may name the class: 'torch.FloatTensor'."
                 or ''
   return row.doc .. class
end

--- Returns the call signatures of a row: functions first, then methods.
function signatures.calls(row)
   local all = {}
   local functions = FORMS[row.name] or row['function']
   if functions ~= '-' then
      for form in (functions .. ' | '):gmatch('(.-) | ') do
         all[#all + 1] = ('tensor.%s(%s)'):format(row.lua, arguments(parse(form, row), 1))
      end
   end
   local methods = (row.method == '=' or FORMS[row.name]) and functions or row.method
   if methods ~= '-' then
      for form in (methods .. ' | '):gmatch('(.-) | ') do
         local slots = parse(form, row)
         local object = 1
         while slots[object].optional or slots[object].fresh do object = object + 1 end
         if slots[object].kind == '{' then object = 1 end
         all[#all + 1] = ('%s:%s(%s)'):format(slots[object].name, row.lua,
                                                                arguments(slots, object + 1))
      end
   end
   return all
end

--- grouped(rows): returns the rows with the same call signatures together, in the order of their
-- first ones: a list of {calls = {...}, rows = {...}}.
function signatures.grouped(rows)
   local groups, group_of = {}, {}
   for _, row in ipairs(rows) do
      local calls = signatures.calls(row)
      local key = table.concat(calls, '\n')
      if not group_of[key] then
         group_of[key] = {calls = calls, rows = {}}
         groups[#groups + 1] = group_of[key]
      end
      table.insert(group_of[key].rows, row)
   end
   return groups
end

return signatures
