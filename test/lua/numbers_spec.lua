-- Numbers beside tensors of integers that the element type does not hold: comparisons and clamps
-- are exact, other operations raise errors. After require 'torch' the others truncate.

local tensor = require 'tensor'
local elements = require 'support.elements'
local rules = require 'support.rules'
local refused = require 'support.raises'.texts

local inf, nan = math.huge, 0 / 0
local integers = {}
for _, e in ipairs(elements) do
  if e.integral then integers[#integers + 1] = e end
end

local holds = {
  lt = function(x, y) return x < y end, le = function(x, y) return x <= y end,
  gt = function(x, y) return x > y end, ge = function(x, y) return x >= y end,
  eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end,
}

-- Calls f in both modes.
local function in_both_modes(f)
  for _, lenient in ipairs { false, true } do
    rules.set(lenient and 'torch7' or 'tensor')
    f(lenient)
  end
end

describe('comparisons of integers with any number', function()
  after_each(function() rules.set 'tensor' end)

  for _, e in ipairs(integers) do
    -- Numbers of 64 bits are compared below, where doubles are exact.
    local highest = e.bits == 64 and 2 ^ 53 or e.lowest + 2 ^ e.bits - 1
    local values = { math.max(e.lowest, -2 ^ 53), 0, 1, 2, 5, highest - 1, highest }
    local numbers = { -inf, -1e300, -2 ^ 63, e.lowest - 1, e.lowest - 0.5, e.lowest, -0.5, 0, 0.5,
                      1, 5.5, highest - 0.5, highest, highest + 0.5, highest + 1, 2 ^ 63, 1e300,
                      inf, nan }
    it('are exact for ' .. e.name, function()
      in_both_modes(function()
        local t = e.Tensor(values)
        for name, is_true in pairs(holds) do
          for _, number in ipairs(numbers) do
            local want = {}
            for k, x in ipairs(values) do want[k] = is_true(x, number) and 1 or 0 end
            local text = ('%s %s %.17g'):format(e.name, name, number)
            assert.are.same(want, tensor[name](t, number):totable(), text)
            assert.are.same(want, tensor[name](e.Tensor(), t, number):totable(), text)
          end
        end
      end)
    end)
  end

  it('are exact at the ends of 64 bits', function()
    local ends = tensor.LongTensor(2):fill(-2 ^ 63)
    ends:narrow(1, 2, 1):csub(1)  -- the highest
    for name, want in pairs { lt = { 1, 1 }, le = { 1, 1 }, gt = { 0, 0 }, ge = { 0, 0 },
                              eq = { 0, 0 }, ne = { 1, 1 } } do
      assert.are.same(want, tensor[name](ends, 2 ^ 63):totable(), name)
    end
    assert.are.same({ 1, 0 }, ends:eq(-2 ^ 63):totable())
    assert.are.same({ 0, 1 }, ends:gt(-2 ^ 63):totable())
    assert.are.same({ 0, 1 }, ends:ge(2 ^ 63 - 1024):totable())
  end)

  it('are exact in expressions', function()
    local t = tensor.ByteTensor { 0, 5, 255 }
    assert.are.same({ 1, 1, 1 }, tensor.fuse('a < 256', { t }):totable())
    assert.are.same({ 1, 0, 0 }, tensor.fuse('a < 0.5', { t }):totable())
    assert.are.same({ 0, 0, 0 }, tensor.fuse('a == 5.5', { t }):totable())
    assert.are.same({ 3, 5, 20 }, tensor.fuse('clamp(a, 2.5, 20.5)', { t }):totable())
  end)
end)

describe('clamps of integers', function()
  after_each(function() rules.set 'tensor' end)

  it('take bounds that the type does not hold', function()
    in_both_modes(function()
      for _, e in ipairs(integers) do
        local t = e.Tensor { 0, 5, 100 }
        local far = 2 ^ e.bits
        assert.are.same({ 0, 3, 3 }, tensor.clamp(t, -far, 3):totable(), e.name)
        assert.are.same({ 1, 5, 100 }, tensor.clamp(t, 1, far):totable(), e.name)
        assert.are.same({ 0, 5, 100 }, tensor.clamp(t, -inf, inf):totable(), e.name)
        assert.are.same({ 2, 5, 98 }, tensor.clamp(t, 1.5, 98.5):totable(), e.name)
        assert.are.same({ 2, 5, 100 }, tensor.clamp(t, 1.5):totable(), e.name)
        assert.are.same({ 0, 5, 98 }, tensor.clampMax(t, 98.5):totable(), e.name)
        assert.are.same({ 0, 5, 100 }, tensor.clampMax(t, far):totable(), e.name)
        assert.are.same({ 0, 5, 100 }, tensor.cmax(t, -far):totable(), e.name)
        assert.are.same({ 0, 5, 98 }, tensor.cmin(t, 98.5):totable(), e.name)
      end
    end)
  end)

  it('are refused where no element is within the bounds', function()
    in_both_modes(function()
      local t = tensor.ByteTensor { 0, 5 }
      refused(function() tensor.clamp(t, 300, 400) end, 'clamp', 'ByteTensor', 'at least 300')
      refused(function() tensor.clamp(t, -3, -1) end, 'clamp', 'at most -1')
      refused(function() tensor.clampMax(t, -0.5) end, 'clampMax', 'at most -0.5')
      refused(function() tensor.cmax(t, 255.5) end, 'cmax', 'at least 255.5')
      refused(function() tensor.clamp(t, 0.4, 0.6) end, 'clamp', '0.4 and 0.6 have no integer')
      refused(function() tensor.clamp(t, nan, 3) end, 'clamp', 'nan')
      assert.are.same({ 0, 5 }, t:totable())
    end)
  end)
end)

-- Calls with an IntTensor t of 10 and 20 and a number, and their results for 2.5 truncated.
local truncating = {
  add = { function(t, x) return t:add(x) end, { 12, 22 } },
  ['add scaled'] = { function(t, x) return t:add(x, t:clone()) end, { 30, 60 } },
  csub = { function(t, x) return t:csub(x) end, { 8, 18 } },
  mul = { function(t, x) return t:mul(x) end, { 20, 40 } },
  div = { function(t, x) return t:div(x) end, { 5, 10 } },
  fmod = { function(t, x) return t:fmod(x) end, { 0, 0 } },
  remainder = { function(t, x) return t:remainder(x) end, { 0, 0 } },
  pow = { function(t, x) return t:pow(x) end, { 100, 400 } },
  bitand = { function(t, x) return t:bitand(x) end, { 2, 0 } },
  addcmul = { function(t, x) return t:addcmul(x, t:clone(), t:clone()) end, { 210, 820 } },
  fill = { function(t, x) return t:fill(x) end, { 2, 2 } },
  fullLike = { function(t, x) return t:fullLike(x) end, { 2, 2 } },
  indexFill = { function(t, x) return t:indexFill(1, tensor.LongTensor { 1 }, x) end, { 2, 20 } },
  maskedFill = { function(t, x) return t:maskedFill(tensor.ByteTensor { 0, 1 }, x) end, { 10, 2 } },
  ['+'] = { function(t, x) return t + x end, { 12, 22 } },
  ['number -'] = { function(t, x) return x - t end, { -8, -18 } },
  ['*'] = { function(t, x) return x * t end, { 20, 40 } },
  ['%'] = { function(t, x) return t % x end, { 0, 0 } },
  ['^'] = { function(t, x) return t ^ x end, { 100, 400 } },
  ['[]'] = { function(t, x) t[1] = x return t end, { 2, 20 } },
  ['[] of all'] = { function(t, x) t[{}] = x return t end, { 2, 2 } },
  ['[] of a mask'] = { function(t, x) t[t:gt(15)] = x return t end, { 10, 2 } },
  ['[] of a table'] = { function(t, x) t[{ { 1, 2 } }] = { x, x } return t end, { 2, 2 } },
  ['a table'] = { function(t, x) return t.new { x, x } end, { 2, 2 } },
  ['a storage'] = { function(_, x) return tensor.IntStorage { x, x } end, { 2, 2 } },
  ['[] of a storage'] = { function(t, x) t:storage()[1] = x return t end, { 2, 20 } },
  ['fill of a storage'] = { function(t, x) t:storage():fill(x) return t end, { 2, 2 } },
  addmv = { function(t, x)
    return t:addmv(x, t:clone(), 1, tensor.IntTensor { { 1 }, { 1 } }, tensor.IntTensor { 0 })
  end, { 20, 40 } },
}

describe('other numbers beside integers', function()
  after_each(function() rules.set 'tensor' end)

  for name, row in pairs(truncating) do
    it('must fit: ' .. name, function()
      local call, want = unpack(row)
      for _, number in ipairs { 2.5, 2 ^ 31, -1e300, inf, nan } do
        local t = tensor.IntTensor { 10, 20 }
        refused(function() call(t, number) end, 'does not fit into elements of type Int')
        assert.are.same({ 10, 20 }, t:totable())
      end
      rules.set 'torch7'
      assert.are.same(want, call(tensor.IntTensor { 10, 20 }, 2.5):totable())
    end)
  end

  it('must fit every type', function()
    for _, e in ipairs(integers) do
      local t = e.Tensor { 1, 2 }
      for _, number in ipairs { 0.5, e.lowest - (e.bits == 64 and 2048 or 1), e.lowest + 2 ^ e.bits,
                                -inf } do
        refused(function() t:fill(number) end, 'fill', 'type ' .. e.name)
        refused(function() e.Tensor { 1, number } end, 'type ' .. e.name)
      end
      local highest = e.lowest + 2 ^ e.bits - (e.bits == 64 and 1024 or 1)
      assert.are.same({ e.lowest, e.lowest }, t:fill(e.lowest):totable())
      assert.are.same({ highest, highest }, t:fill(highest):totable())
    end
    -- Floating-point types round.
    assert.are.equal(inf, tensor.HalfTensor(1):fill(1e10)[1])
  end)

  it('must fit in expressions', function()
    local t = tensor.IntTensor { 10, 20 }
    for _, expression in ipairs { 'a * 0.5', 'a + 1e10', '2.5 / a', 'cmul(a, 0.5)' } do
      refused(function() tensor.fuse(expression, { t }) end, 'does not fit')
    end
    rules.set 'torch7'
    assert.are.same({ 20, 40 }, tensor.fuse('a * 2.5', { t }):totable())
  end)

  it('must fit in compiled loops', function()
    local t = tensor.IntTensor(300)
    local s = t:storage()
    refused(function()
      for i = 1, 300 do t[i] = i < 250 and i or 0.5 end
    end, 'does not fit')
    refused(function()
      for i = 1, 300 do s[i] = i < 250 and i or 2 ^ 31 end
    end, 'does not fit')
    assert.are.equal(249, t[249])
    rules.set 'torch7'
    for i = 1, 300 do t[i] = i + 0.5 end
    assert.are.equal(300, t[300])
  end)
end)

describe("after require 'torch'", function()
  before_each(function() rules.set 'torch7' end)
  after_each(function() rules.set 'tensor' end)

  it('strings may contain numbers', function()
    local m = tensor.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    for expected, values in pairs {
      [2] = { tensor.zeros('2', '3'):size('1'), tensor.Tensor('2', 3):size(1), m:size ' 2 ' - 1,
              m:select('1', '1')['2'], m:narrow('2', '2', '1')[1][1], (m * '2')[1][1],
              m:transpose('1', '2')[2][1], m:view('6')[2], m:clone():mul('0x2')[1][1],
              tensor.randperm('2'):size(1), tensor.range('2', '3')[1], m:lt('3'):sum(),
              tensor.cat(m, m, '1')[3][2], tensor.Tensor(m:storage(), '2', '2', '3')[1],
              m:clone():apply(function() return '2' end)[1][1], tensor.sqrt '4' },
      [5] = { m:sum('1')[1][1], m:stride '1' + 2, ('6' - m)[1][1], (m + '4')[1][1] },
    } do
      for k, value in ipairs(values) do assert.are.equal(expected, value, k) end
    end
    assert.are.equal(2, #m:split '1' + #m:split(1, 2) - #m:chunk('3', 2))
    refused(function() m:mul 'x' end, 'mul: invalid arguments')
    refused(function() m:apply(function() return 'x' end) end, 'apply')
    rules.set 'tensor'
    refused(function() m:mul '2' end, 'mul: invalid arguments')
    refused(function() tensor.zeros '2' end, 'zeros: invalid arguments')
    refused(function() m:apply(function() return '2' end) end, 'apply')
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, m:totable())
  end)

  it('strings may be sizes and indices', function()
    local m, storage = tensor.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }, tensor.IntStorage(2)
    assert.are.equal(5, m['2']['2'])
    m['1']['3'], m[{ '2', '1' }] = 7, 8
    assert.are.same({ { 1, 2, 7 }, { 8, 5, 6 } }, m:totable())
    assert.are.equal(3, storage:resize('3'):size())
    storage['2'] = 9
    assert.are.equal(9, storage['2'])
    assert.are.same({ 1, 4 }, tensor.Tensor():resize('1', '4'):size():totable())
    assert.are.same({ 2, 3 }, tensor.Tensor(2, '3'):size():totable())
    assert.is_true(m:isSize('2', '3'))
    rules.set 'tensor'
    local hint = "has no field or method '2': an index is a number, not a string"
    refused(function() return m['2'] end, hint)
    refused(function() return storage['2'] end, hint)
    refused(function() storage['2'] = 4 end, 'a torch.IntStorage is indexed by numbers, got string')
    assert.are.equal(9, storage[2])
    assert.is_nil(storage.missing)
    refused(function() return m[1]['2'] end, "has no field or method '2'")
    refused(function() m['2'] = 4 end, "cannot be indexed by '2'")
    refused(function() m[1]['2'] = 4 end, "cannot be indexed by '2'")
    refused(function() m:resize '6' end, "#1 to 'resize' (number expected, got string)")
    refused(function() m:resize(2, '2') end, "#2 to 'resize' (number expected, got string)")
    refused(function() storage:resize '4' end, "#1 to 'resize' (number expected, got string)")
    refused(function() tensor.Tensor(2, '3') end, '#2 (a size is a number, got string)')
    refused(function() m:isSize('2', '3') end, 'number expected, got string')
    -- In tables, strings may be numbers.
    assert.are.same({ { 5, 6 } }, m[{ { '2' }, { '2', 3 } }]:totable())
    assert.are.equal(6, m[{ '2', '3' }])
    assert.are.equal(6, m:resize { '6' }:size(1))
    assert.are.equal(3, storage:size())
  end)

  it('strings may be other numbers of methods', function()
    local storage, t = tensor.DoubleStorage { 1, 2, 3 }, tensor.ones(4)
    local text = tensor.CharStorage():string '4 5 6\0'
    local calls = {
      function() storage:fill '3' end,
      function() return tensor.DoubleStorage(storage, '2', '1') end,
      function() return tensor.DoubleStorage(storage, 2, '1') end,
      function() return tensor.Tensor(storage, '1') end,
      function() return tensor.Tensor():set(storage, '1') end,
      function() return t:sub('1', '2') end,
      function() return tensor.MemoryFile(text, 'r'):seek '1' end,
      function() return tensor.MemoryFile():longSize '8' end,
      function() return tensor.MemoryFile(text, 'r'):readInt '1' end,
      function() tensor.setnumthreads(tostring(tensor.getnumthreads())) end,
      function() return tensor.toc '1' end,
    }
    for _, f in ipairs(calls) do f() end
    rules.set 'tensor'
    for _, f in ipairs(calls) do refused(f, 'number expected, got string') end
    assert.are.same({ 3, 3, 3 }, storage:totable())
  end)

  it('messages show NaN without a sign', function()
    rules.set 'tensor'
    for _, x in ipairs { nan, -nan } do
      refused(function() tensor.IntStorage(1):fill(x) end, 'fill: nan does not fit')
      refused(function() tensor.ones(2):quantile(x) end, 'expected, got nan')
      refused(function() tensor.range(1, x) end, 'from 1 to nan in steps of 1')
    end
  end)

  it('range truncates its numbers for integer types', function()
    assert.are.same({ 1, 3, 5, 7, 9 }, tensor.IntTensor():range(1, 10, 2.9):totable())
    assert.are.same({ 0, 1, 2 }, tensor.LongTensor():range(-0.5, 2.5):totable())
    refused(function() tensor.IntTensor():range(1, 3, 0.5) end, 'range: invalid range')
    assert.are.same({ 0.5, 1.5 }, tensor.Tensor():range(0.5, 2):totable())
    rules.set 'tensor'
    local fraction = 'range: an IntTensor does not hold the numbers from '
    refused(function() tensor.IntTensor():range(1, 10, 2.9) end, fraction .. '1 to 9.7 in steps')
    refused(function() tensor.range(1, 3, 0.5, 'torch.IntTensor') end, fraction, 'steps of 0.5')
    refused(function() tensor.IntTensor():range(0.5, 3) end, fraction .. '0.5 to 2.5')
    refused(function() tensor.LongTensor():arange(-0.5, 2.5, 1) end, 'a LongTensor does not hold')
    assert.are.same({ 1, 3 }, tensor.IntTensor():range(1, 4.5, 2):totable())
    assert.are.same({ 1 }, tensor.IntTensor():range(1, 1.2, 0.5):totable())
    assert.are.same({ 0, 1, 2 }, tensor.IntTensor():arange(2.5):totable())
  end)

  it('a range of an index may begin with nil', function()
    assert.are.same({ { 1, 1 } }, tensor.ones(2, 2)[{ { nil, 1 } }]:totable())
  end)
end)

