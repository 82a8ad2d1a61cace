-- tensor.plot: the positions of drawn elements in SVG, in pixels and in the terminal.

local tensor = require 'tensor'
local axis = require 'tensor.plot.ticks'
local layout = require 'tensor.plot.layout'
local raises = require 'support.raises'
local files = require 'support.files'

local plot = tensor.plot
local error_of, fails = raises.message, raises.text

local function marks(low, high, options)
  local texts = {}
  for i, mark in ipairs(axis.new(low, high, options).marks) do texts[i] = mark[2] end
  return table.concat(texts, ' ')
end

-- Returns the lines of an SVG figure: tables of points {x, y}.
local function lines_of(figure)
  local lines = {}
  for text in figure:svg():gmatch '<polyline points="(.-)"' do
    local line = {}
    for x, y in text:gmatch '([%d.-]+),([%d.-]+)' do
      line[#line + 1] = {tonumber(x), tonumber(y)}
    end
    lines[#lines + 1] = line
  end
  return lines
end

local function count(text, pattern) return select(2, text:gsub(pattern, '')) end

describe('axes', function()
  it('have round numbers', function()
    assert.are.equal('0 0.2 0.4 0.6 0.8 1', marks(0, 1, {most = 6}))
    assert.are.equal('-1 -0.5 0 0.5 1', marks(-1.04, 1.04, {most = 5}))
    assert.are.equal('1000 1500 2000', marks(900, 2100, {most = 3}))
    assert.are.equal('1e-07 2e-07 3e-07', marks(1e-7, 3e-7, {most = 3}))
    assert.are.equal('6.5 7 7.5', marks(7, 7, {most = 6}))
    assert.are.equal('0.01 0.1 1 10 100 1000', marks(0.01, 1000, {log = true}))
    assert.are.equal('2 5 10 20', marks(2, 20, {log = true}))
    assert.are.equal('1e-15 1e+26 1e+67 1e+108 1e+149 1e+190 1e+231 1e+272',
      marks(1, 1e300, {log = true, margin = 0.05}))
    assert.matches('^1e%-%d+.* 1e%+%d+$', marks(5e-324, 1.7e308, {log = true, margin = 0.05}))
  end)

  it('have at least two numbers on logarithmic scales', function()
    local log = {log = true}
    assert.are.equal('0.6 0.7 0.8 0.9', marks(0.6, 0.9, log))
    assert.are.equal('12 14 16 18', marks(11, 19, log))
    assert.are.equal('1 1.005 1.01', marks(1, 1.01, log))
    assert.are.equal('4 6 8', marks(2.01, 9.9, log))
    local figure = plot.line({0.9, 0.8, 0.7, 0.6}, {yscale = 'log'})
    for _, picture in ipairs {figure:svg(), figure:text(), figure:text(20, 5)} do
      assert.is_truthy(picture:find('0.7', 1, true))
      assert.is_truthy(picture:find('0.8', 1, true) or picture:find('0.9', 1, true))
    end
    tensor.manualSeed(1)
    for _ = 1, 500 do
      local low = 10 ^ tensor.uniform(-20, 20)
      local high = low * (1 + 10 ^ tensor.uniform(-5, 2))
      local texts = marks(low, high, {log = true, most = tensor.uniform(1, 10)})
      local first, second = texts:match '^(%S+) (%S+)'
      assert.is_true(first ~= nil and first ~= second, texts)
    end
  end)

  it('have as many digits as their steps need', function()
    assert.are.equal('1000000000 1000000000.005 1000000000.01', marks(1e9, 1e9 + 0.01, {most = 3}))
    assert.are.equal('1000000000000 1000000000002 1000000000004',
                     marks(1e12, 1e12 + 4, {most = 3}))
    for _, low in ipairs {0.1, 1, 9.99999, -5, 12345, -1e9, 1e200} do
      for power = 1, 11 do
        local seen = {}
        for text in marks(low, low + math.abs(low) * 10 ^ -power, {most = 6}):gmatch '%S+' do
          assert.is_nil(seen[text], text)
          assert.is_true(#text < 24, text)
          seen[text] = true
        end
        assert.is_truthy(next(seen))
      end
    end
  end)

  it('show small differences of large values, and all limits', function()
    local narrow = {{1e15, 1e15 + 1}, {1.7e18, 1.7e18 + 1e6}, {-1e15 - 1, -1e15}}
    for _, scale in ipairs {'linear', 'log'} do
      for k, y in ipairs(narrow) do
        if scale == 'linear' or k < 3 then
          local line = lines_of(plot.line(y, {yscale = scale}))[1]
          assert.is_true(line[1][2] - line[2][2] > 200)
        end
      end
      for _, y in ipairs {{1, 1 + 1e-15}, {1, 1 + 2 ^ -52}, {1e15, 1e15 + 0.25}} do
        local view = layout.of(plot.line(y, {ylimits = y, yscale = scale}), 8, 8)
        assert.are.same(y, {view.y.low, view.y.high})
        assert.are.same({0, 1}, {view.y:position(y[1]), view.y:position(y[2])})
        assert.is_true(#view.y.marks > 1 and view.y.marks[1][2] ~= view.y.marks[2][2])
      end
    end
    local heat = plot.heatmap(tensor.DoubleTensor{{1, 1}}, {limits = {1, 1 + 2 ^ -52}}).layers[1]
    assert.are.same({1, 1 + 2 ^ -52}, {heat.scale.low, heat.scale.high})
    assert.are.equal('1000000000000000 1000000000000000.5 1000000000000001',
                     marks(1e15, 1e15 + 1, {most = 3}))
    -- Values that differ by a rounding error are equal.
    assert.are.equal('0 0.5', marks(0.3, 0.1 + 0.2, {most = 3}))
  end)

  it('tell places', function()
    local x = axis.new(0, 10, {most = 5, margin = 0.1})
    assert.are.near(1 / 12, x:position(0), 1e-12)
    assert.are.near(11 / 12, x:position(10), 1e-12)
    local log = axis.new(1, 100, {log = true})
    assert.are.near(0.5, log:position(10), 1e-12)
    assert.is_true(log:position(-1) ~= log:position(-1))
  end)
end)

describe('figures', function()
  it('have lines where the numbers are', function()
    local figure = plot.line({0, 1, 2, 4}, tensor.Tensor{0, 10, 20, 40})
    assert.are.equal(figure:svg(), plot({0, 1, 2, 4}, {0, 10, 20, 40}):svg())
    local line = lines_of(figure)[1]
    assert.are.equal(4, #line)
    local dx, dy = line[2][1] - line[1][1], line[2][2] - line[1][2]
    assert.is_true(dx > 20 and dy < -20)
    assert.are.near(line[1][1] + 2 * dx, line[3][1], 0.05)
    assert.are.near(line[1][2] + 4 * dy, line[4][2], 0.05)
  end)

  it('have gaps for NaN, and end at their limits', function()
    assert.are.equal(2, #lines_of(plot.line{1, 2, 0 / 0, 3, 4}))
    assert.are.equal(2, #lines_of(plot.line({1, 10, 0, 100, 10}, {yscale = 'log'})))
    local cut = lines_of(plot.line({0, 1, 2}, {0, 4, 0}, {ylimits = {0, 2}}))
    assert.are.equal(2, #cut)
    assert.are.same(cut[1][2][2], cut[2][1][2])
    assert.are.equal(0, #lines_of(plot.line({5, 6}, {1, 2}, {xlimits = {0, 1}})))
  end)

  it('of many points keep their extremes', function()
    local y = tensor.zeros(200000)
    y[77777], y[155555] = 3, -3
    local line = lines_of(plot.line(y))[1]
    local low, high = math.huge, -math.huge
    for _, point in ipairs(line) do
      low, high = math.min(low, point[2]), math.max(high, point[2])
    end
    assert.is_true(#line < 6000)
    assert.is_true(high - low > 200)
  end)

  it('have a dot for a point, a box for a bar, names and titles', function()
    local figure = plot.scatter({1, 2, 3, 0 / 0}, {1, 2, 1 / 0, 4}, {title = 'a < b & "c"'})
    assert.are.equal(2, count(figure:svg(), '<circle'))
    assert.is_truthy(figure:svg():find('a &lt; b &amp; &quot;c&quot;', 1, true))
    local bars = plot.bars({3, 1, -2}, {color = {1, 2, 3}, labels = {'x', 'y', 10}, name = 'named'})
    assert.are.equal(3 + 1, count(bars:svg(), '#010203'))  -- one more for the legend
    assert.is_truthy(bars:svg():find('>named<', 1, true))
    assert.is_truthy(bars:svg():find('>10<', 1, true))
  end)

  it('have logarithmic scales without bars of height 0', function()
    local figures = {
      plot.bars({1, 0, 10, -5}, {yscale = 'log', color = {1, 2, 3}}),
      plot.histogram({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4}, {yscale = 'log', bins = 4,
                                                            color = {1, 2, 3}}),
    }
    for k, figure in ipairs(figures) do
      local view = layout.of(figure, 8, 8)
      assert.is_true(view.y.low > 0.5 and view.y.high < 20)
      assert.are.equal(k + 1, count(figure:svg(), '#010203'))
    end
    -- Both keep their place.
    assert.is_true(layout.of(figures[1], 8, 8).x.high > 4.3)
    assert.are.equal(4, layout.of(figures[2], 8, 8).x.high)
    -- The second one is ten times the first one, which is at the lower end.
    local heights = {}
    for y in figures[1]:svg():gmatch '<rect [^>]*height="([%d.]+)" fill="#010203"' do
      heights[#heights + 1] = tonumber(y)
    end
    assert.is_true(heights[1] > 0 and heights[2] > 10 * heights[1])
    plot.bars({0}, {yscale = 'log'}):svg()
  end)

  it('count in histograms what is finite', function()
    local figure = plot.histogram(tensor.Tensor{1, 1, 2, 4, 0 / 0, 1 / 0}, {bins = 3})
    assert.are.same({2, 1, 1}, figure.layers[1].heights)
    assert.are.same({1, 2, 3, 4}, figure.layers[1].edges)
    assert.are.same({0, 3}, plot.histogram({5, 6, 7}, {bins = 2, limits = {0, 8}})
                            .layers[1].heights)
    for _, value in ipairs {0, -7, 1e17, -1e300} do
      local layer = plot.histogram({value, value}, {bins = 3}).layers[1]
      assert.are.same({0, 2, 0}, layer.heights)
      assert.is_true(layer.edges[2] < value and value < layer.edges[3])
    end
  end)

  it('have names', function()
    assert.are.same(plot.line({1, 2}, {color = {213, 94, 0}}):svg(),
                    plot.line({1, 2}, {color = 'red'}):svg())
  end)

  it('are rounded to whole numbers', function()
    local fraction = plot.line({1, 2}, {color = {0.5, 254.4, 127.75}, width = 300.5})
    local whole = plot.line({1, 2}, {color = {1, 254, 128}, width = 300})
    assert.are.equal(whole:svg(), fraction:svg())
    assert.are.equal(whole:text(40, 10, 'true'), fraction:text(40, 10, 'true'))
    assert.are.same(whole:pixels():size(), fraction:pixels():size())
  end)

  it('have the label of the x axis in the middle', function()
    for _, label in ipairs {'x', 'xy'} do
      local lines = plot.line({1, 2}, {xlabel = label}):text(40, 10)
      assert.are.equal(label, lines:match '\n +(%a+)$')
    end
  end)

  it('are pixels of those colors', function()
    local pixels = plot.bars({1}, {color = {10, 20, 30}, width = 200, height = 150}):pixels()
    assert.are.same({3, 300, 400}, pixels:size():totable())
    local inside = pixels:select(2, 150):select(2, 200)
    assert.are.same({10, 20, 30}, inside:totable())
    local picture = tensor.ByteTensor{{0, 255}, {100, 50}}
    local shown = plot.image(picture, {width = 100, height = 100}):pixels()[1]
    local found = {}
    for _, y in ipairs {70, 150} do
      for _, x in ipairs {60, 140} do found[#found + 1] = shown[y][x] end
    end
    assert.are.same({0, 255, 100, 50}, found)
  end)

  it('map values to colors', function()
    local layer = plot.heatmap(tensor.Tensor{{0, 1}, {2, 0 / 0}}).layers[1]
    assert.are.same({68, 1, 84}, layer.picture:select(3, 1):select(2, 1):totable())
    assert.are.same({253, 231, 37}, layer.picture:select(3, 1):select(2, 2):totable())
    assert.are.same({200, 200, 200}, layer.picture:select(3, 2):select(2, 2):totable())
    layer = plot.heatmap(tensor.Tensor{{0, 1 / 0, -1 / 0, 1}}).layers[1]
    for column = 2, 3 do
      assert.are.same({200, 200, 200}, layer.picture:select(3, column):select(2, 1):totable())
    end
  end)

  it('have ranges larger than the largest number, and very small ones', function()
    local values = tensor.Tensor{{-2, -1}, {0, 1}, {1, 2}}
    local function colors_of(scale, options)
      return plot.heatmap(values * scale, options).layers[1].picture
    end
    assert.is_true(colors_of(1):equal(colors_of(8e307)))
    assert.is_true(colors_of(1, {limits = {-1.5, 1.5}})
                   :equal(colors_of(8e307, {limits = {-1.2e308, 1.2e308}})))
    local function heights_of(figure)  -- x depends on the width of labels
      local list = {}
      for points in figure:svg():gmatch 'points="([^"]*)"' do
        list[#list + 1] = points:gsub('[%d.]+,', '')
      end
      return table.concat(list, '\n')
    end
    for _, kind in ipairs {'contour', 'line', 'boxplot'} do
      local function drawn(scale)
        local data = values * scale
        data = kind == 'line' and data:view(6) or kind == 'boxplot' and {data:view(6)} or data
        return heights_of(plot[kind](data))
      end
      assert.are.equal(drawn(0.5), drawn(0.5 * 2 ^ 1023), kind)
    end
    for _, limits in ipairs {{0, 1e-320}, {0, 5e-324}, {-1.79e308, 1.79e308},
                             {1.78e308, 1.79e308}} do
      local figure = plot.heatmap(values, {limits = limits})
      figure:svg()
      figure:pixels()
      figure:text()
    end
  end)

  it('are text', function()
    local text = plot.bars({1, 2}, {title = 'two'}):text(24, 8)
    local full, half = '\226\150\136', '\226\150\132'
    assert.is_truthy(text:find('two', 1, true))
    assert.is_true(count(text, full) > 20)
    assert.is_nil(text:find(half .. full))
    for line in (text .. '\n'):gmatch '(.-)\n' do
      assert.is_true(#line:gsub('[\128-\191]', '') <= 24)
    end
    -- Dots from the bottom left to the top right.
    local first, last = nil, nil
    for line in plot.line({0, 1, 2}):text(30, 10):gmatch '[^\n]+' do
      local at = line:gsub('[\128-\191]', ''):find '\226'
      if at then first, last = first or at, at end
    end
    assert.is_true(first > last)
    assert.are.equal('string', type(tostring(plot.figure{title = 'empty'})))
    tostring(plot.image(tensor.rand(3, 5, 5)))
  end)

  it('are saved by their ending', function()
    for ending, head in pairs {svg = '<svg ', png = '\137PNG', jpg = '\255\216'} do
      files.with_name('.' .. ending, function(name)
        plot.line({1, 2}, {width = 120, height = 100}):save(name)
        assert.are.equal(head, files.content(name):sub(1, #head))
      end)
    end
    assert.matches('not as x.gif', error_of(plot.line{1, 2}.save, plot.line{1, 2}, 'x.gif'))
    for _, ending in ipairs {'.svg', '.png'} do
      files.with_name(ending, function(name)
        os.execute('ln -s /dev/full ' .. name)
        local message = error_of(function() plot.line{1, 2}:save(name) end)
        assert.matches('^%S*plot_spec%.lua:%d+: save: .*No space left', message)
        assert.matches(name, message, 1, true)
      end)
    end
  end)

  it('leave what they are given, and say what is wrong', function()
    local t = tensor.Tensor{{1, 2}, {3, 4}}
    plot.heatmap(t)
    plot.image(t)
    assert.is_true(t:equal(tensor.Tensor{{1, 2}, {3, 4}}))
    fails('x has 2 elements and y has 3', plot.line, {1, 2}, {1, 2, 3})
    fails('y is a vector, got a tensor of 2 dimensions', plot.line, t)
    fails('y is a vector or a table of numbers, got nil', plot.line)
    fails('element 2 of y must be a number, got string', plot.line, {1, 'x'})
    fails('a table of options is expected', plot.line, {1, 2}, {}, tensor.ones(2))
    fails('x has 2 elements and y has 0', plot.line, {1, 2}, {}, {name = 'y'})
    assert.is_true(plot.line({1, 2}, {}):svg() == plot.line{1, 2}:svg())
    fails('x has 2 elements and y has 0', plot.line, {1, 2}, tensor.Tensor())
    assert.equal('none', plot.line({}, {}, {name = 'none'}).layers[1].name)
    fails('unknown option colour', plot.line, {1, 2}, {colour = {1, 2, 3}})
    fails('ylimits must be {low, high}', plot.line, {1, 2}, {ylimits = {2, 1}})
    fails('xlimits must be {low, high}: 2 is not less than 1', plot.line, {1}, {xlimits = {2, 1}})
    fails('xlimits must be {low, high}: 1 is not less than 1', plot.line, {1}, {xlimits = {1, 1}})
    for _, limits in ipairs {{0 / 0, 1}, {1}, {1, 2, 3}, {'a', 1}, {-1 / 0, 1}} do
      fails('xlimits must be {low, high}, finite', plot.line, {1}, {xlimits = limits})
    end
    fails('above 0', plot.line, {1, 2}, {ylimits = {0, 1}, yscale = 'log'})
    fails('yscale is "linear" or "log"', plot.line, {1, 2}, {yscale = 'cubic'})
    fails('the width is from 100', plot.line, {1, 2}, {width = 5})
    for _, value in ipairs {0, -1, 0 / 0, 1 / 0, 1e300, 1e-300} do
      fails('the size is from 0.01 to 1000', plot.scatter, {1, 2}, {1, 2}, {size = value})
      fails('the size is from 0.01 to 1000', plot.line, {1, 2}, {size = value})
      for _, kind in ipairs {'line', 'contour'} do
        fails('the thickness is from 0.01 to 1000', plot[kind], t, {thickness = value})
      end
      fails('the thickness is from 0.01 to 1000', plot.boxplot, {{1}}, {thickness = value})
    end
    for _, value in ipairs {0.01, 1000} do
      plot.line({1, 2}, {thickness = value, size = value, marker = 'circle'}):pixels()
    end
    fails('bins are from 1', plot.histogram, t, {bins = 0})
    fails('the histogram has no finite data', plot.histogram, {0 / 0})
    fails('colors are', plot.heatmap, t, {colors = 'jet'})
    fails("tensor.plot has no function or field 'hist': instead of hist, use plot.histogram",
          function() return plot.hist end)
    fails("'boxplott': did you mean boxplot?", function() return plot.boxplott end)
    fails('a color is black, blue,', plot.line, {1, 2}, {color = 'rod'})
    fails('a color is a name, or', plot.line, {1, 2}, {color = {1, 2}})
    fails('a heat map needs a matrix', plot.heatmap, tensor.ones(3))
    fails('got 2 x 2 x 2', plot.image, tensor.ones(2, 2, 2))
    fails('plot.image: pictures in floating point have values from 0 to 1', plot.image, t * 50)
    fails('a ByteTensor of 0 to 255, or', plot.image, t:long())
    local far = {-1.79e308, 1.79e308}
    for _, data in ipairs {far, {1.7e308, 1.7e308}} do
      assert.is_nil(plot.line(data):svg():lower():find 'nan')
    end
    assert.is_nil(plot.heatmap(tensor.DoubleTensor(1, 2):fill(1.7e308)):svg():lower():find 'nan')
    fails('too far apart', plot.histogram, far)
    fails('too far apart', plot.histogram, t, {limits = far})
    fails('limits must be {low, high}, finite', plot.heatmap, t, {limits = {0, 1 / 0}})
    fails('text has 20', plot.line{1}.text, plot.line{1}, 5)
    assert.matches('plot_spec', error_of(function() plot.line('x') end), 1, true)
    for _, ending in ipairs {'svg', 'png'} do
      local message = error_of(function() plot.line{1}:save('/nowhere/a.' .. ending) end)
      assert.matches('^%S*plot_spec%.lua:%d+: save: cannot open </nowhere/a%.', message)
    end
  end)

  it('calls that fail leave the figure as it was', function()
    local figure = plot.line({1, 2, 3}, {title = 'before'})
    local text = figure:svg()
    for _, options in ipairs {{title = 'after', width = 5}, {width = 200, xscale = 'cubic'},
                              {xscale = 'log', xlimits = {-1, 3}}, {ylimits = {2, 4}, title = 1}} do
      assert.is_string(error_of(figure.set, figure, options))
      assert.is_string(error_of(figure.line, figure, {1, 2}, options))
    end
    assert.is_string(error_of(figure.line, figure, {1, 2}, {1}, {title = 'after', xscale = 'log'}))
    assert.is_string(error_of(figure.bars, figure, {'x'}, {legend = 'top left', width = 200}))
    assert.are.equal(text, figure:svg())
    local log = figure:set{xscale = 'log'}:svg()
    assert.is_string(error_of(figure.set, figure, {xscale = 'linear', width = 5}))
    assert.are.equal(log, figure:svg())
  end)
end)
