-- Figures in terminals: decodes the graphics output, and simulates terminals.

local tensor = require 'tensor'
local graphics = require 'tensor.plot.graphics'
local loop = require 'tensor.repl.loop'
local raises = require 'support.raises'
local terminal = require 'support.terminal'
local files = require 'support.files'

local plot = tensor.plot

-- Larger than one chunk of kitty's protocol; the height is not a multiple of 6 or 12.
local function figure()
  return plot.line({1, 3, 2}, {width = 200, height = 125, title = 'three'})
end

local function base64_decoded(text)
  local digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  local bytes = {}
  for group in text:gmatch '....' do
    local bits, padding = 0, select(2, group:gsub('=', ''))
    for digit in group:gmatch '.' do
      bits = bits * 64 + (digit == '=' and 0 or digits:find(digit, 1, true) - 1)
    end
    bytes[#bytes + 1] = string.char(math.floor(bits / 65536), math.floor(bits / 256) % 256,
                                    bits % 256):sub(1, 3 - padding)
  end
  return table.concat(bytes)
end

-- Decodes sixels into a ByteTensor of 3 x H x W.
local function drawn(text)
  local width, height, data = text:match '^\27P0;1;0q"1;1;(%d+);(%d+)(.*)\27\\$'
  width, height = tonumber(width), tonumber(height)
  local page, palette, color = {}, {}, nil
  local x, y, at = 0, 0, 1
  while at <= #data do
    local c = data:sub(at, at)
    local number, r, g, b = data:match('^#(%d+);2;(%d+);(%d+);(%d+)', at)
    local plain, times = data:match('^#(%d+)', at), data:match('^!(%d+)', at)
    if number then
      palette[number] = {r * 2.55, g * 2.55, b * 2.55}
      at = at + #('#;2;;;' .. number .. r .. g .. b)
    elseif plain then
      color, at = assert(palette[plain]), at + 1 + #plain
    elseif c == '$' then
      x, at = 0, at + 1
    elseif c == '-' then
      x, y, at = 0, y + 6, at + 1
    else
      if times then at = at + 1 + #times end
      local bits = data:byte(at) - 63
      assert(bits >= 0 and bits < 64)
      for _ = 1, tonumber(times) or 1 do
        for k = 0, 5 do
          if math.floor(bits / 2 ^ k) % 2 == 1 then
            local place = (y + k) * width + x
            assert(x < width and y + k < height and not page[place], 'drawn twice, or outside')
            page[place] = color
          end
        end
        x = x + 1
      end
      at = at + 1
    end
  end
  local pixels = tensor.DoubleTensor(height * width, 3)
  local rows = {}
  for place = 0, height * width - 1 do rows[place + 1] = assert(page[place], 'a missing pixel') end
  pixels:copy(tensor.DoubleTensor(rows))
  return pixels:t():contiguous():view(3, height, width)
end

