-- Plants includes that break the rules of scripts/layers.lua in small trees of sources, and fails
-- unless scripts/check-layers.lua reports each of them.
-- Usage: luajit test/checks/layers.lua <check-layers.lua> <work folder> <interpreter> <compiler>
local check, work, lua, compiler = arg[1], arg[2], arg[3], arg[4]

local function run(command)
  local pipe = assert(io.popen('(' .. command .. ') 2>&1; echo "status $?"'))
  local output = pipe:read('*a')
  pipe:close()
  local text, status = output:match('^(.*)status (%d+)%s*$')
  return tonumber(status), text
end

local function must(command)
  local status, text = run(command)
  if status ~= 0 then error(command .. ': ' .. text) end
end

-- Sources without violations, which every tree contains.
local common = {
  ['lib/TH/THGeneral.h'] = '#include <stddef.h>\n',
  ['lib/TH/TH.h'] = '#include "THGeneral.h"\n',
  ['lib/TH/THOps.def'] = 'TH_OP(sum)\n',
  ['lib/TH/generic/THTensor.h'] = '#include "THGeneral.h"\n',
  ['lib/TH/base/error.h'] = '#include "THGeneral.h"\n',
  ['lib/TH/memory/heap.h'] = '#include "base/error.h"\n',
  ['lib/TH/tensor/tensor.h'] = '#include "../memory/heap.h"\n',
  ['lib/TH/cpu/parallel.h'] = '#include <omp.h>\n',
  ['lib/TH/cpu/workspace.h'] = '\n',
  ['lib/TH/simt/launch.h'] = '#include <cuda_runtime.h>\n#include "tensor/tensor.h"\n',
  ['lib/TH/soft/soft_device.h'] = '#include "simt/launch.h"\n',
  ['lib/TH/cuda/device.h'] = '#include "simt/launch.h"\n#include <cublas_v2.h>\n',
  ['lib/TH/ops/ops.h'] = '#include "tensor/tensor.h"\n',
  ['lib/TH/fuse/record.h'] = '#include "ops/ops.h"\n',
  ['lib/TH/generic/guard.h'] = '#include "cpu/parallel.h"\n#include "ops/ops.h"\n',
  ['lib/luaT/luaT.h'] = '#include <lua.h>\n',
  ['generic/state.h'] = '#include "luaT.h"\n#include "ops/ops.h"\n#include "generic/guard.h"\n',
  ['test/c/elements.h'] = '#include "soft/soft_device.h"\n#include <TH.h>\n',
  ['examples/embed.c'] = '#include <TH/TH.h>\n#include <luaT.h>\n',
}

