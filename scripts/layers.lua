-- The layers of the C and C++ sources, which scripts/check-layers.lua checks.
return {
  -- From the lowest to the highest: a file may include files of its own layer and of those before
  -- it. After the name: Lua patterns of the files.
  -- only: the layers that may include this one, instead of all that follow.
  -- uses: the layers that this one may include, instead of all before it.
  layers = {
    { 'luaT', '^lib/luaT/', only = { 'binding', 'examples' } },
    { 'public', '^lib/TH/[^/]+$', '^lib/TH/THOps/', '^lib/TH/generic/TH[^/]*%.h$', '^generated/' },
    { 'base', '^lib/TH/base/' },
    { 'memory', '^lib/TH/memory/' },
    { 'tensor', '^lib/TH/tensor/' },
    { 'functors', '^lib/TH/functors/' },
    { 'random', '^lib/TH/random/' },
    { 'backend', '^lib/TH/backend/' },
    { 'cpu', '^lib/TH/cpu/', only = { 'generic' } },
    { 'simt', '^lib/TH/simt/', only = { 'soft', 'cuda' } },
    { 'soft', '^lib/TH/soft/', only = {} },
    { 'cuda', '^lib/TH/cuda/', only = { 'nccl' } },
    { 'ops', '^lib/TH/ops/' },
    { 'fuse', '^lib/TH/fuse/' },
    { 'grad', '^lib/TH/grad/' },
    { 'blob', '^lib/TH/blob/' },
    { 'io', '^lib/TH/io/' },
    { 'dist', '^lib/TH/dist/' },
    { 'mpi', '^lib/TH/mpi/', only = {} },
    { 'nccl', '^lib/TH/nccl/', only = {} },
    { 'generic', '^lib/TH/generic/', only = { 'binding' } },
    { 'binding', '^generic/' },
    { 'examples', '^examples/', uses = { 'luaT', 'public' } },
  },

  -- Tests may include every layer. No layer may include them.
  tests = { '^test/', '^bench/' },

  -- Headers of other libraries that only some layers may include.
  external = {
    { '^mpi', only = { 'mpi' } },
    { '^nccl', only = { 'nccl' } },
    { '^cuda', '^cub/', '^cublas', '^thrust/', only = { 'simt', 'cuda', 'nccl' } },
    { '^cusolver', '^cufft', '^cudnn', only = { 'cuda' } },
    { '^lua', '^lauxlib%.h', only = { 'luaT', 'binding', 'examples' } },
    { '^hwy/', '^omp%.h', only = { 'cpu', 'generic', 'binding' } },
  },

  -- Text that a layer may not contain: Lua patterns of lines, with the reason.
  text = {
    ops = {
      except = { ['lib/TH/ops/operands.cc'] = true, ['lib/TH/ops/operands.h'] = true },
      { 'parallel_for', 'for_each_run', 'data_as<', '[%.>]data%(Access',
        reason = 'accesses elements; only backends do' },
      { '[a-z]_on%(', '[a-z]_on_device%(', reason = 'has a function for devices only' },
    },
  },
}
