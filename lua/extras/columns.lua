-- Tables of columns, as `load` returns them for CSV files: factorize and describe.

local files = require 'tensor.files'
local named_columns = require 'tensor.named_columns'
local native = require 'tensor.native'
local types = require 'tensor.types'
local versions = require 'tensor.versions'

local NAN = {}  -- the key of NaN, which a table cannot have as a key

local function install(tensor)
   --- factorize(values): returns a LongTensor with a code for each value of a table, and the list
   -- of distinct values in the order of their first occurrence. values[k] is distinct[codes[k]].
   -- All NaN are one value.
   function tensor.factorize(values)
      if type(values) ~= 'table' then
         local advice = tensor.isTensor(values) and ': t:unique() returns the indices of values'
                        or ''
         error(('factorize: a table of values is expected, got %s%s')
               :format(tensor.type(values), advice), 2)
      end
      local fine, failure = pcall(files.count, values)
      if not fine then
         error('factorize: ' .. failure, 2)
      end
      local codes, distinct, code_of = {}, {}, {}
      for k, value in ipairs(values) do
         local key = value
         if value ~= value then
            key = NAN
         end
         local code = code_of[key]
         if not code then
            code = #distinct + 1
            distinct[code], code_of[key] = value, code
         end
         codes[k] = code
      end
      return #codes > 0 and tensor.LongTensor(codes) or tensor.LongTensor(0), distinct
   end

   local numeric = {'mean', 'std', 'min', 'q1', 'median', 'q3', 'max'}
   local headings = {'column', 'type', 'count', 'missing', 'mean', 'std', 'min', '25%', '50%',
                     '75%', 'max'}

   local function describe_numbers(row, t)
      local values = t:double():contiguous():view(-1)
      local known = values:maskedSelect(values:eq(values))
      row.count, row.missing = known:nElement(), values:nElement() - known:nElement()
      if row.count > 0 then
         row.mean, row.min, row.max = known:mean(), known:min(), known:max()
         row.std = row.count > 1 and known:std() or 0
         for k, name in ipairs {'q1', 'median', 'q3'} do
            row[name] = known:quantile(k / 4)
         end
      end
   end

   -- The most frequent value is the first one of those that occur most often.
   local function describe_texts(row, texts)
      local known = {}
      for _, text in ipairs(texts) do
         if not native.csv.is_missing(text) then
            known[#known + 1] = text
         end
      end
      local codes, distinct = tensor.factorize(known)
      row.count, row.missing, row.distinct = #known, #texts - #known, #distinct
      if #known > 0 then
         local counts = codes:bincount()
         row.frequency = counts:max()
         row.top = distinct[counts:argmax()]
      end
   end

   local function has_numbers_only(list)
      for _, value in ipairs(list) do
         if type(value) ~= 'number' then
            return false
         end
      end
      return #list > 0
   end

   local function describe_column(name, column)
      local row = {name = name}
      if tensor.isTensor(column) then
         row.type = types.element_name(column) or column:type()
         describe_numbers(row, column)
      elseif type(column) ~= 'table' then
         error(('column %s is a tensor or a table of strings, got %s')
               :format(tostring(name), tensor.type(column)), 0)
      else
         local fine, failure = pcall(files.count, column)
         if not fine then
            error(('column %s: %s'):format(tostring(name), failure), 0)
         end
         local is_numbers = has_numbers_only(column)
         row.type = is_numbers and 'number' or 'text'
         if is_numbers then
            describe_numbers(row, tensor.DoubleTensor(column))
         else
            describe_texts(row, column)
         end
      end
      return row
   end

   -- Formats a description as a table with aligned columns.
   local function text_of(rows)
      local width_of = versions.require 'tensor.plot.letters'.width
      local cells, widths = {headings}, {}
      for _, row in ipairs(rows) do
         local line = {tostring(row.name), row.type, ('%d'):format(row.count),
                       ('%d'):format(row.missing)}
         for _, name in ipairs(numeric) do
            line[#line + 1] = row[name] and ('%.5g'):format(row[name]) or ''
         end
         if row.distinct then
            line[5] = ('%d distinct'):format(row.distinct)
            line[6] = row.top ~= nil and ('%s: %d'):format(tostring(row.top), row.frequency) or ''
         end
         cells[#cells + 1] = line
      end
      for _, line in ipairs(cells) do
         for k, cell in ipairs(line) do
            widths[k] = math.max(widths[k] or 0, width_of(cell))
         end
      end
      local lines = {}
      for _, line in ipairs(cells) do
         local parts = {}
         for k, cell in ipairs(line) do
            local left = k <= 2
            local blanks = (' '):rep(widths[k] - width_of(cell))
            parts[k] = left and cell .. blanks or blanks .. cell
         end
         lines[#lines + 1] = (table.concat(parts, '  '):gsub('%s+$', ''))
      end
      return table.concat(lines, '\n')
   end

   local descriptions = {__tostring = text_of}

   local function rows_of(columns, names)
      local list, list_names = named_columns.of(columns, names)
      local rows = {}
      for k, column in ipairs(list) do
         local name = list_names and list_names[k] or ''
         rows[k] = describe_column(name ~= '' and name or k, column)
      end
      return setmetatable(rows, descriptions)
   end

   --- describe(columns [, names]): returns a list with a table for each column: name, type, count,
   -- missing; for numbers mean, std, min, q1, median, q3 and max; for text distinct, top and
   -- frequency. names: the list of the columns to describe. tostring formats it.
   function tensor.describe(columns, names)
      if type(columns) ~= 'table' then
         local advice = tensor.isTensor(columns) and '; tensor.summary describes tensors' or ''
         error(('describe: a table of columns is expected, got %s%s')
               :format(tensor.type(columns), advice), 2)
      elseif names ~= nil and type(names) ~= 'table' then
         error(('describe: a list of names is expected, got %s'):format(tensor.type(names)), 2)
      end
      local fine, result = pcall(rows_of, columns, names)
      if not fine then
         error('describe: ' .. tostring(result), 2)
      end
      return result
   end
end

return install
