-- The REPL as users have it: in a terminal, where there is one to be had, and its commands.

local tensor = require 'tensor'
local child = require 'support.child'
local dialect = require 'support.dialect'
local complete = require 'tensor.repl.complete'
local files = require 'support.files'
local history = require 'tensor.repl.history'
local hints = require 'tensor.repl.hints'
local loop = require 'tensor.repl.loop'
local show = require 'tensor.repl.show'
local stops = require 'tensor.repl.stops'
local support = require 'support.printed'
local terminal = require 'support.terminal'

-- Returns the output of lines, and the environment that they leave.
local function session(...)
  local lines, output, errors = {...}, {}, {}
  local environment = setmetatable({torch = tensor}, {__index = _G})
  local printed
  printed = support.written(function()
    loop.run {
      read = function() return table.remove(lines, 1) end,
      write = function(...) output[#output + 1] = table.concat {...} end,
      write_error = function(...) errors[#errors + 1] = table.concat {...} end,
      environment = environment,
    }
  end)
  return table.concat(output), table.concat(errors), printed, environment
end

describe('the prompt', function()
  it('keeps the last values', function()
    assert.are.equal('3\n4\n7\n8\t9\n9\n', (session('1 + 2', '_ + 1', '_ + 3', '8, 9', '_2')))
    assert.are.equal('4\nnil\t5\n5\n', (session('4', 'nil, 5', '_2')))
    assert.are.equal('4\nnil\t5\nnil\n', (session('4', 'nil, 5', '_1')))
    assert.are.equal('3\n3\n', (session('3', 'x = 4', 'nil', '_'):gsub('nil\n', '')))
  end)

  it('stays after assignments to all globals of Lua', function()
    local pipe = io.popen(([[env -u LUA_PATH -u LUA_CPATH '%s/bin/tensor' 2>&1 <<'END'
local g = _G; for name in pairs(g) do g[name] = name == 'torch' and torch or 1 end
1 + 1, type, 'text', {1, a = 2}
t = torch.IntTensor(2):zero()
t
t[2], torch.LongStorage(1):fill(2)
:time 3
torch.rnad(3)
torch.isTensor, torch.getmetatable = 1, 2
foo.bar
_ == _
return +
END]]):format(assert(os.getenv 'TENSOR_PREFIX')))
    local output = pipe:read '*a'
    pipe:close()
    assert.matches('^2\t1\t"text"\t{1, a = 2}\n 0\n 0\n%[torch.IntTensor of size 2%]\n\n' ..
                   '0\t%[2%]\n3\n[^\n]* of all processors\nstdin:1: [^\n]*field \'rnad\'\n' ..
                   '.*\nstdin:1: [^\n]*global \'foo\'[^\n]*\n' ..
                   '.*\ntrue\nstdin:1: unexpected symbol near [^\n]*\n$', output)
  end)

  it('has no varargs', function()
    local output, errors, printed = session('...', 'select("#", ...) -- none', 'x = {...}', '#x',
                                            'for i = 1, 2 do print(...) end', ':time ...')
    assert.matches('^0\n0\n[^\n]* of all processors\n$', output)
    assert.are.equal('', errors)
    assert.are.equal('\n\n', printed)
  end)

  it('leaves at exit and quit, unless they are globals', function()
    for _, word in ipairs {'exit', 'quit', 'exit()', ' quit ( ) ', ':quit', ':q'} do
      assert.are.equal('1\n', (session('1', word, '2')), word)
    end
    assert.are.equal('5\n2\n', (session('exit = 5', 'exit', '2')))
  end)

  it('explains names', function()
    for _, line in ipairs {'?gather', 'gather?', '? torch.gather', '?t:gather', '?torch.add and ' ..
                           'torch.gather'} do
      local _, errors, printed = session(line)
      assert.are.equal('', errors)
      assert.matches('tensor.gather%(%[result,%] src, dim, index%)', printed, nil, line)
    end
    local _, _, printed = session '?'
    assert.matches('gather', printed)
    local _, errors = session('?gathr', '?tpok', '?nosuchthingatall')
    assert.are.equal('help: unknown name: gathr; did you mean gather?\n' ..
                     'help: unknown name: tpok; did you mean topk?\n' ..
                     'help: unknown name: nosuchthingatall\n', errors)
    for _, line in ipairs {'?torch', '?tensor', 'torch.help "tensor"'} do
      _, errors, printed = session(line)
      assert.are.equal('', errors)
      assert.matches("^tensor = require 'tensor'\ntorch = require 'torch'\n +The same module",
                     printed)
    end
    _, errors = session '?torch.tensor'
    assert.are.equal('help: unknown name: tensor; instead of tensor, use Tensor{...}\n', errors)
    _, errors = session('?%', '??', '?\230\151\165', '?f(', '?:no')
    errors = errors:gsub('help: unknown name: ', ''):gsub('\n', ' ')
    assert.are.equal('% ? \230\151\165 f( :no ', errors)
    assert.matches('^:time code +runs [^\n]*\n$', (session '?:time'))
  end)

  it('explains fields, classes and what is not there', function()
    for line, call in pairs { ['?plot.line'] = 'tensor.plot.line([x,] y [, options])',
                              ['?image.scale'] = 'tensor.image.scale(src, width, height [, mode])',
                              ['?tensor.image.hflip'] = 'tensor.image.hflip([dst,] src)',
                              ['?Tensor'] = 'tensor.Tensor(sizes...)',
                              ['?torch.FloatTensor'] = 'tensor.Tensor(sizes...)',
                              ['?Storage'] = 'tensor.Storage([size])' } do
      local _, errors, printed = session(line)
      assert.are.equal('', errors)
      assert.is_truthy(printed:find(call, 1, true), line .. printed)
    end
    local _, _, printed = session '?plot.line'
    assert.is_nil(printed:find('plot.bars(', 1, true))
    local _, errors, listed = session('?torch.onnx', '?DataFrame', 'torch.nn.Linear(2)', '?nn')
    assert.is_truthy(listed:find('nn.linear(inputs, outputs [, options])', 1, true), listed)
    assert.matches('the module has no onnx: ONNX is not included', errors, 1, true)
    assert.matches('the module has no DataFrame: load', errors, 1, true)
    assert.matches("the module has no function or field 'nn': require 'tensor.nn'", errors, 1, true)
  end)

  it('gives hints for errors of Lua about tensors', function()
    local t = 'local t = torch.ones(2) '
    for code, hint in pairs {
      ['for i = 1, #t do end'] = '#t is the size of all dimensions: use t:size(1)',
      ['for _, x in ipairs(t) do end'] = 'loop over a tensor by for i = 1, t:size(1)',
      ['local s = ("%d"):format(t)'] = 't:item() is the number',
      ['local r = math.sqrt(t)'] = 'tensor.sqrt(t) and t:sqrt() take tensors',
      ['local s = table.concat(t)'] = 't:totable()',
      ['return math.sin(t)'] = rawget(_G, 'jit') and 't:item() is the number'
                               or 'tensor.sin(t) and t:sin() take tensors',
    } do
      local _, errors = session(t .. code)
      assert.is_truthy(errors:find(hint, 1, true), errors)
    end
  end)

  it('explains comparisons that Lua accepts, once', function()
    local t = 't, u = torch.ones(2), torch.ones(2)'
    local _, errors = session(t, 'if t:gt(5) then x = 1 end', 'if t:gt(7) then x = 2 end')
    assert.are.equal('every tensor is true in a condition: use the number t:gt(...):all() or ' ..
                     't:gt(...):any()\n', errors)
    for _, condition in ipairs {'torch.ones(1):eq(0)', 't[{{1}}]:le(0)', 't:narrow(1, 1, 1):ne(0)',
                                't.lt(t, 0):lt(1)'} do
      _, errors = session(t, ('if %s then x = 1 end'):format(condition))
      assert.matches('^every tensor is true in a condition: use the number t:%l%l%(', errors)
    end
    _, errors = session(t, 't == u', 'x = t ~= u')
    assert.are.equal('== is true for the same object only: t:equal(u) compares all elements, ' ..
                     't:eq(u) each\n', errors)
    _, errors = session(t, 'if t:gt(5):any() then x = 1 end', 't:size(1) == u:size(1)', 'x = 1',
                        'x == x', 'if t:eq(1):all() then x = 1 end',
                        'if torch.ones(1):gt(0):any() then x = 1 end', 't == nil', 't == y')
    assert.are.equal('', errors)
  end)

  it('shows the functions inside of those that tensor.grad calls', function()
    local f = 'function f(x) local y = x:foo() return y end'
    local g = 'function g(x) local y = torch.grad(f)(x) return y:sum() end'
    local expected = "\tstdin:1: in function <stdin:1>\n"
    for _, call in ipairs{'torch.grad(g)(torch.ones(1))', 'pcall(torch.grad(g), torch.ones(1))'} do
      local _, errors = session(f, g, call, 'local r = torch.grad(g)(torch.ones(1))')
      local _, count = errors:gsub(expected, '')
      assert.are.equal(call:find 'pcall' and 2 or 4, count)
    end
    -- A garbage collection does not remove them.
    local again = 'h = function(x) _, m = pcall(torch.grad(f), x) collectgarbage() error(m, 0) end'
    local _, errors = session(f, again, 'torch.grad(h)(torch.ones(1))')
    assert.are.equal(2, select(2, errors:gsub(expected, '')))
  end)

  it('names what is like a name that is not there', function()
    local _, errors = session 'torch.tpok(1)'
    assert.matches("^stdin:1: the module has no function or field 'tpok': did you mean topk%?\n" ..
                   'stack traceback', errors)
    _, errors = session 'torch.ones(2):szie()'
    assert.matches("'szie': did you mean size%?\n", errors)
    _, errors = session('torch.concatenate{}', 'torch.ones(2).shape')
    assert.matches(': instead of concatenate, use cat\n', errors)
    assert.matches(': instead of shape, use size%(%)\n', errors)
    _, errors = session('torch.ones(2).grad', 'torch.ones(2):indexSelect(1)',
                        'torch.ones(2):require_grad()')
    assert.matches(': tensor.grad%(f%) returns the function that computes gradients', errors)
    assert.matches(': instead of indexSelect, use index\n', errors)
    assert.matches(': tensor.grad%(f%) computes gradients of any function', errors)
    _, errors = session 'pritn(1)'
    assert.matches('\ndid you mean print%?\n', select(2, session('print2 = print', 'pritn2(1)'))
                   :gsub('print2', 'print'))
    assert.matches("global 'pritn'", errors)
    _, errors = session 'return torch.ones(2) > 5'
    assert.matches('\ntensors are compared by methods: t:gt%(5%)', errors)
    assert.is_nil(hints.of('stdin:1: boom', _G))
    -- If the module cannot be loaded, require stores another value under its name.
    local module = package.loaded.tensor
    package.loaded.tensor = true
    local fine, hint = pcall(hints.of,
                             "bad argument #1 to 'ipairs' (table expected, got userdata)", _G)
    package.loaded.tensor = module
    assert.is_true(fine, hint)
    assert.is_nil(rawget(tensor, 'tpok'))
    assert.has_error(function() return tensor.tpok end)
    _, errors = session 'torch.ones(2):sum(0)'
    assert.matches('\nindices and dimensions count from 1; %-1 is the last one\n', errors)
  end)

  it('measures on request', function()
    local output = session ':time torch.ones(3):sum()'
    assert.matches('^3[.0]*\n%d+%.%d+ [um]?s, %d+%.%d+ [um]?s of all processors\n$', output)
    local errors, printed
    output, errors, printed = session ':profile torch.ones(3):sum()'
    assert.are.equal('3\n', (dialect.plain(output)))
    assert.are.equal('', errors)
    assert.matches('operation ', printed)
    assert.matches('\nones ', printed)
    assert.matches('\nsum ', printed)
    errors = select(2, session(':time x +', ':nosuch', ':time error "boom"',
                               ':profile error "crash"'))
    assert.matches('a command is one line', errors)
    assert.matches("unknown command ':nosuch'; :help lists the commands", errors, 1, true)
    assert.matches('boom', errors)
    assert.matches('crash', errors)
    assert.matches(':time code', (session ':help'))
  end)

  it('shows what is in tables, and the fields of objects', function()
    assert.are.equal('{a = {b = {c = {1}}}}', show.value {a = {b = {c = {1}}}})
    assert.are.equal('{{{{{...}}}}}', show.value {{{{{{{}}}}}}})
    local t = {1}
    t.t = {t}
    assert.are.equal('{1, t = {{...}}}', show.value(t))
    local long = ('x'):rep(50)
    assert.are.equal(('{\n  a = {\n    %q,\n    %q\n  },\n  b = 1\n}'):format(long, long),
                     show.value {a = {long, long}, b = 1})
    assert.are.equal('{t = [torch.DoubleTensor of size 2]}', show.value {t = tensor.ones(2)})
    if not tensor.getmetatable 'torch.PromptThing' then tensor.class 'torch.PromptThing' end
    local thing = tensor.factory 'torch.PromptThing' ()
    thing.size, thing.parts = 3, {1, 2}
    assert.are.equal('torch.PromptThing {parts = {1, 2}, size = 3}', show.value(thing))
    tensor.getmetatable 'torch.PromptThing'.__tostring__ = function() return 'a thing' end
    assert.are.equal('a thing', show.value(thing))
    tensor.getmetatable 'torch.PromptThing'.__tostring__ = nil
    local all = {}
    for i = 1, 40 do
      all[i] = {}
      for k = 1, 40 do all[i][k] = k end
    end
    assert.is_true(#show.value(all) < 10000)
  end)

  it('completes after expressions, without running code', function()
    local environment = {t = tensor.ones(2, 2), list = {{name = 1}, key = {field = 2}}, key = 'key',
                         tensor = tensor, crash = error}
    local function names(text) return table.concat(complete.candidates(text, environment), ' ') end
    assert.are.equal('narrow', names 't[1]:narr')
    assert.are.equal('narrow', names 't[{1, {2}}]:t():narr')
    assert.are.equal('narrow', names '(t):narr')
    assert.are.equal('narrow', names 'x = 2 * tensor.ones(2, (3)):narr')
    assert.are.equal('narrow', names 'tensor.FloatTensor(3):narr')
    assert.are.equal('name', names 'list[1].na')
    assert.are.equal('field', names 'list["key"].fi')
    assert.are.equal('field', names 'list[key].fi')
    assert.are.equal('rep reverse', names '("abc"):re')
    assert.are.equal('', names 'crash(1):na')
    assert.are.equal('', names 'list[crash()].na')
  end)

  it('completes after ? and :', function()
    local environment = {tensor = tensor, total = 1}
    local function names(text) return table.concat(complete.candidates(text, environment), ' ') end
    assert.are.equal('gather', names '?gath')
    assert.are.equal('gather', names '? gath')
    assert.are.equal('gather', names '?tensor.gath')
    assert.are.equal('linear', names '?nn.lin')
    assert.are.equal('adadelta adagrad adam adamW adamax', names '?optim.ad')
    assert.are.equal('profile', names ':pr')
    assert.are.equal('help profile quit time', names ':')
    assert.are.equal('total', names ':time tota')
    assert.is_truthy(names '?plo':find 'plot')
  end)

  it('completes names of files in strings', function()
    local folder = files.new_folder()
    os.execute(("cd %s && mkdir sub && touch one.t7 'it''s' .hidden"):format(folder))
    local function names(text)
      local list, part = complete.candidates(text, {})
      return table.concat(list, ' '), part
    end
    local list, part = names(('x = torch.load("%s/o'):format(folder))
    assert.are.equal('one.t7', list)
    assert.are.equal('o', part)
    assert.are.equal("its one.t7 sub/", (names(("load '%s/"):format(folder))))
    assert.are.equal('', (names(("f('%s/one.t7') z"):format(folder))))
    assert.are.equal('', (names '"/no/such/folder/'))
    os.execute('rm -r ' .. folder)
  end)

  it('keeps inputs of many lines in the history', function()
    local path = os.tmpname()
    local kept = history.open(path)
    local input = 'for i = 1, 2 do\n\n\tprint(i)\nend'
    assert.is_true(kept.add(input))
    assert.is_false(kept.add(input))
    assert.is_true(kept.add '\tx = 1')
    assert.are.same({input, 'x = 1'}, history.open(path).lines)
    for i = 1, 1500 do kept.add(('a\n%d'):format(i)) end
    assert.are.equal('a\n501', history.open(path).lines[1])
    os.remove(path)
  end)

  it('keeps the history if it cannot be shortened on a full disk', function()
    local text = ('print "an input of some characters"\n'):rep(1100)
    files.with_file(text, function(path)
      local output, status = child.run(([[
        print(#require 'tensor.repl.history'.open(%q).lines)]]):format(path),
        { before = "trap '' XFSZ; ulimit -f 8" })
      assert.are.equal('1000\n', output)
      assert.are.equal(0, status)
      assert.are.equal(text, files.content(path))
      assert.are.equal(1000, #history.open(path).lines)
      assert.are.equal(text:sub(1, #text / 11 * 10), files.content(path))
    end)
  end)
end)

it('a program that fails gets such suggestions, too', function()
  local output = child.run [[
    local function message(f)
      return (select(2, pcall(function() local r = f() return r end)):gsub('^[^:]*:%d+: ', ''))
    end
    print(message(function() return tensor.tpok(tensor.ones(3), 1) end))
    print(message(function() return tensor.ones(3):tpok(1) end))
    print(message(function() return tensor.nn end))
    print(message(function() return tensor.ones(3):astype() end))
    print(message(function() return tensor.resize end))
    print(tensor._tpok, rawget(tensor, 'tpok'))
    require 'torch'
    print(tensor.tpok, tensor.ones(3).tpok)
    local hints = require 'tensor.repl.hints'
    local _, text = pcall(function() return tensor.tpok(tensor.ones(3), 1) end)
    print(hints.of(text, _G))]]
  assert.are.equal("the module has no function or field 'tpok': did you mean topk?\n" ..
                   "a torch.DoubleTensor has no field or method 'tpok': did you mean topk?\n" ..
                   "the module has no function or field 'nn': require 'tensor.nn' has layers " ..
                   'and losses; doc/training.md\n' ..
                   "a torch.DoubleTensor has no field or method 'astype': instead of astype, " ..
                   "use type 'torch.FloatTensor'\n" ..
                   "the module has no function or field 'resize': it is a method of tensors, as " ..
                   'in t:resize()\nnil\tnil\nnil\tnil\ndid you mean topk?\n', output)
  assert.are.equal("nn is a package of Torch7: doc/torch7.md tells how to install it; require "
                   .. "'tensor.nn' has layers and losses",
                   hints.of("x.lua:1: module 'nn' not found:\n\tno field", _G))
  assert.is_nil(hints.of("x.lua:1: module 'socket' not found:\n", _G))
  local path = os.tmpname()
  files.write(path, 'local tensor = require "tensor"\ntensor.tpok(1)')
  local prefix = os.getenv 'TENSOR_PREFIX'
  local pipe = prefix and assert(io.popen(("'%s/bin/tensor' %s 2>&1"):format(prefix, path)))
  if pipe then
    output = pipe:read '*a'
    pipe:close()
    assert.matches("2: the module has no function or field 'tpok': did you mean topk%?\n", output)
  end
  os.remove(path)
end)

describe('code that is typed in', function()
  it('is given calls that stop it, where loops and functions begin', function()
    for text, wanted in pairs {
      ['while x do end'] = 'while x do S() ; end',
      ['for i=1,2 do f() end'] = 'for i=1,2 do S() ; f() end',
      ['repeat x() until y'] = 'repeat S() ; x() until y',
      ['f(function(a, ...) return a end)'] = 'f(function(a, ...) S() ; return a end)',
      ['::top:: goto top'] = '::top::  S() ; goto top',
      ['x = goto'] = false, ['x = "do"'] = false, ['-- do'] = false, ['x = [[ do ]]'] = false,
      ['--[==[ do ]] ]==] x = 1'] = false, ["x = 'a\\' do '"] = false, ['x = 5'] = false,
      ['x = f(1) -- function ( )'] = false,
    } do
      local got = stops.insert(text, 'S() ;')
      assert.are.equal(wanted and wanted:gsub('%s+', ' '), got and got:gsub('%s+', ' ') or false)
    end
  end)

  it('means the same with them', function()
    require 'support.dialect'.since('5.2', 'Lua 5.1 has no goto')
    local called = 0
    local function S() called = called + 1 end
    local text = [[
      local out = {}
      for i = 1, 3 do out[#out + 1] = i end
      local k = 0
      repeat local j = k; k = k + 1 until j >= 2
      while k > 0 do k = k - 1 if k == 1 then break end end
      for word in ("do end"):gmatch "%a+" do out[#out + 1] = word end -- do
      local function f(n) if n > 0 then return f(n - 1) end return "f" end
      out[#out + 1] = f(3)
      do goto last end
      ::last::
      return table.concat(out, " "), k]]
    local plain = {loadstring(text)()}
    local with = assert(loadstring('local S = ... ' .. stops.insert(text, 'S();')))
    assert.are.same(plain, {with(S)})
    assert.is_true(called > 10)
  end)
end)

local in_terminal = terminal.when_available(it, pending)

describe('in a terminal', function()
  in_terminal('there are two lines of a banner, and colors if they are wanted', function()
    local t = terminal.open(terminal.program())
    local banner = t.await '> '
    banner = banner:gsub('^Script started[^\n]*\n', '')
    assert.matches('^[^\n]*tensor %d[^\n]+LuaJIT[^\n]+thread[^\n]+cpu[^\n]*\n' ..
                   '[^\n]+:help[^\n]+\n\27%[%?2004h> $', banner)
    t.type 'error "x"\n'
    assert.is_nil(t.await('main chunk'):find('\27[31m', 1, true))
    t.type 'exit\n'
    assert.are.equal(0, t.close())
    t = terminal.open(terminal.program 'NO_COLOR=')
    t.await '> '
    t.type 'error "x"\n'
    t.await '\27[31mstdin:1: x\27[0m'
    t.type '"a"\n'
    t.await '\27[32m"a"\27[0m'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('Ctrl-C interrupts loops, interpreted and compiled', function()
    require 'support.dialect'.needs_luajit 'some of them are compiled'
    local t = terminal.open(terminal.program())
    t.await '> '
    for _, code in ipairs {'while true do end', 'local x = 0 for i = 1, 1e15 do x = x + 1 end',
                           'function f() return f() end f()', 'repeat until false',
                           'torch.ones(9):apply(function() while true do end end)',
                           'jit.off() while true do end', 'jit.on() ::top:: goto top',
                           'io.read()'} do
      t.type('print("be" .. "gun") ' .. code .. '\n')
      t.await 'begun'
      -- LuaJIT compiles most loops meanwhile.
      os.execute 'sleep 0.1'
      t.press_until('\3', 'interrupted')
      t.await '> '
    end
    -- Functions that were typed have a check for Ctrl-C, which is not passed on.
    t.type 'f = torch.deserialize(torch.serialize(function(x) return -x end), {functions = true})\n'
    t.type('b = require "tensor.data".batches(torch.ones(4), ' ..
           '{size = 4, threads = 1, transform = f})\n')
    t.type 'for x in b() do print("still " .. "here", x:sum()) end\n'
    t.await 'still here\t-4'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('a session is not lost without a question', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    t.type 'spin = loadstring "print(7 * 8) while true do end"\n'
    t.await '> '
    t.type 'spin()\n'
    t.await '56'
    t.press_until('\3', 'End the session, and lose what is in it? [y/N] ')
    t.type 'y\n'
    assert.are.equal(130, t.close())
  end)

  in_terminal('Home, End and Delete work as terminals send them', function()
    local t = terminal.open(terminal.program())
    for _, keys in ipairs {{'\27[H', '\27[F'}, {'\27OH', '\27OF'}, {'\27[1~', '\27[4~'},
                           {'\27[7~', '\27[8~'}} do
      t.await '> '
      -- "x5 * 1", without its first character, between print( and 00).
      t.type('x5 * 1' .. keys[1] .. '\27[3~print(' .. keys[2] .. '00 + 1)\n')
      t.await '501'
    end
    assert.are.equal(0, t.leave())
  end)

  in_terminal('an input of several lines is edited and recalled as one', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    t.type 'for i = 1, 2 do\n'
    t.type 'print("value", i * 10)\n'
    t.type 'end\n'
    t.await 'value\t10'
    t.await '> '
    -- Back, up to its first line, and there 2 becomes 23.
    t.type('\27[A\27[A\27[A' .. ('\6'):rep(7) .. '3\n')
    t.await 'value\t230'
    t.await '> '
    t.type '7 *\3'
    t.await '^C'
    t.type 'torch.narr\t\n'
    t.await 'function: '
    assert.are.equal(0, t.leave())
  end)
end)
