-- Nested tables among the arguments and results of compiled functions. The core compares and
-- replays lists of values, so tables are replaced by their fields, and by one text that describes
-- them.

local raise = require 'tensor.raise'
local versions = require 'tensor.versions'
local each, unpack = versions.each, versions.unpack

local MOST = 10000  -- values that one compiled function remembers about forms
local DEEPEST = 50  -- tables inside of each other

-- Steps of a form besides keys: the beginning and the end of a table, a value, an argument.
local OPEN, CLOSE, VALUE, ARGUMENT = {}, {}, {}, {}
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

local Forms = {}
Forms.__index = Forms

local function new()
   return setmetatable({ root = {}, count = 0, templates = {} }, Forms)
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

-- Appends the values in `value` to the list, and the tables to list.tables. arguments: the numbers
-- of tables that are arguments. Returns the node of the form.
function Forms:walk(node, value, list, arguments, depth)
   if not is_nested(value) then
      list.n = list.n + 1
      list[list.n] = value
      return self:follow(node, VALUE)
   elseif arguments and arguments[value] then
      node = self:follow(node, ARGUMENT)
      return node and self:follow(node, arguments[value])
   elseif depth > DEEPEST then
      return nil
   end
   list.tables[#list.tables + 1] = value
   node = self:follow(node, OPEN)
   for key, field in each(value) do
      node = node and self:follow(node, key)
      node = node and self:walk(node, field, list, arguments, depth + 1)
   end
   return node and self:follow(node, CLOSE)
end

local function shown(values, n)
   local texts = {}
   local function show(value)
      if not is_nested(value) then
         return '.'
      end
      local fields = {}
      for key, field in each(value) do
         fields[#fields + 1] = is_nested(field) and ('%s = %s'):format(tostring(key), show(field))
            or tostring(key)
      end
      return ('{%s}'):format(table.concat(fields, ', '))
   end
   for k = 1, n do
      texts[k] = show(values[k])
   end
   return table.concat(texts, ', ')
end

--- Returns the list of the values in a list with nested tables. Its field `form` is a text that
-- differs for different forms; nil: there are too many of them.
function Forms:flatten(values, arguments)
   local list, node = { n = 0, tables = {} }, self.root
   for k = 1, values.n do
      node = node and self:walk(node, values[k], list, arguments, 0)
   end
   if node then
      if not node[FORM] then
         self.last = (self.last or 0) + 1
         node[FORM] = ('%s%d: %s'):format(MARK, self.last, shown(values, values.n))
      end
      list.form = node[FORM]
   end
   return list
end

-- The template of a value: VALUE, the number of an argument, or a list of keys and templates in the
-- order of the values.
local function template_of(value, arguments)
   if not is_nested(value) then
      return VALUE
   elseif arguments[value] then
      return arguments[value]
   end
   local template = {}
   for key, field in each(value) do
      template[#template + 1] = key
      template[#template + 1] = template_of(field, arguments)
   end
   return template
end

--- Returns the results of a function as a list of values and, last, the text of their form. If
-- there is no table among them, returns them as they are.
function Forms:pack_results(tables, ...)
   local results, any = versions.pack(...), false
   for k = 1, results.n do
      any = any or is_nested(results[k])
   end
   if not any then
      return ...
   end
   local arguments = {}
   for k, t in ipairs(tables) do
      arguments[t] = k
   end
   local list = self:flatten(results, arguments)
   if not list.form then
      return ...
   end
   if not self.templates[list.form] then
      local template = { n = results.n }
      for k = 1, results.n do
         template[k] = template_of(results[k], arguments)
      end
      self.templates[list.form] = template
   end
   list[list.n + 1] = list.form
   return unpack(list, 1, list.n + 1)
end

--- Returns the results whose values, and the text of whose form, pack_results returned. tables: the
-- tables among the arguments.
function Forms:unpack_results(tables, ...)
   local count = select('#', ...)
   local template = count > 0 and self.templates[(select(count, ...))]
   if not template then
      return ...
   end
   local values, at = { ... }, 0
   local function build(form)
      if form == VALUE then
         at = at + 1
         return values[at]
      elseif type(form) == 'number' then
         return tables[form]
      end
      local result = {}
      for k = 1, #form, 2 do
         result[form[k]] = build(form[k + 1])
      end
      return result
   end
   local results = {}
   for k = 1, template.n do
      results[k] = build(template[k])
   end
   return unpack(results, 1, template.n)
end

return { new = new, is_nested = is_nested, has_any = has_any, check = check }
