-- Formats the columns of a CSV file: vectors, and tables of strings or other values.

local files = require 'tensor.files'
local native = require 'tensor.native'
local by_name = require 'tensor.types'.by_name
local versions = require 'tensor.versions'
local ffi = versions.ffi

local MOST_ROWS, MOST_FIELDS = 2 ^ 12, 2 ^ 16  -- of a block, which is formatted at once
local NEWLINE, POINT, ZERO, NINE = 10, 46, 48, 57  -- bytes

-- Returns a function(row) that formats an element of a table.
local function value_text(tensor, values, separator)
   local number = tensor.DoubleStorage(1)
   return function(row)
      local value = values[row]
      if type(value) == 'number' and not versions.is_integer(value) then
         number[1] = value
         value = native.csv.number(number, 1)
      end
      return native.csv.field(tostring(value), separator)
   end
end

-- Returns a function(row) that formats an element of a vector.
local function number_text(column)
   return function(row)
      local text = native.csv.number(column.storage, column.first + row - 1)
      -- Add ".0" to integral values, so that the column is read back as floating point.
      return column.isreal and not text:find '[^%d-]' and text .. '.0' or text
   end
end

-- Copies a number, which ends before a newline, from from[at] to to[o]. Adds ".0" as number_text
-- does. Returns the next positions.
local function copy_number(to, o, from, at, isreal)
   local is_whole, c = isreal, from[at]
   while c ~= NEWLINE do
      is_whole = is_whole and c <= NINE and c ~= POINT
      to[o] = c
      o, at, c = o + 1, at + 1, from[at + 1]
   end
   if is_whole then
      to[o], to[o + 1] = POINT, ZERO
      o = o + 2
   end
   return o, at + 1
end

-- Each of the following functions returns a function(done, count), which returns the text of
-- `count` rows after the row `done`.

-- For vectors of one element type. Returns nil instead of a text if ".0" must be added to a number.
local function as_matrix(_, columns, separator)
   return function(done, count)
      local block = columns[1].values.new(count, #columns)
      for k, column in ipairs(columns) do
         block:select(2, k):copy(column.values:narrow(1, done + 1, count))
      end
      if columns[1].isreal and block:eq(block:clone():floor()):max() == 1 then
         return nil
      end
      local storage, first = files.elements(block)
      return native.csv.rows(storage, first, count * #columns, #columns, separator):string()
   end
end

-- Joins bytes by the FFI, without a Lua string per number.
local function by_pointers(tensor, columns, separator)
   local copy, last, between = ffi.copy, #columns, separator:byte()
   -- texts keeps the memory that the pointers in sources refer to.
   local texts, sources, at = {}, {}, {}

   -- Formats the fields of a block. Returns an upper bound of the size of its text.
   local function format_fields(done, count)
      local size = 0
      for k, column in ipairs(columns) do
         if column.field then
            local list = {}
            for row = 1, count do
               list[row] = column.field(done + row)
               size = size + #list[row] + 1
            end
            sources[k], at[k] = list, false
         else
            texts[k] = native.csv.rows(column.storage, column.first + done, count, 1, separator)
            sources[k], at[k] = texts[k]:data(), 0
            size = size + texts[k]:size() + 2 * count
         end
      end
      return size
   end

   return function(done, count)
      local bytes = tensor.CharStorage(format_fields(done, count))
      local to, o = bytes:data(), 0
      for row = 1, count do
         for k = 1, last do
            local source = sources[k]
            if at[k] then
               o, at[k] = copy_number(to, o, source, at[k], columns[k].isreal)
            else
               copy(to + o, source[row], #source[row])
               o = o + #source[row]
            end
            to[o] = k == last and NEWLINE or between
            o = o + 1
         end
      end
      return bytes:resize(o):string()
   end
end

local function by_strings(_, columns, separator)
   local texts = {}
   for k, column in ipairs(columns) do
      texts[k] = column.field or number_text(column)
   end
   return function(done, count)
      local lines, fields = {}, {}
      for row = 1, count do
         for k, text in ipairs(texts) do
            fields[k] = text(done + row)
         end
         lines[row] = table.concat(fields, separator) .. '\n'
      end
      return table.concat(lines)
   end
end

--- Calls write(text, rows) for each block of rows of a list of vectors and tables.
return function(tensor, list, rows, separator, write)
   local columns, same = {}, files.element(tensor, list[1])
   for k, values in ipairs(list) do
      local element = files.element(tensor, values)
      local column = {values = values, isreal = element and not by_name[element].integral}
      if element then
         column.storage, column.first = files.elements(values)
      else
         column.field = value_text(tensor, values, separator)
      end
      columns[k] = column
      same = element == same and same
   end
   local matrix = same and as_matrix(tensor, columns, separator)
   local any = (ffi and by_pointers or by_strings)(tensor, columns, separator)
   local step = math.min(MOST_ROWS, math.max(1, math.floor(MOST_FIELDS / #columns)))
   for done = 0, rows - 1, step do
      local count = math.min(step, rows - done)
      write(matrix and matrix(done, count) or any(done, count), count)
   end
end
