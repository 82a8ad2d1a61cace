-- Runs the examples in lua/extras/examples and writes the output below each line of code. Review
-- the difference before committing it: a test requires exactly this output.
-- Usage, from the repository's root:
--   build/prefix/bin/tensor scripts/make-examples.lua

local tensor = require 'tensor'
local examples = require 'tensor.examples'

for _, chapter in ipairs(examples.chapters) do
  local name = ('lua/extras/examples/%s.lua'):format(chapter)
  local out = {}
  for _, example in ipairs(examples.parse(dofile(name))) do
    local ok, text = pcall(examples.run, tensor, example[2])
    if not ok then io.stderr:write(('%s: %s\n'):format(example[1], text)) end
    out[#out + 1] = ('%s\n%s\n'):format(example[1], ok and text or example[2])
  end
  local file = assert(io.open(name, 'w'))
  file:write('return [=[\n', table.concat(out, '\n'), ']=]\n')
  file:close()
end
