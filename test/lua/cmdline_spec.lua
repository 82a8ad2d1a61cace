-- torch.CmdLine: parsing, printed output, exit of the program, and the log.

local tensor = require 'tensor'
local written = require('support.printed').written
local child = require 'support.child'
local files = require 'support.files'

local function command()
  local cmd = tensor.CmdLine()
  cmd:text 'Trains'
  cmd:argument('data', 'where the data is')
  cmd:option('-rate', 0.1, 'learning rate')
  cmd:option('--name', 'net', 'name of the model')
  cmd:option('-gpu', false, 'on the GPU')
  cmd:option('-shuffle', true, 'in random order')
  return cmd
end

local function content(path)
  local text = files.content(path)
  os.remove(path)
  return text
end

-- The code runs in a separate process with `cmd` defined as above.
local definition = [[
  local cmd = tensor.CmdLine()
  cmd:text 'Trains'
  cmd:argument('data', 'where the data is')
  cmd:option('-rate', 0.1, 'learning rate')
]]
local help = 'Usage: %s[options] <data>\nTrains\n  <data> where the data is\n'
             .. '  -rate  learning rate [0.1]\n'

describe('CmdLine', function()
  it('reads options by the types of their defaults', function()
    assert.are.same({ rate = 0.1, name = 'net', gpu = false, shuffle = true },
                    command():default())
    assert.are.same({ data = 'here', rate = 0.1, name = 'net', gpu = false, shuffle = true },
                    command():parse { 'here' })
    assert.are.same({ data = 'here', rate = 2e-3, name = '5', gpu = true, shuffle = false },
                    command():parse { '-rate', '2e-3', 'here', '-gpu', '--name', '5', '-shuffle' })
    assert.are.same({ data = '-5', rate = -1, name = '-gpu', gpu = false, shuffle = true },
                    command():parse { '-rate', '-1', '-5', '--name', '-gpu' })
  end)

  it('reads arguments', function()
    local cmd = tensor.CmdLine()
    cmd:argument 'from'
    cmd:argument('-count', 'how many', 'number')
    assert.are.same({ from = 'a', count = 3 }, cmd:parse { 'a', '3' })
    local before = rawget(_G, 'arg')
    rawset(_G, 'arg', { 'b', '4' })
    assert.are.same({ from = 'b', count = 4 }, cmd:parse())
    rawset(_G, 'arg', before)
  end)

  it('refuses methods that are called with a point', function()
    local cmd = tensor.CmdLine()
    for _, name in ipairs { 'option', 'argument', 'text', 'parse', 'string' } do
      local message = ('CmdLine: %s is called with a colon: cmd:%s(...)'):format(name, name)
      assert.has_error(function() cmd[name]('-rate', 'x') end, message)
      assert.has_error(function() cmd[name]() end, message)
    end
  end)

  it('refuses options that cannot be', function()
    local cmd = tensor.CmdLine()
    assert.has_error(function() cmd:option '-x' end, 'option -x has no default value')
    assert.has_error(function() cmd:option('-x', 1, 'help', 'string') end,
                     'option -x has wrong default type value')
    assert.has_error(function() cmd:option(5, 1) end)
    assert.has_error(function() cmd:argument() end)
    assert.has_error(function() cmd:text {} end)
    assert.has_error(function() cmd:addTime('x', 5) end)
    assert.has_error(function() cmd:log '/nosuch/folder/log' end)
  end)

  it('prints its help', function()
    local text = written(function() command():help { [0] = 'train.lua' } end)
    assert.are.equal('Usage: train.lua [options] <data>\nTrains\n'
      .. '  <data>   where the data is\n  -rate    learning rate [0.1]\n'
      .. '  --name   name of the model [net]\n  -gpu     on the GPU [false]\n'
      .. '  -shuffle in random order [true]\n', text)
  end)

  it('ends the program for invalid words and for help', function()
    for words, message in pairs {
      ['"a", "b"'] = 'invalid argument: b', [''] = 'not enough arguments',
      ['"-rate"'] = 'missing argument for option -rate',
      ['"-rate", "x"'] = 'invalid type for option -rate (should be number)',
    } do
      local text, status = child.run(('%s cmd:parse { %s } print "not here"')
                                     :format(definition, words))
      assert.are.equal('\n' .. message .. '\n\n' .. help:format '', text)
      assert.are.equal(1, status)
    end
    for _, word in ipairs { '-h', '-help', '--help' } do
      local text, status = child.run(('%s cmd:parse { [0] = "x.lua", %q } print "not here"')
                                     :format(definition, word))
      assert.are.equal(help:format 'x.lua ', text)
      assert.are.equal(0, status)
    end
  end)

  it('names a run', function()
    local cmd = command()
    local params = cmd:parse { 'here' }
    assert.are.equal('run,data=here,', cmd:string('run', params, {}))
    params = cmd:parse { 'here', '-rate', '0.5', '-gpu', '-shuffle' }
    assert.are.equal('run,data=here,gpu=t,rate=0.5,shuffle=f', cmd:string('run', params))
    assert.are.equal('run,data=here,rate=0.5',
                     cmd:string('run', params, { gpu = true, shuffle = true }))
    assert.are.equal('run,gpu=f',
                     cmd:string('run', { gpu = false, rate = 0.1 }, { gpu = false }))
    assert.are.equal(',name=other', cmd:string('', { name = 'other' }))
    assert.are.equal(',name=other', cmd:string(nil, { name = 'other' }))
    assert.are.equal('', cmd:string('', cmd:default()))
    local other = tensor.CmdLine(' ', ':')
    other:option('-a', 1)
    assert.are.equal('x a:2', other:string('x', { a = 2 }))
  end)

  it('logs what is printed', function()
    local path, second = os.tmpname(), os.tmpname()
    local cmd = command()
    local before = print
    local screen = child.run(([[
      local cmd = tensor.CmdLine()
      cmd:log(%q, { b = 2, a = 'x' })
      print('hello', 1, nil)
      cmd:silent()
      print 'only in the file'
      cmd:addTime('me', 'at')
      print 'with a name'
      local other = tensor.CmdLine()
      other:log(io.open(%q, 'w'))
      print 'elsewhere'
    ]]):format(path, second))
    assert.are.equal(before, print)
    local head = '%[program started on [^\n]*%] ?\n%[command line arguments%] ?\n'
    assert.matches('^' .. head .. 'a\tx\nb\t2\n%[%-+%]\nhello\t1\tnil\n'
                   .. head .. '%[%-+%]\nelsewhere\n$', screen)
    assert.matches('^' .. head .. 'a x \nb 2 \n%[%-+%] \nhello 1 nil \nonly in the file \n'
                   .. 'at%[me%]:  with a name \n$', content(path))
    assert.matches('^' .. head .. '%[%-+%] \nelsewhere \n$', content(second))
    assert.are.equal('torch.CmdLine', tensor.typename(cmd))
  end)
end)
