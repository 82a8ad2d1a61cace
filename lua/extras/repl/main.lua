-- The program `tensor`: options, scripts, and the REPL. bin/tensor calls it with its own name, the
-- folders of the Lua and C modules (empty: the environment names them), and its arguments.

local USAGE = [=[
usage: tensor [options] [script [arguments]]
       tensor env

Runs a script, or without one a REPL, with the module tensor at hand.

  -n count  run count processes on this machine, for require 'tensor.dist';
            before the other options
  -e code   run code
  -i        enter the REPL after the script or code (also --interactive)
  --torch7  behave as Torch7's program th: require 'torch' first, with the
            globals torch, path, paths, lfs, sys and xlua
  -l name   require the module `name`
  -v        print the versions of tensor, Lua and BLAS (also --version)
  -h        print this text (also --help)
  -         run what stands on stdin as a script
  --        the end of the options

tensor env prints shell commands that let the plain luajit find the module:
  eval "$(tensor env)"
In the REPL and for -e the module is in the globals `tensor` and `torch`; scripts require it.
The program th is tensor --torch7.
]=]

local program, lua_dir, c_dir = ...
local arguments = {select(4, ...)}

local function lua_templates()
  return ('%s/?.lua;%s/?/init.lua'):format(lua_dir, lua_dir)
end

local separator = (lua_dir .. c_dir):match '[;?]'
if separator then
  io.stderr:write(("tensor: Lua cannot load modules from a path with '%s': %s\n")
                  :format(separator, lua_dir))
  os.exit(1)
end

if lua_dir ~= '' then
  package.path = lua_templates() .. ';' .. package.path
  if c_dir ~= '' then
    package.cpath = c_dir .. '/?.so;' .. package.cpath
  end
end

local _ENV = require 'tensor.repl.globals'()
if setfenv then
  setfenv(1, _ENV)
end

local interrupt = require 'tensor.repl.interrupt'
local output = require 'tensor.repl.output'
local trace = require 'tensor.repl.trace'
local versions = require 'tensor.versions'

local function complain(...)
  output.flush()
  -- One write, because other ranks may write to the same terminal.
  io.stderr:write(table.concat {'tensor: ', ...} .. '\n')
end

local function fail_usage(...)
  complain(...)
  io.stderr:write('tensor -h tells the options\n')
  os.exit(2, true)
end