describe('negative powers of integers', function()
  after_each(function() rules.set 'tensor' end)

  it("are errors, and after require 'torch' truncated", function()
    for _, e in ipairs(integers) do
      local t = e.Tensor { 0, 1, 2 }
      local text = 'no negative powers'
      if e.signed then
        local exponents = e.Tensor { 2, 2, -1 }
        refused(function() t:pow(-1) end, 'pow', text)
        refused(function() return t ^ -1 end, '^', text)
        refused(function() t:cpow(exponents) end, 'cpow', text, '-1')
        refused(function() tensor.pow(2, exponents) end, 'pow', text)
        refused(function() tensor.fuse('a ^ b', { t, exponents }) end, text)
        refused(function() tensor.fuse('a ^ -1', { t }) end, text)
        rules.set 'torch7'
        assert.are.same({ 0, 1, 0 }, tensor.pow(t, -1):totable())
        assert.are.same({ 0, 1, 0 }, tensor.cpow(t, exponents):totable())
        assert.are.same({ 4, 4, 0 }, tensor.pow(2, exponents):totable())
        rules.set 'tensor'
      end
      assert.are.same({ 1, 2, 4 }, tensor.pow(2, t):totable())
      assert.are.same({ 0, 1, 2 }, t:totable())
    end
    assert.are.same({ 0.5 }, tensor.pow(tensor.Tensor { 2 }, -1):totable())
  end)
end)

