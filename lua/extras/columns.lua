-- Tables of columns, as `load` returns them for CSV files: factorize and describe.

local files = require 'tensor.files'
local versions = require 'tensor.versions'

local each = versions.each

local function install(tensor)
   --- factorize(values): returns a LongTensor with a code for each value of a table, and the list
   -- of distinct values in the order of their first occurrence. values[k] is distinct[codes[k]].
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
         local code = code_of[value]
         if not code then
            code = #distinct + 1
            distinct[code], code_of[value] = value, code
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
      row.type = t:type():match '^torch%.(%a+)Tensor$'
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
      local codes, distinct = tensor.factorize(texts)
      row.type, row.count, row.missing, row.distinct = 'text', #texts, 0, #distinct
      if #texts > 0 then
         local counts = codes:bincount()
         row.frequency = counts:max()
         row.top = distinct[counts:argmax()]
      end
   end

   -- Formats a description as a table with aligned columns.
   local function text_of(rows)
      local cells, widths = {headings}, {}
      for _, row in ipairs(rows) do
         local line = {tostring(row.name), row.type, ('%d'):format(row.count),
                       ('%d'):format(row.missing)}
         for _, name in ipairs(numeric) do
            line[#line + 1] = row[name] and ('%.5g'):format(row[name]) or ''
         end
         if row.distinct then
            line[5] = ('%d distinct'):format(row.distinct)
            line[6] = row.top and ('%s: %d'):format(row.top, row.frequency) or ''
         end
         cells[#cells + 1] = line
      end
      for _, line in ipairs(cells) do
         for k, cell in ipairs(line) do
            widths[k] = math.max(widths[k] or 0, #cell)
         end
      end
      local lines = {}
      for _, line in ipairs(cells) do
         local parts = {}
         for k, cell in ipairs(line) do
            local left = k <= 2
            parts[k] = left and cell .. (' '):rep(widths[k] - #cell)
                       or (' '):rep(widths[k] - #cell) .. cell
         end
         lines[#lines + 1] = (table.concat(parts, '  '):gsub('%s+$', ''))
      end
      return table.concat(lines, '\n')
   end

   local descriptions = {__tostring = text_of}

   -- Returns the names of the columns in order: by position if there are positions.
   local function names_of(columns)
      local names, name_of = {}, {}
      for name, column in each(columns) do
         if type(name) == 'string' then
            name_of[column] = name
            if #columns == 0 then
               names[#names + 1] = name
            end
         end
      end
      table.sort(names)
      for k, column in ipairs(columns) do
         names[k] = name_of[column] or k
      end
      return names
   end

   --- describe(columns): returns a list with a table for each column: name, type, count, missing;
   -- for numbers mean, std, min, q1, median, q3 and max; for text distinct, top and frequency.
   -- tostring formats it.
   function tensor.describe(columns)
      if type(columns) ~= 'table' then
         error(('describe: a table of columns is expected, got %s'):format(tensor.type(columns)), 2)
      end
      local rows = {}
      for k, name in ipairs(names_of(columns)) do
         local column, row = columns[k] or columns[name], {name = name}
         if tensor.isTensor(column) then
            describe_numbers(row, column)
         elseif type(column) == 'table' then
            describe_texts(row, column)
         else
            error(('describe: column %s is a tensor or a table of strings, got %s')
                  :format(tostring(name), tensor.type(column)), 2)
         end
         rows[k] = row
      end
      return setmetatable(rows, descriptions)
   end
end

return install
