-- Nested tables among the arguments and results of compiled functions. The core compares and
-- replays lists of values, so tables are replaced by their fields, and by one text that describes
-- them.

local raise = require 'tensor.raise'
local versions = require 'tensor.versions'
local each, unpack = versions.each, versions.unpack

local MOST = 10000  -- values that one compiled function remembers about forms
local DEEPEST = 50  -- tables inside of each other

-- Steps of a form besides keys: the beginning and the end of a table; a value; a key that is an
-- object; the number of a table that occurred before, or that the function can read.
local OPEN, CLOSE, VALUE, KEY, AGAIN, CAPTURED = {}, {}, {}, {}, {}, {}
local FORM = {}  -- the field of a node with the text of the form
local MARK = '\0nested '

local function is_nested(value)
   return type(value) == 'table' and getmetatable(value) == nil
end

-- Returns true if accepts is true for a value, or for a value in it if it is a nested table.
local function has_any(value, accepts)
   if not is_nested(value) then
      return accepts(value)
   end
   for _, field in each(value) do
      if has_any(field, accepts) then
         return true
      end
   end
   return false
end

local MOST_LEVELS = 1000

-- Raises an error if a nested table contains itself or has more than MOST_LEVELS levels. name: that
-- of the function that was called. found: true for tables that contain `value`, false for others
-- that were checked.
local function check(name, value, found, level)
   if not is_nested(value) then
      return
   end
   found, level = found or {}, level or 1
   if found[value] then
      raise(name .. ': a table of tensors contains itself')
   elseif level > MOST_LEVELS then
      raise(('%s: a table of tensors has more than %d levels'):format(name, MOST_LEVELS))
   elseif found[value] == false then
      return
   end
   found[value] = true
   for _, field in each(value) do
      check(name, field, found, level + 1)
   end
   found[value] = false
end

local function is_object(key)
   local kind = type(key)
   return kind ~= 'string' and kind ~= 'number' and kind ~= 'boolean'
end

local Forms = {}
Forms.__index = Forms

-- captured: the numbers of tables that the function can read besides its arguments.
local function new()
   return setmetatable({ root = {}, count = 0, templates = {}, last_captured = 0,
                         captured = setmetatable({}, { __mode = 'k' }) }, Forms)
end

--- Gives numbers to the tables that are the keys of a table. Returns true if one of them is new.
-- A function can compare them with tables among its arguments, so forms have these numbers.
function Forms:capture(tables)
   local captured, before = self.captured, self.last_captured
   for t in each(tables) do
      if not captured[t] then
         self.last_captured = self.last_captured + 1
         captured[t] = self.last_captured
      end
   end
   return self.last_captured > before
end

-- A form is a path through a tree, so that looking it up makes no text. Null if there are too many.
function Forms:follow(node, step)
   local found = node[step]
   if not found and self.count < MOST then
      self.count = self.count + 1
      found = {}
      node[step] = found
   end
   return found
end

-- Appends the values in `value` to the list, and the tables to list.tables. numbers: the positions
-- of tables in list.tables. Returns the node of the form.
function Forms:walk(node, value, list, numbers, depth)
   if not is_nested(value) then
      list.n = list.n + 1
      list[list.n] = value
      return self:follow(node, VALUE)
   elseif numbers[value] then
      node = self:follow(node, AGAIN)
      return node and self:follow(node, numbers[value])
   elseif depth > DEEPEST then
      return nil
   end
   local tables, captured = list.tables, self.captured[value]
   local number = #tables + 1
   tables[number], numbers[value] = value, number
   if captured then
      node = self:follow(node, CAPTURED)
      node = node and self:follow(node, captured)
   end
   node = node and self:follow(node, OPEN)
   for key, field in each(value) do
      if type(key) == 'string' or not is_object(key) then
         node = node and self:follow(node, key)
      else
         node = node and self:follow(node, KEY)
         node = node and self:walk(node, key, list, numbers, depth + 1)
      end
      node = node and self:walk(node, field, list, numbers, depth + 1)
   end
   return node and self:follow(node, CLOSE)
end

