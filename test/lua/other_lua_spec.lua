-- The module in an interpreter for which it was not built.

local files = require 'support.files'

-- An installed interpreter whose C API differs from that of this one, or nil.
local function other_interpreter()
  local names = _VERSION == 'Lua 5.1' and { 'lua5.4', 'lua5.3' } or { 'luajit', 'lua5.1' }
  for _, name in ipairs(names) do
    local pipe = assert(io.popen('command -v ' .. name .. ' 2>/dev/null'))
    local path = pipe:read '*l'
    pipe:close()
    if path then return path, name end
  end
end

it('an interpreter with another API gets an error with the option to build with', function()
  local other, name = other_interpreter()
  if not other then return pending 'no other Lua is installed' end
  local code = ('package.path, package.cpath = %q, %q require "tensor"')
               :format(package.path, package.cpath)
  local path = os.tmpname()
  files.write(path, code)
  local pipe = assert(io.popen(('%s %s 2>&1'):format(other, path)))
  local text = pipe:read '*a'
  pipe:close()
  os.remove(path)
  assert.is_truthy(text:find('built for another version of Lua than', 1, true), text)
  local option = name == 'luajit' and 'luajit' or name:match '[%d.]+$'
  assert.is_truthy(text:find('-DTH_LUA=' .. option, 1, true), text)
end)
