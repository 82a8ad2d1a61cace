-- Which operands pair where shapes differ: by NumPy's rules first, in order first, or in order
-- never; and that all operations ask in one place.

local tensor = require 'tensor'
local child = require 'support.child'

local modes = { 'numpy', 'torch7', 'strict' }

local function shape(t) return table.concat(t:size():totable(), 'x') end
-- Different numbers, none of them 0.
local function numbers(first, ...)
  local t = tensor.DoubleTensor(...)
  local next = first - 1
  return t:apply(function()
    next = next + 1
    return next
  end)
end

-- Shapes of two operands, and those of the result by mode; false: an error.
local table_of_results = {
  --  first        second        numpy      torch7     strict
  { { 2 },       { 2, 1 },     '2x2',     '2',       false },
  { { 2, 1 },    { 2 },        '2x2',     '2x1',     false },
  { { 3, 3, 1 }, { 3, 3 },     '3x3x3',   '3x3x1',   false },
  { { 5 },       { 5, 1 },     '5x5',     '5',       false },
  { { 5 },       { 1, 5 },     '1x5',     '5',       false },
  { { 1, 5 },    { 5 },        '1x5',     '1x5',     '1x5' },
  { { 2, 3 },    { 3, 2 },     '2x3',     '2x3',     false },
  { { 6 },       { 2, 3 },     '6',       '6',       false },
  { { 2, 3 },    { 3 },        '2x3',     '2x3',     '2x3' },
  { { 2, 3 },    { 2, 1 },     '2x3',     '2x3',     '2x3' },
  { { 3, 1 },    { 1, 2 },     '3x2',     '3x2',     '3x2' },
  { { 3, 1 },    { 1, 3 },     '3x3',     '3x1',     false },
  { { 1 },       { 1, 1 },     '1x1',     '1',       false },
  { { 1, 1 },    { 1 },        '1x1',     '1x1',     '1x1' },
  { { 0, 3 },    { 3, 0 },     '0x3',     '0x3',     false },
  { { 2, 3 },    { 4 },        false,     false,     false },
}

-- Every road of two operands: function, method, operator, comparison, a given result.
local calls = {
  add = function(a, b) return tensor.add(a, b) end,
  csub = function(a, b) return tensor.csub(a, 2, b) end,
  cmul = function(a, b) return tensor.cmul(a, b) end,
  cdiv = function(a, b) return tensor.cdiv(a, b) end,
  cmax = function(a, b) return tensor.cmax(a, b) end,
  lerp = function(a, b) return tensor.lerp(a, b, 0.5) end,
  lt = function(a, b) return tensor.lt(a, b) end,
  eq = function(a, b) return a:eq(b) end,
  addcmul = function(a, b) return tensor.addcmul(a, a, b) end,
  given = function(a, b)
    local r = tensor.DoubleTensor(7)
    return r:cmul(a, b)
  end,
  normal = function(a, b) return tensor.normal(a, b) end,
  maskedScatter = function(a, b) return tensor.maskedScatter(a, b:gt(0), numbers(1, 40)) end,
  ['+'] = function(a, b) return a + b end,
  ['-'] = function(a, b) return a - b end,
  ['/'] = function(a, b) return a / b end,
  ['%'] = function(a, b) return a % b end,
  ['^'] = function(a, b) return a ^ b end,
}
-- Those in place: the first operand's sizes stay, so that the modes agree but for strict.
local in_place = {
  add = function(a, b) return a:add(b) end,
  cmul = function(a, b) return a:cmul(b) end,
  addcdiv = function(a, b) return a:addcdiv(a:clone(), b) end,
  copy = function(a, b) return a:copy(b) end,
  ['copy of another type'] = function(a, b) return a:copy(b:float()) end,
  map = function(a, b) return a:map(b, function(x, y) return x + y end) end,
  map2 = function(a, b)
    return a:map2(a:clone(), b, function(x, _, y) return x + y end)
  end,
  bernoulli = function(a, b) return a:bernoulli(b:clone():fill(1)) end,
  maskedFill = function(a, b) return a:maskedFill(b:gt(0), 5) end,
  ['[]='] = function(a, b)
    local all = {}
    for d = 1, a:dim() do all[d] = {} end
    a[all] = b
    return a
  end,
}

