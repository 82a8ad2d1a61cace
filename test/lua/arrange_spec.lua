-- Operations written in Lua: full, meshgrid, tensordot and einsum; and the errors of similar rows
-- of the op table.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local by_definition = require 'support.einsum'
local message = require 'support.raises'.message

local function sizes(t) return table.concat(t:size():totable(), 'x') end
describe('full', function()
  it('takes sizes as numbers, a table or a storage, and a result', function()
    local want = tensor.ones(2, 3):mul(7)
    assert.is_true(tensor.full(2, 3, 7):equal(want))
    assert.is_true(tensor.full({ 2, 3 }, 7):equal(want))
    assert.is_true(tensor.full(tensor.LongStorage { 2, 3 }, 7):equal(want))
    local r = tensor.IntTensor(5)
    assert.is_true(rawequal(r, tensor.full(r, 2, 3, 7)))
    assert.is_true(r:equal(want:int()))
    assert.is_true(rawequal(r, r:full({ 1 }, 4)))
    assert.are.equal(4, r[1])
    assert.are.equal('torch.FloatTensor', tensor.FloatTensor():full(2, 1):type())
    assert.is_true(tensor.FloatTensor.full(2, 3, 7):equal(want:float()))
  end)
  it('rejects invalid sizes', function()
    assert.matches('sizes and a number are expected', message(tensor.full, 3))
    assert.matches('sizes and a number are expected', message(tensor.full, { 2 }, 'a'))
    assert.matches('number expected for size 2, got string', message(tensor.full, 2, 'b', 1))
    assert.matches('sizes are expected, got boolean', message(tensor.full, true, 1))
    assert.matches('negative', message(tensor.full, -2, 1))
  end)
end)

describe('meshgrid', function()
  it('gives a position of the grid in each tensor', function()
    for _, e in ipairs(elements) do
      local x, y, z = e.Tensor { 1, 2 }, e.Tensor { 3, 4, 5 }, e.Tensor { 6 }
      local a, b, c = tensor.meshgrid(x, y, z)
      local p, q, r = tensor.meshgrid({ x, y, z }, 'xy')
      assert.are.same({ '2x3x1', '3x2x1' }, { sizes(a), sizes(p) })
      for i = 1, 2 do
        for j = 1, 3 do
          assert.are.same({ x[i], y[j], z[1] }, { a[{ i, j, 1 }], b[{ i, j, 1 }], c[{ i, j, 1 }] })
          assert.are.same({ x[i], y[j], z[1] }, { p[{ j, i, 1 }], q[{ j, i, 1 }], r[{ j, i, 1 }] })
        end
      end
    end
    assert.are.equal('2', sizes((tensor.meshgrid(tensor.ones(4):unfold(1, 1, 2):select(2, 1)))))
    assert.are.equal('0x2', sizes((tensor.meshgrid(tensor.Tensor(0), tensor.ones(2)))))
  end)
  it('rejects tensors that are not vectors', function()
    assert.matches('vectors are expected, got a tensor of 2',
                   message(tensor.meshgrid, tensor.ones(2, 2)))
    assert.matches('a tensor is expected, got number', message(tensor.meshgrid, 3))
    assert.matches("'ij' or 'xy' is expected", message(tensor.meshgrid, tensor.ones(2), 'yx'))
    assert.matches('at least one vector', message(tensor.meshgrid))
    assert.matches('meshgrid: argument 2: a tensor is expected, got nil',
                   message(tensor.meshgrid, tensor.ones(2), nil, tensor.ones(3)))
    assert.are.equal(2, select('#', tensor.meshgrid(tensor.ones(2), tensor.ones(3), nil)))
  end)
end)

