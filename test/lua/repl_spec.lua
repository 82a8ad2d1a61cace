-- The parts of the REPL with readers and writers of the test, and the launcher as a process.

local files = require 'support.files'

local here = (debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './')
local root = here .. '../..'
local version = _VERSION:match '%d.%d'

local function shell_quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local write_file = files.write

-- Returns the output of a shell command, including stderr, and its exit status.
local function shell(command)
  local pipe = assert(io.popen('{ ' .. command .. '\n} 2>&1; echo "status $?"'))
  local text = pipe:read('*a')
  pipe:close()
  local output, status = text:match('^(.*)status (%d+)\n$')
  return output, tonumber(status)
end

local work = files.new_folder()

-- Without an installed module, the launcher is tested with a stub that contains only what it needs.
local function stub_prefix()
  local prefix = work .. '/stub'
  local share = prefix .. '/share/lua/' .. version .. '/tensor'
  local _, status = shell(("mkdir -p '%s' '%s' && cp '%s/bin/tensor' '%s/bin' && " ..
                           "cp -r '%s/lua/core/.' '%s/lua/extras/.' '%s'"):format(
    prefix .. '/bin', share, root, prefix, root, root, share))
  assert(status == 0)
  shell('mkdir -p ' .. shell_quoted(prefix .. '/lib/lua/' .. version .. '/tensor'))
  write_file(share .. '/init.lua', [[
    return {_VERSION = '0.0', DoubleTensor = {}, info = function()
      return {version = '0.0', blas = 'no BLAS'}
    end}
  ]])
  return prefix
end

local prefix = os.getenv('TENSOR_PREFIX') or stub_prefix()
local share = prefix .. '/share/lua/' .. version .. '/'
package.path = share .. '?.lua;' .. share .. '?/init.lua;' .. package.path
local launcher = shell_quoted(prefix .. '/bin/tensor')
local clean = 'env -u LUA_PATH -u LUA_CPATH '

local function tensor(arguments)
  return shell(clean .. launcher .. ' ' .. arguments)
end

local child = require 'support.child'
local complete = require 'tensor.repl.complete'
local history = require 'tensor.repl.history'
local loop = require 'tensor.repl.loop'
local show = require 'tensor.repl.show'
local trace = require 'tensor.repl.trace'

teardown(function()
  shell('rm -rf ' .. shell_quoted(work))
end)

