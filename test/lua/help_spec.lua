-- Every public name has a help entry with its signatures.

local tensor = require 'tensor'
local entries = require 'tensor.entries'
local support = require 'support.printed'
local files = require 'support.files'

local classes = {}
for name in ('Byte Char Short Int Long Half BFloat16 Float Double'):gmatch '%S+' do
  classes[#classes + 1] = 'torch.' .. name .. 'Tensor'
  classes[#classes + 1] = 'torch.' .. name .. 'Storage'
end
for name in ('Generator File DiskFile PipeFile MemoryFile'):gmatch '%S+' do
  classes[#classes + 1] = 'torch.' .. name
end
classes[#classes + 1] = 'torch.FloatBlob'

local function printed(what) return support.printed(tensor.help, what) end

-- Returns true for names that users call. Others belong to the module or to Lua.
local function is_public(key)
  return type(key) == 'string' and not key:find '^_' and not key:find '_$'
end

describe('help', function()
  setup(require 'tensor.native'.on_demand.load_all)

  it('has an entry for every function of the module', function()
    for key, value in pairs(tensor) do
      if is_public(key) then
        local text = printed(key)
        assert.is_true(#text > 20, key .. ', a ' .. type(value))
      end
    end
  end)

  it('has an entry for every method', function()
    for _, class in ipairs(classes) do
      for key, value in pairs(tensor.getmetatable(class)) do
        if is_public(key) and type(value) == 'function' and not class:find 'Blob' then
          assert.is_true(#printed(key) > 20, class .. '.' .. key)
        end
      end
    end
  end)

  it('has entries of names that are there', function()
    local t = tensor.getmetatable 'torch.DoubleTensor'
    local s = tensor.getmetatable 'torch.CharStorage'
    local disk = tensor.getmetatable 'torch.DiskFile'
    local memory = tensor.getmetatable 'torch.MemoryFile'
    for _, section in ipairs(entries) do
      for k = 2, #section do
        local name, calls = unpack(section[k])
        local known = rawget(tensor, name) or t[name] or s[name] or disk[name] or memory[name]
        assert.is_truthy(known, name)
        local called = name == 'Tensor' and 'T' or name == 'Storage' and 'S' or name
        assert.is_truthy(calls:find(called .. '[(.]'), name)
      end
    end
  end)

  -- Variables of the programs that the pages show.
  local variables = { df = true, f = true, net = true, p = true, params = true, rate = true,
                      step = true }

  for _, other in ipairs { 'numpy', 'pytorch' } do
    it('knows every name mentioned in from-' .. other, function()
      local checked = 0
      for line in io.lines('doc/from-' .. other .. '.md') do
        local here = line:match '|([^|]*)|$' or ''
        for name in here:gmatch '`([%a_][%w_]*)[`(]' do
          if not variables[name] then
            assert.is_true(#printed(name) > 20)
            checked = checked + 1
          end
        end
      end
      assert.is_true(checked > 70)
    end)
  end

  it('mentions functions of the same name that differ', function()
    local names = {
      numpy = 'meshgrid exponential geometric logNormal random cross split var eig flatten randint',
      pytorch = 'geometric random cross eig',
    }
    for other, list in pairs(names) do
      local page = files.content('doc/from-' .. other .. '.md')
      for name in list:gmatch '%w+' do
        local there, here = '%f[%w]' .. name:lower() .. '%f[^%w]', '%f[%w]' .. name .. '%f[^%w]'
        assert.matches('\n|[^|\n]*' .. there .. '[^|\n]*|[^|\n]*' .. here, page, 1, name)
      end
    end
  end)

  it('shows no forms that other rows of the op table hide', function()
    local clamp, median = printed 'clamp', printed 'median'
    assert.matches('tensor%.clamp%(t, min_value%)\nt:clamp%(min_value%)\n', clamp)
    assert.is_nil(clamp:find('t, min_value)\nresult:', 1, true))
    assert.matches('\nt:median%(dimension %[, keepdim = true%]%)\n', median)
    for _, name in ipairs { 'median', 'nanmedian', 'mode', 'kthvalue' } do
      assert.is_nil(printed(name):find('[, dimension', 1, true), name)
    end
  end)

  it('tells which functions take the name of a class', function()
    for _, name in ipairs { 'zeros', 'eye', 'arange', 'linspace', 'randn', 'randperm', 'randint',
                            'hannWindow', 'fftfreq' } do
      assert.matches("class: 'torch.FloatTensor'", printed(name):gsub('%s+', ' '), 1, name)
    end
    for _, name in ipairs { 'zerosLike', 'add', 'multinomial', 'uniform', 'cat' } do
      assert.is_nil(printed(name):find('torch.FloatTensor', 1, true), name)
    end
  end)

  it('finds functions and methods by themselves', function()
    assert.matches('tensor.gather%(', printed(tensor.gather))
    assert.matches(':gather%(', printed(tensor.Tensor().gather))
    assert.matches('t:resize%(', printed(tensor.FloatTensor().resize))
    assert.matches('nested table', printed(tensor.FloatTensor))
    assert.matches('nested table', printed 'FloatTensor')
    assert.matches('state of its own', printed 'Generator')
    assert.matches('blobsToProto%(blobs %[, diff%]%)', printed 'blobsToProto')
  end)

  it('explains the functions of modules', function()
    for name, text in pairs {
      ['nn.linear'] = 'nn.linear%(inputs, outputs.-outputs x inputs',
      ['nn.Linear'] = 'nn.linear%(', Linear = 'nn.linear%(',
      adam = 'optim.adam{rate.-running mean',
      ['optim.schedule.cosine'] = 'schedule.cosine%(.-cosine',
      ['training.save'] = 'training.save%(.-checkpoint', ['dist.allReduce'] = 'Overwrites',
      ['data.batches'] = 'data.batches%(', nn = 'nn.linear%(', dist = 'norm.*dist.barrier%(',
    } do
      assert.matches(text, printed(name), 1, name)
    end
    for name in ('averageChunks averageGradients check grad load save shard'):gmatch '%w+' do
      assert.matches('^dist.' .. name .. '%(.-[%.:]', printed('dist.' .. name), 1, name)
    end
    assert.matches('xavier%(%[distribution = .normal.%] %[, gain = 1%]%)', printed 'xavier')
    assert.matches('cosine%(rate, steps %[, least = 0%]%)', printed 'cosine')
    for name in pairs(require 'tensor.dist') do
      assert.matches('^dist.' .. name .. '%(', printed('dist.' .. name), 1, name)
    end
    assert.matches('nn.mse%(x, y%)', printed(require 'tensor.nn'.mse))
    assert.has_error(function() tensor.help 'nn.nosuch' end, 'help: unknown name: nn.nosuch')
    assert.matches('nn.initializer.kaiming%(', printed(require 'tensor.nn'.initializer.kaiming))
  end)

  it('explains a field of an object or a module, and no other one', function()
    for name, text in pairs {
      ['tree.map'] = '^tree.map%(f', ['tree.leaves'] = '^tree.leaves%(', tree = '\ntree.count%(t%)',
      ['figure:save'] = '^figure:save%(', ['figure:set'] = '^figure:set%(',
      ['fig:svg'] = '^figure:svg%(', ['figure:bars'] = '^figure:bars%(',
      ['data:size'] = '^t:size%(',
      ['nn.relu'] = '^tensor.relu%(', ['nn.initializer'] = 'nn.initializer.kaiming%(%[distribution',
      ['nn.initializer.constant'] = '^nn.initializer.constant%(value',
      ['optim.schedule'] = 'optim.schedule.cosine%(.*%?optim.schedule.name',
    } do
      assert.matches(text, printed(name), 1, name)
    end
    assert.is_nil(printed 'optim.schedule':find 'adam')
    for name, hint in pairs {
      ['image.load'] = '; similar names: load loadobj', ['plot.lin'] = '; did you mean line?',
      ['plot.median'] = '; similar names: median nanmedian',
      ['figure:grid'] = '; similar names: meshgrid',
      ['nn.ReLU'] = '; similar names: leakyRelu relu',
      ['nn.initializer.linear'] = '; did you mean linear?',
    } do
      assert.has_error(function() tensor.help(name) end, 'help: unknown name: ' .. name .. hint)
    end
  end)

  it('has the methods of figures', function()
    local figure = tensor.plot.figure()
    for name, method in pairs(require('tensor.entries.figures').figure) do
      assert.is_function(figure[name])
      assert.matches('^figure:' .. name .. '%(', method[1])
    end
  end)

  it('has functions of tensor.plot, and options of figures, without the module', function()
    for name, text in pairs {
      figure = '^tensor.plot.figure%(.*%?figure:save', heatmap = '^tensor.plot.heatmap%(matrix',
      hline = '^tensor.plot.hline%(y', crop = '^tensor.image.crop%(',
      legend = '^figure:set{legend = value}\n.*"top right"', ['figure:title'] = 'a text above',
    } do
      assert.matches(text, printed(name), 1, name)
    end
    local figures = require 'tensor.entries.figures'
    for name in pairs(figures.options) do
      assert.is_true(require('tensor.plot.options').is_of_figure(name))
    end
    assert.has_error(function() tensor.help 'subplot' end,
                     'help: unknown name: subplot; instead of subplot, use plot.grid')
    assert.has_error(function() tensor.help 'fill_between' end,
                     'help: unknown name: fill_between; instead of fill_between, use plot.band')
  end)

  it('shows the example of this function of a module', function()
    assert.is_nil(printed 'plot.bars':find 'plot.line')
    assert.matches('plot.line%({', printed 'plot.line')
  end)

  it('shows each signature once', function()
    assert.are.equal(1, select(2, printed 'std':gsub('t:std%(%[biased', '')))
    assert.matches('stdall\n.*stdallDouble\ntensor.std', printed 'std')
  end)

  it('describes the options of grad', function()
    for option in ('argument tensors ready'):gmatch '%a+' do
      assert.matches('%f[%w]' .. option .. ' =', printed 'grad')
    end
  end)

  it('has an entry for every function of these modules', function()
    local modules = require 'tensor.help_modules'
    -- tensor.dist has functions for its own files.
    for module in ('data nn optim training'):gmatch '%a+' do
      local known = {}
      for _, name in ipairs(modules.names_of(module)) do known[name] = true end
      for name, value in pairs(require('tensor.' .. module)) do
        local own = type(value) == 'function' and not rawequal(value, rawget(tensor, name))
        assert.is_truthy(known[name] or not own or not is_public(name), module .. '.' .. name)
      end
    end
  end)

  it('says which methods change their object', function()
    assert.matches('`t:add%(%.%.%.%)` overwrites `t`', (printed 'add':gsub('%s+', ' ')))
    assert.is_nil(printed 'sum':find 'overwrites')
    assert.is_nil(printed 'zeros':find 'overwrites')
  end)

  it('lists names, and names similar to the request', function()
    local index = printed(nil)
    assert.matches('\nSizes, views, arranging\n.-%f[%w]gather%f[%W]', index)
    assert.matches('^Element%-wise\n +abs ', index)
    assert.matches('\nFourier transforms, complex numbers\n.-%f[%w]rfft%f[%W]', index)
    assert.matches('\nModules\n +data dist nn optim training', index)
    assert.are.equal(index, printed(tensor))
    for name in ('abs eq zeros view sum randn svd save info'):gmatch '%a+' do
      assert.matches('%f[%w]' .. name .. '%f[^%w_]', index)
    end
    assert.has_error(function() tensor.help 'gahter' end,
                     'help: unknown name: gahter; did you mean gather?')
    assert.has_error(function() tensor.help 'nosuch' end, 'help: unknown name: nosuch')
    assert.has_error(function() tensor.help 'string.format' end,
                     'help: unknown name: string.format; string is a library of Lua')
    assert.has_error(function() tensor.help 'concatenate' end,
                     'help: unknown name: concatenate; instead of concatenate, use cat')
    local ok, message = pcall(tensor.help, 'RESHA')
    assert.is_false(ok)
    assert.matches('similar names: reshape', message)
  end)

  it('works after a module could not be loaded', function()
    local names = { 'tensor.help', 'tensor.signatures', 'tensor.examples', 'tensor.examples.views' }
    for _, name in ipairs(names) do
      for _, other in ipairs(names) do package.loaded[other] = nil end
      package.preload[name] = function() error('not enough memory', 0) end
      for _ = 1, 2 do
        assert.has_error(function() printed 'narrow' end, 'not enough memory')
      end
      package.preload[name] = nil
      assert.matches('src:narrow%(.*> tensor.range.*:narrow%(', printed 'narrow')
    end
  end)

  it('knows what is written otherwise elsewhere', function()
    local class = tensor.getmetatable 'torch.FloatTensor'
    for name, here in pairs(require 'tensor.repl.elsewhere') do
      assert.is_nil(rawget(tensor, name), name)
      assert.is_nil(rawget(class, name), name)
      local first = here:match '^%a%w*'
      assert.is_truthy(rawget(tensor, first) or class[first] or rawget(tensor.plot, first), here)
    end
  end)

  it('knows methods that work in place, whose names end in _ in PyTorch', function()
    local suggestions = require 'tensor.repl.suggestions'
    for name, here in pairs { reciprocal_ = 'cinv', multiply_ = 'cmul', subtract_ = 'csub',
                              clip_ = 'clamp', clamp_min_ = 'clamp(lower)',
                              greater_ = 'copy(t:gt(u))' } do
      assert.are.equal(('instead of %s, use %s'):format(name, here), suggestions.of(name, {}))
    end
    assert.are.equal('did you mean log?', suggestions.of('log_', { tensor }))
    assert.matches('stopGradient', suggestions.of('detach_', {}))
  end)

  -- The equivalents, called with these variables, and the results in the other libraries.
  local operands = { t = tensor.Tensor{{1, 2}, {3, 4}}, u = tensor.Tensor{{2, 2}, {2, 8}},
                     a = tensor.Tensor{{1, 2}, {5, 5}}, b = tensor.Tensor{{4, 6}, {5, 8}},
                     bins = tensor.Tensor{0, 1, 2.5, 4}, edges = tensor.Tensor{0, 1, 2.5, 4},
                     lower = 3, x = tensor.Tensor{0, 1, 2}, y = tensor.Tensor{1, 0, 1},
                     q = tensor.Tensor{0.5, 0.5}, logp = tensor.Tensor{0, -2}, beta = 2,
                     m = tensor.ByteTensor{{1, 1}, {1, 1}}, math = math }
  for name, results in pairs {
    bool = {{1, 1}, {1, 1}}, digitize = {{2, 2}, {3, 4}}, bucketize = {{2, 3}, {4, 4}},
    fliplr = {{2, 1}, {4, 3}}, flipud = {{3, 4}, {1, 2}}, pairwise_distance = {5, 3},
    diagflat = {{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 4}},
    clamp_min = {{3, 3}, {3, 4}}, polyfit = {1, -2, 1},
    cosine_similarity = {{0.9923}, {0.9744}}, l1_loss = 1.5, kl_div = 0.3069,
    smooth_l1_loss = 0.875, normalize = {{0.4472, 0.8944}, {0.6, 0.8}},
    divide = {{0.5, 1}, {1.5, 0.5}}, true_divide = {{0.5, 1}, {1.5, 0.5}},
  } do
    it('gives an equivalent of ' .. name, function()
      local here = require 'tensor.repl.elsewhere'[name]:gsub('^ne%(', 't:ne(')
      local call = assert(loadstring('return ' .. here:gsub(' %(c.*$', ''):gsub(' or .*$', '')
                                     :gsub(', for .*$', '')))
      local result = setfenv(call, setmetatable(operands, {__index = tensor}))()
      if type(result) == 'number' then result, results = tensor.Tensor{result}, {results} end
      assert.are.same(results, tensor.round(result, 4):totable())
    end)
  end

  -- The operands of names of SciPy and of NumPy's modules, and the results there.
  local V, M = tensor.Tensor, tensor.ones(2, 2)
  for name, case in pairs {
    compress = {{t = V{1, 2, 3}, mask = tensor.ByteTensor{1, 0, 1}}, {1, 3}},
    correlate = {{a = V{1, 2, 3}, b = V{1, 0.5}}, {2, 3.5}},
    dct = {{t = V{1, 2, 3, 7}, n = 4}, {26, -11.8519, 4.2426, -2.7444}},
    delete = {{t = V{5, 6, 7, 8}, n = 4, indices = tensor.LongTensor{2}}, {5, 7, 8}},
    indices = {{m = 2, n = 3}, {{1, 1, 1}, {2, 2, 2}}},
    median_filter = {{t = V{1, 5, 2, 8, 3}}, {1, 2, 5, 3, 3}},
    multi_dot = {{a = M, b = M, c = M}, {{4, 4}, {4, 4}}},
    multivariate_normal = {{count = 2, n = 2, cov = tensor.eye(2) * 1e-20, mean = V{1, 9}},
                           {{1, 9}, {1, 9}}},
    ndtr = {{t = V{-3, 0, 1.5}}, {0.0013, 0.5, 0.9332}},
    ndtri = {{t = V{0.1, 0.5, 0.975}}, {-1.2816, 0, 1.96}},
    pdist = {{t = V{{0, 0}, {3, 4}, {6, 8}}, n = 3}, {5, 10, 5}},
    polyval = {{x = V{2, 3}, c = V{5, -2, 1}}, {5, 8}},
    rankdata = {{t = V{2, 1, 5, 2}, s = V{1, 2, 2, 5}}, {2.5, 1, 4, 2.5}},
    as_strided = {{t = V{1, 2, 3, 4, 5}, offset = 2, sizes = {2, 2}, strides = {2, 1}},
                  {{2, 3}, {4, 5}}},
    fromfunction = {{m = 2, n = 2}, {{0, 0}, {1, 1}}},
    in1d = {{t = V{{1, 2}, {3, 1}}, values = V{1}}, {1, 0, 0, 1}},
    ix_ = {{t = V{{1, 2, 3}, {4, 5, 6}}, rows = tensor.LongTensor{2, 1},
            columns = tensor.LongTensor{3, 1}}, {{6, 4}, {3, 1}}},
    reduceat = {{t = V{1, 2, 3, 4, 5}, bounds = tensor.LongTensor{1, 3, 4, 6}}, {3, 3, 9}},
    resample = {{positions = V{1, 1.5}, points = V{1, 2}, t = V{5, 7}}, {5, 6}},
    rolling = {{t = V{1, 2, 3, 7}, size = 2}, {1.5, 2.5, 5}},
    sliding_window_view = {{t = V{1, 2, 3}, dim = 1, size = 2}, {{1, 2}, {2, 3}}},
    value_counts = {{t = V{3, 1, 3}}, {1, 3}},
    vectorize = {{t = V{1, 2}, f = function(x) return x + 1 end}, {2, 3}},
    zscore = {{t = V{{1, 2}, {3, 8}}}, {{-1, -1}, {1, 1}}},
    solve_triangular = {{a = V{{1, 1}, {0, 2}}, b = V{{4}, {6}}}, {{1}, {3}}},
  } do
    it('gives an equivalent of ' .. name, function()
      local here = require 'tensor.repl.elsewhere'[name]
      here = here:gsub(', for .*$', ''):gsub(',? or .*$', ''):gsub(', which .*$', '')
                 :gsub(' for .*$', ''):gsub('^index', 't:index'):gsub('^unfold', 't:unfold')
                 :gsub('^clone', 't:clone'):gsub('^uniqueCounts$', '%0(t)')
      local names = setmetatable(case[1], {__index = function(_, key)
        return _G[key] or tensor[key]
      end})
      local result = setfenv(assert(loadstring('return ' .. here)), names)()
      assert.are.same(case[2], (tensor.round(result, 4):totable()))
    end)
  end

  it('gives two equivalents of convolve, and a number for pearsonr', function()
    local a, b = V{1, 2, 3, 4}, V{1, 0.5}
    local first, second = require 'tensor.repl.elsewhere'.convolve:match '^(.-), or (.-), which'
    for _, here in ipairs{first, second} do
      local names = setmetatable({a = a, b = b}, {__index = tensor})
      local result = setfenv(assert(loadstring('return ' .. here)), names)()
      assert.are.same({1, 2.5, 4, 5.5, 2}, tensor.round(result, 4):totable())
    end
    local names = setmetatable({x = V{1, 2, 4}, y = V{3, 5, 9}}, {__index = tensor})
    local here = require 'tensor.repl.elsewhere'.pearsonr
    assert.is_true(math.abs(setfenv(loadstring('return ' .. here), names)() - 1) < 1e-9)
  end)

  it('prefers an equivalent to a method of the same name', function()
    local found, message = pcall(function() return tensor.real end)
    assert.is_false(found)
    assert.matches('z:select(-1, 1) is the real part', message, 1, true)
    assert.matches('t:real()', printed 'real', 1, true)
  end)
end)
