-- Hints for Lua error messages: similar names for an unknown name, and the comparison methods of
-- tensors.

local help_modules = require 'tensor.help_modules'
local python = require 'tensor.repl.python'
local stops = require 'tensor.repl.stops'
local suggestions = require 'tensor.repl.suggestions'
local versions = require 'tensor.versions'
local each, raw_next = versions.each, versions.raw_next

local hints = {}

local patterns = {
  "attempt to call %a+ '([%w_]+)' %(a nil value%)",
  "attempt to index %a+ '([%w_]+)' %(a nil value%)",
  "attempt to %a+ a nil value %(%a+ '([%w_]+)'%)",  -- since Lua 5.3
}

local LIMIT = '#t is the size of all dimensions: use t:size(1) as a limit'
local START = 't[i]:item() or t:size(d) is a number'
local MAKE = 'tensor.Tensor{1, 2, 3} makes a tensor of numbers'
local RANDOM = 'tensor.rand, tensor.randn, tensor.randint and t:normal(0, 1) draw numbers'
local EDGES = 'n bins of a column have the edges tensor.linspace(low, high, n + 1)'
local LOOP = 'loop over a tensor by for i = 1, t:size(1) do local x = t[i] end'

-- Patterns of messages about tensors where Lua expects numbers or tables, and their hints. %1 is
-- the captured function. In a tail call Lua knows no name and writes '?'.
local uses = {
  {"^[^\n]*'for' limit must be a number", LIMIT}, {"bad 'for' limit %(number expected", LIMIT},
  {"^[^\n]*'for' initial value must be a number", START},
  {"bad 'for' initial value %(number expected", START},
  {'object length is not an integer', 'functions of tables take t:totable(), not a tensor'},
  {"bad argument #1 to 'ipairs' %(table expected, got userdata%)",
   LOOP .. ', or over t:totable()'},
  {"bad argument #1 to 'pairs' %(table expected, got userdata%)", LOOP},
  {"bad argument #1 to 'for iterator' %(table expected, got userdata%)", LOOP},
  {"bad argument #%d+ to 'format' %([^\n]*got userdata%)",
   't:item() is the number of a tensor with one element, tostring(t) its text'},
  {"bad argument #1 to '(%l+)' %(number expected, got userdata%)",
   'math functions take numbers: tensor.%1(t) and t:%1() take tensors'},
  {"bad argument #%d+ to '%?' %(number expected, got userdata%)",
   't:item() is the number of a tensor with one element; tensor.sqrt(t) and t:sqrt() take tensors'},
  {"bad argument #1 to 'concat' %([^\n]*userdata",
   'table.concat joins strings and numbers: use t:totable()'},
  {"bad argument #1 to 'unpack' %(table expected, got userdata%)", 'use unpack(t:totable())'},
  -- [[1, 2], [3, 4]] is a string.
  {'%f[%w]%a*Tensor: invalid arguments: %(string%)', MAKE},
  {'%f[%w]histogramdd: [^\n]*got number', EDGES},
  {'%f[%w]histogramdd: invalid arguments: %(torch%.%a+Tensor, number', EDGES},
  {': a %w+Tensor is expected at position %d+ of the table, got number', MAKE},
  {"attempt to index field 'random' %(a function value%)", RANDOM},
  {"attempt to index a function value %(field 'random'%)", RANDOM},
  {'%f[%w]m[ai][xn]: invalid arguments: %(number',
   'math.max and math.min take numbers; tensor.cmax and tensor.cmin take two tensors'},
  {"bad argument #1 to 'insert' %(table expected, got userdata%)",
   'tensors do not grow: tensor.cat(t, tensor.Tensor{x}) is a longer one'},
  {'%f[%w]svd: invalid arguments: %([^)]*boolean',
   "svd(t) has as many columns as singular values, svd(t, 'A') has all"},
  {'%f[%w]qr: invalid arguments: %([^)]*string',
   'qr(t) is the reduced form, qr(t, true) the complete one'},
  {'%f[%w]cov: invalid arguments: %(torch%.%a+Tensor, torch%.%a+Tensor',
   'weights of observations: covWeights(t, weights), or cov(t, counts:long()) for counts'},
  {'%f[%w]where: invalid arguments: %(torch%.[DF]',
   't:ne(0) is the mask of the elements that are not 0'},
  {'a number is expected at position %d+ of dimension %d+ of the table, got boolean',
   'masks have elements 1 and 0: tensor.ByteTensor{1, 0}'},
  {'nn%.%a*conv%w*: too many arguments',
   'the options are a table: nn.conv2d(1, 8, 3, {stride = 2, padding = 1})'},
  {'attempt to index [^\n]*a number value',
   'if it is a result such as t:sum(), or t[i] of a vector: that is a number already'},
}

