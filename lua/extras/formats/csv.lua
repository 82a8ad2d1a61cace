-- Comma-separated (.csv) and tab-separated (.tsv) files.

local files = require 'tensor.files'
local named_columns = require 'tensor.named_columns'
local native = require 'tensor.native'
local element_types = require 'tensor.types'
local versions = require 'tensor.versions'
local write_blocks = require 'tensor.formats.csv_columns'
local each = versions.each
local shown = versions.shown

local STEP = 2 ^ 22  -- bytes between two progress calls

local options_of_load = {
   separator = 'string', quote = 'string', comment = 'string', decimal = 'string',
   header = 'boolean', missing = 'table', skip = 'number', rows = 'number',
   only = 'table string number',
   type = 'string', columns = 'boolean', types = 'table', progress = 'function',
   invalid = 'string', thousands = 'string',
}
local INVALID = {error = true, nan = true, text = true}
local options_of_save = {separator = 'string', names = 'table', progress = 'function',
                         sync = 'boolean'}

-- Returns a character of the style, or nil. least: 0 if the option may be empty, which means none.
-- lib/TH/io/csv_style.cc checks which characters are possible.
local function character(options, name, least)
   local value = options[name]
   if value and (#value > 1 or #value < (least or 1)) then
      error(('%s cannot be %q'):format(name, value), 0)
   end
   return value
end

local function whole(options, name)
   local value = options[name]
   if value and (value < 0 or value % 1 ~= 0 or value > files.LARGEST) then
      error(('option %s must be a number of lines, got %s'):format(name, shown(value)), 0)
   end
   return value
end

local function fail_same_name(first, second, name)
   error(("columns %d and %d are both named '%s': select columns by position with the option only, "
          .. 'or skip the names with header = false and skip = 1'):format(first, second, name), 0)
end

-- Returns the 1-based position of a column given by name or position.
local function position(column, count, names)
   if type(column) == 'number' then
      if column >= 1 and column <= count and column % 1 == 0 then
         return column
      end
   else
      local found
      for k, name in ipairs(names or {}) do
         if name == column then
            if found then
               fail_same_name(found, k, name)
            end
            found = k
         end
      end
      if found then
         return found
      end
   end
   local known = names and ': ' .. named_columns.shown(names) or ' without names'
   error(('unknown column %s; the file has %d column%s%s'):format(
      shown(column), count, count == 1 and '' or 's', known), 0)
end

-- Returns the positions of the selected columns, in the order of the option `only`.
local function chosen(options, count, names)
   local list, only = {}, options.only
   local wanted = type(only) == 'table' and only or {only}
   for k = 1, files.length('option only', wanted) do
      list[k] = position(wanted[k], count, names)
   end
   if not only then
      for k = 1, count do
         list[k] = k
      end
   end
   return list
end

local element_names = {}
for k, element in ipairs(element_types) do
   element_names[k] = element.name
end

-- others: what else is accepted, for the message.
local function element_of(name, others)
   local element = files.element_named(name)
   if not element then
      error(('unknown element type %s; expected %s%s'):format(
         tostring(name), table.concat(element_names, ', '), others or ''), 0)
   end
   return element
end

local function letter(element)
   return element_types.by_name[element].integral and 'l' or 'd'
end

-- Returns a column of text as a table, and one of numbers or dates as a tensor of the element type.
-- Without a type it is Long or Double.
local function values_of(tensor, reader, column, element, sizes, is_date)
   local read = is_date and native.csv.dates or native.csv.column
   local rows, storage = read(reader, column, element)
   if type(storage) == 'table' then
      return storage
   end
   element = tensor.typename(storage):match '^torch%.(%w+)Storage$'
   return files.tensor(tensor, element, storage, 1, sizes(rows))
end

-- Reads all columns into one tensor.
local function read_together(tensor, reader, count, names, options, go)
   local default = element_types.by_class[tensor.getdefaulttensortype()]
   local element = options.type and element_of(options.type) or
                   not default.integral and default.name or 'Double'
   local columns = chosen(options, count, names)
   local kinds, wanted_names = {}, names and {}
   for k = 1, count do
      kinds[k] = '-'
   end
   for k, column in ipairs(columns) do
      kinds[column] = letter(element)
      if names then
         wanted_names[k] = names[column]
      end
   end
   native.csv.begin(reader, table.concat(kinds), true, options.rows)
   go()
   -- The columns that are read, in the order of the file, and then in that of the option `only`.
   local place, read = {}, 0
   for column = 1, count do
      if kinds[column] ~= '-' then
         read = read + 1
         place[column] = read
      end
   end
   local t = values_of(tensor, reader, 1, element, function(rows) return {rows, read} end)
   local order, sorted = {}, read == #columns
   for k, column in ipairs(columns) do
      order[k] = place[column]
      sorted = sorted and order[k] == k
   end
   return sorted and t or t:index(2, tensor.LongTensor(order)), wanted_names
end

-- Raises an error if two of these columns have one name. Empty names may be repeated.
local function check_names(columns, names)
   local first = {}
   for _, column in ipairs(columns) do
      local name = names and names[column] or ''
      if name ~= '' and first[name] and first[name] ~= column then
         fail_same_name(first[name], column, name)
      end
      first[name] = column
   end
end

-- Reads each column with its own element type. The result has each column by position and by name.
local function read_columns(tensor, reader, count, names, options, go)
   local types, kinds = {}, {}
   for column, name in each(options.types or {}) do
      local other = name == 'text' or name == 'date'
      types[position(column, count, names)] = other and name
                                                or element_of(name, ', text or date')
   end
   local columns, wanted = chosen(options, count, names), {}
   check_names(columns, names)
   for _, column in ipairs(columns) do
      wanted[column] = true
   end
   for k = 1, count do
      kinds[k] = not wanted[k] and '-' or (types[k] == 'text' or types[k] == 'date') and 't' or
                 types[k] and letter(types[k]) or 'a'
   end
   native.csv.begin(reader, table.concat(kinds), false, options.rows)
   go()
   local result, wanted_names = {}, names and {}
   local read = {}  -- the reader returns each column once
   for k, column in ipairs(columns) do
      local other = types[column] == 'text' or types[column] == 'date'
      local values = read[column] or
                     values_of(tensor, reader, column, not other and types[column] or nil,
                               function(rows) return {rows} end, types[column] == 'date')
      read[column], result[k] = values, values
      if names then
         wanted_names[k] = names[column]
         result[names[column]] = values
      end
   end
   return result, wanted_names
end

local function load(tensor, filename, options)
   files.check(options, options_of_load)
   if options.invalid and not INVALID[options.invalid] then
      error(("option invalid must be 'error', 'nan' or 'text', got %s"):format(options.invalid), 0)
   end
   if options.columns and options.type then
      error('the option type has no effect with columns: types has those of single columns', 0)
   elseif not options.columns and options.types then
      error('the option types requires columns = true', 0)
   elseif not options.columns and options.invalid == 'text' then
      error("the option invalid = 'text' requires columns = true", 0)
   end
   whole(options, 'rows')
   local missing = {}
   for k = 1, options.missing and files.count(options.missing) or 0 do
      local text = options.missing[k]
      if type(text) ~= 'string' and type(text) ~= 'number' then
         error(('option missing: text is expected at position %d, got %s'):format(
            k, native.type_name(text)), 0)
      end
      missing[k] = shown(text) .. '\n'
   end
   local reader = native.csv.reader(
      filename, character(options, 'separator'), character(options, 'quote', 0),
      character(options, 'comment', 0), character(options, 'decimal'),
      options.missing and table.concat(missing),
      whole(options, 'skip'), options.invalid, character(options, 'thousands'))
   local header = options.header
   header = header and 'yes' or header == false and 'no' or 'auto'
   local count, names = native.csv.head(reader, header)
   local function go()
      local done, report = 0, files.progress(options, native.csv.size(reader))
      local finished, at
      repeat
         finished, at = native.csv.run(reader, STEP)
         report(at - done)
         done = at
      until finished
   end
   local read = options.columns and read_columns or read_together
   return read(tensor, reader, count, names, options, go)
end

-- ---- writing ------------------------------------------------------------------------------------

local function write_names(file, names, separator)
   local texts = {}
   for k, name in ipairs(names) do
      texts[k] = native.csv.field(tostring(name), separator)
   end
   file:writeString(table.concat(texts, separator) .. '\n')
end

local function write_together(_, file, t, separator, options)
   if t:dim() < 1 or t:dim() > 2 then
      error(('a tensor of 1 or 2 dimensions is expected, got %d'):format(t:dim()), 0)
   end
   local rows, columns = t:size(1), t:dim() == 2 and t:size(2) or 1
   if columns == 0 then
      error('a table has at least one column', 0)
   end
   if options.names then
      if #options.names ~= columns then
         error(('%d names for %d columns'):format(#options.names, columns), 0)
      end
      write_names(file, options.names, separator)
   end
   local storage, first = files.elements(t)
   local done = files.progress(options, t:nElement() * storage:elementSize())
   local step = math.max(1, math.floor(2 ^ 16 / columns))
   for row = 0, rows - 1, step do
      local count = math.min(step, rows - row) * columns
      local text = native.csv.rows(storage, first + row * columns, count, columns, separator)
      file:writeChar(text)
      done(count * storage:elementSize())
   end
end

local function columns_of(tensor, object, options)
   local columns, names = named_columns.of(object, options.names)
   -- In a file, several columns may have empty names, but a table has one value with this key.
   for k, name in ipairs(not options.names and object[''] == nil and names or {}) do
      if name == '' then
         error(('column %d has no name, but others have: assign it by name, too, or pass the list '
                .. 'of names'):format(k), 0)
      end
   end
   for k, values in ipairs(columns) do
      local isvector = files.element(tensor, values) and values:dim() == 1
      if not isvector and type(values) ~= 'table' then
         error(('a vector or a table of strings is expected for column %s, got %s')
               :format(tostring(names and names[k] or k), tensor.type(values)), 0)
      end
   end
   return columns, names
end

local written = {string = true, number = true, boolean = true}

-- Returns the number of values of a column, and checks them.
local function count_values(values, name)
   local count = files.count(values)
   for row = 1, count do
      if not written[type(values[row])] then
         error(('column %s, row %d: a string, a number or a boolean is expected, got %s')
               :format(tostring(name), row, native.type_name(values[row])), 0)
      end
   end
   return count
end

local function write_columns(tensor, file, object, separator, options)
   local columns, names = columns_of(tensor, object, options)
   local rows
   for k, values in ipairs(columns) do
      local count = type(values) == 'table' and count_values(values, names and names[k] or k)
                    or values:size(1)
      if count ~= (rows or count) then
         error(('column %d has %d rows, and column 1 has %d'):format(k, count, rows), 0)
      end
      rows = count
   end
   if not rows then
      error('a table has at least one column', 0)
   end
   if names then
      write_names(file, names, separator)
   end
   local done = files.progress(options, rows)
   write_blocks(tensor, columns, rows, separator, function(text, count)
      file:writeString(text)
      done(count)
   end)
end

local function save(tensor, filename, object, options)
   files.check(options, options_of_save)
   local separator = native.csv.separator(filename, character(options, 'separator'))
   local istensor = files.element(tensor, object)
   if not istensor and type(object) ~= 'table' then
      error('a tensor or a table of columns is expected, got ' .. tensor.type(object), 0)
   end
   files.write_file(tensor, filename, function(file)
      local write = istensor and write_together or write_columns
      write(tensor, file, object, separator, options)
   end, options.sync)
end

return {load = load, save = save, options_of_load = options_of_load,
        options_of_save = options_of_save}
