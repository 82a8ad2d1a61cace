-- The directories of the Lua module, lua/core and lua/extras: what each may use.

local child = require 'support.child'
local files = require 'support.files'

local root = (debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './') .. '../..'

-- Returns the output of a shell command, including stderr, and its exit status.
local function shell(command)
  local pipe = assert(io.popen(('{ %s\n} 2>&1; echo "status=$?"'):format(command)))
  local text = pipe:read '*a'
  pipe:close()
  local output, status = text:match '^(.*)status=(%d+)\n$'
  return output, tonumber(status)
end

local write_file = files.write

describe('the directories of lua/', function()
  local work

  setup(function() work = files.new_folder() end)
  teardown(function() shell(("rm -rf '%s'"):format(work)) end)

  local function check(directory)
    return shell(("'%s' '%s/scripts/check-lua' '%s'"):format(child.interpreter, root, directory))
  end

  it('use only what they may use', function()
    local output, status = check(root .. '/lua')
    assert.are.equal('', output)
    assert.are.equal(0, status)
  end)

  local plants = {
    {'core/a.lua', "local plot = require 'tensor.plot.canvas'",
     'the core requires the extra tensor.plot.canvas'},
    {'core/a.lua', "return {plot = \"tensor.plot\"}", 'the core requires the extra tensor.plot'},
    {'core/a.lua', "local tensor = require 'tensor'",
     'the core requires tensor, which loads extras'},
    {'core/a.lua', "require('paths')", 'the core requires paths, which loads extras'},
    {'core/other.lua', 'return nil', 'core/README.md does not list the file'},
    {'core/plot.lua', 'return nil', 'lua/core has a file of the same name'},
    {'extras/a.lua', 'tensor._sleep(1)', 'an extra uses the private field _sleep'},
    {'extras/a.lua', "local sleep = tensor['_sleep']", 'an extra uses the private field _sleep'},
    {'extras/a.lua', '(tensor or torch)._sleep(1)', 'an extra uses the private field _sleep'},
    {'extras/a.lua', 'file:_readFunctions(true)', 'an extra uses the private field _readFunctions'},
    {'extras/a.lua', "local core = require 'tensor.core'",
     'an extra requires tensor.core of the core'},
    {'extras/a.lua', "local class = require('tensor.class')",
     'an extra requires tensor.class of the core'},
  }
  for k, plant in ipairs(plants) do
    it(('are checked for %s in %s'):format(plant[2], plant[1]), function()
      local directory = ('%s/%d'):format(work, k)
      shell(("mkdir -p '%s/core' '%s/extras/plot' '%s/extras/paths'")
            :format(directory, directory, directory))
      write_file(directory .. '/core/class.lua', "-- Comments may name 'tensor.plot'.\nreturn 1\n")
      write_file(directory .. '/core/sound.lua', "local class = require 'tensor.class'\n")
      write_file(directory .. '/extras/plot.lua', "local versions = require 'tensor.versions'\n")
      write_file(directory .. '/extras/plot/canvas.lua',
                 '--[[ tensor._sleep ]] self._x = _G._VERSION\n')
      write_file(directory .. '/extras/paths/init.lua', "local tensor = require 'tensor'\n")
      write_file(directory .. '/core/README.md', '`a.lua` `class.lua` `sound.lua` `plot.lua`')
      write_file(directory .. '/extras/README.md',
                 '`a.lua` `plot.lua` `plot/canvas.lua` `paths/init.lua`')
      local output, status = check(directory)
      assert.are.equal('', output)
      assert.are.equal(0, status)
      write_file(('%s/%s'):format(directory, plant[1]), '-- A file.\n' .. plant[2] .. '\n')
      output, status = check(directory)
      assert.matches(plant[3], output, 1, true)
      assert.are.equal(1, select(2, output:gsub('\n', '\n')))
      assert.are.equal(1, status)
    end)
  end

  it('have a core that works without the extras', function()
    shell(("mkdir '%s/alone' && cp -r '%s/lua/core' '%s/alone/tensor'"):format(work, root, work))
    write_file(work .. '/alone/test.lua', ([[
      package.path, package.cpath = %q, %q
      local tensor = require 'tensor.module'
      local t = tensor.range(1, 6):view(2, 3)
      print(t)
      print(tensor.einsum('ij,kj->ik', t, t)[2][2], t[{2, {}}]:sum(), #tensor.serialize(t) > 0)
      tensor.save(arg[1], {t = t})
      print(tensor.load(arg[1]).t:equal(t))
      require 'tensor.native'
    ]]):format(work .. '/alone/?.lua', package.cpath))
    local output, status = shell(("'%s' '%s/alone/test.lua' '%s/file.t7'")
                                 :format(child.interpreter, work, work))
    assert.are.equal(' 1  2  3\n 4  5  6\n[torch.DoubleTensor of size 2x3]\n\n77\t15\ttrue\ntrue\n',
                     (output:gsub('%.0', '')))
    assert.are.equal(0, status)
  end)
end)
