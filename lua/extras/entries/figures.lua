-- Help texts for the functions of tensor.plot and tensor.image, which share an entry each; the
-- signatures and help texts of the methods of figures; and the values of the options of figures.

local figure = ' Options: those of a figure, such as `title`, `xlabel`, `ylabel`, `xlimits`, ' ..
               '`yscale = "log"`, `legend`'
local of_lines = '`name`, `color`, `thickness`, and `style`: "solid", "dashed" or "dotted".'

return {
   plot = {
      line =
          'Draws a line through points. `x` and `y` are vectors or tables of numbers; ' ..
          'without `x`, the coordinates are 1, 2, 3 and so on. NaN leaves a gap. Returns the ' ..
          'figure; its method `line` adds a line.' .. figure ..
          '; `name`, `color`, a name or `{red, green, blue}`, `thickness`, `style`: "solid", ' ..
          '"dashed" or "dotted", `marker`, `size` and `errors`.',
      hline =
          'Draws a horizontal line across the figure at `y`, a number, or at each number of a ' ..
          'vector. Returns the figure.' .. figure .. '; ' .. of_lines,
      vline =
          'Draws a vertical line across the figure at `x`, a number, or at each number of a ' ..
          'vector. Returns the figure.' .. figure .. '; ' .. of_lines,
      band =
          'Fills the area between two curves over `x`, a vector that does not decrease. `low` ' ..
          'and `high` are vectors or numbers. Bands are below all lines. Returns the figure.' ..
          figure .. '; `name` and `color`, which is drawn lighter.',
      scatter =
          'Draws a marker at each point. `x` and `y` are vectors or tables of numbers. ' ..
          'Returns the figure.' .. figure ..
          '; `name`, `color`, `size`, `errors`, and `marker`: "dot", "circle", "square", ' ..
          '"diamond", "triangle", "plus" or "cross". A tensor as `color` has a value for each ' ..
          'point, which `colors` maps to a color: "viridis", "grey" or "diverging".',
      bars =
          'Draws a bar for each element of a vector or a table. The keys of `{a = 1, b = 2}` ' ..
          'become labels, in alphabetical order. Bars of several calls are placed side by ' ..
          'side. Returns the figure.' .. figure ..
          '; `name`, `color` and `labels`, a table or a vector.',
      histogram =
          'Draws the number of elements of a tensor of any shape in each of `bins` bins. NaN ' ..
          'is left out. Returns the figure.' .. figure ..
          '; `name`, `color`, `bins` (30) and `limits`, `{low, high}`.',
      boxplot =
          'Draws a box for each vector in a table: from the first to the third quartile with ' ..
          'a line at the median, whiskers to the last elements within 1.5 times its height, ' ..
          'and further elements as circles. Returns the figure.' .. figure ..
          '; `name`, `color`, `labels` and `thickness`.',
      heatmap =
          'Draws a matrix as colors, the first row at the top, with a color bar. NaN and ' ..
          'infinite elements are grey. Returns the figure.' .. figure ..
          '; `colors`: "viridis", "grey" or "diverging"; `limits`, `{low, high}`.',
      contour =
          'Draws lines where a matrix has certain values, also on top of a heat map. `x` ' ..
          'counts columns and `y` rows, the first row at the top. If they are vectors, they are ' ..
          'the coordinates of the columns and rows. Returns the figure.' .. figure ..
          '; `levels`, a list of values or their number (8); `colors`, `color` and ' ..
          '`thickness`.',
      image =
          'Draws a picture of H x W, 1 x H x W or 3 x H x W without axes. Returns the figure.' ..
          figure .. '.',
      figure =
          'Returns an empty figure, to which the methods add: `line` and the other functions of ' ..
          'tensor.plot. `set`, `save`, `text`, `graphics`, `svg` and `pixels` are methods, too; ' ..
          '`?figure:save` explains one.' .. figure .. ', `width` (640) and `height` (400).',
      grid =
          'Puts figures into rows on one page. The page has the methods `save`, `text`, ' ..
          '`graphics`, `svg` and `pixels` of a figure.',
      live =
          'Returns a function that adds points and redraws the figure in the terminal: ' ..
          '`live(x, {name = y, ...})` adds a point to each of several lines. `live:finish()` ' ..
          'draws the last state, `live:figure()` returns the figure.' .. figure ..
          '; `interval`, the seconds between two drawings (0.2); `columns`, `lines` and ' ..
          '`colors` as of `text`; `output`, a file; `terminal`: draw, whatever the output is; ' ..
          '`clock`, a function that returns seconds.',
   },
   image = {
      scale =
          'Returns the picture at another size. `src`: H x W or channels x H x W. `size`: ' ..
          'the longer side as a number, "WxH", "^shorter side" or "*factor". With `dst`, its ' ..
          'size is the new one. `mode`: "bilinear" (the default), "nearest" or "area".',
      crop =
          'Returns a copy of a rectangle of the picture. `x1` and `y1` count from 0; `x2` ' ..
          'and `y2` are the first that are excluded. `position`: "c" (the center), "tl", ' ..
          '"tr", "bl" or "br".',
      hflip =
          'Returns a copy of the picture with left and right exchanged. `src`: H x W or ' ..
          'channels x H x W.',
      vflip =
          'Returns a copy of the picture upside down. `src`: H x W or channels x H x W.',
   },
   figure = {
      save = {'figure:save(filename)', 'Writes the figure as a `.svg`, `.png` or `.jpg` file.'},
      set = {'figure:set(options)', 'Sets options of the figure, and returns it.' .. figure .. '.'},
      text = {'figure:text([columns = 72 [, lines = 20 [, colors]]])',
          'Returns the figure as text for a UTF-8 terminal, as `print` shows it. `colors`: ' ..
          '"true" (16 million) or "256".'},
      graphics = {'figure:graphics(kind)',
          'Returns the escape sequences that draw the figure in a terminal. `kind`: "kitty" or ' ..
          '"sixel".'},
      svg = {'figure:svg()', 'Returns the SVG file of the figure as a string.'},
      pixels = {'figure:pixels()',
          'Returns the figure as a ByteTensor of 3 x H x W, with two pixels per unit of `width`.'},
   },
   options = {
      title = 'a text above the figure', xlabel = 'a text below the x axis',
      ylabel = 'a text above the y axis', width = 'a length, 640 by default',
      height = 'a length, 400 by default', xlimits = '`{low, high}`, the range of x that is shown',
      ylimits = '`{low, high}`, the range of y that is shown', xscale = '"linear" or "log"',
      yscale = '"linear" or "log"', aspect = '"equal": the elements of a heat map are squares',
      legend = '"top right", "top left", "bottom right", "bottom left" or "none"; by default ' ..
               'the corner where it hides least. The legend has all that has a `name`',
   },
}
