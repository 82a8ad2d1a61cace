-- Box plots, contour lines, error bars, markers, legends, grids of figures and UTF-8 texts.

local tensor = require 'tensor'
local boxes = require 'tensor.plot.boxes'
local contour = require 'tensor.plot.contour'
local letters = require 'tensor.plot.letters'
local new_page = require('tensor.plot.pixels').new
local fails = require 'support.raises'.text

local plot = tensor.plot

local function count(text, pattern) return select(2, text:gsub(pattern, '')) end

describe('box plots', function()
  it('have quartiles, whiskers and outliers', function()
    local s = boxes.summary{5, 1, 2, 3, 4, 30, 0 / 0}
    assert.are.same({1, 2.25, 3.5, 4.75, 5}, {s.low, s.first, s.median, s.third, s.high})
    assert.are.same({30}, s.outliers)
    assert.is_nil(boxes.summary{0 / 0})
    local single = boxes.summary{7}
    assert.are.same({7, 7, 7}, {single.low, single.median, single.high})
    -- A whisker without elements ends at the box.
    assert.are.equal(4.5, boxes.summary{1, 2, 3, 9}.high)
  end)

  it('are drawn as lines and circles', function()
    local figure = plot.boxplot({{5, 1, 2, 3, 4, 30}, tensor.Tensor{1, 2}}, {labels = {'a'}})
    -- Box, median, two whiskers with ends; one outlier.
    assert.are.equal(2 * 6 + 1, count(figure:svg(), '<polyline'))
    assert.is_truthy(figure:svg():find('>a<', 1, true))
    assert.is_truthy(figure:svg():find('>2<', 1, true))
    fails('a table of vectors is expected, got number', plot.boxplot, 3)
    fails('a table of vectors is expected, got an empty table', plot.boxplot, {})
    fails('a table of vectors is expected, got a table with the key "a"', plot.boxplot, {a = {1}})
    fails('element 1 of sample 2 must be a number', plot.boxplot, {{1}, {'x'}})
  end)
end)

