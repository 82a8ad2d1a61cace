-- torch.CmdLine: parses command-line options and arguments. The type of a default value is the type
-- of the option.

local versions = require 'tensor.versions'
local each, sorted_keys = versions.each, versions.sorted_keys

-- the original print, saved before the first log replaces it
local screen

local function name_of(key)
   return key:match '^%-*(.*)$'
end

local function install(torch)
   local CmdLine = torch.getmetatable 'torch.CmdLine'

   --- argseparator, keyseparator: used by string() between options, and between an option and its
   -- value.
   function CmdLine:__init(argseparator, keyseparator)
      for _, separator in each {argseparator, keyseparator} do
         if type(separator) ~= 'string' and type(separator) ~= 'number' then
            error('CmdLine: a separator is a string, got ' .. torch.type(separator), 4)
         end
      end
      self.argseparator = argseparator or ','
      self.keyseparator = keyseparator or '='
      self.options = {}
      self.arguments = {}
      self.helplines = {}
      self.dateformat = nil
      self.silentio = false
   end

   -- Raises an error in the caller's caller unless a method was called with a colon.
   local function check_self(self, name)
      if type(self) ~= 'table' or type(self.options) ~= 'table' then
         error(('CmdLine: %s is called with a colon: cmd:%s(...)'):format(name, name), 3)
      end
   end

   -- ---- declaration ----

   --- option(key, default [, help [, type]]): declares the option `key` (such as -name). A boolean
   -- option takes no value: giving it inverts the default.
   function CmdLine:option(key, default, help, kind)
      check_self(self, 'option')
      if type(key) ~= 'string' then
         error('CmdLine: the name of an option is expected, got ' .. torch.type(key), 2)
      end
      if default == nil then
         error(('option %s has no default value'):format(key), 2)
      end
      kind = kind or type(default)
      if type(default) ~= kind then
         error(('option %s has wrong default type value'):format(key), 2)
      end
      self.options[key] = {key = key, default = default, help = help, type = kind}
      table.insert(self.helplines, self.options[key])
   end

   --- argument(key [, help [, type]]): declares a required positional argument.
   function CmdLine:argument(key, help, kind)
      check_self(self, 'argument')
      if type(key) ~= 'string' then
         error('CmdLine: the name of an argument is expected, got ' .. torch.type(key), 2)
      end
      local argument = {key = key, help = help, type = kind}
      table.insert(self.arguments, argument)
      table.insert(self.helplines, argument)
   end

   --- text(text): adds a line to the help text.
   function CmdLine:text(text)
      check_self(self, 'text')
      text = text or ''
      if type(text) ~= 'string' then
         error('CmdLine: text is expected, got ' .. torch.type(text), 2)
      end
      table.insert(self.helplines, text)
   end

   -- ---- parsing ----

   --- error(message): prints the message to stderr and the help, and exits the program.
   function CmdLine:error(message)
      io.stdout:flush()
      io.stderr:write('\n', message, '\n\n')
      self:help()
      os.exit(1)
   end

   function CmdLine:__readArgument__(params, arg, i, number)
      local argument = self.arguments[number]
      local value = arg[i]
      if not argument then
         self:error('invalid argument: ' .. tostring(value))
      end
      if argument.type == 'number' then
         value = tonumber(value)
      end
      if argument.type and type(value) ~= argument.type then
         self:error(('invalid argument type for argument %s (should be %s)')
                    :format(argument.key, argument.type))
      end
      params[name_of(argument.key)] = value
      return 1
   end

   function CmdLine:__readOption__(params, arg, i)
      local key = arg[i]
      local option = self.options[key]
      if not option then
         self:error('unknown option ' .. tostring(key))
      end
      if option.type == 'boolean' then
         params[name_of(key)] = not option.default
         return 1
      end
      local value = arg[i + 1]
      if value == nil then
         self:error('missing argument for option ' .. key)
      end
      if option.type == 'number' then
         value = tonumber(value)
      elseif option.type ~= 'string' then
         self:error('unknown required option type ' .. option.type)
      end
      if value == nil then
         self:error(('invalid type for option %s (should be %s)'):format(key, option.type))
      end
      params[name_of(key)] = value
      return 2
   end

   --- default(): returns a table of the default values by option name.
   function CmdLine:default()
      local params = {}
      for key, option in each(self.options) do
         params[name_of(key)] = option.default
      end
      return params
   end

   --- parse([arg]): returns a table of the values in a list of words; default: the program's
   -- arguments.
   function CmdLine:parse(arg)
      check_self(self, 'parse')
      arg = arg or rawget(_G, 'arg') or {}
      local params, number, i = self:default(), 0, 1
      while i <= #arg do
         local word = arg[i]
         if self.options[word] then
            i = i + self:__readOption__(params, arg, i)
         elseif word == '-help' or word == '-h' or word == '--help' then
            self:help(arg)
            os.exit(0)
         else
            number = number + 1
            i = i + self:__readArgument__(params, arg, i, number)
         end
      end
      if number ~= #self.arguments then
         self:error('not enough arguments')
      end
      return params
   end

   -- ---- output ----

   local function shown(value)
      if type(value) == 'boolean' then
         return value and 't' or 'f'
      end
      return tostring(value)
   end

   --- string(prefix, params, ignore): returns a name for a run: the prefix, the arguments, and the
   -- options that differ from their defaults. ignore[name]: true omits an option, false always
   -- includes it.
   function CmdLine:string(prefix, params, ignore)
      check_self(self, 'string')
      ignore = ignore or {}
      local position, arguments, options, known = {}, {}, {}, {}
      for key, option in each(self.options) do
         known[name_of(key)] = option
      end
      for k, argument in ipairs(self.arguments) do
         position[name_of(argument.key)] = k
      end
      for _, name in ipairs(sorted_keys(params)) do
         local value, option = params[name], known[name]
         local text = tostring(name) .. self.keyseparator .. shown(value)
         if ignore[name] then  -- luacheck: ignore 542
            -- omitted from the name
         elseif option then
            if value ~= option.default or ignore[name] == false then
               options[#options + 1] = text
            end
         elseif position[name] then
            arguments[#arguments + 1] = {position[name], text}
         else
            io.stderr:write(('WARNING: unknown option/argument: %s IGNORING for DIRECTORY NAME\n')
                            :format(tostring(name)))
         end
      end
      table.sort(arguments, function(a, b) return a[1] < b[1] end)
      table.sort(options)
      -- Directories of Torch7 have these names: a separator also follows an empty prefix, and
      -- arguments without options.
      local text, separator = table.concat(options, self.argseparator), self.argseparator
      for k = #arguments, 1, -1 do
         text = arguments[k][2] .. separator .. text
      end
      return (prefix or '') .. (text ~= '' and separator .. text or '')
   end

   --- silent(): print writes only to the log from now on, not to the screen.
   function CmdLine:silent()
      self.silentio = true
   end

   --- addTime([name] [, format]): prefixes each log line with the time, in the format of os.date,
   -- and name.
   function CmdLine:addTime(name, format)
      format = format or '%Y-%m-%d %H:%M:%S'
      if type(format) ~= 'string' then
         error('CmdLine: a format of os.date is expected, got ' .. torch.type(format), 2)
      end
      self.dateformat = format .. (name ~= nil and ('[%s]: '):format(tostring(name)) or '')
   end

   --- log(file, params): writes params to a file, open or given by its name, and makes the global
   -- print write to it, too.
   function CmdLine:log(filename, params)
      local file, failure = filename, nil
      if io.type(file) ~= 'file' then
         file, failure = io.open(filename, 'w')
      end
      if not file then
         error('CmdLine: the log cannot be written: ' .. failure, 2)
      end
      screen = screen or rawget(_G, 'print')
      local function both(...)
         if not self.silentio then
            screen(...)
         end
         local cells = {}
         if self.dateformat then
            cells[1] = os.date(self.dateformat)
         end
         for k = 1, select('#', ...) do
            cells[#cells + 1] = tostring((select(k, ...)))
         end
         cells[#cells + 1] = '\n'
         file:write(table.concat(cells, ' '))
         file:flush()
      end
      rawset(_G, 'print', both)
      both('[program started on ' .. os.date() .. ']')
      both('[command line arguments]')
      for _, name in ipairs(sorted_keys(params or {})) do
         both(name, params[name])
      end
      both('[----------------------]')
   end

   --- help([arg]): prints the usage. arg[0] is the name of the program.
   function CmdLine:help(arg)
      local function label(line)
         return line.default ~= nil and line.key or '<' .. name_of(line.key) .. '>'
      end
      local words, width = {'Usage:'}, 0
      words[#words + 1] = arg and arg[0] or nil
      words[#words + 1] = '[options]'
      for _, argument in ipairs(self.arguments) do
         words[#words + 1] = label(argument)
      end
      io.write(table.concat(words, ' '), '\n')
      for _, line in ipairs(self.helplines) do
         width = type(line) == 'table' and math.max(width, #label(line)) or width
      end
      for _, line in ipairs(self.helplines) do
         if type(line) == 'table' then
            local text = label(line)
            io.write('  ', text, (' '):rep(width - #text), line.help and ' ' .. line.help or '',
                     line.default ~= nil and (' [%s]'):format(tostring(line.default)) or '', '\n')
         else
            io.write(line, '\n')
         end
      end
   end
end

return install
