-- Calls as Lua text: of every public function and method, with arguments as the op table has them
-- or with any.

local values = require 'fuzz.values'
local operands = require 'fuzz.operands'
local forms = require 'support.forms'
local known = require 'fuzz.known'

-- Functions that are not called at random.
local left_out = {
  pushudata = 'makes objects of addresses',
  setmetatable = 'changes classes', newmetatable = 'changes classes', class = 'changes classes',
  metatype = 'changes classes',
  _ownsource = 'changes messages', _cuda = 'keeps what it gets', _cudaDefault = 'changes classes',
  include = 'runs files', test = 'prints', PipeFile = 'runs programs',
  save = 'writes files', saveobj = 'writes files', _newfile = 'writes files',
  _commitfile = 'writes files', _mkdir = 'writes files',
  _sleep = 'waits',
  _todlpack = 'writes to memory of the FFI', _fromdlpack = 'reads memory of the FFI',
  fromDLPack = 'takes pointers of the FFI; beside toDLPack it is called',
  seed = 'is different each time',
  retain = 'leaks, as it should; beside free it is called',
  setnumthreads = 'takes long with many threads; with few it is called',
}
local own_calls = {
  'v[%d]:retain() v[%d]:free()', 'T.setnumthreads(%d %% 3 + 1)', 'T.setnumthreads(-%d)',
  'collectgarbage()', 'collectgarbage("step", 100)', 'T.synchronize()', 'T.manualSeed(%d)',
  'T.setdefaulttensortype("torch.FloatTensor")', 'T.setDefaultDevice("soft")',
  'T.setDefaultDevice("cpu")', 'T.setGenerator("philox")', 'T.setGenerator("mt19937")',
  'elements(v[%d])', 'elements(v[%d]:storage())', 'v[%d]:apply(number)',
  'v[%d]:apply(function(x) return -number(x) end)',
  'v[%d]:map2(v[%d], v[%d], function(x, y, z) number(y) number(z) return x + y end)',
  'v[%d] = nil', 'v[%d].extra = 1', 'return #v[%d]', 'return tostring(v[%d])', 'return -v[%d]',
  'local bytes = v[%d]:toProto(true); return T.blobFromProto(bytes)',
  'return T.MemoryFile()', 'return T.MemoryFile():binary()', 'return v[%d]:quiet():seek(1)',
  'local f = T.MemoryFile(); f:writeObject(v[%d]); return f:seek(1):readObject()',
  'return T.fromDLPack(v[%d]:toDLPack())', 'return T.deserialize(T.serialize(v))',
  'return T.MemoryFile(v[%d])', 'return T.image.scale(v[%d], %d %% 9 + 1, %d %% 9 + 1)',
  'local f, t = T.compile(function(a, b) return a * 2 + b, a end), v[%d]; f(t, 3); f(t, 3);'
    .. ' return f(t, 3)',
  'return T.image.scale(v[%d], v[%d], "area")', 'return T.image.crop(v[%d], v[%d], 0, 0, 1, 1)',
}

-- One state of a sequence's classes: functions, methods by class, and rows of the op table.
local Calls = {}
Calls.__index = Calls

local function sorted(names)
  table.sort(names)
  return names
end

local function callable(value)
  return type(value) == 'function' or type(value) == 'table' and getmetatable(value)
         and getmetatable(value).__call ~= nil
end

