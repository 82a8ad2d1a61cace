-- Files of all formats. Random objects are saved and loaded; the result must be equal. Damaged
-- files give an error that names the file, or an object. They use at most a few times their size of
-- memory and leave nothing behind. Usage: luajit test/lua/fuzz/files.lua [seconds=60] [seed=1]
-- [format=] In the environment: as of the specs (TENSOR_PREFIX, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
package.path = here .. '../?.lua;' .. package.path
dofile(here .. '../helper.lua')
local tensor = require 'tensor'
local elements = require 'support.elements'
local files = require 'support.files'
local tar = require 'support.tar'
local child = require 'support.child'
local damage = require 'fuzz.damage'
local formats = require 'fuzz.formats'

local given = { seconds = '60', seed = '1', format = '' }
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(.*)$'
  assert(given[key], 'invalid option: ' .. text)
  given[key] = value
end
local random = elements.generator(tonumber(given.seed) * 7919 + 1)
local function below(n) return math.floor(random() * n) end

local write = files.write

-- The files that are damaged: Torch7's, by their modes, and those saved here.
local corpus, all = {}, {}
local function keep(name, item)
  item.ending = name
  local list = corpus[name]
  local place = #list < 300 and #list + 1 or below(#list) + 1
  list[place] = item
  all[#all < 3000 and #all + 1 or below(#all) + 1] = item
end
for _, name in ipairs(given.format == '' and formats.list() or { given.format }) do
  corpus[name] = {}
end
if corpus.t7 then
  for _, mode in ipairs { 'ascii', 'b32', 'b64' } do
    local archive, names = tar.read(here .. '../../data/t7/' .. mode .. '.tar'), {}
    for name in pairs(archive) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      keep('t7', { bytes = archive[name], options = { mode = mode }, istext = mode == 'ascii' })
    end
  end
  assert(#corpus.t7 > 150)
end
for name in ([[fixture.Point fixture.Point3 nn.Sequential nn.Linear nn.ReLU nn.LogSoftMax
              nn.ClassNLLCriterion]]):gmatch '%S+' do
  tensor.class(name, {})
end
local damaged_of = damage.maker(random, all)

-- No file here is so large that it may need a GiB. With this limit, one that does causes an error,
-- which is_clear finds.
local limited = false
if pcall(require, 'ffi') and not child.sanitized then
  local ffi = require 'ffi'
  ffi.cdef [[
    typedef struct { unsigned long now, most; } fuzz_limits;
    int setrlimit(int, const fuzz_limits *);
  ]]
  local status = io.open '/proc/self/status'
  local size = status and tonumber(status:read '*a':match 'VmSize:%s*(%d+)')
  if status then status:close() end
  limited = size and ffi.os == 'Linux' and
            ffi.C.setrlimit(9, ffi.new('fuzz_limits', size * 1024 + 2 ^ 30, -1)) == 0
end

local base = os.tmpname()
local saved, made, refused, kinds = 0, 0, 0, {}

local function save_and_load(name)
  local path = base .. '.' .. name
  local object, save_options, options, expected = formats[name](random)
  os.remove(path)  -- save would wait for the disk to replace it
  tensor.save(path, object, save_options)
  local loaded = tensor.load(path, options)
  if expected ~= nil and not formats.same(expected, loaded) then
    error(('%s is not what was saved; seed %s'):format(path, given.seed))
  end
  saved = saved + 1
  local bytes = files.content(path)
  if #bytes <= 4096 then
    local istext = save_options.mode == 'ascii' or name == 'csv' or name == 'tsv'
    keep(name, { bytes = bytes, options = options, istext = istext })
  end
end

-- Also options that do not fit the file.
local function options_for(item)
  local other = all[below(#all) + 1]
  return random() < 0.7 and item.options or other.ending == item.ending and other.options or nil
end

local function is_clear(message, path)
  message = message:gsub('^%S+/files%.lua:%d+: ', '')  -- the position of the call here
  return message:find(path, 1, true) and #message < 2000 and not message:find 'attempt to'
         and not message:find '%.lua:%d' and not message:find 'bad argument'
         and not message:find 'std::' and not message:find '%a[%w_]+%.cc%f[%W]'
         and not (limited and message:find '[Oo]ut of memory')
         and not (limited and message:find 'not enough memory')
end

local function load_damaged(name)
  local item, path = corpus[name][below(#corpus[name]) + 1], base .. '.' .. name
  local bytes, options = damaged_of(item), options_for(item)
  local ondisk = name ~= 't7' or random() < 0.3
  if name == 'npz' and corpus.npy and random() < 0.5 then
    bytes = damage.archive('a.npy', damaged_of(corpus.npy[below(#corpus.npy) + 1])) or bytes
  end
  if ondisk then write(path, bytes) end
  local before, started = tensor.memory().bytes, os.clock()
  local ok, object
  if ondisk then
    ok, object = pcall(tensor.load, path, options)
  else
    ok, object = pcall(tensor.deserialize, bytes, options and options.mode)
  end
  assert(os.clock() - started < 10, 'this took long: ' .. path)
  if ok then
    made = made + 1
    -- .t7 files cannot contain blobs.
    if name ~= 'binaryproto' then
      tensor.serialize(object)
    elseif type(object) ~= 'table' or #object > 0 then
      tensor.save(path, object)
    end
  else
    refused = refused + 1
    assert(type(object) == 'string' and #object > 0)
    local kind = object:gsub('/tmp/[%w_.]+', 'FILE'):gsub('<.*>', '<>'):gsub('%-?%d[%w.+-]*', 'N')
    kind = name .. ': ' .. kind:gsub('[^%g ]', '?'):sub(1, 90)
    kinds[kind] = (kinds[kind] or 0) + 1
    local clear = not ondisk or is_clear(object, path)
    assert(clear, ('no clear message of %s, seed %s: %s'):format(path, given.seed, object))
  end
  local taken = tensor.memory().bytes - before
  assert(taken <= 64 * #bytes + 2 ^ 20 or name == 'png' or name == 'jpg' or name == 'npz',
         ('%d bytes for %s of %d'):format(taken, path, #bytes))
end

local names = {}
for name in pairs(corpus) do names[#names + 1] = name end
table.sort(names)
local ends, baseline, rounds = os.clock() + tonumber(given.seconds), nil, 0
while os.clock() < ends do
  for _, name in ipairs(names) do
    for _ = 1, 2 do save_and_load(name) end
    for _ = 1, name == 't7' and 40 or 10 do
      if #corpus[name] > 0 then load_damaged(name) end
    end
  end
  rounds = rounds + 1
  if rounds % 20 == 0 then
    collectgarbage()
    collectgarbage()
    local usage = tensor.memory().bytes + collectgarbage 'count' * 1024
    if rounds == 200 then baseline = usage end
    assert(not baseline or usage < baseline + 2 ^ 23, 'memory is lost')
  end
end
for _, name in ipairs(names) do os.remove(base .. '.' .. name) end
os.remove(base)

local lines = {}
for kind, count in pairs(kinds) do lines[#lines + 1] = ('%8d %s'):format(count, kind) end
table.sort(lines)
print(table.concat(lines, '\n'))
print(('%d files saved and loaded; %d damaged files: %d refused, %d objects; %s s'):format(
      saved, made + refused, refused, made, given.seconds))
