-- Loading of BLAS and LAPACK libraries: which ones, when, and the errors if none can be loaded.

local child = require 'support.child'

-- A matrix product, a matrix-vector product and a linear system, in float and double, and their
-- inputs.
local products = [[
  tensor.manualSeed(1)
  local a, b = tensor.randn(150, 170), tensor.randn(170, 130)
  local function distance(x, y) return (x:double() - y):abs():max() end
  local expected = tensor.DoubleTensor(150, 130)
  for i = 1, 150 do
    expected[i]:sum(tensor.cmul(b, a[i]:view(170, 1):expandAs(b)), 1)
  end
  local x = tensor.randn(130, 1)
  local square = b:narrow(1, 1, 130)
  local function check(name, found, wanted)
    print(name, found < wanted)
  end
  check('mm', distance(tensor.mm(a, b), expected), 1e-10)
  check('mm', distance(tensor.mm(a:float(), b:float()), expected), 1e-3)
  local rows = (expected * x:select(2, 1)):double()
  check('mv', distance(tensor.mv(a, tensor.mv(b, x:select(2, 1))), rows), 1e-9)
  check('gesv', distance(tensor.mm(square, (tensor.gesv(x, square))), x), 1e-8)
  check('gesv', distance(square:float() * (tensor.gesv(x:float(), square:float())), x), 0.1)
]]
local right = ('mm\ttrue\nmm\ttrue\nmv\ttrue\ngesv\ttrue\ngesv\ttrue\n')

local function run(code, name)
  local set = name and ('TENSOR_BLAS=%q; export TENSOR_BLAS'):format(name) or 'unset TENSOR_BLAS'
  return child.run(code, {before = set .. '; unset TENSOR_TEST', seconds = 100})
end

