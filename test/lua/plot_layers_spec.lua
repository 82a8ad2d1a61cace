-- Dashed and dotted lines, reference lines, bands, and contour lines over coordinates.

local tensor = require 'tensor'
local dashes = require 'tensor.plot.dashes'
local layout = require 'tensor.plot.layout'
local fails = require 'support.raises'.text

local plot = tensor.plot

local function count(text, pattern) return select(2, text:gsub(pattern, '')) end

describe('the style of lines', function()
  it('is that of dashes of equal length, also around corners', function()
    local line = {{0, 0}, {10, 0}, {10, 10}}
    assert.are.same({line}, dashes.of({line}, nil, 1))
    assert.are.same({line}, dashes.of({line}, 'solid', 1))
    assert.are.same({{{0, 0}, {4, 0}}, {{8, 0}, {10, 0}, {10, 2}}, {{10, 6}, {10, 10}}},
                    dashes.of({line}, 'dashed', 1))
    assert.are.same({{{0, 0}}, {{6, 0}}, {{10, 2}}, {{10, 8}}}, dashes.of({line}, 'dotted', 2))
    assert.are.same({{{1, 2}}}, dashes.of({{{1, 2}}}, 'dashed', 1))
    -- Points of a gap do not begin a dash.
    local fine = {}
    for k = 0, 100 do fine[k + 1] = {k / 10, 0} end
    assert.are.equal(2, #dashes.of({fine}, 'dashed', 1))
    assert.are.same(dashes.of({line}, 'dashed', 0.5), dashes.of({line}, 'dashed', 1e-9))
  end)

  it('is drawn in all formats', function()
    local function figure(style) return plot.line({0, 1}, {name = 'a', style = style}) end
    local lines = count(figure():svg(), '<polyline')
    assert.are.equal(2, lines)
    assert.are.equal(lines, count(figure 'solid':svg(), '<polyline'))
    assert.is_true(count(figure 'dashed':svg(), '<polyline') > 20)
    assert.is_true(figure 'dashed':pixels():double():sum() > figure():pixels():double():sum())
    assert.is_true(#figure 'dotted':text() < #figure():text())
    -- Error bars are solid.
    assert.are.equal(count(plot.line({0}, {errors = {1}}):svg(), '<polyline'),
                     count(plot.line({0}, {errors = {1}, style = 'dashed'}):svg(), '<polyline'))
    fails('style is "solid", "dashed" or "dotted", got "--"; use "dashed"', plot.line, {1},
          {style = '--'})
    fails('; use style', plot.line, {1}, {linestyle = '--'})
  end)
end)

describe('reference lines', function()
  it('run across the axes, whose limits contain them', function()
    local figure = plot.line({1, 3}, {0, 2}):hline(5, {name = 'limit', style = 'dashed'})
    local view = layout.of(figure, 8, 8)
    assert.is_true(view.y.high > 5 and view.x.high < 4)
    assert.are.same({0, 1}, {layout.positions(view, figure.layers[2].paths[1])[1][1],
                             layout.positions(view, figure.layers[2].paths[1])[2][1]})
    assert.is_truthy(figure:svg():find('>limit<', 1, true))
    local columns = plot.line({1, 3}, {0, 2}):vline(tensor.Tensor{2, 9})
    view = layout.of(columns, 8, 8)
    assert.is_true(view.x.high > 9 and view.y.high < 3)
    assert.are.equal(3, count(columns:svg(), '<polyline'))
    columns:pixels()
    -- Outside the limits, and below a logarithmic axis, nothing is drawn.
    assert.are.equal(1, count(plot.line({1, 3}, {1, 2}, {ylimits = {0, 3}}):hline(5):svg(),
                              '<polyline'))
    assert.are.equal(1, count(plot.line({1, 3}, {1, 2}, {yscale = 'log'}):hline(-1):svg(),
                              '<polyline'))
    fails('y is a vector or a table of numbers, got nil', plot.hline)
    fails('x is a vector or a table of numbers, got string', plot.vline, '3')
  end)
end)

describe('bands', function()
  it('are areas between two curves, below the other layers', function()
    local figure = plot.line({1, 2}, {1, 2}):band({1, 2}, {0, 1}, 3, {color = {0, 0, 0}})
    local svg = figure:svg()
    assert.is_true(svg:find('<polygon', 1, true) < svg:find('<polyline', 1, true))
    assert.are.equal(1, count(svg, '<polygon points="[%d., ]+" fill="#b3b3b3"/>'))
    -- Only the corners are written.
    local corners = plot.band({1, 2}, {0, 1}, 3):svg():match '<polygon points="(.-)"'
    assert.are.equal(4, count(corners, ','))
    assert.is_truthy(plot.band({1, 2}, {0, 1}, 3):text():find('\226\150\145', 1, true))
    plot.grid{{figure, figure}}:pixels()
    local pixels = plot.band({0, 1}, 0, 1, {xlimits = {0, 1}, ylimits = {0, 2},
                                             color = {0, 0, 0}}):pixels()
    assert.are.equal(0xb3, pixels[1][600][640])  -- the lower half
    assert.are.equal(255, pixels[1][200][641])
  end)

  it('have gaps at NaN, and end at the axes', function()
    local figure = plot.band({1, 2, 3, 4, 5}, {1, 1, 0 / 0, 1, 1}, 9):set{ylimits = {0, 2}}
    local areas = layout.areas(layout.of(figure, 8, 8), figure.layers[1].band, 100)
    assert.are.equal(2, #areas)
    for _, area in ipairs(areas) do
      for _, point in ipairs(area[2]) do assert.are.equal(1, point[2]) end
      for _, point in ipairs(area[1]) do assert.are.equal(0.5, point[2]) end
    end
    assert.are.equal(0, count(plot.band({}, {}, {}):svg(), '<polygon'))
    assert.are.equal(0, count(plot.band({1}, {0}, {1}):svg(), '<polygon'))
    fails('x has 2 elements and high has 1', plot.band, {1, 2}, {1, 2}, {1})
    fails('x of a band must not decrease: element 2 is 1 after 3', plot.band, {3, 1}, 0, 1)
    fails('x of a band must not decrease: element 3 is 1 after 3',
          plot.band, {3, 0 / 0, 1}, 0, 1)
    fails('low is a vector or a table of numbers, got nil', plot.band, {1, 3})
  end)

  local function areas_of(figure, columns)
    return layout.areas(layout.of(figure, 8, 8), figure.layers[1].band, columns)
  end

  it('cover all points of a column', function()
    local x, low, high = {}, {}, {}
    for k = 1, 1001 do
      x[k], low[k], high[k] = (k - 1) / 1000, k % 2 == 0 and 0.25 or 0.4, k % 2 == 0 and 0.5 or 0.75
    end
    local limits = {xlimits = {0, 1}, ylimits = {0, 1}}
    local areas = areas_of(plot.band(x, low, high, limits), 10)
    assert.are.equal(1, #areas)
    assert.are.equal(11, #areas[1][1])
    for k = 1, 11 do
      assert.are.equal(0.25, areas[1][1][k][2])
      assert.are.equal(0.75, areas[1][2][k][2])
    end
    areas = areas_of(plot.band(x, high, low, limits), 10)
    assert.are.equal(0.75, areas[1][1][5][2])
  end)

  it('have a width of one column or more', function()
    local limits = {xlimits = {0, 1}, ylimits = {0, 1}}
    for _, x in ipairs{{0.51, 0.52}, {0.95, 1}, {0, 0.01}, {0.39, 0.41}, {1, 2}, {0.5, 0.5}} do
      local areas = areas_of(plot.band(x, 0.25, 0.5, limits), 10)
      assert.are.equal(1, #areas)
      assert.is_true(areas[1][1][2][1] > areas[1][1][1][1])
      assert.are.equal(0.25, areas[1][1][1][2])
    end
    assert.are.equal(0, #areas_of(plot.band({2, 3}, 0.25, 0.5, limits), 10))
  end)

  it('reach down to the end of a logarithmic axis', function()
    local figure = plot.band({1, 2}, {0, 0}, {10, 100}, {yscale = 'log'})
    local areas = areas_of(figure, 10)
    assert.are.equal(1, #areas)
    assert.are.equal(0, areas[1][1][1][2])
    assert.is_true(areas[1][2][1][2] > 0)
  end)
end)

describe('contour lines', function()
  it('are at the coordinates of columns and rows', function()
    local matrix = tensor.Tensor{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}}
    local figure = plot.contour({10, 20, 40}, tensor.Tensor{5, 6, 8}, matrix, {levels = {2.5}})
    local path = figure.layers[1].paths[1]
    table.sort(path.x)
    assert.are.same({10, 20, 40}, path.x)
    assert.are.same({7, 7, 7}, path.y)
    -- Rows count from the top, and coordinates from the bottom.
    assert.is_false(layout.of(figure, 8, 8).y.reversed)
    assert.is_true(layout.of(plot.contour(matrix), 8, 8).y.reversed)
    local falling = plot.contour({3, 2, 1}, {1, 2, 3}, matrix, {levels = {2.5}})
    assert.are.near(2.5, falling.layers[1].paths[1].y[1], 1e-12)
    fails('plot.contour: x and y are both needed', plot.contour, {1, 2, 3}, nil, matrix)
    fails('plot.contour: x and y are both needed', plot.contour, nil, {1, 2, 3}, matrix)
    fails('y has 2 elements, but the matrix has 3 rows', plot.contour, {1, 2, 3}, {1, 2}, matrix)
    fails('x must increase or decrease, and be finite; element 3 is 2', plot.contour, {1, 2, 2},
          {1, 2, 3}, matrix)
    fails('x must increase or decrease, and be finite; element 3 is inf', plot.contour,
          {1, 2, math.huge}, {1, 2, 3}, matrix)
    fails('x is a vector, got a tensor of 2 dimensions', plot.contour, matrix, matrix, matrix)
    fails('a matrix with elements is expected', plot.contour, {1, 2}, {1, 2})
  end)
end)
