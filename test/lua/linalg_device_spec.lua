-- Linear algebra on the software device: it runs there, its results live there, and its errors are
-- the CPU's. Values are those of linalg_spec.

local tensor = require 'tensor'
local child = require 'support.child'

before_each(function() tensor.manualSeed(3) end)

it('runs on a device, and results live there', function()
  local device = tensor.Tensor():to('soft'):device()
  local a, b = tensor.randn(4, 4):add(tensor.eye(4) * 4), tensor.randn(4, 2)
  local there = { a:clone():to(device), b:clone():to(device) }
  -- Values that only the device has.
  there[1]:mul(2)
  tensor.resetStats()
  local x, lu = tensor.gesv(there[2], there[1])
  assert.are.equal(device, x:device())
  assert.are.equal(device, lu:device())
  for _, name in ipairs { 'inverse', 'symeig', 'eig', 'svd', 'qr', 'geqrf', 'eigh', 'pinverse',
                          'btrifact', 'svdvals', 'lu', 'matrixExp' } do
    local operand = name == 'btrifact' and there[1]:view(1, 4, 4) or there[1]
    for _, result in ipairs { tensor[name](operand) } do
      if result:nElement() > 0 then assert.are.equal(device, result:device(), name) end
    end
  end
  local positive = there[1] * there[1]:t()
  local factor = tensor.cholesky(positive)
  tensor.potrs(there[2], tensor.potrf(positive))
  tensor.lstsq(there[1]:narrow(2, 1, 2), there[2])
  tensor.trtrs(there[2], factor, 'L')
  local det = tensor.det(there[1])
  -- A result argument's current device is kept.
  local home = tensor.Tensor():to(device)
  assert.are.equal(device, tensor.inverse(home, a):device())
  assert.are.same({}, tensor.stats().fallbacks)
  assert.is_true((x:to('cpu') - tensor.gesv(b, a * 2)):abs():max() < 1e-13)
  assert.is_true(math.abs(det - 16 * tensor.det(a)) < 1e-9)
  assert.is_true((home:to('cpu') - tensor.inverse(a)):abs():max() < 1e-13)
end)

it('falls back to the CPU for the pivoted Cholesky factorization', function()
  local a = tensor.randn(4, 4)
  a = a * a:t()
  local there = a:clone():to('soft')
  tensor.resetStats()
  local factor = tensor.pstrf(there)
  assert.are.same({ pstrf = 1 }, tensor.stats().fallbacks)
  assert.is_true(factor:to('cpu'):equal((tensor.pstrf(a))))
  local output = child.run [[
    tensor.warnOfFallbacks(true)
    tensor.pstrf(tensor.eye(2):to('soft'))
  ]]
  assert.are.equal('tensor: pstrf runs on the CPU (unsupported: no library has a pivoted '
                   .. 'Cholesky factorization)\n', output)
end)

it('has the errors of the CPU', function()
  local device = tensor.Tensor():to('soft'):device()
  local b = tensor.randn(3, 2)
  local bad = tensor.eye(3)
  bad[2][2] = 0 / 0
  local singular = tensor.ones(3, 3)
  for _, call in ipairs {
    function(to) return tensor.solve(to(bad), to(b)) end,
    function(to) return tensor.solve(to(tensor.eye(3)), to(b / 0)) end,
    function(to) return tensor.inverse(to(singular)) end,
    function(to) return tensor.gesv(to(b), to(singular)) end,
    function(to) return tensor.cholesky(to(-singular)) end,
    function(to) return tensor.svd(to(bad)) end,
    function(to) return tensor.potri(to(tensor.zeros(3, 3))) end,
  } do
    local messages = {}
    for k, to in ipairs { function(t) return t end, function(t) return t:clone():to(device) end } do
      local ok, message = pcall(call, to)
      assert.is_false(ok)
      messages[k] = message:gsub('^.-:%d+: ', '')
    end
    assert.are.equal(messages[1], messages[2])
  end
end)

it('computes gradients there', function()
  local a = tensor.randn(3, 3):add(tensor.eye(3) * 4)
  local function loss(x)
    local q = tensor.qr(x)
    return tensor.solve(x, tensor.ones(3)):sum() + tensor.logdet(x * x:t()) + q:sum()
      + tensor.rfft(x):cmul(tensor.rfft(x)):sum()
  end
  local gradient = tensor.grad(loss)
  local wanted = gradient(a)
  local there = a:clone():to('soft')
  tensor.resetStats()
  local got = gradient(there)
  assert.are.same({}, tensor.stats().fallbacks)
  assert.are.equal(there:device(), got:device())
  assert.is_true((got:to('cpu') - wanted):abs():max() < 1e-10)
end)
