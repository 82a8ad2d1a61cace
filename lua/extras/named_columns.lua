-- The columns of a table in order, with their names. A table has its columns by name, by position,
-- or each by both, as `load` returns them.

local files = require 'tensor.files'
local versions = require 'tensor.versions'
local each = versions.each

local named_columns = {}

-- Returns the names of columns in a table, sorted.
local function names_of(object)
   return versions.sorted_keys(object, {string = true})
end

--- Returns the first 20 names as a list for a message, of at most 300 bytes.
function named_columns.shown(names)
   local list = table.concat(names, ', ', 1, math.min(#names, 20))
   list = #names > 20 and list .. ', ...' or list
   -- A character is not cut in its middle.
   return #list <= 300 and list or
          list:sub(1, 300):gsub('[\194-\244][\128-\191]*$', '') .. '...'
end

-- Returns the columns with these names, or the columns by position under these names.
local function of_names(object, count, names)
   local columns, unknown = {}, nil
   for k, name in ipairs(names) do
      columns[k] = type(name) == 'string' and name ~= '' and object[name] or nil
      unknown = unknown or not columns[k] and {name} or nil
   end
   if not unknown then
      return columns, names
   elseif #names ~= count then
      local known = names_of(object)
      local is_selection = count == 0 or #known > 0
      local list = named_columns.shown(known)
      error(is_selection and ('unknown column %s%s'):format(
               tostring(unknown[1]), list ~= '' and '; the columns are ' .. list or '') or
            ('%d names for %d columns'):format(#names, count), 0)
   end
   for k, name in ipairs(names) do
      if columns[k] and not rawequal(columns[k], object[k]) then
         error(('column %s is not at position %d'):format(name, k), 0)
      end
      columns[k] = object[k]
   end
   return columns, names
end

-- Raises an error unless all keys are strings or positions from 1 to count, or if a value is NaN.
local function check(object, count)
   for key, values in each(object) do
      if type(key) ~= 'string' and type(key) ~= 'number' then
         error(('the name of a column is a string, got %s'):format(type(key)), 0)
      elseif type(key) == 'number' and (key < 1 or key > count or key % 1 ~= 0) then
         error(('column %s: positions are whole numbers from 1'):format(tostring(key)), 0)
      elseif values ~= values then
         error(('column %s is not a number'):format(tostring(key)), 0)
      end
   end
end

-- Returns the name of each column that has one, by column.
local function names_by_column(object)
   local names = {}
   for key, values in each(object) do
      if type(key) == 'string' then
         if names[values] then
            error(('one column has the names %s and %s'):format(names[values], key), 0)
         end
         names[values] = key
      end
   end
   return names
end

-- Raises an error if a column by name has no position: the list would lack it.
local function check_all_positional(object)
   local positional = {}
   for _, values in ipairs(object) do
      positional[values] = true
   end
   for key, values in each(object) do
      if not positional[values] then
         error(('column %s has no position: assign it by position, too, or pass the list of names')
               :format(tostring(key)), 0)
      end
   end
end

-- Returns the columns by position.
local function of_positions(object)
   local name_of = names_by_column(object)
   local columns, names = {}, {}
   check_all_positional(object)
   for k, values in ipairs(object) do
      columns[k], names[k] = values, name_of[values] or ''
   end
   return columns, next(name_of) ~= nil and names or nil
end

--- of(object [, names]): returns the list of the columns and the list of their names, or nil if
-- they have none. Names of columns in the table select these. Otherwise the names are those of the
-- columns by position. Without names, columns without positions are sorted by name.
function named_columns.of(object, names)
   local count = files.count(object)
   check(object, count)
   if names then
      return of_names(object, count, names)
   elseif count > 0 then
      return of_positions(object)
   end
   local columns, sorted = {}, names_of(object)
   for k, name in ipairs(sorted) do
      columns[k] = object[name]
   end
   return columns, sorted
end

return named_columns
