-- Makes doc/reference.md from the op table: what the functions are called and take is asked of the
-- module, their families are read from lib/TH/THOps.def, the examples are those of lua/examples.
-- Usage, from the repository's root:
--   build/prefix/bin/tensor scripts/make-reference.lua doc/reference.md
-- Without a file name nothing is written; the text is the result of this chunk.

local tensor = require 'tensor'
local signatures = require 'tensor.signatures'
local entries_of_lua = require 'tensor.entries'
local examples = require 'tensor.examples'

local wrapped = signatures.wrapped

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

local introduction = [[
# Reference

<!-- Made by scripts/make-reference.lua from lib/TH/THOps.def, lua/entries.lua and lua/examples; not
     written by hand. -->

One entry for each function and method: those of the op table by families, then all others. What
they have in common is in [operations.md](operations.md). `tensor.help 'gather'`, or
`help(t.gather)` at the REPL, prints an entry.

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
- Tensors of one call have one element type, but masks, indices, and results that are said to be of
  another. Which types there are is said in brackets.
- The example shows what is typed, behind `>`, and what is printed. The result of the expression is
  printed, as at the REPL.

What goes wrong is an error, which names the function, the argument, and what was got, and leaves
all tensors as they were: arguments that no form has (the forms are listed), an element type that
the function is not for, element types that differ, shapes that do not [broadcast](broadcasting.md)
or do not fit, dimensions and indices out of range, integers divided by 0, matrices that are
singular.
]]

-- The example of a name, once.
local shown = {}
local function example_of(name)
  if shown[name] then return '' end
  shown[name] = true
  local text = examples.find(name)
  return text and ('```text\n%s\n```\n'):format(text) or ''
end

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
  local sorted, linked = {}, {}
  for k, name in ipairs(order) do
    sorted[k] = name
    linked[name] = true
  end
  for _, section in ipairs(entries_of_lua) do
    for k = 2, #section do
      local name = section[k][1]
      if not linked[name] then sorted[#sorted + 1] = name end
      linked[name] = true
    end
  end
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
          for _, call in ipairs(signatures.calls(row)) do
            entries[#entries + 1] = ('- `%s`'):format(call)
          end
          local facts = ('%s (%s; C: `%s`)'):format(row.doc, row.typenames, row.name)
          entries[#entries + 1] = '\n' .. wrapped(facts, '  ') .. '\n'
        end
        entries[#entries + 1] = example_of(name)
      end
    end
    if #entries > 0 then
      out[#out + 1] = '\n## ' .. heading .. '\n'
      out[#out + 1] = table.concat(entries, '\n')
    end
  end
  for _, section in ipairs(entries_of_lua) do
    out[#out + 1] = ('\n## %s\n'):format((section[1]:gsub('^%l', string.upper)))
    for k = 2, #section do
      local name, list, text = unpack(section[k])
      out[#out + 1] = '### ' .. name .. '\n'
      for call in list:gmatch '[^\n]+' do out[#out + 1] = ('- `%s`'):format(call) end
      out[#out + 1] = '\n' .. wrapped(text, '  ') .. '\n'
      out[#out + 1] = example_of(name)
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