-- The names of the functions in a table and the tables behind it.
local function names_in(object, skip)
  local names, seen = {}, {}
  while type(object) == 'table' do
    for name, value in pairs(object) do
      if type(name) == 'string' and callable(value) and not seen[name] and not left_out[name]
         and not skip[name] then
        seen[name] = true
        names[#names + 1] = name
      end
    end
    object = getmetatable(object)
  end
  return sorted(names)
end

--- All there is to call; given has names that are left out besides.
local function new(tensor, given)
  local skip = setmetatable({}, { __index = function(_, name)
    return given[name] or known.names[name]
  end })
  -- A storage of any string would make a file of that name; operands have storages.
  local skip_storages = setmetatable({}, { __index = function(_, name)
    local makes = name:find '^%u' and name:find 'Storage$'
    return skip[name] or makes or name == 'new' or name == '__constructor'
  end })
  local self = setmetatable({ rows = {}, methods = {} }, Calls)
  self.functions = names_in(tensor, skip_storages)
  for _, group in ipairs { '_arrays', '_csv' } do
    for _, name in ipairs(names_in(tensor[group], skip)) do
      self.functions[#self.functions + 1] = group .. '.' .. name
    end
  end
  for _, row in ipairs(tensor._optable()) do
    if row.lua ~= '' and not skip[row.lua] then
      local all = forms.methods(row)
      for _, slots in ipairs(all) do self.rows[#self.rows + 1] = { row.lua, slots, 'method' } end
      if row['function'] ~= '-' then
        self.rows[#self.rows + 1] = { row.lua, forms.slots(row['function']), 'function' }
      end
    end
  end
  for _, class in ipairs(values.classes) do
    local wanted = class:find 'Storage$' and skip_storages or skip
    self.methods[class] = names_in(tensor.getmetatable(class), wanted)
  end
  return self
end

-- The numbers of the slots that hold tensors, of an element type where one is given.
local function tensors_in(tensor, v, element)
  local class = element and ('torch.%sTensor'):format(element)
  local list = {}
  for k = 1, values.slots do
    if tensor.isTensor(v[k]) and (not class or tensor.typename(v[k]) == class) then
      list[#list + 1] = k
    end
  end
  return list
end

local element_of = { L = 'Long', I = 'Int', B = 'Byte', F = 'Float', D = 'Double' }

-- A tensor for a slot: mostly one of the sequence's, often of the sizes of the one before.
local function tensor_text(random, tensor, v, element, like)
  local list = tensors_in(tensor, v, element)
  if like and random:once_in(2) then
    local same = {}
    for _, k in ipairs(list) do
      if pcall(tensor.isSameSizeAs, v[k], v[like]) and tensor.isSameSizeAs(v[k], v[like]) then
        same[#same + 1] = k
      end
    end
    if #same > 0 then list = same end
  end
  if #list == 0 or random:once_in(8) then
    if element == 'Long' and random:once_in(2) then return operands.indices(random) end
    if like and element == 'Byte' then return ('v[%d]:ne(%d)'):format(like, random:int(3)) end
    return operands.tensor(random, element)
  end
  local k = random:of(list)
  return ('v[%d]'):format(k), k
end

local function argument(random, tensor, v, slot, element, first)
  if random:once_in(16) then return values.any(random) end
  local kind = slot.kind
  local before = first and v[first]  -- a finalizer may take it out of v at any time
  local dims = tensor.isTensor(before) and before:dim() or 2
  if kind == 'T' or element_of[kind] or kind == 'M' or kind == 'A' then
    local own = element_of[kind] or kind ~= 'A' and element or nil
    if kind == 'M' and random:once_in(2) then own = 'Byte' end
    return tensor_text(random, tensor, v, own, first)
  elseif kind == '{' then
    local list = {}
    local of = element_of[slot.of]
    for k = 1, random:int(4) do
      list[k] = of == 'Long' and random:once_in(2) and operands.indices(random)
                or tensor_text(random, tensor, v, of or element, first)
    end
    return '{' .. table.concat(list, ', ') .. '}'
  elseif kind == 's' then
    return values.sizes(random)
  elseif kind == 'p' then
    return values.order(random, dims)
  elseif kind == 'r' then
    return ('{%d, %d}'):format(random:int(dims + 1), random:int(dims))
  elseif kind == 'v' then
    return ('{%d, %d}'):format(random:int(9) - 5, random:int(9) - 5)
  elseif kind == 'e' then
    return random:of { 'nil', '1', '2', '{1, 2}', '{2, 1, 3}', tostring(random:int(4) - 1) }
  elseif kind == 'i' and not random:once_in(6) then
    return tostring(random:once_in(4) and -random:int(dims + 1) or random:int(dims + 1))
  elseif kind == 'b' then
    return random:of { 'true', 'false' }
  elseif kind == 'o' then
    return random:of { "'U'", "'L'", "'N'", "'V'", "'T'", "'S'", "'A'", "'R'" }
  elseif kind == 't' then
    return random:of { "'a'", "'a + b'", "'a * b - exp(a)'", "'where(a < b, a, 2) / b'",
                       "'sum(a, -1)'", "'max(a * a)'", "'a - mean(a, 1)'", "'a +'", "'f(a)'" }
  elseif kind == 'g' then
    return 'T.Generator()'
  end
  return values.number(random)
end

-- A field by its name, which may be a word of Lua.
local function field(name)
  return name == 'repeat' and '["repeat"]' or '.' .. name
end
local function method_text(own, name, list)
  if name ~= 'repeat' then return ('return %s:%s(%s)'):format(own, name, list) end
  return ('return T%s(%s%s)'):format(field(name), own, list == '' and '' or ', ' .. list)
end

--- A call as a row of the op table has it, its name and the row's slots.
function Calls:of_row(random, tensor, v)
  local name, slots, kind = unpack(random:of(self.rows))
  local present = tensors_in(tensor, v)
  -- Looking at it may run a finalizer that takes it away.
  local name_of = #present > 0 and tensor.typename(v[random:of(present)]) or ''
  local element = name_of:match('torch%.(.*)Tensor') or random:of(values.elements)
  local list, first = {}, nil
  for _, slot in ipairs(slots) do
    if not (slot.fresh or slot.optional and random:once_in(2)) then
      local text, k = argument(random, tensor, v, slot, element, first)
      list[#list + 1] = text
      first = first or k
    end
  end
  if kind == 'method' and list[1] and list[1]:find '^[vT]' then
    local own = table.remove(list, 1)
    return method_text(own, name, table.concat(list, ', ')), name, slots
  end
  return ('return T%s(%s)'):format(field(name), table.concat(list, ', ')), name, slots
end

--- A function or method with any arguments.
function Calls:blind(random)
  if random:once_in(3) then
    local name = random:of(self.functions)
    return ('return T%s(%s)'):format(field(name), values.any_list(random)), name
  end
  local class = random:of(values.classes)
  local name = random:of(self.methods[class])
  if random:once_in(2) and not name:find '^__' then
    return method_text(values.slot(random), name, values.any_list(random)), name
  end
  return ('return T.getmetatable("%s")%s(%s)')
    :format(class, field(name), values.slot(random) .. ', ' .. values.any(random)), name
end

function Calls.operator(_, random)
  local a, b = values.any(random), values.any(random)
  local kind = random:int(10)
  if kind == 1 then return ('return %s[%s]'):format(values.slot(random), a), '__index' end
  if kind == 2 then
    return ('%s[%s] = %s'):format(values.slot(random), a, b), '__newindex'
  end
  if kind == 3 then
    local low, high = values.small(random), values.small(random)
    return ('return %s[{{%s, %s}, %s}]'):format(values.slot(random), low, high, b), '__index'
  end
  if kind == 4 then return ('return %s == %s'):format(values.slot(random), b), '__eq' end
  if random:once_in(2) then a, b = b, values.slot(random) else a = values.slot(random) end
  local operator = random:of { '+', '-', '*', '/', '%', '^' }
  return ('return (%s) %s (%s)'):format(a, operator, b), operator
end

--- A finalizer that changes or frees an object when the collector comes, whenever that is.
function Calls.finalizer(_, random)
  local what = random:of {
    operands.change(random), operands.change(random),
    ('getmetatable(%s).__gc(%s)'):format(('v[%d]'):format(random:int(4)), values.slot(random)),
    values.slot(random) .. ' = nil', 'T.synchronize()',
  }
  return ('doomed(function() %s end)'):format(what), 'finalizer'
end

function Calls.own(_, random)
  local text = random:of(own_calls)
  local k = random:int(values.slots)
  return (text:gsub('%%d', k):gsub('%%%%', '%%')), 'own'
end

return new