describe('einsum', function()
  -- Equation and shapes of the operands. In the definition, capitals stand for the dimensions of
  -- '...'.
  local cases = {
    { 'ij,jk->ik', { 2, 3 }, { 3, 4 } }, { 'ij,jk', { 2, 3 }, { 3, 4 }, means = 'ij,jk->ik' },
    { 'ba', { 2, 3 }, means = 'ba->ab' }, { 'ii->i', { 3, 3 } }, { 'ii', { 3, 3 }, means = 'ii->' },
    { 'iij->j', { 2, 2, 3 } }, { 'ij->', { 2, 3 } }, { 'ij->i', { 2, 3 } },
    { 'ijk->ki', { 2, 3, 4 } },
    { 'i,i->', { 4 }, { 4 } }, { 'i,j->ij', { 2 }, { 3 } }, { 'ij,ij->ij', { 2, 3 }, { 2, 3 } },
    { 'bij,bjk->bik', { 2, 3, 2 }, { 2, 2, 3 } },
    { 'bij,bjk,bk->bi', { 2, 2, 3 }, { 2, 3, 2 }, { 2, 2 } },
    { 'ik,jkl,il->ij', { 2, 3 }, { 2, 3, 2 }, { 2, 2 } },
    { 'a,ab,abc->abc', { 2 }, { 2, 3 }, { 2, 3, 2 } },
    { 'ij,kj->', { 2, 3 }, { 2, 3 } }, { 'ij,j->i', { 2, 3 }, { 3 } },
    { 'ij,jk->ik', { 2, 1 }, { 3, 2 } },
    { '...ij,...jk->...ik', { 2, 1, 2, 3 }, { 3, 3, 2 }, means = 'XYij,Yjk->XYik' },
    { '...i->i...', { 2, 3, 4 }, means = 'XYi->iXY' },
    { 'i...,i...', { 2, 3 }, { 2, 3 }, means = 'iX,iX->X' },
    { ' i j , j k -> k i ', { 2, 3 }, { 3, 2 }, means = 'ij,jk->ki' },
    { 'ij,jk,kl->il', { 2, 3 }, { 3, 2 }, { 2, 3 } }, { 'i,ii->i', { 3 }, { 3, 3 } },
    { 'ij,jk->ik', { 2, 0 }, { 0, 3 } }, { 'ij->ji', { 0, 2 } },
  }
  for _, case in ipairs(cases) do
    it(case[1] .. ', as its definition', function()
      local left, result = (case.means or case[1]):match '^(.-)%->(.*)$'
      local terms = {}
      for term in left:gmatch '[^,]+' do terms[#terms + 1] = term end
      local random = elements.generator(7)
      for _, e in ipairs(elements) do
        for _, layout in ipairs { 'contiguous', 'transposed', 'strided' } do
          local models, operands = {}, {}
          for k = 1, #terms do
            -- Small integers: their products and sums are exact in every type.
            models[k] = model.fill(case[k + 1], function() return math.floor(random() * 3) end)
            operands[k] = model.tensor(e, models[k], layout)
          end
          local want = by_definition(terms, result, models)
          for i, x in ipairs(want.data) do want.data[i] = e.store(x) end
          local got = tensor.einsum(case[1], unpack(operands))
          local wide = e.integral and 'Long' or e.name
          assert.are.equal('torch.' .. wide .. 'Tensor', got:type())
          assert.is_nil(model.difference(model.read(got), want, 0))
          assert.is_true(tensor.einsum(case[1], operands):equal(got))
        end
      end
    end)
  end
  it('says what does not fit', function()
    local a, b = tensor.ones(2, 3), tensor.ones(2, 3)
    local function says(text, ...)
      assert.are.equal('einsum: ' .. text, (message(tensor.einsum, ...):gsub('^[^ ]*:%d+: ', '')))
    end
    says("label 'j' has sizes 3 and 2", 'ij,jk', a, b)
    says("label 'i' has sizes 2 and 3", 'ii', a)
    says('1 operands are too few for "ij,jk"', 'ij,jk', a)
    says('2 operands are too many for "ij"', 'ij', a, b)
    for _ = 1, 2 do
      says('operand 1 must be a tensor, got nil', 'ij,ij', nil, b)
      says('operand 1 must be a tensor, got nil', 'ij,ij', { nil, b })
      says('operand 2 must be a tensor, got nil', 'ij,ij', a, nil)
      says('operand 2 must be a tensor, got string', 'ij,ij', a, 'b')
      tensor.einsum('ij,ij', a, b, nil)  -- nil instead of an absent argument
    end
    says("'ijk' does not label a tensor of 2 dimensions", 'ijk', a)
    says("invalid list of labels 'i-j'", 'i-j', a)
    says("label 'k' of the result is in no operand", 'ij->k', a)
    says("label 'i' occurs twice in the result", 'ij->ii', a)
    local large = tensor.FloatTensor(1):expand(2 ^ 10, 2 ^ 12)
    assert.matches('^[^ ]*:%d+: einsum: out of memory',
                   message(tensor.einsum, 'ij,kl->ijkl', large, large))
    assert.are.equal('torch.DoubleTensor', tensor.einsum('ij,ij->i', a:float(), b):type())
    tensor.setRule('types', 'torch7')
    finally(function() tensor.setRule('types', 'tensor') end)
    says('a torch.DoubleTensor and a torch.FloatTensor do not go together: convert one of them',
         'ij,ij', a, b:float())
    says('operand 1 must be a tensor, got number', 'ij', 3)
    says('an equation is expected, got torch.DoubleTensor', a)
  end)
  it('gives nothing of its operand', function()
    local a = tensor.ones(2, 2)
    tensor.einsum('ij->ij', a):zero()
    assert.are.equal(4, a:sum())
  end)
end)

describe('tensordot', function()
  it('sums over the dimensions that are named', function()
    local function m(e, ...)
      return model.fill({ ... }, function(i) return e.store(i % 3) end)
    end
    for _, e in ipairs(elements) do
      for _, layout in ipairs { 'contiguous', 'transposed' } do
        local a, b = m(e, 2, 3, 4), m(e, 3, 4, 2)
        local x, y = model.tensor(e, a, layout), model.tensor(e, b, layout)
        local function check(got, terms, result)
          local want = by_definition(terms, result, { a, b })
          for i, value in ipairs(want.data) do want.data[i] = e.store(value) end
          assert.is_nil(model.difference(model.read(got), want, 0))
        end
        check(tensor.tensordot(x, y), { 'ijk', 'jkl' }, 'il')
        check(tensor.tensordot(x, y, { 1 }, { 3 }), { 'ijk', 'lmi' }, 'jklm')
        check(tensor.tensordot(x, y, { -1, 1 }, { 2, -1 }), { 'ijk', 'lki' }, 'jl')
        check(tensor.tensordot(x, y, 0), { 'ijk', 'lmn' }, 'ijklmn')
        check(tensor.tensordot(x, y, { 1, 2, 3 }, { 3, 1, 2 }), { 'ijk', 'jki' }, '')
        local r = e.Tensor()
        assert.is_true(rawequal(r, tensor.tensordot(r, x, y)))
        check(r, { 'ijk', 'jkl' }, 'il')
      end
    end
  end)
  it('says what does not fit', function()
    local a, b = tensor.ones(2, 3), tensor.ones(4, 3)
    assert.matches('size 3 of dimension 2 and size 4 of dimension 1 differ',
                   message(tensor.tensordot, a, b, 1))
    assert.matches('cannot contract 3 dimensions', message(tensor.tensordot, a, b, 3))
    assert.matches('dimension 3 is out of range of 2',
                   message(tensor.tensordot, a, b, { 3 }, { 1 }))
    assert.matches('must have the same length', message(tensor.tensordot, a, b, { 1 }, { 1, 2 }))
    assert.matches('must have the same length', message(tensor.tensordot, a, b, { 1 }, 1))
    assert.matches('tensordot: .* nil',
                   message(tensor.tensordot, a, b, { 1, nil, 2 }, { 1 }))
    assert.matches('tensordot: .* nil',
                   message(tensor.tensordot, a, b, { 1 }, { nil, 2 }))
    assert.matches('a tensor is expected, got number', message(tensor.tensordot, 1, 2))
    assert.matches('at most 3 are expected', message(tensor.tensordot, a, b, 1, 2))
    assert.matches('at most 4 are expected', message(tensor.tensordot, a, b, { 2 }, { 2 }, 0))
    assert.matches('at most 5 are expected',
                   message(tensor.tensordot, tensor.Tensor(), a, b, { 2 }, { 2 }, 0))
  end)
end)

describe('rows that arrange', function()
  it('refuse what does not fit, and change nothing', function()
    local t, r = tensor.range(1, 6):view(2, 3), tensor.ones(2)
    local function says(text, f, ...)
      assert.matches(text, message(f, r, ...))
      assert.is_true(r:equal(tensor.ones(2)))
    end
    says('stack: the sizes %[2 x 3%] and %[3 x 2%] differ', tensor.stack, { t, t:t() })
    says('dimension 3 is given twice', tensor.flip, tensor.ones(1, 1, 1), 3, -1)
    says('dimension 3 is out of range', tensor.flip, t, 3)
    says('two dimensions are expected', tensor.rot90, t, 1, 2, -1)
    says('cannot be repeated %-1 times', tensor.tile, t, -1)
    says('a count is expected for each of the 2 dimensions, got 1', tensor['repeat'], t, 2)
    says('%-1 differences', tensor.diff, t, -1)
    says('size mismatch: %[2 x 3%] and %[2 x 3%]', tensor.matmul, t, t)
    says('the batches of %[2 x 2 x 3%] and %[3 x 3 x 2%] do not broadcast', tensor.matmul,
         tensor.ones(2, 2, 3), tensor.ones(3, 3, 2))
    says('indices of size %[3 x 1%] do not fit a tensor of size %[2 x 3%] along dimension 2',
         tensor.takeAlongDim, t, tensor.LongTensor(3, 1):fill(1), 2)
    says('scatter: indices of size %[2%] do not fit a source of size %[1%]', r.scatter, 1,
         tensor.LongTensor { 1, 2 }, tensor.ones(1))
    says('index 4 is out of range', tensor.takeAlongDim, t, tensor.LongTensor { { 4, 1 } }, 2)
    says('low must be less than high, got low = 3 and high = 3', tensor.randint, 3, 3, 2)
    -- A device may report the error later.
    if t:device() == 'cpu' then
      says('has 6 ones, but the source', tensor.maskedScatter, t, t:gt(0), tensor.ones(5))
    end
    assert.matches('a tensor of one element is expected, got %[2 x 3%]', message(t.item, t))
    local classes = tensor.LongTensor()
    assert.matches('index 0 is out of range of 2 classes',
                   message(tensor.oneHot, classes, tensor.LongTensor { 0, 1 }, 2))
    assert.matches('index 3 is out of range of 2 classes',
                   message(tensor.oneHot, classes, tensor.LongTensor { 3, 1 }, 2))
    assert.matches('index -9223372036854775808 is out of range of 3 classes',
                   message(tensor.oneHot, tensor.LongTensor { -2 ^ 63, 3 }), 1, true)
    assert.matches('dimension 2 stands before dimension 3',
                   message(t.flatten, tensor.ones(1, 1, 1), 3, 2))
    assert.matches('cannot be split into %[2 x 2%]', message(t.unflatten, t, 2, 2, 2))
  end)
  it('leave an empty vector out of matrices', function()
    local all = tensor.Tensor(0)
    for k = 1, 2 do
      all = tensor.cat(all, tensor.ones(1, 2) * k, 1)
    end
    assert.are.same({ { 1, 1 }, { 2, 2 } }, all:totable())
    local both = tensor.cat({ tensor.ones(2, 1), tensor.zeros(0), tensor.zeros(2, 2) }, 2)
    assert.are.same({ { 1, 0, 0 }, { 1, 0, 0 } }, both:totable())
    assert.are.equal('0x2', sizes(tensor.cat(tensor.zeros(0), tensor.zeros(0), 2)))
    local slopes = tensor.vjp(tensor.cat, { tensor.zeros(1, 2), tensor.zeros(0) },
                              { tensor.ones(1, 2) })
    assert.are.same({ { 1, 1 } }, slopes[1]:totable())
    assert.are.same({ 0 }, slopes[2]:size():totable())
  end)

  it('leave storages that were made too small as they are', function()
    local t = tensor.ones(4)
    t:storage():resize(2)
    for _, name in ipairs { 'vstack', 'stack', 'hstack' } do
      assert.matches(name, message(tensor[name], { t, tensor.ones(4) }))
      assert.are.equal(2, t:storage():size())
    end
    assert.matches('flatten', message(t.flatten, t))
    assert.are.equal(2, t:storage():size())
    -- The result must not be resized either.
    local r = tensor.ones(3)
    assert.matches('the storage was resized', message(r.add, r, t, 1))
    assert.are.equal(3, r:nElement())
  end)
  it('make views where there are any', function()
    local t = tensor.zeros(2, 3, 4)
    t:flatten(2, 3):fill(1)
    t:unflatten(3, 2, 2):select(4, 1):fill(2)
    t:movedim(3, 1)[1]:fill(5)
    assert.are.equal(6 * (5 + 1 + 2 + 1), t:sum())
    assert.are.equal(0, tensor.zeros(2, 3):t():flatten():fill(0):sum())
    local turned = tensor.zeros(2, 3):t()
    turned:flatten():fill(1)
    assert.are.equal(0, turned:sum())
  end)
end)

it('batches of dot products are sums of products', function()
  tensor.manualSeed(1)
  for _, class in ipairs { tensor.FloatTensor, tensor.DoubleTensor } do
    for _, k in ipairs { 2, 16, 17, 100, 4096, 4097 } do
      local a, b = class(3, 1, k):uniform(-1, 1), class(3, k, 1):uniform(-1, 1)
      local exact = {}
      for batch = 1, 3 do exact[batch] = a[batch]:double():dot(b[batch]:double()) end
      local r = class(3, 1, 1):fill(10)
      local offset = class(3, 2, k):fill(0):narrow(2, 2, 1):copy(a)
      local strided = class(3, 1, k, 2):fill(0):select(4, 1):copy(a)
      for _, x in ipairs { a, offset, strided } do
        local product, sum = tensor.bmm(x, b), r:clone():baddbmm(2, r, 3, x, b)
        for batch = 1, 3 do
          assert.is_near(exact[batch], product[{ batch, 1, 1 }], 1e-3)
          assert.is_near(20 + 3 * exact[batch], sum[{ batch, 1, 1 }], 1e-3)
        end
      end
    end
  end
end)

describe('rewritten arrangements agree with a model', function()
  local source_of = {
    edge = function(k, n) return math.max(0, math.min(n - 1, k)) end,
    wrap = function(k, n) return k % n end,
    reflect = function(k, n)
      if n == 1 then return 0 end
      k = k % (2 * n - 2)
      return math.min(k, 2 * n - 2 - k)
    end,
    symmetric = function(k, n)
      k = k % (2 * n)
      return math.min(k, 2 * n - 1 - k)
    end,
  }

  it('pad with modes', function()
    tensor.manualSeed(1)
    local widths = { { 0, 0, 0, 0 }, { 2, 1, 0, 3 }, { 9, 8, 7, 11 }, { -1, 2, 3, -2 },
                     { 5, -2, -1, 5 } }
    for _, class in ipairs { 'Double', 'Byte', 'Half' } do
      local t = tensor.DoubleTensor(3, 4):random(0, 200):type('torch.' .. class .. 'Tensor')
      for _, operand in ipairs { t, t:t():clone():t() } do
        for mode, source in pairs(source_of) do
          for _, w in ipairs(widths) do
            local padded = operand:pad(w, mode)
            local kept = operand:narrow(1, 1 + math.max(-w[1], 0), 3 + math.min(w[1], 0)
                                                                 + math.min(w[2], 0))
            kept = kept:narrow(2, 1 + math.max(-w[3], 0), 4 + math.min(w[3], 0)
                                                            + math.min(w[4], 0))
            assert.are.same({ 3 + w[1] + w[2], 4 + w[3] + w[4] }, padded:size():totable())
            for i = 1, padded:size(1) do
              for j = 1, padded:size(2) do
                local a = source(i - 1 - math.max(w[1], 0), kept:size(1))
                local b = source(j - 1 - math.max(w[3], 0), kept:size(2))
                assert.are.equal(kept[{ a + 1, b + 1 }], padded[{ i, j }], mode)
              end
            end
            local same = operand:clone()
            assert.is_true(tensor.pad(same, same, w, mode):equal(padded))
          end
        end
      end
    end
  end)

  it('unpackbits, also of eight elements by the rules of Torch7', function()
    for _, broadcast in ipairs { 'numpy', 'torch7' } do
      local before = tensor.getBroadcast()
      tensor.setBroadcast(broadcast)
      for _, bytes in ipairs { { 1, 2, 128, 255, 0, 7, 8, 9 }, { 5 }, { 1, 2, 3 } } do
        local bits = tensor.unpackbits(tensor.ByteTensor(bytes))
        for k, byte in ipairs(bytes) do
          for j = 0, 7 do
            assert.are.equal(math.floor(byte / 2 ^ (7 - j)) % 2, bits[8 * (k - 1) + j + 1])
          end
        end
        assert.are.same(bytes, tensor.packbits(bits):totable())
      end
      tensor.setBroadcast(before)
    end
  end)

  it('packbits, also of columns and of parts of a byte', function()
    local t = tensor.IntTensor(37, 45):random(-1, 1)
    for d = 1, 2 do
      local packed = tensor.packbits(t, d)
      assert.are.equal(math.ceil(t:size(d) / 8), packed:size(d))
      local bits = tensor.unpackbits(packed, d)
      assert.is_true(bits:narrow(d, 1, t:size(d)):equal(t:ne(0)))
      local rest = bits:size(d) - t:size(d)
      assert.are.equal(0, bits:narrow(d, t:size(d) + 1, rest):max())
    end
    assert.is_true(tensor.packbits(t:t():contiguous():t()):equal(tensor.packbits(t)))
  end)

  it('repeatInterleave of strided rows, to a result, and of none', function()
    local t = tensor.range(1, 12):view(3, 4)
    local want = tensor.stack({ t, t }, 2):view(6, 4)
    local r = tensor.Tensor(4, 6):t()
    assert.is_true(tensor.repeatInterleave(r, t, 2, 1):equal(want))
    assert.is_true(tensor.repeatInterleave(t:t(), 2, 2):equal(want:t()))
    assert.is_true(tensor.repeatInterleave(t[{ {}, 2 }], 2):equal(want[{ {}, 2 }]))
    assert.is_true(t:t():repeatInterleave(3):equal(t:t():clone():repeatInterleave(3)))
    assert.are.same({ 0, 4 }, tensor.repeatInterleave(t, 0, 1):size():totable())
    assert.are.same({ 3, 0 }, tensor.repeatInterleave(tensor.Tensor(3, 0), 2, 2):size():totable())
    local own = t:clone()
    assert.is_true(tensor.repeatInterleave(own, own, 2, 1):equal(want))
  end)

  it('repeatInterleave with counts of the type of the elements', function()
    for _, class in ipairs { 'IntTensor', 'ShortTensor', 'LongTensor' } do
      local t = tensor[class] { 5, 6, 7 }
      assert.are.same({ 5, 6, 6 }, t:repeatInterleave(tensor[class] { 1, 2, 0 }, 1):totable())
      assert.are.same({ 5, 6, 7 }, t:totable())
    end
    local t = tensor.Tensor { { 1, 2 }, { 3, 4 } }
    assert.matches('a LongTensor is expected where a DoubleTensor was given',
                   message(tensor.repeatInterleave, t, tensor.Tensor { 1, 0 }, 1), 1, true)
    assert.are.same({ { 1, 2 }, { 3, 4 } }, t:totable())
  end)

  it('repeatInterleave with random counts, and counts whose sum is too large', function()
    local random = elements.generator(3)
    local counts, want = {}, {}
    for k = 1, 200 do
      counts[k] = math.floor(random() * 4)
      for _ = 1, counts[k] do table.insert(want, k) end
    end
    local repeated = tensor.repeatInterleave(tensor.range(1, 200), tensor.LongTensor(counts))
    assert.are.same(want, repeated:totable())
    local largest = tensor.LongTensor { 2 ^ 62 } * 2 - 1
    for _, first in ipairs { 0, 1 } do
      local both = tensor.cat(tensor.LongTensor { first }, largest)
      assert.matches('the sum of the counts is too large',
                     message(tensor.repeatInterleave, tensor.zeros(2), both))
    end
  end)

  it('combinations that are too many, or of too many elements, at once', function()
    local one, two = tensor.Tensor(1), tensor.Tensor(2)
    assert.are.same({ 1, 3 }, tensor.combinations(one, 3, true):size():totable())
    assert.are.same({ 41, 40 }, tensor.combinations(two, 40, true):size():totable())
    assert.are.same({ 1, 40 }, tensor.combinations(tensor.Tensor(40), 40):size():totable())
    assert.matches('fit into the address space', message(tensor.combinations, one, 2 ^ 50, true))
    assert.matches('the result is too large', message(tensor.combinations, two, 2 ^ 40, true))
    for _, r in ipairs { 2 ^ 62, 2 ^ 63 - 1024 } do
      assert.matches('the result is too large', message(tensor.combinations, two, r, true))
    end
    assert.matches('the number of combinations is too large',
                   message(tensor.combinations, tensor.Tensor(100), 2 ^ 40, true))
  end)
end)

describe('lists of tensors', function()
  local floats = { tensor.FloatTensor { 1, 2 }, tensor.FloatTensor { 3, 4 } }

  it('are converted to the wider type of the result or of an operand', function()
    for _, name in ipairs { 'cat', 'stack', 'hstack', 'vstack', 'dstack', 'columnStack' } do
      local result = tensor.DoubleTensor()
      local want = tensor[name](floats)
      assert.are.equal(result, tensor[name](result, floats))
      assert.are.same(want:totable(), result:totable())
    end
    local edges, points = { tensor.DoubleTensor { 0, 2 } }, tensor.ones(2, 1)
    assert.are.same({ 2 }, tensor.histogramdd(points:float(), edges):totable())
    edges[1] = edges[1]:float()
    assert.are.equal('torch.DoubleTensor', tensor.histogramdd(points, edges):type())
  end)

  it('are not converted to a narrower type', function()
    assert.matches('a FloatTensor and a table of DoubleTensors do not go together',
                   message(tensor.cat, tensor.FloatTensor(), { tensor.DoubleTensor { 1 } }))
    tensor.setRule('types', 'torch7')
    finally(function() tensor.setRule('types', 'tensor') end)
    assert.matches('invalid arguments', message(tensor.cat, tensor.DoubleTensor(), floats))
  end)
end)
