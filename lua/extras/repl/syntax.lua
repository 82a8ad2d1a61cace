-- Hints for code with the syntax of Python, which Lua does not accept.

local stops = require 'tensor.repl.stops'

local RANGE = 't[{{2, 4}}] are elements 2 to 4, and t[{{2, 4}, {}}] such rows of a matrix'
local BLOCK = 'blocks are for i = 1, n do ... end, if c then ... end and function f(x) ... end'
local IMPORT = "modules are loaded by require: nn = require 'tensor.nn'; the prompt has " ..
               'the module as tensor'

local LIST = 'lists are tables: tensor.Tensor{{1, 2}, {3, 4}}'

-- Forms are patterns of code and their hints. If there is a third pattern, the code must not have
-- it.

-- Forms outside of the arguments of calls, which may contain commas and colons.
local forms = {
  {'^%s*import%s+[%a_]', IMPORT},
  {'^%s*from%s+[%w_.]+%s+import', IMPORT},
  {'^%s*help%s+[%w_.]+%s*$', "help is called with a string: help 'sort', or ?sort"},
  {'^%s*def%s', BLOCK}, {'^%s*elif%f[%W]', BLOCK}, {'^%s*else%s*:', BLOCK},
  {'^%s*for%s[^\n]*:%s*$', BLOCK}, {'^%s*for%s[^\n]*:%s*\n', BLOCK},
  {'^%s*if%s[^\n]*:%s*$', BLOCK}, {'^%s*if%s[^\n]*:%s*\n', BLOCK},
  {'^%s*while%s[^\n]*:%s*$', BLOCK}, {'^%s*while%s[^\n]*:%s*\n', BLOCK},
  {'%*%*', '** is written ^: t ^ 2 is the power of each element'},
  {'^%s*del%s+[%a_]', 'x = nil removes the variable x'},
  {'^%s*raise%s', "error 'text' raises an error"},
  {'^%s*try%s*:', 'pcall(f) returns false and the message if the function f raises an error'},
  {'^%s*with%s[^\n]*:', 'there are no blocks with objects: f:close() closes a file, and only ' ..
                        'functions that tensor.grad calls have gradients'},
  {'%+%+', 'x++ is written x = x + 1'},
  {'!=', '!= is written ~=; t:ne(u) compares elements'},
  {'[%w_%)%]]%s*[%+%-%*/%%]=', 'x += y is x = x + y; t:add(u), t:mul(2) and others work in place'},
  {'[%w_%)%]]%[[^%[%]{}]-%-?[%w_]*%s*:%s*%-?[%w_]*%s*[%],:]', RANGE},
  {'[%w_%)%]]%[[^%[%]{}]+,[^%[%]{}]*%]', 't[{1, 2}] is an element of a matrix'},
}

-- Forms in all code.
local inner_forms = {
  {'^%s*%[', LIST}, {'[%(=]%s*%[', LIST}, {'return%s*%[', LIST},
  {'[{,]%s*""%s*:', 'tables with keys are {a = 1, b = 2}'},
  {'[%(=,]%s*%([^%(%)]*,[^%(%)]*%)',
   'sizes are separate arguments, as in tensor.zeros(2, 3); a list is a table {2, 3}'},
  {'%([^%(%){}\n]*%f[%w_][%a_][%w_]*%s*=[^=]',
   'arguments have no names: t:sum(1) is the sum over dimension 1'},
  {'%f[%w_]lambda%f[%W][^\n]*:', 'lambda x: x + 1 is written function(x) return x + 1 end'},
  {'%sif%s[^\n]*%selse%s', '1 if c else 2 is written c and 1 or 2', '%f[%w_]then%f[%W]'},
  {'[%w_%)%]]%s+is%s', 'objects are compared by ==, as in x == nil'},
  {'@', 'a @ b is written a * b'},
  {'//', 'x // y is math.floor(x / y), and for tensors floorDivide(t, u)'},
  {'%f[%w_]f""', "texts are joined by ..: 'loss ' .. x; ('%.3f'):format(x) has three digits"},
  {'#%s', 'comments begin with --'},
}

-- Returns the hint of the first form that the code has, or nil.
local function first_hint(list, code)
  for _, form in ipairs(list) do
    if code:find(form[1]) and not (form[3] and code:find(form[3])) then
      return form[2]
    end
  end
  return nil
end

--- syntax(code): returns a hint for code that Lua has refused, or nil.
return function(code)
  code = stops.bare(code)
  return first_hint(forms, (code:gsub('([%w_])%b()', '%1()'))) or first_hint(inner_forms, code)
end
