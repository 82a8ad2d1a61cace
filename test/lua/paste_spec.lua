-- Text that is pasted at the prompt.

local loop = require 'tensor.repl.loop'
local terminal = require 'support.terminal'
local versions = require 'tensor.versions'
local files = require 'support.files'

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
    local folder = files.new_folder()
    files.write(folder .. '/.editrc', 'bind -v\n')
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

  describe('of many lines', function()
    -- Returns the lines that the loop writes, and the number of bytes that it compiles.
    local function run(lines)
      local written, bytes, load = {}, 0, versions.load
      versions.load = function(text, ...)
        bytes = bytes + #text
        return load(text, ...)
      end
      local next_line = 0
      local ok, message = pcall(loop.run, {
        read = function()
          next_line = next_line + 1
          return lines[next_line]
        end,
        write = function(text) written[#written + 1] = text end,
        write_error = function(text) written[#written + 1] = text end,
        environment = setmetatable({}, {__index = _G}),
      })
      versions.load = load
      assert(ok, message)
      return written, bytes
    end

    local function numbered(first, line, last)
      local lines = {first}
      for k = 1, 2000 do
        lines[#lines + 1] = line:format(k)
      end
      lines[#lines + 1] = last
      return lines
    end

    it('is not compiled after each of them', function()
      local lines = numbered('x = {', '  {%d, "(row", {[[do]]}}, -- (', '}')
      lines[#lines + 1] = '#x'
      local written, bytes = run(lines)
      assert.are.same({'2000'}, written)
      assert.is_true(bytes < 50 * #table.concat(lines, '\n'), bytes)
    end)

    it('ends with the line that completes it', function()
      for _, lines in ipairs{
        numbered('do local n = 0', 'n = n + (%d > 0 and 1 or 0)', 'print_ = n end'),
        numbered('print_ = (function() local n = 0', 'if %d > 0 then n = n + 1 end',
                 'return n end)()'),
        numbered('print_ = #([==[', '%d]] do', ']==]):gsub("[^d]+", "")'),
        numbered('print_ = 0 repeat --[[(', '%d', ')]] print_ = print_ + 2000 until print_ > 1'),
      } do
        lines[#lines + 1] = 'print_'
        assert.are.same({'2000'}, (run(lines)), lines[1])
      end
    end)

    it('is refused if it has an error, also if it is open at the end of all input', function()
      for wrong, last in pairs{[1000] = '}', [1990] = '  {1},'} do
        local lines = numbered('x = {', '  {%d, "row"},', last)
        lines[wrong] = '  {1 2},'
        assert.matches(('stdin:%d: .*expected'):format(wrong), run(lines)[1])
      end
    end)

    it('may have names with letters that are not ASCII', function()
      if not rawget(_G, 'jit') then return end  -- only LuaJIT accepts them
      local lines = numbered('x = {', '  {%d, "row"},', '  conte\195\186do = 1,')
      lines[#lines + 1], lines[#lines + 2] = '}', '#x'
      assert.are.same({'2000'}, (run(lines)))
    end)

    it('is complete after a line with an open quote', function()
      for _, text in ipairs {'x = "open', '"open', "print('open", 'f("open'} do
        assert.is_nil(loop.incomplete(text), text)
        assert.matches('unfinished string', run({text, '5'})[1], nil, text)
      end
      assert.are.equal('text', loop.incomplete 'x = "open\\')
      assert.are.equal('text', loop.incomplete 'x = [[open "')
    end)

    it('is incomplete in code or in text', function()
      local text = table.concat(numbered('x = {', '  {%d, "row"},'), '\n')
      assert.are.equal('code', loop.incomplete(text))
      assert.are.equal('text', loop.incomplete(text .. '\n[['))
      assert.are.equal('code', loop.incomplete(text .. '\n[[}]]'))
      assert.are.equal('text', loop.incomplete(text .. '\n[[]] --[['))
      assert.is_nil(loop.incomplete(text .. '\n[[]] --[[]] }'))
      assert.are.equal('code', loop.incomplete(text .. '\n[[]] } do'))
      assert.is_nil(loop.incomplete(text .. '\n[[]] } double = 1'))
      assert.is_nil(loop.incomplete(text .. '\n[[]] } -- do'))
    end)
  end)
end)
