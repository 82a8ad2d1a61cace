-- Lines that are edited in a terminal.

local files = require 'support.files'
local terminal = require 'support.terminal'

local in_terminal = terminal.when_available(it, pending)

describe('the line editor', function()
  in_terminal('accepts letters that are not ASCII in any locale', function()
    for _, locale in ipairs {'LANG=', 'LANG=C', 'LANG=xx_XX.UTF-8'} do
      local t = terminal.open(terminal.program('NO_COLOR=1 LC_ALL= LC_CTYPE= ' .. locale))
      t.await '> '
      t.type '"\195\164" .. "\195\182"\n'
      assert.is_truthy(t.await '\195\164\195\182"', locale)
      assert.are.equal(0, t.leave())
    end
  end)

  in_terminal('adapts to the width of the terminal', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    t.type "io.popen 'sleep 0.1; stty cols 20; echo \"res\"ized >&2'\n"
    t.await 'resized'
    t.type(('1234567890'):rep(3) .. '\1')
    t.await '\27[A'  -- the beginning is on the line above
    t.type '\3'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('can be stopped by Ctrl-Z', function()
    local t = terminal.open("bash -ic '" .. terminal.program():gsub("'", '"') .. "; fg'")
    t.await '> '
    t.type '1 + 2'
    t.await '1 + 2'
    t.type '\26'
    t.await 'Stopped'
    t.await '> 1 + 2'
    t.type '0\n'
    t.await '2004l21'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('continues after signals of Ctrl-C that another process sends', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    t.type('p = io.popen \'trap "" INT; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.05; ' ..
           'kill -INT $PPID; done; echo do"ne" >&2\'\n')
    t.await '^C'
    t.await 'done'
    t.type '5 * 5\n'
    t.await '2004l25'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('lists names in the width of the terminal, and only the first of many', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    t.type "long = {name_one = 1, name_two = 2, name_three = 3} os.execute 'stty cols 26'\n"
    t.await '2004h> '
    t.type 'long.\t\t'
    t.await 'name_one    name_two\r\nname_three'
    t.type '\3'
    t.await '2004h> '
    t.type 'many = {} for i = 1, 100 do many[("n%d"):format(i)] = i end\n'
    t.await '2004h> '
    t.type 'many.\t\t'
    assert.is_nil(t.await '... (20 more)':find 'n99')
    t.type '\3'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('writes no colors to stderr if it is a file', function()
    local path = os.tmpname()
    local t = terminal.open(terminal.program 'NO_COLOR=' .. ' 2>' .. path)
    t.await '> '
    t.type 'nothing.at_all\n'
    assert.are.equal(0, t.leave())
    assert.is_nil(files.content(path):find '\27')
    assert.matches("^stdin:1: [^\n]*'nothing'", files.content(path))
    os.remove(path)
  end)

  in_terminal('ignores keys without a function', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    for _, key in ipairs {'[5~', '[15~', '[1;2A', '[1;2H', '[3;2~', '[1;2P', 'OP', '[24;8~'} do
      t.type('\27' .. key)
    end
    t.type '5 + 6 word\27[1;5D\27[3;5~\n'  -- Ctrl-Left, Ctrl-Delete
    t.await '2004l11'
    assert.are.equal(0, t.leave())
  end)
end)

describe('the prompt without libedit', function()
  in_terminal('discards an open input at Ctrl-C', function()
    local path = os.tmpname()
    files.write(path, "require 'ffi'.load = function(name) error(name) end")
    local t = terminal.open(terminal.program() .. ' -i ' .. path)
    t.await '> '
    t.type 'for i = 1, 2 do\n'
    t.await '>> '
    t.type 'x = '
    t.type '\3'
    t.await '\n> '
    t.type '5 + 6\n'
    t.await '\n11'
    assert.are.equal(0, t.leave())
    os.remove(path)
  end)
end)