it('numbers take the place of as few operands as possible', function()
  local x = tensor.Tensor { 10, 20 }
  for _, name in ipairs { 'addcmul', 'addcdiv' } do
    local number = tensor.Tensor(1):fill(4)
    for _, arguments in ipairs { { 2, x, 4 }, { 2, 4, x } } do
      local t = tensor.Tensor { 1, 2 }
      local as_tensors = { 2, unpack(arguments, 2) }
      for k, v in ipairs(as_tensors) do as_tensors[k] = k > 1 and v == 4 and number or v end
      local wanted = tensor[name](t, unpack(as_tensors)):totable()
      assert.are.same(wanted, tensor[name](t, unpack(arguments)):totable())
      assert.are.same({ 1, 2 }, t:totable())
      assert.are.same(wanted, t[name](t, unpack(arguments)):totable())
    end
    assert.are.same(tensor[name](x, 2, x, 4):totable(),
                    tensor[name](x, 2, x:float(), 4):totable())
  end
end)

it('nil stands for a default value also beside operands of different types', function()
  local d, f = tensor.ones(2), tensor.FloatTensor { 1, 3 }
  assert.are.same({ 1, 0 }, tensor.isclose(d, f, nil, 1):totable())
  assert.are.same({ 2, 4 }, tensor.add(d, nil, f):totable())
  assert.are.same({ 1, 1, 1, 3 }, tensor.cat(d, f, nil):totable())
end)

