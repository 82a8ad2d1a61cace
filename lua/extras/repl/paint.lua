-- Terminal colors. Not used without a terminal, if NO_COLOR is set, or if TERM is dumb.

local paint = {}

local codes = {error = '31', dim = '2', string = '32', name = '1', hint = '33'}
local on = false

--- setup(terminal): enables colors if they are allowed; returns true if so. terminal: output is a
-- terminal.
function paint.setup(terminal)
  local no, term = os.getenv 'NO_COLOR', os.getenv 'TERM' or ''
  on = terminal and (no == nil or no == '') and term ~= '' and term ~= 'dumb'
  return on
end

--- text(kind, text): returns the text in the color of its kind. Each line is colored separately,
-- as pagers require.
function paint.text(kind, text)
  if not on or text == '' then
    return text
  end
  return (text:gsub('[^\n]+', function(line)
    return '\27[' .. codes[kind] .. 'm' .. line .. '\27[0m'
  end))
end

return paint