for _, name in ipairs {'tensor', 'torch'} do
  uses[#uses + 1] = {("attempt to call %%a+ '%s' %%(a table value%%)"):format(name), MAKE}
  uses[#uses + 1] = {("attempt to call a table value %%(%%a+ '%s'%%)"):format(name), MAKE}
end

for _, name in ipairs {'float', 'double', 'half', 'bfloat16', 'int', 'long', 'short', 'byte'} do
  uses[#uses + 1] = {("to: no device '%s'"):format(name),
                     ('t:%s() converts; t:to moves a tensor to a device'):format(name)}
end

-- Activations that PyTorch makes by a call.
for _, name in ipairs {'relu', 'leakyRelu', 'elu', 'gelu', 'silu', 'softplus', 'sigmoid', 'tanh'} do
  uses[#uses + 1] = {('%%f[%%w]%s: invalid arguments: %%(%%)'):format(name),
                     ('a tensor is expected; nn.%s is a layer itself, without ()'):format(name)}
end

-- Patterns of messages about tables where Lua expects numbers. In functions that tensor.grad calls,
-- numbers may be tables.
local table_uses = {
  'attempt to compare number with table', 'attempt to compare table with number',
  "bad argument #%d+ to '[%l%?]+' %(number expected, got table%)",
}
local TRACKED = 'if the table is a number n that depends on the argument of tensor.grad: ' ..
                'n:item() is its value; n:log(), n:sqrt() and others compute with it'

-- Returns the module, or nil if it is not loaded. While require runs, and after it has failed,
-- LuaJIT stores another value under the name.
local function loaded_module()
  local module = package.loaded.tensor
  return type(module) == 'table' and module or nil
end

-- Returns the hint of the first pattern that matches, or nil.
local function hint_of_use(message)
  local tensor = loaded_module()
  -- tensor.grad is loaded when it is used first.
  for _, pattern in ipairs(tensor and rawget(tensor, 'grad') and table_uses or {}) do
    if message:find(pattern) then
      return TRACKED
    end
  end
  for _, use in ipairs(uses) do
    local name = message:match(use[1])
    local class = tensor and tensor.getmetatable and tensor.getmetatable 'torch.DoubleTensor'
    local fits = name and (not use[2]:find '%%1' or class and rawget(class, name))
    if fits then
      return (use[2]:gsub('%%1', name))
    end
  end
  return nil
end

-- Modules that programs load by require, and tables in them. The module itself and tensors raise
-- errors of their own for unknown names, unless Torch7's rule `fields` holds.
local modules = {}
for _, name in ipairs(help_modules.names) do
  local part = help_modules.parts[name]
  modules[#modules + 1] = name
  modules[#modules + 1] = part and ('%s.%s'):format(name, part)
end

-- Returns the table of a module, or in it, or nil if it is not loaded.
local function module_of(path)
  local name, part = path:match '^(%w+)%.?(%w*)$'
  local module = package.loaded['tensor.' .. name]
  local is_loaded = type(module) == 'table'
  return is_loaded and (part == '' and module or rawget(module, part)) or nil
end

-- Returns the tables that may contain the intended name: globals; or the module, methods, and other
-- modules.
local function tables_for(message, environment)
  local tensor = loaded_module()
  if message:find("global '", 1, true) then
    if not message:find('attempt to call', 1, true) then
      return {environment}
    end
    local functions = {}
    for name, value in raw_next, environment do
      functions[name] = type(value) == 'function' and value or nil
    end
    return {functions}
  end
  local class = tensor and tensor.getmetatable and tensor.getmetatable 'torch.DoubleTensor'
  local has_errors = tensor and tensor.getRule and tensor.getRule 'fields' ~= 'torch7'
  local is_field = message:find("field '", 1, true)
  local list = has_errors and (is_field or message:find("method '", 1, true)) and {}
               or {tensor, class}
  if is_field then
    for _, path in ipairs(modules) do
      list[#list + 1] = module_of(path)
    end
  end
  return list
end

-- Returns a hint for a global that the program does not have, or nil. is_called: it was called, so
-- it is the name of a function.
local function hint_of_global(name, environment, is_called)
  local tensor, list = loaded_module(), {}
  if python.modules[name] or is_called and python.functions[name] then
    return python.modules[name] or python.functions[name]
  elseif not is_called then
    return nil
  end
  local found, value = pcall(function() return tensor[name] end)
  if found and type(value) == 'function' then
    local is_torch = rawequal(rawget(environment, 'torch'), tensor)
                     and not rawget(environment, 'tensor')
    list[1] = (is_torch and 'torch.' or 'tensor.') .. name
  end
  list[#list + 1] = math[name] and 'math.' .. name
  return list[1] and ('did you mean %s?'):format(table.concat(list, ' or '))
end

-- Returns a name with its module if only a module has it.
local function with_module(name)
  local tensor = loaded_module()
  local found = tensor and rawget(tensor, name) and name
  for _, path in ipairs(modules) do
    local module = module_of(path)
    found = found or module and rawget(module, name) and ('%s.%s'):format(path, name)
  end
  return found or name
end

-- Returns the value of a global or its field, as `t` or `net.weight`, or nil.
local function value_of(path, environment)
  local value = environment
  for name in path:gmatch '[%w_]+' do
    value = type(value) == 'table' and rawget(value, name) or nil
  end
  return value
end

-- Returns 'tensor', 'number' or 'call' for the end of the left operand or the start of the right
-- operand of a comparison. Returns nil for others.
local function type_of_operand(text, environment)
  if text:find '%)$' or text:find '%($' then
    return 'call'
  end
  local tensor = loaded_module()
  local value = tonumber(text) or text:find '^[%a_][%w_%.]*$' and value_of(text, environment)
  return type(value) == 'number' and 'number'
         or value and tensor and tensor.isTensor(value) and 'tensor' or nil
end

-- Packages of Torch7, and the modules that serve the same purpose.
local packages = {
  nn = "; require 'tensor.nn' has layers and losses",
  optim = "; require 'tensor.optim' has optimizers",
  image = '; tensor.load reads pictures',
  gnuplot = "; require 'tensor.plot' makes pictures",
  autograd = '; tensor.grad computes gradients',
  threads = '', nngraph = '', graph = '', rnn = '', cunn = '', itorch = '',
}

-- Returns the hint for a package that is not installed, or nil.
local function hint_of_package(message)
  local name = message:match "module '(%l+)' not found"
  return packages[name] and ('%s is a package of Torch7: doc/torch7.md tells how to install it%s')
    :format(name, packages[name])
end

-- The endings of an object in a condition: a name, a call or an index.
local endings = {'', '%b()', '%b[]', '%b{}'}

-- Words before a condition or its first operand, and words behind one.
local before_condition = {['if'] = true, ['elseif'] = true, ['while'] = true, ['until'] = true,
                          ['not'] = true, assert = true}
local after_condition = {['then'] = true, ['do'] = true, ['and'] = true}

-- Returns the method of a comparison that is a whole condition or an operand of `not` or `and`, as
-- in `if t:gt(0) then`, or nil.
local function comparison(code)
  for _, ending in ipairs(endings) do
    local call = '([%w_]*)[%s%(]*%f[%w_][%w_%.:]+' .. ending .. ':(%l%l)%b()%s*()'
    for before, method, at in code:gmatch(call) do
      local is_comparison = method:find '^[gln][te]$' or method == 'eq'
      -- A method of the mask, as in t:gt(0):all(), may be a condition.
      local is_mask = not code:find('^[:%.%[]', at)
      if is_comparison and is_mask
         and (before_condition[before] or after_condition[code:match('^%a*', at)]) then
        return method
      end
    end
  end
  return nil
end

--- of_code(code, environment): returns a hint, or nil, for code that Lua accepts, but that does not
-- mean what it seems to: comparisons of tensors, and constants of Python, which are nil.
function hints.of_code(code, environment)
  code = stops.bare(code)
  local mask = comparison(code)
  if mask then
    return 'every tensor is true in a condition: use the number t:' .. mask ..
           '(...):all() or t:' .. mask .. '(...):any()'
  end
  for a, b in code:gmatch '([%w_%.:#%)]+)%s*[=~]=%s*([%w_%.:]+[%(%[]?)' do
    a, b = type_of_operand(a, environment), type_of_operand(b, environment)
    if a and b and (a == 'tensor' or b == 'tensor') then
      return '== is true for the same object only: t:equal(u) compares all elements, t:eq(u) each'
    end
  end
  for name, here in each(python.constants) do
    if value_of(name, environment) == nil and code:find('%f[%w_%.:]' .. name .. '%f[^%w_]') then
      return ('%s is written %s'):format(name, here)
    end
  end
  return nil
end

--- of(message, environment): returns a hint for an error message, or nil.
function hints.of(message, environment)
  local first = message:match '^[^\n]*'
  if first:find 'attempt to compare number with userdata'
     or first:find 'attempt to compare userdata with number'
     or first:find 'both number and %S+Tensor have no less'
     or first:find 'Tensor and number have no less' then
    return 'tensors are compared by methods: t:gt(5), t:ge(5), t:lt(5), t:le(5), t:eq(5), t:ne(5)'
  end
  -- From Lua 5.3 on, ipairs reads a tensor until an index is out of range.
  if message:find "^[^\n]*index %d+ is out of range.*%[C%]: in function 'for iterator'" then
    return LOOP .. ', or over t:totable()'
  end
  local use = hint_of_use(first) or hint_of_package(first)
  if use then
    return use
  end
  if first:find '%f[%w]%a+ 0 is out of range' then
    return 'indices and dimensions count from 1; -1 is the last one'
  end
  for _, pattern in ipairs(patterns) do
    local name = first:match(pattern)
    local is_global = first:find("global '", 1, true)
    local is_called = first:find('attempt to call', 1, true)
    local text = name and (is_global and hint_of_global(name, environment, is_called)
                           or not is_global and suggestions.of_other_library(name))
                 or name and suggestions.of_similar(name, tables_for(first, environment),
                                                    not is_global and with_module)
    if text then
      return text
    end
  end
  return nil
end

return hints
