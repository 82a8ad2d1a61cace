-- Generates the page c-reference.md: one line for each C function. The compiler preprocesses the
-- installed headers, so functions that macros declare are included. Functions of several element
-- types share one line. scripts/make-docs calls this script; the page is not in git.
-- Usage, from the repository's root, after installation:
--   <prefix>/bin/tensor scripts/make-c-reference.lua <prefix> [<file>]
-- Without a file name nothing is written. The chunk returns the text and a table of all functions
-- by name.

local prefix, output = ...

local types = {
  'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double',
}
local sets = {
  ['Byte Char Short Int Long Half BFloat16 Float Double'] = '',
  ['Byte Char Short Int Long'] = 'integer types',
  ['Byte Char Short Int Long Float Double'] = 'all but the 16-bit floating-point types',
  ['Half BFloat16 Float Double'] = 'floating-point types',
  ['Float Double'] = 'float and double',
}
local headings = {
  ['THGeneral.h'] = 'Errors, memory, threads', ['THAllocator.h'] = 'Allocators',
  ['THAtomic.h'] = 'Atomic counters', ['THBlas.h'] = 'BLAS', ['THBlob.h'] = 'Blobs',
  ['THDLPack.h'] = "Other libraries' tensors", ['THDevice.h'] = 'Devices', ['THFile.h'] = 'Files',
  ['THPrint.h'] = 'Printing', ['THTensorFile.h'] = 'Files of tensors',
  ['THCsv.h'] = 'Tables as text',
  ['THDiskFile.h'] = 'Files on disk', ['THMemoryFile.h'] = 'Files in memory',
  ['THHalf.h'] = '16-bit floating point', ['THLapack.h'] = 'LAPACK',
  ['THLogAdd.h'] = 'Sums of logarithms', ['THMath.h'] = 'Functions of numbers',
  ['THRandom.h'] = 'Generators and single random numbers', ['THSize.h'] = 'Sizes',
  ['THStorage.h'] = 'Storages', ['THSyncedMemory.h'] = 'Memory on the host and on devices',
  ['THTape.h'] = 'Gradients',
  ['THDist.h'] = 'Several processes',
  ['THTensor.h'] = 'Tensors: construction, fields, views', ['THTensorConv.h'] = 'Convolutions in C',
  ['THTensorApply.h'] = 'Loops over elements', ['THTensorDimApply.h'] = 'Loops over vectors',
  ['THTensorRandom.h'] = 'The state of generators',
  ['THTensorMath.h'] = 'Operations', ['THVector.h'] = 'Vectors', ['luaT.h'] = 'Lua classes',
}

