-- A little of each use of torch in nn, image and threads, by the C package. Run by
-- scripts/test-package after test.lua.

require 'rows'

local tests, names = {}, {}
setmetatable(tests, {__newindex = function(_, name, f)
   names[#names + 1] = name
   rawset(tests, name, f)
end})

local function same(a, b)
   assert(torch.typename(a) == torch.typename(b) and a:isSameSizeAs(b), tostring(a) .. tostring(b))
   assert((a - b):abs():max() < 1e-6, tostring(a) .. tostring(b))
end

-- ---- a C library by the FFI --------------------------------------------------------------------

for _, name in ipairs {'torch.FloatTensor', 'torch.DoubleTensor'} do
   tests['kernels are fields of the metatable: ' .. name] = function()
      local Tensor = torch.getmetatable(name).new
      local input = Tensor {{1, 2}, {3, 4}}
      local output, bias = input.new(), Tensor {10, 20}
      local optional = rows.kernels.optional
      input.ROWS.affine(input:cdata(), output:cdata(), optional(bias), 2, false)
      same(output, Tensor {{12, 24}, {16, 28}})
      input.ROWS.affine(input:cdata(), output:cdata(), optional(nil), 2, false)
      same(output, Tensor {{2, 4}, {6, 8}})
      input:t().ROWS.affine(input:t():cdata(), output:cdata(), bias:cdata(), 1, false)
      same(output, Tensor {{11, 23}, {12, 24}})
      local index = torch.LongTensor {2, 1, 2}
      input.ROWS.pick(input:cdata(), output:cdata(), index:cdata())
      same(output, Tensor {{3, 4}, {1, 2}, {3, 4}})
      input.ROWS.affine(input:cdata(), output:cdata(), nil, 3, true)
      assert(torch.pointer(output:storage()) == torch.pointer(input:storage()))
      same(input, Tensor {{3, 6}, {9, 12}})
   end

   tests['errors of C are errors of Lua: ' .. name] = function()
      local Tensor = torch.getmetatable(name).new
      local input, output = Tensor(2, 2):fill(1), Tensor {{5}}
      local function wrong()
         input.ROWS.affine(input:cdata(), output:cdata(), input:cdata(), 1, false)
      end
      for _ = 1, 200 do
         local ok, message = pcall(wrong)
         assert(not ok and message:find('a bias for each of 2 columns', 1, true), message)
      end
      same(output, Tensor {{5}})
      assert(not pcall(function()
         return input.ROWS.affine(torch.IntTensor(2, 2):cdata(), output:cdata(), nil, 1, false)
      end), 'a tensor of another type')
   end
end

tests['the generator of torch is drawn from'] = function()
   local t = torch.FloatTensor(4, 3):zero()
   torch.manualSeed(3)
   t.ROWS.noise(t:cdata(), rows.kernels.generator(), 2)
   torch.manualSeed(3)
   local expected = torch.FloatTensor(4, 3)
   for i = 1, 4 do
      for j = 1, 3 do expected[i][j] = torch.uniform(0, 2) end
   end
   same(t, expected)
end

tests['a module that is not linked with Torch finds its functions'] = function()
   local sum = require 'paths'.require 'librowsunlinked'
   assert(sum(torch.LongStorage {2, 3}) == 5)
   local ffi = require 'ffi'
   ffi.cdef [[
      long rows_unlinked_sum(THLongStorage *);
      ptrdiff_t THLongStorage_size(const THLongStorage *);
   ]]
   assert(ffi.C.rows_unlinked_sum(torch.LongStorage {4, 5}:cdata()) == 9)
   assert(ffi.C.THLongStorage_size(torch.LongStorage(7):cdata()) == 7)
end

-- ---- classes -----------------------------------------------------------------------------------

tests['a class of C is derived from a tensor'] = function()
   local m = rows.Matrix(2, 2):fill(3)
   assert(torch.typename(m) == 'rows.Matrix' and torch.isTensor(m))
   assert(torch.isTypeOf(m, 'rows.Matrix') and torch.isTypeOf(m, 'torch.FloatTensor'))
   m[1][2] = 5
   assert(m:sum() == 14 and m[{2, 2}] == 3 and m:size(1) == 2)
   local trace, from = m:trace()
   assert(trace == 6 and from == 'rows.Matrix')
   assert(torch.FloatTensor(2, 2):fill(1):trace() == 2)
   assert(m.rows.count(m) == 4 and m.rows.count(torch.FloatTensor(3)) == 3)
   assert(m.rows.count(torch.DoubleTensor(3)) == nil and m.rows.count(3) == nil)
   m.ROWS.affine(m:cdata(), m:cdata(), nil, 2, true)
   same(m + 0, torch.FloatTensor {{6, 10}, {6, 6}})
   function rows.Matrix:half() return self * 0.5 end
   same(m:half(), torch.FloatTensor {{3, 5}, {3, 3}})
   assert(torch.FloatTensor.half ~= rows.Matrix.half)
end

tests['operators may be given to classes at the end'] = function()
   local Module = torch.class('rows.Module')
   function Module:__init(n) self.n = n end
   local Double, parent = torch.class('rows.Double', 'rows.Module')
   function Double:__init(n) parent.__init(self, 2 * n) end
   local a, b = rows.Module(1), rows.Double(2)
   assert(not pcall(function() return a(1) end))
   function Module:__call__(x) return self.n + x end
   function Module:__unm__() return rows.Module(-self.n) end
   function Module.__sub__(x, y) return x.n - y.n end
   function Module:__tostring__() return 'n = ' .. self.n end
   assert(a(10) == 11 and b(10) == 14 and (-b).n == -4 and b - a == 3)
   assert(tostring(a) == 'n = 1' and tostring(b) == 'n = 4')
   assert(torch.type(b) == 'rows.Double' and torch.isTypeOf(b, 'rows.Module'))
   assert(not pcall(torch.class, 'nosuchmodule.Class'))
end

-- ---- objects through files in memory -----------------------------------------------------------

local function clone(object)
   local file = torch.MemoryFile('rw'):binary()
   file:writeObject(object)
   file:seek(1)
   local copy = file:readObject()
   file:close()
   return copy
end

tests['objects are cloned through a MemoryFile'] = function()
   local Layer = torch.class('rows.Layer')
   function Layer:__init(n)
      self.weight = torch.FloatTensor(n, n):fill(n)
      self.row = self.weight[1]
      self.names, self.self = {'a', true}, self
   end
   local layer = rows.Layer(3)
   layer.f = function(x) return x + 1 end
   local copy = clone {layer, layer, layer.weight:storage()}
   assert(copy[1] == copy[2] and torch.type(copy[1]) == 'rows.Layer' and copy[1].self == copy[1])
   assert(copy[1].names[2] == true and copy[1].f(1) == 2)
   copy[1].row:fill(7)
   assert(copy[1].weight:sum() == 3 * 7 + 18 and copy[3][1] == 7)
   assert(layer.weight:sum() == 27)

   -- A method of nn's class removes fields while it clones.
   local written = {}
   function rows.Layer:write(file)
      written[#written + 1] = self
      file:writeObject {weight = self.weight}
   end
   copy = clone(layer)
   rows.Layer.write = nil
   assert(#written == 1 and copy.names == nil)
   same(copy.weight, layer.weight)
   assert(clone(layer).names[1] == 'a')
end

-- ---- threads -----------------------------------------------------------------------------------

local function text(s) return torch.CharStorage():string(s) end

tests['a worker has a torch of its own'] = function()
   local worker = rows.Worker([[
      local storage = ...
      return storage:string() .. torch.type(torch.ones(2)) .. tostring(rows)]], text 'got ')
   assert(worker:join() == 'got torch.DoubleTensornil')
   worker = rows.Worker('torch.ones(2):sum(3)', text '')
   local ok, message = pcall(worker.join, worker)
   assert(not ok and message:find('dimension 3', 1, true), message)
end

-- Like threads' sharedserialize: tensors and storages are written as their addresses.
local shared = [[
   local shared = {}
   local function replaced(class)
      local before = {write = rawget(class, 'write'), read = rawget(class, 'read'),
                      factory = rawget(class, '__factory')}
      local name = class.__typename
      rawset(class, '__factory', function(file)
         local pointer = file:readObject()
         return torch.pushudata(tonumber(pointer), name)
      end)
      rawset(class, 'write', function(self, file)
         self:retain()
         file:writeObject(('%.0f'):format(torch.pointer(self)))
      end)
      rawset(class, 'read', function() end)
      return function()
         rawset(class, 'write', before.write)
         rawset(class, 'read', before.read)
         rawset(class, '__factory', before.factory)
      end
   end
   function shared.with(f, ...)
      local restore = {}
      for _, type in ipairs {'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double'} do
         for _, kind in ipairs {'Tensor', 'Storage'} do
            restore[#restore + 1] = replaced(torch.getmetatable(('torch.%s%s'):format(type, kind)))
         end
      end
      local ok, result = pcall(f, ...)
      for _, f in ipairs(restore) do f() end
      return assert(ok and result, result)
   end
   function shared.save(object)
      return shared.with(function()
         local file = torch.MemoryFile():binary()
         file:writeObject(object)
         local storage = file:storage()
         file:close()
         return storage
      end)
   end
   function shared.load(storage)
      return shared.with(function()
         local file = torch.MemoryFile(storage, 'r'):binary()
         local object = file:readObject()
         file:close()
         return object
      end)
   end
]]

tests['jobs of workers share tensors with the thread that created them'] = function()
   local save = assert(loadstring(shared .. ' return shared'))().save
   local t = torch.FloatTensor(4, 100):fill(1)
   local workers = {}
   for k = 1, 4 do
      local job = {row = t[k], all = t, k = k, f = function(x) return 10 * x end, name = {'job'}}
      workers[k] = rows.Worker(shared .. [[
         local job = shared.load(...)
         for _ = 1, 100 do job.row:add(job.f(job.k)) end
         assert(job.all:size(1) == 4 and job.name[1] == 'job')
         return tostring(job.row:sum())]], save(job))
   end
   for k = 1, 4 do
      assert(tonumber(workers[k]:join()) == 100 * (1 + 1000 * k))
      assert(t[k]:sum() == 100 * (1 + 1000 * k))
   end
   workers = nil   -- luacheck: ignore
   collectgarbage()
   collectgarbage()
   assert(t:cdata().refcount == 1)
   same(clone(t), t)
end

-- ---- on a device -------------------------------------------------------------------------------

if os.getenv('TENSOR_SOFT_PLUGIN') then
   tests['kernels of C accept tensors on a device'] = function()
      local input = torch.FloatTensor {{1, 2}, {3, 4}}:to('soft')
      local output = input.new()
      input.ROWS.affine(input:cdata(), output:cdata(), input:narrow(1, 1, 1):cdata(), 2, false)
      same(output:to('cpu'), torch.FloatTensor {{3, 6}, {7, 10}})
      assert(rows.Matrix(2, 2):fill(1):to('soft'):add(1):trace() == 4)
      same(clone(input):to('cpu'), torch.FloatTensor {{1, 2}, {3, 4}})
   end
end

for _, name in ipairs(names) do
   local ok, message = xpcall(tests[name], debug.traceback)
   if not ok then
      error(('%s: %s'):format(name, message), 0)
   end
end
print(#names .. ' behaviours of packages work')
