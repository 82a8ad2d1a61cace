-- tensor.profile: counts the operations that a function calls.

local tensor = require 'tensor'

local function profile(f, ...)
   local lines, print_ = {}, _G.print
   _G.print = function(line) lines[#lines + 1] = line end
   local ok, rows = pcall(tensor.profile, f, ...)
   _G.print = print_
   if not ok then
      error(rows, 0)
   end
   return rows, lines
end

local function row_of(rows, op, device)
   for _, row in ipairs(rows) do
      if row.op == op and (not device or row.device == device) then
         return row
      end
   end
end

describe('profile', function()
   it('counts calls, bytes and time of each operation', function()
      local a = tensor.FloatTensor(1000):fill(1):to('cpu')
      local rows, lines = profile(function(n)
         for _ = 1, n do
            a:add(1)
         end
         return a:sum()
      end, 3)
      local add, sum = row_of(rows, 'add', 'cpu'), row_of(rows, 'sum', 'cpu')
      assert.are.equal(3, add.calls)
      assert.are.equal(3 * 2 * 4000, add.bytes)
      assert.are.equal(0, add.fallbacks)
      assert.is_true(add.seconds > 0)
      assert.are.equal(1, sum.calls)
      assert.are.equal(4000, sum.bytes)
      assert.are.equal(#rows + 1, #lines)
      assert.is_truthy(lines[1]:find('operation', 1, true))
   end)

   it('puts the operation that took longest first', function()
      local rows = profile(function()
         local a = tensor.DoubleTensor(200000):fill(0.5):to('cpu')
         a:exp():sin():tanh()
         a:narrow(1, 1, 1):fill(2)
      end)
      for k = 2, #rows do
         assert.is_true(rows[k - 1].seconds >= rows[k].seconds)
      end
   end)

   it('counts nothing when it is off, and begins anew', function()
      local a = tensor.FloatTensor(4):fill(1)
      profile(function() a:mul(2) end)
      a:mul(2)
      local rows = profile(function() a:add(1) end)
      assert.is_nil(row_of(rows, 'mul'))
      assert.are.equal(1, row_of(rows, 'add').calls)
   end)

   it('reports the device of an operation, and its fallbacks to the CPU', function()
      local a = tensor.FloatTensor(4):fill(1):to('soft')
      local name = a:device()
      local rows = profile(function() a:add(1) end)
      assert.are.equal(1, row_of(rows, 'add', name).calls)
      local expanded = tensor.FloatTensor{1}:to('soft'):expand(3)
      rows = profile(function() expanded:fill(3) end)
      assert.are.equal(1, row_of(rows, 'fill', 'cpu').fallbacks)
   end)

   it('passes errors on and is off afterwards', function()
      assert.has_error(function() profile(function() error('stop', 0) end) end, 'stop')
      assert.has_error(function() tensor.profile(3) end,
                       'profile: a function is expected, got number')
      assert.are.equal(0, #profile(function() end))
   end)

   it('is an error inside a function that is being profiled', function()
      local message = 'profile: the call is inside a function that is being profiled'
      local a = tensor.FloatTensor(4):fill(1)
      local rows = profile(function()
         a:add(1)
         assert.error_matches(function() tensor.profile(function() a:mul(2) end) end, message)
         coroutine.wrap(function()
            assert.error_matches(function() tensor.profile(print) end, message)
         end)()
         a:add(1)
      end)
      assert.are.equal(2, row_of(rows, 'add').calls)
      assert.is_nil(row_of(rows, 'mul'))
   end)

   it('is off while its function is suspended', function()
      local a = tensor.FloatTensor(4):fill(1)
      local print_, rows, others = _G.print, nil, nil
      _G.print = function() end
      local ok, message = pcall(function()
         local resume = coroutine.wrap(function(...)
            rows = tensor.profile(function(x)
               a:add(x)
               a:add(coroutine.yield 'first')
               a:mul(coroutine.yield 'second')
            end, ...)
         end)
         assert.are.equal('first', resume(1))
         a:add(1)
         others = tensor.profile(function()
            a:add(1)
            assert.are.equal('second', resume(2))
            a:div(2)
         end)
         a:add(1)
         resume(4)
         -- A coroutine that is never resumed.
         coroutine.wrap(function() tensor.profile(coroutine.yield) end)()
      end)
      _G.print = print_
      assert(ok, message)
      assert.are.equal(0, #tensor._stopprofile())
      assert.are.equal(2, #rows)
      assert.are.equal(2, row_of(rows, 'add').calls)
      assert.are.equal(1, row_of(rows, 'mul').calls)
      assert.is_true(rows[1].seconds >= rows[2].seconds)
      assert.are.equal(2, #others)
      assert.are.equal(1, row_of(others, 'add').calls)
      assert.are.equal(1, row_of(others, 'div').calls)
   end)
end)