-- Parses the arguments: a list of actions, flags, and the position of the script.
local function parse(args)
  local parsed = {actions = {}}
  local i = 1
  while args[i] do
    local option = args[i]
    if option == '--' then
      i = i + 1
      break
    elseif option == '-' or option:sub(1, 1) ~= '-' then
      break
    elseif option == '-h' or option == '--help' then
      parsed.help = true
    elseif option == '-v' or option == '--version' then
      parsed.version = true
    elseif option == '--torch7' then
      parsed.torch7 = true
    elseif option == '-i' or option == '--interactive' then
      parsed.interactive = true
    elseif option:find('^%-[el]') then
      local value = option:sub(3)
      if value == '' then
        i = i + 1
        value = args[i]
      end
      if not value then
        fail_usage(("option '%s' needs an argument"):format(option))
      end
      parsed.actions[#parsed.actions + 1] = {kind = option:sub(2, 2), value = value}
    else
      fail_usage(("unknown option '%s'"):format(option))
    end
    i = i + 1
  end
  parsed.script = args[i] and i
  return parsed
end

-- Sets the global `arg` like luajit: the script at 0, its arguments from 1 on, the others below 0.
local function arg_table(args, script)
  local zero = script or 0
  local result = {[-zero] = program}
  for i, value in ipairs(args) do
    result[i - zero] = value
  end
  return result
end

-- The rank of this process, for messages of programs with several processes.
local function rank_text()
  local dist = package.loaded['tensor.dist']
  return dist and dist.isParallel() and ('rank %d: '):format(dist.rank()) or ''
end

local function report(message)
  if message then
    local hint = versions.require 'tensor.repl.hints'.of(message, _G)
    complain(rank_text(), message, hint and '\ntensor: ' .. hint or '')
  end
  return not message
end

-- Runs a chunk, or reports why it could not be compiled. Returns true if there was no error.
local function run(chunk, message, ...)
  if not chunk then
    return report(message)
  end
  return interrupt.call(function(...)
    return report(select(2, trace.call(chunk, ...)))
  end, ...)
end

local function load_tensor()
  local ok, tensor = pcall(require, 'tensor')
  if ok then
    return tensor
  end
  complain(tostring(tensor))
  return nil
end

-- The globals that Torch7's th had in addition to those of torch, and their modules. If a module is
-- not installed, its global is nil.
local th_globals = {path = 'pl.path', lfs = 'lfs', sys = 'sys', xlua = 'xlua'}

local function set_th_globals()
  require 'torch'
  for global, name in versions.each(th_globals) do
    if rawget(_G, global) == nil then
      local found, module = pcall(require, name)
      if found then
        rawset(_G, global, module)
      end
    end
  end
end

-- Prints two lines: the versions, and how to get help.
local function banner(tensor)
  local paint = require 'tensor.repl.paint'
  local info = type(tensor.info) == 'function' and tensor.info() or {}
  local parts = {versions.name}
  if info.blas then
    parts[#parts + 1] = (info.blas:gsub('[,;(].*$', ''):gsub('%s+$', ''))
  end
  if tensor.getnumthreads then
    local threads = tensor.getnumthreads()
    parts[#parts + 1] = ('%d thread%s'):format(threads, threads == 1 and '' or 's')
  end
  local names = {'cpu'}
  for _, device in ipairs(type(tensor.devices) == 'function' and tensor.devices() or {}) do
    names[#names + 1] = device.name
  end
  parts[#parts + 1] = (#names > 1 and 'devices: ' or 'device: ') .. table.concat(names, ' ')
  io.stdout:write(paint.text('name', 'tensor ' .. tostring(tensor._VERSION or info.version or '?')),
                  ' with ', table.concat(parts, ', '), '\n',
                  '?name explains, ? lists names, :help is on the prompt, Ctrl-D leaves\n')
end

local function print_version()
  local tensor = load_tensor()
  if not tensor then
    return false
  end
  local info = type(tensor.info) == 'function' and tensor.info() or {}
  local version = tensor._VERSION or info.version or 'of unknown version'
  io.stdout:write(('tensor %s\n%s%s\n'):format(version, versions.name,
                                              versions.arch and ', ' .. versions.arch or ''))
  if info.blas then
    io.stdout:write(info.blas, '\n')
  end
  return true
end

-- Prints the environment variables with which luajit finds the module.
local function print_environment()
  local function export(name, templates, searched)
    local value = os.getenv(name)
    if templates == '' then
      -- The environment or a LuaRocks wrapper has set the search path.
      value = searched
    elseif not value then
      value = templates .. ';;'
    elseif (value .. ';'):sub(1, #templates + 1) ~= templates .. ';' then
      value = templates .. ';' .. value
    end
    io.stdout:write(('export %s=\'%s\'\n'):format(name, (value:gsub("'", "'\\''"))))
  end
  export('LUA_PATH', lua_dir ~= '' and lua_templates() or '', package.path)
  export('LUA_CPATH', c_dir ~= '' and c_dir .. '/?.so' or '', package.cpath)
end

-- Runs the REPL. Returns true if no input failed, or if a user at a terminal saw the errors. ok:
-- false if the script before it failed.
local function repl(ok)
  local edit = require 'tensor.repl.edit'
  local history = require 'tensor.repl.history'
  local loop = require 'tensor.repl.loop'
  local paint = require 'tensor.repl.paint'

  local editor = edit.new(_G, loop.incomplete)
  local terminal = edit.stdin_is_terminal()
  local past = terminal and history.open(history.path())
  if past then
    for _, line in ipairs(past.lines) do
      editor.remember(line)
    end
  end
  paint.setup(edit.interactive(), edit.stderr_is_terminal())
  if edit.interactive() then
    banner(package.loaded.tensor)
  end
  local failures = loop.run {
    read = editor.read,
    is_piped = not terminal,
    drop_paste = editor.drop_paste,
    write = function(...)
      io.stdout:write(...)
    end,
    write_error = function(...)
      output.flush()
      io.stderr:write(...)
    end,
    graphics = edit.interactive() and function()
      local graphics = versions.require 'tensor.plot.graphics'
      local kind = graphics.detect()
      editor.type(graphics.take_typed())
      if kind or os.getenv 'TENSOR_PLOT' == 'text' then
        return kind
      end
      return versions.require 'tensor.plot.screen'.mode_of_terminal(os.getenv)
    end or nil,
    remember = function(line)
      if past and past.add(line) then
        editor.remember(line)
      end
    end,
  }
  if editor.failure then
    complain('cannot read stdin: ', editor.failure)
  end
  return terminal or ok and failures == 0 and not editor.failure
end

local function main()
  if arguments[1] == 'env' then
    if arguments[2] then
      fail_usage(("env: too many arguments: '%s'"):format(arguments[2]))
    end
    print_environment()
    return true
  end
  local parsed = parse(arguments)
  if parsed.help then
    local plain = rawget(_G, 'jit') and 'luajit' or 'lua' .. _VERSION:match '%d.%d'
    io.stdout:write((USAGE:gsub('luajit', plain)))
    return true
  end
  if parsed.version and not print_version() then
    return false
  end

  local executes = false
  for _, action in ipairs(parsed.actions) do
    executes = executes or action.kind == 'e'
  end
  local interactive = parsed.interactive
                      or not parsed.script and not executes and not parsed.version
  if interactive or executes or parsed.torch7 then
    local tensor = load_tensor()
    if not tensor then
      return false
    end
    if parsed.torch7 then
      set_th_globals()
    end
    if interactive or executes then
      rawset(_G, 'tensor', tensor)
      rawset(_G, 'torch', tensor)
      rawset(_G, 'help', tensor.help)
    end
  end
  if interactive then
    if require 'tensor.repl.edit'.stdin_is_terminal() then
      interrupt.setup(package.loaded.tensor)
    end
  end

  -- A program for Torch7 may require any of its packages first.
  pcall(require, 'tensor.compat.searcher')
  rawset(_G, 'arg', arg_table(arguments, parsed.script))
  local ok = true
  for _, action in ipairs(parsed.actions) do
    if action.kind == 'e' then
      ok = run(versions.load(action.value, '=(command line)'))
    else
      ok = run(require, nil, action.value)
    end
    if not ok then
      break
    end
  end
  if ok and parsed.script then
    local name = arguments[parsed.script]
    local chunk, message = loadfile(name ~= '-' and name or nil)
    ok = run(chunk, message, versions.unpack(arguments, parsed.script + 1))
  end
  if not parsed.interactive and not ok then
    return false
  end
  if interactive then
    return repl(ok)
  end
  return true
end

local done = main()
local failure = output.finish()
if failure then
  complain('cannot write to stdout: ', failure)
end
if not done then
  -- Other ranks of the program may wait for this one.
  local dist = package.loaded['tensor.dist']
  if dist and dist.isParallel() then
    dist.abort()
  end
end
if failure or not done then
  os.exit(1, true)
end
