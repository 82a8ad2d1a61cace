-- Runs Lua code in a separate process, which may crash.

local dialect = require 'support.dialect'
local files = require 'support.files'

local child = {}

-- the interpreter that runs this process
child.interpreter = arg and arg[-1] or 'luajit'

--- Runs the code and returns its output (both streams) and exit status; 124 means that it took
-- longer than options.seconds. options.before: shell commands, such as limits. options.first: Lua
-- code that runs before the module is loaded as `tensor`.
function child.run(code, options)
  options = options or {}
  dialect.check(code .. (options.first or ''))
  local path = os.tmpname()
  files.write(path, ('package.path, package.cpath = %q, %q require "support.dialect"\n%s\n'
                     .. 'local tensor = require "tensor"\n%s')
                    :format(package.path, package.cpath, options.first or '', code))
  local pipe = assert(io.popen(('{ %s; timeout -k 1 %d %s %s; } 2>&1; echo "status=$?"')
    :format(options.before or 'true', options.seconds or 60, child.interpreter, path)))
  local text = pipe:read '*a'
  pipe:close()
  os.remove(path)
  local output, status = text:match '^(.*)status=(%d+)\n$'
  return dialect.plain(output), tonumber(status)
end

-- Memory cannot be limited under a sanitizer.
child.sanitized = (os.getenv 'LD_PRELOAD' or ''):find('san', 1, true) ~= nil

return child
