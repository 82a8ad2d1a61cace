-- tensor.data.workers: threads that prepare batches. Each has a Lua state of its own, which gets
-- copies of the functions; tensors are shared.

local message = require 'tensor.data.message'
local native = require 'tensor.native'.workers
local tensor = require 'tensor'
local versions = require 'tensor.versions'

local workers = {}

-- The code of a thread.
local CODE = [[
package.path, package.cpath = %q, %q
require 'tensor.data.workers'.run()
]]

-- Settings of this Lua state that the others get.
local function settings()
   local rules = {}
   for _, rule in ipairs(tensor.rules()) do
      rules[rule.name] = rule.mode
   end
   local cutorch = package.loaded.cutorch
   return {
      torch = package.loaded.torch ~= nil, gpu = cutorch and cutorch.getDevice(),
      type = tensor.getdefaulttensortype(), rules = rules, broadcast = tensor.getBroadcast(),
      device = tensor.getDefaultDevice(), generator = tensor.getGenerator(),
   }
end

local function apply(chosen)
   if chosen.torch then
      require 'torch'
   end
   if chosen.gpu then
      require 'cutorch'.setDevice(chosen.gpu)
   end
   for name, mode in versions.each(chosen.rules) do
      tensor.setRule(name, mode)
   end
   tensor.setBroadcast(chosen.broadcast)
   tensor.setdefaulttensortype(chosen.type)
   tensor.setDefaultDevice(chosen.device)
   tensor.setGenerator(chosen.generator)
end

-- Returns a message of the values. name: that of the k-th value in errors.
local function encode(name, ...)
   local list = {n = select('#', ...)}
   for k = 1, list.n do
      list[k] = {value = (select(k, ...)), name = ('%s %d'):format(name, k)}
   end
   return message.encode(list)
end

-- Returns a message of an error object. If it cannot be passed, its text and the reason, which are
-- one string, as errors of the pool itself are.
local function encode_error(object)
   local done, result = pcall(encode, 'error', object)
   return done and result or {('%s (%s)'):format(tostring(object), result)}
end

--- run(): what a thread does.
function workers.run()
   local setup = message.decode(native.setup())
   apply(setup[1])
   local run = setup[2](versions.unpack(setup, 3, setup.n))
   while true do
      local number, job = native.next()
      if not number then
         return
      end
      local done, result = pcall(function()
         local arguments = message.decode(job)
         return encode('result', run(versions.unpack(arguments, 1, arguments.n)))
      end)
      native.finish(number, done, done and result or encode_error(result))
   end
end

local Pool = {}
Pool.__index = Pool

--- start(count, make, arguments): returns a pool of threads. Each calls make(...) with copies of
-- the arguments, which returns a function that runs the jobs. arguments: rows {value=, name=},
-- where name is used in errors; their number is in the field n.
function workers.start(count, make, arguments)
   local list = {{value = settings(), name = 'settings'}, {value = make, name = 'make'},
                 n = arguments.n + 2}
   for k = 1, arguments.n do
      list[k + 2] = arguments[k]
   end
   local code = CODE:format(package.path, package.cpath)
   return setmetatable({threads = native.start(count, code, message.encode(list))}, Pool)
end

--- submit(...): queues a job with these arguments. Returns its number.
function Pool:submit(...)
   return native.submit(self.threads, encode('argument', ...))
end

--- take(number): waits for a job, and returns its results. Raises its error.
function Pool:take(number)
   local done, result = native.take(self.threads, number)
   if not done then
      error(#result == 1 and result[1] or message.decode(result)[1], 0)
   end
   result = message.decode(result)
   return versions.unpack(result, 1, result.n)
end

--- drop(): drops all jobs, so that they cannot be taken.
function Pool:drop()
   native.drop(self.threads)
end

--- stop(): drops the jobs that have not begun, and waits for the others.
function Pool:stop()
   native.stop(self.threads)
end

return workers
