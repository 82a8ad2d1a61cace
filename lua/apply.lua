-- apply, map and map2: a Lua function on every element, through pointers, so that LuaJIT compiles
-- loop and function together. With the JIT off the same loops run in the interpreter.

local types = require 'tensor.types'

local function install(tensor)
   local found = pcall(require, 'ffi')
   if not found then
      return
   end

   -- Sizes and strides of the dimensions, innermost first, with neighbours that lie in memory as
   -- one merged. All tensors have the first one's sizes.
   local function walk(tensors)
      local dims = {}
      for d = tensors[1]:dim(), 1, -1 do
         local dim = {size = tensors[1]:size(d)}
         for k, t in ipairs(tensors) do
            dim[k] = t:stride(d)
         end
         local inner = dims[#dims]
         local merges = inner ~= nil
         for k in ipairs(tensors) do
            merges = merges and dim[k] == inner.size * inner[k]
         end
         if merges then
            inner.size = inner.size * dim.size
         elseif dim.size ~= 1 then
            dims[#dims + 1] = dim
         end
      end
      if #dims == 0 then
         dims[1] = {size = 1, 0, 0, 0}
      end
      return dims
   end

   -- Calls run(offset1, offset2, offset3) for every row of the innermost dimension.
   local function eachrow(dims, run)
      local index, outer = {}, 1
      for d = 2, #dims do
         index[d] = 0
         outer = outer * dims[d].size
      end
      local a, b, c = 0, 0, 0
      for _ = 1, outer do
         run(a, b, c)
         for d = 2, #dims do
            local dim = dims[d]
            index[d] = index[d] + 1
            a, b, c = a + dim[1], b + (dim[2] or 0), c + (dim[3] or 0)
            if index[d] < dim.size then
               break
            end
            a = a - dim.size * dim[1]
            b = b - dim.size * (dim[2] or 0)
            c = c - dim.size * (dim[3] or 0)
            index[d] = 0
         end
      end
   end

   -- Nobody else's to call: what is unpinned too early may move under a loop.
   local pin, unpin
   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
      pin, unpin = class._pin or pin, class._unpin or unpin
      class._pin, class._unpin = nil, nil
   end

   -- Loops over raw pointers: the storages must stay, and stay where they are, meanwhile; also when
   -- the function yields, and as long as its coroutine may be resumed.
   local function pinned(tensors, loop)
      local storages = {}
      local function release()
         for k = #storages, 1, -1 do
            pcall(unpin, table.remove(storages, k))
         end
      end
      for k, t in ipairs(tensors) do
         storages[k] = t:storage()
         pin(t)
      end
      -- Made last, so that it is finalized before the storages.
      local guard = newproxy(true)
      getmetatable(guard).__gc = release
      local ok, message = pcall(loop)
      getmetatable(guard).__gc = nil
      release()
      if not ok then
         error(message, 0)
      end
      return tensors[1]
   end

   local function stored(value)
      if type(value) ~= 'number' then
         error(('the function must return a number or nothing, got %s'):format(type(value)), 0)
      end
      return value
   end

   local loops = {}

   loops[1] = function(p, n, step, f)
      return function(offset)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(tonumber(p[at]))
            if value ~= nil then
               p[at] = stored(value)
            end
         end
      end
   end

   loops[2] = function(p, n, step, f, q, step2)
      return function(offset, offset2)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(tonumber(p[at]), tonumber(q[offset2 + i * step2]))
            if value ~= nil then
               p[at] = stored(value)
            end
         end
      end
   end

   loops[3] = function(p, n, step, f, q, step2, r, step3)
      return function(offset, offset2, offset3)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(tonumber(p[at]), tonumber(q[offset2 + i * step2]),
                            tonumber(r[offset3 + i * step3]))
            if value ~= nil then
               p[at] = stored(value)
            end
         end
      end
   end

   local function run(tensors, f)
      if tensors[1]:nElement() == 0 then
         return tensors[1]
      end
      return pinned(tensors, function()
         local dims = walk(tensors)
         local inner = dims[1]
         local pointers = {}
         for k, t in ipairs(tensors) do
            pointers[k] = t:data()
         end
         local row = loops[#tensors](pointers[1], inner.size, inner[1], f, pointers[2], inner[2],
                                     pointers[3], inner[3])
         eachrow(dims, row)
      end)
   end

   -- Integers are stored as C does it, but from a number that may be out of range or NaN; and the
   -- 16-bit floats have no arithmetic in Lua: both go through a tensor of doubles.
   local function throughdoubles(tensors, f)
      local doubles = {}
      for k, t in ipairs(tensors) do
         doubles[k] = t:double()
      end
      run(doubles, f)
      tensors[1]:copy(doubles[1])
      return tensors[1]
   end

   local function check(name, f, tensors)
      if type(f) ~= 'function' then
         error(('%s: a function is expected, got %s'):format(name, tensor.type(f)), 3)
      end
      for k = 2, #tensors do
         if tensor.typename(tensors[k]) ~= tensor.typename(tensors[1]) then
            error(('%s: a %s is expected, got %s'):format(name, tensor.typename(tensors[1]),
                                                         tensor.type(tensors[k])), 3)
         end
      end
   end

   -- All in the first one's sizes; element counts must agree.
   local function aligned(name, tensors)
      local first = tensors[1]
      for k = 2, #tensors do
         local t = tensors[k]
         if not t:isSameSizeAs(first) then
            if t:nElement() ~= first:nElement() then
               error(('%s: the tensors have %d and %d elements')
                     :format(name, first:nElement(), t:nElement()), 3)
            end
            tensors[k] = t:contiguous():view(first:size())
         end
      end
      return tensors
   end

   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
      local direct = not element.packed and not element.integral
      local go = direct and run or throughdoubles

      --- t:apply(f): each element becomes f(element), or stays where f returns nothing.
      function class.apply(self, f)
         check('apply', f, {self})
         return go({self}, f)
      end

      --- t:map(u, f): each element becomes f(element of t, element of u).
      function class.map(self, other, f)
         check('map', f, {self, other})
         return go(aligned('map', {self, other}), f)
      end

      --- t:map2(u, v, f): each element becomes f(elements of t, u and v).
      function class.map2(self, other, third, f)
         check('map2', f, {self, other, third})
         return go(aligned('map2', {self, other, third}), f)
      end
   end
end

return install
