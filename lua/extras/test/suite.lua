-- torch.TestSuite(): a table for tests that raises an error if a test is defined twice.

local Suite = {}

function Suite:__index(name)
   return rawget(self, '__tests')[name]
end

function Suite:__newindex(name, test)
   local tests = rawget(self, '__tests')
   if tests[name] ~= nil then
      error(('Test %s is already defined.'):format(tostring(name)), 2)
   end
   if type(test) == 'table' then
      error('Nested tables of tests are not supported', 2)
   end
   if type(test) ~= 'function' then
      error('Only functions are supported as members of a TestSuite', 2)
   end
   tests[name] = test
   local order = rawget(self, '__order')
   order[#order + 1] = name
end

--- Returns an empty suite. __tests: functions by name; __order: names in the order of definition.
return function()
   return setmetatable({__tests = {}, __order = {}, __isTestSuite = true}, Suite)
end
