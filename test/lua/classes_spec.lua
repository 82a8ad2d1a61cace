-- Classes as used by Torch7 programs: all forms of torch.class, methods and operators added later,
-- objects created by factories and from pointers, and the way packages modify classes.
-- luacheck: no self

local tensor = require 'tensor'
local ffi = require 'ffi'
local child = require 'support.child'

describe('class', function()
  local m = {}

  it('takes a name, a parent, and a module', function()
    local Base = tensor.class('classes.Base', m)
    local Derived, parent = tensor.class('classes.Derived', 'classes.Base', m)
    assert.are.equal(Base, parent)
    assert.are.equal(tensor.getmetatable 'classes.Base', Base)
    assert.are.equal(Base, getmetatable(Derived))
    function Base:__init(x) self.x = x end
    function Base:double() return 2 * self.x end
    local object = m.Derived(4)
    assert.are.equal(8, object:double())
    function Derived:__init(x, y)
      parent.__init(self, x)
      self.y = y
    end
    object = m.Derived(4, 5)
    assert.are.same({ 4, 5 }, { object.x, object.y })
    assert.are.equal('classes.Derived', tensor.typename(object))
    assert.are.equal('classes.Derived', tensor.type(object))
    assert.are.equal('classes.Derived', m.Derived.__typename)
    assert.are.equal(Derived, getmetatable(object))
    assert.are.equal(Derived, getmetatable(m.Derived))
    assert.are.equal(m.Derived, tensor.getconstructortable 'classes.Derived')
    assert.are.equal(1, tensor.version(object))
  end)

  it('is global without a module, or in the global module of its name', function()
    tensor.class 'ClassesGlobal'
    assert.are.equal('ClassesGlobal', tensor.typename(_G.ClassesGlobal()))
    _G.classes_a = { b = {} }
    tensor.class 'classes_a.b.Inner'
    assert.are.equal('classes_a.b.Inner', tensor.typename(_G.classes_a.b.Inner()))
    _G.ClassesGlobal, _G.classes_a = nil, nil
  end)

  it('is not made where its module is not there', function()
    for _, make in ipairs { tensor.class, tensor.newmetatable } do
      local ok, message = pcall(make, 'classes_nosuch.P5')
      assert.is_false(ok)
      assert.matches('cannot create the class classes_nosuch.P5: classes_nosuch is nil', message)
      assert.is_nil(tensor.getmetatable 'classes_nosuch.P5')
      _G.classes_number = 5
      assert.has_error(function() make 'classes_number.P5' end)
      assert.has_error(function() make 'classes_number.b.P5' end)
      _G.classes_number = nil
    end
    assert.has_error(function() tensor.class() end)
    assert.has_error(function() tensor.class(5) end)
    assert.has_error(function() tensor.class('classes.X', 'classes.NoSuch', m) end)
    assert.has_error(function() tensor.class('classes.X', 'classes.Base', 5) end)
    assert.has_error(function() tensor.class('classes.Base', m) end)
    assert.is_nil(m.X)
    -- The error position is the caller's line.
    for _, make in ipairs { tensor.class, tensor.newmetatable } do
      local ok, message = pcall(function()
        make('classes.X', 'classes.NoSuch', nil, nil, nil, m)
      end)
      assert.is_false(ok)
      assert.matches('classes_spec.lua:%d+: ', message)
      ok, message = pcall(function() make('classes.Base', nil, print, nil, print, m) end)
      assert.is_false(ok)
      assert.matches('classes_spec.lua:%d+: ', message)
    end
  end)

  it('is in the module torch, which is this one where no global is', function()
    assert.are.equal('torch.ClassesOwn\ttrue\n', (child.run [[
      tensor.class 'torch.ClassesOwn'
      print(tensor.typename(tensor.ClassesOwn()), torch == nil)
    ]]))
    assert.are.equal('torch.ClassesOwn\ttrue\n', (child.run [[
      require 'torch'
      local Own = torch.class 'torch.ClassesOwn'
      print(torch.ClassesOwn.__typename, getmetatable(torch.ClassesOwn()) == Own)
    ]]))
  end)

  it('gets methods and fields at any time', function()
    tensor.class('classes.Late', m)
    tensor.class('classes.Later', 'classes.Late', m)
    local object = m.Later()
    assert.is_nil(object.answer)
    m.Late.answer = 42
    assert.are.equal(42, object.answer)
    m.Later.answer = 43
    assert.are.equal(43, object.answer)
    assert.are.equal(42, tensor.getmetatable('classes.Late').answer)
    object.answer = 44
    assert.are.equal(44, rawget(object, 'answer'))
    m.Late.__version = 3
    assert.are.equal(3, tensor.version(m.Late()))
    assert.are.equal(1, tensor.version(object))
  end)

  it('has operators that are found when they are used, through inheritance', function()
    tensor.class('classes.Node', m)
    tensor.class('classes.Leaf', 'classes.Node', m)
    local a, b = m.Leaf(), m.Leaf()
    assert.has_error(function() return a + b end)
    assert.has_error(function() return a() end)
    assert.are.equal('classes.Leaf', tostring(a))
    assert.is_false(a == b)
    assert.are.equal(0, #a)
    for name, use in pairs {
      add = function(x, y) return x + y end, sub = function(x, y) return x - y end,
      mul = function(x, y) return x * y end, div = function(x, y) return x / y end,
      mod = function(x, y) return x % y end, pow = function(x, y) return x ^ y end,
      concat = function(x, y) return x .. y end,
    } do
      m.Node[('__%s__'):format(name)] = function(x, y) return { name, x, y } end
      assert.are.same({ name, a, b }, use(a, b))
      assert.are.same({ name, a, 2 }, use(a, 2))
      assert.are.same({ name, 2, a }, use(2, a))
    end
    function m.Node:__unm__() return { '-', self } end
    function m.Node:__call__(...) return self, ... end
    function m.Node:__tostring__() return 'a node' end
    function m.Node:__len__() return 7 end
    function m.Node:__eq__() return true end
    function m.Node:__lt__() return true end
    function m.Node:__le__() return false end
    assert.are.equal(a, (-a)[2])
    assert.are.same({ a, 1, nil, 3 }, { a(1, nil, 3) })
    assert.are.equal('a node', tostring(a))
    -- Lua 5.1 does not call __len for tables.
    assert.are.equal(7, getmetatable(a).__len(a))
    assert.is_true(a == b and a < b)
    assert.is_false(a <= b)
    function m.Leaf:__tostring__() return 'a leaf' end
    assert.are.equal('a leaf', tostring(a))
    -- The metatable of a class is its parent, but a class is not an object of it.
    assert.are.equal('classes.Leaf', tostring(getmetatable(a)))
    for _, name in ipairs { 'torch.DiskFile', 'torch.PipeFile', 'torch.MemoryFile' } do
      assert.are.equal(name, tostring(tensor.getmetatable(name)))
    end
  end)

  it('has fields of its own making', function()
    tensor.class('classes.Proxy', m)
    local proxy = m.Proxy()
    local seen = {}
    function m.Proxy:__index__(key)
      if key == 'made' then return 'here', true end
      return nil, false
    end
    function m.Proxy:__newindex__(key, value)
      if key == 'caught' then seen[key] = value return true end
      return false
    end
    m.Proxy.plain = 5
    assert.are.same({ 'here', 5 }, { proxy.made, proxy.plain })
    assert.is_nil(proxy.other)
    proxy.caught, proxy.free = 1, 2
    assert.are.same({ caught = 1 }, seen)
    assert.are.same({ free = 2 }, { free = rawget(proxy, 'free') })
    assert.is_nil(rawget(proxy, 'caught'))
  end)

  it('makes objects without calling __init', function()
    local called = 0
    local Quiet = tensor.class('classes.Quiet', m)
    function Quiet:__init() called = called + 1 end
    local empty = tensor.factory 'classes.Quiet' ()
    assert.are.equal('classes.Quiet', tensor.typename(empty))
    assert.are.equal(0, called)
    assert.are.equal('classes.Quiet', tensor.typename(tensor.setmetatable({}, 'classes.Quiet')))
    tensor.getmetatable('classes.Quiet').new()
    assert.are.equal(1, called)
    assert.is_nil(tensor.factory 'classes.NoSuch')
    assert.is_nil(tensor.getmetatable 'classes.NoSuch')
    assert.has_error(function() tensor.setmetatable({}, 'classes.NoSuch') end)
    assert.has_error(function() tensor.setmetatable(5, 'classes.Quiet') end)
  end)

  it('can be tested by constructor, name or pattern', function()
    tensor.class('classes.Kind', m)
    tensor.class('classes.SubKind', 'classes.Kind', m)
    local object = m.SubKind()
    assert.is_true(tensor.isTypeOf(object, m.Kind))
    assert.is_true(tensor.isTypeOf(object, m.SubKind))
    assert.is_false(tensor.isTypeOf(m.Kind(), m.SubKind))
    assert.is_true(tensor.isTypeOf(object, 'classes.Kind'))
    assert.is_true(tensor.isTypeOf(object, 'classes%..*'))
    assert.is_false(tensor.isTypeOf(object, 'Kind'))
  end)
end)

describe('classes of C', function()
  it('are one for constructor, metatable and object', function()
    for _, name in ipairs { 'FloatTensor', 'LongStorage', 'Generator', 'Timer' } do
      local class = tensor.getmetatable('torch.' .. name)
      assert.are.equal(class, getmetatable(tensor[name]))
      assert.are.equal(class, getmetatable(tensor[name]()))
      assert.are.equal('torch.' .. name, tensor[name].__typename)
      assert.are.equal(class.new, tensor[name].new)
      assert.are.equal('torch.' .. name, tensor.typename(class.new()))
    end
  end)

  it('take fields that packages put there, for objects that exist', function()
    local t, storage = tensor.FloatTensor(2), tensor.FloatStorage(2)
    tensor.getmetatable('torch.FloatTensor').THNN = { kernel = 5 }
    tensor.FloatTensor.twice = function(self) return self * 2 end
    assert.are.equal(5, t.THNN.kernel)
    assert.are.equal(2, t:fill(1):twice()[1])
    tensor.getmetatable('torch.FloatTensor').THNN, tensor.FloatTensor.twice = nil, nil
    assert.has_error(function() t.field = 1 end)
    assert.has_error(function() storage.field = 1 end)
    local ok, message = pcall(function() tensor.Generator().field = 1 end)
    assert.is_false(ok)
    assert.matches('the class torch.Generator cannot be indexed', message)
  end)

  it('have their factories and writers exchanged, as for threads', function()
    local class = tensor.getmetatable 'torch.IntTensor'
    local factory, write, read = class.__factory, class.write, class.read
    class.__factory = function() return tensor.IntTensor { 7 } end
    class.write = function(self, file) file:writeInt(self:nElement()) end
    class.read = function(self, file) self:resize(file:readInt()):fill(9) end
    assert.are.equal(7, tensor.factory 'torch.IntTensor' ()[1])
    local copy = tensor.deserialize(tensor.serialize(tensor.IntTensor { 1, 2, 3 }))
    class.__factory, class.write, class.read = factory, write, read
    assert.are.same({ 9, 9, 9 }, copy:totable())
    copy = tensor.deserialize(tensor.serialize(tensor.IntTensor { 1, 2 }))
    assert.are.same({ 1, 2 }, copy:totable())
  end)

  it('tell pointers of objects', function()
    local t = tensor.FloatTensor(4)
    assert.are.equal(tensor.pointer(t:storage()), tensor.pointer(t:narrow(1, 2, 2):storage()))
    assert.are_not.equal(tensor.pointer(t), tensor.pointer(t:narrow(1, 1, 4)))
    assert.are.equal(tonumber(ffi.cast('intptr_t', t:cdata())), tensor.pointer(t))
    assert.is_true(tensor.isequal(t:storage(), t:storage()))
    assert.is_false(tensor.isequal(t, t:clone()))
    assert.is_true(tensor.isequal(_G, _G))
    assert.is_false(tensor.isequal({}, {}))
    assert.is_false(tensor.isequal(t, 3))
    assert.is_false(tensor.isequal(3, 3) or tensor.isequal('a', 'a') or tensor.isequal(nil, nil))
    for _, value in ipairs { {}, print, coroutine.create(print), 'text' } do
      assert.are.equal('number', type(tensor.pointer(value)))
    end
    assert.has_error(function() tensor.pointer(5) end)
    assert.has_error(function() tensor.pointer(nil) end)
  end)

  it('are distinguished by their contents, not by the metatable that debug sets', function()
    local t, class = tensor.FloatTensor { 1, 2 }, tensor.getmetatable 'torch.FloatTensor'
    local add = tensor.add
    debug.setmetatable(t, {})
    assert.is_true(tensor.isTensor(t))
    assert.are.same({ 2, 3 }, add(t, 1):totable())
    debug.setmetatable(t, class)
    for _, value in ipairs { io.stdout, newproxy and newproxy() or io.stdout } do
      assert.is_false(tensor.isTensor(value))
      assert.is_false(tensor.isStorage(value))
    end
  end)

  it('make objects of pointers that are retained', function()
    for _, original in ipairs { tensor.range(1, 4):float(), tensor.LongStorage { 1, 2, 3 } } do
      original:retain()
      local other = tensor.pushudata(tensor.pointer(original), tensor.typename(original))
      assert.are.equal(tensor.pointer(original), tensor.pointer(other))
      assert.is_true(other == original)
      original[2] = 77
      assert.are.equal(77, other[2])
    end
    collectgarbage()
    collectgarbage()
    -- Objects of a class defined in Lua, made from an FFI pointer.
    tensor.newmetatable('classes.Handle', nil, nil, nil, nil, {})
    local memory = ffi.new 'int[1]'
    local handle = tensor.pushudata(ffi.cast('void *', memory), 'classes.Handle')
    assert.are.equal('classes.Handle', tensor.typename(handle))
    assert.are.equal(tonumber(ffi.cast('intptr_t', memory)), tensor.pointer(handle))
    assert.are.equal('torch.Allocator', tensor.typename(tensor.pushudata(4096, 'torch.Allocator')))
    assert.is_nil(tensor.pushudata(0, 'classes.Handle'))
    assert.has_error(function() tensor.pushudata(1, 'classes.NoSuch') end)
    assert.has_error(function() tensor.pushudata('x', 'classes.Handle') end)
    assert.has_error(function() tensor.pushudata(1.5, 'classes.Handle') end)
    assert.has_error(function() tensor.Allocator() end)
  end)

  it('name what is not theirs by metatype', function()
    local Meta = { __index = { five = 5 } }
    tensor.metatype('classes.Meta', Meta)
    local object = setmetatable({}, Meta)
    assert.are.equal('classes.Meta', tensor.typename(object))
    assert.are.equal(5, object.five)
    pcall(ffi.cdef, 'typedef struct { int x; } classes_spec_point;')
    local Point = { __index = {}, __version = 2 }
    tensor.metatype('classes.Point', Point, ffi.typeof 'classes_spec_point')
    local point = ffi.metatype('classes_spec_point', Point)()
    assert.are.equal('classes.Point', tensor.type(point))
    assert.are.equal(2, tensor.version(point))
    assert.are.equal(Point, tensor.getmetatable 'classes.Point')
  end)

  it('are written with a version that can be read', function()
    local module = {}
    local Class = tensor.class('classes.Versions', module)
    function Class:__init() self.x = 5 end
    for _, version in ipairs { 3, false } do
      Class.__version = version or nil
      assert.are.equal(5, tensor.deserialize(tensor.serialize(module.Versions())).x)
    end
    Class.__version = '3a'
    local ok, message = pcall(tensor.serialize, module.Versions())
    assert.is_false(ok)
    assert.matches('the field __version of classes.Versions must be a number, got string', message)
  end)

  it('lend functions their environment', function()
    local function f() return answer end  -- luacheck: ignore 113
    tensor.setenv(f, { answer = 42 })
    assert.are.equal(42, f())
    assert.are.equal(42, tensor.getenv(f).answer)
    assert.has_error(function() tensor.setenv(f, 5) end)
    assert.has_error(function() tensor.getenv(5) end)
  end)

  it('are given as tables', function()
    assert.are.same({ { 1, 2 }, { 3, 4 } }, tensor.totable(tensor.range(1, 4):view(2, 2)))
    assert.are.same({ 1, 2 }, tensor.totable(tensor.IntStorage { 1, 2 }))
    assert.has_error(function() tensor.totable {} end)
  end)
end)

describe('a class of tensors', function()
  -- Prints the number of fields of some classes, without a use of the classes.
  local count = [[
    local function count(...)
      local counts = {}
      for k, name in ipairs {...} do
        counts[k] = 0
        for _ in pairs(debug.getregistry()['torch.' .. name]) do
          counts[k] = counts[k] + 1
        end
        counts[k] = counts[k] > 40 and 'many' or 'few'
      end
      print(unpack(counts))
    end
  ]]

  it('gets its methods when a program first uses it', function()
    assert.are.equal('few\tfew\nmany\tfew\nmany\tmany\n', (child.run(count .. [[
      count('ShortTensor', 'CharTensor')
      tensor.ShortTensor(3)
      count('ShortTensor', 'CharTensor')
      tensor.getmetatable 'torch.CharTensor'
      count('ShortTensor', 'CharTensor')
    ]])))
  end)

  it('has them where only its table is used', function()
    assert.are.equal('function\tfunction\tcdata\n3\n5\nmany\n', (child.run(count .. [[
      print(type(tensor.ShortTensor.add), type(tensor.CharStorage.fill),
            type(tensor.IntTensor(2):data()))
      function tensor.LongTensor.dim() return 5 end
      print(tensor.FloatTensor.dim(tensor.FloatTensor(1, 1, 1)))
      print(tensor.LongTensor(3):dim())
      count 'LongTensor'
    ]])))
  end)

  it('is a parent of other classes before it is used', function()
    assert.are.equal('function\ttorch.ShortTensor\n', (child.run [[
      local Derived = tensor.newmetatable('torch.OfShorts', 'torch.ShortTensor')
      print(type(Derived.add), tensor.typename(getmetatable(Derived).new()))
    ]]))
  end)

  it('does not get what a program has put into another one', function()
    assert.are.equal('mine\tmine\t4\t3\n', (child.run [[
      local function mine() return 'mine' end
      tensor.FloatTensor.add, tensor.FloatTensor.dim = mine, mine
      tensor.FloatTensor.mul = tensor.FloatTensor.cmul
      local a, b = tensor.FloatTensor {1}, tensor.DoubleTensor {3}
      print(a:add(1), a:dim(), b:add(1)[1], tensor.IntTensor {1}:mul(3)[1])
    ]]))
  end)
end)

describe('a class of tensors without methods yet', function()
  it('refuses to get methods for other values than tables', function()
    assert.are.equal('false\tfalse\tnil\t5\tfunction\n', (child.run [[
      local helper = getmetatable(getmetatable(tensor.HalfTensor))
      local other = {}
      helper.__newindex(other, 'x', 5, 6)
      print((pcall(helper.__index, 1, 'x')), (pcall(helper.__newindex, 1, 'x', 2)),
            helper.__index({}, 'x', 1), other.x, type(tensor.HalfTensor.sum))
    ]]))
  end)
end)

describe('require torch', function()
  it("sets what Torch7's did", function()
    assert.are.equal('true\ttrue\ttrue\tfunction\ttable\n', (child.run [[
      local torch = require 'torch'
      print(torch == _G.torch and torch == tensor, string.gfind ~= nil, table.unpack == unpack,
            type(include), type(paths))
    ]]))
    assert.are.equal('nil\tnil\tnil\n', (child.run 'print(torch, include, paths)'))
  end)

  it('gives globals of the same names precedence where they are modules', function()
    assert.are.equal('mine\n', (child.run [[
      paths = { home = 'mine' }
      require 'torch'
      print(paths.home)
    ]]))
  end)

  it('reads fields of tensors that are not there as nil', function()
    assert.are.equal('nil\tnil\n', (child.run [[
      require 'torch'
      print(torch.Tensor(2).THNN, torch.Tensor().nosuch)
    ]]))
  end)
end)

describe('Generator', function()
  it('is written and read as an object of its own', function()
    local a, b = tensor.Generator(), tensor.Generator()
    tensor.manualSeed(a, 5)
    tensor.random(a)
    local file = tensor.MemoryFile()
    a:write(file)
    b:read(file:seek(1))
    assert.are.equal(tensor.random(a), tensor.random(b))
    assert.are.equal('torch.Generator', tensor.typename(tensor._gen))
    assert.are.equal('torch.Generator', tensor.typename(a.new()))
    assert.are.equal('torch.Generator', tensor.typename(tensor.factory 'torch.Generator' ()))
  end)
end)
