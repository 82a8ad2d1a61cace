-- Inserts a call into each loop and function of a piece of Lua code, so that JIT-compiled code can
-- be stopped. Line numbers do not change.

local stops = {}

-- If a comment or string starts at `at`, returns the position of its last character, otherwise nil.
local function skipped(text, at)
  local function long(from)
    local equals = text:match('^%[(=*)%[', from)
    if equals then
      local _, last = text:find(']' .. equals .. ']', from, true)
      return last or #text
    end
  end
  local char = text:sub(at, at)
  if text:sub(at, at + 1) == '--' then
    return long(at + 2) or (text:find('\n', at, true) or #text + 1) - 1
  elseif char == '[' then
    return long(at)
  elseif char == '"' or char == "'" then
    local i = at + 1
    while i <= #text and text:sub(i, i) ~= char do
      i = i + (text:sub(i, i) == '\\' and 2 or 1)
    end
    return i
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
    local word = text:match('^[%a_][%w_]*', at)
    local last = skipped(text, at)
    if last then
      at = last + 1
    elseif word then
      local jumps = word == 'goto' and text:find('^%s+[%a_]', at + 4)
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

return stops
