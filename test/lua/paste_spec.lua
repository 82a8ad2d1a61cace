-- Text that is pasted at the prompt.

local loop = require 'tensor.repl.loop'
local terminal = require 'support.terminal'

local in_terminal = terminal.when_available(it, pending)

local function paste(t, text)
  t.type('\27[200~' .. text:gsub('\n', '\r') .. '\27[201~')
end

describe('pasted text', function()
  in_terminal('arrives as it is, with its tabs', function()
    local t = terminal.open(terminal.program())
    t.await '\27[?2004h> '
    paste(t, 's = "mat\th.ab\27s"\ns\n')
    t.await '"mat\\th.ab\\027s"'
    t.await '> '
    paste(t, 'x =\t5\t-- \195\164\n  y = x\t+ torch.\tones(1)[1]\ny\n')
    t.await '2004l6'
    t.await '> '
    -- A typed Tab completes.
    t.type 'torch.narr\t\n'
    t.await 'function: '
    t.await '> '
    t.type '\4'
    t.await '\27[?2004l'
    assert.are.equal(0, t.close())
  end)

  in_terminal('runs line by line, as far as inputs are complete', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    paste(t, 'for i = 1, 2 do\n\tprint(i * 21)\nend\n\nq = 7\nq * 11\n"the r" .. "est" ')
    assert.is_nil(t.await '42':find 'error')
    t.await '77'
    t.await '.. "est" '
    -- The last line has no end: it can be edited.
    t.type '.. q\n'
    t.await '"the rest7"'
    t.await '> '
    local lines = {}
    for i = 1, 300 do
      lines[i] = ('v%d = %d'):format(i, i)
    end
    paste(t, table.concat(lines, '\n') .. '\nv1 + v300\n#"' .. ('x'):rep(14000) .. '"\n')
    t.await '2004l301'
    t.await '2004l14000'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('is dropped by Ctrl-C', function()
    local t = terminal.open(terminal.program())
    t.await '> '
    paste(t, 'print("be" .. "gun") while true do end\nprint(6 * 7)\n8')
    t.await 'begun'
    t.press_until('\3', 'interrupted')
    t.await '> '
    t.type '5 + 6\n'
    assert.is_nil(t.await '2004l11':find '42')
    -- A paste whose end does not come.
    t.await '> '
    t.type '\27[200~abc'
    os.execute 'sleep 0.1'
    t.type '\0033 * 33\n'
    t.await '2004l99'
    assert.are.equal(0, t.leave())
  end)

  in_terminal('is not marked if the keys are those of vi', function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute('mkdir ' .. folder) == 0)
    local file = assert(io.open(folder .. '/.editrc', 'w'))
    file:write 'bind -v\n'
    file:close()
    local t = terminal.open(terminal.program('NO_COLOR=1 HOME=' .. folder))
    assert.is_nil(t.await '> ':find('2004', 1, true))
    t.type '3 * 4\n'
    t.await '12'
    t.type 'exit\n'
    assert.are.equal(0, t.close())
    os.execute('rm -r ' .. folder)
  end)

  in_terminal('is not marked in terminals that libedit does not know', function()
    for _, setting in ipairs {'TERM=dumb', 'TERM=', 'TERM=no-such-terminal'} do
      local t = terminal.open(terminal.program('NO_COLOR=1 ' .. setting))
      assert.is_nil(t.await '> ':find('2004', 1, true), setting)
      t.type '3 * 4\n'
      t.await '12'
      assert.are.equal(0, t.leave())
    end
  end)

  it('is dropped by the loop after an interruption only', function()
    local dropped = 0
    local function run(...)
      local lines = {...}
      loop.run {
        read = function() return table.remove(lines, 1) end,
        write = function() end,
        write_error = function() end,
        drop_paste = function() dropped = dropped + 1 end,
        environment = setmetatable({}, {__index = _G}),
      }
    end
    run('error "x"', 'local function f() error("interrupted at last") end f()', '+')
    assert.are.equal(0, dropped)
    run('error("interrupted", 0)', 'error "interrupted"')
    assert.are.equal(2, dropped)
  end)
end)
