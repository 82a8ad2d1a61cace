-- Positions in figures: pictures and labels at their coordinates, labels that do not overlap, and
-- tables that the caller changes after the call.

local tensor = require 'tensor'
local plot = tensor.plot
local decimal_comma = require 'support.decimal_comma'
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
    local function without_labels(text) return (text:gsub('>[^<]*<', '><')) end
    decimal_comma(function()
      assert.are.equal(without_labels(svg), without_labels(plot.heatmap(two, options):svg()))
    end)
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

describe('a box or bar without data', function()
  it('has its place and its label', function()
    local figures = { plot.bars({ 1, 2, nan }, { labels = { 'a', 'b', 'c' } }),
                      plot.boxplot({ { 1, 2 }, { 2, 3 }, {} }, { labels = { 'a', 'b', 'c' } }),
                      plot.bars({ nan, 1, nan }, { labels = { 'a', 'b', 'c' } }) }
    for _, figure in ipairs(figures) do
      local calls = drawn(figure)
      local a, b, c = place(calls, 'a'), place(calls, 'b'), place(calls, 'c')
      near(b - a, c - b)
      assert.is_true(c < figure:size() - 30)
      assert.matches('a +b +c', figure:text(50, 10))
    end
  end)

  it('has no label outside the limits', function()
    local figure = plot.bars({ 1, 2, 3, 4 }, { labels = { 'a', 'b', 'c', 'd' },
                                               xlimits = { 1.5, 3.5 } })
    assert.matches('^b c ', texts(figure))
    assert.matches('^ +b +c$', figure:text(50, 10):match '[^\n]*$')
    assert.is_nil(figure:svg():find('>a<', 1, true))
    assert.matches('^a ', texts(plot.bars({ 1 }, { labels = { 'a', 'b' } })))
    assert.is_nil(texts(plot.bars({ 1 }, { labels = { 'a', 'b' } })):find 'b')
  end)
end)

describe('error bars on a logarithmic axis', function()
  it('run to the bottom if they end at or below 0', function()
    local figure = plot.scatter({ 1, 2, 3 }, { 1, 2, 3 }, { errors = { 0.5, 2.5, 3 },
                                                           yscale = 'log' })
    local lines = drawn(figure).lines
    local rects = drawn(figure).rect
    local bottom = rects[#rects][2] + 0.5
    assert.are.equal(3, #lines)
    for k = 2, 3 do
      local line = lines[k][1][1]
      assert.are.equal(2, #line)
      near(line[1][1], line[2][1])
      near(bottom, math.max(line[1][2], line[2][2]))
    end
    local first = lines[1][1][1]
    assert.is_true(math.max(first[1][2], first[2][2]) < bottom - 1)
    for line in figure:text(30, 10):gmatch '|([^\n]*)' do
      assert.matches('\226[\160-\163].$', line)
    end
  end)

  it('are not drawn below 0', function()
    local figure = plot.scatter({ 1, 2 }, { 1, -2 }, { errors = { 0.5, 1 }, yscale = 'log' })
    local lines = drawn(figure).lines
    assert.are.equal(1, #lines[1][1])
    assert.are.equal(0, #lines[2][1])
  end)
end)

describe('tables of the caller', function()
  it('may change after the call', function()
    local y, figure = {}, plot.figure {}
    for k = 1, 2 do
      for i = 1, 3 do y[i] = i * k end
      figure:line(y)
    end
    assert.are.same({ { 1, 2, 3 }, { 2, 4, 6 } }, { figure.layers[1].y, figure.layers[2].y })
    local x, heights, limits, color = { 1, 2 }, { 3, 4 }, { 0, 9 }, { 1, 2, 3 }
    local line = plot.line(x, heights, { ylimits = limits, color = color }):bars(heights)
    x[1], heights[1], limits[1], color[1] = 100, 100, -100, 100
    assert.are.same({ 1, 2 }, line.layers[1].x)
    assert.are.same({ { 3, 4 }, { 3, 4 } }, { line.layers[1].y, line.layers[2].heights })
    assert.are.same({ { 0, 9 }, { 1, 2, 3 } }, { line.options.ylimits, line.layers[1].color })
  end)

  it('are not changed', function()
    local labels, few = { 2020, 2021 }, { 'a' }
    assert.matches('^2020 2021', texts(plot.bars({ 1, 2 }, { labels = labels })))
    assert.matches('^a 2 3', texts(plot.boxplot({ { 1 }, { 2 }, { 3 } }, { labels = few })))
    assert.are.same({ { 2020, 2021 }, { 'a' } }, { labels, few })
  end)
end)

describe('labels', function()
  it('may be a vector', function()
    local heights = { 1, 2 }
    for _, labels in ipairs { tensor.LongTensor { 2020, 2021 }, tensor.Tensor { 2020, 2021 } } do
      assert.matches('^2020 2021 ', texts(plot.bars(heights, { labels = labels })))
      assert.matches('^2020 2021 ', texts(plot.boxplot({ { 1 }, { 2 } }, { labels = labels })))
    end
    assert.has_error(function() plot.bars(heights, { labels = tensor.ones(2, 2) }) end,
                     'plot.bars: labels are a list or a vector, got a tensor of 2 dimensions')
    assert.has_error(function() plot.bars(heights, { labels = io.stdout }) end,
                     'plot.bars: labels are a list or a vector, got userdata')
  end)

  it('are not the first argument', function()
    assert.has_error(function() plot.bars({ 'a', 'b' }, { 1, 2 }) end,
                     'plot.bars: options have names, got a list: bars(heights, {labels = {...}})')
    assert.has_error(function() plot.line({ 1 }, { 2 }, { 3 }) end,
                     'plot.line: options have names, got a list')
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
