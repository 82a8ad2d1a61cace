-- Checks the English of comments, documentation, messages and commit subjects. CONTRIBUTING.md,
-- "Writing", describes the rules.
--
-- usage: luajit scripts/check-english.lua [count] [since=HASH] [file ...]
--
-- Without files, it checks all sources and pages of the repository, and the subjects of the commits
-- since HASH. `count` prints the numbers of findings only. The exit status is 1 if there are any.
-- scripts/english-exceptions.txt lists exceptions.

local since = '6d096ec45db68bf22fe37ffacce70d8d2edc3a2f'
local MOST_WORDS, MOST_COLUMNS = 30, 72
local EXCEPTIONS = 'scripts/english-exceptions.txt'

-- Words of our own that have a standard word. `|` separates alternatives of one place.
local WORDS = {
  'room|rooms', 'house word|house words', 'the road|roads', 'a road',
  'what it is of|what is of|what they are of', 'kind of elements|kinds of elements',
  'lie|lies|lay together', 'lie|lies across', 'stand|stands|stood elsewhere',
  'so many', 'so often', 'so much memory',
  'take|takes|took memory', 'give|gives|gave back', 'give|gives|gave it|them|memory back',
  'become|becomes larger', 'taken when first',
  'nobody', 'somebody else', 'whoever', 'whomever', 'of lua\'s',
  'at home', 'its home', 'home on', 'brought', 'bring|brings home',
  'go|goes|went there', 'come|comes|came back', 'where it|they belongs|belong',
  'what is|was found|given|moved|left|made|kept|said|asked|wanted|meant|told|there',
  'told', 'hear|hears|heard of',
  'ask|asks|asked for', 'by vectors', 'in its place', 'by itself again',
  'intent|intents', 'looks nothing up', 'declines', 'left to the cpu', 'any more',
}

-- The same, in comments and pages only.
local COMMENT_WORDS = {
  'say|says|said', 'tell|tells', 'look|looks|looked at', 'learn|learns|learned',
}

-- The first words of a sentence that state nothing about a subject.
-- `that` may stand before a noun.
local OPENINGS = {
  'what|whether|whoever|whatever|of|nobody|who', 'so is', 'so it is', 'such as',
  'that is|was|are|were|has|takes|makes|needs|allocates|which|the|a|an|it|they|all',
}

-- Matches the words of a text against a pattern of WORDS, from word number k on.
local function matches(words, k, pattern)
  for j, alternatives in ipairs(pattern) do
    if not alternatives[words[k + j - 1]] then return false end
  end
  return true
end

