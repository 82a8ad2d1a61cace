-- tensor.grad and its relatives: arguments, results, nested gradients, numbers.
-- test/lua/grad_tape_spec.lua tests what f may do to tensors.

local tensor = require 'tensor'
local D = tensor.DoubleTensor

local function is_close(expected, got, tolerance)
  if tensor.isTensor(expected) then
    assert.are.same(expected:size():totable(), got:size():totable())
    expected, got = expected:clone():view(-1):totable(), got:clone():view(-1):totable()
  end
  if type(expected) == 'number' then expected, got = { expected }, { got } end
  assert.are.equal(#expected, #got)
  for k = 1, #expected do
    assert.is_true(math.abs(expected[k] - got[k]) <= (tolerance or 1e-12),
                   ('element %d: %.17g, not %.17g'):format(k, got[k], expected[k]))
  end
end
local function square_sum(x) return tensor.cmul(x, x):sum() end

describe('tensor.grad', function()
  it('returns the gradient, then the results of f', function()
    local df = tensor.grad(function(x) return square_sum(x), x * 2, 'text' end)
    local g, loss, more, text = df(D{ 1, 2, 3 })
    is_close(D{ 2, 4, 6 }, g)
    assert.are.equal(14, loss)
    is_close(D{ 2, 4, 6 }, more)
    assert.are.equal('text', text)
  end)
  it('returns results after nil', function()
    local list = { tensor.grad(function(x) return x:sum(), nil, false, nil, x * 2 end)(D{ 1 }) }
    assert.is_nil(list[3])
    assert.is_false(list[4])
    is_close(D{ 2 }, list[6])
  end)
  it('checks its options', function()
    local function fails(options)
      return tostring(select(2, pcall(tensor.grad, function(x) return x end, options)))
    end
    assert.matches('argument must be a whole number of at least 1, got 0', fails{ argument = 0 })
    assert.matches('got 1.5', fails{ argument = 1.5 })
    assert.matches('argument must be a number, got a string', fails{ argument = 'x' })
    assert.matches('unknown option arguments', fails{ arguments = 2 })
  end)
  it('accepts and returns numbers', function()
    local g, loss = tensor.grad(function(n) return n * n * n end)(2)
    assert.are.equal(12, g)
    assert.are.equal(8, loss)
  end)
  it('accepts a loss with one element', function()
    is_close(D{ 1, 1 }, (tensor.grad(function(x) return x:sum(1) end)(D{ 3, 4 })))
    local df = tensor.grad(function(x) return x:narrow(1, 2, 1):view(1, 1) end)
    is_close(D{ 0, 1 }, (df(D{ 3, 4 })))
  end)
  it('mirrors nested tables, and leaves other values', function()
    local params = { { weight = D{ 2, 3 }, rate = 4 }, bias = D{ 5, 6 }, name = 'layer', on = true,
                     counts = tensor.LongTensor{ 1 } }
    local g = tensor.grad(function(p)
      return (tensor.cmul(p[1].weight, p.bias) * p[1].rate):sum()
    end)(params)
    is_close(D{ 20, 24 }, g[1].weight)
    is_close(D{ 8, 12 }, g.bias)
    assert.are.equal(28, g[1].rate)
    assert.are.equal('layer', g.name)
    assert.is_true(g.on)
    assert.are.equal(4, params[1].rate)
  end)
  it('returns zeros for what the loss does not depend on', function()
    local g = tensor.grad(function(p) return p[1]:sum() end){ D{ 1 }, tensor.zeros(2, 3):double() }
    is_close(tensor.zeros(2, 3):double(), g[2])
  end)
  it('differentiates by another argument', function()
    local f = function(x, y) return (tensor.cmul(x, x) + y):sum() end
    local df = tensor.grad(f, { argument = 2 })
    is_close(D{ 1, 1 }, (df(D{ 1, 2 }, D{ 3, 4 })))
  end)
  it('passes nil and further arguments on', function()
    local df = tensor.grad(function(x, ...) return x:sum(), select('#', ...) end)
    local g, _, count = df(D{ 1 }, nil, nil)
    is_close(D{ 1 }, g)
    assert.are.equal(2, count)
  end)
  it('accepts a callable table', function()
    local f = setmetatable({}, { __call = function(_, x) return square_sum(x) end })
    is_close(D{ 2 }, (tensor.grad(f)(D{ 1 })))
  end)
  it('refuses a loss that is not one number', function()
    assert.has_error(function() tensor.grad(function(x) return x * 2 end)(D{ 1, 2 }) end,
      'grad: the first result of the function must be a number or a tensor with one element that '
      .. 'depends on argument 1; got a tensor with 2 elements')
    assert.error_matches(function() tensor.grad(function() end)(D{ 1 }) end, 'got nil')
    local df = tensor.grad(function() return 1 end)
    assert.error_matches(function() df() end, 'argument 1: a number, a tensor or .*, got none')
    assert.error_matches(function() df 'x' end, 'argument 1: a number, a .*, got a string')
    assert.error_matches(function()
      tensor.grad(function() return tensor.ones(1) end)(D{ 1 })
    end, 'does not depend on argument 1')
    assert.error_matches(function() tensor.grad(3) end, 'grad: a function is expected, got number')
  end)
  it('works for each floating-point type', function()
    for _, name in ipairs{ 'Half', 'BFloat16', 'Float', 'Double' } do
      local g, loss = tensor.grad(square_sum)(tensor[name .. 'Tensor']{ 1, 2 })
      assert.are.equal(('torch.%sTensor'):format(name), g:type())
      is_close({ 2, 4 }, g:double():totable())
      assert.are.equal(5, loss)
    end
  end)
  it('converts between types', function()
    local g = tensor.grad(function(x) return (x:float():double() * 3):sum() end)(D{ 1, 2 })
    is_close(D{ 3, 3 }, g)
  end)
  it('gives the total gradient for tensors that share memory', function()
    local x = D{ 1, 2 }
    local g = tensor.grad(function(p) return (p[1] + p[2] * 2):sum() end){ x, x }
    is_close(D{ 3, 3 }, g[1])
    is_close(D{ 3, 3 }, g[2])
    local y = D{ 1, 2, 3 }
    g = tensor.grad(function(p) return (p[1] + p[2] * 2):sum() end){
      y:narrow(1, 1, 2), y:narrow(1, 2, 2) }
    is_close(D{ 1, 3 }, g[1])
    is_close(D{ 3, 2 }, g[2])
  end)
  it('accepts transposed, offset and expanded arguments', function()
    local m = D{ { 1, 2, 3 }, { 4, 5, 6 } }
    is_close(m:t() * 2, (tensor.grad(square_sum)(m:t())))
    is_close(m:narrow(2, 2, 2) * 2, (tensor.grad(square_sum)(m:narrow(2, 2, 2))))
    is_close(D{ { 2, 4 }, { 2, 4 } }, (tensor.grad(square_sum)(D{ 1, 2 }:view(1, 2):expand(2, 2))))
  end)
  it('accepts tensors without elements', function()
    local g, loss = tensor.grad(function(p) return p[1]:sum() + p[2]:sum() end){ D(0, 3), D{ 2 } }
    assert.are.same({ 0, 3 }, g[1]:size():totable())
    assert.are.equal(2, loss)
    assert.are.equal(0, tensor.grad(function(p) return p[1]:sum() end){ D(), D{ 2 } }[1]:nElement())
  end)
  it('adds the gradients of all products of a matrix', function()
    local x, w = tensor.randn(4, 3), tensor.randn(3, 3)
    local uses = {
      function(m) return tensor.mm(x, m) end,
      function(m) return tensor.mm(x, m:t()) end,
      function(m) return tensor.addmm(0.5, x, -2, x, m:t()) end,
      function(m) return tensor.mm(m, m) end,
      function(m) return tensor.mm(x, m[1]:view(1, 3):expand(3, 3)) end,
      function(m) return tensor.mm(x:narrow(2, 1, 2), m:narrow(1, 2, 2)) end,
      function(m) return tensor.cmul(m, m):t() end,
    }
    local function gradient(list)
      return (tensor.grad(function(m)
        local sum = 0
        for _, k in ipairs(list) do sum = tensor.exp(uses[k](m) * 0.3):sum() + sum end
        return sum
      end)(w))
    end
    for first = 1, #uses do
      assert.is_true(tensor.gradcheck(uses[first], {w}, {order = 2}))
      for second = 1, #uses do
        is_close(gradient{first} + gradient{second}, gradient{first, second}, 1e-11)
      end
    end
  end)
  it('counts upvalues', function()
    local x = D{ 3 }
    is_close(D{ 6 }, (tensor.grad(function() return square_sum(x) end)(x)))
    local view = x:view(1, 1)
    is_close(D{ 6 }, (tensor.grad(function() return square_sum(view) end)(x)))
  end)
end)

describe('the option ready of tensor.grad', function()
  it('gets gradients and their numbers in an order of keys', function()
    local p = { [true] = D{ 1 }, [false] = D{ 2 }, [3] = D{ 3 }, [2] = D{ 4 }, b = D{ 5 },
                a = D{ 6 }, [{}] = D{ 7 }, [{}] = D{ 8 } }
    local seen = {}
    local df = tensor.grad(function(q)
      local sum = 0
      for _, x in pairs(q) do sum = sum + square_sum(x) end
      return sum
    end, { ready = function(g, number) seen[number] = g[1] end })
    local g = df(p)
    assert.are.same({ 4, 2, 8, 6, 12, 10 }, seen)
    for key, x in pairs(p) do is_close(x * 2, g[key]) end
    assert.are.equal('number', type(D{ 1 }:sum()))  -- nothing is recorded
  end)
end)

describe('tensor.vjp', function()
  it('returns gradients of all arguments, then the results', function()
    local list, y, z = tensor.vjp(function(a, b) return a + b, tensor.cmul(a, b) end,
      { D{ 1, 2 }, D{ 3, 4 } }, { D{ 1, 1 }, D{ 10, 20 } })
    is_close(D{ 31, 81 }, list[1])
    is_close(D{ 11, 41 }, list[2])
    is_close(D{ 4, 6 }, y)
    is_close(D{ 3, 8 }, z)
  end)
  it('counts missing cotangents as 0', function()
    local f = function(a, b) return a + b, tensor.cmul(a, b), { a * 3, b * 4 } end
    local args = { D{ 1 }, D{ 3 } }
    is_close(D{ 3 }, tensor.vjp(f, args, { false, D{ 1 } })[1])
    is_close(D{ 3 }, tensor.vjp(f, args, { nil, D{ 1 } })[1])
    is_close(D{ 8 }, tensor.vjp(f, args, { nil, nil, { false, D{ 2 } } })[2])
    is_close(D{ 0 }, tensor.vjp(f, args, {})[1])
  end)
  it('accepts numbers and tables', function()
    local list = tensor.vjp(function(p, n) return p.a * n, n * n end, { { a = D{ 1, 2 } }, 3 },
      { D{ 1, 1 }, 10 })
    is_close(D{ 3, 3 }, list[1].a)
    assert.are.equal(63, list[2])
  end)
end)

describe('tensor.vjp and tensor.jvp', function()
  local function f(a) return a * 2, a:sum(), { u = a * 3 } end
  local function failure(name, list, args)
    return tostring(select(2, pcall(tensor[name], f, args or { D{ 1, 2 } }, list)))
  end
  it('refuse gradients of another form', function()
    for list, expected in pairs{
      [{ D{ 1, 2, 3 } }] = 'result 1: a tensor of size %[2%] is expected, got .* size %[3%]',
      [{ D{ 1 } }] = 'got a tensor of size %[1%]',
      [{ 1 }] = 'result 1: a tensor of size %[2%] is expected, got a number',
      [{ false, D{ 1, 2 } }] = 'result 2: a number is expected, got a tensor of size %[2%]',
      [{ false, 'x' }] = 'result 2: a number is expected, got a string',
      [{ false, false, 3 }] = 'result 3: a table is expected, got a number',
      [{ false, false, { u = 3 } }] = 'result 3.u: a tensor of size %[2%] is expected',
      [{ false, false, false, D{ 1 } }] = 'result 4: the number of results is 3',
      [{ false, false, { v = 3 } }] = 'result 3.v: nothing is expected, got a number',
      [{ [1.5] = D{ 1 } }] = 'result 1.5: the number of results is 3',
      [{ x = D{ 1 } }] = 'result x: the number of results is 3',
    } do
      assert.matches(expected, failure('vjp', list))
    end
    assert.are.equal('number', type(D{ 1 }:sum()))
  end)
  it('refuse tangents of another form', function()
    assert.matches('argument 1: a tensor of size %[2%] is expected, got .* size %[1%]',
                   failure('jvp', { D{ 1 } }))
    assert.matches('argument 1: a tensor of size %[2 x 1%] is expected, got .* size %[1 x 2%]',
                   failure('jvp', { D{ { 1, 2 } } }, { D{ { 1 }, { 2 } } }))
    assert.matches('argument 1.w: a number is expected, got a string',
                   failure('jvp', { { w = 'x' } }, { { w = 3 } }))
    assert.matches('argument 1.v: nothing is expected, got a number',
                   failure('jvp', { { v = 1 } }, { { w = 3 } }))
    assert.matches('argument 2: nothing is expected, got a tensor of size %[2%]',
                   failure('jvp', { D{ 1, 2 }, D{ 1, 2 } }))
    assert.matches('argument x: nothing is expected, got a number', failure('jvp', { x = 1 }))
  end)
  it('accept lists with their length', function()
    is_close(D{ 2, 4 }, (tensor.vjp(f, { n = 1, D{ 1, 2 } }, { n = 1, D{ 1, 2 } }))[1])
    is_close(D{ 2, 4 }, (tensor.jvp(f, { n = 1, D{ 1, 2 } }, { n = 1, D{ 1, 2 } }))[1])
  end)
  it('pass results after nil on', function()
    local function g(x) return nil, x * 2 end
    local list, none, y = tensor.vjp(g, { D{ 1 } }, { nil, D{ 3 } })
    is_close(D{ 6 }, list[1])
    assert.is_nil(none)
    is_close(D{ 2 }, y)
    list, none, y = tensor.jvp(g, { D{ 1 } }, { D{ 3 } })
    is_close(D{ 6 }, list[2])
    assert.is_nil(none)
    is_close(D{ 2 }, y)
  end)
end)

describe('tensor.jvp', function()
  it('returns derivatives along tangents, then the results', function()
    local list, y, z = tensor.jvp(function(a, b) return tensor.cmul(a, b), a:sum() end,
      { D{ 1, 2 }, D{ 3, 4 } }, { D{ 1, 0 }, D{ 0, 1 } })
    is_close(D{ 3, 2 }, list[1])
    assert.are.equal(1, list[2])
    is_close(D{ 3, 8 }, y)
    assert.are.equal(3, z)
  end)
  it('counts missing tangents as 0', function()
    local list = tensor.jvp(function(a, b) return tensor.cmul(a, b) end, { D{ 2 }, D{ 3 } },
      { false, D{ 1 } })
    is_close(D{ 2 }, list[1])
  end)
  it('can be differentiated', function()
    local g = tensor.grad(function(x)
      return tensor.jvp(function(t) return tensor.pow(t, 3) end, { x }, { D{ 1 } })[1]:sum()
    end)(D{ 2 })
    is_close(D{ 12 }, g)
  end)
  it('returns results that depend on an outer argument', function()
    local g = tensor.grad(function(x)
      local _, y = tensor.jvp(function(t) return tensor.pow(t, 3) end, { x }, { D{ 1 } })
      return y:sum()
    end)(D{ 2 })
    is_close(D{ 12 }, g)
  end)
end)

describe('gradients that call themselves without an end', function()
  it('are an error', function()
    local function f(x) return tensor.grad(f)(x) end
    assert.matches('grad: more than 100 gradients are nested', select(2, pcall(f, D{ 1 })), 1, true)
    assert.are.same({ 2 }, tensor.grad(function(x) return (x * 2):sum() end)(D{ 1 }):totable())
  end)
end)

describe('tensor.jacobian and tensor.hessian', function()
  it('name the function in errors', function()
    local message = 'hessian: the first result of the function must be a number or a tensor ' ..
                    'with one element that depends on argument 1; got '
    assert.has_error(function() tensor.hessian(function() return 'x' end, D{ 1, 2 }) end,
                     message .. 'string')
    assert.has_error(function() tensor.hessian(function(x) return x end, D{ 1, 2 }) end,
                     message .. 'a tensor with 2 elements')
  end)
  it('refuse a function without a result', function()
    assert.matches('jacobian: the function must return a tensor or a number, got nil',
                   select(2, pcall(tensor.jacobian, function() end, D{ 1 })))
  end)
  it('are matrices', function()
    is_close(D{ { 2, 0, 3 }, { 0, 2, 0 } },
             tensor.jacobian(function(x) return D{ 0, 0 } + x:narrow(1, 1, 2) * 2
               + tensor.cat(x:narrow(1, 3, 1) * 3, D{ 0 }) end, D{ 1, 2, 3 }))
    is_close(D{ { 0, 6 }, { 6, 2 } },
             tensor.hessian(function(x) return x[1] * x[2] * x[2] end, D{ 1, 3 }), 1e-9)
  end)
  it('are 0 for constants', function()
    is_close(D(1, 2):zero(), tensor.jacobian(function() return 3 end, D{ 1, 2 }))
    for _, f in ipairs{ function() return 3 end, function() return D{ 1 } end } do
      is_close(D(2, 2):zero(), tensor.hessian(f, D{ 1, 2 }))
    end
  end)
  it('leave arguments that f overwrites as they are', function()
    local x = D{ 1, 2 }
    is_close(D{ { 2, 0 }, { 0, 2 } }, tensor.jacobian(function(t) return t:mul(2) end, x))
    is_close(D{ { 2, 0 }, { 0, 2 } }, tensor.hessian(function(t) return t:cmul(t):sum() end, x))
    is_close(D{ 1, 2 }, x)
  end)
end)

describe('nested gradients', function()
  it('are derivatives of higher order', function()
    local f = function(x) return x ^ 4 end
    local function d(g) return function(x) return (tensor.grad(g)(x)) end end
    assert.are.equal(32, d(f)(2))
    assert.are.equal(48, d(d(f))(2))
    assert.are.equal(48, d(d(d(f)))(2))
    assert.are.equal(24, d(d(d(d(f))))(2))
  end)
  it('of tensors', function()
    local df = tensor.grad(function(x) return tensor.pow(x, 3):sum() end)
    local ddf = tensor.grad(function(x) return (df(x)):sum() end)
    is_close(D{ 6, 12 }, (ddf(D{ 1, 2 })))
    is_close(D{ 6, 6 }, (tensor.grad(function(x) return (ddf(x)):sum() end)(D{ 1, 2 })))
  end)
  it('do not confuse the variables of both', function()
    -- d/dx (x * d/dy (x + y)) = 1, where y has the value of x.
    local function f(x)
      return x * (tensor.grad(function(y) return x + y end)(x))
    end
    assert.are.equal(1, (tensor.grad(f)(3)))
    local function g(x)
      return tensor.cmul(x, (tensor.grad(function(y) return (x + y):sum() end)(x))):sum()
    end
    is_close(D{ 1, 1 }, (tensor.grad(g)(D{ 1, 2 })))
  end)
  it('keep results of the inner function', function()
    local g = tensor.grad(function(x)
      local gradient, loss = tensor.grad(square_sum)(x)
      return gradient:sum() + loss * 10
    end)(D{ 1, 2 })
    is_close(D{ 22, 42 }, g)
  end)
  it('of an inner function that writes', function()
    local g = tensor.grad(function(x)
      return (tensor.grad(function(y)
        local z = y:clone()
        z:cmul(y)
        z:narrow(1, 1, 1):mul(5)
        z[2] = z[2] * y[1]
        return z:sum()
      end)(x)):sum()
    end)(D{ 2, 3 })
    -- z = 5 x1^2 + x2^2 x1: gradient (10 x1 + x2^2, 2 x1 x2), its sum: d (10 + 2 x2, 2 x2 + 2 x1)
    is_close(D{ 16, 10 }, g)
  end)
end)

describe('tracked numbers', function()
  local x = D{ 1, 2, 3 }
  local function check(f, n, expected)
    local g = tensor.grad(f)(n)
    assert.is_true(math.abs(g - expected) < 1e-9, ('%.12g, not %.12g'):format(g, expected))
  end
  it('have the operators of numbers', function()
    check(function(n) return (2 + n) * (n - 1) / (3 - n) end, 2, 9)
    check(function(n) return -n ^ 3 + 2 ^ n end, 1, -3 + 2 * math.log(2))
    check(function(n) return n % 3 end, 4, 1)
    check(function(n) return tensor.log(n) + n:exp():sqrt() end, 2, 0.5 + math.exp(1) / 2)
    check(function(n) return tensor.pow(n, 2) + tensor.atan2(n, 1) end, 1, 2.5)
  end)
  it('are operands of tensors', function()
    for _, f in ipairs{ function(n) return x * n end, function(n) return n * x end,
                        function(n) return x:clone():mul(n) end,
                        function(n) return tensor.mul(x, n) end,
                        function(n) return tensor.mul(D(3), x, n) end,
                        function(n) return x:clone():zero():add(n, x) end,
                        function(n) return tensor.add(x, n, x) end,
                        function(n) return tensor.addcmul(x, n, x, D{ 1, 1, 1 }) end,
                        function(n) return tensor.addcdiv(x, n, x, D{ 1, 1, 1 }) end } do
      check(function(n) return f(n):sum() end, 5, 6)
    end
    check(function(n) return (x + n):sum() end, 5, 3)
    check(function(n) return (n - x):sum() end, 5, 3)
    check(function(n) return x:clone():add(n):sum() end, 5, 3)
    check(function(n) return x:clone():csub(n, x):sum() end, 5, -6)
    check(function(n) return x:clone():div(n):sum() end, 2, -1.5)
    check(function(n) return (n / x):sum() end, 2, 11 / 6)
    check(function(n) return tensor.pow(x, n):sum() end, 2, 4 * math.log(2) + 9 * math.log(3))
    check(function(n) return tensor.pow(n, x):sum() end, 2, 1 + 4 + 12)
    check(function(n) return x:clone():fill(n):sum() end, 2, 3)
    check(function(n) return tensor.clamp(x, n, 10):sum() end, 2.5, 2)
    check(function(n) return tensor.cmax(x, n):sum() end, 2.5, 2)
  end)
  it('are factors of products', function()
    local a, b = D{ { 1, 2 }, { 3, 4 } }, D{ { 5, 6 }, { 7, 8 } }
    local product = tensor.mm(a, b):sum()
    check(function(n) return tensor.addmm(n, a, a, b):sum() end, 3, a:sum())
    check(function(n) return tensor.addmm(a, n, a, b):sum() end, 3, product)
    check(function(n) return tensor.addmm(n, a, n, a, b):sum() end, 3, a:sum() + product)
    check(function(n) return tensor.addmm(D(2, 2), n, a, n, a, b):sum() end, 3, a:sum() + product)
    check(function(n) return a:clone():addmm(n, a, b):sum() end, 3, product)
    check(function(n) return a:clone():addmm(n, 1, a, b):sum() end, 3, a:sum())
    check(function(n) return a:clone():addmm(n, b, n, a, b):sum() end, 3, b:sum() + product)
    check(function(n) return D{ 1, 2 }:addmv(n, a, D{ 1, 1 }):sum() end, 3, 10)
  end)
  it('are assigned to elements', function()
    check(function(n) local y = x:clone() y[2] = n * n return y:sum() end, 5, 10)
    check(function(n) local y = x:clone() y[{ 2 }] = n * n return y:sum() end, 5, 10)
    check(function(n) local y = x:clone() y[{ { 1, 2 } }] = n * n return y:sum() end, 5, 20)
    check(function(n) local y = x:clone() y[x:gt(1)] = n return y:sum() end, 5, 2)
    check(function(n) return tensor.Tensor{ n, 4, n * n }:sum() end, 5, 11)
    check(function(n) return D{ { 1, n }, { n * n, 2 } }[2]:sum() end, 5, 10)
  end)
  it('do not change with the element from which they were read', function()
    local g = tensor.grad(function(t)
      local y = t * 1
      local n = y[1]
      y:fill(100)
      return n * n
    end)(D{ 3, 4 })
    is_close(D{ 6, 0 }, g)
  end)
  it('are compared with each other, and printed', function()
    local g, _, text, equal = tensor.grad(function(n)
      local m = n * 2
      return n < m and n <= m and m >= n and m or n, m .. ' ' .. tostring(m) .. m, n == n * 1
    end)(3)
    assert.are.equal(2, g)
    assert.are.equal(6.0 .. ' ' .. 6.0 .. 6.0, text)
    assert.is_true(equal)
  end)
  it('have plain values', function()
    check(function(n) return n:item() > 1 and n * tonumber(('%g'):format(n:item())) or n end, 2, 2)
  end)
  it('are refused as subscripts and sizes', function()
    for name, f in pairs{
      ['indexing'] = function(n) return D{ 1, 2, 3 }[n] end,
      ['indexing: '] = function(n) return D{ 1, 2, 3 }[{ n }] end,
      ['indexing:'] = function(n) local t = D{ 1, 2, 3 } t[n] = 0 return t:sum() end,
      ['indexing: a'] = function(n) local t = D{ 1, 2, 3 } t[{ n }] = n return t:sum() end,
      ['Tensor'] = function(n) return D(n):sum() end,
    } do
      local ok, message = pcall(tensor.grad(f), 3)
      assert.is_false(ok)
      assert.matches(name, message)
      assert.matches('a number that depends on the arguments of a gradient is not accepted here',
                     message)
    end
  end)
  it('are refused elsewhere', function()
    local function refused(f, message)
      assert.error_matches(function() tensor.grad(f)(2) end, message)
    end
    refused(function(n) return math.sqrt(n) end, 'number expected, got table')
    refused(function(n) return x:narrow(1, n, 1):sum() end, 'narrow: a number that depends')
    refused(function(n) return n + {} end, 'a tracked number and table do not go together')
    refused(function(n) return n .. {} end, 'a tracked number and table do not go together in %.%.')
  end)
  it('become plain numbers in results', function()
    local _, loss, more = tensor.grad(function(n) return n * 2, { n, { n * 3 } } end)(2)
    assert.are.equal(4, loss)
    assert.are.same({ 2, { 6 } }, more)
  end)
end)

describe('tensor.stopGradient', function()
  it('makes constants', function()
    is_close(D{ 3 }, (tensor.grad(function(x)
      return tensor.cmul(x, tensor.stopGradient(x)):sum()
    end)(D{ 3 })))
    assert.are.equal(3, (tensor.grad(function(n) return n * tensor.stopGradient(n) end)(3)))
    local list = tensor.stopGradient{ D{ 1 }, { 2, 'text' } }
    is_close(D{ 1 }, list[1])
    assert.are.same({ 2, 'text' }, list[2])
  end)
end)