describe('tables with names', function()
  it('are bars with labels', function()
    local figure = plot.bars({b = 2, a = 1, ['c d'] = 4}, {name = 'count'})
    local same = plot.bars({1, 2, 4}, {labels = {'a', 'b', 'c d'}, name = 'count'})
    assert.are.equal(same:text(), figure:text())
    assert.are.equal(same:svg(), figure:svg())
    fails('the heights have names, which are the labels', plot.bars, {a = 1}, {labels = {'b'}})
    fails('the height of "b" must be a number, got string', plot.bars, {a = 1, b = 'x'})
    assert.are.equal(0, #plot.bars({}).layers[1].heights)
  end)

  it('are refused where a list is expected', function()
    local message = ': a list of numbers is expected, got a table with the key "a"'
    fails('plot.line: y' .. message, plot.line, {a = 1})
    fails('plot.line: x' .. message, plot.line, {a = 1}, {1})
    fails('plot.scatter: x' .. message, plot.scatter, {a = 1}, {2})
    fails('plot.line: errors' .. message, plot.line, {1}, {errors = {a = 1}})
    fails('plot.boxplot: sample 1' .. message, plot.boxplot, {{a = 1}})
    fails('plot.histogram: the data' .. message, plot.histogram, {a = 1})
    fails('histogram: the data' .. message, plot.figure().histogram, plot.figure(), {a = 1})
    fails('plot: y' .. message, plot, {a = 1})
    fails('got a table with the key "true"', plot.bars, {[true] = 1})
    fails('heights: position 1 is nil, but position 2000 is not', plot.bars, {[2000] = 1})
    -- As in tensor.Tensor, names beside a list do not count.
    assert.are.equal(plot.line{1, 3}:svg(), plot.line{1, 3, n = 2}:svg())
  end)
end)

describe('contour lines', function()
  it('are where the level is', function()
    local rows = {{0, 0, 0}, {1, 1, 1}, {4, 4, 4}}
    local lines = contour.lines(rows, 2.5)
    assert.are.equal(1, #lines)
    assert.are.same({2.5, 2.5, 2.5}, lines[1].y)
    assert.are.equal(4, lines[1].x[1] + lines[1].x[3])
    assert.are.same({}, contour.lines(rows, 9))
  end)

  it('are closed around an extreme', function()
    local lines = contour.lines({{0, 0, 0}, {0, 1, 0}, {0, 0, 0}}, 0.5)
    assert.are.equal(1, #lines)
    local x, y = lines[1].x, lines[1].y
    assert.are.same({x[1], y[1]}, {x[#x], y[#y]})
    for k = 1, #x do assert.are.near(0.5, math.abs(x[k] - 2) + math.abs(y[k] - 2), 1e-12) end
  end)

  it('connect the corners of a saddle by its center, and skip NaN', function()
    assert.are.equal(2, #contour.lines({{1, 0}, {0, 1}}, 0.4))
    assert.are.equal(2, #contour.lines({{1, 0}, {0, 1}}, 0.6))
    assert.are.same({}, contour.lines({{1, 0 / 0}, {0, 1}}, 0.5))
  end)

  it('belong to the matrix of a heat map', function()
    local m = tensor.zeros(9, 9)
    m[2][8] = 1
    local figure = plot.heatmap(m):contour(m, {levels = {0.5}, color = {1, 2, 3}})
    local line = figure:svg():match '<polyline points="(.-)" fill="none" stroke="#010203"'
    local x, y = line:match '([%d.]+),([%d.]+)'
    -- At the top right, where the element is.
    assert.is_true(tonumber(x) > 320 and tonumber(y) < 200)
    assert.are.equal(3, #plot.contour(m, {levels = 3}).layers[1].paths)
    fails('levels are from 1 to 1000, got 0', plot.contour, m, {levels = 0})
    fails('element 2 of levels is NaN', plot.contour, m, {levels = {0.5, 0 / 0}})
    fails('levels: position 2 is nil, but position 3 is not', plot.contour, m,
          {levels = {0.5, nil, 1}})
    fails('of at least 2 x 2 elements, got 1 x 3', plot.contour, tensor.ones(1, 3))
    fails('no finite data', plot.contour, tensor.ones(2, 2) * (0 / 0))
  end)
end)

describe('lines and points', function()
  it('have error bars, which the axes include', function()
    local figure = plot.line({1, 2}, {0, 0}, {errors = {5, 1}})
    assert.are.equal(3, count(figure:svg(), '<polyline'))
    assert.are.same({-5, 5}, figure.layers[1].paths[1].y)
    assert.is_truthy(figure:svg():find('>4<', 1, true))
    fails('y has 2 elements and errors have 1', plot.scatter, {1, 2}, {1, 2}, {errors = {1}})
  end)

  it('have markers and twelve colors', function()
    local figure = plot.figure()
    for k = 1, 12 do figure:scatter({k}, {k}, {marker = 'square'}) end
    local colors, different = {}, 0
    for color in figure:svg():gmatch 'stroke="(#%x+)"' do
      if not colors[color] then different = different + 1 end
      colors[color] = true
    end
    assert.are.equal(12, different)
    assert.are.equal(2, count(plot.scatter({1}, {1}, {marker = 'plus'}):svg(), '<polyline'))
    fails('marker is "dot"', plot.scatter, {1}, {1}, {marker = 'star'})
    fails('a color is a name, or {red, green, blue}', plot.line, {1}, {color = {0, 0, 300}})
  end)

  it('have a color for each point', function()
    local labels = tensor.LongTensor{1, 2, 1, 3}
    local figure = plot.scatter({1, 2, 3, 4}, {4, 3, 2, 1}, {color = labels})
    local found = {}
    for x, color in figure:svg():gmatch '<circle cx="([%d.]+)"[^>]*fill="(#%x+)"' do
      found[#found + 1] = {tonumber(x), color}
    end
    table.sort(found, function(a, b) return a[1] < b[1] end)
    for k, color in ipairs{'#440154', '#22908b', '#440154', '#fde725'} do
      assert.are.equal(color, found[k][2])
    end
    assert.are.equal(found[1][2], found[3][2])
    assert.matches('253;231;37', figure:text(40, 10, 'true'), 1, true)
    for _, drawn in ipairs {figure, plot.grid{{figure}}} do
      fails('plot: numbers of columns and lines are expected, got string and number', drawn.text,
            drawn, 'a')
      fails('plot: numbers of columns and lines are expected, got number and boolean', drawn.text,
            drawn, 40, true)
    end
    figure:pixels()
    local grey = plot.scatter({1, 2, 3}, {1, 2, 3},
                              {color = tensor.Tensor{0, 0 / 0, 9}, colors = 'grey'})
    assert.are.same({{0, 0, 0}, {200, 200, 200}, {255, 255, 255}}, grey.layers[1].point_colors)
    plot.scatter({}, {}, {color = tensor.Tensor(0)}):svg()
    plot.scatter({1, 1}, {2, 3}, {color = tensor.ones(2), marker = 'plus', xlimits = {2, 3}}):svg()
    fails('y has 2 elements and color has 3', plot.scatter, {1, 2}, {1, 2},
          {color = tensor.ones(3)})
    fails('colors are "viridis"', plot.scatter, {1}, {1}, {color = tensor.ones(1), colors = 'jet'})
    fails('option color must be a', plot.line, {1}, {color = tensor.ones(1)})
  end)

  it('have a legend in the corner that is free', function()
    local function corner(options)
      local svg = plot.line({1, 2, 3}, {1, 1, 9}, options):svg()
      local x, y = svg:match '<text x="([%d.]+)" y="([%d.]+)"[^>]*>curve<'
      if not x then return 'none' end
      local side = tonumber(x) < 320 and ' left' or ' right'
      return (tonumber(y) < 200 and 'top' or 'bottom') .. side
    end
    assert.are.equal('top left', corner{name = 'curve'})
    for _, where in ipairs{'top right', 'bottom left', 'bottom right', 'none'} do
      assert.are.equal(where, corner{name = 'curve', legend = where})
    end
    fails('the legend can be at "top right"', plot.line, {1}, {legend = 'outside'})
  end)

  it('cut off what is outside the picture, such as a large legend', function()
    local figure = plot.figure{width = 200, height = 100}
    for k = 1, 10 do figure:line({1, 2}, {name = ('long name %d '):format(k):rep(5)}) end
    for _, where in ipairs{'top right', 'top left', 'bottom right', 'bottom left'} do
      assert.are.same({3, 200, 400}, figure:set{legend = where}:pixels():size():totable())
    end
    assert.are.same({3, 400, 400}, plot.grid{{figure}, {figure}}:pixels():size():totable())
    -- On a small page and in the middle of a large one.
    local small, large = new_page(20, 10), new_page(60, 30)
    for page, shift in pairs {[small] = 0, [large] = 1} do
      page:rect(20 * shift - 5, 10 * shift - 5, 12, 13, {10, 20, 30})
      page:rect(20 * shift + 15, 10 * shift + 5, 100, 100, {40, 50, 60})
      page:rect(20 * shift - 9, 10 * shift, 4, 4, {0, 0, 0})
      page:text(20 * shift + 1, 10 * shift - 3, 'A', {70, 80, 90})
      page:text(20 * shift + 1, 10 * shift + 8, 'B', {70, 80, 90})
    end
    assert.is_true(small:result():equal(large:result():narrow(2, 21, 20):narrow(3, 41, 40)))
  end)
end)

describe('grids', function()
  local a = plot.line({1, 2}, {width = 200, height = 100})
  local b = plot.bars({1, 2}, {width = 300, height = 150, title = 'bars'})
  it('have the size of their rows and columns', function()
    local grid = plot.grid{{a, b}, {b}}
    assert.are.same({3, 600, 1200}, grid:pixels():size():totable())
    assert.is_truthy(grid:svg():find('width="600" height="300"', 1, true))
    local pixels = grid:pixels()
    assert.is_true(pixels:narrow(2, 1, 300):narrow(3, 601, 600):equal(b:pixels()))
    assert.is_true(pixels:narrow(2, 1, 200):narrow(3, 1, 400):equal(a:pixels()))
  end)
  it('are text side by side', function()
    local text = plot.grid{{a, b}}:text(80, 8)
    local first = text:match '[^\n]*'
    assert.is_truthy(first:find 'bars')
    assert.are.equal(8, count(text .. '\n', '\n'))
    fails('a table of rows', plot.grid, {})
    fails('element 1 of row 1 must be a figure, got number', plot.grid, {{1}})
  end)
end)

describe('texts', function()
  it('are valid XML in SVG files', function()
    local bad = '\239\191\189'
    local options = {title = 'a\0\1\n\27\127<&>"', xlabel = '\255\195\164\195',
                     name = '\237\160\128', ylabel = '\239\191\190\239\191\191'}
    local text = plot.line({1, 2}, options):svg()
    assert.is_truthy(text:find('>a     &lt;&amp;&gt;&quot;<', 1, true))
    assert.is_truthy(text:find('>' .. bad .. '\195\164' .. bad .. '<', 1, true))
    assert.is_truthy(text:find('>' .. bad:rep(3) .. '<', 1, true))
    assert.is_truthy(text:find('>' .. bad:rep(2) .. '<', 1, true))
  end)

  it('are cut off at the edge of a picture, in linear time', function()
    local text = ('a\195\164'):rep(2000)
    local read, list = 0, letters.list
    letters.list = function(part)
      read = read + #part
      return list(part)
    end
    finally(function() letters.list = list end)
    local long, short = new_page(100, 20), new_page(100, 20)
    long:text(50, 5, text, {0, 0, 0}, 'center', 'title')
    assert.is_true(read < 4 * #text)
    -- 11 letters are 195 of 200 pixels wide.
    short:text(50, 5, text:sub(1, 3 * 5 + 1), {0, 0, 0}, 'center', 'title')
    assert.is_true(long:result():equal(short:result()))
  end)

  it('are counted in letters', function()
    assert.are.equal(3, letters.count 'a\195\164\226\136\158')
    assert.are.same({'a', '\195\164', '\226\136\158', '\255', 'b'},
                    letters.list 'a\195\164\226\136\158\255b')
    assert.are.equal(2, letters.count '\195\40')
    -- Encodings that are too long, halves of pairs, and more than 0x10ffff.
    for _, text in ipairs{'\192\128', '\224\159\191', '\237\160\128', '\240\143\191\191',
                          '\244\144\128\128', '\244\143\191'} do
      assert.are.equal(#text, letters.count(text))
    end
    for _, text in ipairs{'\194\128', '\224\160\128', '\237\159\191', '\240\144\128\128',
                          '\244\143\191\191'} do
      assert.are.equal(1, letters.count(text))
    end
    assert.are.equal('\206\177', letters.of_code(0x3b1))
  end)

  it('have a glyph for each letter of ASCII in pictures', function()
    local glyph, seen = require('tensor.plot.font').glyph, {}
    for code = 32, 126 do
      local ink = table.concat(glyph(string.char(code)):view(-1):totable())
      assert.is_nil(seen[ink], ('%s and %s'):format(string.char(code), tostring(seen[ink])))
      seen[ink] = string.char(code)
    end
  end)

  it('have glyphs beyond ASCII in pictures', function()
    local glyph = require('tensor.plot.font').glyph
    local unknown = glyph '\227\129\130'
    assert.is_true(unknown:equal(glyph '?'))
    for _, letter in ipairs{'\195\164', '\206\177', '\194\178', '\195\151', '\195\166',
                            '\197\147', '\197\130', '\197\145', '\194\163', '\226\130\172'} do
      assert.is_false(glyph(letter):equal(unknown), letter)
    end
    -- The rows below the accent are those of the letter.
    assert.is_true(glyph('\195\169'):narrow(1, 3, 7):equal(glyph('e'):narrow(1, 3, 7)))
    assert.is_true(glyph('\195\132'):equal(glyph 'A'))
  end)
end)

describe('text with colors', function()
  local figure = plot.line({1, 2}, {name = 'rise', color = {255, 0, 0}})
  it('has the colors of lines and a legend', function()
    local text = figure:text(40, 10, 'true')
    assert.is_truthy(text:find('\27[38;2;255;0;0m', 1, true))
    assert.is_truthy(text:find('rise\27[0m', 1, true))
    assert.is_truthy(figure:text(40, 10, '256'):find('\27[38;5;196m', 1, true))
    assert.is_nil(figure:text(40, 10):find '\27')
    assert.are.equal(count(figure:text(40, 10), '\n'), count(text, '\n'))
    fails('colors are "true" or "256", got 16', figure.text, figure, 40, 10, 16)
  end)
  it('has two pixels in a character of a picture', function()
    local picture = tensor.ByteTensor(3, 2, 1):zero()
    picture[1][1][1], picture[3][2][1] = 255, 255
    local text = plot.image(picture):text(20, 5, 'true')
    assert.is_truthy(text:find('\27[38;2;255;0;0m\27[48;2;0;0;255m\226\150\128', 1, true))
  end)
  it('is selected by the environment', function()
    local mode = require('tensor.plot.screen').mode_of_terminal
    local function of(variables) return mode(function(name) return variables[name] end) end
    assert.are.equal('true', of{TERM = 'xterm', COLORTERM = 'truecolor'})
    assert.are.equal('256', of{TERM = 'xterm-256color'})
    assert.is_nil(of{TERM = 'xterm'})
    assert.is_nil(of{TERM = 'xterm-256color', NO_COLOR = '1'})
    assert.is_nil(of{TERM = 'dumb', COLORTERM = 'truecolor'})
  end)
end)

it('figures name the extensions of their files', function()
  fails('figures are saved as .svg, .png or .jpg, not as x.gif', plot.figure().save, plot.figure(),
        'x.gif')
end)

describe('a live figure', function()
  local function output()
    local parts = {}
    return {write = function(_, ...) parts[#parts + 1] = table.concat{...} end,
            flush = function() end, parts = parts}
  end
  it('is redrawn in place, not too often', function()
    local file, now = output(), 0
    local live = plot.live{title = 'loss', output = file, terminal = true, columns = 40, lines = 8,
                           interval = 1, clock = function() return now end}
    live(1, {a = 1})
    live(2, {a = 2})
    assert.are.equal(1, #file.parts)
    now = 1.5
    live(3, {a = 3, b = 1})
    live:finish()
    assert.are.equal(3, #file.parts)
    assert.is_nil(file.parts[1]:find('\27[8A', 1, true))
    assert.are.equal('\27[8A\r', file.parts[2]:sub(1, 5))
    local figure = live:figure()
    assert.are.same({1, 2, 3}, figure.layers[1].y)
    assert.are.same({3}, figure.layers[2].x)
  end)
  it('is silent without a terminal, and checks its arguments', function()
    local file = output()
    local live = plot.live{output = file}
    live(1, {a = 1})
    live:finish()
    assert.are.equal(0, #file.parts)
    fails('numbers by name are expected, got string for a', live, 1, {a = 'x'})
    fails('a number and a table of numbers', live, 'x', {})
    fails('unknown option colour; the options are aspect, clock, colors, columns, height, ',
          plot.live, {colour = 1})
    fails('option interval must be a number, got a string', plot.live, {interval = 'x'})
    fails('option width must be a number, got a string', plot.live, {width = 'x'})
    local methods = 'the option output must be a file, or have the methods write and flush'
    for _, other in ipairs {{}, {write = print}, tensor.ones(1)} do
      fails('plot.live: ' .. methods, plot.live, {output = other, terminal = true})
    end
    live = plot.live{output = file, clock = function() end}
    fails('plot: the option clock must return a number, got nil', live, 1, {a = 1})
    local _, message = pcall(function() plot.live{zzz = 1} end)
    assert.matches('^%S*plot_kinds_spec.lua:%d+: plot.live: unknown option zzz', message)
  end)
end)
