-- luacheck: ignore 211 231
-- What each line of a sequence of random calls begins with; v are the sequence's objects.
local T = require 'tensor'
local ffi = require 'ffi'
local v, finalized = {}, 0
ffi.cdef 'void failing_malloc_arm(long first, int all); long failing_malloc_disarm(void);'

-- Writes NaNs with payloads into some elements of a new tensor: of both signs, quiet and
-- signalling, with the tags of LuaJIT's values. By type: the upper 16 bits with the first tag, the
-- distance to the next tag, and how many times 16 bits an element has.
local nan_bits = {
  Half = { 0xfe00, 0x20, 1 }, BFloat16 = { 0xffc0, 4, 1 }, Float = { 0xffc0, 4, 2 },
  Double = { 0xfff8, 0.5, 4 },
}
local function nans(t, seed)
  local form = nan_bits[T.typename(t):match 'torch%.(.*)Tensor']
  local count = form and t:nElement() * form[3] or 0
  local words = count > 0 and ffi.cast('uint16_t *', t:data())
  for k = seed % 3 * (form and form[3] or 0), count - 1, form and 3 * form[3] or 1 do
    for word = 0, form[3] - 2 do words[k + word] = 0xabcd end
    local variant = k / form[3] + seed
    words[k + form[3] - 1] = form[1] + math.floor(form[2] * (variant * 5 % 16))
                             - (variant % 4 == 0 and 0x8000 or 0)
                             - (variant % 5 == 0 and 16 * form[2] or 0)
  end
  return t
end

-- Records a value that the library returned as a number. check_numbers checks its type later. It is
-- not compiled, because compiled code assumes the type.
local recorded, misread = { n = 0 }, nil
local function number(x)
  recorded.n = recorded.n + 1
  recorded[recorded.n % 64] = x
  return x
end
local function check_numbers()
  for k = 1, math.min(recorded.n, 64) do
    local x = recorded[k % 64]
    if type(x) ~= 'number' or type(-x) ~= 'number' then misread = type(x) end
    recorded[k % 64] = nil
  end
  recorded.n = 0
end
jit.off(check_numbers)
-- Elements of an object with few dimensions, read in compiled loops.
local function elements(t)
  local dims = T.isTensor(t) and t:dim() or T.isStorage(t) and 0
  local size = dims == 0 and t:size() or dims and dims < 3 and t:size(1) or 0
  for k = 1, size > 0 and dims < 2 and 80 or 0 do number(t[k % size + 1]) end
  local columns = size > 0 and dims == 2 and t:size(2) or 0
  for k = 1, columns > 0 and 80 or 0 do number(t[k % size + 1][k % columns + 1]) end
end

-- Numbers and texts are not kept, nor tables of the module's, nor pointers: they may dangle.
local function keep(slot, object)
  if type(object) == 'userdata' and object ~= io.stdout
     or type(object) == 'table' and getmetatable(object) == nil and T.isTensor(object[1]) then
    v[slot] = object
  end
end
-- Frees large objects: they take long and find nothing more.
local function sweep()
  for slot = 1, 14 do
    local object = v[slot]
    if T.isTensor(object) and object:nElement() > 20000
       or T.isStorage(object) and object:size() > 100000 then
      v[slot] = nil
    end
  end
end
local function try(slot, f)
  local ok, a, b = pcall(f)
  check_numbers()
  if ok then
    keep(slot, a)
    if b then keep(slot % 14 + 1, b) end
  end
  sweep()
  return ok, a
end
local function inside(slot, f)
  local thread = coroutine.create(f)
  local ok, a = coroutine.resume(thread)
  if ok then keep(slot, a) end
  sweep()
  return ok, a
end
-- Compiled code would keep the functions that it was recorded with, and their objects, alive.
jit.off(try)
jit.off(inside)
-- The same while allocations fail: the first-th of the call, and with all = 1 every later one.
local function failing(first, all, how, slot, f)
  return how(slot, function()
    ffi.C.failing_malloc_arm(first, all)
    local ok, a, b = pcall(f)
    ffi.C.failing_malloc_disarm()
    if not ok then error(a, 0) end
    return a, b
  end)
end
jit.off(failing, true)
-- An object that is garbage at once; the finalizer runs whenever the collector does.
local function doomed(f)
  getmetatable(newproxy(true)).__gc = function()
    finalized = finalized + 1
    pcall(f)
    sweep()
  end
end