describe('the loop', function()
  -- Passes lines to the REPL (false: an interrupted line). Returns the output, the errors, the
  -- prompts and the number of failures.
  local function session(lines, environment)
    local output, errors, prompts, next_line = {}, {}, {}, 0
    local failures = loop.run {
      read = function(prompt)
        prompts[#prompts + 1] = prompt
        next_line = next_line + 1
        return lines[next_line]
      end,
      write = function(...)
        output[#output + 1] = table.concat({...})
      end,
      write_error = function(...)
        errors[#errors + 1] = table.concat({...})
      end,
      environment = environment or setmetatable({}, {__index = _G}),
    }
    return table.concat(output), table.concat(errors), table.concat(prompts), failures
  end

  it('prints the values of expressions', function()
    assert.are.equal('3\n', session {'1 + 2'})
    assert.are.equal('1\t2\tnil\n', session {'1, 2, nil'})
    assert.are.equal('nil\n', session {'nil'})
    assert.are.equal('7\n', session {'=7'})
    assert.are.equal('5\n', session {'5;'})
    assert.are.equal('5\n', session {'5 -- five'})
    assert.are.equal('"a\\nb"\n', session {'"a\\nb"'})
  end)

  it('prints nothing for statements, blank lines and calls without values', function()
    assert.are.equal('', session {'x = 1', '', '   ', '-- nothing', '(function() end)()'})
  end)

  it('keeps globals from one input to the next', function()
    local environment = setmetatable({}, {__index = _G})
    assert.are.equal('42\n', session({'x = 41', 'error "no"', 'x + 1'}, environment))
    assert.are.equal(41, environment.x)
    assert.is_nil(rawget(_G, 'x'))
  end)

  it('reads on while the input is incomplete', function()
    local output, errors, prompts = session {'for i = 1, 2 do', 'x = i', 'end', 'x'}
    assert.are.equal('2\n', output)
    assert.are.equal('', errors)
    assert.are.equal('> >> >> > > ', prompts)
    assert.are.equal('{1, 2}\n', session {'{1,', '2}'})
    assert.are.equal('"a\\nb"\n', session {'[[a', 'b]]'})
  end)

  it('drops what was typed when it is interrupted', function()
    local output, errors, prompts = session {'for i = 1, 2 do', false, '1'}
    assert.are.equal('1\n', output)
    assert.are.equal('', errors)
    assert.are.equal('> >> > > ', prompts)
  end)

  it('tells of an input that ends too early', function()
    local _, errors, _, failures = session {'x = {'}
    assert.matches("^stdin:1: unexpected symbol near '?<eof>'?\n$", errors)
    assert.are.equal(1, failures)
  end)

  it('tells of syntax errors and goes on', function()
    local output, errors, _, failures = session {'x = = 1', '1 +* 2', 'x = {} print x', '1'}
    assert.are.equal('1\n', output)
    local message = "stdin:1: unexpected symbol near '%s'\n"
    assert.are.equal(message:format '=' .. message:format '*', (errors:gsub("[^\n]*'x'\n", '')))
    assert.are.equal(3, failures)
  end)

  it("shows errors with the user's frames alone", function()
    local _, errors = session {'function f() error("boom") end', 'f()'}
    assert.are.equal("stdin:1: boom\nstack traceback:\n\t[C]: in function 'error'\n"
                     .. "\tstdin:1: in function 'f'\n\tstdin:1: in main chunk\n", errors)
  end)

  it('shows error values that are not strings', function()
    local _, errors = session {'error({})', 'error()',
                               'error(setmetatable({}, {__tostring = function() return "E" end}))'}
    assert.is_truthy(errors:find('(error object is a table value)', 1, true))
    assert.is_truthy(errors:find('(error object is a nil value)', 1, true))
    assert.is_truthy(errors:find('\nE\n', 1, true))
  end)

  it('survives a __tostring that fails', function()
    local bad = 'setmetatable({}, {__tostring = function() error("bad") end})'
    local output, _, _, failures = session {bad, '{' .. bad .. '}', '1'}
    assert.is_truthy(output:find('error in __tostring', 1, true))
    assert.is_truthy(output:find('\n1\n$'))
    assert.are.equal(0, failures)
  end)

  it('hands each input on to be remembered, all its lines together', function()
    local lines, kept = {'f(', '1)'}, {}
    loop.run {
      read = function() return table.remove(lines, 1) end,
      write = function() end,
      write_error = function() end,
      remember = function(line) kept[#kept + 1] = line end,
    }
    assert.are.same({'f(\n1)'}, kept)
  end)
end)

describe('a traceback', function()
  it('of a deep stack leaves out its middle', function()
    local function deep(n)
      if n == 0 then error('bottom') end
      return 1 + deep(n - 1)
    end
    local results, message = trace.call(deep, 100)
    assert.is_nil(results)
    local _, lines = message:gsub('\n', '')
    assert.are.equal(24, lines)
    assert.is_truthy(message:find('\n\t...\n', 1, true))
  end)

  it('is not needed where there is no error', function()
    assert.are.same({n = 3, 1, nil, 3}, (trace.call(function(...) return ... end, 1, nil, 3)))
  end)
end)

describe('values', function()
  it('of tables are shown, numbers first, then names', function()
    assert.are.equal('{}', show.value({}))
    assert.are.equal('{1, "two", a = {1}, b = {}, ["x y"] = true}',
                     show.value({1, 'two', a = {1}, b = {}, ['x y'] = true}))
    assert.are.equal('{[0] = 1, [true] = 2, ["end"] = 3}',
                     (show.value({[0] = 1, [true] = 2, ['end'] = 3})
                       :gsub('%["end"%] = 3, %[true%] = 2', '[true] = 2, ["end"] = 3')))
  end)

  it('of long tables are cut', function()
    local t = {}
    for i = 1, 200 do t[i] = i end
    local text = show.value(t)
    assert.is_truthy(text:find('^{\n  1,\n  2,\n'))
    assert.is_truthy(text:find('  50,\n  ... (150 more)\n}', 1, true))
  end)

  it('of tables that contain themselves are finite', function()
    local t = {}
    t.t = t
    assert.are.equal('{t = {...}}', show.value(t))
  end)

  it('are shown by their __tostring, in tables by its last line', function()
    local object = setmetatable({}, {__tostring = function() return ' 1\n 2\n[two]\n' end})
    assert.are.equal(' 1\n 2\n[two]\n', show.value(object))
    assert.are.equal('{[two]}', show.value({object}))
    assert.are.equal('1\n 1\n 2\n[two]\n', show.values(2, 1, object))
  end)

  it('of strings have no control characters', function()
    assert.are.equal('"\\027[0m\\000\\"\\\\\\t"', show.value('\27[0m\0"\\\t'))
  end)
end)

describe('completion', function()
  local function names(text, environment)
    return table.concat(complete.candidates(text, environment), ' ')
  end

  it('knows the methods of a class that is not in use', function()
    assert.are.equal('narrow narrow\n', (child.run [[
      local complete = require 'tensor.repl.complete'
      print(complete.candidates('tensor.ShortTensor.narr', {tensor = tensor})[1],
            complete.candidates('make.narr', {make = tensor.CharTensor})[1])
    ]]):gsub('\t', ' '))
  end)

  it('knows globals and keywords', function()
    local environment = setmetatable({total = 1, tone = 2}, {__index = {tower = 3}})
    assert.are.equal('tone total tower', names('x = to', environment))
    assert.are.equal('then tone total tower true', names('t', environment))
    assert.are.equal('tone', names('1 ..ton', environment))
    assert.are.equal('', names('nothing', environment))
  end)

  it('knows fields, and methods after a colon', function()
    local environment = {object = {name = 'x', next = next, inner = {value = 1}, ['a b'] = 2}}
    assert.are.equal('inner name next', names('object.', environment))
    assert.are.equal('next', names('f(object:n', environment))
    assert.are.equal('value', names('object.inner.v', environment))
    assert.are.equal('', names('object.missing.v', environment))
  end)

  it('follows __index tables and hides internal names', function()
    local parent = {method = print, _hidden = print}
    local heir = setmetatable({}, {__index = parent})
    local environment = {object = setmetatable({}, {__index = heir})}
    assert.are.equal('method', names('object:', environment))
    assert.are.equal('_hidden', names('object:_', environment))
    environment.text = 'some text'
    assert.are.equal('rep reverse', names('text:re', environment))
  end)

  it('finds the methods of a class in its metatable and in its parents', function()
    local object = newproxy(true)
    local metatable = getmetatable(object)
    metatable.__typename = 'torch.SomeTensor'
    metatable.__index = function() error('user code was called') end
    metatable.narrow = print
    setmetatable(metatable, {nameOfParent = print, nElement = 3})
    local environment = {t = object}
    assert.are.equal('nameOfParent narrow', names('t:na', environment))
    assert.are.equal('nElement', names('t.nE', environment))
  end)

  it('calls no user code, and follows no circle', function()
    local function fail() error('user code was called') end
    local hooks = {__index = fail, __newindex = fail, __len = fail, __tostring = fail,
                   __eq = fail, __call = fail, __pairs = fail, __metatable = false}
    local circle = {member = 1}
    setmetatable(circle, {__index = circle})
    local environment = setmetatable({object = setmetatable({own = 1}, hooks), circle = circle},
                                     {__index = fail})
    assert.are.equal('own', names('object.o', environment))
    assert.are.equal('', names('object.missing.x', environment))
    assert.are.equal('member', names('circle.m', environment))
    assert.are.equal('', names('absent.x', environment))
  end)

  it('offers nothing after what it cannot evaluate', function()
    local environment = {x = {y = 1}, y = 2}
    for _, text in ipairs {'f().y', 'x[1].y', '"s".y', '1.y', 'f()', '"s"', 'x::y', ':y'} do
      assert.are.equal('', names(text, environment), text)
    end
  end)

  it('gives the part that the names replace', function()
    local _, part = complete.candidates('print(x.abc', {x = {}})
    assert.are.equal('abc', part)
    assert.are.equal('na', complete.common {'narrow', 'name', 'nameOf'})
    assert.are.equal('name', complete.common {'name'})
  end)
end)

describe('the history', function()
  it('is kept in a file, without blank and repeated lines', function()
    local path = work .. '/state/tensor/history'
    local first = history.open(path)
    assert.are.same({}, first.lines)
    assert.is_true(first.add('a = 1'))
    assert.is_false(first.add('a = 1'))
    assert.is_false(first.add('  '))
    assert.is_true(first.add('b = 2'))
    assert.are.same({'a = 1', 'b = 2'}, history.open(path).lines)
  end)

  it('keeps the newest lines', function()
    local path = work .. '/long-history'
    local lines = {}
    for i = 1, 1500 do lines[i] = 'line ' .. i end
    write_file(path, table.concat(lines, '\n') .. '\n')
    assert.are.equal('line 501', history.open(path).lines[1])
    local _, count = assert(io.open(path)):read('*a'):gsub('\n', '')
    assert.are.equal(1000, count)
  end)

  it('does without a file that cannot be written', function()
    for _, path in ipairs {'/proc/no/such/folder/history', work} do
      local kept = history.open(path)
      assert.is_true(kept.add('x'))
      assert.are.same({'x'}, kept.lines)
    end
    assert.is_true(history.open(nil).add('x'))
  end)

  it('is where the XDG specification says', function()
    local code = [[print(require'tensor.repl.history'.path())]]
    local function path(variables)
      return (shell(clean .. variables .. ' ' .. launcher .. ' -e ' .. shell_quoted(code)))
    end
    assert.are.equal('/s/tensor/history\n', path('XDG_STATE_HOME=/s HOME=/h'))
    assert.are.equal('/h/.local/state/tensor/history\n', path('XDG_STATE_HOME=s HOME=/h'))
    assert.are.equal('/h/.local/state/tensor/history\n', path('-u XDG_STATE_HOME HOME=/h'))
    assert.are.equal('nil\n', path('-u XDG_STATE_HOME -u HOME'))
  end)
end)

describe('the launcher', function()
  local function script(text)
    local path = work .. '/script.lua'
    write_file(path, text)
    return shell_quoted(path)
  end

  it('runs a script with its arguments', function()
    local path = script [[
      print(select('#', ...), (...), arg[0]:match('[^/]*$'), arg[1], arg[2], #arg)
    ]]
    local output, status = tensor(path .. " a 'b c'")
    assert.are.equal("2\ta\tscript.lua\ta\tb c\t2\n", output)
    assert.are.equal(0, status)
  end)

  it('finds the module, without globals, for scripts', function()
    local output = tensor(script [[
      print(type(require 'tensor'.DoubleTensor) ~= 'nil', tensor, torch)
    ]])
    assert.are.equal('true\tnil\tnil\n', output)
  end)

  it('gives the exit status of a script', function()
    assert.are.equal(7, select(2, tensor(script 'os.exit(7)')))
    local output, status = tensor(script 'local function f() error("boom") end\nf()')
    assert.are.equal(1, status)
    assert.is_truthy(output:find('^tensor: [^\n]*script%.lua:1: boom\nstack traceback:\n'))
    assert.is_truthy(output:find('script%.lua:2: in main chunk\n$'))
    output, status = tensor(script 'x = = 1')
    assert.are.equal(1, status)
    assert.is_truthy(output:find("script.lua:1: unexpected symbol near '='", 1, true))
    output, status = tensor(shell_quoted(work .. '/missing.lua'))
    assert.are.equal(1, status)
    assert.is_truthy(output:find('cannot open', 1, true))
  end)

  it('writes errors to stderr alone', function()
    assert.are.equal('', (tensor("-e 'error()' 2>/dev/null")))
  end)

  it('gives code on the command line the globals that the REPL has', function()
    local code = 'print(type(torch.DoubleTensor) ~= "nil" and torch == tensor)'
    assert.are.equal('true\n', (tensor('-e ' .. shell_quoted(code))))
    local piped = ('echo %s | %s'):format(shell_quoted(code), clean .. launcher)
    assert.are.equal('true\n', (shell(piped)))
  end)

  it('runs code and modules in order, before the script', function()
    write_file(work .. '/counted.lua', 'print("module") return {}')
    local output, status = shell(('cd %s && %s -e "print(1)" -lcounted -e"print(2)" -- %s')
      :format(shell_quoted(work), clean .. 'LUA_PATH="./?.lua;;" ' .. launcher,
              script 'print(3, arg[0] and arg[-1])'))
    assert.are.equal('1\nmodule\n2\n3\t--\n', output)
    assert.are.equal(0, status)
    output, status = tensor("-e 'error(\"first\")' -e 'print(2)'")
    assert.is_truthy(output:find('(command line):1: first', 1, true))
    assert.is_nil(output:find('\n2\n', 1, true))
    assert.are.equal(1, status)
    assert.are.equal(1, select(2, tensor('-l no.such.module')))
  end)

  it('runs stdin as a script', function()
    local output, status = shell("echo 'local x = ...\nprint(x)' | " .. clean .. launcher .. ' - a')
    assert.are.equal('a\n', output)
    assert.are.equal(0, status)
  end)

  it('tells its version and its options', function()
    local output, status = tensor('-v')
    assert.are.equal(0, status)
    assert.is_truthy(output:find('^tensor %d+%.%d'))
    assert.is_truthy(output:find(_VERSION == 'Lua 5.1' and 'LuaJIT 2' or _VERSION, 1, true))
    assert.is_truthy(output:find('BLAS', 1, true))
    output, status = tensor('-h')
    assert.are.equal(0, status)
    assert.is_truthy(output:find('usage: tensor', 1, true))
  end)

  it('refuses unknown options', function()
    for _, arguments in ipairs {'-x', '--frobnicate', '-e', '-l', '-iv', 'env x'} do
      local output, status = tensor(arguments)
      assert.are.equal(2, status, arguments)
      assert.is_truthy(output:find('^tensor: '), arguments)
    end
    assert.are.equal('', (tensor('-x 2>/dev/null')))
  end)

  it('is a REPL without a script, with the module as a global', function()
    local output, status = shell("printf '%s\\n' 'x = 20' 'for i = 1, 2 do' 'x = x + 1' end x "
      .. "'tensor == torch and tensor == require \"tensor\"' | " .. clean .. launcher)
    assert.are.equal('22\ntrue\n', output)
    assert.are.equal(0, status)
    output, status = shell("printf '%s\\n' 'error(\"no\")' 1 | " .. clean .. launcher)
    assert.is_truthy(output:find('stdin:1: no', 1, true))
    assert.is_truthy(output:find('1\n$'))
    assert.are.equal(1, status)
  end)

  it('is a REPL after the script with -i', function()
    local output = shell('echo "y, type(torch)" | ' .. clean .. launcher .. ' -i '
                         .. script 'y = type(tensor)')
    assert.are.equal('"table"\t"table"\n', output)
    output = shell('echo 1 | ' .. clean .. launcher .. " -i -e 'error(\"early\")'")
    assert.is_truthy(output:find('early', 1, true))
    assert.is_truthy(output:find('1\n$'))
  end)

  it('prints an environment in which the plain Lua finds the module', function()
    local use = child.interpreter .. [[ -e 'print(type(require "tensor".DoubleTensor) ~= "nil")']]
    local output = shell(('unset LUA_PATH LUA_CPATH; eval "$(%s env)" && %s'):format(launcher, use))
    assert.are.equal('true\n', output)
    -- A second evaluation changes nothing.
    output = shell(('unset LUA_PATH; eval "$(%s env)"; a=$LUA_PATH; eval "$(%s env)"; '
                    .. '[ "$a" = "$LUA_PATH" ]; echo $?; echo "$LUA_PATH" | grep -c ";;$"')
                    :format(launcher, launcher))
    assert.are.equal('0\n1\n', output)
    output = shell([[LUA_PATH="/it's/?.lua;;"; export LUA_PATH; ]]
                   .. ('eval "$(%s env)"; echo "$LUA_PATH"'):format(launcher))
    assert.is_truthy(output:find(";/it's/?.lua;;\n", 1, true))
  end)

  it('works through links, from any folder, and below folders with odd names', function()
    local moved = work .. "/a 'b"
    shell(('mkdir -p %s && cp -R %s %s'):format(shell_quoted(moved), shell_quoted(prefix),
                                                shell_quoted(moved .. '/p')))
    shell(('cd %s && ln -s p/bin/tensor one && ln -s "$PWD/one" two'):format(shell_quoted(moved)))
    local code = [[-e 'print(type(require "tensor".DoubleTensor) ~= "nil")']]
    for _, link in ipairs {'/one', '/two', '/p/bin/tensor'} do
      assert.are.equal('true\n', (shell('cd / && ' .. clean .. shell_quoted(moved .. link) .. ' '
                                        .. code)), link)
    end
    local bin = shell_quoted(moved .. '/p/bin')
    assert.are.equal('true\n', (shell(('cd %s && %s ./tensor %s'):format(bin, clean, code))))
    assert.are.equal('true\n', (shell(('PATH=%s:$PATH; %s tensor %s'):format(bin, clean, code))))
  end)

  it('relies on LUA_PATH where the module does not lie beside it', function()
    local away = shell_quoted(work .. '/away/bin')
    shell(('mkdir -p %s && cp %s %s'):format(away, launcher, away))
    local paths = ('LUA_PATH=%s LUA_CPATH=%s '):format(
      shell_quoted(share .. '?.lua;' .. share .. '?/init.lua;;'),
      shell_quoted(prefix .. ('/lib/lua/%s/?.so;;'):format(_VERSION:match '%d.%d')))
    local output, status = shell(paths .. away .. '/tensor -e "print(require\'tensor\' ~= nil)"')
    assert.are.equal('true\n', output)
    assert.are.equal(0, status)
    output, status = shell('cd / && ' .. clean .. away .. '/tensor -v')
    assert.are.equal(1, status)
    assert.is_truthy(output:find('neither in', 1, true))
  end)
end)
