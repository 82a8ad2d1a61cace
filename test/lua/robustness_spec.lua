-- Wrong calls and calls in unusual order: the process survives, memory outside our own is not
-- touched, and tensors are unchanged after an error.

local tensor = require 'tensor'

local function collect()
  collectgarbage()
  collectgarbage()
end

local function fails(pattern, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.matches(pattern, message)
end

describe('robustness', function()
  describe('of finalizers called from Lua', function()
    it('leaves alone what is not of the class', function()
      local t, s = tensor.Tensor{1, 2, 3}, tensor.IntStorage{4, 5}
      local generator = tensor.Generator()
      for _, class in ipairs {'torch.DoubleTensor', 'torch.DoubleStorage', 'torch.Generator'} do
        local finalize = tensor.getmetatable(class).__gc
        for _, object in ipairs {io.stdout, newproxy(), newproxy(true), 1, 'x', {}} do
          finalize(object)
        end
        finalize()
      end
      tensor.getmetatable('torch.Generator').__gc(t)
      tensor.getmetatable('torch.DoubleStorage').__gc(t)
      tensor.getmetatable('torch.DoubleTensor').__gc(generator)
      tensor.getmetatable('torch.DoubleTensor').__gc(s)
      collect()
      assert.equal('file', io.type(io.stdout))
      assert.same({1, 2, 3}, t:totable())
      assert.same({4, 5}, s:totable())
      assert.is_number(tensor.random(generator))
    end)

    it('frees once, and rejects freed tensors', function()
      local before = tensor.memory().blocks
      local t = tensor.Tensor(3):fill(1)
      local finalize = getmetatable(t).__gc
      finalize(t)
      finalize(t)
      assert.equal(before, tensor.memory().blocks)
      fails('has freed it', function() return t:size() end)
    end)
  end)

  it('of totable and string refuse more than fits into a table or a string', function()
    fails('totable: .* entries are too many',
          function() return tensor.Tensor(2 ^ 40, 0):totable() end)
    fails('totable: .* entries are too many',
          function() return tensor.Tensor(2 ^ 16, 2 ^ 16, 0, 5):totable() end)
    fails('totable: .* entries are too many',
          function() return tensor.ByteTensor(1):expand(2 ^ 31):totable() end)
    local large = tensor.CharStorage(2 ^ 32)
    fails('totable: 4294967296 entries are too many', function() return large:totable() end)
    if jit then
      fails('totable: 134217729 entries are too many',
            function() return tensor.ByteTensor(1):expand(2 ^ 27 + 1):totable() end)
      fails('string: 4294967296 bytes do not fit into a string', function() large:string() end)
    end
    assert.same({ {}, {} }, tensor.Tensor(2, 0):totable())
  end)

  it('of functions that split refuse more views than a table has', function()
    local rows, row = tensor.ones(1, 2):expand(2 ^ 27 + 1, 2), tensor.ones(2, 1):expand(2, 2 ^ 28)
    local function refuses(name, ...)
      fails('robustness_spec.lua:%d+: ' .. name .. ': [%d.e+]+ entries are too many$',
            function(...) return (tensor[name](...)) end, ...)
    end
    for _, parts in ipairs { 2 ^ 27 + 1, 2 ^ 31, 2 ^ 53, 2 ^ 63, 1e308 } do
      refuses('tensorSplit', tensor.ones(3), parts)
      refuses('hsplit', tensor.zeros(1, 0), parts)
      refuses('vsplit', tensor.ones(3, 1), parts)
      refuses('dsplit', tensor.zeros(1, 1, 0), parts)
    end
    refuses('hsplit', row, 2 ^ 28)
    refuses('vsplit', rows, 2 ^ 27 + 1)
    refuses('unbind', rows)
    refuses('unbind', row, 2)
    local list = { 1, 2 }
    refuses('split', list, rows, 1)
    refuses('split', row, 1, -1)
    refuses('chunk', list, rows, 2 ^ 27 + 1)
    refuses('chunk', row, math.huge, 2)
    assert.same({ 1, 2 }, list)
    -- The number of views counts, not the size.
    assert.equal(2, #rows:split(2 ^ 27))
    assert.equal(3, #row:chunk(3, 2))
    assert.equal(4, #row:tensorSplit(4, 2))
    assert.equal(1, #row:tensorSplit(1, 2))
    assert.equal(5, #tensor.ones(3):tensorSplit(5))
    assert.equal(2, #row:unbind())
  end)

  describe('of free', function()
    it('does not take the storage from a tensor', function()
      local t = tensor.Tensor{1, 2, 3}
      for _ = 1, 3 do
        t:storage():free()
        collect()
      end
      assert.same({1, 2, 3}, t:totable())
    end)

    it('frees only references that retain took', function()
      local t = tensor.Tensor{1, 2, 3}
      local view, storage = t:narrow(1, 1, 2), t:storage()
      storage:retain()
      storage:free()
      storage:free()
      storage:free()
      t:retain()
      t:free()
      assert.same({1, 2, 3}, t:totable())
      t:free()
      t, storage = nil, nil
      collect()
      assert.same({1, 2}, view:totable())
      assert.is_nil(t or storage)
    end)
  end)

  describe('of storages that change their size', function()
    it('may lose all memory and get some again', function()
      local s = tensor.DoubleStorage{1, 2, 3}
      s:resize(0):resize(2)
      assert.same({0, 0}, s:totable())
      local t = tensor.Tensor{1, 2, 3}
      t:storage():resize(0)
      assert.same({5, 5, 5, 5}, t:resize(4):fill(5):totable())
    end)

    it('are checked before an operation resizes its result', function()
      for _, name in ipairs {'neg', 'exp', 'sort', 'clone', 'cumsum', 'repeatTensor'} do
        local result, t = tensor.Tensor{{1, 2}}, tensor.Tensor{4, 5, 6}
        t:storage():resize(2)
        local call = {result, t, name == 'repeatTensor' and 2 or nil}
        if name == 'clone' then
          call = {t}
        end
        fails('storage was resized to 2 elements', result[name], unpack(call))
        assert.same({{1, 2}}, result:totable())
        assert.same({4, 5}, t:storage():totable())
      end
      local list = {tensor.Tensor{1}, tensor.Tensor{1, 2}}
      list[2]:storage():resize(0)
      fails('storage was resized', tensor.cat, list, 1)
    end)

    it('are checked by every way of indexing', function()
      local t = tensor.Tensor(2, 3):fill(7)
      t:storage():resize(4)
      for _, key in ipairs {1, {}, {2}, {2, 3}, {{1, 2}}, tensor.LongStorage{2, 3},
                     tensor.ByteTensor(2, 3):fill(1), tensor.LongTensor{1}} do
        fails('storage was resized', function() return t[key] end)
        if not tensor.isStorage(key) then
          fails('storage was resized', function() t[key] = 1 end)
        end
      end
      fails('storage was resized', t.apply, t, function() return 1 end)
      fails('storage was resized', t.map, tensor.ones(2, 3), t, function() return 1 end)
      assert.same({7, 7, 7, 7}, t:storage():totable())
    end)
  end)

  describe('of metamethods called by hand', function()
    it('takes too few and too many arguments', function()
      local class = tensor.getmetatable('torch.ShortTensor')
      local t = tensor.ShortTensor{1, 2}
      class.__index__ = function() return nil, false end
      class.__newindex__ = function() return false end
      local ok, message = pcall(function()
        fails('indexed by', class.__index, t)
        fails('indexed by', class.__newindex, t)
        fails('indexed by', class.__index, t, true)
        fails('indexed by', class.__newindex, t, true)
        assert.equal(2, class.__index(t, 2, 7, 8))
        class.__newindex(t, 1, 5, 6)
      end)
      class.__index__, class.__newindex__ = nil, nil
      assert.is_true(ok, message)
      assert.same({5, 2}, t:totable())
      fails('expected, got nil', class.__index)
      fails('expected, got nil', class.__newindex, t, 1)
    end)

    it('knows that a tensor without dimensions has no element', function()
      fails('empty tensor cannot be indexed', function()
        return tensor.Tensor()[tensor.LongStorage()]
      end)
    end)
  end)

  describe('of the collector', function()
    it('survives errors of finalizers when memory runs out', function()
      -- Otherwise the failing finalizers could run here.
      collectgarbage('stop')
      for _ = 1, 3 do
        getmetatable(newproxy(true)).__gc = function() error('a finalizer fails') end
      end
      fails('out of memory', function() return tensor.ByteTensor(1.75 * 2 ^ 46):fill(1) end)
      collectgarbage('restart')
    end)
  end)

  describe('of loading', function()
    it('gives the same module again', function()
      local core = require 'tensor.core'
      package.loaded['tensor.core'] = nil
      assert.equal(core, require 'tensor.core')
      assert.same({1, 1}, tensor.FloatTensor(2):fill(1):totable())
      assert.is_number(tensor.uniform())
    end)
  end)

  describe('of apply', function()
    it('keeps to itself what pins the memory', function()
      local t = tensor.Tensor(3)
      assert.is_nil(getmetatable(t)._pin)
      assert.is_nil(getmetatable(t)._unpin)
      assert.is_nil(tensor._apply)
    end)

    it('takes tensors of its class only', function()
      local double = tensor.getmetatable('torch.DoubleTensor')
      fails('DoubleTensor', double.apply, tensor.FloatTensor(3):fill(1), function() return 2 end)
      fails('DoubleTensor', double.apply, tensor.ByteTensor(3), function() return 2 end)
    end)

    it('is there after the Lua files are loaded again', function()
      local loaded = {}
      for name in pairs(package.loaded) do
        if name:match('^tensor') then loaded[name] = package.loaded[name] end
      end
      for name in pairs(loaded) do package.loaded[name] = nil end
      local again = require 'tensor'
      for name, module in pairs(loaded) do package.loaded[name] = module end
      assert.equal(6, again.ones(3):apply(function(x) return x + 1 end):sum())
    end)

    it('lets go of the memory when its coroutine is collected', function()
      require 'support.dialect'.needs_luajit 'apply is C there, which cannot be left by yield'
      local t = tensor.Tensor(10):fill(1)
      local function suspend()
        local resume = coroutine.wrap(function()
          t:apply(function() coroutine.yield() end)
        end)
        resume()
        resume()
      end
      suspend()
      fails('in use by apply', t.resize, t, 100)
      -- Overwrites values that the call left on Lua's stack, which would keep the object alive.
      local function clear(n) return n > 0 and 1 + clear(n - 1) or 0 end
      clear(100)
      collect()
      assert.equal(100, t:resize(100):nElement())
    end)

    it('keeps memory that the function frees', function()
      local t, sum = tensor.Tensor(1000):fill(1), 0
      t:apply(function(x)
        t:free()
        collectgarbage()
        sum = sum + x
      end)
      assert.equal(1000, sum)
    end)
  end)

  describe('of sizes', function()
    it('refuses those of products that there is no memory for', function()
      for _, class in ipairs {'ByteTensor', 'FloatTensor'} do
        local few, many = tensor[class](3):fill(1), tensor[class](1):fill(1):expand(2 ^ 40)
        fails('out of memory', tensor.ger, few, many)
        fails('out of memory', tensor.ger, many, few)
        fails('too large', tensor.ger, many, many)
      end
    end)

    it('leaves results that there is no memory for as they were', function()
      local none, new = tensor.FloatTensor(), tensor.FloatTensor(2, 3)
      local far = new.new(new:storage(), 2 ^ 40, tensor.LongStorage{2})
      local elements, large = new:storage():size(), 2 ^ 22
      local one = tensor.FloatTensor(1, 1):fill(1)
      local matrix = one:expand(large, large)
      local calls = {
        function(r) tensor.zeros(r, large, large) end,
        function(r) tensor.randn(r, large, large) end,
        function(r) tensor.add(r, matrix, 1) end,
        function(r) tensor.ger(r, matrix:select(1, 1), matrix:select(1, 1)) end,
        function(r) tensor.cat(r, {matrix}, 1) end,
        function(r) tensor.full(r, large, large, 7) end,
        function(r) tensor.fuse(r, 'a + 1', {matrix}) end,
        function(r) r:repeatTensor(one, large, large) end,
      }
      for _, call in ipairs(calls) do
        for _, r in ipairs {none, new, far} do
          local offset, sizes = r:storageOffset(), r:size():totable()
          fails('out of memory', call, r)
          assert.equal(offset, r:storageOffset())
          assert.same(sizes, r:size():totable())
        end
        assert.is_nil(none:storage())
        assert.equal(elements, new:storage():size())
      end
      fails('out of memory', tensor.randn, far, 3, 5)
      assert.same({2}, far:size():totable())
    end)

    it('leaves all results as they were where one cannot be had', function()
      local source = tensor.FloatTensor{3, 1, 2}
      source:storage():to 'cpu'  -- storage views require CPU memory
      local fixed = tensor.FloatTensor(tensor.FloatStorage(source:storage(), 1, 2))
      local indices = tensor.LongTensor{7, 8}
      fails('resized', tensor.sort, fixed, indices, tensor.FloatTensor{5, 4, 6})
      assert.same({7, 8}, indices:totable())
      assert.equal(2, indices:storage():size())
      assert.same({3, 1}, fixed:totable())

      local places = tensor.LongStorage{9, 9, 9, 9}
      local few = tensor.LongTensor(tensor.LongStorage(places, 1, 1))
      local values, inverse = tensor.IntTensor{1, 2, 3, 4}, tensor.LongTensor{5, 6, 7, 8}
      fails('resized', tensor.unique, values, inverse, few, tensor.IntTensor{4, 3, 3, 6})
      fails('resized', tensor.mode, values, few, tensor.IntTensor(2, 3):fill(1), 2)
      fails('resized', tensor.topk, values, few, tensor.IntTensor{4, 3, 3, 6}, 2)
      assert.same({1, 2, 3, 4}, values:totable())
      assert.same({5, 6, 7, 8}, inverse:totable())
      assert.same({9}, few:totable())

      -- Results that get temporaries.
      local one = tensor.DoubleTensor(tensor.DoubleStorage(tensor.DoubleStorage{1, 2}, 1, 1))
      local vectors, matrix = tensor.Tensor{7, 8, 9, 7}, tensor.Tensor{{2, 1}, {1, 2}}
      fails('resized', tensor.eigh, one, vectors, matrix)
      local int = tensor.IntTensor(tensor.IntStorage(tensor.IntStorage{1, 2}, 1, 1))
      fails('resized', tensor.btrifact, vectors, int, matrix:view(1, 2, 2))
      assert.same({7, 8, 9, 7}, vectors:totable())
      assert.same({1, 1}, {one:nElement(), int:nElement()})
    end)

    it('refuses those whose strides would overflow, without an element too', function()
      local t = tensor.Tensor{1, 2}
      fails('too large', t.resize, t, 0, 2 ^ 40, 2 ^ 40)
      fails('too large', t.resize, t, 2 ^ 40, 2 ^ 40, 0)
      local one, far = tensor.LongStorage{1}, tensor.LongStorage{2 ^ 62}
      fails('too large', t.set, t, tensor.DoubleStorage(1), 1, one, far)
      assert.same({1, 2}, t:totable())
      assert.same({{1, 2}}, t:unfold(1, 2, 2 ^ 62):totable())
    end)

    it('rejects invalid offsets', function()
      local s = tensor.IntStorage(4):fill(7)
      for _, offset in ipairs {-2 ^ 63, -2 ^ 62, -1, 0} do
        fails('counts from 1', tensor.IntTensor, s, offset, 12, 1)
        fails('counts from 1', tensor.IntTensor().set, tensor.IntTensor(), s, offset)
      end
      for _, offset in ipairs {2 ^ 62, 2 ^ 63 - 1024} do
        fails('too large', tensor.IntTensor, s, offset, 12, 1)
        fails('too large', tensor.IntTensor, s, offset)
      end
      fails('address space', tensor.IntTensor, s, 2 ^ 50, 12, 1)
      assert.same({7, 7, 7, 7}, s:totable())
    end)

    it('refuses those that leave a stride open which would overflow', function()
      local s = tensor.FloatStorage(4)
      local sizes, strides = tensor.LongStorage{2, 8192}, tensor.LongStorage{-1, 2 ^ 50}
      fails('too large', tensor.FloatTensor, s, 1, sizes, strides)
      fails('too large', tensor.FloatTensor().resize, tensor.FloatTensor(), sizes, strides)
      fails('too large', tensor.FloatTensor().set, tensor.FloatTensor(), s, 1, 2, -1, 8192, 2 ^ 50)
      assert.equal(4, s:size())
    end)
  end)

  describe('of repeatTensor', function()
    it('may give the tensor itself', function()
      local t = tensor.Tensor{1, 2}
      t:repeatTensor(t, 2)
      assert.same({1, 2, 1, 2}, t:totable())
    end)

    it("cuts fractions off by Torch7's rule, as other sizes", function()
      fails('must be an integer', tensor.repeatTensor, tensor.Tensor{1, 2}, 0.5)
      tensor.setRule('numbers', 'torch7')
      finally(function() tensor.setRule('numbers', 'tensor') end)
      assert.equal(0, tensor.Tensor{1, 2}:repeatTensor(0.5):nElement())
      assert.same({1, 2, 1, 2}, tensor.Tensor{1, 2}:repeatTensor(2.9):totable())
    end)

    it('leaves the result alone on errors', function()
      local t = tensor.Tensor{1, 2}
      fails('without dimensions', t.repeatTensor, t, tensor.Tensor(), 1)
      fails('number expected', t.repeatTensor, t, tensor.Tensor{3}, 'x')
      fails('number expected', t.repeatTensor, t, tensor.Tensor{3}, {{}})
      assert.same({1, 2}, t:totable())
    end)
  end)

  it('of results whose elements share memory computes each element once', function()
    local t, y = tensor.Tensor{1, 2, 3}, tensor.zeros(3)
    local square, pairs_ = tensor.range(1, 9):view(3, 3), tensor.range(1, 6):view(3, 2)
    local calls = {
      function(r) return tensor.mse(r, t, y, 'none') end,
      function(r) return tensor.huber(r, t, y, 1, 'none') end,
      function(r) return tensor.nanToNum(r, tensor.Tensor{0 / 0, 1 / 0, 3}) end,
      function(r) return tensor.polar(r, t, t) end,
      function(r) return tensor.complexConj(r, pairs_) end,
      function(r) return tensor.eye(r, 3) end,
      function(r) return tensor.diag(r, t) end,
      function(r) return tensor.tril(r, square) end,
      function(r) return tensor.triu(r, square) end,
      function(r) return tensor.pad(r, t, {1, 2}) end,
      function(r) return tensor.diagEmbed(r, t) end,
      function(r) return tensor.sort(r, tensor.LongTensor(), t, 1) end,
    }
    for k, call in ipairs(calls) do
      local plain = call(tensor.Tensor())
      local size = plain:size()
      size[1] = 1
      local function row() return tensor.zeros(size):expandAs(plain) end
      assert.is_true(call(row()):equal(row():copy(plain)), 'call ' .. k)
    end
  end)

  describe('of messages', function()
    it('counts the arguments of a constructor from the first', function()
      fails('bad argument #2', tensor.FloatTensor, 3, 'x')
    end)

    it('gives numbers of more than 32 bits as they are', function()
      local t = tensor.FloatTensor(2)
      fails('narrow: size 9.2233720368547758e%+18 is too large', t.narrow, t, 1, 1, 2 ^ 63)
      fails('narrow: index %-1e%+20 is too small', t.narrow, t, 1, -1e20, 1)
      fails('9.2233720368547758e%+18 is too large', tensor.FloatStorage, 2 ^ 63)
      fails('size must be an integer, got inf', t.narrow, t, 1, 1, math.huge)
      fails('dimension 4294967297 is out of range', t.size, t, 2 ^ 32 + 1)
      fails('dimension %-4294967297 is out of range', t.stride, t, -2 ^ 32 - 1)
      local long = tensor.ByteStorage(2 ^ 33)
      fails('storage of size 8589934592', function() return long[0] end)
      fails('storage of size 8589934592', function() long[2 ^ 33 + 1] = 1 end)
      local wide = tensor.ByteTensor(1):expand(2 ^ 33)
      fails('dimension 1 of size 8589934592', function() return wide[2 ^ 33 + 1] end)
      local wider = tensor.ByteTensor(1):fill(7):expand(2 ^ 57)
      assert.same({ 7, 7, 7 }, { wider[-1], wider[{ -2 ^ 57 }], wider[{ { 2 ^ 57 } }][1] })
      fails('dimension 1 of size 144115188075855872', function() return wider[{ 2 ^ 57 + 32 }] end)
    end)

    it('blames the caller for a value that is not a class', function()
      fails('robustness_spec.lua:%d+: isTypeOf: %( is neither a class', function()
        local _ = tensor.isTypeOf(tensor.Tensor(), '(')
      end)
      fails('robustness_spec.lua:%d+: isTypeOf', function()
        local _ = tensor.isTypeOf(tensor.Tensor(), 'Tensor[')
      end)
      assert.is_true(tensor.isTypeOf(tensor.Tensor(), 'torch%..*Tensor'))
    end)

    it('says of a file that is not there that it is not', function()
      fails('load: cannot open <nosuch> in mode r: No such file', tensor.load, 'nosuch')
      fails('load: cannot open <nosuch.t7> in mode r: No such file', tensor.load, 'nosuch.t7')
    end)

    it('says what is expected', function()
      fails('a tensor is expected, got nil', tensor.Tensor().float, nil)
      fails('a tensor is expected, got number', tensor.clone, 3)
      fails('tensor or storage is expected, got table', tensor.totable, {})
    end)
  end)

  it('of qr accepts batches without matrices', function()
    for _, size in ipairs {{2, 1}, {1, 2}, {3, 3}} do
      local m, n = size[1], size[2]
      local a = tensor.DoubleTensor(0, m, n)
      for _, complete in ipairs {false, true} do
        local k = complete and m or math.min(m, n)
        local q, r = tensor.qr(a, complete)
        assert.are.same({0, m, k}, q:size():totable())
        assert.are.same({0, k, n}, r:size():totable())
      end
      assert.are.same({0, m, n}, tensor.geqrf(a):size():totable())
    end
  end)
end)
