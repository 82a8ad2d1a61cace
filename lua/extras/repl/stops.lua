-- Reads Lua code word by word. Inserts a call into each loop and function, so that JIT-compiled
-- code can be stopped; line numbers do not change. Finds out which code cannot be complete, and
-- removes strings and comments.

local stops = {}

-- LuaJIT accepts letters that are not ASCII.
local name_pattern = '^[%a_\128-\255][%w_\128-\255]*'

-- If a comment or string starts at `at`, returns the position of its last character, and true if it
-- has no end. Otherwise returns nil.
local function skipped(text, at)
  local function long(from)
    local equals = text:match('^%[(=*)%[', from)
    if equals then
      local _, last = text:find(']' .. equals .. ']', from, true)
      return last or #text, not last
    end
  end
  local char = text:sub(at, at)
  if text:sub(at, at + 1) == '--' then
    local last, endless = long(at + 2)
    return last or (text:find('\n', at, true) or #text + 1) - 1, endless
  elseif char == '[' then
    return long(at)
  elseif char == '"' or char == "'" then
    local i = at + 1
    while i <= #text and text:sub(i, i) ~= char do
      i = i + (text:sub(i, i) == '\\' and 2 or 1)
    end
    return i, i > #text
  end
  return nil
end

--- insert(text, call): returns the text with `call` at the beginning of each loop and function and
-- before each goto, or nil if the text has no loop, function or goto.
function stops.insert(text, call)
  local out, from, at, found, parameters = {}, 1, 1, false, false
  local function put(position)
    out[#out + 1] = text:sub(from, position)
    out[#out + 1] = ' ' .. call .. ' '
    from, found = position + 1, true
  end
  while at <= #text do
    local word = text:match(name_pattern, at)
    local last = skipped(text, at)
    if last then
      at = last + 1
    elseif word then
      local jumps = word == 'goto' and text:find('^%s+[%a_\128-\255]', at + 4)
      if word == 'do' or word == 'repeat' then
        put(at + #word - 1)
      elseif word == 'function' then
        parameters = true
      elseif jumps then
        put(at - 1)
      end
      at = at + #word
    else
      if parameters and text:sub(at, at) == ')' then
        put(at)
        parameters = false
      end
      -- Skip numbers: the letters in them are not keywords.
      at = at + #(text:match('^%d[%w%.]*', at) or ' ')
    end
  end
  if not found then
    return nil
  end
  out[#out + 1] = text:sub(from)
  return table.concat(out)
end

--- bare(text): returns the text with "" for each string and a space for each comment.
function stops.bare(text)
  local out, from, at = {}, 1, 1
  while at <= #text do
    local last = skipped(text, at)
    if last then
      out[#out + 1] = text:sub(from, at - 1) .. (text:sub(at, at) == '-' and ' ' or '""')
      at, from = last + 1, last + 1
    else
      at = text:find('[%-%["\']', at + 1) or #text + 1
    end
  end
  return table.concat(out) .. text:sub(from)
end

local changes = {['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1,
                 ['do'] = 1, ['function'] = 1, ['if'] = 1, ['repeat'] = 1,
                 ['end'] = -1, ['until'] = -1}

local known = ''  -- the text of the last call of stops.open
-- The last end of a line outside of strings and comments, and the number of brackets and blocks
-- that are open there.
local line_end, open_before = 1, 0

--- open(text): returns 'text' if the text ends inside a string or comment, 'code' if a bracket or
-- block is open, otherwise nil. Lines that are those of the last call are not read again.
function stops.open(text)
  if text:sub(1, line_end) ~= known:sub(1, line_end) then
    line_end, open_before = 1, 0
  end
  known = text
  local at, depth = line_end, open_before
  while at <= #text do
    local last, endless = skipped(text, at)
    if endless then
      return 'text'
    end
    local char = text:sub(at, at)
    if last then
      at = last + 1
    else
      local word = text:match(name_pattern, at) or char
      depth = depth + (changes[word] or 0)
      if char == '\n' then
        line_end, open_before = at, depth
      end
      at = at + #(text:match('^%d[%w%.]*', at) or word)
    end
  end
  return depth > 0 and 'code' or nil
end

return stops
