-- Code samples in Markdown files, and functions that run them.

local tensor = require 'tensor'
local files = require 'support.files'

local samples = {}

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

--- Returns the fenced samples of a file: language, text, and line number of the first line. A
-- following block of language `text`, separated only by blank lines, is stored as `expected`, and
-- the path of a following SVG picture as `picture`.
function samples.read(path)
  local found, current, previous = {}, nil, nil
  for number, line in ipairs(lines_of(path)) do
    local fence, language = line:match('^%s*(```+)(.*)$')
    if current and fence and language == '' then
      current.text = table.concat(current.lines, '\n') .. '\n'
      if current.language == 'text' and previous then
        previous.expected = current.text
        previous = nil
      elseif current.language ~= 'text' then
        found[#found + 1] = current
        previous = current
      end
      current = nil
    elseif current then
      current.lines[#current.lines + 1] = line
    elseif fence then
      current = { language = language, line = number + 1, path = path, lines = {} }
    elseif line:find '%S' then
      local picture = line:match '^!%[[^%]]*%]%((.-%.svg)%)'
      if previous and picture then
        previous.picture = (path:match '^.*/' or '') .. picture
      end
      previous = nil
    end
  end
  assert(not current, path .. ': a sample does not end')
  return found
end

--- Returns the targets of links to files, relative to the folder of the linking file.
function samples.links(path)
  local found, fenced = {}, false
  for _, line in ipairs(lines_of(path)) do
    if line:find '^%s*```' then fenced = not fenced end
    if not fenced then
      for target in line:gmatch '%]%(([^)%s]+)%)' do
        local file = target:match '^[^#]*'
        if file ~= '' and not file:find '^%a+:' then found[#found + 1] = file end
      end
    end
  end
  return found
end

--- Returns the output of a Lua sample that runs with separate globals, initialized from `globals`.
-- Raises the sample's errors.
function samples.output_of_lua(text, globals)
  local out = {}
  globals = setmetatable(globals or {}, { __index = _G })
  function globals.print(...)
    local cells = {}
    for k = 1, select('#', ...) do cells[k] = tostring((select(k, ...))) end
    out[#out + 1] = table.concat(cells, '\t') .. '\n'
  end
  globals.io = setmetatable({
    write = function(...)
      for k = 1, select('#', ...) do out[#out + 1] = tostring((select(k, ...))) end
    end,
  }, { __index = io })
  local chunk = assert(loadstring(text, '@example.lua'))
  -- Output that modules write on behalf of the sample belongs to the sample.
  local write = io.write
  io.write = globals.io.write  -- luacheck: ignore 122
  local ok, message = pcall(setfenv(chunk, globals))
  io.write = write  -- luacheck: ignore 122
  if not ok then error(message, 0) end
  return table.concat(out)
end

--- Runs a Lua sample that saves the picture sample.picture. Returns the file's text. The sample
-- names the file without a folder; it is written to a temporary one.
function samples.picture_of_lua(sample)
  local folder, remove = samples.folder()
  local name = sample.picture:match '[^/]*$'
  local text, count = sample.text:gsub("'" .. name:gsub('%p', '%%%0') .. "'",
                                       function() return ('%q'):format(folder .. '/' .. name) end)
  assert(count == 1, 'the sample does not save ' .. name)
  local done, message = pcall(samples.output_of_lua, text)
  local file = io.open(folder .. '/' .. name)
  local picture = file and file:read '*a'
  if file then file:close() end
  remove()
  if not done then error(message, 0) end
  return assert(picture, 'the sample did not write ' .. name)
end

local digits = {}
for k = 1, 64 do
  local digit = ('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'):sub(k, k)
  digits[digit] = k - 1
end

-- Returns the pixels of a PNG file that is written in base64.
local function pixels_of(text)
  local bytes = text:gsub('....', function(four)
    local n = 0
    for digit in four:gmatch '.' do n = n * 64 + (digits[digit] or 0) end
    return string.char(math.floor(n / 65536), math.floor(n / 256) % 256, n % 256)
  end)
  local padding = #text:match '=*$'
  local name = os.tmpname()
  files.write(name .. '.png', bytes:sub(1, #bytes - padding))
  local pixels = tensor.load(name .. '.png', {type = 'Byte'})
  os.remove(name .. '.png')
  os.remove(name)
  return pixels
end

--- Returns nil if two SVG files are the same but for rounding errors of positions and for the
-- compression of images, otherwise a description of the difference.
function samples.picture_difference(got, want)
  local image, number = ';base64,([%w+/=]+)', '%-?%d+%.?%d*'
  local next_image = want:gmatch(image)
  for text in got:gmatch(image) do
    local other = next_image()
    if not other or not pixels_of(text):equal(pixels_of(other)) then
      return 'an image has other pixels'
    end
  end
  got, want = got:gsub(image, ''), want:gsub(image, '')
  if got:gsub(number, '#') ~= want:gsub(number, '#') then return 'other elements are drawn' end
  local next_number = want:gmatch(number)
  for text in got:gmatch(number) do
    local other = next_number()
    if math.abs(tonumber(text) - tonumber(other)) > 0.05 then
      return ('%s instead of %s'):format(text, other)
    end
  end
end

local function command_output(command)
  local pipe = assert(io.popen(command .. ' 2>&1; echo "status $?"'))
  local all = pipe:read '*a'
  pipe:close()
  local text, status = all:match '^(.*)status (%d+)\n$'
  return text, tonumber(status)
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Creates an empty folder. Returns its path and a function that removes it.
function samples.folder()
  local path = files.new_folder()
  return path, function() os.execute('rm -rf ' .. quoted(path)) end
end

--- Compiles a C or C++ sample in a folder. A sample with main is run, and its output is returned. A
-- sample with luaopen_<name> is built as a module in the folder, and its name is returned.
function samples.build_c(text, folder, prefix, language)
  local is_cpp = language == 'cpp'
  local source = folder .. (is_cpp and '/sample.cc' or '/sample.c')
  files.write(source, text)
  local packages, library = 'TH', ''
  if text:find '#include <luaT.h>' then
    packages, library = 'TH luajit', ' -lluaT'
  end
  -- A sanitizer preloaded into this process must not be loaded into the compiler.
  local compiler = ('env -u LD_PRELOAD %s -pedantic-errors -Wall -Wextra -Werror %s')
    :format(is_cpp and (os.getenv 'CXX' or 'c++') .. ' -std=c++11' or
            (os.getenv 'CC' or 'cc') .. ' -std=c99', quoted(source))
  local flags = ('$(PKG_CONFIG_PATH=%s:$PKG_CONFIG_PATH env -u LD_PRELOAD pkg-config %%s %s)')
    :format(quoted(prefix .. '/lib/pkgconfig'), packages)
  local module = text:match 'luaopen_([%w_]+)'
  local program, mode = folder .. '/program', ''
  if module then
    program, mode = ('%s/%s.so'):format(folder, module), ' -shared -fPIC'
  elseif not text:find '%f[%w_]main%(' then
    program, mode = folder .. '/sample.o', ' -c'
  end
  -- -I: a sample may include itself, once for each element type.
  local command = ('%s%s -I%s %s -o %s'):format(compiler, mode, quoted(folder),
                                                flags:format '--cflags', quoted(program))
  if mode ~= ' -c' then
    -- Modules find Lua's functions in the program that loads them.
    command = ('%s %s%s -lm -Wl,-rpath,%s'):format(command,
      module and '-L' .. quoted(prefix .. '/lib') or flags:format '--libs', library,
      quoted(prefix .. '/lib'))
  end
  local message, status = command_output(command)
  if status ~= 0 then error(message, 0) end
  if mode ~= '' then return '', module end
  local output
  output, status = command_output(quoted(program))
  if status ~= 0 then error(('status %d: %s'):format(status, output), 0) end
  return output
end

--- Runs a shell sample in a folder that looks like a clone after `make demo`, where a file contains
-- a C program: program.c, or the name by which the program includes itself. Returns its output.
function samples.run_shell(text, program, folder, prefix)
  -- As in samples.build_c, do not load a sanitizer into the tools.
  local setup = {
    'set -e',
    'cd ' .. quoted(folder),
    'mkdir -p tools build',
    'ln -sfn ' .. quoted(prefix) .. ' build/prefix',
  }
  for _, tool in ipairs { 'cc', 'pkg-config' } do
    setup[#setup + 1] = ([[
      echo '#!/bin/sh' >tools/%s
      echo 'exec env -u LD_PRELOAD' "$(command -v %s)" '"$@"' >>tools/%s
      chmod +x tools/%s]]):gsub('%%s', tool)
  end
  setup[#setup + 1] = 'PATH=$PWD/tools:$PWD/build/prefix/bin:$PATH'
  program = program or ''
  local source = program:match 'TH_GENERIC_FILE "([%w_.]+)"' or 'program.c'
  files.write(('%s/%s'):format(folder, source), program)
  files.write(folder .. '/train.lua', "assert(require 'tensor'.ones(2):sum() == 2)\n")
  local output, status = command_output('{ ' .. table.concat(setup, '\n') .. '\n' .. text .. '}')
  if status ~= 0 then error(('status %d: %s'):format(status, output), 0) end
  return output
end

return samples
