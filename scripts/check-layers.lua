-- Fails if a C or C++ source includes a file that its layer may not include: scripts/layers.lua.
-- Reads the includes of all sources. With a build folder, which must be up to date, it also reads
-- the compiler's dependencies, and so finds files that are included in other ways: by a macro, by
-- an option, by a precompiled header.
-- Usage: luajit scripts/check-layers.lua [build folder [root of the sources]]
local unpack = unpack or rawget(table, 'unpack')
local here = arg[0]:match('^(.*)/') or '.'
local rules = dofile(here .. '/layers.lua')

local function read_lines(command)
  local lines = {}
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function real_path(path)
  return read_lines('realpath ' .. quoted(path))[1] or error('no such folder: ' .. path)
end

local root = real_path(arg[2] or here .. '/..')
local build = arg[1] and arg[1] ~= '' and real_path(arg[1])

local problems = {}
local reported = {}
local function complain(format, ...)
  local text = format:format(...)
  if reported[text] then return end
  reported[text] = true
  problems[#problems + 1] = text
end

-- ---- layers ------------------------------------------------------------------------------------

local function matches(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

local function set_of(names)
  local set = {}
  for _, name in ipairs(names or {}) do set[name] = true end
  return set
end

local kLayers = {}
for place, row in ipairs(rules.layers) do
  kLayers[place] = { place = place, name = row[1], patterns = { unpack(row, 2) },
                     only = row.only and set_of(row.only), uses = row.uses and set_of(row.uses) }
end
local kTests = { name = 'tests' }

local function layer_of(path)
  for _, layer in ipairs(kLayers) do
    if matches(path, layer.patterns) then return layer end
  end
  return matches(path, rules.tests) and kTests or nil
end

-- Returns false if a rule forbids `from` to include `to`; also returns the names of their layers.
local function may_include(from, to)
  local of, other = layer_of(from), layer_of(to)
  if not of or not other or of == kTests or of == other then return true end
  local may = other.place and other.place < of.place
  if other.only then may = may and other.only[of.name] end
  if of.uses then may = may and of.uses[other.name] end
  return may, of.name, other.name
end

local function check_include(from, line, to, how)
  local may, of, other = may_include(from, to)
  if may then return end
  complain('%s%s: %s %s: %s may not include %s', from, line and ':' .. line or '',
           how or 'includes', to, of, other)
end

local function check_external(from, line, name)
  local of = layer_of(from)
  if not of or of == kTests then return end
  for _, row in ipairs(rules.external) do
    if matches(name, row) and not set_of(row.only)[of.name] then
      complain('%s:%d: includes <%s>: %s may not include it', from, line, name, of.name)
    end
  end
end

-- ---- includes ----------------------------------------------------------------------------------

local kFolders = { 'lib/TH', 'lib', 'lib/luaT', 'generic' }

-- Removes "." and "x/.." from a path below the root.
local function normal(path)
  local parts = {}
  for part in path:gmatch('[^/]+') do
    if part == '..' then
      parts[#parts] = nil
    elseif part ~= '.' then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, '/')
end

-- Converts an absolute path to one below the root, or to generated/NAME; nil for other files.
local function inside(path)
  path = '/' .. normal(path)
  if build and path:sub(1, #build + 1) == build .. '/' then
    return (path:sub(#build + 2):match '^generated/.+')
  end
  if path:sub(1, #root + 1) == root .. '/' then return path:sub(#root + 2) end
end

local function place_of(path)
  return path:match('^generated/') and build and build .. '/' .. path or root .. '/' .. path
end

local files = {}  -- path -> true if it is a file
local function exists(path)
  if files[path] == nil then
    local file = io.open(place_of(path))
    local _, problem = false, true
    if file then
      _, problem = file:read(1)  -- fails for folders
      file:close()
    end
    files[path] = not problem
  end
  return files[path]
end

-- Returns the path below the root of an included file; nil if it is not one of ours.
local function resolve(from, name, is_quoted)
  if name:sub(1, 1) == '/' then return inside(name) end
  local own = from:match('^(.*)/') or ''
  if is_quoted and exists(normal(own .. '/' .. name)) then return normal(own .. '/' .. name) end
  for _, folder in ipairs(kFolders) do
    local path = normal(folder .. '/' .. name)
    if exists(path) then return path end
  end
  if exists('generated/' .. name) then return 'generated/' .. name end
end

-- Returns the includes of a text: {line, name, is_quoted}.
local function scan(text)
  local found = {}
  local number = 0
  local joined = text:gsub('\\\r?\n', '\1')
  for line in joined:gmatch('([^\n]*)\n?') do
    number = number + 1
    local plain, more = line:gsub('\1', '')
    if plain:find('include', 1, true) or plain:find('import', 1, true) then
      plain = plain:gsub('/%*.-%*/', ' '):gsub('^.-%*/', ''):gsub('^(%s*)%%:', '%1#')
      local word, open, name = plain:match('^%s*#%s*(%a+)[%a_]*%s*(["<])%s*([^">]+)[">]')
      if word == 'include' or word == 'import' then
        found[#found + 1] = { number, name, open == '"' }
      end
    end
    number = number + more
  end
  return found
end

local includes = {}  -- path -> list of {line, path} of our files
local function includes_of(path)
  local list = includes[path]
  if list then return list end
  list = {}
  includes[path] = list
  local file = io.open(place_of(path))
  if not file then return list end
  local text = file:read('*a')
  file:close()
  for _, found in ipairs(scan(text)) do
    local target = resolve(path, found[2], found[3])
    if target then
      list[#list + 1] = { found[1], target }
    else
      check_external(path, found[1], found[2])
    end
  end
  return list
end

local sources = read_lines('cd ' .. quoted(root) .. ' && find lib generic test bench examples ' ..
  "-type f \\( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cc' -o -name '*.cpp' " ..
  "-o -name '*.cu' -o -name '*.cuh' -o -name '*.def' -o -name '*.inc' \\) 2>/dev/null | sort")

local function check_text(path, layer)
  local rule = layer and rules.text[layer.name]
  if not rule or rule.except[path] then return end
  local number = 0
  for line in io.lines(place_of(path)) do
    number = number + 1
    for _, row in ipairs(rule) do
      if matches(line, row) then complain('%s:%d: %s %s', path, number, layer.name, row.reason) end
    end
  end
end

for _, path in ipairs(sources) do
  local layer = layer_of(path)
  if not layer then complain('%s: is in no layer of scripts/layers.lua', path) end
  for _, found in ipairs(includes_of(path)) do check_include(path, found[1], found[2]) end
  check_text(path, layer)
end

-- ---- the compiler's dependencies ---------------------------------------------------------------

-- Adds path and all that it includes, directly or not, to set.
local function add_closure(set, path)
  if set[path] then return end
  set[path] = true
  for _, found in ipairs(includes_of(path)) do add_closure(set, found[2]) end
end

-- The files that the precompiled header of an object's target includes. CMake writes it beside the
-- objects; the dependencies do not list it.
local headers = {}  -- by target
local function precompiled(object)
  local target = object:match('^(.*%.dir/)')
  if not target then return {} end
  local list = headers[target]
  if list then return list end
  list = {}
  headers[target] = list
  local file = io.open(target .. 'cmake_pch.hxx')
  if not file then return list end
  for _, found in ipairs(scan(file:read('*a'))) do
    list[#list + 1] = resolve('', found[2], false)
  end
  file:close()
  return list
end

-- Checks an object and the files that it depends on, the source among them. An object that CMake
-- makes of several sources (UNITY_BUILD) may depend on what any of them includes. Returns false if
-- the object is of an older state of the sources.
local function check_object(object, dependencies)
  local compiled = {}  -- the sources of the object
  local is_unity = object:find('/Unity/', 1, true)
  local ours = {}
  for _, dependency in ipairs(dependencies) do
    local path = inside(dependency)
    if path then
      if not exists(path) then return false end
      ours[#ours + 1] = path
      if path:find('%.c[cu]?$') and (is_unity or #compiled == 0) then
        compiled[#compiled + 1] = path
      end
    end
  end
  local source = compiled[1]
  if not source then return false end
  local explained = {}
  for _, path in ipairs(compiled) do add_closure(explained, path) end
  for _, path in ipairs(precompiled(object)) do
    check_include(source, nil, path, 'has a precompiled header that includes')
    add_closure(explained, path)
  end
  for _, path in ipairs(ours) do
    if not explained[path] then check_include(source, nil, path, 'depends on') end
  end
  return true
end

local objects = 0
local function absolute(path) return path:sub(1, 1) == '/' and path or build .. '/' .. path end
local function add_object(object, dependencies)
  if object and check_object(absolute(object), dependencies) then objects = objects + 1 end
end

local function check_ninja()
  local object
  local dependencies = {}
  for _, line in ipairs(read_lines('ninja -C ' .. quoted(build) .. ' -t deps 2>/dev/null')) do
    local path = line:match('^ +(.*)$')
    if path then
      dependencies[#dependencies + 1] = absolute(path)
    elseif line ~= '' then
      add_object(object, dependencies)
      object, dependencies = line:match('^(.-): #deps.*%(VALID%)$'), {}
    end
  end
  add_object(object, dependencies)
end

local function check_make()
  for _, name in ipairs(read_lines('find ' .. quoted(build) .. " -name '*.d' -type f")) do
    local file = assert(io.open(name))
    local text = file:read('*a'):gsub('\\\r?\n', ' '):gsub('^[^:]*:', '', 1):gsub('\n.*', '')
    file:close()
    local dependencies = {}
    for path in text:gmatch('%S+') do dependencies[#dependencies + 1] = absolute(path) end
    add_object(name:gsub('%.d$', ''), dependencies)
  end
end

if build then
  local ninja = io.open(build .. '/build.ninja')
  if ninja then ninja:close() end
  if ninja then check_ninja() else check_make() end
  if objects == 0 then complain('%s: no dependencies of an object: build it first', build) end
end

table.sort(problems)
for _, text in ipairs(problems) do io.stderr:write('check-layers: ', text, '\n') end
if #problems > 0 then os.exit(1) end
if build then print(('check-layers: %d sources, %d objects'):format(#sources, objects)) end
