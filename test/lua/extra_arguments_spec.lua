-- Arguments without effect: errors after require 'tensor', ignored after require 'torch'.

local tensor = require 'tensor'
local rules = require 'support.rules'


-- Functions with any number of arguments, and functions of any value, which ignore more, as `type`
-- of Lua does.
local accepting = {}
for name in ([[
   new keep scope profile map type typename isTensor isStorage isequal pointer
   factory getconstructortable getmetatable setmetatable setenv getenv metatype pushudata version
   test help isatty
]]):gmatch '%S+' do
  accepting[name] = true
end

-- More arguments than any function takes. Their type fits no parameter.
local many = {}
for k = 1, 24 do many[k] = coroutine.create(function() end) end

-- Calls the function of a table with too many arguments. Returns the message, or nil.
local function message_of(f, ...)
  local arguments = { ... }
  for _, value in ipairs(many) do arguments[#arguments + 1] = value end
  local ok, message = pcall(f, unpack(arguments))
  return not ok and tostring(message) or nil
end

local function check(where, functions, ...)
  local wrong = {}
  for name, f in pairs(functions) do
    if type(f) == 'function' and type(name) == 'string' and not name:find '^_'
       and not accepting[name] then
      local message = message_of(f, ...)
      if not message then wrong[#wrong + 1] = name end
    end
  end
  table.sort(wrong)
  assert.are.equal('', table.concat(wrong, ' '), where)
end

describe('an argument too many', function()
  it('is an error in every function of the module', function() check('the module', tensor) end)

  it('is an error in every method', function()
    local function each(object)
      check(tensor.typename(object), tensor.getmetatable(tensor.typename(object)), object)
    end
    each(tensor.ones(2, 2))
    each(tensor.ByteTensor(2, 2))
    each(tensor.LongStorage(2))
    each(tensor.Timer())
    each(tensor.CmdLine())
    each(tensor.MemoryFile())
    check('File', tensor.getmetatable 'torch.File', tensor.MemoryFile())
  end)

  it('is an error in every function of other modules', function()
    for _, name in ipairs { 'nn', 'optim', 'data', 'training', 'tree', 'dist' } do
      check(name, require('tensor.' .. name))
    end
    check('plot', tensor.plot)
    check('image', tensor.image)
  end)

  it('is named', function()
    local t, s = tensor.ones(2, 2), tensor.LongStorage { 1, 2 }
    for _, call in ipairs {
      { 'size: too many arguments: (torch.DoubleTensor, number, number); at most 2 are expected',
        function() t:size(1, 2) end },
      { 'float: too many arguments: (torch.DoubleTensor, number); at most 1 is expected',
        function() t:float(3) end },
      { 'clone: too many', function() t:clone(1, 2, 3) end },
      { 'clone: too many', function() tensor.clone(t, 1) end },
      { 'dim: too many', function() t:dim(1) end },
      { 'nElement: too many', function() t:nElement(1) end },
      { 'contiguous: too many', function() t:contiguous(t) end },
      { 'copy: too many', function() t:copy(t, 1) end },
      { 'type: too many', function() t:type('torch.FloatTensor', 1) end },
      { 'storage: too many', function() t:storage(1) end },
      { 'split: too many', function() t:split(1, 1, 1) end },
      { 'chunk: too many', function() t:chunk({}, 1, 1, 1) end },
      { 'unbind: too many', function() t:unbind(1, 2) end },
      { 'totable: too many', function() t:totable(1) end },
      { 'size: too many', function() s:size(1) end },
      { 'fill: too many', function() s:fill(1, 2) end },
      { 'manualSeed: too many', function() tensor.manualSeed(1, 2) end },
      { 'getnumthreads: too many', function() tensor.getnumthreads(1) end },
      { 'seek: too many', function() tensor.MemoryFile():seek(1, 2) end },
      { 'hflip: too many', function() tensor.image.hflip(t, 1) end },
      { 'linear: too many', function() require 'tensor.nn'.linear(2, 3, {}, 1) end },
      { "bad argument #1 to 'size' (a dimension expected, got string)",
        function() t:size('a') end },
    } do
      local ok, message = pcall(call[2])
      assert.is_false(ok, call[1])
      assert.is_truthy(message:find(call[1], 1, true), message)
      assert.matches('extra_arguments_spec%.lua:%d+: ', message)
    end
  end)

  it('is ignored by the rule of Torch7', function()
    rules.set 'torch7'
    finally(function() rules.set 'tensor' end)
    local t = tensor.ones(2, 3)
    assert.are.equal(2, t:size(1, 2))
    assert.are.equal('torch.FloatTensor', t:float(3):type())
    assert.are.equal(2, t:dim('x'))
    assert.are.same({ 2, 3 }, t:size('x'):totable())
    assert.are.same({ 1, 1, 1 }, t:clone(t)[1]:totable())
    assert.are.equal(2, #t:split(1, 1, 1, 1))
  end)
end)

-- Functions whose second tensor would be a result elsewhere.
describe('the second tensor', function()
  local x, y = tensor.Tensor { 1, 2, 4 }, tensor.Tensor { 0, 1, 3 }

  it('is an operand of functions of samples', function()
    assert.are.same({ 7.5 }, tensor.trapezoid(x, y):totable())
    assert.are.same({ 1, 1, 1 }, tensor.slope(x, y):totable())
    assert.are.same({ 1, 2 }, tensor.histogram(x, tensor.Tensor { 0, 2, 4 }):totable())
    assert.are.same({ 1, 2, 4 }, x:totable())
  end)

  it('is an error where none is expected', function()
    local codes = tensor.LongTensor { 1, 1, 2 }
    for _, call in ipairs {
      { 'cov', 'cov(tensor.vstack{x, y})', function() tensor.cov(x, y) end },
      { 'corrcoef', 'corrcoef(tensor.vstack{x, y})', function() tensor.corrcoef(x, y) end },
      { 'cumulativeTrapezoid', '', function() tensor.cumulativeTrapezoid(x, y) end },
      { 'bincount is not defined for weights of torch.LongTensor', 'but for floating-point types',
        function() tensor.bincount(codes, codes) end },
      { 'cov', 'defined for FloatTensor and DoubleTensor: convert the tensor, as t:double() does',
        function() tensor.cov(x:int(), y:int()) end },
      { 'cov', 'a LongTensor is expected where an IntTensor was given',
        function() tensor.cov(x, y:int()) end },
    } do
      local ok, message = pcall(call[3])
      assert.is_false(ok, call[1])
      assert.is_truthy(message:find(call[1], 1, true), message)
      assert.is_truthy(message:find(call[2], 1, true), message)
    end
    assert.are.same({ 1, 2, 4 }, x:totable())
    assert.are.same({ 1, 1, 2 }, codes:totable())
  end)
end)
