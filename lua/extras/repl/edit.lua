-- Line input: libedit if it is installed and stdin and stdout are terminals, otherwise io.read.

local complete = require 'tensor.repl.complete'
local output = require 'tensor.repl.output'
local paste = require 'tensor.repl.paste'

local versions = require 'tensor.versions'
local each = versions.each

local edit = {}

local ffi = versions.ffi

if ffi then
  -- Declared under private names, so that declarations in user code do not clash.
  ffi.cdef [[
    typedef struct tensor_repl_editline tensor_repl_editline;
    typedef struct { const char *buffer, *cursor, *lastchar; } tensor_repl_line;
    typedef struct { int num; const char *str; } tensor_repl_event;
    typedef unsigned char (*tensor_repl_key)(tensor_repl_editline *, int);
    typedef const char *(*tensor_repl_prompt)(tensor_repl_editline *);
    void *tensor_repl_fdopen(int, const char *) __asm__("fdopen");
    tensor_repl_editline *tensor_repl_init(const char *, void *, void *, void *) __asm__("el_init");
    int tensor_repl_set(tensor_repl_editline *, int, ...) __asm__("el_set");
    int tensor_repl_get(tensor_repl_editline *, int, ...) __asm__("el_get");
    int tensor_repl_source(tensor_repl_editline *, const char *) __asm__("el_source");
    const char *tensor_repl_gets(tensor_repl_editline *, int *) __asm__("el_gets");
    const tensor_repl_line *tensor_repl_text(tensor_repl_editline *) __asm__("el_line");
    int tensor_repl_insert(tensor_repl_editline *, const char *) __asm__("el_insertstr");
    int tensor_repl_winsert(tensor_repl_editline *, const wchar_t *) __asm__("el_winsertstr");
    int tensor_repl_getc(tensor_repl_editline *, wchar_t *) __asm__("el_wgetc");
    int tensor_repl_cursor(tensor_repl_editline *, int) __asm__("el_cursor");
    void tensor_repl_push(tensor_repl_editline *, const char *) __asm__("el_push");
    void *tensor_repl_history_init(void) __asm__("history_init");
    int tensor_repl_history(void *, tensor_repl_event *, int, ...) __asm__("history");
  ]]
end

-- Constants of histedit.h: requests of el_set and history, and return codes of key functions.
local EL_PROMPT, EL_EDITOR, EL_SIGNAL, EL_BIND, EL_SETTY, EL_ADDFN, EL_HIST = 0, 2, 3, 4, 8, 9, 10
local H_SETSIZE, H_ENTER = 1, 10
local EINTR, EBADF = 4, 9
local CC_NORM, CC_REFRESH, CC_CURSOR, CC_ERROR, CC_REDISPLAY = 0, 4, 5, 6, 8

local function is_terminal(file)
  local found, native = pcall(require, 'tensor.native')
  return found and native.is_terminal(file)
end

--- Returns true if stdin is a terminal.
function edit.stdin_is_terminal()
  return is_terminal(io.stdin)
end

--- Returns true if stdin and stdout are terminals.
function edit.interactive()
  return is_terminal(io.stdin) and is_terminal(io.stdout)
end

--- Returns true if stderr is a terminal.
function edit.stderr_is_terminal()
  return is_terminal(io.stderr)
end

-- Loads libedit through the FFI; returns nil if either is missing.
local function load_library()
  if not ffi then
    return nil
  end
  for _, name in ipairs {'libedit.so.2', 'libedit.so.0', 'edit'} do
    local ok, library = pcall(ffi.load, name)
    if ok then
      return library
    end
  end
  return nil
end

-- Returns the number of characters of UTF-8 text, otherwise the number of bytes.
local function characters(text, multibyte)
  return #(multibyte and text:gsub('[\128-\191]', '') or text)
end

local MOST_ROWS = 20

