-- The C library, bound like nn's: found on package.cpath and declared by its header.

local ffi = require 'ffi'

local kernels = {NULL = ffi.NULL or nil}

-- Torch7's layout of the generator, for code that declares it again.
ffi.cdef [[
typedef void RowsState;
typedef struct {
  unsigned long the_initial_seed;
  int left;
  int seeded;
  unsigned long next;
  unsigned long state[624];
  double normal_x;
  double normal_y;
  double normal_rho;
  int normal_is_valid;
} THGenerator;
]]

local text = require('rows.kernels_h'):gsub('#[^\n]*\n', '')
local names = {}
text = text:gsub('TH_API void ROWS_%(([%w_]+)%)', function(name)
   names[#names + 1] = name
   return 'void ROWS_TYPE' .. name
end)

local path = assert(package.searchpath('librowkernels', package.cpath))
kernels.C = ffi.load(path)

for _, type in ipairs {'Float', 'Double'} do
   local declared = text
   for from, to in pairs {TYPE = type, accreal = 'double', THTensor = ('TH%sTensor'):format(type),
                          THIndexTensor = 'THLongTensor'} do
      declared = declared:gsub(from, to)
   end
   ffi.cdef(declared)
   local bound = {}
   for _, name in ipairs(names) do
      local f = kernels.C[('ROWS_%s%s'):format(type, name)]
      bound[name] = function(...) return f(nil, ...) end
   end
   torch.getmetatable(('torch.%sTensor'):format(type)).ROWS = bound
end

function kernels.optional(t) return t and t:cdata() end
function kernels.generator() return ffi.typeof('THGenerator**')(torch._gen)[0] end

return kernels