-- Name, the file, its text, and the report: Lua patterns of one line.
local planted = {
  { 'a lower layer includes a higher one', 'lib/TH/memory/a.cc', '#include "tensor/tensor.h"\n',
    'memory/a.cc:1: includes lib/TH/tensor/tensor.h: memory may not include tensor' },
  { 'the same by a relative path', 'lib/TH/memory/a.h', '\n#include "../tensor/tensor.h"\n',
    'memory/a.h:2: includes lib/TH/tensor/tensor.h' },
  { 'by a path with dots inside', 'lib/TH/base/a.h', '#include "memory/./../ops/ops.h"\n',
    'base/a.h:1: includes lib/TH/ops/ops.h' },
  { 'in angle brackets', 'lib/TH/memory/a.h', '#include <tensor/tensor.h>\n',
    'memory/a.h:1: includes lib/TH/tensor/tensor.h' },
  { 'below TH/', 'lib/TH/memory/a.h', '#include <TH/tensor/tensor.h>\n',
    'memory/a.h:1: includes lib/TH/tensor/tensor.h' },
  { 'with blanks and comments', 'lib/TH/memory/a.h',
    '  # /* x */ include /* y */"tensor/tensor.h"\n',
    'memory/a.h:1: includes lib/TH/tensor/tensor.h' },
  { 'in a continued line', 'lib/TH/memory/a.h', '\n#inc\\\nlude \\\n  "tensor/tensor.h"\n',
    'memory/a.h:2: includes lib/TH/tensor/tensor.h' },
  { 'with include_next', 'lib/TH/memory/a.h', '#include_next "tensor/tensor.h"\n',
    'memory/a.h:1: includes lib/TH/tensor/tensor.h' },
  { 'operations include fusion', 'lib/TH/ops/a.cc', '#include "fuse/record.h"\n',
    'ops/a.cc:1: includes lib/TH/fuse/record.h: ops may not include fuse' },
  { 'typed C functions from the core', 'lib/TH/fuse/a.cc', '#include "generic/guard.h"\n',
    'fuse/a.cc:1: includes lib/TH/generic/guard.h: fuse may not include generic' },
  { 'operations include the CPU backend', 'lib/TH/ops/a.h', '#include "cpu/parallel.h"\n',
    'ops/a.h:1: includes lib/TH/cpu/parallel.h: ops may not include cpu' },
  { 'operations include a device', 'lib/TH/ops/a.cc', '#include "soft/soft_device.h"\n',
    'ops/a.cc:1: includes lib/TH/soft/soft_device.h: ops may not include soft' },
  { 'operations include CUDA', 'lib/TH/ops/a.cc', '#include "../cuda/device.h"\n',
    'ops/a.cc:1: includes lib/TH/cuda/device.h: ops may not include cuda' },
  { 'operations include device kernels', 'lib/TH/ops/a.cc', '#include "simt/launch.h"\n',
    'ops/a.cc:1: includes lib/TH/simt/launch.h: ops may not include simt' },
  { 'a device includes operations', 'lib/TH/cuda/a.cu', '#include "ops/ops.h"\n',
    'cuda/a.cu:1: includes lib/TH/ops/ops.h: cuda may not include ops' },
  { 'a CUDA header does', 'lib/TH/cuda/a.cuh', '#include "../ops/ops.h"\n',
    'cuda/a.cuh:1: includes lib/TH/ops/ops.h' },
  { 'one device includes another', 'lib/TH/cuda/a.cu', '#include "soft/soft_device.h"\n',
    'cuda/a.cu:1: includes lib/TH/soft/soft_device.h: cuda may not include soft' },
  { 'device kernels include the CPU backend', 'lib/TH/simt/kernels/a.cc',
    '#include "cpu/parallel.h"\n', 'kernels/a.cc:1: .*: simt may not include cpu' },
  { 'a public header includes an internal one', 'lib/TH/THNew.h', '#include "base/error.h"\n',
    'TH/THNew.h:1: includes lib/TH/base/error.h: public may not include base' },
  { 'a typed public header does', 'lib/TH/generic/THNew.h', '#include "guard.h"\n',
    'generic/THNew.h:1: includes lib/TH/generic/guard.h: public may not include generic' },
  { 'a .def file does', 'lib/TH/THNew.def', '#include "ops/ops.h"\n', 'TH/THNew.def:1: includes' },
  { 'luaT includes TH', 'lib/luaT/a.c', '#include "TH.h"\n',
    'luaT/a.c:1: includes lib/TH/TH.h: luaT may not include public' },
  { 'TH includes luaT', 'lib/TH/io/a.cc', '#include "luaT.h"\n',
    'io/a.cc:1: includes lib/luaT/luaT.h: io may not include luaT' },
  { 'TH includes Lua', 'lib/TH/io/a.cc', '#include <lua.h>\n', 'io/a.cc:1: includes <lua.h>' },
  { 'TH includes the Lua binding', 'lib/TH/generic/a.cc', '#include "../../../generic/state.h"\n',
    'generic/a.cc:1: includes generic/state.h: generic may not include binding' },
  { 'luaT includes the Lua binding', 'lib/luaT/a.c', '#include "../../generic/state.h"\n',
    'luaT/a.c:1: includes generic/state.h: luaT may not include binding' },
  { 'the Lua binding includes a device', 'generic/a.cc', '#include "cuda/device.h"\n',
    'generic/a.cc:1: includes lib/TH/cuda/device.h: binding may not include cuda' },
  { 'a header of the binding includes the CPU backend', 'generic/a.h',
    '#include "cpu/parallel.h"\n', 'generic/a.h:1: .*: binding may not include cpu' },
  { 'the library includes a header of tests', 'lib/TH/ops/a.cc',
    '#include "../../../test/c/elements.h"\n', 'ops/a.cc:1: .*: ops may not include tests' },
  { 'an example includes an internal header', 'examples/a.c', '#include <TH/base/error.h>\n',
    'examples/a.c:1: includes lib/TH/base/error.h: examples may not include base' },
  { 'MPI', 'lib/TH/ops/a.cc', '#include <mpi.h>\n', 'ops/a.cc:1: includes <mpi.h>' },
  { 'CUDA headers outside of the plugin', 'lib/TH/memory/a.cc', '#include <cuda_runtime.h>\n',
    'memory/a.cc:1: includes <cuda_runtime.h>' },
  { 'OpenMP outside of the CPU backend', 'lib/TH/ops/a.cc', '#include <omp.h>\n',
    'ops/a.cc:1: includes <omp.h>' },
  { 'a new folder', 'lib/TH/new/a.cc', '\n', 'lib/TH/new/a.cc: is in no layer' },
  { 'operations access elements', 'lib/TH/ops/a.cc', '\nauto* x = t->data_as<float>(read);\n',
    'ops/a.cc:2: ops accesses elements' },
  { 'operations have code for devices', 'lib/TH/ops/a.cc', 'sum_on(device, t);\n',
    'ops/a.cc:1: ops has a function for devices only' },
}

