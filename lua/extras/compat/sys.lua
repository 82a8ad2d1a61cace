-- sys: time, commands and colours, as Torch7's package of that name has them.

local each = require 'tensor.versions'.each
local native = require 'tensor.native'
local paths = require 'paths'
local versions = require 'tensor.versions'

local sys = {COLORS = require 'sys.colors'}

-- ---- time ----

--- Seconds since 1970, with microseconds.
function sys.clock()
   return native.clock()
end

local started

--- Starts to count, for toc.
function sys.tic()
   started = sys.clock()
end

--- Seconds since tic; prints them where wanted.
function sys.toc(print_them)
   if not started then
      error('sys.toc: there was no sys.tic', 2)
   end
   local seconds = sys.clock() - started
   if print_them then
      print(seconds)
   end
   return seconds
end

--- Waits so many microseconds.
function sys.usleep(microseconds)
   microseconds = microseconds or 1
   if type(microseconds) ~= 'number' or not (microseconds >= 0 and microseconds < 1e15) then
      error('sys.usleep: a time is expected, got ' .. tostring(microseconds), 2)
   end
   native.sleep(microseconds * 1e-6)
end

--- Waits so many seconds.
function sys.sleep(seconds)
   sys.usleep(seconds * 1e6)
end

-- ---- commands ----

local function trimmed(text)
   return text:match '^%s*(.-)%s*$'
end

--- Runs a command of the shell and gives what it writes, on stderr, too, without blanks around it.
function sys.execute(command)
   local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1'))
   local text = pipe:read '*a'
   pipe:close()
   return trimmed(text)
end

--- The same through a file.
sys.fexecute = sys.execute

--- The system, which is the only one that there is for us.
function sys.uname()
   return 'linux'
end

sys.OS = sys.uname()

for name, options in each {ls = '', ll = ' -l', la = ' -a', lla = ' -la'} do
   sys[name] = function(folder)
      return sys.execute(('ls%s %s'):format(options, folder or ''))
   end
end

-- ---- files ----

sys.dirname, sys.basename, sys.concat = paths.dirname, paths.basename, paths.concat
sys.filep, sys.dirp, sys.pwd = paths.filep, paths.dirp, paths.cwd

--- When a file was changed, in seconds since 1970, or nil where there is none.
function sys.fstat(name)
   local found, lfs = pcall(versions.require, 'lfs')
   if not found then
      error('sys.fstat: LuaFileSystem is needed and not found; install it with "apt-get install '
            .. 'lua-filesystem" or "luarocks install luafilesystem"', 2)
   end
   return (lfs.attributes(name, 'modification'))
end

sys.fpath = require 'sys.fpath'

local found, bin = pcall(paths.execdir)
sys.prefix = found and bin and paths.dirname(bin) or ''

-- ---- other ----

--- The parts of a text between what a pattern matches; none that is empty at the start.
function sys.split(text, pattern)
   local parts, from = {}, 1
   local first, last = text:find(pattern, from)
   while first and last >= first do
      if first > 1 then
         parts[#parts + 1] = text:sub(from, first - 1)
      end
      from = last + 1
      first, last = text:find(pattern, from)
   end
   if from <= #text then
      parts[#parts + 1] = text:sub(from)
   end
   return parts
end

function sys.isNaN(number)
   return number ~= number
end

--- The text in a colour of sys.COLORS.
function sys.colorize(text, colour)
   return (sys.COLORS[colour] or '') .. text .. sys.COLORS.none
end

if rawget(_G, 'sys') == nil then
   rawset(_G, 'sys', sys)
end

return sys
