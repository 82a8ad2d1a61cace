-- luacheck: ignore 211
-- What each line of a sequence of random calls begins with; v are the sequence's objects.
local T = require 'tensor'
local ffi = require 'ffi'
local v, finalized = {}, 0
ffi.cdef 'void failing_malloc_arm(long first, int all); long failing_malloc_disarm(void);'

-- Numbers and texts are not kept, nor tables of the module's, nor pointers: they may dangle.
local function keep(slot, object)
  if type(object) == 'userdata' and object ~= io.stdout
     or type(object) == 'table' and getmetatable(object) == nil and T.isTensor(object[1]) then
    v[slot] = object
  end
end
-- What is large takes long and shows nothing more.
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
-- An object that is garbage at once; the finalizer runs whenever the collector does.
local function doomed(f)
  getmetatable(newproxy(true)).__gc = function()
    finalized = finalized + 1
    pcall(f)
    sweep()
  end
end