describe('shapes that differ', function()
  local before
  before_each(function() before = tensor.getBroadcast() end)
  after_each(function() tensor.setBroadcast(before) end)

  for column, mode in ipairs(modes) do
    for name, call in pairs(calls) do
      it(('pair for %s as %s says'):format(name, mode), function()
        tensor.setBroadcast(mode)
        for _, row in ipairs(table_of_results) do
          local a, b = numbers(1, unpack(row[1])), numbers(10, unpack(row[2]))
          local text = ('%s: %s and %s'):format(name, shape(a), shape(b))
          local ok, result = pcall(call, a, b)
          local wanted = row[2 + column]
          assert.are.equal(wanted and true or false, ok, text)
          if wanted then
            assert.are.equal(wanted, shape(result), text)
          else
            assert.is_truthy(result:find(shape(a):gsub('x', ' x '), 1, true), result)
          end
        end
      end)
    end

    for name, call in pairs(in_place) do
      it(('pair in place for %s as %s says'):format(name, mode), function()
        tensor.setBroadcast(mode)
        for _, row in ipairs { { { 2 }, { 2, 1 } }, { { 2, 3 }, { 3, 2 } }, { { 6 }, { 2, 3 } },
                               { { 3, 3, 1 }, { 3, 3 } }, { { 3 }, { 1, 3 } } } do
          local a, b = numbers(1, unpack(row[1])), numbers(10, unpack(row[2]))
          local kept = a:clone()
          local ok, message = pcall(call, a, b)
          assert.are.equal(mode ~= 'strict', ok, name)
          if ok then
            local plain = kept:clone()
            call(plain, b:view(kept:size()))
            assert.are.same(plain:totable(), a:totable(), name)
          else
            assert.is_truthy(message:find("setBroadcast 'strict'", 1, true), message)
            assert.are.same(kept:totable(), a:totable())
          end
        end
        -- Broadcast to the sizes that stay, in every mode.
        for _, row in ipairs { { { 2, 3 }, { 3 } }, { { 2, 3 }, { 2, 1 } }, { { 1, 3 }, { 3 } } } do
          local a, b = numbers(1, unpack(row[1])), numbers(10, unpack(row[2]))
          local plain = a:clone()
          call(plain, b:expand(unpack(row[1])):clone())
          assert.are.same(plain:totable(), call(a, b):totable(), name)
        end
      end)
    end
  end

  it('pair their elements in order, whatever the layout', function()
    tensor.setBroadcast 'torch7'
    local a = numbers(1, 3, 2):t()
    local b = numbers(10, 3, 4):narrow(2, 2, 2)
    assert.are.same({ { 12, 15, 20 }, { 18, 23, 26 } }, (a + b):totable())
    assert.are.same({ { 12, 15 }, { 20, 18 }, { 23, 26 } }, (b + a):totable())
    local v = numbers(1, 5)
    assert.are.same({ 2, 4, 6, 8, 10 }, (v + v:view(5, 1)):totable())
    assert.are.same({ 0, 0 }, (numbers(1, 2) - numbers(1, 2, 1)):totable())
  end)

  it('pair in order in place, also with a view of the result', function()
    for _, mode in ipairs { 'torch7', 'numpy' } do
      tensor.setBroadcast(mode)
      local t, u, m = numbers(1, 3), numbers(1, 3), numbers(1, 2, 3)
      assert.are.same({ 1, 4, 9 }, t:cmul(t, t:view(-1, 1)):totable())
      assert.are.same({ 1, 4, 9 }, u:cmul(u, u:clone():view(-1, 1)):totable())
      assert.are.same({ { 2, 4, 6 }, { 8, 10, 12 } }, m:add(m, m:view(3, 2)):totable())
    end
  end)

  it('give a later operand the shape of the first one, as Torch7 does', function()
    tensor.setBroadcast 'torch7'
    local t, u = numbers(1, 3), numbers(1, 3, 1)
    assert.are.equal(u, tensor.cmul(u, t, u))
    assert.are.same({ 1, 4, 9 }, u:totable())
    -- A column keeps its shape.
    local matrix = numbers(1, 3, 2)
    for k = 1, 2 do
      local column = matrix:narrow(2, k, 1)
      tensor.cmul(column, t, column)
      assert.are.same({ 3, 1 }, column:size():totable())
    end
    assert.are.same({ { 1, 2 }, { 6, 8 }, { 15, 18 } }, matrix:totable())
    tensor.setBroadcast 'numpy'
    u = numbers(1, 3, 1)
    assert.are.same({ { 1 }, { 4 }, { 9 } }, tensor.cmul(u, t, u):totable())
  end)

  it('pair for reductions of two tensors, unless that is refused', function()
    local a, b = numbers(1, 2, 3), numbers(1, 3, 2)
    for _, mode in ipairs { 'numpy', 'torch7' } do
      tensor.setBroadcast(mode)
      assert.are.equal(91, a:dot(b))
      assert.are.equal(0, a:dist(b))
    end
    tensor.setBroadcast 'strict'
    assert.is_false((pcall(a.dot, a, b)))
    assert.is_false((pcall(a.dist, a, b)))
    assert.are.equal(91, a:dot(a))
  end)

  it('broadcast for dist and maskedSelect', function()
    local row, column = tensor.Tensor { 1, 2, 4 }, tensor.Tensor { { 1 }, { 2 }, { 4 } }
    local rows = tensor.Tensor { { 1, 2, 4 }, { 2, 2, 2 } }
    local chosen = column:ne(2)
    for mode, want in pairs { numpy = { 12, { 1, 2, 4, 1, 2, 4 } }, torch7 = { 0, { 1, 4 } } } do
      tensor.setBroadcast(mode)
      assert.are.equal(want[1], row:dist(column, 1))
      assert.are.same(want[2], row:maskedSelect(chosen):totable())
      assert.are.same(want[2], row[chosen]:totable())
      -- If the numbers of elements differ, every mode broadcasts.
      assert.are.equal(3, row:dist(rows, 1))
      assert.are.same({ 4, 1, 2, 4 },
                      row:maskedSelect(tensor.ByteTensor { { 0, 0, 1 }, { 1, 1, 1 } }):totable())
      assert.are.same({ 2, 2 }, tensor.Tensor { { 1 }, { 2 } }
                                :maskedSelect(tensor.ByteTensor { { 0, 0 }, { 1, 1 } }):totable())
    end
    tensor.setBroadcast 'strict'
    assert.is_false((pcall(row.dist, row, column)))
    assert.is_false((pcall(row.maskedSelect, row, chosen)))
    assert.are.equal(3, row:dist(rows, 1))
  end)

  it('broadcast for cross products', function()
    local vectors = tensor.Tensor { { 1, 0, 0 }, { 0, 1, 0 } }
    local z = tensor.Tensor { 0, 0, 1 }
    for _, mode in ipairs(modes) do
      tensor.setBroadcast(mode)
      local want = { { 0, -1, 0 }, { 1, 0, 0 } }
      assert.are.same(want, tensor.cross(vectors, z):totable())
      assert.are.same(want, tensor.cross(vectors, z, 2):totable())
      assert.are.same(want, tensor.cross(vectors, z, -1):totable())
      assert.are.same({ { 0, 1, 0 }, { -1, 0, 0 } }, tensor.cross(z, vectors):totable())
      assert.are.equal('4x3x5', shape(tensor.cross(numbers(1, 4, 3, 1), numbers(1, 3, 5), 2)))
      -- A dimension of size 1 is skipped; the first dimension of size 3 is used.
      assert.are.equal('3x3', shape(tensor.cross(numbers(1, 3, 3), z)))
      for _, wrong in ipairs { { numbers(1, 2, 3), numbers(1, 2, 1) },
                               { numbers(1, 2, 3), numbers(1, 3, 3) },
                               { numbers(1, 4), numbers(1, 4) }, { vectors, z, 1 } } do
        assert.is_false((pcall(tensor.cross, unpack(wrong))))
      end
    end
  end)

  it('select rows by a mask of the first dimensions, unless Torch7 pairs them in order', function()
    local first = tensor.ByteTensor { 1, 0, 0 }
    for mode, want in pairs { numpy = { { 1, 2, 3 } }, strict = { { 1, 2, 3 } },
                              torch7 = { 1, 4, 7 } } do
      tensor.setBroadcast(mode)
      assert.are.same(want, numbers(1, 3, 3)[first]:totable(), mode)
      local t = numbers(1, 2, 2)
      t[tensor.ByteTensor { 1, 0 }] = 5
      assert.are.same(mode == 'torch7' and { { 5, 2 }, { 5, 4 } } or { { 5, 5 }, { 3, 4 } },
                      t:totable(), mode)
    end
    tensor.setBroadcast 'strict'
    local t = numbers(1, 4, 2, 1)[tensor.ByteTensor { 1, 0, 0, 1 }]
    assert.are.same({ { { 1 }, { 2 } }, { { 7 }, { 8 } } }, t:totable())
    assert.are.same({ { 1, 2 } }, numbers(1, 3, 2)[first]:totable())
    assert.are.same({ { 8, 9 }, { 3, 4 } }, numbers(1, 2, 2):indexPut(
                      tensor.ByteTensor { 1, 0 }, numbers(8, 2)):totable())
    -- A mask of as many elements in another shape.
    assert.is_false((pcall(function() return numbers(1, 2, 3)[tensor.ByteTensor(6):fill(1)] end)))
  end)

  it('do not matter inside of operations', function()
    local a = tensor.DoubleTensor { { 2, 1 }, { 1, 3 } }
    local classes = tensor.LongTensor { { 1, 2, 1 }, { 2, 1, 2 } }
    local composed = {
      function() return a:logsumexp(1) end, function() return tensor.nanmean(a, 2) end,
      function() return tensor.quantile(a, 0.5, 1) end,
      function() return tensor.solve(a, numbers(1, 2)) end,
      function() return tensor.solve(a:view(1, 2, 2):expand(3, 2, 2), numbers(1, 3, 2)) end,
      function() return tensor.crossEntropy(numbers(1, 2, 3, 4), classes, nil, 'none') end,
      function()
        return (tensor.grad(function(x) return tensor.solve(x, numbers(1, 2)):sum() end)(a))
      end,
    }
    for k, call in ipairs(composed) do
      tensor.setBroadcast 'numpy'
      local ok, want = pcall(call)
      assert.is_true(ok, tostring(k) .. ': ' .. tostring(want))
      tensor.setBroadcast 'strict'
      assert.are.same(want:totable(), call():totable(), k)
    end
  end)

  it('matter to the operands of operations that consist of others', function()
    tensor.setBroadcast 'strict'
    local a, b = numbers(1, 3, 1), numbers(1, 1, 3)
    for _, name in ipairs { 'allclose', 'beta', 'clamp', 'dist', 'isclose' } do
      local arguments = { a, b, name == 'clamp' and b or nil }
      local ok, message = pcall(tensor[name], unpack(arguments))
      assert.is_false(ok, name)
      assert.matches(name .. ": .*setBroadcast 'strict'", message)
    end
    assert.is_false((pcall(tensor.allclose, a:long(), b:long())))
  end)

  it('do not matter to operations on one tensor', function()
    tensor.setBroadcast 'strict'
    local t = numbers(1, 2, 3)
    assert.are.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, t:reshape(3, 2):totable())
    assert.are.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, t:t():clone():totable())
    assert.are.same({ { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } },
                    t:repeatTensor(1, 2):totable())
    assert.are.same({ 6, 15 }, t:sum(2):view(2):totable())
    assert.are.same({ { 3, 2, 1 }, { 6, 5, 4 } }, (t:sort(2, true)):totable())
    assert.are.equal(6, tensor.randperm(6):nElement())
    local _, inverse = t:unique()
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, inverse:totable())
    assert.are.same({ { 1, 0 }, { 0, 2 } }, tensor.diag(numbers(1, 2)):totable())
    assert.are.same({ 3, 6 }, tensor.mv(t, tensor.DoubleTensor { 0, 0, 1 }):totable())
  end)
