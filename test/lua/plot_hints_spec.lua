-- Errors of tensor.plot for the names, options and values of matplotlib.

local tensor = require 'tensor'
local fails = require 'support.raises'.text
local files = require 'support.files'

local plot = tensor.plot

describe('plots', function()
  it('name the equivalents of functions and methods of matplotlib', function()
    local figure = plot.line {1, 2}
    for name, hint in pairs {title = 'use figure:set{title = ...}', hist = 'use plot.histogram',
                             xlabel = 'use figure:set{xlabel = ...}', sav = 'did you mean save?'} do
      fails(("a figure has no function or field '%s': "):format(name), function()
        figure[name](figure)
      end)
      fails(hint, function() figure[name](figure) end)
    end
    assert.is_nil(figure._private)
    for name, hint in pairs {errorbar = 'use plot.line or plot.scatter with the option errors',
                             pcolormesh = 'use plot.heatmap', axhline = 'use plot.hline',
                             plot = 'tensor.plot(x, y) draws a line',
                             title = 'it is an option, as in tensor.plot.line(y, {title = ...})'} do
      fails(hint, function() return plot[name] end)
    end
  end)

  it('name the equivalents of options and values', function()
    for option, ours in pairs {label = 'name', linewidth = 'thickness', c = 'color',
                               figsize = 'width and height', ylim = 'ylimits = {low, high}'} do
      fails('; use ' .. ours, plot.line, {1, 2}, {[option] = 1})
    end
    fails('got "s"; use "square"', plot.line, {1, 2}, {marker = 's'})
    fails('got "upper left"; use "top left"', plot.line, {1, 2}, {legend = 'upper left'})
  end)

  it('have colors in hexadecimal digits', function()
    assert.are.same({255, 128, 10}, plot.line({1, 2}, {color = '#ff800A'}).layers[1].color)
    fails('or as in "#ff8000", got #ff80', plot.line, {1, 2}, {color = '#ff80'})
  end)

  it('and pictures with the channels last name the permutation', function()
    fails('got 5 x 4 x 3; t:permute(3, 1, 2) puts the channels first', plot.image,
          tensor.rand(5, 4, 3))
    files.with_name('.png', function(name)
      fails('got 5 x 4 x 3; t:permute(3, 1, 2) puts the channels first', tensor.save, name,
            tensor.rand(5, 4, 3))
    end)
  end)
end)

it('describe names summary for tensors', function()
  fails('got torch.DoubleTensor; tensor.summary describes tensors', tensor.describe,
        tensor.ones(2, 2))
end)

it('save lists .t7 among the formats', function()
  fails(' and .t7 (any object)', tensor.save, 'x.gif', {})
end)
