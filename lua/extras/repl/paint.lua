-- Terminal colors. Not used without a terminal, if NO_COLOR is set, or if TERM is dumb.

local paint = {}

local codes = {error = '31', dim = '2', string = '32', name = '1', hint = '33'}
local on, on_errors = false, false

--- setup(terminal, errors): enables colors if they are allowed; returns true if so. terminal: the
-- output is a terminal. errors: stderr is one, too.
function paint.setup(terminal, errors)
  local no, term = os.getenv 'NO_COLOR', os.getenv 'TERM' or ''
  on = terminal and (no == nil or no == '') and term ~= '' and term ~= 'dumb'
  on_errors = on and errors
  return on
end

-- Each line is colored separately, as pagers require.
local function colored(kind, text)
  return (text:gsub('[^\n]+', function(line)
    return '\27[' .. codes[kind] .. 'm' .. line .. '\27[0m'
  end))
end

--- text(kind, text): returns the text in the color of its kind. error_text: the same for stderr.
function paint.text(kind, text)
  return on and colored(kind, text) or text
end
function paint.error_text(kind, text)
  return on_errors and colored(kind, text) or text
end

return paint
