-- Handlers that scripts/test-nginx adds to examples/nginx/nginx.conf. They show what doc/hosts.md
-- states about workers. The test loads this module in init_by_lua.

local ffi = require 'ffi'
local json = require 'cjson'
local tensor = require 'tensor'

local facts = {}
local MIB = 2 ^ 20

-- The master uses two threads, which do not exist in its workers.
tensor.setnumthreads(2)
tensor.manualSeed(1)
local big = tensor.FloatTensor(8 * MIB):fill(1)
local matrix = tensor.randn(300, 300)
local product, singular = matrix * matrix, select(2, matrix:svd())

-- The kilobytes of the mapping that contains t which this process does not share.
local function private(t)
  local address = tonumber(ffi.cast('uintptr_t', t:data()))
  local inside
  for line in io.lines '/proc/self/smaps' do
    local from, to = line:match '^(%x+)-(%x+) '
    if from then
      inside = tonumber(from, 16) <= address and address < tonumber(to, 16)
    elseif inside and line:match '^Private_Dirty' then
      return tonumber(line:match '%d+')
    end
  end
end

local function message(f, ...) return (select(2, pcall(f, ...)):gsub('^.-: ', '', 1)) end

function facts.start_worker()
  facts.inherited = tensor.rand(1)[1]
  tensor.seed()
  facts.own = tensor.rand(1)[1]
end

local function collect()
  local wrong = function() return matrix * tensor.ones(3) end
  local from_thread
  ngx.thread.wait(ngx.thread.spawn(function()
    ngx.sleep(0.001)
    from_thread = select(2, coroutine.resume(coroutine.create(wrong))):gsub('^.-: ', '', 1)
  end))
  -- A scope that waits, and garbage that is not in a scope.
  local sum = tensor.scope(function()
    local t = big:narrow(1, 1, MIB) + 1
    ngx.sleep(0.001)
    return t:sum()
  end)
  for _ = 1, 100 do
    big:narrow(1, 1, MIB):clone()
  end
  return {
    pid = ngx.worker.pid(),
    inherited = facts.inherited, own = facts.own,
    threads = tensor.getnumthreads(),
    sum = big:sum(), scope = sum,
    same = (matrix * matrix):equal(product) and select(2, matrix:svd()):equal(singular),
    errors = {message(wrong), from_thread, message(tensor.zeros, 2 ^ 20, 2 ^ 20)},
    private = private(big),
    growth = tensor.memory().bytes / MIB,
  }
end

--- Replies only when /release was requested. nginx is blocked meanwhile, so the other worker has to
-- answer that request.
function facts.hold()
  while not ngx.shared.facts:get 'released' do
    ffi.C.usleep(1000)
  end
  ngx.say(json.encode(collect()))
end
ffi.cdef 'int usleep(unsigned int);'

function facts.release()
  -- Writes to memory of the master: this worker gets its own copy of the pages.
  big:fill(2)
  local reply = {pid = ngx.worker.pid(), private = private(big), sum = big:sum(),
                 inherited = facts.inherited, own = facts.own}
  big:fill(1)
  ngx.shared.facts:set('released', true)
  ngx.say(json.encode(reply))
end

function facts.pid() ngx.say(ngx.worker.pid()) end

return facts
