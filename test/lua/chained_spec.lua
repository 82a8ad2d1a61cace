-- t[i][j] in JIT-compiled loops gives the same results as interpreted.

local tensor = require 'tensor'
local child = require 'support.child'
local both = require 'support.jit_modes'

local function fresh(code) return assert(loadstring(code, '=chained_spec.lua')) end

-- Returns the results of the code with the compiler on, after checking that they are the same with
-- it off.
local function same(code, ...)
  local results, given = {}, { ... }
  both(function()
    local values = {}
    for i, make in ipairs(given) do values[i] = make() end
    results[#results + 1] = { pcall(fresh(code), unpack(values)) }
  end)
  assert.are.same(results[2], results[1])
  return unpack(results[1])
end

describe('indexing twice', function()
  local function counted(...)
    local sizes = { ... }
    return function()
      local t = tensor.DoubleTensor(unpack(sizes))
      return t:copy(tensor.range(1, t:nElement()))
    end
  end

  it('reads and writes tensors of two to five dimensions', function()
    local _, sum = same([[
      local a, b, c, d = ...
      local sum = 0
      for _ = 1, 40 do
        for i = 1, 2 do for j = 1, 3 do
          sum = sum + a[i][j]
          a[i][j] = a[i][j] + 1
          for k = 1, 2 do
            sum = sum + b[i][j][k]
            b[i][j][k] = sum
            c[i][j][k][2] = b[i][j][k] + c[i][j][k][1]
            d[i][j][k][2][1] = c[i][j][k][2] - d[i][j][k][1][2]
          end
        end end
      end
      return sum, a:sum(), b:sum(), c:sum(), d:sum()]],
      counted(2, 3), counted(2, 3, 2), counted(2, 3, 2, 2), counted(2, 3, 2, 2, 2))
    assert.is_true(sum > 0)
  end)

  it('gives rows that are kept, and whatever else is made of them', function()
    same([[
      local t = ...
      local sum, rows = 0, {}
      for _ = 1, 99 do
        for i = 1, 4 do
          local row = t[i]
          sum = sum + row[1] + row[2] + t[i]:sum() + #t[i] + t[i][2] + t[i][{3}]
          row[3] = sum % 7
          t[i][{1}] = 2
          t[i][{2}] = 3
          t[i][-1] = sum % 5
          rows[i] = row
        end
      end
      return sum, rows[4]:sum(), t:sum()]], counted(4, 5))
  end)

  it('raises the same errors', function()
    local cases = { 't[5][1]', 't[0][1]', 't[1][7]', 't[1][0.5]', 't[1.5][1]', 't[1][{}][1][1]',
                    't[1].nosuch', 't[1][1][1]', 't[1][nil]' }
    for _, case in ipairs(cases) do
      for _, code in ipairs {
        'local x = i < 250 and 1 or ' .. case, 'if i > 249 then ' .. case .. ' = 1 end' } do
        local ok, message = same(('local t = ...\nfor i = 1, 300 do\n t[i %% 4 + 1][2] = t[2][1] '
                                  .. '%s end'):format(code), counted(4, 5))
        if not ok then assert.is_truthy(message:find(':3: ', 1, true), message) end
      end
    end
    local ok, message = same([[
      local t, at = ...
      for i = 1, 300 do
        t[i < 250 and 1 or 9][2] = i
      end]], counted(4, 5))
    assert.is_false(ok)
    assert.is_truthy(message:find('index 9 is out of range of dimension 1 of size 4', 1, true))
  end)

  it('sees what is done to the tensor', function()
    for _, change in ipairs {
      't:resize(2, 2)', 't:resize(20)', 't:storage():resize(3)', 't:set(t:t():clone())',
      't:free()' } do
      same([[
        local t = ...
        local seen = {}
        for i = 1, 300 do
          if i == 250 then ]] .. change .. [[ end
          seen[i] = select(2, pcall(function() return t[2][3] end))
          t[1][1] = seen[i]
        end
        return seen]], counted(4, 5))
    end
  end)

  it('keeps no tensor', function()
    local output, status = child.run([[
      local sum = 0
      local function use(t) for i = 1, 100 do sum = sum + t[i % 2 + 1][2] end end
      local gone = setmetatable({}, {__mode = 'k'})
      for _ = 1, 50 do
        local t = tensor.FloatTensor(2, 2):fill(1)
        gone[t] = true
        use(t)
      end
      collectgarbage() collectgarbage()
      print(sum, next(gone))]])
    assert.are.same({ '5000\tnil\n', 0 }, { output, status })
  end)

  it('may be interrupted by functions that index, too, and by errors', function()
    local output, status = child.run([[
      local t, u = tensor.FloatTensor(3, 3):zero(), tensor.FloatTensor(3, 3):zero()
      local depth, nested = 0, 0
      local operand
      local function set(t, x) t[2][3] = operand + x end
      operand = setmetatable({}, {__add = function(_, x)
        depth = depth + 1
        if depth % 7 == 0 then error 'no sum' end
        if depth % 3 ~= 0 then
          nested = nested + 1
          local before = t[2][3]
          if pcall(set, u, x + 1) then assert(u[2][3] == x + 1) end
          assert(t[2][3] == before)
          if depth % 5 == 0 then collectgarbage() end
        end
        return x
      end})
      local failed = 0
      for i = 1, 500 do
        local ok, message = pcall(set, t, i)
        if ok then assert(t[2][3] == i) else failed = failed + 1 end
        assert(ok or message:find 'no sum', message)
      end
      assert(failed > 50 and nested > 200)
      operand = 0
      for i = 1, 100 do set(t, i) end
      print(t[2][3])]])
    assert.are.same({ '100\n', 0 }, { output, status })
  end)
end)
