-- The functions that Lua cases in bench/cases.txt may use; prepares and times a case.

local ffi = require 'ffi'
local tensor = require 'tensor'
local digits_step = require 'digits_step'

local NAMES = { float = 'Float', double = 'Double', int = 'Int', long = 'Long', byte = 'Byte',
                half = 'Half', bfloat16 = 'BFloat16' }
local ours = {}

local function class(element)
  return 'torch.' .. NAMES[element] .. 'Tensor'
end

-- Returns the helper functions for an element type. Random numbers are made from raw 32-bit draws
-- of MT19937, which gives the same numbers as NumPy.
function ours.helpers(element)
  local seed, helpers = 0, { tensor = tensor }
  local make = tensor[NAMES[element] .. 'Tensor']

  local function draw(...)
    seed = seed + 1
    tensor.manualSeed(seed)
    return tensor.DoubleTensor(...):random():div(256):floor():div(2 ^ 24)
  end
  function helpers.rand(...)
    local numbers = draw(...)
    if element == 'float' or element == 'double' or element == 'half' or
       element == 'bfloat16' then
      return numbers:type(class(element))
    end
    return numbers:mul(100):floor():add(1):type(class(element))
  end
  function helpers.new(...)
    local made = make(...)
    return type((...)) == 'number' and made:zero() or made
  end
  function helpers.index(count, range)
    return draw(count):mul(range):floor():add(1):long()
  end
  function helpers.like(array, other)
    return array:type(class(other)):clone()
  end
  function helpers.digits_step(n)
    return digits_step(tensor, helpers.rand, n)
  end
  function helpers.training_step(name, batch, compiled)
    return (require 'training'(helpers.rand, helpers.index, name, batch, compiled))
  end
  helpers.scratch = os.tmpname()
  return setmetatable(helpers, { __index = _G })
end

-- Returns a function that runs the case a given number of times, and one that frees its data.
function ours.prepare(element, n, m, k, setup, code)
  tensor.setdefaulttensortype(class(element == 'double' and element or 'float'))
  local source = ([[
local tensor, rand, new, index, like, n, m, k = tensor, rand, new, index, like, n, m, k
%s
return function(calls)
  for _ = 1, calls do
    %s
  end
end]])
  local chunk = loadstring(source:format(setup, code))
  if not chunk then
    chunk = assert(loadstring(source:format(setup, 'local _ = ' .. code)))
  end
  local helpers = ours.helpers(element)
  helpers.n, helpers.m, helpers.k = n, m, k
  local ok, run = pcall(setfenv(chunk, helpers))
  if not ok then
    os.remove(helpers.scratch)
    error(run, 0)
  end
  return run, function()
    os.remove(helpers.scratch)
    -- Compiled loops keep the operands, which are constants in them.
    jit.flush()
    collectgarbage()
    collectgarbage()
  end
end

function ours.time(run, calls)
  local start = tensor.tic()
  run(calls)
  return tensor.toc(start)
end

-- A checksum of random numbers, to verify that all libraries draw the same.
function ours.probe()
  return ours.helpers('double').rand(1000):sum()
end

function ours.describe()
  local info = tensor.info()
  return ('tensor, kernels for %s, %s'):format(info.isa,
                                               info.blas)
end

ffi.cdef [[
int getpid(void);
int prctl(int option, unsigned long argument, ...);
]]
ours.pid = ffi.C.getpid()

-- Makes the kernel kill this process when its parent ends, even while this process is stopped.
function ours.end_with_parent()
  local PR_SET_PDEATHSIG, SIGKILL = 1, 9
  ffi.C.prctl(PR_SET_PDEATHSIG, SIGKILL)
end

return ours
