-- paths: file names and directories, with the API of Torch7's package paths.

local versions = require 'tensor.versions'

local paths = {}

-- Returns LuaFileSystem, which is loaded on first use.
local function lfs()
   local found, library = pcall(versions.require, 'lfs')
   if not found then
      error('paths: LuaFileSystem is needed and not found; install it with "apt-get install '
            .. 'lua-filesystem" or "luarocks install luafilesystem"', 3)
   end
   return library
end

-- Returns a name as a string. A number is accepted, as in paths.concat(folder, epoch).
local function check(name, value, position)
   if type(value) == 'number' then
      return tostring(value)
   elseif type(value) ~= 'string' then
      error(('paths.%s: argument %d must be a name, got %s')
            :format(name, position or 1, type(value)), 3)
   end
   return value
end

-- ---- names ----

local function first_line(command)
   local pipe = assert(io.popen(command .. ' 2>/dev/null'))
   local line = pipe:read '*l'
   pipe:close()
   return line or ''
end

--- cwd(): returns the current directory.
function paths.cwd()
   local found, library = pcall(versions.require, 'lfs')
   if found then
      return (library.currentdir())
   end
   -- include and concat need only this, so they work without LuaFileSystem.
   return first_line 'pwd -P'
end

--- basename(name [, suffix]): returns the last part of a name, without the suffix:
-- basename('a/b.c', 'c') is 'b'.
function paths.basename(name, suffix)
   local base = check('basename', name):gsub('/+$', ''):match '[^/]*$'
   suffix = suffix and suffix:gsub('^%.', '') or ''
   local stem = #base - #suffix - 1
   if suffix ~= '' and stem >= 0 and base:sub(stem + 1) == '.' .. suffix then
      base = base:sub(1, stem)
   end
   return base
end

--- dirname(name): returns the name without its last part; '.' if it has one part, '/' for '/'.
function paths.dirname(name)
   name = check('dirname', name)
   local stripped = name:gsub('/+$', '')
   if stripped == '' then
      return name:sub(1, 1) == '/' and name or '.'
   end
   local folder = stripped:match '^(.*)/[^/]*$'
   if not folder then
      return '.'
   end
   folder = folder:gsub('/+$', '')
   return folder == '' and '/' or folder
end

--- extname(name): returns the text after the last dot, or nothing.
function paths.extname(name)
   return check('extname', name):match '%.([^./]*)$'
end

