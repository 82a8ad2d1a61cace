-- What programs and packages written for Torch7 do, beyond what the other specs have.

local child = require 'support.child'

-- Each function is compiled with the first argument. A finalizer then calls it with the second. In
-- some versions of LuaJIT a loop over pairs does not end there: versions.each in lua/versions.lua.
it('finalizers may call what loops over tables', function()
  local output, status = child.run([[
    local numbers, tables = {}, {}
    for i = 1, 100 do
      numbers['k' .. i], tables['k' .. i] = i, {tostring(i)}
    end
    local function object(fields)
      local result = tensor.factory 'module.Class'()
      for name, value in pairs(fields) do result[name] = value end
      return result
    end
    module = {}
    tensor.class 'module.Class'
    local tester = tensor.Tester()
    local function copy(value) return tensor.deserialize(tensor.serialize(value)) end
    local calls = {
      {'a table', copy, numbers, tables},
      {'an object', copy, object(numbers), object(tables)},
      {'Tester', function(value) tester:eq(value, value) end, numbers, tables},
    }
    for _, call in ipairs(calls) do
      for _ = 1, 100 do call[2](call[3]) end
    end
    local function finalizer()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        for _, call in ipairs(calls) do
          for _ = 1, 100 do call[2](call[4]) end
          print(call[1])
        end
      end
      return proxy
    end
    finalizer()
    collectgarbage()
    kept = finalizer()  -- to be called when the state closes
  ]], {seconds = 20})
  assert.equal(('a table\nan object\nTester\n'):rep(2), output)
  assert.equal(0, status)
end)
