-- Plants violations of each rule of scripts/check-english.lua in a temporary repository. The script
-- must report each of them and nothing else.
-- usage: luajit test/checks/english.lua <source folder> <temporary folder>

local source, folder = arg[1], arg[2]
local lua = arg[-1]

local function run(command)
  local pipe = assert(io.popen(command .. ' 2>&1'))
  local output = pipe:read '*a'
  pipe:close()
  return output
end

local function write(name, ...)
  local file = assert(io.open(folder .. '/' .. name, 'w'))
  assert(file:write(table.concat({ ... }, '\n'), '\n'))
  assert(file:close())
end

local failures = 0
local function expect(condition, message)
  if not condition then
    failures = failures + 1
    io.stderr:write(message, '\n')
  end
end

local LONG = ('word '):rep(31)

run(("rm -rf '%s' && mkdir -p '%s/scripts'"):format(folder, folder))
write('scripts/english-exceptions.txt', '# Exceptions', '* excused.c',
  'no excused.h this is no good', 'word words.cc excuses nothing')

-- Each line with a finding ends in its kind; other lines must not be reported.
local expected = {}
local function plant(name, lines)
  local texts = {}
  for k, line in ipairs(lines) do
    texts[k] = type(line) == 'table' and line[1] or line
    if type(line) == 'table' then expected[name .. ':' .. k] = line[2] end
  end
  write(name, table.concat(texts, '\n'))
end

plant('words.cc', {
  { '// Copies into the room of the block.', 'word' },
  'int rooms;',
  { '  int x;  // brought to the device', 'word' },
  { 'fail("the block was brought here");', 'word' },
  'fail("room");',
  { '/* Returns', 'word' }, '   so many', '   elements. */',
  '// Returns the `room` of a block.',
})
plant('sentences.h', {
  { '// ' .. LONG, 'long' },
  '',
  '// ' .. LONG:sub(1, 100) .. '.',
  '// ' .. LONG:sub(1, 100) .. '.',
  '',
  { '/* What is set. */', 'opening' },
  { '// Whether x is set.', 'opening' },
  'int x;',
  { '// Of two values the first.', 'opening' },
  'int y;',
  { '// Sets x. That is enough.', 'opening' },
  'int z;',
  '// Sets z. That value is kept.',
  '',
  '// The caller knows of what type it is, and what is set.',
  '/* A table:',
  '     f(x)   ' .. LONG,
  '     g(x)   ' .. LONG,
  { '   - an item', 'word' }, '     that takes memory */',
})
plant('messages.lua', {
  { "error('5 is no length')", 'no' },
  { "error('a IntTensor is expected')", 'article' },
  { "error('an FloatTensor is expected')", 'article' },
  "error('there is no device, an IntTensor or a FloatTensor; it is no longer used')",
  { '-- Returns a value that is no number.', 'no' },
  { '--[[ What reads', 'opening' }, 'this. ]]',
  { 'local text = [[ x ]] -- What reads this.', 'opening' },
  'local program = [[', { '  f() -- Of two values the first.', 'opening' }, ']]',
})
plant('page.md', {
  '# What is new',
  '',
  { 'Values that are no numbers are invalid.', 'no' },
  '',
  '- one item',
  { '- What reads this.', 'opening' },
  '',
  '```lua',
  'What is in code is code.',
  '```',
  'What is a tensor?',
})
plant('CMakeLists.txt', { { '# Whether the tests are built.', 'opening' }, 'set(x "is no y")' })
plant('script', { '#!/bin/sh', { '# Takes memory.', 'word' }, 'echo "is no y"' })
plant('excused.c', { '// What is set.' })
plant('excused.h', { '// Here this is no good.', { '', nil } })
expected['scripts/english-exceptions.txt'] = 'exception'

local git = "git -c user.name=x -c user.email=x@x -c commit.gpgsign=false "
local function commit(subject)
  run(("cd '%s' && %scommit -q --allow-empty -m '%s'"):format(folder, git, subject))
  return run(("cd '%s' && git log -1 --format=%%h"):format(folder)):match '^(%x+)%s*$'
end
run(("cd '%s' && git init -q ."):format(folder))
local first = commit(LONG)
if first then
  commit(('x'):rep(72))
  expected['commit ' .. commit(('y'):rep(73))] = 'subject'
end

local script = ("cd '%s' && '%s' '%s/scripts/check-english.lua' "):format(folder, lua, source)
local since = 'since=' .. (first or ('0'):rep(40))
local found = {}
for line in run(script .. since):gmatch '[^\n]+' do
  local where, kind = line:match '^(.-): (%a+) %('
  if where then
    expect(expected[where] == kind, 'not expected: ' .. line)
    found[where] = true
  else
    expect(line:find '^check%-english: %d+ findings: ', line)
  end
end
for where, kind in pairs(expected) do
  expect(found[where], ('not found: %s: %s'):format(where, kind))
end

-- The exit status, with and without findings; without the history of git.
expect(not run(script .. 'count words.cc && echo passed'):find 'passed', 'findings do not fail')
expect(run(script .. 'excused.h && echo passed') == 'passed\n', 'it fails without findings')
expect(not run(script .. 'count since=' .. ('0'):rep(40)):find 'subject', 'subjects, no history')
os.exit(failures == 0 and 0 or 1)
