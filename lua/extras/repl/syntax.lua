-- Hints for code with the syntax of Python, which Lua does not accept.

local stops = require 'tensor.repl.stops'

local RANGE = 't[{{2, 4}}] are elements 2 to 4, and t[{{2, 4}, {}}] such rows of a matrix'
local BLOCK = 'blocks are for i = 1, n do ... end, if c then ... end and function f(x) ... end'
local IMPORT = "modules are loaded by require: nn = require 'tensor.nn'; the prompt has " ..
               'the module as tensor'

-- Patterns of code and their hints.
local forms = {
  {'^%s*import%s+[%a_]', IMPORT},
  {'^%s*from%s+[%w_.]+%s+import', IMPORT},
  {'^%s*help%s+[%w_.]+%s*$', "help is called with a string: help 'sort', or ?sort"},
  {'^%s*def%s', BLOCK}, {'^%s*elif%f[%W]', BLOCK}, {'^%s*else%s*:', BLOCK},
  {'^%s*for%s[^\n]*:%s*$', BLOCK}, {'^%s*for%s[^\n]*:%s*\n', BLOCK},
  {'^%s*if%s[^\n]*:%s*$', BLOCK}, {'^%s*if%s[^\n]*:%s*\n', BLOCK},
  {'^%s*while%s[^\n]*:%s*$', BLOCK}, {'^%s*while%s[^\n]*:%s*\n', BLOCK},
  {'%*%*', '** is written ^: t ^ 2 is the power of each element'},
  {'!=', '!= is written ~=; t:ne(u) compares elements'},
  {'[%w_%)%]]%s*[%+%-%*/%%]=', 'x += y is x = x + y; t:add(u), t:mul(2) and others work in place'},
  {'[%w_%)%]]%[[^%[%]{}]-%-?[%w_]*%s*:%s*%-?[%w_]*%s*[%],:]', RANGE},
  {'[%w_%)%]]%[[^%[%]{}]+,[^%[%]{}]*%]', 't[{1, 2}] is an element of a matrix'},
}

--- syntax(code): returns a hint for code that Lua has refused, or nil.
return function(code)
  -- Strings, comments and the arguments of calls are not code with such syntax.
  code = stops.bare(code):gsub('([%w_])%b()', '%1()')
  for _, form in ipairs(forms) do
    if code:find(form[1]) then
      return form[2]
    end
  end
  return nil
end
