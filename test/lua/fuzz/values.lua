-- Random arguments as Lua text: numbers, strings and other values. v is the list of objects of the
-- sequence, T the module.

local values = {}

values.slots = 14
values.elements = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

values.classes = { 'torch.Generator', 'torch.FloatBlob', 'torch.DoubleBlob', 'torch.MemoryFile' }
for _, element in ipairs(values.elements) do
  table.insert(values.classes, ('torch.%sTensor'):format(element))
  table.insert(values.classes, ('torch.%sStorage'):format(element))
end

-- Either small, or too large to allocate: sizes in between take long and test nothing more.
local odd_numbers = {
  '0/0', '1/0', '-1/0', '-0', '0.5', '-0.5', '1.5', '2.9', '1e-300', '5e-324', '1e300', '2^31-1',
  '2^31', '-2^31', '2^32', '2^32+1', '2^40', '2^53', '2^53+2', '-2^53', '2^62', '-2^62', '2^63',
  '-2^63', '2^63-1024', '2^64', '1e30', '127', '128', '255', '256', '65504', '65536',
}
local strings = {
  "''", "'x'", "'3'", "'0x10'", "'soft'", "'cpu'", "'gpu:1'", "'soft:9'", "'\\0'", "'%s%n'",
  "'torch.FloatTensor'", "'torch.LongStorage'", "'torch.Generator'", "'philox'", "'none'",
  "('x'):rep(3000)", "'size'", "'__gc'", "'\\8\\1\\16\\3'",
}
local others = {
  'nil', 'nil', 'true', 'false', '{}', '{1, 2}', '{{1, 2}, {3, 4}}', '{{1}, {1, 2}}', "{1, 'x'}",
  '{1, nil, 3}', '{{}}', 'T', 'print', 'function() end', 'function(x) return x end',
  'function(x) return x + 1 end', "function() return 'x' end", "function() error('odd') end",
  'function() coroutine.yield() end', 'io.stdout', 'newproxy()', 'newproxy(true)',
  'coroutine.create(print)', "ffi.new('int[3]')", "ffi.new('double', 2)", '1LL', '-1ULL',
  "ffi.cast('void*', 0)", 'T.Generator()', 'T.getmetatable("torch.FloatTensor")', 'T.Timer',
  'T.CharStorage():string("3\\n1\\n0\\0")',
}

function values.slot(random) return ('v[%d]'):format(random:int(values.slots)) end

function values.small(random) return tostring(random:int(10) - 4) end

function values.number(random)
  if random:once_in(4) then return random:of(odd_numbers) end
  return values.small(random)
end

function values.size(random)
  if random:once_in(40) then return random:of(odd_numbers) end
  if random:once_in(60) then return tostring(random:int(300)) end
  return tostring(random:int(6) - 1)
end

--- Returns sizes as separate arguments, a table or a LongStorage.
function values.sizes(random, dims)
  local list = {}
  for d = 1, dims or random:int(5) - 1 do list[d] = values.size(random) end
  local text = table.concat(list, ', ')
  local kind = random:int(4)
  if kind == 1 then return '{' .. text .. '}' end
  if kind == 2 or text == '' then return 'T.LongStorage{' .. text .. '}' end
  return text
end

--- Returns a permutation of n dimensions.
function values.order(random, n)
  local list = {}
  for d = 1, n do list[d] = d end
  for d = n, 2, -1 do
    local other = random:int(d)
    list[d], list[other] = list[other], list[d]
  end
  return n > 0 and table.concat(list, ', ') or '1'
end

function values.table_of_slots(random)
  local list = {}
  for k = 1, random:int(4) - 1 do list[k] = values.slot(random) end
  return '{' .. table.concat(list, ', ') .. '}'
end

--- Returns a value of any kind.
function values.any(random)
  local kind = random:int(12)
  if kind <= 5 then return values.slot(random) end
  if kind <= 8 then return values.number(random) end
  if kind == 9 then return random:of(strings) end
  if kind == 10 then return values.table_of_slots(random) end
  return random:of(others)
end

function values.any_list(random)
  local list = {}
  local most = random:once_in(30) and 70 or 6
  for k = 1, random:int(most) - 1 do list[k] = values.any(random) end
  return table.concat(list, ', ')
end

return values
