-- The methods of torch.Tester that add, select, run and report tests.

local each = require 'tensor.versions'.each
local expect = require 'tensor.test.expect'

local COLUMNS = 80

local function plural(n, word)
   return ('%d %s%s'):format(n, word, n == 1 and '' or 's')
end

-- Returns the names of tests: those in `order` first, then the others.
local function ordered(tests, order)
   local names, others, listed = {}, {}, {}
   for _, name in ipairs(order) do
      if tests[name] ~= nil then
         names[#names + 1] = name
      end
      listed[name] = true
   end
   for name in each(tests) do
      if not listed[name] then
         others[#others + 1] = name
      end
   end
   table.sort(others, function(a, b) return tostring(a) < tostring(b) end)
   for _, name in ipairs(others) do
      names[#names + 1] = name
   end
   return names
end

-- Colors are used only on terminals.
local codes = {green = 32, red = 31, magenta = 35, yellow = 33, cyan = 36}
local function colored(self, text, color)
   if not self._colors then
      return text
   end
   return ('\27[0;%dm%s\27[0m'):format(codes[color], text)
end

-- Calls io.write with a single string, as Torch7 does: tests replace that function.
local function put(...)
   io.write((table.concat {...}))
end

return function(torch, Tester)
   --- add(f [, name]): adds a function with a name, a TestSuite, or a table of functions. Functions
   -- named _setUp and _tearDown are called before and after each test, with its name.
   function Tester:add(f, name)
      if type(f) == 'table' then
         expect(name == nil, 'Name parameter is forbidden for a table of tests, '
                .. 'since its use is ambiguous')
         local tests, order = f, {}
         if f.__isTestSuite then
            tests, order = f.__tests, f.__order or {}
         else
            self:_warning('Should use TestSuite rather than plain lua table')
         end
         for _, key in ipairs(ordered(tests, order)) do
            expect(type(tests[key]) ~= 'table', 'Nested sets of tests are not supported')
            self:add(tests[key], key)
         end
         return self
      end
      expect(type(f) == 'function', 'Only tables of functions and functions supported')
      if name == '_setUp' then
         expect(not self._setUp, 'Only one set-up function allowed')
         self._setUp = f
      elseif name == '_tearDown' then
         expect(not self._tearDown, 'Only one tear-down function allowed')
         self._tearDown = f
      else
         name = name or 'unknown'
         expect(self.tests[name] == nil,
                ('Test with name %s already exists!'):format(tostring(name)))
         self.tests[name] = f
         self._order[#self._order + 1] = name
      end
      return self
   end

   --- disable(names): excludes tests, which are reported as disabled. names: a name or a list of
   -- names.
   function Tester:disable(names)
      if type(names) == 'string' then
         names = {names}
      end
      expect(type(names) == 'table', 'Expecting name or list for disable')
      for _, name in ipairs(names) do
         expect(self.tests[name], ("Unrecognized test '%s'"):format(tostring(name)))
         self.disabledTests[name] = true
      end
      return self
   end

   --- Returns the tests whose names match one of the patterns; all tests if patterns is nil.
   function Tester:_getTests(patterns)
      if patterns == nil then
         return self.tests
      end
      if type(patterns) == 'string' then
         patterns = {patterns}
      end
      expect(type(patterns) == 'table',
             'Only accept a name or table of test names (or nil for all tests)')
      local chosen = {}
      for _, pattern in ipairs(patterns) do
         local found = false
         for name, test in each(self.tests) do
            if tostring(name):match(pattern) then
               chosen[name], found = test, true
            end
         end
         expect(found, ("Couldn't find test '%s'"):format(pattern))
      end
      return chosen
   end

   --- run([patterns]): runs the matching tests, prints a report, and raises an error if one failed.
   function Tester:run(patterns)
      local tests = self:_getTests(patterns)
      self.assertionPass, self.assertionFail, self.testError = {}, {}, {}
      self.errors = {}  -- not those of an earlier run
      for name in each(tests) do
         self.assertionPass[name], self.assertionFail[name], self.testError[name] = 0, 0, 0
         self._warningCount[name] = 0
      end
      self._colors = io.type(io.stdout) == 'file' and torch.isatty(io.stdout)
      self:_run(tests)
      self:_report(tests)
      self._currentTestName = ''
      for name in each(tests) do
         expect(self.assertionFail[name] == 0 and self.testError[name] == 0,
                'An error was found while running tests!')
      end
      return 0
   end

   --- Calls a test. Returns whether it completed, its result or error, and whether all assertions
   -- held.
   function Tester:_pcall(f)
      local errors = #self.errors
      local ended, result = xpcall(f, debug.traceback)
      if not ended then
         self.errors[#self.errors + 1] =
            ('%s\n Function call failed\n%s\n'):format(self._currentTestName, tostring(result))
      end
      return ended, result, ended and errors == #self.errors
   end

   -- Runs one test with _setUp and _tearDown. _tearDown is called even if the test failed.
   local function call(self, name, test)
      local function with_name(f)
         return f and function() f(name) end
      end
      local around = {with_name(self._setUp) or false, test, with_name(self._tearDown) or false}
      local result, color = 'PASS', 'green'
      for k = 1, 3 do
         local f = around[k]
         local ended, pass, _ = true, true, nil
         if f and self.rethrow then
            f()
         elseif f and (k ~= 2 or result == 'PASS') then
            ended, _, pass = self:_pcall(f)
         end
         if not ended then
            self.testError[name] = 1
            result, color = 'ERROR', 'magenta'
         elseif not pass and result == 'PASS' then
            result, color = 'FAIL', 'red'
         end
      end
      return result, color
   end

   function Tester:_run(tests)
      local names = ordered(tests, self._order)
      put('Running ', plural(#names, 'test'), '\n')
      for k, name in ipairs(names) do
         self._currentTestName = name
         local number = ('%' .. #tostring(#names) .. 'd/%d '):format(k, #names)
         local dots = ('.'):rep(COLUMNS - 9 - #number - #tostring(name))
         local line = ('%s%s %s '):format(colored(self, number, 'cyan'), tostring(name), dots)
         if self._colors then
            put(line, '[', colored(self, 'WAIT', 'cyan'), ']')
            io.flush()
         end
         local result, color = 'SKIP', 'yellow'
         if not self.disabledTests[name] then
            result, color = call(self, name, tests[name])
         end
         put(self._colors and '\r' or '', line, '[', colored(self, result, color), ']\n')
         if result == 'PASS' and self._warningCount[name] > 0 then
            put((' '):rep(COLUMNS - 10), '[', colored(self, '+warning', 'yellow'), ']\n')
         end
         io.flush()
         if self.earlyAbort and k < #names and (result == 'FAIL' or result == 'ERROR') then
            put('Aborting on first error, not all tests have been executed\n')
            break
         end
         collectgarbage()
      end
   end

   function Tester:_report(tests)
      local number = {tests = 0, failures = 0, errors = 0, disabled = 0}
      local warnings = self._warningCount[''] and self._warningCount[''] or 0
      self.countasserts = 0
      for name in each(tests) do
         number.tests = number.tests + 1
         self.countasserts = self.countasserts + self.assertionPass[name] + self.assertionFail[name]
         number.failures = number.failures + (self.assertionFail[name] > 0 and 1 or 0)
         number.errors = number.errors + (self.testError[name] > 0 and 1 or 0)
         number.disabled = number.disabled + (self.disabledTests[name] and 1 or 0)
         warnings = warnings + (self._warningCount[name] > 0 and 1 or 0)
      end
      put('Completed ', plural(self.countasserts, 'assert'), ' in ', plural(number.tests, 'test'),
          ' with ', colored(self, plural(number.failures, 'failure'),
                             number.failures == 0 and 'green' or 'red'),
          ' and ', colored(self, plural(number.errors, 'error'),
                            number.errors == 0 and 'green' or 'magenta'))
      if warnings > 0 then
         put(' and ', colored(self, plural(warnings, 'warning'), 'yellow'))
      end
      if number.disabled > 0 then
         put(' and ', colored(self, number.disabled .. ' disabled', 'yellow'))
      end
      put('\n')
      if self.summaryOnly then
         return
      end
      local rule = ('-'):rep(COLUMNS) .. '\n'
      local first = true
      for _, list in ipairs {self.errors, self.warnings} do
         for _, text in ipairs(list) do
            put(first and rule or '', text, '\n', rule)
            first = false
         end
      end
   end
end
