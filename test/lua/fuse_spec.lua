-- tensor.fuse: results are equal to the separate operations bit by bit; reductions agree within
-- rounding. Errors in expressions are reported with their position.

local tensor = require 'tensor'
local decimal_comma = require 'support.decimal_comma'
local elements = require 'support.elements'
local message = require 'support.raises'.message
local same = require 'support.compiled'.same

local types = {}
for _, e in ipairs(elements) do types[#types + 1] = e end

-- Operands of a type in several layouts, all of which broadcast to rows x columns.
local function operands(e, rows, columns, random)
  local function numbers(...)
    local t = e.Tensor(...)
    local flat = t:view(-1)
    for i = 1, flat:nElement() do
      flat[i] = e.integral and math.floor(random() * 9) + 1 or random() * 4 - 1.5
    end
    return t
  end
  return { a = numbers(rows, columns), b = numbers(columns, rows):t(), c = numbers(columns),
           d = numbers(rows, 1), e = numbers(rows, columns + 3):narrow(2, 2, columns),
           f = numbers(rows, 2 * columns):unfold(2, 1, 2):select(3, 1), g = numbers(1) }
end

-- Returns the text of a random expression, and a function that evaluates it with separate
-- operations.
local function expression(random, names, floating, depth)
  local function int(n) return math.floor(random() * n) + 1 end
  local function sub() return expression(random, names, floating, depth - 1) end
  if depth == 0 or random() < 0.15 then
    local name = names[int(#names)]
    return name, function(v) return v[name] end
  end
  local kind = int(floating and 9 or 5)
  if kind == 1 then
    local a, fa = sub()
    local number = int(5)
    local form = int(5)
    local text = ({ '(%s + %d)', '(%s * %d)', '(%s - %d)', 'cmax(%s, %d)', '(%d - %s)' })[form]
    local run = ({ function(t) return t + number end, function(t) return t * number end,
                   function(t) return t - number end,
                   function(t) return tensor.cmax(t, number) end,
                   function(t) return -t + number end })[form]
    if form == 5 then return text:format(number, a), function(v) return run(fa(v)) end end
    return text:format(a, number), function(v) return run(fa(v)) end
  elseif kind == 2 then
    local a, fa = sub()
    return ('-(%s)'):format(a), function(v) return -fa(v) end
  elseif kind == 3 then
    local a, fa = sub()
    local b, fb = sub()
    local c, fc = sub()
    return ('where(%s < %s, %s, %s)'):format(a, b, c, a), function(v)
      local x, y, z = fa(v), fb(v), fc(v)
      return tensor.where(tensor.lt(x, y), z, x)
    end
  elseif kind <= 5 then
    local a, fa = sub()
    local b, fb = sub()
    local form = int(4)
    local text = ({ '(%s + %s)', '(%s) * (%s)', '(%s - (%s))', 'cmin(%s, %s)' })[form]
    local run = ({ tensor.add, tensor.cmul, tensor.csub, tensor.cmin })[form]
    return text:format(a, b), function(v) return run(fa(v), fb(v)) end
  elseif kind == 6 then
    local a, fa = sub()
    local b, fb = sub()
    return ('(%s) / (%s)'):format(a, b), function(v) return tensor.cdiv(fa(v), fb(v)) end
  elseif kind == 7 then
    local a, fa = sub()
    return ('(%s)^2'):format(a), function(v) return tensor.pow(fa(v), 2) end
  elseif kind == 8 then
    local a, fa = sub()
    return ('2 / (%s)'):format(a), function(v) return 2 / fa(v) end
  end
  local a, fa = sub()
  local name = ({ 'exp', 'tanh', 'sqrt', 'abs', 'sigmoid', 'log1p', 'floor' })[int(7)]
  return ('%s(%s)'):format(name, a), function(v) return tensor[name](fa(v)) end
end

describe('fuse', function()
  local threads, broadcast = tensor.getnumthreads(), tensor.getBroadcast()
  before_each(function() tensor.setBroadcast 'numpy' end)
  after_each(function()
    tensor.setnumthreads(threads)
    tensor.setBroadcast(broadcast)
  end)

  it('gives what the operations give one by one, of every type and layout', function()
    local random = elements.generator(11)
    local sizes = { { 3, 5 }, { 1, 1 }, { 70, 41 }, { 2, 300 } }
    for round = 1, 6 * #types do
      local e = types[round % #types + 1]
      local size = sizes[round % #sizes + 1]
      local values = operands(e, size[1], size[2], random)
      local text, run = expression(random, { 'a', 'b', 'c', 'd', 'e', 'f', 'g' }, not e.integral, 3)
      local f = tensor.fuse(text)
      local own = {}
      for _, name in ipairs(f.operands) do own[name] = values[name] end
      assert.is_true(same(f(own), run(values)), e.name .. ': ' .. text)
    end
  end)

  it('gives the same with any number of threads, and in place', function()
    local f = tensor.fuse 'a*b + exp(-c/2) - where(a < b, c, 1)'
    local total = tensor.fuse 'sum((a - b)^2)'
    local rows = tensor.fuse 'mean(a * b, 2)'
    for _, e in ipairs { elements.Float, elements.Double } do
      local a, b = e.Tensor(300, 401):uniform(), e.Tensor(300, 401):uniform()
      local c = e.Tensor(1, 401):uniform()
      local want
      for _, n in ipairs { 1, 2, 3 } do
        tensor.setnumthreads(n)
        local got = { f(a, b, c), total(a, b), rows(a, b) }
        want = want or got
        for k = 1, 3 do assert.is_true(same(got[k], want[k])) end
      end
      local given = e.Tensor()
      assert.is_true(rawequal(given, f(given, a, b, c)))
      assert.is_true(same(given, want[1]))
      assert.is_true(rawequal(given, f(given, { a = a, b = b, c = c })))
      local kept = a:clone()
      assert.is_true(rawequal(kept, f(kept, kept, b, c)))
      assert.is_true(same(kept, want[1]))
      -- The result is a transposed view of an operand.
      local square = e.Tensor(20, 20):uniform()
      local expected = square + square:t()
      tensor.fuse('x + y')(square:t(), square, square:t())
      assert.is_true(same(square:t(), expected))
    end
  end)

  it('takes the result before the operands, and fills or makes it', function()
    local f = tensor.fuse 'a * b + 1'
    local a, b, r = tensor.FloatTensor { 1, 2 }, tensor.FloatTensor { 3, 4 }, tensor.FloatTensor()
    assert.are.equal(r, f(r, a, b))
    assert.are.same({ 4, 9 }, r:totable())
    assert.are.same({ 4, 9 }, f(a, b):totable())
    assert.are.equal(a, f(a, a, b))
    assert.are.same({ 4, 9 }, a:totable())
    assert.are.same({ 5, 10 }, f(a, tensor.FloatTensor { 1 }):totable())
    assert.matches('fuse: .*DoubleTensor', select(2, pcall(f, a, tensor.DoubleTensor(2))))
    assert.matches('fuse: .*DoubleTensor', select(2, pcall(f, tensor.DoubleTensor(2), a, b)))
    assert.matches('fuse: the expression has 2 operands', select(2, pcall(f, a)))
    assert.matches('fuse: sizes %[2%] and %[3%]', select(2, pcall(f, a, tensor.FloatTensor(3))))
    local shrunk = tensor.FloatTensor { 1, 2 }
    shrunk:storage():resize(1)
    assert.matches('resized', select(2, pcall(f, r, a, shrunk)))
    assert.are.same({ 4, 9 }, r:totable())
  end)

  it('reduces', function()
    for _, e in ipairs { elements.Float, elements.Double, elements.Half, elements.Int } do
      for _, size in ipairs { { 4, 7 }, { 3, 5000 }, { 2, 40000 }, { 5, 1 } } do
        local a, b = e.Tensor(size[1], size[2]), e.Tensor(1, size[2])
        for _, t in ipairs { a, b } do
          t:copy(tensor.DoubleTensor(t:size()):random(1, 9):div(e.integral and 1 or 8))
        end
        for _, name in ipairs { 'sum', 'min', 'max', 'prod', 'mean' } do
          local small = name ~= 'prod' or size[2] < 10
          if not (name == 'mean' and e.integral) and small then
            for _, dim in ipairs { 1, 2, -1 } do
              local got = tensor.fuse(('%s(a - b, %d)'):format(name, dim))(a, b)
              local want = tensor[name](a - b, dim)
              assert.is_true(got:isSameSizeAs(want), name)
              local apart = (got:double() - want:double()):abs():max()
              assert.is_true(apart <= 4 * e.eps * math.max(1, want:double():abs():max()), name)
            end
            local got = tensor.fuse(name .. '(a - b)')(a, b)
            local want = e.store(tensor[name](a - b))
            assert.are.same({ 1 }, got:size():totable())
            local near = 4 * e.eps * math.max(1, math.abs(want))
            assert.is_true(got[1] == want or math.abs(got[1] - want) <= near, name)
          end
        end
      end
    end
  end)

  it('goes through operands as often as reductions need', function()
    local softmax = tensor.fuse 'exp(x - max(x, 2)) / sum(exp(x - max(x, 2)), 2)'
    local standard = tensor.fuse '(x - mean(x, 1)) / std(x, 1) * s'
    for _, e in ipairs { elements.Float, elements.Double } do
      local x = e.Tensor(30, 70):normal()
      assert.is_true((softmax(x) - tensor.softmax(x, 2)):abs():max() < 8 * e.eps)
      local want = tensor.cdiv(x - x:mean(1), x:std(1)) * 2
      assert.is_true((standard(x, 2) - want):abs():max() < 8 * e.eps)
    end
  end)

  it('divides integers, and finds divisors of 0 before it does', function()
    local f = tensor.fuse '(a + 1) / b % 3'
    local a, b = tensor.IntTensor { 7, 8, -9 }, tensor.IntTensor { 2, 3, 2 }
    assert.is_true(same(f(a, b), tensor.remainder(tensor.cdiv(a + 1, b), 3)))
    b[2] = 0
    local r = tensor.IntTensor { 1, 2, 3 }
    assert.matches('divided by 0', message(f, r, a, b))
    assert.are.same({ 1, 2, 3 }, r:totable())
    assert.matches('divided by 0', message(tensor.fuse 'a / 0', a))
  end)

  it('keeps integers that a double would round', function()
    local zero, half = tensor.LongTensor { 0 }, tensor.LongTensor { 2 ^ 62 }
    local function distance(text, t) return (tensor.fuse(text)(zero) - t)[1] end
    assert.are.equal(1, distance('a + 9007199254740993', 2 ^ 53))
    assert.are.equal(-1, distance('a - 9007199254740993', -2 ^ 53))
    assert.are.equal(-1, distance('(a + 1) * -9007199254740993', -2 ^ 53))
    assert.are.equal(1, distance('cmax(a, 9007199254740993)', 2 ^ 53))
    assert.are.equal(0, distance('a + 9223372036854775807', half - 1 + half))
    assert.matches('9.2233720368548e%+18 does not fit',
                   message(tensor.fuse 'a + 9223372036854775808', zero))
    local byte = tensor.ByteTensor { 1 }
    assert.are.equal(1, tensor.fuse 'a < 9007199254740993' (byte)[1])
    assert.are.equal(1, tensor.fuse 'clamp(a, 0, 9007199254740993)' (byte)[1])
    assert.are.equal(2 ^ 54, tensor.fuse 'a + 18014398509481985' (tensor.Tensor { 0 })[1])
  end)

  it('accepts more steps and operands than one pass supports', function()
    local parts, names, given, want = {}, {}, {}, tensor.zeros(5)
    for k = 1, 30 do
      names[k] = 'x' .. k
      parts[k] = ('exp(x%d / %d)'):format(k, k)
      given[k] = tensor.rand(5)
    end
    local f = tensor.fuse(table.concat(parts, ' + '))
    assert.are.same(names, f.operands)
    for k = 1, 30 do
      local term = tensor.exp(given[k] / k)
      want = k == 1 and term or want + term
    end
    assert.is_true(same(f(unpack(given)), want))
    local deep = ('('):rep(150) .. 'x' .. (' + 1) * x'):rep(150)
    assert.are.equal(150, tensor.fuse(deep)(tensor.ones(1))[1] - 1 - 0)
  end)

  it('says what is wrong with an expression, and where', function()
    local function at(text, column, what, ...)
      local found = message(function(...) return tensor.fuse(text)(...) end, ...)
      assert.matches(what, found)
      assert.are.equal((' '):rep(column + 1) .. '^', found:match '\n([^\n]*)$')
    end
    local a = tensor.ones(2, 3)
    at('a + ', 5, 'an operand is expected')
    at('a + * b', 5, 'an operand is expected')
    at('(a + b', 7, "'%)' is expected")
    at('a b', 3, 'an operator is expected')
    at('2x', 2, 'an operator is expected')
    at('a + foo(b)', 5, "no element%-wise function 'foo'")
    at('1 + 2', 1, 'no operand but numbers')
    at('exp(a, a)', 1, "'exp' does not take %(tensor, tensor%)")
    at('max(a, b)', 8, "'max' takes a dimension")
    at('1 + sum(a, 3)', 5, 'dimension 3 of size %[2 x 3%]', a)
    at('a + b', 3, 'sizes %[2 x 3%] and %[2%] do not broadcast', a, tensor.ones(2))
    at('1 + exp(a)', 5, 'exp is not defined for IntTensors', tensor.IntTensor(2))
    at('a + b', 5, "'b' has no dimensions", a, tensor.Tensor())
    at(('('):rep(300) .. 'a', 36, 'nested too deeply')
    at('', 1, 'an operand is expected')
    local f = tensor.fuse 'a * b'
    assert.matches('has 2 operands %(a, b%), got 1', message(f, a))
    assert.matches("operand 'b' is missing", message(f, { a = a }))
    assert.matches("has no operand 'scale': its operands are a, b$",
                   message(f, { a = a, b = 2, scale = 3 }))
    assert.matches("has no operand '1'", message(f, a, { a, a = a, b = a }))
    assert.matches("'a' is a torch.DoubleTensor and 'b' a torch.FloatTensor",
                   message(f, a, a:float()))
    assert.matches("a number is expected for 'b', got string", message(f, a, 'x'))
    assert.matches("operand 'b' is nil", message(f, a, nil))
    local row = tensor.ones(3)
    assert.matches('the result, an operand, of size %[3%]', message(f, row, row, a))
    assert.matches('zero byte', message(tensor.fuse, 'a\0b'))
    assert.matches('invalid arguments', message(tensor.fuse))
    assert.matches("^%S*raises.lua:%d+: bad argument #2 to 'fuse' %(arguments have no names",
                   message(tensor.fuse, 'a*2+b', { a = a, b = a }))
    assert.matches("^%S*raises.lua:%d+: fuse: operand 'b' is missing", message(f, { a = a }))
  end)
end)

it('powers that are one operation are those of pow', function()
  for _, class in ipairs { 'Float', 'Double', 'Half', 'Int' } do
    tensor.manualSeed(1)
    local a = tensor.FloatTensor(3000):uniform(1, 90):type('torch.' .. class .. 'Tensor')
    for _, exponent in ipairs { 1, 2, -1, 3 } do
      if class ~= 'Int' or exponent > 0 then
        local expected = tensor.add(tensor.pow(a, exponent), 0)
        for _, form in ipairs { 'a ^ %d + 0', 'pow(a, %d) + 0' } do
          assert.is_true(tensor.fuse(form:format(exponent))(a):equal(expected), class .. exponent)
        end
      end
    end
  end
end)

it('operands may be numbers that depend on the arguments of a gradient', function()
  local x = tensor.Tensor { 1, 2 }
  local function gradient(f) return tensor.grad(f)(x):totable() end
  -- The gradient of x * sum(x) * 1 is 2 * sum(x).
  local by_position = gradient(function(t) return tensor.fuse 'a * n'(t, t:sum()):sum() end)
  local by_name = gradient(function(t)
    return tensor.fuse 'n * a' { a = t, n = t:sum() }:sum()
  end)
  assert.are.same({ 6, 6 }, by_position)
  assert.are.same({ 6, 6 }, by_name)
  local of_float = tensor.grad(function(t) return tensor.fuse 'a * n'(t, t:sum()):sum() end)
  assert.are.same({ 6, 6 }, of_float(x:float()):totable())
  -- The gradient of sum(x)^2 is 2 * sum(x).
  local forms = { function(n) return n, n end, function(n) return { n = n, m = n } end }
  for _, form in ipairs(forms) do
    assert.are.same({ 6, 6 }, gradient(function(t)
      return tensor.fuse 'n * m'(form(t:sum())):sum()
    end))
  end
end)

describe('numbers as operands', function()
  it('are not rounded to the element type', function()
    local h, b = tensor.HalfTensor { 60000 }, tensor.BFloat16Tensor { 100 }
    for _, case in ipairs { { h, 1e-9 }, { h, -1e-9 }, { b, 0.3 }, { b, -0.3 }, { h, 2 } } do
      local t, number = case[1], case[2]
      assert.are.equal((t * number)[1], tensor.fuse 'x*y' (t, number)[1])
      assert.are.equal((t / number)[1], tensor.fuse 'x / y' (t, number)[1])
      assert.are.equal(tensor.pow(t, number)[1], tensor.fuse 't^e' { t = t, e = number }[1])
      assert.are.equal((t - number)[1], tensor.fuse 'x-e2' (t, number)[1])
    end
    local step = tensor.fuse 'w - rate*g'
    local w, g = tensor.HalfTensor { 1 }, tensor.HalfTensor { 30000 }
    assert.are.equal((w - g * 2e-8)[1], step { w = w, g = g, rate = 2e-8 }[1])
    local r = tensor.HalfTensor()
    assert.are.equal(step { w = w, g = g, rate = 2e-8 }[1], step(r, w, 2e-8, g)[1])
    assert.are.equal((w * math.huge)[1], tensor.fuse 'w*x' (w, math.huge)[1])
    local df = tensor.grad(function(p) return tensor.fuse 'a*x*y' (h, 2, p.s):sum() end)
    assert.are.equal(tensor.mul(h, 2)[1], df { s = 3 }.s)
    local tointeger = rawget(math, 'tointeger')
    if tointeger then
      local odd = tointeger(2 ^ 53) + 1
      assert.are.equal(odd, tensor.fuse 'x*y' (tensor.LongTensor { 1 }, odd)[1])
    end
    assert.are.equal(3, tensor.fuse 'exp(y)*x' (0, tensor.HalfTensor { 3 })[1])
    decimal_comma(function()
      assert.are.equal((w - g * 1.25e-8)[1], step(w, 1.25e-8, g)[1])
    end)
  end)

  it('may be beyond the elements where the operations take them', function()
    local t = tensor.ByteTensor { 1, 200 }
    assert.are.same({ 1, 1 }, tensor.fuse 'x<y' (t, 300):totable())
    assert.are.same({ 1, 0 }, tensor.fuse 'x<y' (t, 1.5):totable())
    assert.are.same({ 1, 200 }, tensor.fuse 'cmax(x,y)' (t, -1):totable())
    assert.matches('0.5 does not fit into elements of type Int',
                   message(tensor.fuse 'x*y', tensor.IntTensor { 1 }, 0.5))
  end)

  it('are refused in remainders and powers where the operations refuse them', function()
    local byte, long = tensor.ByteTensor { 50 }, tensor.LongTensor { 7 }
    local cases = { ['x%300'] = byte, ['x^256'] = byte, ['x^0.5'] = long, ['x%2.5'] = long,
                    ['x%0.5'] = long, ['7.5%x'] = long, ['x%2^64'] = long, ['x^(1/0)'] = long }
    for text, t in pairs(cases) do
      assert.matches('does not fit into elements of type', message(tensor.fuse(text), t))
    end
    assert.are.equal(1, tensor.fuse 'x%3' (long)[1])
    assert.are.equal(49, tensor.fuse 'x^2' (long)[1])
    tensor.setRule('arithmetic', 'torch7')
    finally(function() tensor.setRule('arithmetic', 'tensor') end)
    assert.are.equal(1, tensor.fuse 'x%2.5' (long)[1])
  end)
end)
