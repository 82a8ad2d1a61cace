-- Checks the options of figures and of their layers.

local files = require 'tensor.files'
local versions = require 'tensor.versions'
local each = versions.each

local of_figure = {
   title = 'string', xlabel = 'string', ylabel = 'string', width = 'number', height = 'number',
   xlimits = 'table', ylimits = 'table', xscale = 'string', yscale = 'string', aspect = 'string',
   legend = 'string',
}
local of_layer = {
   line = {name = 'string', color = 'string table', thickness = 'number', marker = 'string',
           size = 'number', errors = 'table userdata', style = 'string'},
   hline = {name = 'string', color = 'string table', thickness = 'number', style = 'string'},
   vline = {name = 'string', color = 'string table', thickness = 'number', style = 'string'},
   band = {name = 'string', color = 'string table'},
   scatter = {name = 'string', color = 'string table userdata', colors = 'string', size = 'number',
              marker = 'string', errors = 'table userdata'},
   boxplot = {name = 'string', color = 'string table', labels = 'table userdata',
              thickness = 'number'},
   contour = {levels = 'number table userdata', colors = 'string', color = 'string table',
              thickness = 'number'},
   bars = {name = 'string', color = 'string table', labels = 'table userdata'},
   histogram = {name = 'string', color = 'string table', bins = 'number', limits = 'table'},
   heatmap = {colors = 'string', limits = 'table'},
   image = {},
   live = {interval = 'number', columns = 'number', lines = 'number', colors = 'string',
           output = 'table userdata', terminal = 'boolean', clock = 'function'},
}

-- Options of matplotlib, and values of its markers, styles and places of the legend.
local others = {
   c = 'color', cmap = 'colors', edgecolor = 'color', facecolor = 'color',
   figsize = 'width and height', label = 'name', linestyle = 'style', linewidth = 'thickness',
   ls = 'style', lw = 'thickness',
   markersize = 'size', ms = 'size', s = 'size', vmax = 'limits = {low, high}',
   vmin = 'limits = {low, high}', xlim = 'xlimits = {low, high}', xticklabels = 'labels',
   yerr = 'errors', ylim = 'ylimits = {low, high}',
}
local other_values = {
   marker = {o = 'dot', s = 'square', D = 'diamond', d = 'diamond', ['^'] = 'triangle',
             ['+'] = 'plus', x = 'cross', ['.'] = 'dot'},
   legend = {['upper right'] = 'top right', ['upper left'] = 'top left',
             ['lower right'] = 'bottom right', ['lower left'] = 'bottom left'},
   style = {['-'] = 'solid', ['--'] = 'dashed', ['-.'] = 'dashed', [':'] = 'dotted'},
}

-- Calls check(value), which checks the value of an option. Errors name the equivalent of a value of
-- matplotlib.
local function check_value(name, value, check)
   local fine, failure = pcall(check, value)
   if not fine then
      local ours = other_values[name][value]
      error(failure .. (ours and ('; use %q'):format(ours) or ''), 0)
   end
end

local ranges = {width = {100, 10000}, height = {100, 10000}, size = {0.01, 1000},
                thickness = {0.01, 1000}}

-- Checks limits: {low, high}.
local function check_limits(name, t)
   local low, high = t[1], t[2]
   local function is_finite(x)
      return type(x) == 'number' and math.abs(x) < math.huge
   end
   if #t ~= 2 or not is_finite(low) or not is_finite(high) then
      error(('plot: %s must be {low, high}, finite numbers'):format(name), 0)
   elseif low >= high then
      error(('plot: %s must be {low, high}: %.14g is not less than %.14g'):format(name, low, high),
            0)
   end
end

