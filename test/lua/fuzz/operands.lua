-- Objects as Lua text: new tensors and storages of any type, size, layout and device, and views of
-- the sequence's objects, which may overlap.

local values = require 'fuzz.values'

local operands = {}

local function count(random) return random:once_in(50) and 5000 or random:int(24) end

-- Returns a shape with n elements.
local function factors(random, n)
  local list = {}
  for _ = 1, random:int(3) - 1 do
    local factor = random:int(4)
    if n % factor == 0 then
      list[#list + 1] = factor
      n = n / factor
    end
  end
  list[#list + 1] = n
  return table.concat(list, ', ')
end

local function elements(random)
  local list = {}
  for k = 1, random:int(6) - 1 do list[k] = values.number(random) end
  return '{' .. table.concat(list, ', ') .. '}'
end

function operands.tensor(random, element)
  element = element or random:of(values.elements)
  local class = ('T.%sTensor'):format(element)
  local kind = random:int(10)
  local text
  if kind == 1 then
    text = class .. elements(random)
  elseif kind == 2 then
    text = ('%s(%s)'):format(class, values.sizes(random))
  elseif kind == 3 then
    text = class .. '()'
  elseif kind == 4 then
    -- Strides that overlap, repeat or leave gaps.
    text = ('%s(%s(%d), %d, %d, %d, %d, %d)')
      :format(class, class:gsub('Tensor', 'Storage'), random:int(40), random:int(4),
              random:int(5) - 1, random:int(5) - 1, random:int(4), random:int(3) - 1)
  else
    local n = count(random)
    text = ('T.range(1, %d):type("torch.%sTensor"):view(%s)')
      :format(n, element, factors(random, n))
    if random:once_in(3) then text = ('nans(%s, %d)'):format(text, random:int(240)) end
    if random:once_in(6) then text = text .. (':expand(%s)'):format(values.sizes(random)) end
  end
  if random:once_in(6) then text = text .. ':to("soft")' end
  return text
end

function operands.storage(random, element)
  local class = ('T.%sStorage'):format(element or random:of(values.elements))
  if random:once_in(2) then return class .. elements(random) end
  return ('%s(%s)'):format(class, random:once_in(8) and values.number(random) or random:int(30))
end

function operands.indices(random)
  local list = {}
  for k = 1, random:int(4) do list[k] = random:once_in(8) and values.number(random)
                                        or tostring(random:int(3)) end
  return ('T.LongTensor{%s}'):format(table.concat(list, ', '))
end

function operands.blob(random)
  return ('T.%sBlob(%s)'):format(random:of { 'Float', 'Double' }, values.sizes(random))
end

-- Texts in which $ is an object, # a number and @ sizes.
local views = {
  '$:narrow(#, #, #)', '$:select(#, #)', '$:t()', '$:transpose(#, #)', '$:unfold(#, #, #)',
  '$:expand(@)', '$:view(@)', '$:squeeze()', '$:unsqueeze(#)', '$[#]', '$[{{#, #}}]',
  '$[{#, {#, #}}]', '$:sub(#, #)', '$:clone()', '$:contiguous()', '$:storage()', '$.new($)',
  '$:split(#)', '$:chunk(#)', '$.new($:storage(), #, @)', '$.new($:storage(), #, #, #, #, #)',
  '$.new($:storage(), #, T.LongStorage{#, #}, T.LongStorage{#, #})', '$:repeatTensor(@)',
  '$:data()', '$:diff()', '$:typeAs($)', '$:float()', '$:long()', '$:byte()', '$:double()',
  '$:expandAs($)', '$:gt($)', 'T.FloatTensor().new(#, #)', '$:type("torch.HalfTensor")', '$:sum(#)',
}
-- Calls that change an object in place.
local changes = {
  '$:resize(@)', '$:set($)', '$:set($:storage(), #, @)', '$:set()', '$:resizeAs($)', '$:copy($)',
  '$:storage():resize(#)', '$:storage():fill(#)', '$:to("soft")', '$:to("cpu")', '$:free()',
  '$:prefetch("soft")', '$:storage():copy($:storage())', '$:fill(#)', '$:storage():free()',
  '$:reshape(@)', '$:shareData($)', '$:set($:storage(), #, #, #, #, #)', '$:storage():to("soft")',
  '$:storage():string("abcdefgh")', '$:storage():string()', '$:totable()', '$:storage():totable()',
}

local function filled(random, text, element)
  local own = values.slot(random)
  local used = false
  return (text:gsub('[$#@]', function(place)
    if place == '$' then
      if used and random:once_in(2) then return values.slot(random) end
      used = true
      return own
    end
    if place == '#' then return values.number(random) end
    return values.sizes(random, element)
  end))
end

function operands.view(random) return filled(random, random:of(views)) end
function operands.change(random) return filled(random, random:of(changes)) end

--- Something new, mostly tensors.
function operands.new(random)
  local kind = random:int(20)
  if kind == 1 then return operands.blob(random) end
  if kind == 2 then return operands.storage(random) end
  if kind == 3 then return operands.indices(random) end
  if kind == 4 then return 'T.Generator()' end
  if kind == 5 then return values.table_of_slots(random) end
  -- Few types, so that operands go together; any type now and then.
  local element = random:once_in(3) and random:of(values.elements) or nil
  return operands.tensor(random, element or random:of { 'Float', 'Double', 'Long', 'Int', 'Byte' })
end

return operands
