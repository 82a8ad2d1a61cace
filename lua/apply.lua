-- apply, map and map2: a Lua function on every element, through pointers, so that LuaJIT compiles
-- loop and function together. With the JIT off the same loops run in the interpreter.

local types = require 'tensor.types'

local function install(tensor)
   local found, ffi = pcall(require, 'ffi')
   if not found then
      return
   end
   local access = require 'tensor.number'

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
   local native = tensor._apply
   tensor._apply = nil
   if not native then
      return  -- the methods are there already
   end

   -- Loops over raw pointers: the storages must stay meanwhile, also when the function yields, and
   -- as long as its coroutine may be resumed. The loop gets views of its own, whatever becomes of
   -- the tensors.
   local function pinned(how, tensors, loop)
      local views, pins = {}, 0
      local function release()
         while pins > 0 do
            pins = pins - 1
            pcall(native.unpin, views[pins + 1])
         end
      end
      for k, t in ipairs(tensors) do
         native.check(t)
         views[k] = how.view(t)
      end
      -- Made last, so that it is finalized before the views.
      local guard = newproxy(true)
      getmetatable(guard).__gc = release
      for k, view in ipairs(views) do
         native.pin(view)
         pins = k
      end
      local ok, message = pcall(loop, views)
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

   -- An operand's elements on the host: where they are, and a byte that says whether they still may
   -- be used there. The function may have had them moved to a device, or written there.
   local WRITABLE, MOVED = 3, 0
   local function operand(how, view, step, writes)
      local function settle()
         return ffi.cast(how.pointer, native.settle(view, writes))
      end
      local pointer = settle()
      return {pointer = pointer, settle = settle, step = step,
              ready = ffi.cast('const uint8_t *', native.ready(view))}
   end

   local loops = {}

   loops[1] = function(how, n, f, a)
      local load, store, p, step, ready = how.load, how.store, a.pointer, a.step, a.ready
      return function(offset)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(load(p, at))
            if ready[0] ~= WRITABLE then
               p = a.settle()
            end
            if value ~= nil then
               store(p, at, stored(value))
            end
         end
      end
   end

   loops[2] = function(how, n, f, a, b)
      local load, store, p, step, ready = how.load, how.store, a.pointer, a.step, a.ready
      local q, step2, ready2 = b.pointer, b.step, b.ready
      return function(offset, offset2)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(load(p, at), load(q, offset2 + i * step2))
            if ready[0] ~= WRITABLE then
               p = a.settle()
            end
            if ready2[0] == MOVED then
               q = b.settle()
            end
            if value ~= nil then
               store(p, at, stored(value))
            end
         end
      end
   end

   loops[3] = function(how, n, f, a, b, c)
      local load, store, p, step, ready = how.load, how.store, a.pointer, a.step, a.ready
      local q, step2, ready2 = b.pointer, b.step, b.ready
      local r, step3, ready3 = c.pointer, c.step, c.ready
      return function(offset, offset2, offset3)
         for i = 0, n - 1 do
            local at = offset + i * step
            local value = f(load(p, at), load(q, offset2 + i * step2), load(r, offset3 + i * step3))
            if ready[0] ~= WRITABLE then
               p = a.settle()
            end
            if ready2[0] == MOVED then
               q = b.settle()
            end
            if ready3[0] == MOVED then
               r = c.settle()
            end
            if value ~= nil then
               store(p, at, stored(value))
            end
         end
      end
   end

   local function run(how, tensors, f)
      if tensors[1]:nElement() == 0 then
         return tensors[1]
      end
      return pinned(how, tensors, function(views)
         local dims = walk(views)
         local inner, operands = dims[1], {}
         for k, view in ipairs(views) do
            operands[k] = operand(how, view, inner[k], k == 1)
         end
         eachrow(dims, loops[#views](how, inner.size, f, unpack(operands)))
      end)
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

   -- All in the first one's sizes, as shapes pair everywhere.
   local function aligned(name, tensors)
      for k = 2, #tensors do
         if not tensors[k]:isSameSizeAs(tensors[1]) then
            tensors[k] = native.align(tensors[1], tensors[k], name)
         end
      end
      return tensors
   end

   for _, element in ipairs(types) do
      local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
      local view = tensor[element.name .. 'Tensor']
      local how = access(element, native.accessors(view()))
      how.view = view

      --- t:apply(f): each element becomes f(element), or stays where f returns nothing; one after
      -- the other, so that f is given what calls before have written to the same memory.
      function class.apply(self, f)
         check('apply', f, {self})
         return run(how, {self}, f)
      end

      --- t:map(u, f): each element becomes f(element of t, element of u).
      function class.map(self, other, f)
         check('map', f, {self, other})
         return run(how, aligned('map', {self, other}), f)
      end

      --- t:map2(u, v, f): each element becomes f(elements of t, u and v).
      function class.map2(self, other, third, f)
         check('map2', f, {self, other, third})
         return run(how, aligned('map2', {self, other, third}), f)
      end
   end
end

return install