local function compile(pattern)
  local result = {}
  for place in pattern:gmatch '%S+' do
    local alternatives = {}
    for word in place:gmatch '[^|]+' do alternatives[word] = true end
    result[#result + 1] = alternatives
  end
  return result
end

local function compile_all(list)
  local result = {}
  for k, pattern in ipairs(list) do result[k] = compile(pattern) end
  return result
end

local patterns, comment_patterns = compile_all(WORDS), compile_all(COMMENT_WORDS)
local openings = compile_all(OPENINGS)

local function words_of(text)
  local words = {}
  for word in text:gmatch "[%w_']+" do words[#words + 1] = word end
  return words
end

local function lower(words)
  local result = {}
  for k, word in ipairs(words) do result[k] = word:lower() end
  return result
end

-- The sentences of a text. Quoted code and names with dots do not end one.
local function sentences(text)
  local result = {}
  text = text:gsub('`[^`]*`', 'code'):gsub('%[([^%]]*)%]%b()', '%1')
  for sentence in (text .. ' '):gsub('([.!?:;][)"\']*)%s', '%1\n'):gmatch '[^\n]+' do
    result[#result + 1] = sentence
  end
  return result
end

-- The first word of a list in a text, or nil.
local function listed_word(words, list)
  for _, pattern in ipairs(list) do
    for k = 1, #words - #pattern + 1 do
      if matches(words, k, pattern) then return table.concat(words, ' ', k, k + #pattern - 1) end
    end
  end
end

-- Finds "is no" between nouns and "is none", for "is not a" or "invalid". "There is no" is English,
-- and so are comparisons.
local COMPARED = ' longer more less better different worse such larger faster slower smaller '

local function is_no(words)
  for k = 2, #words do
    local verb, noun = words[k - 1], words[k + 1] or ''
    local is_denied = words[k] == 'no' and noun ~= '' or words[k] == 'none'
    if is_denied and (verb == 'is' or verb == 'are' or verb == 'be' or verb == 'was') and
        words[k - 2] ~= 'there' and words[k - 3] ~= 'there' and
        not COMPARED:find(' ' .. noun .. ' ', 1, true) then
      return table.concat(words, ' ', math.max(1, k - 2), math.min(k + 1, #words))
    end
  end
end

-- Finds `a` before the name of a type that begins with a vowel, and `an` before another.
local function wrong_article(words)
  for k = 1, #words - 1 do
    local article, noun = words[k]:lower(), words[k + 1]
    local vowel = noun:match '^Int$' or noun:match '^Int%u' or noun:match '^torch%.Int'
    local consonant = noun:match '^%u%l+Tensor$' or noun:match '^%u%l+Storage$'
    if vowel and article == 'a' or not vowel and consonant and article == 'an' then
      return words[k] .. ' ' .. noun
    end
  end
end

-- The extraction: each function calls found(line, text, kind) with kind 'comment' or 'string'.

local function line_of(source)
  local line, position = 1, 1
  return function(at)
    local _, count = source:sub(position, at - 1):gsub('\n', '')
    line, position = line + count, at
    return line
  end
end

-- Joins line comments that stand below each other into one block.
local function block_joiner(found)
  local start, last, column, texts
  local function flush()
    if texts then found(start, table.concat(texts, ' '), 'comment') end
    texts = nil
  end
  return function(line, at, text, alone)
    if texts and not (alone and line == last + 1 and at == column) then flush() end
    last, column = line, at
    -- Indented lines, lists and blank lines separate paragraphs.
    if text:find '^%s*$' or text:find '^%s%s%s' then return flush() end
    if text:find '^%s*[-*] ' then flush() end
    if not texts then start, texts = line, {} end
    texts[#texts + 1] = text:match '^%s*(.-)%s*$'
  end, flush
end

local function paragraphs(line, text, found)
  local texts, start = {}, line
  local function flush()
    if #texts > 0 then found(start, table.concat(texts, ' '), 'comment') end
    texts = {}
  end
  for part in (text .. '\n'):gmatch '(.-)\n' do
    local plain = part:gsub('^%s*%*?%s*', '')
    if plain == '' or plain:find '^[-*] ' then flush() end
    -- Indented lines after a colon or a blank line are tables and code.
    local indented = part:find '^     ' and not plain:find '^[-*] '
    if indented and (#texts == 0 or texts[#texts]:find ':$') then
      flush()
    elseif plain ~= '' then
      if #texts == 0 then start = line end
      texts[#texts + 1] = plain
    end
    line = line + 1
  end
  flush()
end

-- C, C++ and CUDA with mark = '//', Lua with mark = '--'. Long strings of Lua are scanned like
-- source, because tests have programs in them.
local function scan_source(source, mark, found)
  local is_lua = mark == '--'
  local at_line = line_of(source)
  local add, flush = block_joiner(found)
  local position = 1
  while true do
    local at = source:find(is_lua and '["\'%-%[]' or '["\'/]', position)
    if not at then break end
    local two, one = source:sub(at, at + 1), source:sub(at, at)
    local long = is_lua and source:match('^%[(=*)%[', two == '--' and at + 2 or at)
    if two == '/*' or long and (two == '--' or source:find('^%[=*%[', at)) then
      local open = two == '/*' and 2 or (two == '--' and 4 or 2) + #long
      local close = two == '/*' and '*/' or ']' .. long .. ']'
      local stop = source:find(close, at + open, true) or #source
      if two == '/*' or two == '--' then
        flush()
        paragraphs(at_line(at), source:sub(at + open, stop - 1), found)
      else
        local before = at_line(at) - 1
        scan_source(source:sub(at + open, stop - 1), mark, function(line, text, kind)
          found(before + line, text, kind)
        end)
      end
      position = stop + #close
    elseif two == mark then
      local stop = source:find('\n', at, true) or #source + 1
      local begin = at
      while begin > 1 and source:sub(begin - 1, begin - 1) ~= '\n' do begin = begin - 1 end
      add(at_line(at), at - begin, source:sub(at, stop - 1):gsub('^[/%-]+', ''),
        not source:sub(begin, at - 1):find '%S')
      position = stop
    elseif one == '"' or one == "'" then
      local stop = at + 1
      local digit = one == "'" and not is_lua and source:find('^%w', at - 1)
      while not digit do
        local c = source:sub(stop, stop)
        if c == one or c == '\n' or c == '' then break end
        stop = stop + (c == '\\' and 2 or 1)
      end
      if one == '"' or is_lua then
        found(at_line(at), source:sub(at + 1, stop - 1):gsub('\\[ntr]', ' '), 'string')
      end
      position = stop + 1
    else
      position = at + 1
    end
  end
  flush()
end

-- Shell, CMake, Make and Python: comments on lines of their own.
local function scan_script(source, found)
  local add, flush = block_joiner(found)
  local number = 0
  for line in (source .. '\n'):gmatch '(.-)\n' do
    number = number + 1
    local blank, text = line:match '^(%s*)#([^!].*)$'
    if text then add(number, #blank, text, true) end
  end
  flush()
end

-- Markdown: prose outside of code blocks, tables, headings and comments.
local function scan_page(source, found)
  local texts, start, number, fenced = {}, 1, 0, false
  local function flush()
    if #texts > 0 then found(start, table.concat(texts, ' '), 'comment') end
    texts = {}
  end
  for line in (source .. '\n'):gmatch '(.-)\n' do
    number = number + 1
    local fence = line:find '^%s*```'
    if fence then fenced = not fenced end
    if fence or fenced or line:find '^%s*$' or line:find '^%s*[|#<]' or line:find '^    ' then
      flush()
    else
      local item = line:match '^%s*[-*] +(.*)$' or line:match '^%s*%d+%. +(.*)$'
      if item then flush() end
      if #texts == 0 then start = number end
      texts[#texts + 1] = item or line:match '^%s*(.-)%s*$'
    end
  end
  flush()
end

local function scan(name, source, found)
  local suffix = name:match '%.([%w]+)$'
  if ('c cc h cu cuh def'):find('%f[%w]' .. (suffix or '-') .. '%f[%W]') then
    scan_source(source, '//', found)
  elseif suffix == 'lua' or suffix == 'rockspec' then
    scan_source(source, '--', found)
  elseif suffix == 'md' then
    scan_page(source, found)
  elseif suffix == 'cmake' or suffix == 'py' or suffix == 'yml' or name:find 'CMakeLists%.txt$' or
      name:find 'Makefile$' or source:find '^#!' then
    scan_script(source, found)
  end
end

-- Exceptions: kind, beginning of the path, and a text of the finding; `*` stands for any kind.
local exceptions = {}
for line in io.lines(EXCEPTIONS) do
  local kind, path, text = line:match '^([%w*]+)%s+(%S+)%s*(.-)%s*$'
  if kind then
    exceptions[#exceptions + 1] = { kind = kind, path = path, text = text, line = line }
  end
end

local function is_exception(name, kind, text)
  for _, e in ipairs(exceptions) do
    if (e.kind == '*' or e.kind == kind) and name:sub(1, #e.path) == e.path and
        text:find(e.text, 1, true) then
      e.used = true
      return true
    end
  end
end

local counts, total, quiet = {}, 0, false

local function complain(where, name, kind, what, text)
  if is_exception(name, kind, text) then return end
  counts[kind], total = (counts[kind] or 0) + 1, total + 1
  if not quiet then
    if #text > 160 then text = text:sub(1, 157) .. '...' end
    io.stderr:write(('%s: %s (%s): %s\n'):format(where, kind, what, text))
  end
end

local function check_text(name, line, text, kind)
  local where, words = name .. ':' .. line, words_of((text:gsub('`[^`]*`', 'code')))
  local small = lower(words)
  if kind == 'string' and #words < 2 then return end
  local article = wrong_article(words)
  if article then complain(where, name, 'article', article, text) end
  local word = (kind == 'comment' or #words > 2) and listed_word(small, patterns) or
    kind == 'comment' and listed_word(small, comment_patterns)
  if word then complain(where, name, 'word', word, text) end
  for _, sentence in ipairs(sentences(text)) do
    local first = lower(words_of(sentence))
    local denied = is_no(first)
    if denied then complain(where, name, 'no', denied, sentence) end
    local _, count = sentence:gsub('%S+', '')
    if kind == 'comment' and count > MOST_WORDS then
      complain(where, name, 'long', count .. ' words', sentence)
    end
    if kind == 'comment' and sentence:find '^%u' and not sentence:find '%?$' then
      for _, opening in ipairs(openings) do
        if matches(first, 1, opening) then complain(where, name, 'opening', first[1], sentence) end
      end
    end
  end
end

local function lines_of(command)
  local pipe = assert(io.popen(command .. ' 2>/dev/null'))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local files = {}
for _, argument in ipairs(arg) do
  local hash = argument:match '^since=(%x+)$'
  if argument == 'count' then
    quiet = true
  elseif hash then
    since = hash
  else
    files[#files + 1] = argument
  end
end
local whole = #files == 0
if whole then
  files = lines_of 'git ls-files --cached --others --exclude-standard'
  if #files == 0 then files = lines_of 'find . -type f | sed "s|^[.]/||" | grep -v "^build/"' end
  -- Without the history, git fails and prints nothing.
  local log = "git log --no-merges --format='%h %s' " .. since .. '..HEAD'
  for _, line in ipairs(lines_of(log)) do
    local hash, subject = line:match '^(%S+) (.*)$'
    if #subject > MOST_COLUMNS then
      complain('commit ' .. hash, 'commit', 'subject', #subject .. ' columns', subject)
    end
  end
end
for _, name in ipairs(files) do
  local file = not name:find '^test/data/' and io.open(name)
  if file then
    scan(name, file:read '*a', function(line, text, kind) check_text(name, line, text, kind) end)
    file:close()
  end
end
for _, e in ipairs(exceptions) do
  if whole and not e.used and e.text ~= '' then
    complain(EXCEPTIONS, EXCEPTIONS, 'exception', 'unused', e.line)
  end
end
local kinds = {}
for kind, count in pairs(counts) do kinds[#kinds + 1] = ('%s %d'):format(kind, count) end
table.sort(kinds)
if total > 0 then
  io.stderr:write(('check-english: %d findings: %s\n'):format(total, table.concat(kinds, ', ')))
end
os.exit(total == 0 and 0 or 1)
