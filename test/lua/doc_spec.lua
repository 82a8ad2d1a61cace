-- Tests the documentation: samples run and print the documented output, links and names exist, and
-- the reference is up to date.

local child = require 'support.child'
local content = require('support.files').content
local samples = require 'support.samples'
local tensor = require 'tensor'
local rules = require 'support.rules'

local prefix = assert(os.getenv 'TENSOR_PREFIX', 'TENSOR_PREFIX names what is installed')

local files = { 'README.md', 'CONTRIBUTING.md' }
do
  local listing = assert(io.popen 'ls doc/*.md')
  for file in listing:lines() do files[#files + 1] = file end
  listing:close()
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- Trailing blank lines are invisible in Markdown, and printed tensors end with one.
local function trimmed(text) return (text:gsub('\n+$', '\n')) end

-- The methods of all tensor classes. Samples may remove some, as require 'torch' does.
local methods = {}
for _, element in ipairs(require 'tensor.types') do
  local class = tensor.getmetatable(('torch.%sTensor'):format(element.name))
  methods[class] = {}
  for name, method in pairs(class) do methods[class][name] = method end
end

-- Restores the settings that samples may change.
local function defaults()
  for class, fields in pairs(methods) do
    for name, method in pairs(fields) do
      if rawget(class, name) == nil then rawset(class, name, method) end
    end
  end
  tensor.setdefaulttensortype 'torch.DoubleTensor'
  tensor.setBroadcast 'numpy'
  rules.set 'tensor'
  package.loaded.torch, torch = nil, nil  -- luacheck: ignore
  tensor.setprintoptions { threshold = 1000, edgeitems = 3, precision = 4 }
  -- Samples that print memory usage must not see garbage of earlier samples.
  collectgarbage()
  collectgarbage()
end

local targets = {}
for names in ('\n' .. content 'Makefile'):gmatch '\n([%w -]+):' do
  for name in names:gmatch '%S+' do targets[name] = true end
end
local presets = content 'CMakePresets.json'

-- The commands allowed in shell samples, with a check that the words after them exist.
local commands = {
  make = function(word) return word:find '=' or targets[word] end,
  cmake = function(word, previous)
    return previous ~= '--preset' or presets:find(('"name": "%s"'):format(word), 1, true)
  end,
  git = function() return true end,
  cd = function() return true end,
  cc = function() return true end,
  sudo = function() return true end,
  luarocks = function(word) return not word:find '/' or exists(word) end,
  luajit = function(word) return not word:find '/.*%.lua$' or exists(word) end,
  tensor = function(word) return not word:find '/.*%.lua$' or exists(word) end,
  eval = function() return true end,
  export = function() return true end,
  ['./program'] = function() return true end,
}
commands.ctest = commands.cmake
commands['build/prefix/bin/tensor'] = commands.tensor

local function check_shell(line)
  local words = {}
  for word in line:gsub('%s#.*', ''):gmatch '%S+' do words[#words + 1] = word end
  while words[1] and words[1]:find '^[%u%d_]+=' do table.remove(words, 1) end
  local command = words[1]
  if not command or command:find '^#' then return end
  if command:find '/' and not commands[command] then
    assert.is_true(exists(command), 'missing file: ' .. command)
    return
  end
  assert.is_function(commands[command], 'invalid command in a sample: ' .. command)
  for k = 2, #words do
    if not words[k]:find '^%-' then
      assert.is_truthy(commands[command](words[k], words[k - 1]), line .. ': ' .. words[k])
    end
  end
end

-- Only samples with these commands are run, not those that build or install.
local runs = { cc = true, export = true, eval = true, luajit = true, tensor = true,
               ['./program'] = true, ['build/prefix/bin/tensor'] = true }

local function is_run(sample)
  for _, line in ipairs(sample.lines) do
    if not runs[line:match '^%S+'] or line:find 'scripts/' then return false end
  end
  return true
end

-- Returns the C program that a shell sample refers to: the last one before it, or the first one
-- after it.
local function program_of(sample, all)
  local found
  for _, other in ipairs(all) do
    if other.language == 'c' and other.text:find '%f[%w_]main%(' then
      if other.line > sample.line then return found or other end
      found = other
    end
  end
  return found
end

for _, path in ipairs(files) do
  describe(path, function()
    local folder, remove, cpath

    setup(function()
      folder, remove = samples.folder()
      cpath = package.cpath
      package.cpath = folder .. '/?.so;' .. cpath
    end)
    teardown(function()
      package.cpath = cpath
      remove()
    end)
    before_each(defaults)
    after_each(defaults)

    local all = samples.read(path)
    for _, sample in ipairs(all) do
      local name = ('line %d: %s'):format(sample.line, sample.language)
      local function compare(output)
        if sample.expected then assert.are.equal(trimmed(sample.expected), trimmed(output)) end
      end
      if sample.picture then
        it(name .. ', picture', function()
          local file = assert(io.open(sample.picture))
          local want = file:read '*a'
          file:close()
          local message = 'make it with scripts/make-pictures.lua: ' .. sample.picture
          assert.is_nil(samples.picture_difference(samples.picture_of_lua(sample), want), message)
        end)
      elseif sample.language == 'lua' then
        it(name, function()
          -- cutorch changes the class names of tensors on devices in the whole process.
          if path == 'doc/cutorch.md' then
            return compare((child.run(sample.text, { before = 'export TENSOR_DEVICE=soft' })))
          end
          -- Samples about the REPL have its globals.
          local globals = path == 'doc/repl.md' and { tensor = tensor, torch = tensor } or {}
          compare(samples.output_of_lua(sample.text, globals))
        end)
      elseif sample.language == 'c' or sample.language == 'cpp' then
        it(name, function()
          compare((samples.build_c(sample.text, folder, prefix, sample.language)))
        end)
      elseif sample.language == 'sh' then
        it(name, function()
          for _, line in ipairs(sample.lines) do check_shell(line) end
        end)
        if is_run(sample) then
          it(name .. ', run', function()
            local program = program_of(sample, all) or {}
            local output = samples.run_shell(sample.text, program.text, folder, prefix)
            -- Warnings of the linker about a sanitizer's library are not part of the sample's
            -- output.
            output = output:gsub('[^\n]*/ld: [^\n]*warning: [^\n]*\n', '')
            if sample.expected or sample.text:find('./program', 1, true) then
              assert.are.equal(trimmed(sample.expected or program.expected), trimmed(output))
            end
          end)
        end
      end
    end

    it('links files that are there', function()
      local base = path:match '^.*/' or ''
      for _, target in ipairs(samples.links(path)) do
        assert.is_true(exists(base .. target), target)
      end
    end)
  end)
end

describe('the reference', function()
  local pages = assert(loadfile 'scripts/make-reference.lua')()

  it('is what scripts/make-reference.lua generates', function()
    local written, generated = { 'differences.md', 'reference.md' }, {}
    local listing = assert(io.popen 'cd doc && ls reference/*')
    for name in listing:lines() do written[#written + 1] = name end
    listing:close()
    for name in pairs(pages) do generated[#generated + 1] = name end
    table.sort(written)
    table.sort(generated)
    assert.are.same(generated, written)
    for name, text in pairs(pages) do
      assert.is_true(content('doc/' .. name) == text,
                     'doc/' .. name .. ' is out of date: scripts/make-reference.lua generates it')
    end
  end)

  it('has an entry for every Lua name of the op table', function()
    for _, row in ipairs(tensor._optable()) do
      if row.lua ~= '' then
        local link = ('[%s](reference/'):format(row.lua)
        local page = pages['reference.md']:match(link:gsub('%p', '%%%0') .. '([^#]*)#')
        assert.is_truthy(page, row.lua)
        local heading = '\n## ' .. row.lua .. '\n'
        assert.is_truthy(pages['reference/' .. page]:find(heading, 1, true), row.lua)
      end
    end
  end)

  it('links to files that exist', function()
    for name in pairs(pages) do
      local folder = 'doc/' .. (name:match '^.*/' or '')
      for _, target in ipairs(samples.links('doc/' .. name)) do
        assert.is_true(exists(folder .. target), name .. ': ' .. target)
      end
    end
  end)
end)

describe('doc/README.md', function()
  it('names every document', function()
    local index = content 'doc/README.md'
    for _, path in ipairs(files) do
      local name = path:match '^doc/(.*)$'
      if name and name ~= 'README.md' then
        assert.is_truthy(index:find('(' .. name .. ')', 1, true), name)
      end
    end
  end)
end)

describe('doc/from-pytorch.md', function()
  it('has no expression that overwrites an operand and then uses it', function()
    for name in content('doc/from-pytorch.md'):gmatch '%f[%w]t:(%a+)%(%):%a' do
      local t = tensor.Tensor{-0.5}
      pcall(t[name], t)
      assert.are.equal(-0.5, t[1], name)
    end
  end)
end)