it('a power of ten beyond the element type rounds to 0', function()
  for _, class in ipairs { 'Float', 'Half', 'BFloat16', 'Double', 'Byte', 'Long' } do
    local t = tensor[class .. 'Tensor'] { 1, 123 }
    for _, decimals in ipairs { -38, -39, -310, -400 } do
      assert.are.same({ 0, 0 }, tensor.round(t, decimals):totable())
    end
  end
  assert.are.equal(inf, tensor.round(tensor.Tensor { inf }, -400)[1])
  assert.are.equal(0, tensor.round(12345, -309))
end)

-- No double is equal to 2^53 + 1.
it('integers of Lua are exact in LongTensors, where Lua has integers', function()
  if not rawget(math, 'type') then return pending 'from Lua 5.3 on' end
  local most, odd = rawget(math, 'maxinteger'), load 'return (1 << 53) + 1' ()
  local L = tensor.LongTensor
  local function check(want, t) assert.are.same(want, t:totable()) end
  local t = L { odd, most, -odd }
  check({ odd, most, -odd }, t)
  check({ { odd }, { most } }, L { { odd }, { most } })
  check({ odd, most, -odd }, L(t:totable()))
  check({ 1, 0, 0 }, t:eq(odd))
  check({ 0, most - odd, -2 * odd }, t - odd)
  check({ 0, odd - most, 2 * odd }, odd - t)
  check({ 0, most % odd, 0 }, t % odd)
  check({ odd, odd }, tensor.clamp(L { most, odd }, 1, odd))
  check({ odd, most }, tensor.where(tensor.ByteTensor { 1, 0 }, L { odd, 0 }, most))
  for operator, want in pairs { ['&'] = { odd, 1 }, ['|'] = { odd, odd },
                                ['~'] = { 0, odd - 1 } } do
    local f = load(('local a, b = ... return a %s b'):format(operator))
    check(want, f(L { odd, 1 }, odd))
    check(want, f(odd, L { odd, 1 }))
  end
  t[1], t[2], t[{ 3 }] = most, odd, -most
  check({ most, odd, -most }, t)
  t[{ { 1, 2 } }] = odd
  t[tensor.ByteTensor { 0, 0, 1 }] = odd
  check({ odd, odd, odd }, t)
  t:apply(function(x) return x + 1 end)
  check({ odd + 1, odd + 1, odd + 1 }, t)
  check({ most, most }, L(2):fill(most))
  check({ most - 1, most }, tensor.range(most - 1, most, 'torch.LongTensor'))
  local s = tensor.LongStorage { odd, most }
  s[1] = most
  assert.are.same({ most, most }, s:totable())
  assert.are.same({ odd, odd }, s:fill(odd):totable())
  local file = tensor.MemoryFile()
  file:writeLong(odd)
  file:seek(1)
  assert.are.equal(odd, file:readLong())
  local f = tensor.compile(function(a, k) return (a % odd + k):cmul(a:eq(k):long()) end)
  for _, k in ipairs { odd, odd + 1, most } do
    for _ = 1, 3 do check({ k % odd + k }, f(L { k }, k)) end
  end
  for _, name in ipairs { 'Int', 'Byte' } do
    assert.is_false(pcall(function() tensor[name .. 'Tensor'](1):fill(most) end))
    local one = tensor[name .. 'Tensor'] { 1 }
    check({ 1 }, one:lt(odd))
    check({ 1 }, tensor.clamp(one, -odd, odd))
    check({ 0 }, one:eq(odd))
  end
  assert.are.equal(2 ^ 63, tensor.DoubleTensor { most }[1])
  assert.are.equal(odd, tensor.random(odd, odd))
  assert.are.equal(-odd, tensor.random(-odd, -odd))
  check({ odd, odd }, L(2):random(odd, odd))
  check({ odd }, tensor.randint(odd, odd + 1, { 1 }, 'torch.LongTensor'))
  local g = tensor.Generator()
  for _, seed in ipairs { odd, -odd, most, -1, 7 } do
    tensor.manualSeed(g, seed)
    assert.are.equal(seed, tensor.initialSeed(g))
  end
end)

