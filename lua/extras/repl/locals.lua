-- Hints for names that were local to an earlier input.

local stops = require 'tensor.repl.stops'

local locals = {}

--- new(is_piped): returns an object with the functions below. is_piped: stdin is not a terminal.
function locals.new(is_piped)
  local self, names = {}, {}
  local advice = '%s was local to an earlier input: ' ..
                 (is_piped and 'tensor - < file runs all lines as one script, with its locals'
                  or 'leave out local at the prompt')

  --- note(code): remembers the local variables of an input.
  function self.note(code)
    -- The lists may have words too many: keywords, and names that follow a declaration.
    for list in stops.bare(code):gmatch '%f[%w_]local%s([%w_%s,]+)' do
      for name in list:gmatch '[%w_]+' do
        names[name] = true
      end
    end
  end

  --- of_error(message): returns a hint for an error about a global, or nil.
  function self.of_error(message)
    local name = message:match "^[^\n]*global '([%w_]+)'"
    return names[name] and advice:format(name) or nil
  end

  --- of_code(code, environment): returns a hint for an input that reads such a name, or nil.
  function self.of_code(code, environment)
    code = stops.bare(code)
    for _, word in ipairs {'local', 'for', 'function'} do
      if code:find('%f[%w_]' .. word .. '%f[^%w_]') then
        return nil  -- the name may be declared here
      end
    end
    for name, at in code:gmatch '%f[%w_%.:]([%a_][%w_]*)%s*()' do
      if names[name] and rawget(environment, name) == nil and not code:find('^=[^=]', at) then
        return advice:format(name)
      end
    end
    return nil
  end
  return self
end

return locals
