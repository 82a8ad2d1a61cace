-- Writes the pictures of the documentation: runs each Lua sample that an SVG picture follows.
-- Review the pictures before committing them: the test lua.doc requires the same ones.
-- Usage, from the repository's root:
--   build/prefix/bin/tensor scripts/make-pictures.lua README.md doc/*.md

package.path = 'test/lua/?.lua;' .. package.path
local samples = require 'support.samples'

for _, path in ipairs(arg) do
  for _, sample in ipairs(samples.read(path)) do
    if sample.picture then
      local text = samples.picture_of_lua(sample)
      local file = assert(io.open(sample.picture, 'w'))
      file:write(text)
      file:close()
      print(sample.picture)
    end
  end
end
