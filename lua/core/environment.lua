-- Reports invalid values of environment variables when the module is loaded.

local each = require 'tensor.versions'.each

local DEVICES = 'gpu, cuda or soft, each with the number of one behind a colon where there are many'
local MOST_THREADS = 4096

-- A host may have removed these libraries.
local io, os = rawget(_G, 'io'), rawget(_G, 'os')
local getenv = os and os.getenv or function() end

local function complain(name, value, expected, instead)
   if not io then return end
   io.stderr:write(('tensor: %s is %q: expected %s; %s\n'):format(name, value, expected, instead))
end

local function check_device(value)
   local kind, number = value:match '^(%a+):?(%d*)$'
   local known = kind == 'gpu' or kind == 'cuda' or kind == 'soft'
   if not known or value:sub(-1) == ':' or #number > 4 then
      complain('TENSOR_DEVICE', value, DEVICES, 'it is ignored')
   end
end

local ISAS = 'baseline, avx2, avx512, avx512bf16 or amx'

local function check_isa(value)
   if value:find '%W' or value == 'or' or not ISAS:find('%f[%w]' .. value .. '%f[%W]') then
      complain('TENSOR_ISA', value, ISAS, 'it is ignored')
   end
end

local function check_plot(value)
   if value ~= 'text' and value ~= 'kitty' and value ~= 'sixel' then
      complain('TENSOR_PLOT', value, 'text, kitty or sixel', 'it is ignored')
   end
end

return function(tensor)
   local checks = {TENSOR_DEVICE = check_device, TENSOR_ISA = check_isa, TENSOR_PLOT = check_plot}
   for name, check in each(checks) do
      local value = getenv(name)
      if value and value ~= '' then check(value) end
   end
   -- OpenMP accepts any number.
   local threads = tensor.getnumthreads()
   if threads < 1 or threads > MOST_THREADS then
      complain('OMP_NUM_THREADS', getenv 'OMP_NUM_THREADS' or tostring(threads),
               '1 to ' .. MOST_THREADS, 'the number of cores is taken')
      tensor.setnumthreads(math.min(tensor.getnumcores(), MOST_THREADS))
   end
end
