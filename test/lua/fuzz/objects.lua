-- Damaged files of objects: each ends in an error or an object, takes no more memory than a few
-- times its size, and leaves nothing behind.
-- Usage: luajit test/lua/fuzz/objects.lua [seconds=60] [seed=1]
-- In the environment: as of the specs (TENSOR_PREFIX, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
package.path = here .. '../?.lua;' .. package.path
dofile(here .. '../helper.lua')
local tensor = require 'tensor'
local elements = require 'support.elements'

local given = { seconds = '60', seed = '1' }
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(.*)$'
  assert(given[key], text .. ' is no option')
  given[key] = value
end
local random = elements.generator(tonumber(given.seed) * 7919 + 1)
local function below(n) return math.floor(random() * n) end

-- What there is to be damaged: Torch7's files, by their modes.
local modes = { ascii = 'ascii', bin = 'binary', b32 = 'b32', b64 = 'b64' }
local corpus = {}
for path in io.popen('ls ' .. here .. '../../data/t7/*.t7'):lines() do
  local mode = modes[path:match '%.(%w+)%.t7$']
  if mode then
    local file = assert(io.open(path, 'rb'))
    table.insert(corpus, { bytes = file:read '*a', mode = mode })
    file:close()
  end
end
assert(#corpus > 200)
for name in ([[fixture.Point fixture.Point3 nn.Sequential nn.Linear nn.ReLU nn.LogSoftMax
              nn.ClassNLLCriterion]]):gmatch '%S+' do
  tensor.class(name, {})
end

local function int_bytes(n, count)
  local bytes = {}
  for i = 1, count do
    bytes[i] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(bytes)
end
local odd = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, 64, 65, 255, 2 ^ 15, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 1,
              2 ^ 40, 2 ^ 52 }

local damages = {
  function(s) return s:sub(1, below(#s)) end,
  function(s)
    local at = below(#s) + 1
    return s:sub(1, at - 1) .. string.char(below(256)) .. s:sub(at + 1)
  end,
  function(s)
    local at = below(#s) + 1
    return s:sub(1, at) .. s:sub(at - below(20))
  end,
  function(s)
    local at = below(#s) + 1
    return s:sub(1, at) .. s:sub(at + 1 + below(20))
  end,
  function(s, mode)
    local at, n = below(#s) + 1, odd[below(#odd) + 1]
    if mode == 'ascii' then
      local first, last = s:find('%-?%d+', at)
      return first and s:sub(1, first - 1) .. ('%d'):format(n) .. s:sub(last + 1) or s
    end
    local count = random() < 0.5 and 4 or 8
    return s:sub(1, at - 1) .. int_bytes(n, count) .. s:sub(at + count)
  end,
  function(s)
    local other = corpus[below(#corpus) + 1].bytes
    return s:sub(1, below(#s)) .. other:sub(below(#other) + 1)
  end,
}

local path = os.tmpname()
local function load_from_disk(bytes, mode)
  local file = assert(io.open(path, 'wb'))
  file:write(bytes)
  file:close()
  return tensor.load(path, random() < 0.5 and mode or nil)
end

local ends, made, refused, kinds = os.clock() + tonumber(given.seconds), 0, 0, {}
local baseline
local rounds = 0
while os.clock() < ends do
  for _ = 1, 200 do
    local item = corpus[below(#corpus) + 1]
    local bytes = item.bytes
    for _ = 0, below(4) do
      if #bytes > 0 then bytes = damages[below(#damages) + 1](bytes, item.mode) end
    end
    local read = random() < 0.2 and load_from_disk or tensor.deserialize
    local before = tensor.memory().bytes
    local ok, object = pcall(read, bytes, item.mode)
    if ok then
      made = made + 1
      assert(pcall(tensor.serialize, object))
    else
      refused = refused + 1
      assert(type(object) == 'string' and #object > 0)
      local kind = object:gsub('<.*>', '<>'):gsub('/tmp/%w+', 'FILE')
      kind = kind:gsub('%-?%d[%w.+-]*', 'N'):sub(1, 80)
      kinds[kind] = (kinds[kind] or 0) + 1
    end
    local taken = tensor.memory().bytes - before
    assert(taken <= 64 * #bytes + 2 ^ 20, ('%d bytes for a file of %d'):format(taken, #bytes))
  end
  rounds = rounds + 1
  if rounds % 10 == 0 then
    collectgarbage()
    collectgarbage()
    local usage = tensor.memory().bytes + collectgarbage 'count' * 1024
    baseline = baseline or usage
    assert(usage < baseline + 2 ^ 22, 'memory is lost')
  end
end
os.remove(path)

local lines = {}
for kind, count in pairs(kinds) do lines[#lines + 1] = ('%8d %s'):format(count, kind) end
table.sort(lines)
print(table.concat(lines, '\n'))
print(('%d damaged files: %d refused, %d objects, nothing else; %s s'):format(
      made + refused, refused, made, given.seconds))
