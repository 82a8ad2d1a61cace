-- Effects on the process: child processes, limits, and Ctrl-C. Nothing may hang or end the process.

local tensor = require 'tensor'
local child = require 'support.child'
local dialect = require 'support.dialect'

-- Enough threads for the tests, independent of the machine.
local threads = 'OMP_NUM_THREADS=4; export OMP_NUM_THREADS; unset TENSOR_TEST'

describe('the process', function()
  it('is not kept busy by functions that are given the module', function()
    require 'support.dialect'.check "require 'ffi'"
    for _, name in ipairs {'data', 'cdata'} do
      local ok, message = pcall(tensor[name], tensor)
      assert.is_false(ok)
      assert.matches(name .. ': a tensor or storage is expected, got table', message, 1, true)
    end
    assert.equal(3, tensor.data(tensor.Tensor{3})[0])
    assert.is_not_nil(tensor.cdata(tensor.ByteStorage(3)))
  end)

  it('may fork after parallel operations', function()
    local output, status = child.run([[
      local ffi = require 'ffi'
      ffi.cdef 'int fork(void); int waitpid(int, int *, int); void _exit(int);'
      local t = tensor.FloatTensor(1e6):fill(1)
      local m = tensor.FloatTensor(300, 300):fill(1)
      print(t:sum(), tensor.mm(m, m):sum(), tensor.getnumthreads())
      io.stdout:flush()
      local pid = ffi.C.fork()
      if pid == 0 then
        print(t:add(1):sum(), tensor.mm(m, m):sum(), tensor.getnumthreads())
        io.stdout:flush()
        ffi.C._exit(0)
      end
      ffi.C.waitpid(pid, nil, 0)
      print(t:sum(), tensor.getnumthreads())]], {before = threads, seconds = 60})
    assert.equal(0, status, output)
    assert.equal('1000000\t27000000\t4\n2000000\t27000000\t1\n1000000\t4\n', output)
  end)

  if child.sanitized then
    return
  end

  local limit = [[
    local ffi = require 'ffi'
    ffi.cdef [=[
      typedef struct { unsigned long now, most; } limits;
      int setrlimit(int, const limits *);
    ]=]
    local function leave(mebibytes)
      local size
      for line in io.lines '/proc/self/status' do
        size = size or line:match 'VmSize:%s*(%d+)'
      end
      local limits = ffi.new('limits', tonumber(size) * 1024 + mebibytes * 2 ^ 20, -1)
      assert(ffi.C.setrlimit(9, limits) == 0)
    end
  ]]

  it('goes on with fewer threads where no more can be started', function()
    local output, status = child.run(limit .. [[
      local t = tensor.FloatTensor(1e6):fill(1)
      leave(3)
      print(t:add(1):sum(), tensor.getnumthreads())]], {before = threads})
    assert.equal(0, status, output)
    assert.equal('2000000\t4\n', output)
  end)

  it('gets an error where there is no memory for products', function()
    local output, status = child.run(limit .. [[
      local m = tensor.FloatTensor(40, 40):fill(1)
      leave(20)
      print(pcall(tensor.mm, m, m))
      print(pcall(tensor.inverse, m))
      print(m:sum())]], {before = threads .. '; unset TENSOR_BLAS'})
    assert.equal(0, status, output)
    local problem = 'no BLAS library could be loaded: tried [^\n]*' ..
                    'out of memory: it needs %d+ MiB of address space[^\n]*\n'
    assert.matches('^false\t[^\n]*mm: ' .. problem .. 'false\t[^\n]*inverse: ' .. problem ..
                   '1600\n$', output)
    -- If the library is available.
    output, status = child.run(limit .. [[
      local m = tensor.FloatTensor(40, 40):fill(1)
      tensor.info()
      leave(20)
      print(pcall(tensor.mm, m, m))
      print(m:sum())]], {before = threads .. '; TENSOR_BLAS=openblas; export TENSOR_BLAS'})
    assert.equal(0, status, output)
    assert.matches('^false\t.*out of memory: OpenBLAS[^\n]* needs %d+ MiB.*\n1600\n$', output)
    -- The product needs 130 MiB. The C library may reserve 128 MiB more for each thread.
    output, status = child.run(limit .. [[
      local m = tensor.FloatTensor(1000, 1000):fill(1)
      tensor.info()
      leave(700)
      print(tensor.mm(m, m):sum())]], {before = threads})
    assert.equal(0, status, output)
    assert.equal('1000000000\n', output)
  end)

  it('gets an error or a product where memory is limited from the start', function()
    -- How much a BLAS library needs depends on the machine, so the limit grows until it is enough.
    -- Products of larger matrices may have a kernel of our own.
    local kibibytes, loaded = 75000, false
    while not loaded and kibibytes < 2 ^ 25 do
      kibibytes = kibibytes * 1.4
      local output, status = child.run([[
        local m = tensor.FloatTensor(40, 40):fill(1)
        local ok, product = pcall(tensor.mm, m, m)
        print(m:sum(), ok, ok and product:sum() or product)]],
        {before = ('%s; unset TENSOR_BLAS; ulimit -v %.0f'):format(threads, kibibytes),
         seconds = 30})
      assert.equal(0, status, output)
      loaded = dialect.plain(output) == '1600\ttrue\t64000\n'
      if not loaded then assert.matches('^1600[.0]*\tfalse\t.*BLAS', output) end
    end
    assert.is_true(loaded)
  end)

  it('stops the software device on Ctrl-C', function()
    local before = 'unset TENSOR_TEST; TENSOR_SOFT_MODE=eager; export TENSOR_SOFT_MODE'
    local output, status = child.run([[
      local ffi = require 'ffi'
      ffi.cdef 'int getpid(void);'
      -- Machine code of LuaJIT ignores the hook by which its program ends a script on Ctrl-C.
      jit.off()
      local t = tensor.ByteTensor(1e8):to 'soft'
      print(pcall(function()
        os.execute('(sleep 0.5; kill -INT ' .. ffi.C.getpid() .. ') &')
        while true do
          t:fill(1)
          tensor.synchronize()
        end
      end))]], {before = before, seconds = 200})
    assert.equal(0, status, output)
    assert.matches('^false\t.*interrupted.*\n$', output)
  end)
end)
