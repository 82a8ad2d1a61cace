-- Calls every form of every function and method that Torch7 accepts, for every type, and reports
-- the rejected ones. test/data/torch7-forms.txt lists the forms, test/data/torch7-refused.txt the
-- known rejected ones.

local tensor = require 'tensor'
local arguments = require 'forms.arguments'

local main = {}

local types = { b = 'Byte', c = 'Char', s = 'Short', i = 'Int', l = 'Long', f = 'Float',
                d = 'Double', h = 'Half' }

local function slot_of(word)
  local slot = {}
  local inner = word:match '^%[(.*)%]$'
  slot.optional, word = inner ~= nil, inner or word
  inner = word:match '^%*(.*)%*$'
  slot.result, word = inner ~= nil, inner or word
  slot.kind, slot.ndim = word:sub(1, 1), tonumber(word:match '%d' or 2)
  if slot.kind == '(' then slot.kind, slot.letter = 'o', word:match '%((%u)' end
  return slot
end

--- Reads the entries of a file of forms: {kind, name, types, form}.
function main.read(path)
  local entries = {}
  for line in io.lines(path) do
    local kind, name, rest = line:match '^(%l+) (%S+)%s*(.*)$'
    if kind and not line:find '^#' then
      local letters, form = '-', ''
      if kind ~= 'torch' then letters, form = rest:match '^(%l+)%s*(.*)$' end
      entries[#entries + 1] = { kind = kind, name = name, types = letters, form = form }
    end
  end
  return entries
end

-- Returns a list of slots for each combination of omitted optional slots.
local function choices(form)
  local all = { {} }
  for word in form:gsub('%s*|%s*', '|'):gmatch '%S+' do
    local slot = slot_of(word)
    local next = {}
    for _, list in ipairs(all) do
      local with = { unpack(list) }
      with[#with + 1] = slot
      next[#next + 1] = with
      if slot.optional then next[#next + 1] = list end
    end
    all = next
  end
  return all
end

-- In Torch7 this call reads the missing operand from an empty result.
local function is_senseless(entry, slots)
  return entry.kind == 'method' and entry.name:find '^cm[axin]+$' and #slots == 1
end

local function call(entry, letter, slots, sizes)
  local class = tensor[types[letter] .. 'Tensor']
  local from = entry.kind == 'method' and tensor.getmetatable(class.__typename) or tensor
  local f = rawget(from, entry.name)
  if not f then return false, ('%s is absent'):format(entry.name) end
  local made, list, count = pcall(arguments.make, entry.name, slots, class, sizes)
  if not made then return false, list end
  return pcall(f, unpack(list, 1, count))
end

-- Returns the number of calls of a form for a type, and the first error message or nil.
local function try(entry, letter)
  local count, refused = 0, nil
  if entry.kind == 'torch' then
    return 1, rawget(tensor, entry.name) == nil and 'absent' or nil
  end
  local class = tensor.getmetatable(('torch.%sTensor'):format(types[letter]))
  if entry.kind == 'named' then
    return 1, rawget(class, entry.name) == nil and 'absent' or nil
  end
  tensor.setdefaulttensortype(class.__typename)
  local has_sizes = entry.form:find '%f[%w]s%f[%W]'
  for _, slots in ipairs(choices(entry.form)) do
    local senseless = is_senseless(entry, slots)
    for _, sizes in ipairs { not senseless and 'numbers', has_sizes and 'storage' } do
      if sizes then
        count = count + 1
        local ok, message = call(entry, letter, slots, sizes)
        if not ok then refused = refused or message end
      end
    end
  end
  return count, refused
end

--- Tries all entries. Returns the error messages of rejected ones, keyed by "kind name type form",
-- the number of calls and the number of entries.
function main.run(entries)
  local refused, calls, tried = {}, 0, 0
  local before = tensor.getdefaulttensortype()
  for _, entry in ipairs(entries) do
    for letter in entry.types:gmatch '.' do
      local count, message = try(entry, letter)
      calls, tried = calls + count, tried + 1
      if message then refused[main.key(entry, letter)] = message end
    end
  end
  tensor.setdefaulttensortype(before)
  return refused, calls, tried
end

function main.key(entry, letter)
  local text = ('%s %s %s %s'):format(entry.kind, entry.name, letter, entry.form)
  return (text:gsub('%s+$', ''))
end

return main
