-- Colours of the terminal: none without one, with NO_COLOR, or where TERM is dumb.

local paint = {}

local codes = {error = '31', dim = '2', string = '32', name = '1', hint = '33'}
local on = false

--- Whether this process writes colours; gives whether it may.
function paint.setup(terminal)
  local no, term = os.getenv 'NO_COLOR', os.getenv 'TERM' or ''
  on = terminal and (no == nil or no == '') and term ~= '' and term ~= 'dumb'
  return on
end

--- The text in the colour of a kind; each line of its own, as pagers want it.
function paint.text(kind, text)
  if not on or text == '' then
    return text
  end
  return (text:gsub('[^\n]+', function(line)
    return '\27[' .. codes[kind] .. 'm' .. line .. '\27[0m'
  end))
end

return paint
