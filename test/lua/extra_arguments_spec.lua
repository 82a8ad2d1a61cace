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

  -- The calls above fail at their first argument in functions that check its type. These are valid,
  -- with all arguments that the functions take, before one more is appended.
  it('is an error in valid calls', function()
    local t, s = tensor.ones(2, 2), tensor.CharStorage(2)
    local x, long = tensor.Tensor { 1, 2, 4 }, tensor.LongTensor { 1, 2, 2 }
    local b, other = tensor.FloatBlob(1, 2, 3, 4), tensor.FloatBlob(1, 2, 3, 4)
    local figure, optim = tensor.plot.figure(), require 'tensor.optim'
    local name = os.tmpname()
    finally(function() os.remove(name) end)
    local calls = {
      Generator = function(...) tensor.Generator('philox', ...) end,
      DiskFile = function(...) tensor.DiskFile(name, 'w', true, ...):close() end,
      PipeFile = function(...) tensor.PipeFile('true', 'r', true, ...):close() end,
      MemoryFile = function(...) tensor.MemoryFile('rw', ...) end,
      ['MemoryFile of a storage'] = function(...)
        tensor.MemoryFile(tensor.CharStorage { 1, 0 }, 'r', ...)
      end,
      Timer = function(...) tensor.Timer(...) end,
      CmdLine = function(...) tensor.CmdLine(',', '=', ...) end,
      Tester = function(...) tensor.Tester(...) end,
      tensordot = function(...) tensor.tensordot(t, t, 1, ...) end,
      ['tensordot of lists'] = function(...) tensor.tensordot(t, t, { 1 }, { 2 }, ...) end,
      vecdot = function(...) tensor.vecdot(t, t, 1, ...) end,
      clone = function(...) tensor.clone(t, ...) end,
      split = function(...) tensor.split({}, t, 1, 1, ...) end,
      chunk = function(...) tensor.chunk({}, t, 1, 1, ...) end,
      bincount = function(...) tensor.bincount(long, x, 3, ...) end,
      cov = function(...) tensor.cov(t, true, ...) end,
      corrcoef = function(...) tensor.corrcoef(t, ...) end,
      histogram = function(...) tensor.histogram(x, 2, 0, 5, true, ...) end,
      histogramdd = function(...) tensor.histogramdd(t, { x, x }, true, ...) end,
      trapezoid = function(...) tensor.trapezoid(x, x, 1, ...) end,
      slope = function(...) tensor.slope(x, x, 1, ...) end,
      interp = function(...) tensor.interp(x, x, x, ...) end,
      unwrap = function(...) tensor.unwrap(x, 1, 2, ...) end,
      ['t:data'] = function(...) t:data(true, ...) end,
      ['t:cdata'] = function(...) t:cdata(true, ...) end,
      ['t:type'] = function(...) t:type('torch.FloatTensor', ...) end,
      ['t:int'] = function(...) t:int(...) end,
      ['t:real'] = function(...) t:real(...) end,
      ['t:typeAs'] = function(...) t:typeAs(x, ...) end,
      ['t:narrow'] = function(...) t:narrow(1, 1, 1, ...) end,
      ['t:select'] = function(...) t:select(1, 1, ...) end,
      ['t:transpose'] = function(...) t:transpose(1, 2, ...) end,
      ['t:unfold'] = function(...) t:unfold(1, 1, 1, ...) end,
      ['t:expandAs'] = function(...) t:expandAs(t, ...) end,
      ['t:resizeAs'] = function(...) t:resizeAs(t, ...) end,
      ['t:stride'] = function(...) t:stride(1, ...) end,
      ['t:isSameSizeAs'] = function(...) t:isSameSizeAs(t, ...) end,
      ['t:isSetTo'] = function(...) t:isSetTo(t, ...) end,
      ['t:to'] = function(...) t:to('cpu', ...) end,
      ['s:string'] = function(...) s:string('ab', ...) end,
      ['s:resize'] = function(...) s:resize(2, ...) end,
      ['s:copy'] = function(...) s:copy(s, ...) end,
      ['b:reshapeLike'] = function(...) b:reshapeLike(other, ...) end,
      ['b:shape'] = function(...) b:shape(1, ...) end,
      ['b:numAxes'] = function(...) b:numAxes(...) end,
      ['b:canonicalAxisIndex'] = function(...) b:canonicalAxisIndex(1, ...) end,
      ['b:count'] = function(...) b:count(1, 2, ...) end,
      ['b:legacyShape'] = function(...) b:legacyShape(1, ...) end,
      ['b:num'] = function(...) b:num(...) end,
      ['b:width'] = function(...) b:width(...) end,
      ['b:shapeString'] = function(...) b:shapeString(...) end,
      ['b:shapeEquals'] = function(...) b:shapeEquals(other, ...) end,
      ['b:shapeEquals of bytes'] = function(...) b:shapeEquals(b:toProto(), ...) end,
      ['b:data'] = function(...) b:data(...) end,
      ['b:diff'] = function(...) b:diff(...) end,
      ['b:to'] = function(...) b:to('cpu', ...) end,
      ['b:copyFrom'] = function(...) b:copyFrom(other, false, true, ...) end,
      ['b:shareData'] = function(...) b:shareData(other, ...) end,
      ['b:asumData'] = function(...) b:asumData(...) end,
      ['b:scaleDiff'] = function(...) b:scaleDiff(2, ...) end,
      ['b:toProto'] = function(...) b:toProto(true, ...) end,
      ['b:fromProto'] = function(...) b:fromProto(b:toProto(), true, ...) end,
      blobFromProto = function(...) tensor.blobFromProto(b:toProto(), ...) end,
      blobsFromProto = function(...) tensor.blobsFromProto('', ...) end,
      blobsToProto = function(...) tensor.blobsToProto({ b }, true, ...) end,
      ['figure:line'] = function(...) figure:line(x, x, {}, ...) end,
      ['figure:bars'] = function(...) figure:bars(x, {}, ...) end,
      ['figure:set'] = function(...) figure:set({}, ...) end,
      ['figure:text'] = function(...) figure:text(40, 10, '256', ...) end,
      ['figure:svg'] = function(...) figure:svg(...) end,
      ['grid:svg'] = function(...) tensor.plot.grid { { figure } }:svg(...) end,
      plot = function(...) tensor.plot(x, x, {}, ...) end,
      ['plot.line'] = function(...) tensor.plot.line(x, x, {}, ...) end,
      ['plot.histogram'] = function(...) tensor.plot.histogram(x, {}, ...) end,
      ['image.scale'] = function(...) tensor.image.scale(t, 4, 4, 'simple', ...) end,
      ['tree.copy'] = function(...) require 'tensor.tree'.copy({ t }, { t }, ...) end,
      ['optim.sgd'] = function(...)
        optim.sgd(function(w) return 0, w end, x:clone(), {}, {}, ...)
      end,
      ['constructor optim.sgd'] = function(...) optim.sgd({ rate = 0.1 }, ...) end,
      serialize = function(...) tensor.serialize(1, 'ascii', ...) end,
      deserialize = function(...) tensor.deserialize(tensor.serialize(1), 'binary', ...) end,
    }
    local wrong = {}
    for what, call in pairs(calls) do
      local valid, failure = pcall(call)
      if not valid then wrong[#wrong + 1] = what .. ' is not valid: ' .. failure end
      local accepted, message = pcall(call, 1)
      local is_named = not accepted and (message:find 'too many arguments' or
                                         message:find 'invalid arguments')
      if not is_named then
        wrong[#wrong + 1] = what .. ': ' .. tostring(message)
      end
    end
    assert.are.equal('', table.concat(wrong, '\n'))
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
      { 'Generator: too many', function() tensor.Generator('philox', 3) end },
      { "bad argument #1 to 'resize' (an integer is expected, got 1.5)",
        function() tensor.Tensor():resize({ 1.5, 2 }) end },
      { 'FloatStorage: too many arguments: (number, string); at most 1',
        function() tensor.FloatStorage(3, 'x') end },
      { 'FloatStorage: too many arguments: (table, table); at most 1',
        function() tensor.FloatStorage({ 1, 2 }, { 3 }) end },
      { 'too many arguments: (torch.LongStorage, number, number, number); at most 3',
        function() tensor.LongStorage(s, 1, 1, 1) end },
      { 'Timer: too many arguments: (number); at most 0', function() tensor.Timer(3) end },
      { 'Tester: too many arguments: (number); at most 0', function() tensor.Tester(3) end },
      { 'MemoryFile: too many', function() tensor.MemoryFile('rw', 3) end },
      { 'num: too many', function() tensor.FloatBlob(1):num(1) end },
      { "bad argument #1 to 'DiskFile' (string expected, got table)",
        function() tensor.DiskFile({}) end },
      { "to 'string' (string expected, got table)",
        function() tensor.CharStorage():string({}) end },
      { 'CmdLine: a separator is a string, got table',
        function()
          local options = tensor.CmdLine({})
          return options
        end },
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
    assert.are.equal(2, tensor.FloatBlob(2):num(1))
    assert.are.equal('torch.Timer', tensor.typename(tensor.Timer(3)))
    assert.are.equal('torch.CmdLine', tensor.typename(tensor.CmdLine(',', '=', 3)))
    assert.are.equal(2, #tensor.CharStorage(2):string({}))
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
      { 'cov is not defined for torch.IntTensor', 'convert it, as t:double() does',
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

  it('is an error if it is the index tensor of a call that returned two', function()
    local t = tensor.Tensor { { 1, 3, 2 }, { 5, 4, 6 } }
    local ids = tensor.LongTensor { { 3, 1, 2 } }
    local calls = {
      eq = function() t:eq(t:max(2)) end,
      lt = function() tensor.lt(t, t:median(2)) end,
      isclose = function() tensor.isclose(t, t:max(2)) end,
      logicalOr = function() t:logicalOr(t:max(2)) end,
      add = function() ids:add(ids:sort()) end,
      diff = function() tensor.diff(ids:sort()) end,
      abs = function() tensor.abs(ids:max(2)) end,
      unique = function() tensor.unique(ids:sort()) end,
      cmul = function() tensor.cmul(ids, ids:sort()) end,
    }
    for name, call in pairs(calls) do
      local ok, message = pcall(call)
      assert.is_false(ok, name)
      local expected = name .. ': the last arguments are the values and the indices'
      assert.is_truthy(message:find(expected, 1, true), message)
    end
    assert.are.same({ { 1, 3, 2 }, { 5, 4, 6 } }, t:totable())
    assert.are.same({ { 3, 1, 2 } }, ids:totable())
    assert.are.same({ { 0, 1, 0 }, { 0, 0, 1 } }, t:eq((t:max(2))):totable())
    assert.is_false(pcall(function() t:clone():eq(t:max(2)) end))
    local values, indices = ids:max(2)
    assert.are.same({ { 4 } }, tensor.LongTensor():add(values, indices):totable())
  end)
end)

describe('a name in a list', function()
  local t = tensor.range(1, 8):view(2, 4)
  local p = tensor.LongTensor { 1, 2 }
  for name, call in pairs {
    indices = function() return t[{ 1, dim = 2 }] end,
    range = function() return t[{ 1, { 2, last = 4 } }] end,
    assignment = function() t[{ 1, { 2, last = 4 } }] = 0 end,
    meshgrid = function() tensor.meshgrid { t[1], t[2], order = 'xy' } end,
    broadcastTensors = function() tensor.broadcastTensors { t, t, order = 1 } end,
    split = function() t:split { 1, 1, dim = 2 } end,
    tensorSplit = function() t:tensorSplit { 2, dim = 2 } end,
    tensordot = function() tensor.tensordot(t, t, { 1 }, { 1, dim = 2 }) end,
    unravelIndex = function() tensor.unravelIndex(p, { 2, 4, order = 'F' }) end,
    ravelMultiIndex = function() tensor.ravelMultiIndex({ p, p, order = 'F' }, { 2, 4 }) end,
    repeatTensor = function() t:repeatTensor { 1, 2, dim = 2 } end,
  } do
    it('of ' .. name .. ' is an error', function()
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.matches('^%S+arguments_spec.lua:%d+: %a+: arguments have no names: .* key', message)
    end)
  end

  it('is ignored if it is n, which table.pack sets', function()
    assert.are.same({ 2, 3 }, t[{ 1, { 2, 3, n = 2 }, n = 2 }]:totable())
    assert.are.same({ 4, 2 }, t:view({ 4, 2, n = 2 }):size():totable())
  end)

  it('is ignored by the rule of Torch7', function()
    finally(function() tensor.setRule('arguments', 'tensor') end)
    tensor.setRule('arguments', 'torch7')
    assert.are.same({ 2, 3 }, t[{ 1, { 2, 3, step = 2 } }]:totable())
    assert.are.same({ 2, 8 }, t:repeatTensor({ 1, 2, dim = 2 }):size():totable())
  end)
end)