it('errors show as many digits as a fraction needs', function()
  local x = 2 ^ 43 + 2 ^ -8
  for _, call in ipairs { function() tensor.LongTensor(1):fill(x) end,
                          function() return tensor.LongTensor { x } end,
                          function() return tensor.ones(2)[x] end,
                          function() tensor.ones(2):narrow(1, x, 1) end,
                          function() return tensor.ones(x) end,
                          function() return tensor.Tensor(x) end,
                          function() tensor.MemoryFile():writeLong(x) end,
                          function() tensor.manualSeed(x) end } do
    refused(call, '8796093022208.0039')
  end
  refused(function() return tensor.ones(2)[1.1] end, 'got 1.1')
end)

it('isclose, allclose and isin compare with a number', function()
  local t = tensor.Tensor { 1, 1 + 1e-9, 2, 0 / 0 }
  assert.are.same({ 1, 1, 0, 0 }, tensor.isclose(t, 1):totable())
  assert.are.same({ 1, 1, 1, 0 }, t:isclose(1, 0, 1):totable())
  assert.are.same({ 0, 0, 0, 1 }, t:isclose(0 / 0, 0, 0, true):totable())
  assert.is_true(tensor.allclose(t:narrow(1, 1, 2), 1))
  assert.is_false(t:allclose(1))
  assert.is_true(tensor.IntTensor { 10, 11 }:allclose(10.5, 0, 0.5))
  assert.are.same({ 0, 0, 1, 0 }, tensor.isin(t, 2):totable())
  assert.are.same({ 1, 1, 0, 1 }, t:isin(2, true):totable())
  assert.are.same({ 0, 1 }, tensor.IntTensor { 2, 3 }:isin(3):totable())
  assert.are.same({ 0, 0 }, tensor.ByteTensor { 2, 44 }:isin(300):totable())
  assert.are.same({ 0, 0 }, tensor.IntTensor { 2, 3 }:isin(2.5):totable())
  assert.are.same({}, tensor.isclose(tensor.zeros(0), 1):totable())
  assert.are.equal(0, tensor.isclose(tensor.DoubleTensor(), 1):nElement())
  assert.has_error(function() tensor.isclose(t, 1, -1) end,
                   'isclose: tolerances must not be negative, got -1 and 1e-08')
end)

describe('functions of plain numbers', function()
  after_each(function() rules.set 'tensor' end)

  it('compute in integers where only those are defined', function()
    assert.are.equal(6, tensor.gcd(12, 18))
    assert.are.equal(36, tensor.lcm(12, 18))
    assert.are.equal(8, tensor.bitand(12, 10))
    assert.are.equal(-13, tensor.bitnot(12))
    refused(function() tensor.gcd(12.5, 18) end, '12.5 does not fit into elements of type Long')
    assert.are.equal(8, tensor.lshift(1, 3))
    assert.are.equal(3.5, tensor.div(7, 2))
    rules.set 'torch7'
    assert.are.equal(6, tensor.gcd(12.5, 18))
  end)

  it('keep the digits of integers of Lua', function()
    local tointeger = rawget(math, 'tointeger')
    if not tointeger then return end
    local large = tointeger(2 ^ 53)
    assert.are.equal(large + 1, tensor.add(large, 1))
    assert.are.equal(large + 1, tensor.abs(-large - 1))
    assert.are.equal(2 ^ 52, tensor.div(large, 2))
    assert.are.equal(2.0 ^ 53, tensor.add(large, 0.5))
  end)
end)
