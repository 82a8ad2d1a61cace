-- einsum of random equations, compared with its definition; its gradients; the order of
-- contractions.

local tensor = require 'tensor'
local order_of = require 'tensor.contraction_order'
local elements = require 'support.elements'
local model = require 'support.model'
local settings = require 'support.settings'
local by_definition = require 'support.einsum'

-- Returns a random equation with shapes of its operands. `means` is the equation with capitals in
-- place of '...'.
local function random_equation(random)
  local function number(low, high) return low + math.floor(random() * (high - low + 1)) end
  local letters, hidden = { 'a', 'b', 'c', 'd' }, { 'X', 'Y' }
  local size, present = {}, {}
  for _, label in ipairs { 'a', 'b', 'c', 'd', 'X', 'Y' } do
    size[label] = random() < 0.05 and 0 or number(1, 3)
  end
  local has_dots = random() < 0.3
  local terms, means, shapes = {}, {}, {}
  for k = 1, number(1, 4) do
    local own, labels = {}, {}
    for d = 1, number(1, 3) do own[d] = letters[number(1, 4)] end
    for d, label in ipairs(own) do labels[d] = label end
    if has_dots and (k == 1 or random() < 0.6) then
      local at, count = number(1, #own + 1), number(0, 2)
      table.insert(own, at, '...')
      for h = #hidden - count + 1, #hidden do
        table.insert(labels, at, hidden[h])
        at = at + 1
      end
    end
    local is_one, shape = {}, {}
    for d, label in ipairs(labels) do
      if is_one[label] == nil then is_one[label] = random() < 0.1 end
      shape[d] = is_one[label] and 1 or size[label]
      present[label] = true
    end
    terms[k], means[k], shapes[k] = table.concat(own), table.concat(labels), shape
  end
  local result, meant = {}, {}
  for _, label in ipairs(letters) do
    if present[label] and random() < 0.5 then
      table.insert(result, number(1, #result + 1), label)
    end
  end
  for d, label in ipairs(result) do meant[d] = label end
  if has_dots and random() < 0.8 then
    local at = number(1, #result + 1)
    table.insert(result, at, '...')
    for _, label in ipairs(hidden) do
      if present[label] then
        table.insert(meant, at, label)
        at = at + 1
      end
    end
  end
  return table.concat(terms, ',') .. '->' .. table.concat(result), shapes, means,
         table.concat(meant)
end

local function description(equation, shapes)
  local text = { equation }
  for _, shape in ipairs(shapes) do text[#text + 1] = table.concat(shape, 'x') end
  return table.concat(text, ' ')
end

describe('einsum of random equations', function()
  for _, e in ipairs(elements) do
    it('has the results of its definition: ' .. e.name, function()
      local random = elements.generator(11)
      for _ = 1, settings.gc and 10 or 150 do
        local equation, shapes, terms, result = random_equation(random)
        local models, operands = {}, {}
        for k, shape in ipairs(shapes) do
          -- Small integers: their products and sums are exact in every type.
          models[k] = model.fill(shape, function() return math.floor(random() * 3) end)
          local layouts = { 'contiguous', 'transposed', 'strided' }
          operands[k] = model.tensor(e, models[k], layouts[math.floor(random() * 3) + 1])
        end
        local want = by_definition(terms, result, models)
        if not e.integral then
          for i, x in ipairs(want.data) do want.data[i] = e.store(x) end
        end
        local got = tensor.einsum(equation, operands)
        assert.are.equal(e.integral and 'torch.LongTensor' or e.class, got:type())
        assert.is_true(got:isContiguous())
        assert.is_nil(model.difference(model.read(got), want, 0), description(equation, shapes))
        for k, operand in ipairs(operands) do
          assert.is_nil(model.difference(model.read(operand), models[k], 0))
        end
      end
    end)
  end

  it('has the gradients of its definition', function()
    local random = elements.generator(5)
    for _ = 1, settings.gc and 10 or 60 do
      local equation, shapes, terms, result = random_equation(random)
      local models, operands = {}, {}
      for k, shape in ipairs(shapes) do
        models[k] = model.fill(shape, function() return math.floor(random() * 3) end)
        operands[k] = model.tensor(elements.Double, models[k], 'contiguous')
      end
      local gradients = tensor.grad(function(list)
        return tensor.einsum(equation, list):sum()
      end)(operands)
      -- The sum is linear in each operand: its differences are the derivatives.
      local function total()
        local sum = 0
        for _, x in ipairs(by_definition(terms, result, models).data) do sum = sum + x end
        return sum
      end
      local before = total()
      for k, m in ipairs(models) do
        local has_diagonal = terms[k]:find '(%a).*%1'
        local want = model.fill(m.shape, function() return 0 end)
        for i in ipairs(m.data) do
          m.data[i] = m.data[i] + 1
          want.data[i] = total() - before
          m.data[i] = m.data[i] - 1
        end
        assert.is_nil(model.difference(model.read(gradients[k]), want, 0),
                      description(equation, shapes) .. (has_diagonal and ', diagonal' or ''))
      end
    end
  end)
end)

describe('einsum', function()
  local VIEWS = { expand = true, permute = true, select = true, view = true }

  -- Returns the names of the operations that f calls, sorted, without views.
  local function operations_of(f)
    tensor._startprofile()
    local done, message = pcall(f)
    local names = {}
    for _, row in ipairs(tensor._stopprofile()) do
      if not VIEWS[row.op] then names[#names + 1] = row.op end
    end
    assert(done, message)
    table.sort(names)
    return table.concat(names, ' ')
  end
  local square, vector = tensor.rand(6, 6), tensor.rand(6)
  local batches = tensor.rand(4, 5, 6)

  it('multiplies elements where it does not sum', function()
    for _, case in ipairs {
      { 'ij,ij->ij', square, square }, { 'ij,j->ij', square, vector },
      { 'ij,i->ij', square, vector }, { 'i,ij->ji', vector, square },
      { 'ij,ij->ji', square, square }, { 'bij,j->ijb', batches, vector },
    } do
      assert.are.equal('cmul', operations_of(function()
        tensor.einsum(case[1], case[2], case[3])
      end), case[1])
    end
    assert.are.equal('cmul sum', operations_of(function()
      tensor.einsum('ij,ij->j', square, square)
    end))
  end)
  it('exchanges operands rather than copying', function()
    for _, case in ipairs {
      { 'ij,kj->ki', square, square }, { 'ij,jk->ki', square, square },
      { 'de,btd->bte', square, batches }, { 'btd,de->ebt', batches, square },
    } do
      assert.are.equal('mm', operations_of(function()
        tensor.einsum(case[1], case[2], case[3])
      end), case[1])
    end
    for _, equation in ipairs { 'i,ij->j', 'i,ji->j' } do
      assert.are.equal('mv', operations_of(function()
        tensor.einsum(equation, vector, square)
      end), equation)
    end
    assert.are.equal('bmm', operations_of(function()
      tensor.einsum('bij,bkj->bki', batches, batches)
    end))
  end)
  it('contracts in the order of the smallest cost', function()
    local function order(equation, sizes)
      local left, wanted = equation:match '^(.-)%->(.*)$'
      local terms = {}
      local function list(text)
        local labels = {}
        for label in text:gmatch '.' do labels[#labels + 1] = label end
        return labels
      end
      for term in left:gmatch '[^,]+' do terms[#terms + 1] = list(term) end
      local text = {}
      for k, pair in ipairs((order_of(terms, list(wanted), sizes))) do
        text[k] = table.concat(pair, '-')
      end
      return table.concat(text, ' ')
    end
    local function equal_sizes(n)
      return setmetatable({}, { __index = function() return n end })
    end
    assert.are.equal('', order('ij->i', equal_sizes(3)))
    assert.are.equal('1-2', order('ij,jk->ik', equal_sizes(3)))
    assert.are.equal('2-3 1-2', order('ij,jk,k->i', equal_sizes(100)))
    assert.are.equal('1-2 1-2', order('i,ij,jk->k', equal_sizes(100)))
    assert.are.equal('2-3 1-2', order('ui,ik,il->ukl', { u = 600, i = 400, k = 10, l = 10 }))
    -- The pair with the smallest cost, 1 and 2, does not belong to the best order.
    assert.are.equal('2-3 1-2', order('ab,bc,cd->ad', { a = 5, b = 1, c = 29, d = 23 }))
    assert.are.equal('2-3 1-2 1-2', order('ab,bc,cd,de->ae',
                                          { a = 30, b = 35, c = 15, d = 5, e = 40 }))
    assert.are.equal('5-6 4-5 3-4 2-3 1-2', order('ab,bc,cd,de,ef,f->a', equal_sizes(100)))
    assert.are.equal('1-2 1-2 1-2', order('i,i,i,i->i', equal_sizes(2)))
  end)
  it('keeps no order for other labels of size 1', function()
    local n = 20
    local m, v = tensor.rand(n, n), tensor.rand(n)
    local function run(first)
      return operations_of(function() tensor.einsum('ab,cd,ad,bc->ab', first, m, m, m) end)
    end
    local row, column = v:view(1, n), v:view(n, 1)
    local alone = run(column)
    run(row)
    assert.are.equal(alone, run(column))
    local want = tensor.cmul(column:expand(n, n), tensor.mm(tensor.mm(m, m:t()), m:t()))
    local got = tensor.einsum('ab,cd,ad,bc->ab', column, m, m, m)
    assert.is_true(tensor.allclose(got, want))
  end)
  it('keeps a bounded number of equations', function()
    for k = 1, settings.gc and 10 or 1200 do
      local label = string.char(97 + k % 26)
      local equation = (' '):rep(k) .. label .. '->' .. label
      assert.is_true(tensor.einsum(equation, vector):equal(vector))
    end
    -- The same equation with other dimensions and shapes.
    for _, shape in ipairs { { 2, 3 }, { 3 }, { 2, 2, 3 }, { 0, 3 } } do
      local t = tensor.rand(tensor.LongStorage(shape))
      assert.is_true(tensor.einsum('...i->i...', t):equal(t:movedim(-1, 1)))
    end
    for _, sizes in ipairs { { 2, 3, 4 }, { 4, 3, 2 }, { 1, 3, 1 }, { 2, 3, 4 } } do
      local a, b, c = tensor.rand(sizes[1], sizes[2]), tensor.rand(sizes[2], sizes[3]),
                      tensor.rand(sizes[3])
      local difference = tensor.einsum('ij,jk,k->i', a, b, c) - tensor.mv(a, tensor.mv(b, c))
      assert.is_true(difference:abs():max() < 1e-12)
    end
  end)
end)
