-- Several processes save the same files at once, and one of them is killed again and again. A
-- reader finds only complete contents.
-- Usage: luajit test/lua/fuzz/writers.lua [seconds=60] [seed=1]
-- In the environment: as of the specs (TENSOR_PREFIX, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
package.path = here .. '../?.lua;' .. package.path
dofile(here .. '../helper.lua')
local tensor = require 'tensor'
local elements = require 'support.elements'
local child = require 'support.child'
local files = require 'support.files'

local given = { seconds = '60', seed = '1', folder = '', writer = '' }
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(.*)$'
  assert(given[key], 'invalid option: ' .. text)
  given[key] = value
end
local random = elements.generator(tonumber(given.seed) * 104729 + (tonumber(given.writer) or 0) * 7)
local function below(n) return math.floor(random() * n) end

-- Contents k: k times the number k, or a multiple of it, so that a mixture of two is noticed.
local KINDS = 200
local function row(k) return tensor.FloatTensor(1, k * 13):fill(k) end
local function check_row(t)
  local k = t:min()
  return t:max() == k and t:nElement() == k * 13
end
local formats = {
  t7 = { row, check_row },
  npy = { row, check_row, { map = true } },
  csv = { row, check_row, { header = false, type = 'Float' } },
  npz = { function(k) return { t = row(k) } end, function(a) return check_row(a.t) end },
  png = { function(k) return row(k):byte() end, check_row, { type = 'Byte' } },
}
if pcall(require, 'cjson') then
  formats.safetensors = { formats.npz[1], formats.npz[2], { map = true } }
end
local names = {}
for ending in pairs(formats) do names[#names + 1] = 'a.' .. ending end
table.sort(names)
-- Through a symbolic link, and under the longest name that there may be.
names[#names + 1] = 'link.npy'
names[#names + 1] = ('x'):rep(251) .. '.npy'
local function format_of(name) return formats[name:match '%w+$'] end

-- Saves until it is killed, or the folder has a file named stop.
local function write(folder, ishard)
  while true do
    for _ = 1, 20 do
      local name = names[below(#names) + 1]
      if ishard and random() < 0.2 then name = 'hard.npy' end
      tensor.save(folder .. name, format_of(name)[1](below(KINDS) + 1))
    end
    local stop = io.open(folder .. 'stop')
    if stop then
      stop:close()
      return
    end
  end
end
if given.writer ~= '' then
  return write(given.folder, given.writer ~= '1')
end

local folder = files.new_folder() .. '/'
for _, name in ipairs(names) do
  tensor.save(folder .. (name == 'link.npy' and 'target.npy' or name), format_of(name)[1](1))
end
tensor.save(folder .. 'hard.npy', row(1))
os.execute(('cd %s; ln -s target.npy link.npy; ln hard.npy hard2.npy'):format(folder))

local started = 0
local function start(number)
  started = started + 1
  local pipe = io.popen(('echo $$; exec %s %s seed=%d writer=%d folder=%s 2>&1')
    :format(child.interpreter, here .. 'writers.lua', given.seed + started, number, folder))
  return { pipe = pipe, id = assert(pipe:read '*l') }
end

-- The first is killed again and again, and has no part in the file with two names, which a process
-- that is killed may leave in part.
local writers = { start(1), start(2), start(3) }
local loads, kills = 0, 0
local function read()
  local ends, next_kill = tensor.tic() + tonumber(given.seconds), tensor.tic() + 1
  while tensor.tic() < ends do
    local name = names[below(#names) + 1]
    local format = format_of(name)
    local loaded = tensor.load(folder .. name, format[3])
    assert(format[2](loaded), name .. ' has a mixture of contents')
    loads = loads + 1
    if tensor.tic() > next_kill then
      os.execute('kill -9 ' .. writers[1].id)
      writers[1].pipe:close()
      writers[1], kills = start(1), kills + 1
      next_kill = tensor.tic() + 0.3 + random()
    end
  end
end
local done, failure = pcall(read)
io.open(folder .. 'stop', 'w'):close()
for _, writer in ipairs(writers) do
  local output = writer.pipe:read '*a'
  writer.pipe:close()
  if done and output ~= '' then done, failure = false, output end
end

local function hard_links()
  local a, b = tensor.load(folder .. 'hard.npy'), tensor.load(folder .. 'hard2.npy')
  assert(check_row(a) and a:equal(b), 'hard.npy has a mixture of contents')
end
if done then done, failure = pcall(hard_links) end
local left = 0
for name in io.popen('ls -A ' .. folder):lines() do
  if name:find '%.tmp$' then left = left + 1 end
end
os.execute('rm -r ' .. folder)
if not done then error(failure, 0) end
print(('%d loads while 3 processes saved; 1 of them killed %d times, which left %d files; %s s')
      :format(loads, kills, left, given.seconds))