local function preprocessed()
  local flags = ("$(PKG_CONFIG_PATH='%s/lib/pkgconfig':$PKG_CONFIG_PATH %s)")
    :format(prefix, 'pkg-config --cflags TH luajit')
  -- eval: pkg-config escapes spaces in the prefix.
  local pipe = assert(io.popen(('printf "%%s\\n" "#include <TH/TH.h>" "#include <luaT.h>" | ' ..
    'eval "env -u LD_PRELOAD %s -E -x c %s -"'):format(os.getenv 'CC' or 'cc', flags)))
  local text = pipe:read '*a'
  pipe:close()
  assert(#text > 0, 'the headers are not installed in ' .. prefix)
  return text
end

-- Calls f(header, name, prototype) for each declaration of a function in our headers.
local function each_declaration(f)
  local header, pending = nil, nil
  for line in preprocessed():gmatch '[^\n]+' do
    local file = line:match '^# %d+ "([^"]*)"'
    if file then
      local ours = file:match '/TH/generic/(.*)$' or file:match '/TH/(.*)$'
                   or file:match '(luaT%.h)$'
      -- Declarations from a table belong to the header that includes it.
      if not (ours and ours:find '%.def$') then header = ours end
    elseif header or pending then
      for piece, stop in line:gmatch '([^;]*)(;?)' do
        if piece:find '__visibility__' or piece:find 'visibility%("default"%)' then
          pending = { header = header or pending.header, text = piece }
        elseif pending then
          pending.text = pending.text .. ' ' .. piece
        end
        if stop == ';' and pending then
          local text = pending.text:gsub('__attribute__%s*(%b())', '')
          text = text:gsub('%f[%w_]extern%f[^%w_]', ''):gsub('%s+', ' ')
          text = text:gsub('^ ', ''):gsub(' $', ''):gsub(' %*', '*'):gsub('%( ', '(')
          text = text:gsub('%*(%f[%w_])', '* %1'):gsub('^([^(]-) %(', '%1(')
          local name = text:match '([%w_]+) ?%('
          if name then f(pending.header, name, text) end
          pending = nil
        end
      end
    end
  end
end

-- TH<Type>Tensor_add -> Type, 'THTensor_(add)'.
local function generic_name(name)
  for _, class in ipairs { 'Tensor', 'Storage', 'Blob', 'Blas', 'Lapack', 'Vector' } do
    for _, element in ipairs(types) do
      local rest = name:match('^TH' .. element .. class .. '_(.*)$')
      if rest then return element, ('TH%s_(%s)'):format(class, rest) end
    end
  end
end

local function tokens(text)
  local list = {}
  text = text:gsub('unsigned char', 'uchar')
  for token in text:gmatch '[%w_]+' do list[#list + 1] = token end
  return list
end

-- Merges the prototypes of several types into one: class names lose the type name, and types that
-- differ become `real` or `accreal`.
local function merged(family)
  if #family.types == 1 then return family.by_type[family.types[1]] end
  local shown = family.by_type.Float or family.by_type[family.types[1]]
  local mine = family.by_type.Float and 'Float' or family.types[1]
  local other = family.by_type.Int and 'Int' or family.by_type.Double and 'Double'
  local a, b = tokens(shown), tokens(other and family.by_type[other] or shown)
  local k = 0
  local text = shown:gsub('unsigned char', 'uchar'):gsub('[%w_]+', function(token)
    k = k + 1
    if a[k] == b[k] then return token end
    if token == 'float' then return 'real' end
    if token == 'double' then return 'accreal' end
    local plain = token:gsub('^TH' .. mine, 'TH')
    return (plain:gsub('^(TH%a+)_(.*)$', '%1_(%2)'))
  end)
  return (text:gsub('uchar', 'unsigned char'))
end

local order, families, functions = {}, {}, {}
each_declaration(function(header, name, prototype)
  if functions[name] then return end
  functions[name] = prototype
  local element, generic = generic_name(name)
  local key = generic or name
  local family = families[key]
  if not family then
    family = { header = header, types = {}, by_type = {}, plain = not generic and prototype,
               name = key }
    families[key] = family
    if not order[header] then
      order[header] = {}
      order[#order + 1] = header
    end
    table.insert(order[header], family)
  end
  if element then
    table.insert(family.types, element)
    family.by_type[element] = prototype
  end
end)

local function types_of(family)
  local list = {}
  for _, element in ipairs(types) do
    if family.by_type[element] then list[#list + 1] = element end
  end
  local text = table.concat(list, ' ')
  return #list == 1 and '' or sets[text] or text
end

-- Wraps at 100 columns and indents continuation lines.
local function wrapped(text)
  local lines, line = {}, ''
  for word in text:gmatch '%S+' do
    if line ~= '' and #line + 1 + #word > 100 then
      lines[#lines + 1] = line
      line = '   '
    end
    line = line == '' and word or line .. ' ' .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

local out = { [[
# The C functions

<!-- Generated by scripts/make-c-reference.lua from the installed headers; do not edit. -->

This page lists each function that `<TH/TH.h>` and `<luaT.h>` declare. [c-api.md](c-api.md) and
[luaT.md](luaT.md) describe their use. [The reference](reference.md) describes the functions of the
op table; it names the C function in brackets.

`THTensor_(add)` stands for `THFloatTensor_add`, `THIntTensor_add` and so on: one function for each
of Byte, Char, Short, Int, Long, Half, BFloat16, Float and Double, or for the types in the comment
after it. `THTensor` and `THStorage` are then the classes of that type, `real` is the element type
(`float`), and `accreal` the type for sums (`double`; `int64_t` for integers).
]] }
local family_of_row = {}
for _, row in ipairs(require 'tensor'._optable()) do family_of_row[row.name] = row.family end

-- Returns the functions of a header in groups, in the order of their first functions: those before
-- the first function of the op table, then one group for each family of the op table. Functions
-- that are not in the op table stay after the function that precedes them in the header.
local function groups_of(list)
  local current = { list = {} }
  local groups, by_heading = { current }, {}
  for _, family in ipairs(list) do
    local heading = family_of_row[family.name:match '^THTensor_%((.*)%)$']
    if heading then
      current = by_heading[heading] or { heading = heading, list = {} }
      if not by_heading[heading] then groups[#groups + 1] = current end
      by_heading[heading] = current
    end
    table.insert(current.list, family)
  end
  return groups
end

for _, header in ipairs(order) do
  out[#out + 1] = ('\n## %s\n\nIn `%s`.\n\n```text'):format(assert(headings[header], header),
    header == 'luaT.h' and header or 'TH/' .. header)
  for _, group in ipairs(groups_of(order[header])) do
    if group.heading then
      local heading = group.heading:gsub('^%l', string.upper)
      out[#out + 1] = ('```\n\n### %s\n\n```text'):format(heading)
    end
    for _, family in ipairs(group.list) do
      local line = (family.plain or merged(family)) .. ';'
      local note = family.plain and '' or types_of(family)
      if note ~= '' then line = line .. ' /* ' .. note .. ' */' end
      out[#out + 1] = wrapped(line)
    end
  end
  out[#out + 1] = '```'
end
-- The macros of the op table leave blanks before commas.
local text = table.concat(out, '\n'):gsub('```text\n```\n\n', ''):gsub(' ,', ',') .. '\n'

if output then
  local file = assert(io.open(output, 'w'))
  file:write(text)
  file:close()
end
return text, functions
