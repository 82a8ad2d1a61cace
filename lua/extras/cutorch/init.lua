-- require 'cutorch': Torch7's cutorch API for tensors on a GPU. A tensor whose current device is a
-- GPU is a torch.CudaTensor to typename, type and printing. Its fields are looked up in
-- torch.CudaTensor's metatable first, then in torch.FloatTensor's. See doc/cutorch.md.

local versions = require 'tensor.versions'
local each, shown = versions.each, versions.shown
local tensor = require 'torch'  -- first: it prepares the functions of tensor.native
local native = require 'tensor.native'
local types = require 'tensor.types'

local cutorch = {}

-- The GPUs, indexed by device number.
local gpus = {}
do
   local devices, missing = tensor.devices()
   for _, device in ipairs(devices) do
      if device.name:find('^gpu:') then
         gpus[#gpus + 1] = device
      end
   end
   if #gpus == 0 then
      local reasons = {}
      for kind, reason in each(missing) do
         reasons[#reasons + 1] = ('%s: %s'):format(kind, reason)
      end
      table.sort(reasons)
      error(('cutorch: no GPU found (%s); TENSOR_DEVICE=soft in the environment selects the '
             .. 'software device'):format(table.concat(reasons, '; ')), 0)
   end
end

local current = 1
local default   -- the name of the CUDA class that is the default tensor type, or nil

local function device_of(i, name)
   local device = type(i) == 'number' and gpus[i]
   if not device then
      error(('cutorch.%s: invalid device %s; the devices are 1 to %d')
            :format(name, shown(i), #gpus), 3)
   end
   return device
end

-- Sets the device where functions create tensors of the default type.
local function place_default()
   native.set_cuda_default(default and gpus[current].name or nil)
end

-- ---- devices -------------------------------------------------------------------------------

function cutorch.getDeviceCount() return #gpus end
function cutorch.getDevice() return current end

function cutorch.setDevice(i)
   device_of(i, 'setDevice')
   current = i
   place_default()
end

--- withDevice(i, f, ...): calls f(...) with another current device. Returns f's results; errors
-- pass unchanged. In a coroutine, the device is the former one while f is suspended.
function cutorch.withDevice(i, f, ...)
   device_of(i, 'withDevice')
   return native.with_setting(cutorch.getDevice, cutorch.setDevice, i, f, ...)
end

function cutorch.synchronize() tensor.synchronize(gpus[current].name) end
function cutorch.synchronizeAll()
   for _, device in ipairs(gpus) do
      tensor.synchronize(device.name)
   end
end

--- getMemoryUsage([i]): returns the free and total bytes of a device. Cached blocks count as free.
function cutorch.getMemoryUsage(i)
   local memory = tensor.memory(device_of(i or current, 'getMemoryUsage').name)
   return memory.free + memory.cached, memory.total
end

function cutorch.getDeviceProperties(i)
   local device = device_of(i or current, 'getDeviceProperties')
   local memory = tensor.memory(device.name)
   return {
      name = device.model, major = device.major, minor = device.minor,
      multiProcessorCount = device.multiprocessors, warpSize = 32,
      totalGlobalMem = memory.total, freeGlobalMem = memory.free + memory.cached,
      maxThreadsPerBlock = 1024, canMapHostMemory = 1, deviceOverlap = 1, integrated = 0,
   }
end

-- Parses "CUDA 13.0, driver for 13.1" into 13000 and 13010. Returns 0 on the software device.
local function version(pattern)
   local major, minor = (gpus[current].software or ''):match(pattern)
   return major and 1000 * tonumber(major) + 10 * tonumber(minor) or 0
end
function cutorch.getRuntimeVersion() return version('CUDA (%d+)%.(%d+)') end
function cutorch.getDriverVersion() return version('driver for (%d+)%.(%d+)') end
cutorch.driverVersion = cutorch.getDriverVersion()

cutorch.hasHalf = true
function cutorch.hasHalfInstructions() return true end
function cutorch.hasFastHalfInstructions() return true end
cutorch.magma = false
function cutorch.isCachingAllocatorEnabled() return true end
function cutorch.setHeapTracking() end
function cutorch.deviceReset() end

-- ---- random numbers: one generator per device -----------------------------------------------

local generators = {}
for i = 1, #gpus do
   generators[i] = tensor.Generator 'philox'
end

function cutorch.manualSeed(seed) tensor.manualSeed(generators[current], seed) end
function cutorch.manualSeedAll(seed)
   for _, generator in ipairs(generators) do
      tensor.manualSeed(generator, seed)
   end
end
function cutorch.seed() return tensor.seed(generators[current]) end
function cutorch.seedAll()
   local seed = cutorch.seed()
   cutorch.manualSeedAll(seed)
   return seed
end
function cutorch.initialSeed() return tensor.initialSeed(generators[current]) end
function cutorch.getRNGState() return tensor.getRNGState(generators[current]) end
function cutorch.setRNGState(state) tensor.setRNGState(generators[current], state) end

-- ---- classes ---------------------------------------------------------------------------------

-- Maps "torch.CudaTensor" to "torch.FloatTensor" and so on, and the inverse map.
local host_class, cuda_class = {}, {}

local function on_gpu(object) return object:device() ~= 'cpu' end

-- Raises a constructor's error at the position of the Lua caller. C functions between them are
-- skipped: the constructor is called through the metatable of its class table or directly.
local function blame_caller(message)
   local level = 3
   while (debug.getinfo(level, 'S') or {}).what == 'C' do
      level = level + 1
   end
   error(message, level)
end

-- Returns a constructor that creates an object of the CPU class and copies it to the current
-- device. Views of tensors on a device stay on that device.
local function constructor(host, name, takes_sizes)
   return function(...)
      local first = ...
      if (tensor.isTensor(first) or tensor.isStorage(first)) and not on_gpu(first) then
         local class = tensor.typename(first)
         if takes_sizes and class == 'torch.LongStorage' then
            return host.new():to(gpus[current].name):resize(...)
         elseif cuda_class[class] == name or tensor.isTensor(first)
                or cuda_class[class] == name:gsub('Tensor$', 'Storage') then
            blame_caller(('%s: a tensor or storage on a device is expected, got a %s')
                         :format(name, class))
         end
      end
      local made, object = pcall(host.new, ...)
      if not made then
         object = tostring(object):gsub('^[^\n]-%.lua:%d+: ', ''):gsub("to '%?'", "to " .. name, 1)
         blame_caller((object:gsub(host_class[name]:gsub('%.', '%%.') .. '%f[^%w]', name)))
      end
      return on_gpu(object) and object or object:to(gpus[current].name)
   end
end

local classes = {}
for _, kind in ipairs {'Tensor', 'Storage'} do
   for _, element in ipairs(types) do
      local name = types.class_name(element, kind, true)
      local host_name = types.class_name(element, kind)
      local host = tensor.getmetatable(host_name)
      host_class[name], cuda_class[host_name] = host_name, name
      local make = constructor(host, name, kind == 'Tensor')
      local class = tensor.newmetatable(name, host_name, make, nil, function() return make() end,
                                        tensor)
      classes[#classes + 1] = class

      --- getDevice(): returns the device number, or 0 if the object has no memory.
      function class.getDevice(self)
         local storage = kind == 'Tensor' and self:storage() or self
         return storage:size() == 0 and 0 or tonumber(self:device():match('%d+$')) or 0
      end
   end
end
native.set_cuda_classes(classes, generators)

for _, kind in ipairs {'Tensor', 'Storage'} do
   for _, element in ipairs(types) do
      local cuda_name = cuda_class[('torch.%s%s'):format(element.name, kind)]
      local host, cuda = tensor.getmetatable(host_class[cuda_name]), tensor.getmetatable(cuda_name)
      for _, to in ipairs(types) do
         local method = 'cuda' .. (to.name == 'Float' and '' or to.name)
         local wanted = cuda_class[('torch.%s%s'):format(to.name, kind)]
         host[method] = function(self) return self:type(wanted) end
      end

      -- Every copy is already asynchronous where possible.
      host.copyAsync = host.copy

      if kind == 'Tensor' then
         --- clone(): returns a copy on the current device.
         function cuda.clone(self)
            return cuda.new():resize(self:size()):copy(self)
         end
      end
   end
end

local setdefault, getdefault = tensor.setdefaulttensortype, tensor.getdefaulttensortype

function tensor.setdefaulttensortype(name)
   local host = host_class[name]
   setdefault(host or name)
   default = host and name
   place_default()
   if default then
      local element = name:match('^torch%.(.*)Tensor$')
      tensor.Tensor, tensor.Storage = tensor[element .. 'Tensor'], tensor[element .. 'Storage']
   end
end
function tensor.getdefaulttensortype()
   return default or getdefault()
end

--- The CPU class is used: the name shown depends on the object's current device.
local pushudata = tensor.pushudata
function tensor.pushudata(pointer, name)
   return pushudata(pointer, host_class[name] or name)
end

-- ---- memory of the host ----------------------------------------------------------------------

-- Copies of all host tensors go through pinned memory, so these are tensors like others.
for _, element in ipairs(types) do
   cutorch['createCudaHost' .. element.name .. 'Tensor'] = function(...)
      return tensor[element.name .. 'Tensor'](...)
   end
end
cutorch.createCudaHostTensor = cutorch.createCudaHostFloatTensor

function cutorch.isManaged() return false end
function cutorch.isManagedPtr() return false end

-- ---- streams, handles, peers: each device has a single queue, which runs all work in order -----

local counts = {Streams = 0, BlasHandles = 1}
local chosen = {Stream = 0, BlasHandle = 1}

local function check_count(n, name)
   if type(n) ~= 'number' or n < 0 or n % 1 ~= 0 then
      error(('cutorch.%s: a count is expected, got %s'):format(name, shown(n)), 3)
   end
end
for _, what in ipairs {'Stream', 'BlasHandle'} do
   local all = what .. 's'
   cutorch['reserve' .. all] = function(n)
      check_count(n, 'reserve' .. all)
      counts[all] = math.max(counts[all], n)
   end
   cutorch['getNum' .. all] = function() return counts[all] end
   cutorch['set' .. what] = function(n)
      check_count(n, 'set' .. what)
      if n > counts[all] then
         error(('cutorch.set%s: number %d is out of range: %d are reserved')
               :format(what, n, counts[all]), 2)
      end
      chosen[what] = n
   end
   cutorch['get' .. what] = function() return chosen[what] end
end
function cutorch.setDefaultStream() chosen.Stream = 0 end
function cutorch.streamSynchronize() cutorch.synchronize() end
function cutorch.streamWaitFor() end
function cutorch.streamWaitForMultiDevice() end
function cutorch.streamBarrier() end
function cutorch.streamBarrierMultiDevice() end

local Event = tensor.class('cutorch.Event', cutorch)
function Event:__init() self.device = current end
function Event.waitOn() end

function cutorch.setPeerToPeerAccess(from, to)
   device_of(from, 'setPeerToPeerAccess')
   device_of(to, 'setPeerToPeerAccess')
end
function cutorch.getPeerToPeerAccess(from, to)
   device_of(from, 'getPeerToPeerAccess')
   device_of(to, 'getPeerToPeerAccess')
   return true
end
function cutorch.setKernelPeerToPeerAccess() end
function cutorch.getKernelPeerToPeerAccess() return true end

rawset(_G, 'cutorch', cutorch)
return cutorch
