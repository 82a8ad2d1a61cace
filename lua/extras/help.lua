-- tensor.help: prints the signatures of a function or method, its help text and an example.

local each = require 'tensor.versions'.each
local signatures = require 'tensor.signatures'
local entries = require 'tensor.entries'
local figures = require 'tensor.entries.figures'
local modules = require 'tensor.help_modules'
local absent = require 'tensor.repl.absent'
local native = require 'tensor.native'
local names = require 'tensor.help_names'
local suggestions = require 'tensor.repl.suggestions'
local versions = require 'tensor.versions'

local rows  -- of the op table

local function operations()
   rows = rows or native.operations()
   return rows
end

-- The widths between which help texts are wrapped to the terminal.
local NARROWEST, WIDEST = 40, 100

local function wrapped(text)
   local width = native.terminal_width() or WIDEST
   return signatures.wrapped(text, '   ', math.max(NARROWEST, math.min(width, WIDEST)))
end

-- The classes are written as T and S in the signatures of their constructors.
local function calls_of(text)
   return (text:gsub('tensor%.T%(', 'tensor.Tensor('):gsub('tensor%.S%(', 'tensor.Storage('))
end

-- Returns the signatures of a field, as of `line` in those of `plot`, or nil.
local function calls_of_field(text, name, field)
   local lines = {}
   for line in text:gmatch '[^\n]+' do
      if line:find(('%s.%s('):format(name, field), 1, true) then lines[#lines + 1] = line end
   end
   return lines[1] and table.concat(lines, '\n')
end

local IN_PLACE = 'The method changes its object and returns it: `t:NAME(...)` overwrites `t`, ' ..
                 '`tensor.NAME(t, ...)` returns a new tensor.'

-- Returns true if the method `name` changes its object, as t:add does.
local function changes_operand(name, field)
   for _, row in ipairs(operations()) do
      if row.lua == name and not field and row.method:find '^%*T %[T%]' then
         return true
      end
   end
   return false
end

local ABOUT = "The same module under two names, which are globals of the prompt: tensors, their " ..
              "operations, files and devices. require 'torch' also sets the global torch, and " ..
              "Torch7's rules: tensor.setRules 'torch7'. help() lists the names in the module, " ..
              "and help 'name' explains one."

-- Returns the help on the module itself.
local function about()
   return "tensor = require 'tensor'\ntorch = require 'torch'\n" .. wrapped(ABOUT)
end

-- Returns the help on the functions of modules such as tensor.nn that have a name, or nil. object:
-- the module or the table in it, such as 'nn.initializer', or nil for all.
local function functions_entry(name, object)
   local parts = {}
   for _, found in ipairs(modules.of_function(name, object and object:match '^%w+')) do
      if not object or not object:find '%.' or found[1]:sub(1, #object) == object then
         parts[#parts + 1] = found[1]
         parts[#parts + 1] = wrapped(found[2])
      end
   end
   return parts[1] and table.concat(parts, '\n')
end

-- Returns the help on a module, or on a table in it such as nn.initializer, or nil.
local function module_entry(path)
   local list = modules.of_module(path)
   if not list then return nil end
   local name = path:match '^%w+'
   local usage = ("%s = require 'tensor.%s'; ?%s.name explains a function."):format(name, name,
                                                                                   path)
   return table.concat(list, '\n') .. '\n' .. wrapped(usage)
end

--- Returns the help on a name as text, or nil. field: only this function of an entry of several.
local function entry(name, field)
   local parts = {}
   local own = {}
   for _, row in ipairs(operations()) do
      if row.lua == name and not field then own[#own + 1] = row end
   end
   for _, group in ipairs(signatures.grouped(own)) do
      for _, call in ipairs(group.calls) do parts[#parts + 1] = call end
      for _, row in ipairs(group.rows) do
         parts[#parts + 1] = wrapped(signatures.text(row))
         parts[#parts + 1] = ('   %s; C: %s'):format(row.typenames, row.name)
      end
   end
   for _, section in ipairs(entries) do
      for k = 2, #section do
         local calls = section[k][1] == name and calls_of(section[k][2])
         calls = calls and field and calls_of_field(calls, name, field) or not field and calls
         if calls then
            local text = field and figures[name] and figures[name][field] or section[k][3]
            parts[#parts + 1] = calls
            parts[#parts + 1] = wrapped(text)
         end
      end
   end
   if not parts[1] then return nil end
   if changes_operand(name, field) then
      parts[#parts + 1] = wrapped(IN_PLACE:gsub('NAME', name))
   end
   local example = versions.require('tensor.examples').find(name)
   if example and (not field or example:find(('[.:]%s%%('):format(field))) then
      parts[#parts + 1] = ''
      for line in example:gmatch '[^\n]+' do parts[#parts + 1] = '   ' .. line end
   end
   return table.concat(parts, '\n')
end

-- Returns the help on a method or an option of figures, or nil.
local function figure_entry(name)
   local method, option = figures.figure[name], figures.options[name]
   if method then
      return method[1] .. '\n' .. wrapped(method[2])
   elseif option then
      local text = 'An option of figures and of the functions of tensor.plot: '
      return ('figure:set{%s = value}\n'):format(name) .. wrapped(text .. option .. '.')
   end
   local makes_figure = name == 'figure' or name == 'grid' or name == 'live'
   local text = figures.plot[name] and not makes_figure and entry('plot', name)
   return text and (text:gsub('^tensor%.plot%.', 'figure:'):gsub('\n\n.*$', ''))
end

-- Returns the help on a function of tensor.plot or tensor.image, or on an option of figures, by its
-- name alone, or nil.
local function function_of_pictures(name)
   for _, module in ipairs {'plot', 'image'} do
      local text = figures[module][name] and entry(module, name)
      if text then return text end
   end
   return figures.options[name] and figure_entry(name)
end

-- Returns the key of a value in a table.
local function key_of(t, value)
   for key, x in each(t) do
      if rawequal(x, value) and type(key) == 'string' then return key end
   end
end

local function name_of(tensor, value)
   local name = key_of(tensor, value)
   for key, class in each(tensor) do
      local metatable = type(class) == 'table' and type(key) == 'string'
                        and tensor.getmetatable('torch.' .. key)
      name = name or metatable and key_of(metatable, value)
   end
   return name or modules.path_of(value) or tensor.typename(value)
end

-- All tensor classes share one entry; so do storage classes and blob classes.
local function plain(name)
   local short = name:match '^torch%.(.*)$' or name
   return short:match 'Tensor$' or short:match 'Storage$' or short:match 'Blob$' and 'FloatBlob'
          or short
end

-- Returns the names that contain the text, ignoring case.
local function similar(text)
   local found = {}
   for _, name in ipairs(names()) do
      if name:lower():find(text:lower(), 1, true) then found[#found + 1] = name end
   end
   return found
end

local titles = {
   {'elementwise', 'Element-wise'}, {'special', 'Element-wise: special functions, integers'},
   {'compare', 'Comparing, sorting, counting'}, {'making', 'Making and filling'},
   {'views', 'Sizes, views, arranging'}, {'arranging', 'Joining, splitting, repeating, diagonals'},
   {'reducing', 'Reductions and products'}, {'random', 'Random numbers'},
   {'linear', 'Linear algebra'}, {'fourier', 'Fourier transforms, complex numbers'},
   {'networks', 'Layers and losses of networks'},
   {'spatial', 'Convolutions, pools, interpolation'}, {'gradients', 'Gradients'},
   {'files', 'Files and objects'}, {'system', 'Types, devices, threads, classes'},
}

-- Returns all names as text, grouped by the chapter of their example.
local function index()
   local chapters, known = {}, {}
   for _, title in ipairs(titles) do known[title[1]] = true end
   for _, name in ipairs(names()) do
      local _, chapter = versions.require('tensor.examples').find(name)
      chapter = known[chapter] and chapter or 'system'
      chapters[chapter] = chapters[chapter] or {}
      table.insert(chapters[chapter], name)
   end
   local parts = {}
   for _, title in ipairs(titles) do
      if chapters[title[1]] then
         parts[#parts + 1] = title[2]
         parts[#parts + 1] = signatures.wrapped(table.concat(chapters[title[1]], ' '), '   ')
      end
   end
   return table.concat(parts, '\n')
end

-- Returns true for the method of a tensor.
local function is_method(tensor, name)
   return rawget(tensor.getmetatable 'torch.DoubleTensor', name) ~= nil
end

-- Returns the help on a field of a module, or of an object, as in nn.relu, plot.line and t:add; or
-- nil, and true if the object has no other fields.
local function field_entry(tensor, object, separator, last)
   local module = object:match '^%w+'
   if separator == '.' and modules.is_module(module) then
      local path = ('%s.%s'):format(object, last)
      local value = modules.value(path)
      local is_same = value ~= nil and rawequal(value, rawget(tensor, last))
      return module_entry(path) or functions_entry(last, object) or is_same and entry(last), true
   elseif object == 'figure' then
      return figure_entry(last), true
   elseif figures[object] and (separator == '.' or entry(object, last)) then
      return entry(object, last), true
   elseif separator == ':' and not is_method(tensor, last) and figure_entry(last) then
      return figure_entry(last)
   end
   return entry(last) or entry(plain(last)) or functions_entry(last)
end

-- Returns the set of the names in a module, tensor.plot, tensor.image or a figure.
local function fields_of(object)
   local found = {}
   local module = object:match '^%w+'
   for _, name in ipairs(modules.is_module(module) and modules.names_of(module) or {}) do
      found[name] = true
   end
   for name in each(figures[object] or {}) do found[name] = true end
   for name in each(object == 'figure' and figures.options or {}) do found[name] = true end
   return found
end

-- Returns the end of a message about an unknown name: names to use instead. own: the set of the
-- names in the module where it is expected.
local function advice(name, own)
   local hint = suggestions.of_similar(name, {own}) or suggestions.of_other_library(name)
   if hint then
      return '; ' .. hint
   end
   local found = #name > 2 and similar(name) or {}
   if found[1] then
      return '; similar names: ' .. table.concat(found, ' ')
   end
   local known = {}
   for _, word in ipairs(names()) do known[word] = true end
   for _, module in ipairs(modules.names) do
      for _, word in ipairs(modules.names_of(module)) do known[word] = true end
   end
   hint = suggestions.of_similar(name, {known})
   return hint and '; ' .. hint or ''
end

local LIBRARIES_OF_LUA = ' bit coroutine debug ffi io jit math os package string table utf8 '

return function(tensor, what)
   if what == nil or rawequal(what, tensor) then
      print(index())
      print('Modules\n   ' .. table.concat(modules.names, ' ') .. ": require 'tensor.nn' and so on")
      print "help 'name', or ?name at the prompt, prints the help on a name"
      return
   end
   local name = type(what) == 'string' and what or name_of(tensor, what)
   local path = (name or ''):gsub('^tensor%.(.)', '%1'):gsub('^torch%.(.)', '%1')
   local object, separator, last = path:match '^(.*)([.:])([%w_]+)$'
   local text, is_only
   if what == 'tensor' or what == 'torch' then
      text = about()
   elseif last then
      text, is_only = field_entry(tensor, object, separator, last)
   elseif name then
      text = entry(path) or entry(plain(path))
      local list = module_entry(path)
      text = text and list and ('%s\n%s'):format(text, list) or text or list
             or functions_entry(path) or function_of_pictures(path)
   end
   if text then
      print(text)
      return
   end
   last = last or name and path
   if absent[last and last:lower()] then
      error(('help: the module has no %s: %s'):format(last, absent[last:lower()]), 3)
   end
   if object and LIBRARIES_OF_LUA:find(' ' .. object .. ' ', 1, true) then
      error(('help: unknown name: %s; %s is a library of Lua'):format(path, object), 3)
   end
   local hint = type(what) == 'string' and advice(last, is_only and fields_of(object) or {}) or ''
   error(('help: unknown name: %s%s'):format(tostring(is_only and path or last or what), hint), 3)
end
