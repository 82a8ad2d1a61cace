-- Records doc/first-session.md anew: types what stands behind the prompts, > and >>, of its blocks
-- of text, in this order, to one program `tensor`, and puts below what it printed.
-- Usage: luajit scripts/make-first-session.lua <prefix> [<file>]
--        as a chunk, with a prefix alone: gives the text.

local prefix, target = ...
local BLOCK = '(```text\n)(> .-\n)(```\n)'
local MARK = '\1'

local function content(path)
  local file = assert(io.open(path))
  local text = file:read '*a'
  file:close()
  return text
end

-- What is typed in a block: a list of inputs, each of one or more lines.
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

-- What the program prints for each input, errors too.
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

local page = content 'doc/first-session.md'
local all = {}
for _, block in page:gmatch(BLOCK) do
  for _, input in ipairs(inputs_of(block)) do all[#all + 1] = input end
end
assert(#all > 0, 'doc/first-session.md has no prompts')
local outputs, done = run(all), 0

page = page:gsub(BLOCK, function(head, block, tail)
  local lines = {}
  for _, input in ipairs(inputs_of(block)) do
    done = done + 1
    -- Blank lines at the end cannot be seen in a block, nor blanks at the end of a line.
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
return page
