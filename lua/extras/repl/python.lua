-- Hints for globals of Python programs: built-in functions, usual names of modules, and constants.

local absent = require 'tensor.repl.absent'

local functions = {
  enumerate = 'for i, x in ipairs(list) do counts the elements of a table',
  f = "f'...' is not a text here: use 'loss ' .. x or ('%.3f'):format(x)",
  float = 'tonumber(text) is a number, and t:double() converts a tensor',
  input = 'io.read() reads a line',
  int = 'math.floor(x) is the integer below a number, and t:long() converts a tensor',
  isinstance = 'type(x) is the type of a value; tensor.isTensor(x) is true for tensors',
  len = '#list is the length of a table, and t:size(1) that of a tensor',
  list = 't:totable() is a table of the elements of a tensor',
  range = 'for i = 1, n do counts from 1 to n; tensor.range(1, n) is a tensor',
  sorted = 'table.sort(list) sorts a table in place; tensor.sort(t) returns a sorted tensor',
  str = 'tostring(x) is the text of a value',
  zip = 'for i = 1, #a do local x, y = a[i], b[i] end loops over two tables',
}
local modules = {
  F = absent.f, nn = absent.nn, np = absent.np, optim = absent.optim, pd = absent.pandas,
  plt = absent.plt, scipy = absent.scipy,
}
local constants = {None = 'nil', True = 'true', False = 'false'}

return {functions = functions, modules = modules, constants = constants}