end)

describe('how shapes pair', function()
  after_each(function() tensor.setBroadcast 'numpy' end)

  it('is set by setBroadcast, which gives what was set before', function()
    assert.are.equal('numpy', tensor.getBroadcast())
    assert.are.equal('numpy', tensor.setBroadcast 'strict')
    assert.are.equal('strict', tensor.setBroadcast 'torch7')
    assert.are.equal('torch7', tensor.getBroadcast())
  end)

  it('is set by setStrict, and goes back to what it was', function()
    for _, mode in ipairs { 'numpy', 'torch7' } do
      tensor.setBroadcast(mode)
      tensor.setStrict(true)
      assert.are.equal('strict', tensor.getBroadcast())
      tensor.setStrict(true)
      tensor.setStrict(false)
      assert.are.equal(mode, tensor.getBroadcast())
      tensor.setStrict(false)
      assert.are.equal(mode, tensor.getBroadcast())
    end
  end)

  it('is one of three words', function()
    for _, wrong in ipairs { 'Numpy', '', 1, true, {} } do
      local ok, message = pcall(tensor.setBroadcast, wrong)
      assert.is_false(ok)
      assert.is_truthy(message:find("'numpy', 'torch7' or 'strict' is expected", 1, true), message)
    end
    assert.is_false((pcall(tensor.setBroadcast)))
    assert.is_false((pcall(tensor.setStrict)))
    assert.is_false((pcall(tensor.setStrict, 'yes')))
    assert.are.equal('numpy', tensor.getBroadcast())
  end)

  it("is Torch7's after require 'torch', the same module and a global", function()
    local output = child.run [[
      local tensor = require 'tensor'
      io.write(tensor.getBroadcast(), ' ', tostring(rawget(_G, 'torch')), ' ')
      local module = require 'torch'
      io.write(tensor.getBroadcast(), ' ', tostring(module == tensor and torch == tensor), ' ')
      io.write((torch.ones(2) - torch.ones(2, 1)):dim())
    ]]
    assert.are.equal('numpy nil torch7 true 1', output)
  end)

  it('is of each Lua state, and in C functions always as in Torch7', function()
    local ffi = require 'ffi'
    ffi.cdef [[
      void THDoubleTensor_cmul(struct THDoubleTensor *r, struct THDoubleTensor *a,
                               struct THDoubleTensor *b);
    ]]
    local C = ffi.load(os.getenv 'TENSOR_PREFIX' .. '/lib/libTH.so.0')
    for _, mode in ipairs(modes) do
      tensor.setBroadcast(mode)
      local r = tensor.DoubleTensor()
      local a, b = numbers(1, 3), numbers(1, 3, 1)
      C.THDoubleTensor_cmul(r:cdata(), a:cdata(), b:cdata())
      assert.are.same({ 1, 4, 9 }, r:totable())
      C.THDoubleTensor_cmul(r:cdata(), numbers(1, 2, 3):cdata(), a:cdata())
      assert.are.same({ { 1, 4, 9 }, { 4, 10, 18 } }, r:totable())
    end
  end)
end)
