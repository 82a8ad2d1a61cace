-- Positions in figures: pictures and labels at their coordinates, labels that do not overlap, and
-- tables that the caller changes after the call.

local tensor = require 'tensor'
local plot = tensor.plot
local nan = 0 / 0
local unpack = require 'tensor.versions'.unpack

-- Draws a figure on a page that stores the arguments of its functions by name.
local function drawn(figure)
  local calls = {}
  local page = setmetatable({}, { __index = function(_, name)
    calls[name] = calls[name] or {}
    return function(_, ...) table.insert(calls[name], { ... }) end
  end })
  figure:draw(page)
  return setmetatable(calls, { __index = function() return {} end })
end

-- Returns the texts that are drawn, joined by blanks.
local function texts(figure)
  local list = {}
  for k, call in ipairs(drawn(figure).text) do list[k] = call[3] end
  return table.concat(list, ' ')
end

-- The position of a label.
local function place(calls, text)
  for _, call in ipairs(calls.text) do
    if call[3] == text then return call[1], call[2] end
  end
end

-- Fails unless two numbers differ by at most 1e-6.
local function near(expected, x) assert.is_true(math.abs(expected - x) < 1e-6, tostring(x)) end

describe('a heat map', function()
  local m = tensor.range(1, 100):view(10, 10)

  it('is cropped by limits', function()
    local calls = drawn(plot.heatmap(m, { xlimits = { 3, 6 }, ylimits = { 1, 5 } }))
    local _, _, width, _, picture, part = unpack(calls.image[1])
    assert.are.same({ 10, 10 }, { picture:size(2), picture:size(3) })
    assert.are.same({ x = 2.5, y = 0.5, width = 3, height = 4 }, part)
    near(width, place(calls, '6') - place(calls, '3'))
  end)

  it('keeps its coordinates beside points', function()
    local calls = drawn(plot.heatmap(m):scatter({ 15, 10 }, { 5, 12 }))
    local x, y, width, height, _, part = unpack(calls.image[1])
    assert.are.same({ x = 0, y = 0, width = 10, height = 10 }, part)
    local ten, other = place(calls, '10'), drawn(plot.heatmap(m)).image[1]
    near(x + width * 0.95, ten)
    assert.is_true(width < 0.7 * other[3] and height < 0.9 * other[4])
    local dots = {}
    for _, point in ipairs(calls.dots[1][1]) do dots[#dots + 1] = point end
    near(x + width * 0.95, dots[2][1])
    near(y + height * 0.45, dots[1][2])
  end)

  it('is drawn in pixels and SVG at these coordinates', function()
    local two = tensor.Tensor { { 0, 1 } }
    local options = { limits = { 0, 1 }, xlimits = { 1, 5 }, width = 200, height = 100 }
    local row = plot.heatmap(two, options):pixels():select(2, 60)
    local function count(r, g, b)
      return row[1]:eq(r):cmul(row[2]:eq(g)):cmul(row[3]:eq(b)):sum()
    end
    local low, high = count(68, 1, 84), count(253, 231, 37)
    assert.is_true(low > 10 and math.abs(high - 2 * low) <= 2)
    local svg = plot.heatmap(two, options):svg()
    assert.matches('viewBox="0.5 0 1.5 1" preserveAspectRatio="none">%s*<image x="0" y="0" ' ..
                   'width="2" height="1"', svg)
    assert.is_nil(plot.heatmap(two):svg():find('viewBox="0.5', 1, true))
  end)

  it('is drawn in text at these coordinates', function()
    local figure = plot.heatmap(tensor.Tensor { { 1, 1 }, { 1, 1 } }, { limits = { 0, 1 },
                                xlimits = { 0.5, 4.5 }, ylimits = { 0.5, 4.5 } })
    local lines = {}
    for line in figure:text(40, 10):gmatch '[^\n]+' do
      local _, cells = line:gsub('\226\150\136', '')
      lines[#lines + 1] = cells
    end
    assert.are.same({ 18, 18, 18, 18, 0, 0, 0, 0, 0, 0 }, lines)
    assert.matches('\27%[48', figure:text(40, 10, '256'))
  end)

  it('follows a logarithmic axis', function()
    local calls = drawn(plot.heatmap(tensor.Tensor { { 0, 1 } }, { xscale = 'log' }))
    local picture = calls.image[1][5]
    local first = picture[1][1]:eq(picture[1][1][1]):sum()  -- from 0.5 to 1.5
    assert.is_true(math.abs(math.log(3) / math.log(5) - first / picture:size(3)) < 0.01)
  end)

  it('may be outside the limits', function()
    assert.are.equal(1, #drawn(plot.heatmap(m, { xlimits = { 20, 30 } })).image)  -- the color bar
    assert.is_nil(plot.heatmap(m, { xlimits = { 20, 30 } }):text():find '\226\150\136')
  end)

  it('has labels that do not overlap', function()
    assert.are.equal('10 20 30 1 3', texts(plot.heatmap(tensor.rand(3, 30), { aspect = 'equal',
      limits = { 0, 1 }, width = 400, height = 250 })):match '^10 20 30 1 3')
    local calls = drawn(plot.heatmap(tensor.rand(3, 60), { aspect = 'equal' }))
    for k, call in ipairs(calls.text) do
      for j = 1, k - 1 do
        local other = calls.text[j]
        assert.is_true(call[1] ~= other[1] or math.abs(call[2] - other[2]) >= 10)
      end
    end
  end)
end)

describe('the legend', function()
  -- The corner of the legend: its frame is the only rectangle of this color after the axes.
  local function corner(figure)
    local calls = drawn(figure)
    local x, y
    for _, call in ipairs(calls.rect) do
      local color = call[5]
      if color[1] == 255 and color[2] == 255 and color[3] == 255 then x, y = call[1], call[2] end
    end
    local width, height = figure:size()
    return (y < height / 2 and 'top ' or 'bottom ') .. (x < width / 2 and 'left' or 'right')
  end

  it('does not hide markers', function()
    local options = { name = 'data', size = 8, width = 400, height = 250 }
    assert.are.equal('top left', corner(plot.scatter({ 1, 2, 3, 4 }, { 1, 2, 3, 4 }, options)))
    options = { name = 'data', size = 60, width = 400, height = 250, marker = 'square',
                xlimits = { 0, 10 }, ylimits = { 0, 10 } }
    assert.are.equal('top left', corner(plot.scatter({ 7.5 }, { 7.5 }, options)))
    options.size = 4
    assert.are.equal('top right', corner(plot.scatter({ 7.5 }, { 7.5 }, options)))
  end)

  it('is not wider than the axes', function()
    local name = ('long name '):rep(10)
    local figure = plot.line({ 1, 2 }, { name = name, width = 400 })
    local shown = texts(figure):match '[^ ]* *long.*$'
    assert.matches('^[%d ]*long name .*%.%.%.$', shown)
    for _, call in ipairs(drawn(figure).rect) do assert.is_true(call[1] >= 0) end
    assert.are.equal(1, #drawn(plot.line({ 1, 2 }, { name = name, width = 100 })).lines[1][1])
  end)
end)

describe('figures in a terminal', function()
  it('have its width', function()
    local native = require 'tensor.native'
    local before = native.terminal_width
    finally(function() native.terminal_width = before end)
    local figure = plot.line({ 1, 2, 3 })
    local grid = plot.grid { { figure, figure } }
    local function widest(text)
      local most = 0
      for line in text:gmatch '[^\n]+' do
        most = math.max(most, require 'tensor.plot.letters'.count(line))
      end
      return most
    end
    for width, expected in pairs { [50] = 50, [10] = 20, [300] = 100, [72] = 72 } do
      native.terminal_width = function() return width end
      assert.are.equal(figure:text(expected), tostring(figure))
      assert.are.equal(grid:text(expected), tostring(grid))
      assert.are.equal(figure:text(expected, nil, '256'),
                       getmetatable(figure).__graphics(figure, '256'))
      assert.is_true(widest(tostring(figure)) <= expected)
      assert.matches(('c=%d,'):format(math.min(width, 72)), figure:graphics 'kitty')
    end
    local path = os.tmpname()
    local file = assert(io.open(path, 'w'))
    native.terminal_width = function() return 40 end
    local live = plot.live { output = file, terminal = true, interval = 0 }
    live(1, { a = 1 })
    file:close()
    file = assert(io.open(path))
    for line in (file:read '*a':gsub('\27%[K', '')):gmatch '[^\n]+' do
      assert.is_true(widest(line) <= 40)
    end
    file:close()
    os.remove(path)
    native.terminal_width = function() end
    assert.are.equal(figure:text(72), tostring(figure))
  end)
end)
