-- Generates the page first-session.md from doc/first-session.md.in: runs one program `tensor`,
-- types the inputs after the prompts > and >> of all text blocks in order, and adds the outputs.
-- scripts/make-docs calls this script; the page is not in git.
-- Usage, from the repository's root, after installation:
--   luajit scripts/make-first-session.lua <prefix> [<file>]
-- Without a file name nothing is written. The chunk returns the text and the number of inputs.

local prefix, target = ...
local BLOCK = '(```text\n)(> .-\n)(```\n)'
local MARK = '\1'

local function content(path)
  local file = assert(io.open(path))
  local text = file:read '*a'
  file:close()
  return text
end

-- Returns the list of inputs in a block; an input may have several lines.
local function inputs_of(block)
  local inputs = {}
  for line in block:gmatch '[^\n]+' do
    if line:find '^> ' then
      inputs[#inputs + 1] = {line:sub(3)}
    elseif line:find '^>> ' and #inputs > 0 then
      table.insert(inputs[#inputs], line:sub(4))
    end
  end
  return inputs
end

-- Returns the output of the program for each input, including errors.
local function run(inputs)
  local keys = os.tmpname()
  local file = assert(io.open(keys, 'w'))
  for _, input in ipairs(inputs) do
    file:write(table.concat(input, '\n'), '\nio.write(string.char(1)) io.flush()\n')
  end
  file:close()
  local pipe = assert(io.popen(("NO_COLOR=1 TERM=dumb LC_ALL=C '%s/bin/tensor' <%s 2>&1")
                               :format(prefix, keys)))
  local text = pipe:read '*a'
  pipe:close()
  os.remove(keys)
  local outputs = {}
  for output in text:gmatch('([^' .. MARK .. ']*)' .. MARK) do outputs[#outputs + 1] = output end
  assert(#outputs == #inputs, ('%d of %d inputs were answered:\n%s')
                              :format(#outputs, #inputs, text))
  return outputs
end

local page = content 'doc/first-session.md.in'
local all = {}
for _, block in page:gmatch(BLOCK) do
  for _, input in ipairs(inputs_of(block)) do all[#all + 1] = input end
end
assert(#all > 0, 'doc/first-session.md.in has no prompts')
local outputs, done = run(all), 0

page = page:gsub(BLOCK, function(head, block, tail)
  local lines = {}
  for _, input in ipairs(inputs_of(block)) do
    done = done + 1
    -- Remove trailing blank lines and spaces, which are invisible in a block.
    local output = outputs[done]:gsub('[ \t]+\n', '\n')
    lines[#lines + 1] = '> ' .. table.concat(input, '\n>> ') .. '\n' .. output
  end
  return head .. table.concat(lines):gsub('\n+$', '\n') .. tail
end)

if target then
  local file = assert(io.open(target, 'w'))
  file:write(page)
  file:close()
end
return page, #all
