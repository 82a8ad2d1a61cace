-- xlua.OptionParser: command-line options with short and long names, as in many Torch7 programs.

local each = require 'tensor.versions'.each

local OptionParser = {}
OptionParser.__index = OptionParser

--- Creates a parser. %prog in the usage is replaced by the name of the program.
local function new(usage)
   if type(usage) == 'table' then
      usage = usage.usage
   end
   local self = setmetatable({usage = usage or 'Usage: %prog [options] [args]', list = {},
                              named = {}}, OptionParser)
   self:option {'-h', '--help', action = 'store_true', dest = 'help', help = 'show this help'}
   return self
end

--- Declares an option: {'-s', '--size', action = 'store' (or 'store_true', 'store_false'), dest =
-- 'size', help = 'columns', default = 5, req = true}. If the default is a number, the value is
-- converted to a number.
function OptionParser:option(option)
   local names = {}
   for k, name in ipairs(option) do
      if type(name) ~= 'string' then
         error('OptionParser: the name of an option must be a string, got ' .. tostring(name), 2)
      end
      names[k] = name
   end
   local action = option.action or 'store'
   if not names[1] then
      error('OptionParser: an option must have a name', 2)
   elseif action ~= 'store' and action ~= 'store_true' and action ~= 'store_false' then
      error('OptionParser: unknown action ' .. tostring(action), 2)
   end
   local dest = option.dest or names[#names]:gsub('^%-+', '')
   local made = {names = names, action = action, dest = dest, help = option.help or '',
                 default = option.default, required = option.req, metavar = option.metavar}
   if made.default == nil and action ~= 'store' then
      made.default = action == 'store_false'
   end
   table.insert(self.list, made)
   for _, name in ipairs(names) do
      self.named[name] = made
   end
   return self
end

local function program()
   local arg = rawget(_G, 'arg')
   return arg and arg[0] or 'lua'
end

--- Prints an error message and the help to stderr, and exits the program.
function OptionParser:fail(message)
   io.stdout:flush()
   io.stderr:write(('%s: error: %s\n'):format(program(), message))
   self:help(io.stderr)
   os.exit(1)
end

local function value_of(self, option, name, text)
   if text == nil then
      self:fail(('option %s expects an argument'):format(name))
   end
   if type(option.default) ~= 'number' then
      return text
   end
   return tonumber(text) or self:fail(('option %s expects a number, got %s'):format(name, text))
end

--- parse([words or presets]): returns a table of option values, and a list of the other words.
-- words: a list; default: the program's arguments. After '--', all words are positional.
-- presets: a table without a list, of values that replace the defaults; this table is returned. Its
-- field __main__ becomes true if the program has arguments.
function OptionParser:parse(words)
   local values, rest, seen = {}, {}, {}
   if not words or words[1] == nil then
      values, words = words or values, rawget(_G, 'arg') or {}
   end
   values.__main__ = rawget(_G, 'arg') ~= nil
   for _, option in ipairs(self.list) do
      if values[option.dest] == nil then
         values[option.dest] = option.default
      end
   end
   local k = 1
   while k <= #words do
      local word = words[k]
      local name, text = word:match '^(%-%-[^=]+)=(.*)$'
      local option = self.named[name or word]
      if word == '--' then
         for j = k + 1, #words do
            table.insert(rest, words[j])
         end
         break
      elseif not option and word:find '^%-.' and not tonumber(word) then
         self:fail('unknown option ' .. word)
      elseif not option then
         table.insert(rest, word)
      elseif option.action == 'store' then
         if not name then
            k = k + 1
            text = words[k]
         end
         values[option.dest] = value_of(self, option, name or word, text)
      else
         values[option.dest] = option.action == 'store_true'
      end
      seen[option or word] = true
      k = k + 1
   end
   if values.help then
      self:help()
      os.exit(0)
   end
   for _, option in ipairs(self.list) do
      if option.required and not seen[option] and not values[option.dest] then
         self:fail(('missing required option %s'):format(table.concat(option.names, ', ')))
      end
   end
   self.options = values
   return values, rest
end

--- Prints the usage and the options.
function OptionParser:help(file)
   local lines, width = {}, 0
   for k, option in ipairs(self.list) do
      local meta = option.action == 'store' and ' ' .. (option.metavar or option.dest:upper()) or ''
      lines[k] = '  ' .. table.concat(option.names, ', ') .. meta
      width = math.max(width, #lines[k])
   end
   local write = file and function(...) file:write(...) end or io.write
   write((self.usage:gsub('%%prog', (program():gsub('%%', '%%%%')))), '\n\nOptions:\n')
   for k, option in ipairs(self.list) do
      local default = ''
      if option.required then
         default = ' [REQUIRED]'
      elseif option.default ~= nil and option.action == 'store' then
         default = (' [default = %s]'):format(tostring(option.default))
      end
      write(lines[k], (' '):rep(width - #lines[k] + 2), option.help, default, '\n')
   end
end

--- tostring([as_name [, names]]): returns a line for each value. If as_name is true, returns a part
-- of a file name instead: the options whose first name is in the list `names`; default: all.
function OptionParser:tostring(as_name, names)
   local parts, wanted, values = {}, {}, self.options or {}
   if not as_name then
      for name, value in each(values) do
         parts[#parts + 1] = (' + %s = %s\n'):format(name, tostring(value))
      end
      table.sort(parts)
      return ('<%s> configuration:\n'):format(program():gsub('%.lua$', '')) .. table.concat(parts)
   end
   for _, name in ipairs(names or {}) do
      wanted[name] = true
   end
   for _, option in ipairs(self.list) do
      local name, value = option.names[1], values[option.dest]
      if value and (wanted[name] or not next(wanted)) then
         parts[#parts + 1] = name .. '=' .. tostring(value)
      end
   end
   return (table.concat(parts, ','):gsub('/', '|'):gsub(' ', '_'))
end

--- Prints the values of the options.
function OptionParser:summarize(as_name)
   io.write(self:tostring(as_name))
end

-- The method names of the original library.
OptionParser.add_option, OptionParser.parse_args = OptionParser.option, OptionParser.parse
OptionParser.print_help = OptionParser.help

return new
