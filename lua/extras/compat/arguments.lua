-- xlua.unpack and xlua.usage: named or positional arguments with defaults, and usage texts.

local each = require 'tensor.versions'.each
local unpack = require 'tensor.versions'.unpack

return function(xlua, torch, sys)
   local rule = ('+'):rep(69)

   local function default_of(param)
      if param.default ~= nil then
         local value = param.default
         value = type(value) == 'table' and xlua.table2string(value) or tostring(value)
         return ('  [default = %s]'):format(value)
      end
      return param.defaulta and ('  [default == %s]'):format(param.defaulta) or ''
   end

   -- Formats one argument of a usage text; if `named` is true, with its name.
   local function described(param, named)
      local call = named and param.arg .. ' = ' .. param.type or param.type
      return ('%-40s-- %s%s\n'):format('    ' .. (param.req and call or '[' .. call .. ']'),
                                       param.help or '', named and default_of(param) or '')
   end

   --- usage(name, description, example, ...): returns the usage text of a function. Each argument
   -- is described by a table with arg, type, help, req, and default or defaulta (the name of the
   -- argument whose value is the default). Arguments without names form lists, separated by ''.
   function xlua.usage(name, description, example, ...)
      local c = sys.COLORS
      local params = {...}
      if params[1] and params[1].tabled then
         params = params[1].tabled
      end
      local parts = {rule, '\n', c.Magenta, name, c.none, '\n',
                     description and '\n' .. description .. '\n' or '',
                     '\n', c.blue, '> ', c.none, 'usage:\n', c.cyan}
      local named = params[1] and params[1].arg
      parts[#parts + 1] = name .. (named and '{\n' or '(\n')
      for _, param in ipairs(params) do
         parts[#parts + 1] = param == '' and (')\n%s(\n'):format(name) or described(param, named)
      end
      parts[#parts + 1] = (named and '}\n' or ')\n') .. c.none
      parts[#parts + 1] = example and '\n' .. c.cyan .. example .. c.none .. '\n' or ''
      parts[#parts + 1] = rule
      return table.concat(parts)
   end

   local function fail(name, message, usage)
      print(usage)
      error(sys.colorize(('<%s> %s'):format(name, message), 'Red'), 3)
   end

   -- Returns true if the only argument is a table of named arguments.
   local function is_named(args)
      local first = args[1]
      return #args == 1 and type(first) == 'table' and #first == 0 and not torch.typename(first)
   end

   --- unpack(args, name, description, ...): parses the arguments args = {...}. Returns a table of
   -- values by name and by position, followed by each value. The remaining parameters are those of
   -- usage. If there are no arguments or a required one is missing, prints the usage and raises an
   -- error.
   function xlua.unpack(args, name, description, ...)
      local params = {...}
      local usage = setmetatable({}, {__tostring = function()
         return xlua.usage(name, description, nil, {tabled = params})
      end})
      if next(args) == nil then
         fail(name, 'no arguments', usage)
      end
      local input = {}
      if is_named(args) then
         input = args[1]
      else
         for k, param in ipairs(params) do
            input[param.arg] = args[k]
         end
      end
      local result = {usage = usage}
      for k, param in ipairs(params) do
         local value = input[param.arg]
         if value == nil and param.req then
            fail(name, 'missing argument: ' .. param.arg, usage)
         end
         if value == nil then
            value = param.default
         end
         if value == nil and param.defaulta then
            value = result[param.defaulta]
         end
         result[param.arg], result[k] = value, value
      end
      return result, unpack(result, 1, #params)
   end

   --- unpack_class(object, args, ...): like unpack, but stores the values by name in the fields of
   -- an object.
   function xlua.unpack_class(object, args, name, description, ...)
      for key, value in each((xlua.unpack(args, name, description, ...))) do
         if type(key) ~= 'number' then
            object[key] = value
         end
      end
   end

   --- usage_module(module, name, description): sets the text that is printed for a module.
   function xlua.usage_module(module, name, description)
      local c = sys.COLORS
      local text = ('%s%s\nPACKAGE:\n%s\n%s%s%s'):format(c.magenta, rule, name,
         description and '\nDESC:\n' .. description .. '\n' or '', rule, c.none)
      local metatable = getmetatable(module) or {}
      metatable.__tostring = function()
         return text
      end
      setmetatable(module, metatable)
      return text
   end
end
