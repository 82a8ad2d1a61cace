-- tensor.dist: 100,000 collectives with 2 ranks do not leak memory.

local prefix = os.getenv 'TENSOR_PREFIX' or ''
local plugin = os.getenv 'TENSOR_MPI_PLUGIN' or io.open(prefix .. '/lib/libTHmpi.so')

describe('tensor.dist', function()
  (plugin and it or pending)('does not leak', function()
    local command = "OMP_NUM_THREADS=1 '%s/bin/tensor' -n 2 test/lua/dist/many.lua 100000 2>&1"
    local pipe = assert(io.popen(command:format(prefix)))
    local output = pipe:read '*a'
    pipe:close()
    assert.are.equal('ok\n', output)
  end)
end)
