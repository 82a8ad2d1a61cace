-- Parses command-line options of the form --name VALUE and --name.

local options = {}

local function usage(script, known)
  local lines = {('usage: %s [options]'):format(script)}
  for _, option in ipairs(known) do
    local form = '--' .. option.name .. (option.value and ' ' .. option.value or '')
    lines[#lines + 1] = ('  %-14s %s'):format(form, option.help)
  end
  return table.concat(lines, '\n') .. '\n'
end

-- Converts the text of an option to its value. Returns nil and a message if it is invalid.
local function read(option, text)
  if option.value ~= 'N' then
    return text ~= '' and text or nil, 'a name is expected'
  end
  local number = text:match('^%d+$') and tonumber(text)
  if number and number >= option.least and number <= option.most then
    return number
  end
  return nil, ('a whole number from %d to %d is expected'):format(option.least, option.most)
end

--- Parses arguments into a table of options by name. known: a list of {name =, value = 'N' or
-- 'FILE' or nil, least =, most =, default =, help =}. Without a value, an option is a boolean.
-- --help prints the usage and exits; an invalid argument exits with status 1.
function options.parse(arguments, known)
  local script = arguments[0] and arguments[0]:match('[^/]*$') or 'script'
  local function fail(...)
    io.stderr:write(script, ': ', string.format(...), '\n', usage(script, known))
    os.exit(1)
  end

  local chosen, by_argument = {}, {}
  for _, option in ipairs(known) do
    chosen[option.name] = option.default or false
    by_argument['--' .. option.name] = option
  end
  local i = 1
  while i <= #arguments do
    local argument = arguments[i]
    local option = by_argument[argument]
    if argument == '--help' then
      io.stdout:write(usage(script, known))
      os.exit(0)
    elseif not option then
      fail('unknown option %s', argument)
    elseif option.value then
      i = i + 1
      local text = arguments[i]
      if not text then
        fail('%s needs a value', argument)
      end
      local value, expected = read(option, text)
      if not value then
        fail('%s %s: %s', argument, text, expected)
      end
      chosen[option.name] = value
    else
      chosen[option.name] = true
    end
    i = i + 1
  end
  return chosen
end

return options
