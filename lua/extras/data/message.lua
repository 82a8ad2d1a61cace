-- tensor.data.message: values as messages for other threads. A message is a list of booleans,
-- numbers, strings and tensors. Tables and functions are copied; the elements of tensors and
-- storages are shared. Modules, classes and their fields are passed by name. The functions that
-- tensor.fuse and tensor.compile return are made again.

local tensor = require 'tensor'
local native = require 'tensor.native'
local replace, type_name = native.session_only.replace, native.type_name
local versions = require 'tensor.versions'

local each = versions.each
local getupvalue, setupvalue = debug.getupvalue, debug.setupvalue
-- Also of tables whose metatable has the field __metatable.
local getmetatable, setmetatable = debug.getmetatable, debug.setmetatable
local upvalueid, upvaluejoin = debug.upvalueid, debug.upvaluejoin  -- nil in Lua 5.1
local getfenv, setfenv = rawget(_G, 'getfenv'), rawget(_G, 'setfenv')

local message = {}
local is_plain = {boolean = true, number = true, string = true}

-- Returns the names of modules and of their fields: {module [, field]} by value.
local function known_values()
   local modules, names = versions.sorted_keys(package.loaded), {}
   local function add(value, name, field)
      local kind = type(value)
      if not names[value] and (kind == 'table' or kind == 'function' or kind == 'userdata') then
         names[value] = {name, field}
      end
   end
   for _, name in ipairs(modules) do
      add(package.loaded[name], name)
   end
   for _, name in ipairs(modules) do
      local module = package.loaded[name]
      if type(module) == 'table' then
         for field, value in each(module) do
            -- A thread has no globals but those of Lua.
            local exists = name ~= '_G'
                           or type(value) == 'function' and debug.getinfo(value, 'S').what == 'C'
            if type(field) == 'string' and exists and not tensor.isTensor(value) then
               add(value, name, field)
            end
         end
      end
   end
   return names
end

--- encode(list): converts the rows {value=, name=} of a list to a message. name: that of the value
-- in errors.
function message.encode(list)
   local result, seen, making, count, names = {}, {}, {}, 0, nil
   local variables = {}  -- {number of a function, slot} by the id of an upvalue

   local function put(...)
      for k = 1, select('#', ...) do
         result[#result + 1] = (select(k, ...))
      end
   end

   local encode

   local function encode_table(value, name)
      local class = getmetatable(value)
      local remake = type(class) == 'table' and rawget(class, '__remake')
      if remake then
         local field, argument = remake(value)
         put('made', field)
         making[value] = true
         encode(argument, ('the argument of %s for %s'):format(field, name))
         making[value] = nil
         return
      end
      put('table')
      for key, field in each(value) do
         local shown = ('%s.%s'):format(name, tostring(key))
         encode(key, 'a key of ' .. name)
         encode(field, shown)
      end
      put('end')
      encode(class, 'the metatable of ' .. name)
   end

   local function encode_function(value, name)
      local done, code = pcall(string.dump, value)
      if not done then
         error(('%s cannot be passed to a thread: it is a C function of no module'):format(name), 0)
      end
      local number = count
      put('function', code)
      encode(getfenv and getfenv(value), 'the environment of ' .. name)
      for slot = 1, math.huge do
         local upvalue, content = getupvalue(value, slot)
         if not upvalue then
            break
         end
         local variable = upvalueid and upvalueid(value, slot)
         if variable and variables[variable] then
            put('join', versions.unpack(variables[variable]))
         else
            if variable then
               variables[variable] = {number, slot}
            end
            encode(replace(content), ('upvalue %s of %s'):format(upvalue, name))
         end
      end
      put('end')
   end

   function encode(value, name)
      local kind = type(value)
      if kind == 'nil' then
         return put('nil')
      elseif is_plain[kind] or tensor.isTensor(value) then
         return put('value', value)
      elseif tensor.isStorage(value) then
         local class = tensor.getmetatable((tensor.type(value):gsub('Storage$', 'Tensor')))
         return put('storage', class.new(value))
      elseif making[value] then
         error(('%s cannot be passed to a thread: it refers to itself'):format(name), 0)
      elseif seen[value] then
         return put('seen', seen[value])
      end
      names = names or known_values()
      local class = kind == 'table' and rawget(value, '__typename')
      if names[value] then
         local module, field = versions.unpack(names[value])
         return put(field and 'field' or 'module', module, field)
      elseif class and tensor.getmetatable(class) == value then
         return put('class', class)
      elseif kind ~= 'table' and kind ~= 'function' then
         error(('%s cannot be passed to a thread: it is a %s'):format(name,
               type_name(value)), 0)
      end
      count = count + 1
      seen[value] = count
      return (kind == 'table' and encode_table or encode_function)(value, name)
   end

   for k = 1, list.n or #list do
      encode(list[k].value, list[k].name)
   end
   return result
end

--- decode(message): returns the list of the values, with their number in the field n.
function message.decode(items)
   local at, seen, count = 0, {}, 0

   local function take()
      at = at + 1
      return items[at]
   end
   local decode

   local function new(value)
      count = count + 1
      seen[count] = value
      return value
   end

   local decoders = {
      ['nil'] = function() return nil end,
      value = take,
      storage = function() return take():storage() end,
      seen = function() return seen[take()] end,
      module = function() return require(take()) end,
      field = function()
         local name, field = take(), take()
         local value = require(name)[field]
         if value == nil then
            error(('%s.%s does not exist in a thread'):format(name, field), 0)
         end
         return value
      end,
      class = function()
         local name = take()
         return tensor.getmetatable(name) or error(('unknown class %s'):format(name), 0)
      end,
      made = function()
         count = count + 1
         local number, make = count, tensor[take()]
         seen[number] = make(decode())
         return seen[number]
      end,
      table = function()
         local result = new {}
         while items[at + 1] ~= 'end' do
            local key = decode()
            result[key] = decode()
         end
         take()
         setmetatable(result, (decode()))
         return result
      end,
      ['function'] = function()
         local result = new(assert(versions.load(take(), '=thread')))
         local environment, slot = decode(), 0
         if setfenv then
            setfenv(result, environment)
         end
         while items[at + 1] ~= 'end' do
            slot = slot + 1
            if items[at + 1] == 'join' then
               take()
               local other, its_slot = take(), take()
               upvaluejoin(result, slot, seen[other], its_slot)
            else
               setupvalue(result, slot, (decode()))
            end
         end
         take()
         return result
      end,
   }

   function decode()
      return decoders[take()]()
   end

   local list = {n = 0}
   while at < #items do
      list.n = list.n + 1
      list[list.n] = decode()
   end
   return list
end

return message
