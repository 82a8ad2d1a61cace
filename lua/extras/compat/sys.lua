-- sys: time, commands and colors, with the API of Torch7's package sys.

local each = require 'tensor.versions'.each
local native = require 'tensor.native'
local paths = require 'paths'
local versions = require 'tensor.versions'

local sys = {COLORS = require 'sys.colors'}

-- ---- time ----

--- clock(): returns the seconds since 1970, with microseconds.
function sys.clock()
   return native.clock()
end

local started

--- tic(): starts the clock that toc reads.
function sys.tic()
   started = sys.clock()
end

--- toc([print_them]): returns the seconds since tic; prints them if print_them is true.
function sys.toc(print_them)
   if not started then
      error('sys.toc: sys.tic has not been called', 2)
   end
   local seconds = sys.clock() - started
   if print_them then
      print(seconds)
   end
   return seconds
end

--- usleep(microseconds): waits; default 1.
function sys.usleep(microseconds)
   microseconds = microseconds or 1
   if type(microseconds) ~= 'number' or not (microseconds >= 0 and microseconds < 1e15) then
      error('sys.usleep: a time is expected, got ' .. tostring(microseconds), 2)
   end
   native.sleep(microseconds * 1e-6)
end

--- sleep(seconds): waits.
function sys.sleep(seconds)
   sys.usleep(seconds * 1e6)
end

-- ---- commands ----

local function trimmed(text)
   return text:match '^%s*(.-)%s*$'
end

--- execute(command): runs a shell command. Returns its output, including stderr, without leading
-- and trailing blanks.
function sys.execute(command)
   local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1'))
   local text = pipe:read '*a'
   pipe:close()
   return trimmed(text)
end

--- fexecute(command): like execute; Torch7's version used a file.
sys.fexecute = sys.execute

--- uname(): returns 'linux', the only supported system.
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

--- fstat(file): returns the modification time in seconds since 1970, or nil if there is no file.
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

--- split(text, pattern): returns the parts between the matches of a pattern. An empty first part is
-- omitted.
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

--- Returns the text in a color of sys.COLORS.
function sys.colorize(text, color)
   return (sys.COLORS[color] or '') .. text .. sys.COLORS.none
end

if rawget(_G, 'sys') == nil then
   rawset(_G, 'sys', sys)
end

return sys
