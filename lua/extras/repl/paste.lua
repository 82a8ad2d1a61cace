-- Bracketed paste: the terminal puts codes around pasted text, which is inserted as it is.

local ffi = require 'tensor.versions'.ffi

local paste = {}

-- Constants of histedit.h: requests of el_get.
local EL_EDITOR, EL_EDITMODE, EL_GETTC = 2, 11, 17

local ENABLE, DISABLE = '\027[?2004h', '\027[?2004l'
local BEGIN = '\027[200~'
local END = {('\027[201~'):byte(1, -1)}
local CTRL_C, LF, CR = 3, 10, 13

-- Returns true if the last of n codes are END.
local function ends(codes, n)
  for k = 1, #END do
    if codes[n - #END + k] ~= END[k] then
      return false
    end
  end
  return true
end

--- new(library, el): returns an object with the functions below. library, el: libedit and its
-- EditLine.
function paste.new(library, el)
  local self = {key = BEGIN}
  local code, is_enabled = ffi.new 'wchar_t[1]', false
  -- The pasted lines that are not inserted yet, as lists of codes, and the number of the next.
  local lines, following

  -- Reads the pasted text. Returns false if Ctrl-C or the end of input comes first.
  local function read()
    local codes, n = {}, 0
    repeat
      if library.tensor_repl_getc(el, code) ~= 1 or code[0] == CTRL_C then
        return false
      end
      n = n + 1
      codes[n] = tonumber(code[0])
    until ends(codes, n)
    local line = {}
    lines, following = {line}, 1
    for k = 1, n - #END do
      if codes[k] == CR or codes[k] == LF and codes[k - 1] ~= CR then
        line = {}
        lines[#lines + 1] = line
      elseif codes[k] ~= LF and codes[k] ~= 0 then
        line[#line + 1] = codes[k]
      end
    end
    return true
  end

  local function insert(line)
    line[#line + 1] = 0
    library.tensor_repl_winsert(el, ffi.new('wchar_t[?]', #line, line))
  end

  --- insert(is_complete): inserts the pasted lines up to one after which the input is complete.
  -- Returns true if there is one. The lines after it are for the next call.
  function self.insert(is_complete)
    if not lines and not read() then
      return false
    end
    while lines[following + 1] do
      insert(lines[following])
      following = following + 1
      if is_complete() then
        return true
      end
      insert {LF}
    end
    insert(lines[following])
    lines = nil
    return false
  end

  --- Drops the lines that are not inserted yet.
  function self.drop()
    lines = nil
  end

  -- Returns true if the terminal can delete to the end of a line. Dumb terminals cannot, and
  -- libedit treats terminals that it does not know as dumb. They may print the codes.
  local function is_known()
    local sequence = ffi.new 'const char *[1]'
    local code_of = ffi.cast('const char *', 'ce')
    return library.tensor_repl_get(el, ffi.new('int', EL_GETTC), code_of, sequence) == 0
           and sequence[0] ~= nil
  end

  --- setup(): enables bracketed paste in the other functions, if libedit has the key for it.
  function self.setup()
    local editor, is_on = ffi.new 'const char *[1]', ffi.new 'int[1]'
    -- In vi mode, and if ~/.editrc turns editing off, the codes would be commands or text.
    is_enabled = is_known()
                 and library.tensor_repl_get(el, ffi.new('int', EL_EDITOR), editor) == 0
                 and library.tensor_repl_get(el, ffi.new('int', EL_EDITMODE), is_on) == 0
                 and ffi.string(editor[0]) == 'emacs' and is_on[0] ~= 0
  end

  --- start(): is called before a line is read. finish(): is called after it.
  function self.start()
    if is_enabled then
      io.stdout:write(ENABLE)
    end
    if lines then
      library.tensor_repl_push(el, BEGIN)
    end
  end
  function self.finish()
    if is_enabled then
      io.stdout:write(DISABLE)
      io.stdout:flush()  -- before programs that the line starts
    end
  end

  return self
end

return paste
