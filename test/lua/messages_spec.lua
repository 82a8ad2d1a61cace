-- Typical mistakes in calls. Each message must contain the function, the arguments by their Lua
-- names, and the accepted arguments.

local tensor = require 'tensor'
local child = require 'support.child'
local files = require 'support.files'

local COLON = 'a method is called with a colon: t:'
local CONVERT = 'do not go together: convert one of them'
local LONG = 'a LongTensor is expected where a DoubleTensor was given: convert it, as t:long()'
local NOTATION = '(*...* takes the result; [...] may be left out)'

-- Code that uses t, a 2 x 2 matrix, and the parts its error message must contain. rule: the rule of
-- Torch7 by which it is an error.
local calls = {
  {'torch.Tensor{t = {1}}', "torch.DoubleTensor: arguments have no names: a list is " ..
   "expected, got a table with the key 't'"},
  {'torch.IntTensor{{a = 1}}', "torch.IntTensor: arguments have no names", "key 'a'"},
  {'t:chunk(0 / 0)', 'chunk: the number of slices must be at least 1, got '},
  {'t:split(0 / 0)', 'split: the size of a slice must be at least 1, got '},
  {'return #t + 1', 'both torch.LongStorage and number have no addition operator: ',
   't:size(d)', 't:nElement()'},
  {'return torch.FloatStorage(2) * 2', 'both torch.FloatStorage and number have no ' ..
   'multiplication operator: ', 'torch.FloatTensor(storage)'},
  {'torch.add(1)', 'add: invalid arguments: (number)', 'DoubleTensor number |', NOTATION},
  {'torch.where(1)', 'where: invalid arguments: (number)', 'ByteTensor DoubleTensor DoubleTensor'},
  {'t:repeatTensor(2, -7)', 'repeatTensor: size 2 is negative: -7'},
  {'t:mod({})', 'mod: invalid arguments: (torch.DoubleTensor, table)'},
  {'torch.mod(torch.IntTensor(2), 0)', 'mod: integers cannot be divided by 0'},
  {'torch.cmod(t, torch.ones(3))', 'cmod: sizes [2 x 2] and [3] do not broadcast'},
  {'torch.loadobj "/no/such.t7"', 'loadobj: cannot open'},
  {'torch.saveobj("/no/such.t7", t)', 'saveobj: cannot open'},
  {'torch.pow("a", 2)', 'pow: invalid arguments: (string, number)', NOTATION},
  {'t[1] = "a"', 'indexing: a number, a tensor or a table of numbers', 'got string'},
  {'t[1] = torch.FloatStorage(2)', 'got torch.FloatStorage'},
  {'t[t:gt(0)] = {}', 'indexing: the mask has 4 ones', '0 elements'},
  {'t.x = 3', "the class torch.DoubleTensor cannot be indexed by 'x'", 'no fields to set'},
  {'t[print] = 3', 'a tensor is indexed by numbers, tables', 'got function'},
  {'return t[t]', 'a LongTensor or a LongStorage, got torch.DoubleTensor', 't:gt(0)'},
  {'return t[{1, print}]', 'an index is a number, a range', 'got function at position 2'},
  {'return t[5]', 'index 5 is out of range of dimension 1 of size 2'},
  {'return t.szie', "a torch.DoubleTensor has no field or method 'szie'"},
  {'torch.FloatStorage(3)[1] = {}', 'an element of a torch.FloatStorage is a number, got table'},
  {'torch.FloatStorage(3).x = 1', 'a torch.FloatStorage is indexed by numbers, got string'},
  {'torch.Tensor(torch.FloatStorage(3))', 'torch.DoubleTensor: invalid arguments: ' ..
   '(torch.FloatStorage)', 'torch.DoubleStorage [offset', 'convert the storage'},
  {'torch.FloatTensor(t)', 'torch.FloatTensor: a torch.FloatTensor is expected, got ' ..
   'torch.DoubleTensor: convert it'},
  {'torch.Tensor(2, print)', 'torch.DoubleTensor: bad argument #2 (a size is a number, ' ..
   'got function'},
  {'torch.Tensor(2, t)', 'torch.DoubleTensor: bad argument #2 (a size is a number, ' ..
   'got torch.DoubleTensor'},
  {'torch.Tensor(1e20)', 'torch.DoubleTensor: bad argument #1 (size 1e+20 is too large)'},
  {'torch.Tensor{1, "a"}', 'torch.DoubleTensor: a number is expected at position 2', 'got string'},
  {'torch.Tensor{{1, 2}, {3}}', 'torch.DoubleTensor: a ragged table: 1 elements where 2'},
  {'torch.LongStorage{1, "a"}', 'torch.LongStorage: a number is expected at position 2'},
  {'t:repeatTensor(2)', 'repeatTensor: a count for each of the 2 dimensions is expected',
   'got 1 number'},
  {'return torch.ones(2) + torch.ones(3)', '+: sizes [2] and [3] do not broadcast'},
  {'return t + {}', '+: invalid arguments: (torch.DoubleTensor, table)'},
  {'return t < t', 'both torch.DoubleTensor and torch.DoubleTensor have no less than operator: ',
   'lt, le, gt, ge, eq'},
  {'return t .. "a"', 'both torch.DoubleTensor and string have no concat operator: ',
   'tostring(t)'},
  {'t()', 'a torch.DoubleTensor cannot be called', 't[i]'},
  {'return t + t:float()', '+: invalid arguments', 'a DoubleTensor and a FloatTensor ' .. CONVERT,
   rule = 'types'},
  {'return t * t:float()', '*: invalid arguments', 'a DoubleTensor and a FloatTensor ' .. CONVERT,
   rule = 'types'},
  {'t:add(t:float())', 'add: invalid arguments: (torch.DoubleTensor, torch.FloatTensor)', CONVERT,
   NOTATION, rule = 'types'},
  {'torch.mm(t, t:float())', 'mm: invalid arguments', CONVERT, NOTATION, rule = 'types'},
  {'torch.dot(t, t:float())', 'dot: invalid arguments', CONVERT, rule = 'types'},
  {'torch.cat(t, t:int())', 'a DoubleTensor and an IntTensor ' .. CONVERT, rule = 'types'},
  {'torch.cat({t, 3})', 'cat: a DoubleTensor is expected at position 2 of the table, got number'},
  {'torch.cat({t, t:float()})', 'cat: a DoubleTensor is expected at position 2 of the ' ..
   'table, got torch.FloatTensor: convert one of them', rule = 'types'},
  {'torch.Tensor{1, t}', 'at position 2 of dimension 1 of the table, got torch.DoubleTensor'},
  {'torch.einsum("ij,ij", t, t:float())', 'einsum: ', CONVERT, rule = 'types'},
  {'t:gather(1, t)', 'gather: invalid arguments', LONG, NOTATION},
  {'t:index(1, torch.ones(2))', 'index: invalid arguments', LONG},
  {'t:maskedSelect(t)', 'a ByteTensor is expected where a DoubleTensor was given', 't:byte()'},
  {'t.add(1)', 'add: invalid arguments: (number)', COLON .. 'add(...)'},
  {'t.sum()', 'sum: invalid arguments: ()', COLON .. 'sum(...)'},
  {'t:fill(nil)', 'fill: invalid arguments: (torch.DoubleTensor, nil)', '*DoubleTensor* number'},
  {'t:apply(function() return "a" end)', 'apply: the function must return a number or nothing'},
  {'t:map(t:storage(), print)', 'map: a tensor is expected, got torch.DoubleStorage'},
  {'local _ = t:resize("a")', "bad argument #1 to 'resize' (number expected, got string)"},
  {'local _ = t:size(3)', 'size: dimension 3 is out of range of a tensor of 2 dimensions'},
  {'local _ = t:size(5)', 'size: dimension 5 is out of range of a tensor of 2 dimensions'},
  {'local _ = torch.ones(2):size(5)',
   'size: dimension 5 is out of range of a tensor of 1 dimension'},
  {'torch.ones(3):unsqueeze(9)',
   'unsqueeze: dimension 9 is out of range of a result of 2 dimensions'},
  {'torch.stack({t, t}, -4)', 'stack: dimension -4 is out of range of a result of 3 dimensions'},
  {'t:sum(5)', 'sum: dimension 5 is out of range of a tensor of 2 dimensions'},
  {'t:split(1, 3)', 'split: dimension 3 is out of range of a tensor of 2 dimensions'},
  {'torch.ones(3):select(5, 1)', 'select: dimension 5 is out of range of a tensor of 1 dimension'},
  {'t:mean(1, 2)', 'mean: invalid arguments', 'several dimensions are a table: t:mean{1, 2}'},
  {'t:sum{dim = 1}', "arguments have no names", "got a table with the key 'dim'"},
  {'torch.zeros{rows = 2}', 'arguments have no names', "'rows'"},
  {'torch.max(t, t)', 'max: invalid arguments', 'cmax takes two tensors, element by element'},
  {'t:min(t)', 'min: invalid arguments', 'cmin takes two'},
  {'torch.Tensor({1, 2}, {3, 4})', 'torch.DoubleTensor: one table is expected: rows are nested'},
  {'torch.Tensor():max()', 'max: a tensor of size [] has no elements'},
  {'t:type "float"', "type: float is not a tensor class: use t:float(), or the name " ..
   'torch.FloatTensor'},
  {'t:type "int64"', 'use t:long()'},
  {'t:type "x"', 'type: x is not a tensor class'},
  {'t:abs(1)', 'abs: invalid arguments: (torch.DoubleTensor, number)'},
  {'return t:int() * 0.5', '*: 0.5 does not fit into elements of type Int: convert the tensor, ' ..
   'as t:double()'},
  {'return t:byte() * t:byte()', '*: a product of linear algebra with a ByteTensor: use cmul'},
  -- The wrong shape, and products.
  {'t:mm(t)', 'mm: invalid arguments',
   't:mm(...) writes to t: tensor.mm(t, ...) returns a new tensor'},
  {'torch.ones(3):mv(t)', 'tensor.mv(t, ...) returns a new tensor'},
  {'local r = t:view(3)', 'view: a tensor of size [2 x 2] cannot be viewed as [3]'},
  {'local r = t:reshape(3)', 'reshape: the 4 elements of size [2 x 2] do not fill [3]'},
  {'torch.mm(t, torch.ones(3, 2))', 'mm: size mismatch', '[2 x 2]', '[3 x 2]'},
  {'torch.cat({t, torch.ones(3, 3)}, 1)',
   'cat: sizes [2 x 2] and [3 x 3] differ outside dimension 1'},
  {'t[1] = torch.ones(7)', 'indexing: sizes [2] and [7] do not broadcast'},
  {'t:norm("fro")', 'norm: invalid arguments', 't:norm() is the Frobenius norm', 'matrixNorm'},
  -- Indices and dimensions from 0, and out of range.
  {'local r = t[0]', 'index 0 is out of range of dimension 1 of size 2'},
  {'t:sum(0)', 'sum: dimension 0 is out of range: numbers count from 1'},
  {'torch.cat({t, t}, 0)', 'cat: dimension 0 is out of range: numbers count from 1'},
  {'t:select(1, 0)', 'select: index 0 is out of range: numbers count from 1'},
  {'t:narrow(1, 0, 2)', 'narrow: index 0 is out of range: numbers count from 1'},
  {'t:permute(0, 1)', 'permute: dimension 0 is out of range: numbers count from 1'},
  {'t:index(1, torch.LongTensor{0})', 'index: index 0 is out of range of dimension 1 of size 2'},
  {'t:select(1, 9)', 'select: index 9 is out of range of a dimension of size 2'},
  {'t:narrow(1, 2, 9)', 'narrow: range of 9 from 2 on is out of range of dimension 1 of size 2'},
  -- Fractions.
  {'local r = torch.zeros(2, 1.5)', 'zeros: size must be an integer, got 1.5'},
  {'return torch.Tensor(2.5)',
   'torch.DoubleTensor: bad argument #1 (a size is a whole number, got 2.5'},
  {'local r = t:narrow(1, 1.5, 1)', 'narrow: index must be an integer, got 1.5'},
  {'local r = torch.manualSeed("a")',
   "bad argument #1 to 'manualSeed' (number expected, got string)"},
  -- A dot and a colon.
  {'t.size()', "bad argument #1 to 'size' (torch.*Tensor expected, got no value: a method is " ..
   'called with a colon)'},
  {'t.dim()', 'a method is called with a colon'},
  {'t.type()', 'type: a tensor is expected, got nil: a method is called with a colon'},
  {'torch:zeros(3)', 'functions of the module are called with a dot: tensor.zeros(...)'},
  {'torch:manualSeed(1)', 'manualSeed: functions of the module are called with a dot'},
  {'torch:load("x")', 'load: functions of the module are called with a dot: tensor.load(...)'},
  {'torch:randn(2, 2)', 'functions of the module are called with a dot: tensor.randn(...)'},
  -- nil.
  {'torch.add(nil, 1)', 'add: invalid arguments: (nil, number)', 'argument #1 is nil'},
  {'t:add(nil)', 'argument #1 is nil'},
  {'torch.cat({t, nil, t})', 'cat: a DoubleTensor is expected at position 2 of the table, got nil'},
  {'t[1] = nil', 'indexing: a number, a tensor or a table of numbers is expected, got nil'},
  {'torch.broadcastTensors(t, nil, t)', 'broadcastTensors: argument 2: a tensor is expected, ' ..
   'got nil'},
  {'torch.broadcastTensors{t, nil, t}', 'broadcastTensors: position 2'},
  {'torch.repeatTensor(t, 2, 2, nil, t)', 'repeatTensor: number expected for size 3, got nil'},
  {'torch.repeatTensor(t, {2, 2, nil, 2})', 'repeatTensor: number expected for size 3, got nil'},
  -- Names that are not there.
  {'torch.zeroes(3)', "the module has no function or field 'zeroes': did you mean zeros?"},
  {'torch.array{1, 2}', 'instead of array, use Tensor{...}'},
  {'t:invert()', 'instead of invert, use bitnot, or logicalNot for masks'},
  {'torch.true_divide(t, t)', 'use t / u (cdiv truncates the quotients of integers)'},
  {'torch.inner(t, t)', 'use dot of vectors, a * b:t() of matrices'},
  {'torch.average(t)', 'use mean, or cmul(t, w):sum() / w:sum() with weights'},
  {'t:masked_fill(t:gt(2), 0)', 'use maskedFill, which writes into t'},
  {'t:eigvals()', 'instead of eigvals, use eig'},
  {'torch.geomspace(1, 8, 4)', 'use logspace(math.log10(a), math.log10(b), n)'},
  {'torch.nll_loss(t, t)', 'use nll'},
  {'torch.dequantize(t)', 'use dequantizeRows'},
  {'torch.random_sample(2)', 'use rand'},
  {'torch.default_rng(1)', 'use manualSeed(seed) or Generator()'},
  {'torch.read_csv "a.csv"', "use load('table.csv', {columns = true})"},
  {'torch.groupby(t)', 'use factorize and bincount'},
  {'torch.mse_loss(t, t)', 'use mse'},
  {'return torch.nan', '0 / 0 is NaN'},
  {'torch.Linear(2, 3)', "the module has no function or field 'Linear'"},
  {'t:reshpe(4)', "has no field or method 'reshpe': did you mean reshape?"},
  {'return t.shape', "has no field or method 'shape': instead of shape, use size()"},
  {'t:detach()', 'tensor.stopGradient(t)'},
  -- Named arguments.
  {'t:sort{descending = true}',
   "arguments have no names, but argument #1 is a table with the key 'descending'"},
  {'torch.cat{t, t, dim = 1}', "arguments have no names", "'dim'"},
  {'torch.load("/no/such.t7", {colums = true})', 'load: unknown option colums; the options are'},
  {'torch.vecdot(t, torch.ones(3))', 'vecdot: sizes 2 and 3 of dimension 2 do not broadcast'},
  -- A call with two results as the last argument.
  {'torch.exp(t:max(2))', 'exp: the last arguments are the values and the indices',
   'as in abs((t:max(1)))'},
  {'torch.relu(torch.maxPool2d(t:view(1, 1, 2, 2), 2))', 'relu: the last arguments are the values'},
  {'torch.cdiv(t, t:max(2))', 'cdiv: the last arguments are the values and the indices'},
  {'t:cmul(t:sort(2))', 'cmul: the last arguments are the values and the indices'},
  {'torch.dot(t, t:sort(2))', 'dot: invalid arguments', 'in parentheses, as in abs((t:max(1)))'},
  -- Another function, or another type.
  {'torch.where(t:gt(0))', 'tensor.nonzero(mask) returns the positions'},
  {'t:copy()', 'copy: a tensor to copy from is expected; t:clone() returns a copy of t'},
  {'torch.Tensor{t, t}', 'got torch.DoubleTensor: tensor.stack makes a tensor of several'},
  {'torch.atan2(t:int(), 1)', 'atan2 is not defined for torch.IntTensor: convert it, as'},
  {'torch.full(t:int(), 2, 1.5)', 'full: 1.5 does not fit into elements of type Int'},
  {'t:view(4):bincount()', 'bincount is not defined for torch.DoubleTensor', 't:long()'},
  -- Tables in place of tensors.
  {'torch.sum{1, 2, 3}', 'a table is not a tensor: tensor.Tensor{...}'},
  {'torch.mm({{1, 2}}, {{1}, {2}})', 'a table is not a tensor'},
  {'t:index(1, {1, 2})', 'a table is not a tensor', 'tensor.LongTensor{...}'},
  {'return t + {1, 2}', '+: invalid arguments', 'a table is not a tensor'},
  {'for x in t do end', 'a torch.DoubleTensor cannot be called', 'for i = 1, t:size(1) is a loop'},
  {'torch.setdefaulttensortype "float"', "float is not a tensor class, as 'torch.FloatTensor' is"},
  {'torch.load(3)', 'load: the name of a file is expected, got number'},
  {'torch.hsplit(t, t)', 'hsplit: a number of parts or a table of indices is expected, got ' ..
   'torch.DoubleTensor'},
  {'torch.split(t, 1, t)', 'split: dimension torch.DoubleTensor is out of range'},
  {'torch.split(t, {t}, 1)', 'split: size 1 must be an integer from 0 on, got torch.DoubleTensor'},
  {'torch.tensorSplit(t, {t})', 'tensorSplit: index torch.DoubleTensor is out of range'},
  {'torch.tensordot(t, t, {t}, {1})', 'tensordot: dimension torch.DoubleTensor is out of range'},
  {'torch.trilIndices(t)', 'the number of rows must be an integer from 0 on, got torch.Double'},
  {'torch.withDevice({}, print)', 'withDevice: the name of a device is expected, got table'},
  {'torch.withDevice("gqu", print)', "withDevice: no device 'gqu': expected cpu, gpu"},
  {'torch.zeros(-1)', 'zeros: size -1 of dimension 1 is negative'},
}