local function shown(values, n)
   local texts, numbers, last = {}, {}, 0
   local function show(value)
      if not is_nested(value) then
         return '.'
      elseif numbers[value] then
         return ('table %d'):format(numbers[value])
      end
      last = last + 1
      numbers[value] = last
      local fields = {}
      for key, field in each(value) do
         local name = not is_object(key) and tostring(key) or ('[%s]'):format(show(key))
         fields[#fields + 1] = is_nested(field) and ('%s = %s'):format(name, show(field)) or name
      end
      return ('{%s}'):format(table.concat(fields, ', '))
   end
   for k = 1, n do
      texts[k] = show(values[k])
   end
   return table.concat(texts, ', ')
end

--- Returns the list of the values in a list with nested tables. Its field `form` is a text that
-- differs for different forms; nil: there are too many of them. tables: tables that have numbers;
-- default: none.
function Forms:flatten(values, tables)
   local list, node = { n = 0, tables = {} }, self.root
   -- This table is reused. Finalizers can call the function in the middle, and get another one.
   local numbers = self.numbers or {}
   self.numbers = nil
   for k = 1, tables and #tables or 0 do
      list.tables[k], numbers[tables[k]] = tables[k], k
   end
   for k = 1, values.n do
      node = node and self:walk(node, values[k], list, numbers, 0)
   end
   for k = 1, #list.tables do
      numbers[list.tables[k]] = nil
   end
   self.numbers = numbers
   if node then
      if not node[FORM] then
         self.last = (self.last or 0) + 1
         node[FORM] = ('%s%d: %s'):format(MARK, self.last, shown(values, values.n))
      end
      list.form = node[FORM]
   end
   return list
end

-- The template of a value: VALUE, the number of a table, or a list of keys and templates in the
-- order of the values. A key that is an object is a table with its template. numbers: those of
-- tables; numbers.n: the last one.
local function template_of(value, numbers)
   if not is_nested(value) then
      return VALUE
   elseif numbers[value] then
      return numbers[value]
   end
   local template = {}
   numbers.n = numbers.n + 1
   numbers[value] = numbers.n
   for key, field in each(value) do
      template[#template + 1] = is_object(key) and { template_of(key, numbers) } or key
      template[#template + 1] = template_of(field, numbers)
   end
   return template
end

--- Returns the results of a function as a list of values and, last, the text of their form. If
-- there is no table among them, returns them as they are. tables: nil, or those among the
-- arguments.
function Forms:pack_results(tables, ...)
   local results, any = versions.pack(...), false
   for k = 1, results.n do
      any = any or is_nested(results[k])
   end
   if not any then
      return ...
   end
   local list = self:flatten(results, tables)
   if not list.form then
      return ...
   end
   if not self.templates[list.form] then
      local template, numbers = { n = results.n }, { n = 0 }
      for k, t in ipairs(tables or {}) do
         numbers[t], numbers.n = k, k
      end
      for k = 1, results.n do
         template[k] = template_of(results[k], numbers)
      end
      self.templates[list.form] = template
   end
   list[list.n + 1] = list.form
   return unpack(list, 1, list.n + 1)
end

--- Returns the results whose values, and the text of whose form, pack_results returned. tables:
-- nil, or those among the arguments; those among the results are appended.
function Forms:unpack_results(tables, ...)
   local count = select('#', ...)
   local template = count > 0 and self.templates[(select(count, ...))]
   if not template then
      return ...
   end
   local values, at = { ... }, 0
   tables = tables or {}
   local function build(form)
      if form == VALUE then
         at = at + 1
         return values[at]
      elseif type(form) == 'number' then
         return tables[form]
      end
      local result = {}
      tables[#tables + 1] = result
      for k = 1, #form, 2 do
         local key = form[k]
         if type(key) == 'table' then
            key = build(key[1])
         end
         result[key] = build(form[k + 1])
      end
      return result
   end
   local results = {}
   for k = 1, template.n do
      results[k] = build(template[k])
   end
   return unpack(results, 1, template.n)
end

return { new = new, Forms = Forms, is_nested = is_nested, has_any = has_any, check = check }