-- Formats names in columns for the terminal. The last names are left out if there are many.
local function columns(names)
  local width = (require 'tensor.native'.terminal_width() or 80) - 2
  local widest = 0
  for _, name in ipairs(names) do
    widest = math.max(widest, #name + 2)
  end
  local across = math.max(1, math.floor(width / widest))
  local count = math.min(#names, across * MOST_ROWS)
  local rows = math.ceil(count / across)
  local lines = {}
  for row = 1, rows do
    local cells = {}
    for k = row, count, rows do
      cells[#cells + 1] = names[k] .. (' '):rep(widest - #names[k])
    end
    lines[row] = table.concat(cells):gsub('%s+$', '')
  end
  if count < #names then
    lines[rows + 1] = ('... (%d more)'):format(#names - count)
  end
  return table.concat(lines, '\n')
end

-- Returns what function keys, Page Up and others send, alone and with Shift, Alt and Ctrl. Without
-- a binding, the end of what a key sends is inserted as text.
local function other_keys()
  local list = {'\\eOP', '\\eOQ', '\\eOR', '\\eOS'}
  for number = 1, 24 do
    list[#list + 1] = ('\\e[%d~'):format(number)
  end
  for modifier = 2, 8 do
    for number = 1, 24 do
      list[#list + 1] = ('\\e[%d;%d~'):format(number, modifier)
    end
    for letter in ('ABCDFHPQRS'):gmatch '.' do
      list[#list + 1] = ('\\e[1;%d%s'):format(modifier, letter)
    end
  end
  return list
end

-- Sets the locale of the environment and returns its name. In the locale C, libedit drops letters
-- that are not ASCII, so C.UTF-8 replaces it. Only the ctype locale is set, so numbers are still
-- read and written as in Lua.
local function set_locale()
  local locale = os.setlocale('', 'ctype')
  if not locale or locale == 'C' or locale == 'POSIX' then
    locale = os.setlocale('C.UTF-8', 'ctype') or os.setlocale('C.utf8', 'ctype') or 'C'
  end
  return locale
end

-- Returns an editor that uses libedit. Enter starts a new line if the input is incomplete, so a
-- multi-line input is edited and recalled from the history as a whole.
local function libedit_editor(library, environment, incomplete)
  local int = ffi.typeof 'int'
  local interrupted, prompt_text = false, ''
  local multibyte = set_locale():lower():find 'utf%-?8' ~= nil
  -- Kept for the life of the process, since libedit stores their addresses.
  local anchors = {}
  local files = {}
  for fd, mode in each {[0] = 'r', [1] = 'w', [2] = 'w'} do
    files[fd] = ffi.C.tensor_repl_fdopen(fd, mode)
  end
  local el = library.tensor_repl_init('tensor', files[0], files[1], files[2])
  local past = library.tensor_repl_history_init()
  local event = ffi.new 'tensor_repl_event'

  local function set(what, ...)
    return library.tensor_repl_set(el, int(what), ...)
  end

  local function bind(key, command)
    set(EL_BIND, key, command, ffi.cast('char *', nil))
  end

  -- Returns the text up to the cursor, and the whole text.
  local function text()
    local line = library.tensor_repl_text(el)
    return ffi.string(line.buffer, line.cursor - line.buffer),
           ffi.string(line.buffer, line.lastchar - line.buffer)
  end

  -- A Lua error must not propagate through C.
  local function key(name, help, keys, f)
    local function answer()
      local ok, result = pcall(f)
      return ok and result or CC_ERROR
    end
    anchors[name] = ffi.cast('tensor_repl_key', answer)
    set(EL_ADDFN, name, help, anchors[name])
    for _, sequence in ipairs(keys) do
      bind(sequence, name)
    end
  end

  anchors.prompt = ffi.cast('tensor_repl_prompt', function()
    return prompt_text
  end)
  set(EL_PROMPT, anchors.prompt)
  -- libedit handles signals: it adapts to the terminal's size, and restores it for Ctrl-Z.
  set(EL_SIGNAL, int(1))
  set(EL_EDITOR, 'emacs')
  library.tensor_repl_history(past, event, int(H_SETSIZE), int(1000))
  anchors.history = ffi.cast('void *', library.tensor_repl_history)
  set(EL_HIST, anchors.history, past)
  -- Ctrl-C is a key while a line is edited, not a signal.
  set(EL_SETTY, '-d', '-intr', '-quit', ffi.cast('char *', nil))
  bind('^_', 'ed-newline')
  bind('^R', 'em-inc-search-prev')
  -- Home, End, Delete and words, as xterm, the Linux console, rxvt, tmux and screen send them.
  local keys = {
    ['ed-move-to-beg'] = {'\\e[H', '\\eOH', '\\e[1~', '\\e[7~'},
    ['ed-move-to-end'] = {'\\e[F', '\\eOF', '\\e[4~', '\\e[8~'},
    ['ed-delete-next-char'] = {'\\e[3~'},
    ['ed-prev-word'] = {'\\e[1;5D', '\\e[1;3D', '\\e[5D', '\\eOd'},
    ['em-delete-next-word'] = {'\\e[3;5~'},
    ['em-next-word'] = {'\\e[1;5C', '\\e[1;3C', '\\e[5C', '\\eOc'},
  }
  for _, sequence in ipairs(other_keys()) do
    bind(sequence, 'ed-ignore')
  end
  for command, sequences in each(keys) do
    for _, sequence in ipairs(sequences) do
      bind(sequence, command)
    end
  end

  local function submit()
    library.tensor_repl_push(el, '\031')
    return CC_NORM
  end

  local function new_line()
    local before = text()
    local kind = incomplete(before)
    library.tensor_repl_insert(el, kind == 'text' and '\n' or '\n  ')
    return CC_REFRESH
  end

  -- Text that counts as typed. libedit gets it line by line: it would run the keys that functions
  -- push after all of the text.
  local typed = ''
  local function push_typed_line()
    local line, rest = typed:match '^([^\n]*\n?)(.*)$'
    typed = rest
    if line ~= '' then
      library.tensor_repl_push(el, line)
    end
  end

  key('tensor-enter', 'Go on, or submit', {'^J', '^M'}, function()
    local _, all = text()
    if incomplete(all) then
      push_typed_line()
      return new_line()
    end
    return submit()
  end)
  key('tensor-newline', 'Begin a line', {'\\e^M', '\\e^J'}, new_line)
  key('tensor-cancel', 'Drop the input', {'^C'}, function()
    interrupted, typed = true, ''
    return submit()
  end)

  -- Moves to the line above or below in the input; on its first or last line, moves through the
  -- history.
  local function move(up)
    local before, all = text()
    if up then
      local line = before:match '\n([^\n]*)$'
      local above = line and before:sub(1, -#line - 2):match '[^\n]*$'
      if not above then
        library.tensor_repl_push(el, '\016')
        return CC_NORM
      end
      local column = characters(line, multibyte)
      local width = characters(above, multibyte)
      library.tensor_repl_cursor(el, int(-column - 1 - math.max(0, width - column)))
      return CC_CURSOR
    end
    local column = characters(before:match '[^\n]*$', multibyte)
    local rest, below = all:sub(#before + 1):match '^([^\n]*)\n([^\n]*)'
    if not rest then
      library.tensor_repl_push(el, '\014')
      return CC_NORM
    end
    local width = characters(below, multibyte)
    library.tensor_repl_cursor(el, int(characters(rest, multibyte) + 1 + math.min(column, width)))
    return CC_CURSOR
  end
  key('tensor-up', 'Line above', {'\\e[A', '\\eOA'}, function()
    return move(true)
  end)
  key('tensor-down', 'Line below', {'\\e[B', '\\eOB'}, function()
    return move(false)
  end)

  key('tensor-complete', 'Complete', {'^I'}, function()
    local before = text()
    if not before:match '[^\n]*$':find '%S' then
      -- At the beginning of a line, Tab indents.
      library.tensor_repl_insert(el, '  ')
      return CC_REFRESH
    end
    local names, prefix = complete.candidates(before, environment)
    local common = complete.common(names)
    if #common > #prefix then
      library.tensor_repl_insert(el, common:sub(#prefix + 1))
      return CC_REFRESH
    elseif #names > 1 then
      io.stdout:write('\n', columns(names), '\n')
      io.stdout:flush()
      return CC_REDISPLAY
    end
    return CC_ERROR
  end)

  local pasted = paste.new(library, el)
  key('tensor-paste', 'Insert pasted text', {pasted.key}, function()
    local is_complete = pasted.insert(function()
      local _, all = text()
      return not incomplete(all)
    end)
    if is_complete then
      submit()
    end
    return CC_REFRESH
  end)
  library.tensor_repl_source(el, nil)
  pasted.setup()

  local self = {anchors = anchors, el = el, drop_paste = pasted.drop}
  local count = ffi.new 'int[1]'

  function self.read(prompt)
    interrupted, prompt_text = false, prompt
    anchors.prompt_text = prompt
    pasted.start()
    push_typed_line()
    io.stdout:flush()
    local line = library.tensor_repl_gets(el, count)
    -- SIGINT from another process ends libedit's read.
    interrupted = interrupted or line == nil and count[0] < 0 and ffi.errno() == EINTR
    pasted.finish()
    if interrupted then
      io.stdout:write '^C\n'
      return false
    elseif line == nil or count[0] <= 0 then
      io.stdout:write '\n'
      return nil
    end
    return (ffi.string(line):gsub('\n$', ''))
  end

  function self.remember(input)
    library.tensor_repl_history(past, event, int(H_ENTER), ffi.cast('const char *', input))
  end

  function self.type(input)
    typed = typed .. input:gsub('\r', '\n')  -- libedit lets terminals send CR
  end

  -- These call C functions that call back into Lua, which LuaJIT does not allow in compiled code.
  versions.interpreted(self.read, true)
  versions.interpreted(self.remember, true)
  return self
end

-- Returns an editor that uses io.read. Prompts are written only if stdin is a terminal. In other
-- input, a byte order mark and a first line `#!...` are ignored, as in scripts.
local function plain_editor()
  local prompts = edit.stdin_is_terminal()
  local is_first = not prompts
  local self = {}
  local typed = ''  -- not yet returned by read

  local function read_line()
    local line, rest = typed:match '^(.-)\n(.*)$'
    if line then
      typed = rest
      return line
    end
    local message, code
    line, message, code = io.read()
    if not line and code == EINTR then
      typed = ''
      return false
    end
    self.failure = code ~= EBADF and message or nil
    line, typed = (line or typed ~= '') and typed .. (line or ''), ''
    return line or nil
  end

  function self.read(prompt)
    if prompts then
      io.stdout:write(prompt)
    end
    output.flush()
    local line = read_line()
    if is_first and line then
      line = line:gsub('^\239\187\191', ''):gsub('^#!.*', '')
    end
    is_first = false
    if prompts and not line then
      io.stdout:write('\n')
    end
    return line
  end
  function self.type(input)
    typed = typed .. input
  end
  function self.remember() end
  function self.drop_paste() end
  return self
end

--- new(environment, incomplete): returns an object with four functions. read(prompt) returns one
-- or several lines, nil at the end of input, and false after Ctrl-C. type(input) lets read continue
-- as if the user had typed this text. remember(input) adds to the history. drop_paste() drops
-- pasted lines that read has not returned. If stdin cannot be read, the field `failure` is the
-- system's message.
-- environment: the table whose names are completed. incomplete(text) returns 'code' if more lines
-- are needed, 'text' if the input ends inside a string, otherwise nil.
function edit.new(environment, incomplete)
  local library = edit.interactive() and load_library()
  if library then
    return libedit_editor(library, environment, incomplete)
  end
  return plain_editor()
end

return edit