-- Returns a list of labels, or a vector of numbers, as a list of strings.
local function label_texts(labels)
   local texts, tensor = {}, versions.require 'tensor'
   if tensor.isTensor(labels) then
      if labels:dim() > 1 then
         error(('plot: labels are a list or a vector, got a tensor of %d dimensions')
               :format(labels:dim()), 0)
      end
      labels = labels:nElement() > 0 and labels:totable() or {}
   elseif type(labels) ~= 'table' then
      error(('plot: labels are a list or a vector, got %s'):format(tensor.type(labels)), 0)
   end
   for i, label in ipairs(labels) do
      texts[i] = type(label) == 'number' and ('%.14g'):format(label) or tostring(label)
   end
   return texts
end

-- Returns a color with rounded components, or nil if it is invalid.
local function color_of(t)
   local color = {}
   for k = 1, 3 do
      if type(t[k]) ~= 'number' or not (t[k] >= 0 and t[k] <= 255) then return nil end
      color[k] = math.floor(t[k] + 0.5)
   end
   return #t == 3 and color or nil
end

local plot_options = {}

--- is_of_figure(name): returns true for the names of options of figures.
function plot_options.is_of_figure(name)
   return of_figure[name] ~= nil
end

--- take(current, options, kind): checks a table of options. Returns those of the layer, and a copy
-- of `current`, the options of a figure, with those of the figure. kind: of the layer, or 'live';
-- nil for a figure.
function plot_options.take(current, options, kind)
   local known, own = of_layer[kind] or {}, {}
   local changed = {}
   for name, value in each(current) do changed[name] = value end
   changed.log = {x = current.log.x, y = current.log.y}
   options = options == nil and {} or options
   if type(options) ~= 'table' then
      error(('plot: a table of options is expected, got %s'):format(type(options)), 0)
   end
   if options[1] ~= nil then
      error('plot: options have names, got a list' ..
            (kind == 'bars' and ': bars(heights, {labels = {...}})' or ''), 0)
   end
   local all = {}
   for name, wanted in each(of_figure) do all[name] = wanted end
   for name, wanted in each(known) do all[name] = wanted end
   local fine, failure = pcall(files.check, options, all)
   if not fine then
      local ours = others[failure:match '^unknown option ([%w_]+);']
      local is_known = ours and all[ours:match '^%a+']
      error(('plot: %s%s'):format(failure, is_known and '; use ' .. ours or ''), 0)
   end
   for name, value in each(options) do
      if name == 'labels' then
         value = label_texts(value)
      elseif type(value) == 'table' and name:find 'limits$' then
         value = {versions.unpack(value)}  -- a copy: the caller may change its table
      end
      if name:find 'limits$' then
         check_limits(name, value)
      elseif name:find '^.scale$' then
         if value ~= 'log' and value ~= 'linear' then
            error(('plot: %s is "linear" or "log", got %q'):format(name, value), 0)
         end
         changed.log[name:sub(1, 1)] = value == 'log'
      elseif name == 'legend' then
         check_value(name, value, versions.require('tensor.plot.legend').check)
      elseif name == 'style' then
         check_value(name, value, versions.require('tensor.plot.dashes').check)
      elseif name == 'marker' then
         check_value(name, value, versions.require('tensor.plot.markers').check)
      elseif name == 'color' and type(value) ~= 'userdata' then
         value = color_of(type(value) == 'string' and
                          versions.require('tensor.plot.colors').named(value) or value)
         if not value then
            error('plot: a color is a name, or {red, green, blue}, from 0 to 255, or "#ff8000"', 0)
         end
      elseif ranges[name] and not (value >= ranges[name][1] and value <= ranges[name][2]) then
         error(('plot: the %s is from %g to %g, got %g')
               :format(name, ranges[name][1], ranges[name][2], value), 0)
      elseif name == 'width' or name == 'height' then
         value = math.floor(value)
      end
      if known[name] then own[name] = value else changed[name] = value end
   end
   for _, axis in ipairs {'x', 'y'} do
      local limits = changed[axis .. 'limits']
      if changed.log[axis] and limits and limits[1] <= 0 then
         error(('plot: %slimits of a logarithmic axis must be above 0'):format(axis), 0)
      end
   end
   return own, changed
end

return plot_options