-- Integers of Lua 5.3 or later are shown with all digits.
if rawget(math, 'maxinteger') then
  for code, text in pairs {
    ['torch.Tensor(2, math.maxinteger)'] = '#2 (size 9223372036854775807 is too large)',
    ['return t[math.maxinteger]'] = 'index 9223372036854775807 is out of range of dimension 1',
    ['torch.IntStorage(2)[math.maxinteger] = 1'] = 'index 9223372036854775807 is out of bounds',
  } do
    table.insert(calls, {code, text})
  end
end

describe('the message of', function()
  for _, call in ipairs(calls) do
    it(call[1], function()
      local f = assert(loadstring(call[1], '=user'))
      setfenv(f, setmetatable({torch = tensor, t = tensor.ones(2, 2)}, {__index = _G}))
      if call.rule then tensor.setRule(call.rule, 'torch7') end
      local ok, message = pcall(function()
        local result = f()
        return result
      end)
      if call.rule then tensor.setRule(call.rule, 'tensor') end
      assert.is_false(ok, 'no error')
      for k = 2, #call do
        assert.is_truthy(message:find(call[k], 1, true), call[k] .. ' is missing in: ' .. message)
      end
      for _, word in ipairs {'userdata', '(null)', "'?'", '__index', '__newindex', '__add'} do
        assert.is_nil(message:find(word, 1, true), word .. ' is in: ' .. message)
      end
      local name = call[2]:match '^(%w+): '
      local line = message:gsub('^user:%d+: ', ''):match '^[^\n]*'
      if name then
        assert.are.equal(name .. ':', line:sub(1, #name + 1))
        assert.is_nil(line:find(name .. ':', 2, true), 'named twice: ' .. line)
      end
    end)
  end
end)

it('values and indices of a call are arguments like others', function()
  local t = tensor.Tensor { { 1, 2 }, { 8, 4 } }
  local v, i = t:max(2)
  assert.are.same({ { 4 }, { 8 } }, v:cmul(i):totable())
  v, i = t:max(2)
  local sum = v + i
  assert.are.same({ { 4 }, { 9 } }, sum:totable())
  assert.are.same({ { 4 }, { 9 } }, tensor.add(tensor.Tensor(), v, i):totable())
  v, i = t:max(2)
  assert.are.same({ { 2, 2 }, { 8, 1 } }, tensor.cat(v, i, 2):totable())
end)

describe('the advice about an error of Lua', function()
  local function advice(code)
    local ok, message = pcall(assert(loadstring(code, '=user')), tensor.ones(2, 2))
    assert.is_false(ok)
    return tensor.hint(message)
  end

  it('names the method for a comparison', function()
    assert.matches('t:gt(5)', advice 'local t = ... return t > 0', 1, true)
    assert.matches('t:size(1)', advice 'local t = ... for k = 1, #t do end', 1, true)
    assert.matches('t:gt(5)', advice 'local t = ... return 0 >= t', 1, true)
  end)

  it('names what Lua expects instead of a tensor', function()
    assert.matches('t[i]:item()', advice 'local t = ... for k = t, 3 do end', 1, true)
    for _, code in ipairs {"table.concat(t, ',')", 'math.max(unpack(t))'} do
      local text = advice('local t, unpack = ..., unpack or table.unpack local x = ' .. code)
      assert.matches('t:totable()', text, 1, true)
    end
  end)

  it('names the value of a number that depends on the argument of a gradient', function()
    local codes = {'math.log(x:sum())', 'f(x:sum())', 'x:sum() > 0', '0 > x:sum()'}
    -- Since Lua 5.2 numbers may be compared with such a table.
    for k = 1, _VERSION == 'Lua 5.1' and 4 or 2 do
      local text = advice(([[
        local f = function(n) local s = ('%%d'):format(n) return s end
        local g = function(x) local y = %s return y end
        return require 'tensor'.grad(g)(...)]]):format(codes[k]))
      assert.matches('depends on the argument of tensor.grad: n:item() is its value',
                     text, 1, true)
    end
  end)

  it('says what is a number already', function()
    for _, code in ipairs {'t:sum():item()', 't[1][1]:sum()', 'n:item()'} do
      local text = advice('local t = ... local n = t:sum() return ' .. code)
      assert.matches('that is a number already', text, 1, true)
    end
  end)

  it('says that a loss does not depend on the argument', function()
    local independent = 'the first result of the function does not depend on argument 1'
    local t = tensor.ones(2)
    for _, f in ipairs {function() return 1 end, function(x) return x:argmax() end,
                        function(x) return x:gt(2):sum() end} do
      assert.has_error(function() tensor.grad(f)(t) end, 'grad: ' .. independent)
      assert.has_error(function() tensor.grad(f)(t:int()) end,
        ('grad: %s, which has integers only: t:double() converts them'):format(independent))
    end
    local function f(p) return p.t:sum() end
    for problem, p in pairs {[''] = {t = t:int(), {0.5}},
                             [', which has integers only'] = {t = t:int(), 'text'}} do
      local _, message = pcall(tensor.grad(f), p)
      assert.matches(independent .. problem, message, 1, true)
    end
  end)

  it('names the options of progress lines', function()
    local training = require 'tensor.training'
    local known = '; the options are clock, delay, output, terminal'
    for problem, arguments in pairs {
      ['unknown option zzz' .. known] = {10, {zzz = 1}},
      ['a table of options is expected, got a number' .. known] = {10, 5},
      ['the number of steps is expected, got string'] = {'x'},
    } do
      assert.has_error(function() training.progress(arguments[1], arguments[2]) end,
                       'training.progress: ' .. problem)
    end
  end)

  it('names functions of tables in the modules of networks', function()
    local _, message = pcall(function() return require 'tensor.nn'.initializer.kaimin end)
    assert.matches('initializer has no function or field .kaimin.: did you mean kaiming%?', message)
    assert.is_nil(advice 'local my = {} my.zeroes()')
    assert.is_nil(advice 'local my = {} my:zeroes()')
    assert.matches('^print%(figure%) shows a figure', advice 'local my = {} my:show()')
    assert.matches('^each call of', advice 'local my = {} my:zero_grad()')
  end)

  it('is nil for other errors', function()
    assert.is_nil(advice 'error "x"')
    assert.is_nil(tensor.hint(nil))
  end)
end)

describe('the message of a call that matches no signature', function()
  it('lists each signature once', function()
    local _, message = pcall(function() tensor.ones(2, 2):mean(1, 2) end)
    local accepted = message:match 'expected arguments: ([^\n]*)'
    assert.are.equal('DoubleTensor | [*DoubleTensor*] DoubleTensor dimension [boolean] | ' ..
                     '[*DoubleTensor*] DoubleTensor {dim1 [dim2...]} [boolean]', accepted)
  end)
end)

describe('every function and method', function()
  -- Functions that write files or end a test, and a name that is a Lua keyword.
  local skipped = {save = true, saveobj = true, test = true, help = true, profile = true,
                   synchronize = true, ['repeat'] = true}
  local arguments = {{n = 0}, {n = 1, {}}, {n = 1, function() end}, {n = 1, '/no/such'},
                     {n = 1, 0 / 0}, {n = 1, tensor.FloatStorage(2)},
                     {n = 2, tensor.ones(2, 2), '/no/such'},
                     {n = 2, tensor.ones(2, 2), tensor.FloatTensor(2)}}

  -- Calls the function by name, so that Lua knows it for messages, with each of the arguments.
  local function check(name, code)
    local call = assert(loadstring(code, '=user'))
    for _, given in ipairs(arguments) do
      local list = {}
      for k = 1, given.n do list[k] = given[k] end
      local ok, message = pcall(function()
        local result = call(tensor, list)
        return result
      end)
      if not ok then
        local first = tostring(message):match('^[^\n]*')
        assert.is_truthy((' ' .. first .. ' '):find('[^%w_]' .. name .. '[^%w_]'),
                         name .. ' is not in: ' .. first)
        assert.is_nil(first:find "'%?'", first)
        assert.is_nil(first:find 'attempt to', first)
        assert.is_nil(first:find 'got userdata', first)
      end
    end
  end

  local function each(class, code)
    for name, value in pairs(class) do
      local callable = type(value) == 'function' and type(name) == 'string'
      if callable and not name:find '^_' and not name:find '_$' and not skipped[name] then
        check(name, (code:gsub('NAME', name)))
      end
    end
  end

  it('names itself, and what it got by its class', function()
    local threads, pairing = tensor.getnumthreads(), tensor.getBroadcast and tensor.getBroadcast()
    local state = tensor.getRNGState()
    each(tensor, 'local T, a = ... local r = T.NAME(unpack(a)) return r')
    each(tensor.getmetatable 'torch.DoubleTensor',
         'local T, a = ... local t = T.ones(2, 2) local r = t:NAME(unpack(a)) return r')
    each(tensor.getmetatable 'torch.FloatStorage',
         'local T, a = ... local s = T.FloatStorage(3) local r = s:NAME(unpack(a)) return r')
    tensor.setnumthreads(threads)
    if pairing then tensor.setBroadcast(pairing) end
    tensor.setRNGState(state)
  end)
end)

describe('the environment', function()
  local function said(variables)
    return (child.run('print(tensor.getnumthreads() >= 1 and tensor.getnumthreads() <= 4096)',
                      {before = 'unset TENSOR_DEVICE; export ' .. variables}))
  end

  it('gets an error at once for invalid requests', function()
    assert.are.equal('tensor: TENSOR_DEVICE is "nonsense": expected gpu, cuda or soft, each ' ..
                     'with the number of one behind a colon where there are many; it is ' ..
                     'ignored\ntrue\n', said 'TENSOR_DEVICE=nonsense')
    assert.matches('TENSOR_DEVICE is', said 'TENSOR_DEVICE=gpu:x')
    assert.are.equal('tensor: TENSOR_ISA is "sse": expected baseline, avx2, avx512, ' ..
                     'avx512bf16 or amx; it is ' ..
                     'ignored\ntrue\n', said 'TENSOR_ISA=sse')
    assert.matches('TENSOR_ISA is "%("', said "TENSOR_ISA='('")
    assert.are.equal('tensor: TENSOR_PLOT is "gif": expected text, kitty or sixel; it is ' ..
                     'ignored\ntrue\n', said 'TENSOR_PLOT=gif')
    assert.are.equal('tensor: OMP_NUM_THREADS is "99999999999": expected 1 to 4096; the number ' ..
                     'of cores is taken\ntrue\n', said 'OMP_NUM_THREADS=99999999999')
  end)

  it('is not where it is understood', function()
    assert.are.equal('true\n', said 'TENSOR_DEVICE=gpu TENSOR_ISA=')
    assert.are.equal('true\n', said 'TENSOR_DEVICE=soft:2 TENSOR_ISA=baseline OMP_NUM_THREADS=1')
  end)
end)

describe('numbers', function()
  local folder = files.new_folder()
  local command = ('localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1'):format(folder)
  local made = os.execute(command) == 0

  it('have a point in messages and files, whatever the locale', function()
    if not made then
      pending 'there is no localedef to make a locale of'
      return
    end
    local output = child.run([[
      assert(os.setlocale('de_DE.UTF-8'))
      local _, message = pcall(function() return tensor.ones(2)[1.5] end)
      print(message:match 'got [^ ]*')
      _, message = pcall(tensor.bernoulli, 1.5)
      print(message:match '1.5')
      local file = tensor.MemoryFile()
      file:writeDouble(0.5)
      file:seek(1)
      print(file:readDouble() == 0.5, file:storage():string():sub(1, 3))
      print(tensor.fuse('a * 0.5')(tensor.ones(1))[1] == 0.5)
    ]], {before = 'export LOCPATH=' .. folder})
    os.execute('rm -r ' .. folder)
    assert.are.equal('got 1.5\n1.5\ntrue\t0.5\ntrue\n', output)
  end)
end)

describe('numbers in messages', function()
  it('that are whole have no point in any Lua', function()
    local nn, data = require 'tensor.nn', require 'tensor.data'
    local t = tensor.ones(2, 3)
    for message, f in pairs {
      ['dimension 16 is out of range'] = function() t:split(2, 16.0) end,
      ['must be at least 1, got 0$'] = function() t:split(0.0) end,
      ['got %-2$'] = function() tensor.trilIndices(16.0, -2.0) end,
      ['cannot contract 16 dim'] = function() tensor.tensordot(t, t, 16.0) end,
      ['got 99$'] = function() tensor.setprintoptions { precision = 99.0 } end,
      ['got %-16$'] = function() data.batches(t, { size = -16.0 }) end,
      ['got %-1$'] = function() require('tensor.optim').sgd { rate = -1.0 } end,
      ['got %-4$'] = function() tensor.image.scale(t, -4.0, 4.0) end,
      ['got 0$'] = function() nn.linear(0.0, 4) end,
    } do
      assert.matches(message, select(2, pcall(f)))
    end
    assert.are.equal('nn.linear(16, 4)', tostring(nn.linear(16.0, 4.0)))
    assert.are.equal('nn.conv2d(3, 16, {3, 5})', tostring(nn.conv2d(3.0, 16.0, { 3.0, 5.0 })))
    local shown = require 'tensor.versions'.shown
    for text, value in pairs { ['2.5'] = 2.5, ['-3'] = -3.0, inf = math.huge, x = 'x' } do
      assert.are.equal(text, shown(value))
    end
  end)
end)