--- concat(...): returns an absolute name. Each part is relative to the parts before it. '.' and
-- '..' are resolved.
function paths.concat(...)
   local parts = {}
   local function follow(name)
      if name:sub(1, 1) == '/' then
         parts = {}
      end
      for part in name:gmatch '[^/]+' do
         if part == '..' then
            parts[#parts] = nil
         elseif part ~= '.' then
            parts[#parts + 1] = part
         end
      end
   end
   local count, first = select('#', ...), ...
   if count == 0 or check('concat', first):sub(1, 1) ~= '/' then
      follow(paths.cwd())
   end
   for k = 1, count do
      follow(check('concat', (select(k, ...)), k))
   end
   return '/' .. table.concat(parts, '/')
end

-- ---- files and folders ----

--- filep(name): returns true if there is a file of this name that is not a directory.
function paths.filep(name)
   local mode = lfs().attributes(check('filep', name), 'mode')
   return mode ~= nil and mode ~= 'directory'
end

--- dirp(name): returns true if there is a directory of this name.
function paths.dirp(name)
   return lfs().attributes(check('dirp', name), 'mode') == 'directory'
end

--- dir(name): returns a sorted table of the names in a directory, including '.' and '..'. Returns
-- nil if there is no such directory.
function paths.dir(folder)
   if not paths.dirp(check('dir', folder)) then
      return nil
   end
   local names = {}
   local opened, iterate, state = pcall(lfs().dir, folder)
   if not opened then
      return nil
   end
   for name in iterate, state do
      names[#names + 1] = name
   end
   table.sort(names)
   return names
end

--- files(directory [, filter]): iterates over the names in a directory. filter: a pattern, or a
-- function that returns true.
function paths.files(folder, accept)
   if type(accept) == 'string' then
      local pattern = accept
      accept = function(name) return name:find(pattern) end
   elseif accept ~= nil and not versions.is_callable(accept) then
      error('paths.files: a pattern or a function is expected, got ' .. type(accept), 2)
   end
   local names, k = paths.dir(folder) or {}, 0
   return function()
      repeat
         k = k + 1
      until names[k] == nil or not accept or accept(names[k])
      return names[k]
   end
end

--- iterdirs(directory): iterates over the directories in a directory.
function paths.iterdirs(folder)
   return paths.files(folder, function(name)
      return name ~= '.' and name ~= '..' and paths.dirp(folder .. '/' .. name)
   end)
end

--- iterfiles(directory): iterates over the files in a directory.
function paths.iterfiles(folder)
   return paths.files(folder, function(name)
      return paths.filep(folder .. '/' .. name)
   end)
end

--- mkdir(name): creates a directory and its missing parents. Returns true, or nil and a message.
function paths.mkdir(name)
   name = check('mkdir', name)
   local around = paths.dirname(name)
   if around ~= name and not paths.dirp(around) then
      local made, failure, code = paths.mkdir(around)
      if not made then
         return made, failure, code
      end
   end
   local made, failure, code = lfs().mkdir(name)
   if made then
      return true
   end
   return nil, ('%s: %s'):format(name, failure), code
end

--- rmdir(name): removes an empty directory. Returns true, or nil and a message.
function paths.rmdir(name)
   local removed, failure, code = lfs().rmdir(check('rmdir', name))
   if removed then
      return true
   end
   return nil, ('%s: %s'):format(name, failure), code
end

--- rmall(name, sure): removes a file, or a directory with its contents. sure must be 'yes'. Links
-- are removed, not followed.
function paths.rmall(name, sure)
   check('rmall', name)
   if sure ~= 'yes' then
      return nil, "missing second argument ('yes')"
   end
   local mode = lfs().symlinkattributes(name, 'mode')
   if not mode then
      return nil, 'not a file or directory', name
   elseif mode ~= 'directory' then
      return os.remove(name)
   end
   for inner in paths.files(name) do
      if inner ~= '.' and inner ~= '..' then
         local path = name .. '/' .. inner
         local removed, failure = paths.rmall(path, sure)
         if not removed then
            return nil, failure, path
         end
      end
   end
   return paths.rmdir(name)
end

-- The files to remove when the Lua state is closed.
local temporary

--- tmpname(): returns the name of a temporary file, which is removed when the Lua state is closed.
function paths.tmpname()
   if not temporary then
      local names = {}
      temporary = {names = names, sentinel = versions.at_end(function()
         for _, name in ipairs(names) do
            os.remove(name)
         end
      end)}
   end
   local name = os.tmpname()
   table.insert(temporary.names, name)
   return name
end

-- ---- the running program ----

--- thisfile([name]): returns the absolute name of the calling file, or of a name in its directory.
function paths.thisfile(name, depth)
   local source = debug.getinfo(depth or 2, 'S').source
   local file = source:sub(1, 1) == '@' and paths.concat(source:sub(2)) or nil
   if type(name) == 'string' then
      return file and paths.concat(paths.dirname(file), name) or name
   end
   return file
end

--- dofile(name): runs a file in the directory of the calling file.
function paths.dofile(name, depth)
   local file = paths.thisfile(nil, 1 + (depth or 2))
   if file then
      name = paths.concat(paths.dirname(file), name)
   end
   return dofile(name)
end

--- require(name): loads a C module and makes its symbols visible to modules loaded later.
function paths.require(name)
   if package.loaded[name] ~= nil then
      return package.loaded[name]
   end
   local path = versions.searchpath(check('require', name), package.cpath)
   if not path then
      return require(name)
   end
   versions.require 'tensor.native'.load_global(path)
   local open, failure = package.loadlib(path, 'luaopen_' .. name:gsub('%.', '_'))
   if not open then
      error(('paths.require: %s'):format(failure), 2)
   end
   local result = open(name)
   if result ~= nil then
      package.loaded[name] = result
   elseif package.loaded[name] == nil then
      package.loaded[name] = true
   end
   return package.loaded[name]
end

--- findprogram(...): returns the first of these programs found on the PATH, or nil.
function paths.findprogram(...)
   for k = 1, select('#', ...) do
      local program = check('findprogram', (select(k, ...)), k)
      for folder in (os.getenv 'PATH' or '.'):gmatch '[^:]+' do
         local path = paths.concat(folder, program)
         if paths.filep(path) then
            return path
         end
      end
   end
end

--- uname(): returns the names of system, host and machine: 'Linux', 'host', 'x86_64'.
function paths.uname()
   return first_line 'uname -s', first_line 'uname -n', first_line 'uname -m'
end

--- Returns the directory of the running interpreter, or nil.
function paths.execdir()
   local arg, k = rawget(_G, 'arg'), 0
   while arg and arg[k - 1] do
      k = k - 1
   end
   local program = arg and arg[k]
   local found = program and (program:find '/' and paths.concat(program)
                              or paths.findprogram(program))
   return found and paths.dirname(found) or nil
end

function paths.is_win()
   return false
end

function paths.is_mac()
   local jit = rawget(_G, 'jit')
   return jit and jit.os == 'OSX' or false
end

paths.home = os.getenv 'HOME' or '.'

-- The directories of Lua and C packages, relative to this module in <prefix>/share/lua/5.1.
local own = debug.getinfo(1, 'S').source:match '^@(.*)/tensor/compat/[^/]*$'
if own then
   paths.install_lua_path = own
   paths.install_prefix = own:match '^(.*)/share/lua/[^/]*$'
end
if paths.install_prefix then
   local version = own:match '[^/]*$'
   paths.install_lua_cpath = paths.install_prefix .. '/lib/lua/' .. version
   paths.install_bin = paths.install_prefix .. '/bin'
   paths.install_lib = paths.install_prefix .. '/lib'
   paths.install_share = paths.install_prefix .. '/share'
   paths.install_include = paths.install_prefix .. '/include'
end

--- Runs a shell command. Returns the results of os.execute.
function paths.execute(command)
   return os.execute(command)
end

if rawget(_G, 'paths') == nil then
   rawset(_G, 'paths', paths)
end

return paths