describe('the library of BLAS', function()
  it('is an OpenBLAS unless another is named', function()
    local output, status = run(products .. 'print(tensor.info().blas)')
    assert.equal(0, status, output)
    assert.equal(right, output:sub(1, #right))
    assert.matches('OpenBLAS %d+%.%d+%.%d+, kernels for %w+, /%S+\n$', output)
  end)

  it('has the kernels that the user asks OpenBLAS for', function()
    local output = child.run('print(tensor.info().blas)', {
      before = 'OPENBLAS_CORETYPE=Haswell TENSOR_BLAS=openblas; ' ..
               'export OPENBLAS_CORETYPE TENSOR_BLAS'})
    if require('jit').arch == 'x64' then
      assert.matches('^OpenBLAS %S+, kernels for Haswell, ', output)
    end
  end)

  it('is loaded by the first product that needs it', function()
    if child.sanitized then
      return
    end
    local output, status = run([[
      local function is_loaded()
        for line in io.lines '/proc/self/maps' do
          if line:find 'lib%w*blas[^/]*$' then return true end
        end
        return false
      end
      print(is_loaded())
      local m = tensor.IntTensor(20, 20):fill(1)
      print(tensor.mm(m, m):sum(), tensor.FloatTensor(3):fill(1):sum(), is_loaded())
      m = m:float()
      print(tensor.mm(m, m):sum(), is_loaded())]])
    assert.equal(0, status, output)
    assert.equal('false\n8000\t3\tfalse\n8000\ttrue\n', output)
  end)

  for name, title in pairs {openblas = 'OpenBLAS', blis = 'BLIS', mkl = 'MKL', onednn = 'oneDNN'} do
    it('may be ' .. title, function()
      local output, status = run('print(tensor.info().blas)', name)
      assert.equal(0, status, output)
      if name ~= 'openblas' and output:find('^none: ') then
        assert.matches('^none: no BLAS library could be loaded for TENSOR_BLAS=' .. name ..
                       ': tried .*not found', output)
        return
      end
      assert.matches('^' .. title, output)
      output, status = run(products, name)
      assert.equal(0, status, output)
      assert.equal(right, output)
    end)
  end

  it('may be any by its path', function()
    local output = run 'print(tensor.info().blas)'
    local path = assert(output:match ', (/%S+)\n')
    local status
    output, status = run(products .. 'print(tensor.info().blas)', path)
    assert.equal(0, status, output)
    assert.equal(right, output:sub(1, #right))
    assert.is_truthy(output:find(path .. '\n', 1, true))
  end)

  it('must be one', function()
    local other = io.open '/proc/self/maps':read '*a':match '(/%S*/libm[.-]%S*)\n'
    for name, problem in pairs {
      nosuch = "TENSOR_BLAS is 'nosuch', which is neither a path nor one of openblas, blis, mkl " ..
               'and onednn',
      ['/no/such/library.so'] = 'no BLAS library could be loaded for ' ..
        'TENSOR_BLAS=/no/such/library.so: tried /no/such/library.so (not found)',
      [other] = ('no BLAS library could be loaded for TENSOR_BLAS=%s: tried %s (no BLAS: it has ' ..
                 'no sgemm_)'):format(other, other),
      ['/etc/passwd'] = 'invalid ELF header'
    } do
      local output, status = run([[
        local m = tensor.ones(20, 20)  -- smaller ones need no library
        local product = m:clone()
        print(pcall(tensor.mm, product, m, m))
        print(pcall(tensor.mm, product, m, m))
        print(product:sum(), tensor.mm(m:int(), m:int()):sum(), (m + 1):sum())
        print(pcall(tensor.symeig, m))
        print(tensor.info().blas)]], name)
      assert.equal(0, status, output)
      local lines = {}
      for line in output:gmatch '[^\n]+' do
        table.insert(lines, line)
        assert.is_truthy(line:find(#lines == 3 and '400\t8000\t800' or problem, 1, true), line)
      end
      assert.equal(5, #lines)
    end
  end)

  it('gives the same with any number of threads', function()
    for _, name in ipairs {'openblas', 'blis', 'mkl', 'onednn'} do
      local output, status = run([[
        if tensor.info().blas:find '^none' then return end
        tensor.manualSeed(1)
        for _, kind in ipairs {'float', 'double'} do
          for _, size in ipairs {{64, 1000, 64}, {300, 300, 300}, {700, 50, 20}, {5, 3000, 700},
                                 {1, 3000, 700}, {3000, 700, 1}, {33, 65, 129},
                                 {1, 2000, 3000}, {70, 5000, 90}} do
            local m, k, n = size[1], size[2], size[3]
            local a, b = tensor.randn(m, k), tensor.randn(n, k)
            a, b = a[kind](a), b[kind](b):t()
            for _, columns in ipairs {false, true} do
              local results = {}
              for _, threads in ipairs {1, 2, 3, 5} do
                tensor.setnumthreads(threads)
                table.insert(results, tensor.mm(a, b))
              end
              for i = 2, 4 do
                if not results[1]:equal(results[i]) then print(kind, m, k, n, columns, i) end
              end
              a, b = a:t():contiguous():t(), b:contiguous()
            end
          end
        end]], name)
      assert.equal(0, status, output)
      assert.equal('', output)
    end
  end)

  it('adds the parts of long sums, and multiplies few rows', function()
    local tensor = require 'tensor'
    -- Integers, whose sums are exact in any order.
    local function whole(rows, columns, transposed)
      local t = tensor.LongTensor(transposed and columns or rows, transposed and rows or columns)
      t:random(-3, 3)
      return transposed and t:t() or t
    end
    for _, size in ipairs {{64, 3000, 64}, {5, 1537, 300}, {3000, 200, 1}, {1, 600, 4000},
                           {20000, 130, 1}, {2, 2000, 1}, {1, 5000, 1}, {100, 1, 3000},
                           {3000, 1, 90}, {1, 1, 70000}, {40, 2049, 129},
                           {2, 600, 1003}, {9, 700, 300}, {28, 257, 151}, {13, 2100, 49},
                           {170, 1000, 7}, {1030, 33, 1}, {1, 47, 5}, {2100, 2000, 2},
                           {2, 2000, 2100}} do
      local m, k, n = size[1], size[2], size[3]
      for layout = 0, 7 do
        local a = whole(m, k, layout % 2 == 1)
        local b = whole(k, n, math.floor(layout / 2) % 2 == 1)
        local c = whole(m, n, layout >= 4)
        local sum = tensor.mm(a, b)
        for _, kind in ipairs {'float', 'double', 'half', 'bfloat16'} do
          local message = ('%s %dx%dx%d, layout %d'):format(kind, m, k, n, layout)
          -- In the same layouts as the integers.
          local function float(t)
            local transposed = t:size(1) > 1 and t:stride(1) == 1
            return transposed and t:t()[kind](t:t()):t() or t[kind](t)
          end
          local x, y, z = float(a), float(b), float(c)
          -- The 16-bit types round each result once.
          local wanted = (c * 2 + sum * 3)[kind](c * 2 + sum * 3)
          assert.is_true(tensor.addmm(z, 2, z, 3, x, y):equal(wanted), message)
          z:fill(0 / 0)
          assert.is_true(z:mm(x, y):equal(sum[kind](sum)), message)
        end
      end
    end
  end)

  it('keeps what is not finite where it is', function()
    local tensor = require 'tensor'
    for _, kind in ipairs {'FloatTensor', 'DoubleTensor'} do
      local a, b = tensor[kind](3, 1100):fill(1), tensor[kind](1100, 1003):fill(2)
      b[{7, 9}], b[{1100, 1003}], a[{2, 600}] = 1 / 0, 0 / 0, 0
      b[{600, 1}] = -1 / 0
      local c = tensor.mm(a, b)
      local expected = tensor[kind](3, 1003):fill(2200)
      expected[2] = 2198
      expected:select(2, 9):fill(1 / 0)
      expected:select(2, 1):fill(-1 / 0)
      for i = 1, 3 do
        for j = 1, 1003 do
          local value = c[{i, j}]
          if j == 1003 or (i == 2 and j == 1) then
            assert.is_true(value ~= value)
          else
            assert.equal(expected[{i, j}], value)
          end
        end
      end
    end
  end)
end)