describe('figures as pictures in terminals', function()
  it('are PNG files in pieces, for kitty', function()
    local text, pieces, more = figure():graphics 'kitty', {}, nil
    local rest = text:gsub('\27_G([^;]*);([^\27]*)\27\\', function(keys, piece)
      pieces[#pieces + 1] = piece
      more = keys:match 'm=(%d)'
      assert.is_true(#piece <= 4096 and #piece % 4 == 0)
      assert.are.equal(#pieces == 1, keys:find('f=100,a=T', 1, true) ~= nil)
      return ''
    end)
    assert.are.equal('', rest)
    assert.are.equal('0', more)
    files.with_name('.png', function(name)
      files.write(name, base64_decoded(table.concat(pieces)))
      assert.is_true(tensor.load(name, {type = 'Byte'}):equal(figure():pixels()))
    end)
    local large = plot.heatmap(tensor.rand(60, 60), {width = 400, height = 300}):graphics 'kitty'
    assert.is_true(select(2, large:gsub('m=1', '')) > 0)
  end)

  it('are sixels', function()
    local got = drawn(figure():graphics 'sixel')
    local wanted = tensor.image.scale(figure():pixels(), 200, 125):double()
    assert.are.same({3, 125, 200}, got:size():totable())
    -- Levels are 51 apart, so the error is at most half of that.
    assert.is_true((got - wanted):abs():max() < 26)
    assert.is_true((got - wanted):abs():mean() < 3)
    raises.text('graphics are "kitty" or "sixel", got png', figure().graphics, figure(), 'png')
  end)

  it('are requested', function()
    -- answers: the terminal's replies; environment: its variables. Returns the protocol and the
    -- queries.
    local function found(answers, environment)
      local asked = {}
      local kind = graphics.of_terminal(function(text)
        asked[#asked + 1] = text
        return answers[#asked]
      end, function(name) return environment[name] end)
      return kind, #asked
    end
    local function check(kind, asked, ...)
      local got, times = found(...)
      assert.are.equal(kind, got)
      assert.are.equal(asked, times)
    end
    check(nil, 0, {}, {})
    check(nil, 0, {'\27[?62;4c'}, {TERM = 'dumb'})
    check(nil, 1, {''}, {TERM = 'xterm'})
    check(nil, 1, {'\27[?62;4'}, {TERM = 'xterm'})
    check(nil, 1, {'\27[?1;2c'}, {TERM = 'xterm'})
    check(nil, 1, {'\27[?64;14;40c'}, {TERM = 'xterm'})
    check('sixel', 1, {'\27[?62;4;22c'}, {TERM = 'xterm'})
    check('sixel', 1, {'x\27[?4c'}, {TERM = 'xterm'})
    check('kitty', 2, {'\27[?62c', '\27_Gi=31;OK\27\\\27[?62c'}, {TERM = 'xterm-kitty'})
    check(nil, 2, {'\27[?62c', '\27_Gi=31;EINVAL\27\\\27[?62c'}, {TERM = 'xterm-kitty'})
    check('sixel', 2, {'\27[?62;4c', '\27[?62;4c'}, {TERM = 'xterm', TERM_PROGRAM = 'WezTerm'})
    check(nil, 1, {'\27[?62c'}, {TERM = 'xterm-kitty', TMUX = '/tmp/tmux'})
    check(nil, 1, {}, {TERM = 'xterm', KITTY_WINDOW_ID = '1'})
  end)

  it('are what the prompt shows of one figure, where it can', function()
    local function session(kind, ...)
      local lines, output = {...}, {}
      loop.run {
        read = function() return table.remove(lines, 1) end,
        write = function(...) output[#output + 1] = table.concat {...} end,
        write_error = error,
        environment = setmetatable({torch = tensor, figure = figure()}, {__index = _G}),
        graphics = function() return kind end,
      }
      return table.concat(output)
    end
    assert.are.equal(figure():graphics 'sixel' .. '\n', session('sixel', 'figure'))
    assert.are.equal(figure():graphics 'kitty' .. '\n', session('kitty', 'figure'))
    assert.are.equal(figure():text() .. '\n', session(nil, 'figure'))
    assert.is_nil(session('sixel', 'figure, 2'):find '\27')
    assert.are.equal('7\n', session('sixel', '3 + 4'))
  end)

  local reason = 'the program script and TENSOR_PREFIX are missing'
  local function has_terminal() return terminal.available() and os.getenv 'TENSOR_PREFIX' end

  it('leave terminals alone that do not answer', function()
    if not has_terminal() then return pending(reason) end
    local command = 'env -u HOME -u XDG_STATE_HOME -u TENSOR_PLOT TERM=xterm NO_COLOR=1 %s '
                    .. "'" .. os.getenv 'TENSOR_PREFIX' .. "/bin/tensor'"
    local function shown(variables)
      local program = terminal.open(command:format(variables))
      program.await '> '
      program.type 'f = torch.plot.line({1, 3, 2}, {width = 200, height = 125})\n'
      program.await '> '
      program.type 'f:set{title = "th" .. "ree"}\n'
      program.await '"ree"}'
      local text = program.await '> '
      program.type '4 * 5\n'
      assert.matches('20', program.await '20')
      program.type 'exit\n'
      assert.are.equal(0, program.close())
      return text
    end
    -- Only the query, and text.
    local text = shown ''
    assert.is_truthy(text:find('\27[c', 1, true), text)
    assert.is_truthy(text:find('three', 1, true), text)
    assert.is_nil(text:find '\27[_P]', text)
    assert.is_truthy(shown 'TENSOR_PLOT=sixel':find('\27P0;1;0q"1;1;200;125', 1, true))
  end)

  it('keep lines that are typed before their reply', function()
    if not has_terminal() then return pending(reason) end
    local program = terminal.open('env -u HOME -u XDG_STATE_HOME -u TENSOR_PLOT TERM=xterm ' ..
                                  "NO_COLOR=1 '" .. os.getenv 'TENSOR_PREFIX' .. "/bin/tensor'")
    program.await '> '
    program.type 'f = torch.plot.line({1, 3, 2})\n'
    program.await '> '
    -- The reply is there before the query, which waits for it for one second only.
    program.type('f\n111 * 3\nfor k = 1, 2 do\nprint("fi" .. "rst")\nend\n' ..
                 'print("sec" .. "ond")\npri\27[?1;2cnt("la" .. "st")\n')
    program.await '\27[c'
    for _, text in ipairs {'333', 'first', 'first', 'second', 'last'} do program.await(text) end
    program.type 'exit\n'
    assert.are.equal(0, program.close())
    assert.are.equal('6\n', graphics.typed_in '6\n\27_Gi=31;OK\27\\\27[?62;4c')
    assert.are.equal('6\n', graphics.typed_in '6\n')
  end)
end)
