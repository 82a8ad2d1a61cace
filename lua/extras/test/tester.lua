-- torch.Tester: counts assertions, records failures and continues.

local compare = require 'tensor.test.compare'
local expect = require 'tensor.test.expect'
local run = require 'tensor.test.run'
local versions = require 'tensor.versions'
local each = versions.each

local folder = debug.getinfo(1, 'S').source:match '^(.*[/\\])'

-- Returns up to two source lines of the running test: the assertion and its caller.
local function where()
   local lines = {}
   for level = 2, 50 do
      local info = debug.getinfo(level, 'Sln')
      if not info or info.name == 'xpcall' or #lines == 2 then
         break
      end
      -- Lua 5.1 has levels 'tail' for functions that tail calls have left.
      if info.what ~= 'C' and info.what ~= 'tail' and info.source:sub(1, #folder) ~= folder then
         lines[#lines + 1] = ('\t%s:%d: in %s'):format(info.short_src, info.currentline,
            info.name and ("function '%s'"):format(info.name) or 'the test')
      end
   end
   return table.concat(lines, '\n')
end

-- Returns the optional message, the only argument allowed after the compared values.
local function message_of(message, ...)
   expect(next {...} == nil, 'Unexpected arguments passed to test function')
   expect(not message or type(message) == 'string',
          'message parameter must be a string, not ' .. type(message))
   return message and message ~= '' and message .. '\n' or ''
end

-- Returns the optional tolerance and message, which may come in either order.
local function tolerance_and_message(default, ...)
   local found = {}
   for k = 1, select('#', ...) do
      local value = select(k, ...)
      local kind = type(value)
      if kind ~= 'nil' then
         expect(kind == 'number' or kind == 'string',
                'Unrecognized argument; should be a tolerance or message, got ' .. kind)
         expect(not found[kind], ('Unexpected %s argument; already have %s')
                :format(kind, kind == 'number' and 'tolerance' or 'message'))
         found[kind] = value
      end
   end
   expect(not found.number or found.number >= 0, 'tolerance cannot be negative')
   return found.number or default, found.string and found.string .. '\n' or ''
end

local function install(torch)
   local Tester = torch.getmetatable 'torch.Tester'

   function Tester:__init()
      self.errors = {}
      self.tests = {}
      self.warnings = {}
      self.disabledTests = {}
      self._order = {}
      self._warningCount = {}
      self._currentTestName = ''
      -- Torch7's first versions ignored the shape.
      self._assertTensorEqIgnoresDims = true
   end

   --- setEarlyAbort(on): whether run stops at the first failed test.
   function Tester:setEarlyAbort(on)
      self.earlyAbort = on
   end

   --- setRethrowErrors(on): whether a failure is raised immediately, for debugging.
   function Tester:setRethrowErrors(on)
      self.rethrow = on
   end

   --- setSummaryOnly(on): whether the report is limited to one line.
   function Tester:setSummaryOnly(on)
      self.summaryOnly = on
   end

   -- ---- counting ----

   local function count(counts, name)
      counts[name] = (counts[name] or 0) + 1
   end

   function Tester:_success()
      self.assertionPass = self.assertionPass or {}
      count(self.assertionPass, self._currentTestName)
      return true
   end

   function Tester:_addDebugInfo(message)
      local name = self._currentTestName
      return (name ~= '' and name .. '\n' or '') .. message .. '\n' .. where()
   end

   function Tester:_failure(message)
      expect(not self.rethrow, message)
      self.assertionFail = self.assertionFail or {}
      count(self.assertionFail, self._currentTestName)
      self.errors[#self.errors + 1] = self:_addDebugInfo(message)
      return false
   end

   function Tester:_warning(message)
      count(self._warningCount, self._currentTestName)
      self.warnings[#self.warnings + 1] = self:_addDebugInfo(message)
   end

   function Tester:_assert_sub(condition, message)
      if condition then
         return self:_success()
      end
      return self:_failure(message)
   end

   -- ---- assertions: each returns true if it holds ----

   function Tester:assert(condition, ...)
      local message = message_of(...)
      if type(condition) ~= 'boolean' then
         self:_warning('assert should only be used for boolean conditions; to see whether a '
                       .. 'variable is not nil, assert(variable ~= nil)')
      end
      return self:_assert_sub(condition,
                              message .. 'BOOL violation condition=' .. tostring(condition))
   end

   local relations = {
      assertlt = {'LT', '>=', function(a, b) return a < b end},
      assertgt = {'GT', '<=', function(a, b) return a > b end},
      assertle = {'LE', '>', function(a, b) return a <= b end},
      assertge = {'GE', '<', function(a, b) return a >= b end},
      asserteq = {'EQ', '~=', function(a, b) return a == b end},
      assertne = {'NE', '==', function(a, b) return a ~= b end},
   }
   for name, relation in each(relations) do
      local code, opposite, holds = versions.unpack(relation)
      Tester[name] = function(self, a, b, ...)
         local message = message_of(...)
         local is_object = type(a) == type(b) and type(a) == 'table' or type(a) == 'userdata'
         if name == 'assertne' and is_object then
            self:_warning('assertne should only be used to compare numbers, strings and booleans; '
                          .. 'for objects there is assertGeneralNe')
         end
         return self:_assert_sub(holds(a, b), ('%s%s failed: %s %s %s')
            :format(message, code, tostring(a), opposite, tostring(b)))
      end
   end

   function Tester:assertalmosteq(a, b, ...)
      local tolerance, message = tolerance_and_message(1e-16, ...)
      return self:_assert_sub(a == b or math.abs(a - b) <= tolerance,
         ('%sALMOST_EQ failed: %s ~= %s with tolerance=%s')
         :format(message, tostring(a), tostring(b), tostring(tolerance)))
   end

   function Tester:_eqOrNeq(a, b, negate, ...)
      local tolerance, message = tolerance_and_message(0, ...)
      local success, reason = compare.values(torch, a, b, tolerance, negate)
      return self:_assert_sub(success, message .. (reason or ''))
   end

   function Tester:assertGeneralEq(a, b, ...)
      return self:_eqOrNeq(a, b, false, ...)
   end
   function Tester:assertGeneralNe(a, b, ...)
      return self:_eqOrNeq(a, b, true, ...)
   end
   function Tester:eq(a, b, ...)
      return self:assertGeneralEq(a, b, ...)
   end
   function Tester:ne(a, b, ...)
      return self:assertGeneralNe(a, b, ...)
   end

   function Tester:_assertTensorEqOrNeq(a, b, negate, ...)
      expect(torch.isTensor(a), 'First argument should be a Tensor')
      expect(torch.isTensor(b), 'Second argument should be a Tensor')
      local tolerance, message = tolerance_and_message(0, ...)
      local lax = self._assertTensorEqIgnoresDims
      local success, reason = compare.tensors(torch, a, b, tolerance, negate, lax)
      if lax and success and not negate and not a:isSameSizeAs(b) then
         self:_warning('Tensors have the same content but different dimensions; eq would tell '
                       .. 'them apart')
      end
      return self:_assert_sub(success, message .. (reason or ''))
   end

   function Tester:assertTensorEq(a, b, ...)
      return self:_assertTensorEqOrNeq(a, b, false, ...)
   end
   function Tester:assertTensorNe(a, b, ...)
      return self:_assertTensorEqOrNeq(a, b, true, ...)
   end

   function Tester:_assertTableEqOrNeq(a, b, negate, ...)
      expect(type(a) == 'table', 'First argument should be a Table')
      expect(type(b) == 'table', 'Second argument should be a Table')
      return self:_eqOrNeq(a, b, negate, ...)
   end

   function Tester:assertTableEq(a, b, ...)
      return self:_assertTableEqOrNeq(a, b, false, ...)
   end
   function Tester:assertTableNe(a, b, ...)
      return self:_assertTableEqOrNeq(a, b, true, ...)
   end

   function Tester:assertNoError(f, ...)
      local message = message_of(...)
      local success, err = pcall(f)
      return self:_assert_sub(success,
                              ('%sERROR violation: err=%s'):format(message, tostring(err)))
   end

   --- Asserts that f raises an error for which accepts(error) returns true.
   function Tester:assertErrorObj(f, accepts, ...)
      local message = message_of(...)
      local success, err = pcall(f)
      return self:_assert_sub(not success and accepts(err),
                              ('%sERROR violation: err=%s'):format(message, tostring(err)))
   end
   function Tester:assertError(f, ...)
      return self:assertErrorObj(f, function() return true end, ...)
   end
   function Tester:assertErrorMsg(f, text, ...)
      return self:assertErrorObj(f, function(err) return err == text end, ...)
   end
   function Tester:assertErrorPattern(f, pattern, ...)
      return self:assertErrorObj(f, function(err)
         return string.find(tostring(err), pattern) ~= nil
      end, ...)
   end

   run(torch, Tester)
end

return install
