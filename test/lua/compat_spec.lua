-- Our versions of paths, sys and xlua, which are found if the user has no modules of these names.

local written = require('support.printed').written
local child = require 'support.child'
local lfs = require 'lfs'
local files = require 'support.files'

local paths = require 'tensor.compat.paths'

-- Hide modules of these names that are installed on this machine.
local ours = {}
setup(function()
  for name in pairs(require 'tensor.compat.searcher') do
    ours[name] = package.loaded[name] or false
  end
  package.loaded.paths = paths
  package.loaded['sys.colors'] = require 'tensor.compat.colors'
end)

local folder = files.new_folder()

local function put(name, text)
  files.write(folder .. '/' .. name, text or '')
end

describe('paths', function()
  setup(function()
    put('b.txt')
    put('a.lua', 'return paths.thisfile(), paths.thisfile("other")')
    lfs.mkdir(folder .. '/inner')
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('takes names apart', function()
    for _, case in ipairs {
      { '/a/b.c', '/a', 'b.c', 'c' }, { 'a/b', 'a', 'b' }, { 'b', '.', 'b' }, { '/b', '/', 'b' },
      { '/', '/', '' }, { '', '.', '' }, { 'a/b/', 'a', 'b' }, { 'a//b', 'a', 'b' },
      { '/a/b.tar.gz', '/a', 'b.tar.gz', 'gz' }, { 'a/', '.', 'a' }, { 'x.', '.', 'x.', '' },
      { 'a.b/c', 'a.b', 'c' },
    } do
      assert.are.equal(case[2], paths.dirname(case[1]), case[1])
      assert.are.equal(case[3], paths.basename(case[1]), case[1])
      assert.are.equal(case[4], paths.extname(case[1]), case[1])
    end
    assert.are.equal('b', paths.basename('a/b.c', 'c'))
    assert.are.equal('b', paths.basename('a/b.c', '.c'))
    assert.are.equal('b.c', paths.basename('a/b.c', 'd'))
    assert.are.equal('c', paths.basename('c', 'c'))
    assert.has_error(function() paths.basename {} end)
    assert.are.same({ '5', '.', '5' }, { paths.basename(5), paths.dirname(5), paths.extname 'a.5' })
  end)

  it('puts names together', function()
    local cwd = lfs.currentdir()
    assert.are.equal(cwd, paths.cwd())
    assert.are.equal(cwd, paths.concat())
    for _, case in ipairs {
      { '/a/b', '/a', 'b' }, { '/b', '/a', '/b' }, { '/b', '/a', '../b' }, { '/a', '/a/.', './' },
      { '/', '/..', '..' }, { cwd .. '/x/y', 'x', 'y' }, { '/a/b/c', '/a//b/', 'c/' },
    } do
      assert.are.equal(case[1], paths.concat(unpack(case, 2)))
    end
    assert.are.equal('/a/5/0.5', paths.concat('/a', 5, 0.5))
    assert.has_error(function() paths.concat('/a', true) end)
  end)

  it('looks at files and folders', function()
    assert.is_true(paths.filep(folder .. '/b.txt'))
    assert.is_false(paths.filep(folder))
    assert.is_false(paths.filep(folder .. '/nosuch'))
    assert.is_true(paths.dirp(folder))
    assert.is_false(paths.dirp(folder .. '/b.txt'))
    assert.are.same({ '.', '..', 'a.lua', 'b.txt', 'inner' }, paths.dir(folder))
    assert.is_nil(paths.dir(folder .. '/nosuch'))
    local function all(iterator)
      local names = {}
      for name in iterator do names[#names + 1] = name end
      return table.concat(names, ' ')
    end
    assert.are.equal('. .. a.lua b.txt inner', all(paths.files(folder)))
    assert.are.equal('b.txt', all(paths.files(folder, '%.txt$')))
    assert.are.equal('inner', all(paths.files(folder, function(n) return n:find '^i' end)))
    assert.are.equal('inner', all(paths.iterdirs(folder)))
    assert.are.equal('a.lua b.txt', all(paths.iterfiles(folder)))
    assert.are.equal('', all(paths.files(folder .. '/nosuch')))
    assert.has_error(function() paths.files(folder, 5) end)
  end)

  it('makes and removes them', function()
    local deep = folder .. '/one/two'
    assert.is_true(paths.mkdir(deep))
    assert.is_true(paths.dirp(deep))
    local made, message = paths.mkdir(deep)
    assert.is_nil(made)
    assert.matches('one/two: File exists', message)
    assert.is_nil((paths.rmdir(folder .. '/one')))
    assert.is_true(paths.rmdir(deep))
    put('one/file')
    lfs.link(folder .. '/inner', folder .. '/one/link', true)
    put('inner/kept')
    assert.is_nil((paths.rmall(folder .. '/one')))
    assert.is_true(paths.rmall(folder .. '/one', 'yes'))
    assert.is_false(paths.dirp(folder .. '/one'))
    assert.is_true(paths.filep(folder .. '/inner/kept'))
    assert.is_nil((paths.rmall(folder .. '/nosuch', 'yes')))
  end)

  it('knows where it is', function()
    _G.paths = paths
    local file, other = dofile(folder .. '/a.lua')
    assert.are.equal(folder .. '/a.lua', file)
    assert.are.equal(folder .. '/other', other)
    put('c.lua', 'return (paths.dofile "a.lua")')
    assert.are.equal(folder .. '/a.lua', dofile(folder .. '/c.lua'))
    _G.paths = nil
    assert.matches('paths_?%w*%.lua$', (paths.thisfile 'paths.lua'))
    assert.are.equal(os.getenv 'HOME' or '.', paths.home)
    local system = paths.uname()
    assert.are.equal(io.popen 'uname -s':read '*l', system)
    assert.is_falsy(paths.is_win())
    assert.is_true(paths.filep(paths.findprogram('nosuchprogram', 'sh')))
    assert.is_nil(paths.findprogram 'nosuchprogram')
    assert.is_true(paths.dirp(paths.install_lua_path .. '/tensor'))
  end)

  it('gives temporary files that go', function()
    local name = child.run [[
      local name = require 'tensor.compat.paths'.tmpname()
      assert(io.open(name, 'w')):close()
      print(name)
    ]]
    assert.matches('^/', name)
    assert.is_false(paths.filep(name:match '[^\n]+'))
  end)

  it('says what it needs', function()
    local text = child.run [[
      package.preload.lfs = function() error 'none' end
      require 'torch'
      require 'xlua'
      print(paths.cwd(), paths.concat 'a', type(sys.clock()), xlua.formatTime(1))
      print(paths.basename 'a/b', pcall(paths.filep, 'x'))
    ]]
    local cwd = lfs.currentdir()
    assert.are.equal(('%s\t%s/a\tnumber\t1s\n'):format(cwd, cwd), text:match '^[^\n]*\n')
    assert.matches('\nb\tfalse\t[^\n]*LuaFileSystem is needed and not found; install it', text)
  end)

  it('is what require finds behind all others', function()
    assert.are.equal('true\ttrue\tnil\n', (child.run [[
      require 'torch'
      local path = package.searchpath('paths', package.path)
      local ours = package.loaded['tensor.compat.paths']
      print(require 'paths' == _G.paths, path ~= nil or ours == _G.paths,
            package.loaded['tensor.compat.sys'])
    ]]))
    assert.are.equal('mine\tmine\n', (child.run [[
      package.preload.paths = function() return { home = 'mine' } end
      require 'torch'
      print(paths.home, require 'paths'.home)
    ]]))
  end)
end)

describe('sys', function()
  local sys = require 'tensor.compat.sys'

  it('tells the time', function()
    local before = os.time()
    local time = sys.clock()
    -- The clock of os.time may be a tick behind.
    assert.is_true(time >= before and time < os.time() + 2)
    sys.tic()
    sys.sleep(0.02)
    sys.usleep(1000)
    assert.is_true(sys.toc() >= 0.02)
    assert.matches('^[%d.e-]+\n$', written(sys.toc, true))
    assert.has_error(function() sys.usleep(-1) end)
    assert.has_error(function() sys.usleep(0 / 0) end)
  end)

  it('runs commands', function()
    assert.are.equal('a\nb', sys.execute 'echo; echo a; echo b >&2; echo')
    assert.are.equal('a', sys.fexecute 'echo a')
    assert.are.equal('linux', sys.OS)
    assert.matches('doc', sys.ls())
    assert.matches('help_spec.lua', sys.ls 'test/lua')
  end)

  it('has names, colors and small things', function()
    assert.are.equal('a', sys.dirname 'a/b')
    assert.are.equal('\27[0;31mred\27[0m', sys.colorize('red', 'red'))
    assert.are.equal('\27[1;34m', sys.COLORS.Blue)
    assert.are.equal('\27[47m', sys.COLORS._white)
    assert.are.same({ 'a', 'b', '', 'c' }, sys.split('a,b,,c', ','))
    assert.are.same({ 'a', 'b' }, sys.split(',a,b,', ','))
    assert.are.same({ 'a' }, sys.split('a', ','))
    assert.are.same({}, sys.split('', ','))
    assert.is_true(sys.isNaN(0 / 0))
    assert.is_false(sys.isNaN(1))
    assert.are.equal(require 'sys.fpath', sys.fpath)
    local dir, file = sys.fpath()
    assert.are.equal('compat_spec.lua', file)
    assert.matches('/test/lua$', dir)
    assert.is_true(math.abs(sys.fstat 'README.md' - os.time()) < 1e9)
    assert.is_nil(sys.fstat 'nosuch')
  end)
end)

describe('xlua', function()
  local xlua
  setup(function()
    package.loaded.sys = require 'tensor.compat.sys'
    -- Undo the globals of require 'torch', so that other specs are not affected.
    local torch = package.loaded.torch
    package.loaded.torch = require 'tensor'
    xlua = require 'tensor.compat.xlua'
    package.loaded.torch = torch
  end)
  teardown(function()
    for name, module in pairs(ours) do package.loaded[name] = module or nil end
    for _, name in ipairs { 'splice', 'prune' } do rawset(table, name, nil) end
    for _, name in ipairs { 'split', 'tosymbol' } do rawset(string, name, nil) end
    _G.xlua, _G.xprint, _G.xerror, _G.xrequire, _G.sys = nil, nil, nil, nil, nil
    _G.paths = nil
  end)

  it('shows seconds', function()
    for text, seconds in pairs {
      ['0ms'] = 0, ['5ms'] = 0.005, ['1s500ms'] = 1.5, ['59s'] = 59, ['1m1s'] = 61.25,
      ['2h1m'] = 7265, ['1D1h'] = 90061, ['1m'] = 60,
    } do
      assert.are.equal(text, xlua.formatTime(seconds))
    end
  end)

  it('shows progress', function()
    local text = written(function()
      xlua.progress(0, 4)
      xlua.progress(1, 4)  -- too soon to be shown
      xlua.progress(4, 4)
      xlua.progress(1, 2)
      xlua.progress(2, 2)
      xlua.progress(0, 0)
    end)
    local lines = {}
    for line in text:gmatch '[^\r]+' do lines[#lines + 1] = line end
    assert.are.equal(5, #lines)
    local bar = '%[[=>.]*'
    assert.matches('^ %[%.+ 0/4 %.+%] ETA: 0ms | Step: 0ms', lines[1])
    assert.matches('^ ' .. bar .. ' 4/4 =+>%] Tot: %d*%l+ | Step: %d+%l+ *\n$', lines[2])
    assert.matches('^ ' .. bar .. ' 1/2 %.+%]', lines[3])
    assert.matches('\n$', lines[4])
    assert.matches('^ %[=+ 0/0 =+>%]', lines[5])
  end)

  it('takes arguments by name and in order', function()
    local function f(...)
      return xlua.unpack({ ... }, 'f', 'does it',
        { arg = 'a', type = 'number', help = 'the first', req = true },
        { arg = 'b', type = 'string', help = 'the second', default = 'x' },
        { arg = 'c', type = 'number', help = 'the third', defaulta = 'a' })
    end
    local args, a, b, c, _ = f { a = 1 }
    assert.are.same({ 1, 'x', 1 }, { a, b, c })
    assert.are.equal(1, args.a)
    args, a, b, c = f(2, 'y', 3)
    assert.are.same({ 2, 'y', 3, 3 }, { a, b, c, args.c })
    _, a, b, c = f(2, nil, 3)
    assert.are.same({ 2, 'x', 3 }, { a, b, c })
    local text = written(function()
      assert.has_error(function() f { b = 'y' } end)
      assert.has_error(function() f() end)
    end)
    assert.matches('a = number +%-%- the first\n', text)
    assert.matches('%[b = string%] +%-%- the second  %[default = x%]\n', text)
    assert.matches('%[c = number%] +%-%- the third  %[default == a%]\n', text)
    local object = {}
    xlua.unpack_class(object, { { d = 5 } }, 'g', 'does it', { arg = 'd', type = 'number' })
    assert.are.equal(5, object.d)
  end)

  it('helps with tables and strings', function()
    local splice, prune = rawget(table, 'splice'), rawget(table, 'prune')
    assert.are.equal('{1,2,a="x",b={true}}',
                     xlua.table2string { 1, 2, a = 'x', b = { true } })
    assert.are.same({ { 1, 4 }, { 2, 3 } }, { splice({ 1, 2, 3, 4 }, 2, 2) })
    assert.are.same({ 3, 1, 2 }, prune { 3, 1, 3, 2, 1 })
    assert.are.same({ 'a', 'b' }, ('a b'):split ' ')
    assert.are.equal(math.pi, ('math.pi'):tosymbol())
    assert.has_error(function() ('nosuch.name'):tosymbol() end)
    assert.are.equal('{[1] = 1,\n [a] = b}    x\n',
                     written(xlua.print, { 1, a = 'b' }, 'x'))
  end)

  it('refuses options that cannot be', function()
    local op = xlua.OptionParser()
    for message, option in pairs {
      ['the name of an option must be a string, got 5'] = { 5 },
      ['an option must have a name'] = {},
      ['unknown action append'] = { '-x', action = 'append' },
    } do
      assert.has_error(function() op:option(option) end, 'OptionParser: ' .. message)
    end
  end)

  it('parses options', function()
    local op = xlua.OptionParser '%prog [options]'
    op:option { '-s', '--size', action = 'store', dest = 'size', help = 'columns', default = 5 }
    op:option { '-n', '--name', help = 'of the file', req = true }
    op:option { '-v', '--verbose', action = 'store_true' }
    op:option { '--quick', action = 'store_false', dest = 'slow', help = 'no checks' }
    local values, rest = op:parse { 'a', '-s', '7', '--name=x=y', '-5', '--', '-v' }
    assert.are.same({ size = 7, name = 'x=y', verbose = false, slow = true, help = false,
                      __main__ = true }, values)
    assert.are.same({ 'a', '-5', '-v' }, rest)
    values = op:parse { '-v', '-n', 'b', '--quick' }
    assert.are.same({ size = 5, name = 'b', verbose = true, slow = false, help = false,
                      __main__ = true }, values)
    assert.matches('^<[^\n]*> configuration:\n %+ __main__ = true\n.* %+ size = 5\n',
                   written(op.summarize, op))
    assert.are.equal('-s=5,-n=b,-v=true', op:tostring(true))
    assert.are.equal('-s=5,-n=b', op:tostring(true, { '-s', '-n' }))
    op:parse { '-n', 'a b/c' }
    assert.are.equal('-n=a_b|c', op:tostring(true, { '-n' }))
    assert.matches('  %-s, %-%-size SIZE +columns %[default = 5%]\n', written(op.help, op))
    assert.has_error(function() op:option { 5 } end)
    assert.has_error(function() op:option {} end)
    assert.has_error(function() op:option { '-x', action = 'jump' } end)
    for words, message in pairs {
      ['"-s"'] = 'option %-s expects an argument', ['"-s", "x"'] = 'expects a number, got x',
      ['"-q"'] = 'unknown option %-q', [''] = 'missing required option %-n, %-%-name',
    } do
      local text, status = child.run(([[
        local new = require 'tensor.compat.optionparser'
        local op = new():option { '-s', default = 1 }:option { '-n', '--name', req = true }
        op:parse { %s }
      ]]):format(words))
      assert.matches(message, text)
      assert.are.equal(1, status)
    end
  end)

  it('parses the arguments of the program with presets', function()
    local words = rawget(_G, 'arg')
    finally(function() rawset(_G, 'arg', words) end)
    local op = xlua.OptionParser()
    op:option { '--size', default = 5, req = true }
    op:option { 'name', default = 'x' }
    for _, case in ipairs { { { '--size', '7', 'name', 'y' }, 7, 'y', true }, { {}, 3, 'x', true },
                            { nil, 3, 'x', false } } do
      rawset(_G, 'arg', case[1])
      local presets = { size = 3 }
      local values = op:parse(presets)
      assert.are.equal(presets, values)
      assert.are.same({ case[2], case[3], case[4] }, { values.size, values.name, values.__main__ })
    end
  end)

  it('is there before torch in programs that tensor runs', function()
    local pipe = io.popen(("'%s/bin/tensor' -l xlua -e "
      .. '"print(xlua.formatTime(60), torch ~= nil)" 2>&1'):format(os.getenv 'TENSOR_PREFIX'))
    assert.are.equal('1m\ttrue\n', pipe:read '*a')
    pipe:close()
  end)

  it('finds packages, and catches', function()
    assert.is_true((xlua.installed 'tensor.class'))
    assert.is_false((xlua.installed 'nosuch.package'))
    assert.are.equal(string, xlua.require 'string')
    assert.matches('warning: <nosuch.package>',
                   written(function() assert.is_false(xlua.require 'nosuch.package') end))
    local caught
    xlua.trycatch(function() error('x', 0) end, function(err) caught = err end)
    assert.are.equal('x', caught)
    assert.has_error(function() xlua.error('bad', 'here') end)
  end)

  it('lists globals, and describes modules', function()
    local text = child.run [[
      require 'torch'
      require 'xlua'
      mine, loaded = 7, {}
      package.loaded.loaded = loaded
      xlua.who()
      local module = {}
      print(xlua.usage_module(module, 'name', 'It does.') == tostring(module))
      print(module)
    ]]
    local modules = text:match '^\nGlobal Libs:\n({.-})\n\nGlobal Vars:\n{%[mine%] = 7}\n\ntrue\n'
    assert.is_truthy(modules, text)
    assert.matches('= loaded,.*= string,.*= torch,.*= xlua}', modules)
    assert.is_nil(modules:find('mine', 1, true))
    assert.matches('%+\nPACKAGE:\nname\n\nDESC:\nIt does%.\n%+', text)
  end)

  it('logs, takes parameters of the environment, and forgets', function()
    local log = folder .. '-log/log'
    local text = child.run(([[
      require 'torch'
      require 'xlua'
      xlua.log(%q)
      print('hello', 1)
      io.write 'there\n'
      local params = xlua.envparams { rate = 1, name = 'x', flag = true }
      print(params.rate + 1, params.name, tostring(params.flag))
      mine = 1
      xlua.clearall()
      print(tostring(mine), type(torch))
    ]]):format(log), { before = 'export rate=2.5 flag=False' })
    assert.are.equal('hello    1\nthere\n3.5    x    false\nnil    table\n', text)
    local file = assert(io.open(log))
    assert.are.equal(text, file:read '*a')
    file:close()
    os.execute(('rm -rf %s-log'):format(folder))
  end)
end)
