-- Hints for Lua error messages: similar names for an unknown name, and the comparison methods of
-- tensors.

local elsewhere = require 'tensor.repl.elsewhere'
local near = require 'tensor.repl.near'

local hints = {}

local patterns = {
  "attempt to call %a+ '([%w_]+)' %(a nil value%)",
  "attempt to index %a+ '([%w_]+)' %(a nil value%)",
  "attempt to %a+ a nil value %(%a+ '([%w_]+)'%)",  -- since Lua 5.3
  "has no field or method '([%w_]+)'",
}

-- Returns the tables that may contain the intended name: globals, functions of the module, methods.
local function tables_for(message, environment)
  local list = {}
  local tensor = package.loaded.tensor
  if message:find("global '", 1, true) then
    list[1] = environment
  elseif tensor then
    local class = tensor.getmetatable and tensor.getmetatable 'torch.DoubleTensor'
    if not message:find('has no field', 1, true) then
      list[#list + 1] = tensor
    end
    list[#list + 1] = class
  end
  return list
end

--- of(message, environment): returns a hint for an error message, or nil.
function hints.of(message, environment)
  local first = message:match '^[^\n]*'
  if first:find 'attempt to compare number with userdata'
     or first:find 'attempt to compare userdata with number' then
    return 'tensors are compared by methods: t:gt(5), t:ge(5), t:lt(5), t:le(5), t:eq(5), t:ne(5)'
  end
  for _, pattern in ipairs(patterns) do
    local name = first:match(pattern)
    if elsewhere[name] and not first:find("global '", 1, true) then
      return ('instead of %s, use %s'):format(name, elsewhere[name])
    end
    local found = name and near.names(name, tables_for(first, environment), 3) or {}
    if found[1] then
      return ('did you mean %s?'):format(table.concat(found, ' or '))
    end
  end
  return nil
end

return hints
