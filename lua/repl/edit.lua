-- Reading lines: with libedit where it is installed and stdin is a terminal, else by io.read.

local complete = require 'tensor.repl.complete'

local edit = {}

local found, ffi = pcall(require, 'ffi')

if found then
  -- Under names of our own, so that declarations by the user do not clash.
  ffi.cdef [[
    typedef char **(*tensor_repl_completer)(const char *, int, int);
    typedef int (*tensor_repl_command)(int, int);
    int tensor_repl_isatty(int) __asm__("isatty");
    void *tensor_repl_malloc(size_t) __asm__("malloc");
    char *tensor_repl_strdup(const char *) __asm__("strdup");
    void tensor_repl_free(void *) __asm__("free");
    char *tensor_repl_readline(const char *) __asm__("readline");
    int tensor_repl_add_history(const char *) __asm__("add_history");
    int tensor_repl_initialize(void) __asm__("rl_initialize");
    int tensor_repl_parse_and_bind(const char *) __asm__("rl_parse_and_bind");
    int tensor_repl_add_defun(const char *, tensor_repl_command, int) __asm__("rl_add_defun");
    extern tensor_repl_completer tensor_repl_complete __asm__("rl_attempted_completion_function");
    typedef int (*tensor_repl_hook)(const char *, int);
    extern tensor_repl_hook tensor_repl_pre_input_hook __asm__("rl_pre_input_hook");
    extern int tensor_repl_complete_over __asm__("rl_attempted_completion_over");
    extern int tensor_repl_append_character __asm__("rl_completion_append_character");
    extern const char *tensor_repl_break_characters __asm__("rl_basic_word_break_characters");
    extern const char *tensor_repl_name __asm__("rl_readline_name");
    extern char *tensor_repl_line_buffer __asm__("rl_line_buffer");
    extern int tensor_repl_done __asm__("rl_done");
  ]]
end

--- Whether stdin and stdout are terminals.
function edit.interactive()
  return found and ffi.C.tensor_repl_isatty(0) ~= 0 and ffi.C.tensor_repl_isatty(1) ~= 0
end

--- Whether stdin is a terminal.
function edit.stdin_is_terminal()
  return found and ffi.C.tensor_repl_isatty(0) ~= 0
end

local function load_library()
  for _, name in ipairs {'libedit.so.2', 'libedit.so.0', 'edit'} do
    local ok, library = pcall(ffi.load, name)
    if ok then
      return library
    end
  end
  return nil
end

-- A list of C strings for libedit, which frees them: what the matches share, then each of them.
local function match_list(names)
  local list = ffi.cast('char **', ffi.C.tensor_repl_malloc((#names + 2) * ffi.sizeof('char *')))
  list[0] = ffi.C.tensor_repl_strdup(complete.common(names))
  for i, name in ipairs(names) do
    list[i] = ffi.C.tensor_repl_strdup(name)
  end
  list[#names + 1] = nil
  return list
end

-- The first `count` characters of a line. libedit counts characters, not bytes.
local function first_characters(line, count, multibyte)
  local length = 0
  while count > 0 and length < #line do
    length = length + 1
    while multibyte and (line:byte(length + 1) or 0) >= 0x80 and line:byte(length + 1) < 0xC0 do
      length = length + 1
    end
    count = count - 1
  end
  return line:sub(1, length)
end

-- An editor over libedit.
local function libedit_editor(library, environment)
  local C = ffi.C
  local interrupted = false
  -- Kept for the life of the process: libedit holds their addresses.
  local anchors = {name = 'tensor', breaks = ' \t\n"\\\'`@$><=;|&{(.:,+-*/%^#~[])}'}

  local locale = os.setlocale('', 'ctype') or 'C'
  local multibyte = locale:lower():find('utf%-?8') ~= nil
  library.tensor_repl_name = anchors.name
  library.tensor_repl_initialize()
  library.tensor_repl_break_characters = anchors.breaks

  -- No error may leave a function that C calls.
  local function matches(start, stop)
    local line = ffi.string(library.tensor_repl_line_buffer)
    local text = first_characters(line, stop, multibyte)
    if not text:find('%S') then
      -- At the beginning of a line the key indents.
      return {'  '}
    end
    local names, prefix = complete.candidates(text, environment)
    return #prefix == stop - start and names or {}
  end
  anchors.completer = ffi.cast('tensor_repl_completer', function(_, start, stop)
    library.tensor_repl_complete_over = 1
    library.tensor_repl_append_character = 0
    local ok, names = pcall(matches, start, stop)
    if not ok or #names == 0 then
      return nil
    end
    return match_list(names)
  end)
  library.tensor_repl_complete = anchors.completer

  -- Ctrl-C shall be a key while a line is edited, not a signal. readline resets the terminal's
  -- settings for each line, so they are made in a hook that it calls afterwards.
  anchors.cancel = ffi.cast('tensor_repl_command', function()
    interrupted = true
    library.tensor_repl_done = 1
    return 0
  end)
  library.tensor_repl_add_defun('tensor-cancel-line', anchors.cancel, 3)
  anchors.prepare = ffi.cast('tensor_repl_hook', function()
    library.tensor_repl_parse_and_bind('setty -d -isig')
    library.tensor_repl_parse_and_bind('bind ^C tensor-cancel-line')
    return 0
  end)
  library.tensor_repl_pre_input_hook = anchors.prepare

  local self = {anchors = anchors}

  function self.read(prompt)
    io.stdout:flush()
    interrupted = false
    local line = library.tensor_repl_readline(prompt)
    if interrupted then
      io.stdout:write('^C\n')
      if line ~= nil then
        C.tensor_repl_free(line)
      end
      return false
    elseif line == nil then
      io.stdout:write('\n')
      return nil
    end
    local text = ffi.string(line)
    C.tensor_repl_free(line)
    return text
  end

  function self.remember(line)
    library.tensor_repl_add_history(line)
  end

  -- C calls back into Lua from within these: they must be interpreted.
  jit.off(self.read, true)
  jit.off(self.remember, true)
  return self
end

-- An editor over io.read; no prompts are written where nobody reads them.
local function plain_editor()
  local prompts = edit.stdin_is_terminal()
  local self = {}
  function self.read(prompt)
    if prompts then
      io.stdout:write(prompt)
    end
    io.stdout:flush()
    local line = io.read()
    if prompts and not line then
      io.stdout:write('\n')
    end
    return line
  end
  function self.remember() end
  return self
end

--- An object with read(prompt) -> a line, nil at the end of input, false after Ctrl-C; and
-- remember(line), which adds a line to those that the arrow keys bring back. environment is the
-- table whose names are completed.
function edit.new(environment)
  local library = edit.interactive() and load_library()
  if library then
    return libedit_editor(library, environment)
  end
  return plain_editor()
end

return edit
