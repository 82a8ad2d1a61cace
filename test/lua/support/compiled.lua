-- Checks of functions made by tensor.compile.

local assert = require 'luassert'
local tensor = require 'tensor'

local compiled = {}

-- The same elements and the same NaN, bit for bit but for a NaN's sign; the same value; or tables
-- with the same.
function compiled.same(a, b)
  if type(a) == 'table' and type(b) == 'table' then
    for key, x in pairs(a) do
      if not compiled.same(x, b[key]) then return false end
    end
    for key in pairs(b) do
      if a[key] == nil then return false end
    end
    return true
  end
  if not tensor.isTensor(a) then return a == b end
  if tensor.typename(a) ~= tensor.typename(b) or not a:isSameSizeAs(b) then return false end
  if a:nElement() == 0 then return true end
  local ys = b:contiguous():view(-1):totable()
  for i, x in ipairs(a:contiguous():view(-1):totable()) do
    local y = ys[i]
    if not (x == y and (x ~= 0 or 1 / x == 1 / y) or (x ~= x and y ~= y)) then return false end
  end
  return true
end

local function called(f, count, ...)
  for _ = 1, count do f(...) end
  return f:explain()
end
function compiled.is_compiled(f, ...)
  local said = called(f, 3, ...)
  assert.is_truthy(said:find(' operations in ', 1, true), said)
end
-- Three calls give what the function does, and none is compiled, for the reason.
function compiled.is_called(reason, f, ...)
  local g = tensor.compile(f)
  for _ = 1, 3 do
    local want = { f(...) }
    local got = { g(...) }
    assert.is_true(compiled.same(want, got))
  end
  local said = g:explain()
  assert.is_truthy(said:find('not compiled: the function ' .. reason, 1, true), said)
end

return compiled