-- Includes that only the compiler sees.
local compiled = {
  { 'by a macro', 'lib/TH/memory/a.cc', '#define FILE "tensor/tensor.h"\n#include FILE\n',
    'memory/a.cc: depends on lib/TH/tensor/tensor.h: memory may not include tensor' },
  { 'by an option', 'lib/TH/base/a.cc', '\n',
    'base/a.cc: depends on lib/TH/memory/heap.h: base may not include memory',
    '-include memory/heap.h' },
}

local function write(root, path, text)
  must(("mkdir -p '%s/%s'"):format(root, path:match('^(.*)/')))
  local file = assert(io.open(root .. '/' .. path, 'w'))
  file:write(text)
  file:close()
end

local count, failures = 0, 0
local function expect(name, right, text)
  count = count + 1
  if right then return end
  failures = failures + 1
  io.stderr:write(('layers: %s: not reported, or not alone:\n%s\n'):format(name, text))
end

local function reports(status, text, pattern)
  local lines = select(2, text:gsub('\n', ''))
  return status == 1 and text:find(pattern:gsub('[%-%+]', '%%%0')) and lines == 1
end

must(("rm -rf '%s' && mkdir -p '%s/tree' '%s/build'"):format(work, work, work))
local tree, build = work .. '/tree', work .. '/build'
for path, text in pairs(common) do write(tree, path, text) end
local checked = ("'%s' '%s' '' '%s'"):format(lua, check, tree)

local status, text = run(checked)
expect('a tree without violations', status == 0 and text == '', text)
for _, case in ipairs(planted) do
  write(tree, case[2], case[3])
  status, text = run(checked)
  expect(case[1], reports(status, text, case[4]), text)
  os.remove(tree .. '/' .. case[2])
end

local with_build = ("'%s' '%s' '%s' '%s'"):format(lua, check, build, tree)
for _, case in ipairs(compiled) do
  write(tree, case[2], case[3])
  must(("'%s' -I'%s/lib/TH' %s -c -o '%s/a.o' -MD -MF '%s/a.o.d' '%s/%s'"):format(
    compiler, tree, case[5] or '', build, build, tree, case[2]))
  status, text = run(with_build)
  expect(case[1], reports(status, text, case[4]), text)
  os.remove(tree .. '/' .. case[2])
end
os.remove(build .. '/a.o.d')

write(tree, 'lib/TH/base/a.cc', '\n')
write(build, 'a.dir/a.o.d', ('a.o: %s/lib/TH/base/a.cc'):format(tree))
write(build, 'a.dir/cmake_pch.hxx', ('#include "%s/lib/TH/ops/ops.h"\n'):format(tree))
status, text = run(with_build)
expect('by a precompiled header',
       reports(status, text, 'base/a.cc: has a precompiled header that includes lib/TH/ops/ops.h'),
       text)
must(("rm -r '%s/a.dir' '%s/lib/TH/base/a.cc'"):format(build, tree))
status, text = run(with_build)
expect('a build folder without dependencies', reports(status, text, 'build it first'), text)

print(('%d cases, %d failures'):format(count, failures))
os.exit(failures == 0 and 0 or 1)
