-- Hints about names and habits of NumPy, PyTorch and Python.

local tensor = require 'tensor'
local hints = require 'tensor.repl.hints'
local loop = require 'tensor.repl.loop'
local suggestions = require 'tensor.repl.suggestions'
local versions = require 'tensor.versions'

describe('names of NumPy and PyTorch', function()
  local tables = {tensor, tensor.getmetatable 'torch.DoubleTensor'}

  it('are answered with ours', function()
    for name, hint in pairs {
      rint = 'round, which rounds halves away from 0', around = 'round, which rounds halves',
      split_with_sizes = 'split(t, {2, 3})', chisquare = 'Tensor(n):chi2(df)', len = 'size(1)',
      append = 'cat(t, u), where u is Tensor{x}', choice = 'index(1, randint(1, n + 1, count)), or',
      linear = 'addmm(b, t, w:t())', huber_loss = 'huber',
      memmap = "load('file.npy', {map = true})",
    } do
      local text = suggestions.of(name, tables)
      assert.matches(('instead of %s, use %s'):format(name, hint), text, 1, true)
    end
    assert.matches('^only functions that tensor.grad calls', suggestions.of('enable_grad', tables))
  end)

  it('have equivalents that can be called', function()
    -- In the equivalents, the functions of the module are globals, and the methods are functions.
    local a = tensor.ones(4, 2)
    local environment = setmetatable({t = tensor.ones(4, 3), w = tensor.ones(2, 3), a = a, b = a,
                                      c = a, d = a, n = 4, df = 3, scale = 2, tau = 2},
                                     {__index = tensor})
    for _, name in ipairs {'split_with_sizes', 'chisquare', 'rayleigh', 'gumbel', 'standard_t',
                           'block', 'instance_norm', 'linear', 'gumbel_softmax', 'hardswish',
                           'get_default_dtype'} do
      local code = suggestions.of(name, tables):match 'use (.*)':gsub(', with the sizes', '')
      code = 'return ' .. code:gsub('{2, 3}', '{1, 3}')
      assert.is_not_nil(assert(versions.load(code, '=hint', environment))(), name)
    end
  end)

  it('have the results of PyTorch and SciPy', function()
    local t = tensor.Tensor{-3, -0.5, 0, 0.25, 5, 7}
    local rows = tensor.Tensor{{1, 2}, {3, 4}, {0, 1}}
    local signs, u = tensor.Tensor{1, -1, 1, 1, -1, -1}, tensor.Tensor{1, 0.5, -2, 0.5, 6, 3}
    local m, eight = tensor.Tensor{{1, 2, 0.5}, {3, -1, 2.5}}, tensor.range(0, 7)
    local xy = {x = tensor.Tensor{3, 1, 4, 1, 5, 9, 2, 6, 5, 3},
                y = tensor.Tensor{2, 7, 1, 8, 2, 8, 1, 8, 2, 8},
                edgesOfX = tensor.Tensor{0, 2, 5, 10}, edgesOfY = tensor.Tensor{0, 4, 9}}
    for code, case in pairs {
      ['neg(xlogy(y, p) + xlogy(1 - y, 1 - p)):mean()'] =
        {'binary_cross_entropy', {0.553561036},
         {p = tensor.Tensor{0.9, 0.2, 0.6}, y = tensor.Tensor{1, 0.3, 0}}},
      ["einsum('ni,kij,nj->nk', x, w, y) + b"] =
        {'bilinear', {30.5, 83.5, 69.5, 236.5},
         {x = tensor.Tensor{{1, 2}, {3, 4}}, y = tensor.Tensor{{1, 0, 2}, {2, 1, 1}},
          w = tensor.arange(12):view(2, 2, 3), b = tensor.Tensor{0.5, -0.5}}},
      ['elu(t / alpha) * alpha'] = {'celu', {-1.55373968, -0.44239843, 0, 0.25, 5, 7}},
      ['exp(lgamma(n + 1))'] = {'factorial', {1, 1, 120}, {n = tensor.Tensor{0, 1, 5}}},
      ['cmul(a, sigmoid(b))'] =
        {'glu', {-1.5, -0.28108825}, {a = t[{{1, 2}}], b = t[{{3, 4}}] + tensor.Tensor{0, 0}}},
      ['clamp(t, -1, 1)'] = {'hardtanh', {-1, -0.5, 0, 0.25, 1, 1}},
      ['cmul(t, tanh(softplus(t)))'] =
        {'mish', {-0.14564746, -0.22074377, 0, 0.16957241, 4.99955208, 6.99998838}},
      ['where(t:gt(0), t, cmul(t, w))'] =
        {'prelu', {-0.6, -0.1, 0, 0.25, 5, 7}, {w = tensor.Tensor{0.2}}},
      ['clamp(t, 0, 6)'] = {'relu6', {0, 0, 0, 0.25, 5, 6}},
      ['elu(t, 1.6732632423543772) * 1.0507009873554805'] =
        {'selu', {-1.67056873, -0.69175819, 0, 0.26267525, 5.25350494, 7.35490691}},
      ['softmax(neg(t), dim)'] =
        {'softmin', {0.85422900, 0.07011939, 0.04252956, 0.03312205},
         {t = t[{{1, 4}}], dim = 1}},
      ['cmax(norm(a - p + 1e-6, 2, 2) - norm(a - n + 1e-6, 2, 2) + margin, 0):mean()'] =
        {'triplet_margin_loss', {1.05938184},
         {a = rows, p = tensor.Tensor{{2, 1}, {3, 5}, {1, 0}},
          n = tensor.Tensor{{0, 1}, {-3, 4}, {2, 2}}, margin = 2}},
      ['where(y:eq(1), 1 - c, cmax(c - margin, 0)):mean()'] =
        {'cosine_embedding_loss', {0.33156393},
         {c = tensor.Tensor{0.8, 29 / 5 / math.sqrt(34), 0}:view(3, 1),
          y = tensor.Tensor{1, -1, -1}:view(3, 1), margin = 0.2}},
      ['eig(cat(c[{{2, -1}}]:view(1, -1) / -c[1], eye(n - 1, n), 1))'] =
        {'roots', {-1.65062919, 0, -0.17468540, 1.54686889, -0.17468540, -1.54686889},
         {c = tensor.range(1, 4), n = 3}},
      ['lstsq(stack({x, x ^ 0}, 2), y)'] = {'linregress', {0.14025501, 4.15300546}, xy},
      ['histogramdd(stack({x, y}, 2), {edgesOfX, edgesOfY})'] =
        {'histogram2d', {0, 2, 3, 1, 2, 2}, xy},
      ['add(searchsorted(s, t), searchsorted(s, t, true) - 1) / 2'] =
        {'spearmanr', {4.5, 1.5, 6, 1.5, 7.5, 10, 3, 9, 7.5, 4.5},
         {t = xy.x, s = (tensor.sort(xy.x))}},
      ['nonzero(diff(sign(diff(t))):eq(-2)) + 1'] = {'find_peaks', {3, 6, 8}, {t = xy.x}},
      ['flip(cat(flip(c), r[{{2, -1}}]):unfold(1, n, 1), 1)'] =
        {'toeplitz', {1, 5, 6, 7, 2, 1, 5, 6, 3, 2, 1, 5},
         {c = tensor.range(1, 3), r = tensor.Tensor{1, 5, 6, 7}, n = 4}},
      ['cpow(x:view(-1, 1), range(n - 1, 0, -1))'] =
        {'vander', {0, 0, 0, 1, 8, 4, 2, 1, 27, 9, 3, 1}, {x = tensor.Tensor{0, 2, 3}, n = 4}},
      ['cdiv(t, abs(t) + 1)'] = {'softsign', {-0.75, -1 / 3, 0, 0.2, 5 / 6, 0.875}},
      ['where(abs(t):gt(0.5), t, 0)'] = {'hardshrink', {-3, 0, 0, 0, 5, 7}},
      ['clamp(t + 3, 0, 6) / 6'] = {'hardsigmoid', {0, 0.41666667, 0.5, 0.54166667, 1, 1}},
      ['t - clamp(t, -0.5, 0.5)'] = {'softshrink', {-2.5, 0, 0, 0, 4.5, 6.5}},
      ['t - tanh(t)'] =
        {'tanhshrink', {-2.00494525, -0.0378828427, 0, 0.0050813376, 4.0000908, 6.00000166}},
      ['where(t:gt(threshold), t, value)'] =
        {'threshold', {-2, -2, -2, 0.25, 5, 7}, {threshold = 0.1, value = -2}},
      ['leakyRelu(t, (lower + upper) / 2)'] =
        {'rrelu', {-0.9, -0.15, 0, 0.25, 5, 7}, {lower = 0.2, upper = 0.4}},
      ['where(t:gt(0), t, cmul(t, randLike(t) * (upper - lower) + lower))'] =
        {'rrelu', {-0.9, -0.15, 0, 0.25, 5, 7}, {lower = 0.3, upper = 0.3}},
      ['cmax(cmul(y, u - t) + margin, 0):mean()'] =
        {'margin_ranking_loss', {1.625}, {y = signs, u = u, margin = 0.5}},
      ['where(y:eq(1), t, cmax(margin - t, 0)):mean()'] =
        {'hinge_embedding_loss', {-0.0416666667}, {y = signs, margin = 2}},
      ['add(log(v), cdiv(pow(t - y, 2), v)):mean() / 2'] =
        {'gaussian_nll_loss', {3.39016214}, {y = u, v = tensor.Tensor{0.5, 1, 2, 0.25, 3, 4}}},
      ['csub(exp(t), cmul(y, t)):mean()'] = {'poisson_nll_loss', {200.01861}, {y = u}},
      ['softplus(neg(cmul(y, t))):mean()'] = {'soft_margin_loss', {2.79989629}, {y = signs}},
      ['add(cmax(t - t:gather(2, y) + margin, 0):sum(2), -margin):mean() / t:size(2)'] =
        {'multi_margin_loss', {0.65}, {t = m, y = tensor.LongTensor{{3}, {1}}, margin = 0.8}},
      ['t:view(n, c, r, r, h, w):permute(1, 2, 5, 3, 6, 4):reshape(n, c, h * r, w * r)'] =
        {'pixel_shuffle', {0, 2, 4, 6, 1, 3, 5, 7}, {t = eight, n = 1, c = 1, r = 2, h = 2, w = 1}},
      ['t:view(n, c, h, r, w, r):permute(1, 2, 4, 6, 3, 5):reshape(n, c * r * r, h, w)'] =
        {'pixel_unshuffle', {0, 2, 1, 3, 4, 6, 5, 7},
         {t = eight, n = 1, c = 1, r = 2, h = 1, w = 2}},
      ['pow(avgPool2d(pow(t, p), size) * size ^ 2, 1 / p)'] =
        {'lp_pool2d', {6.4807407, 9.89949494}, {t = eight:view(1, 1, 2, 4), p = 2, size = 2}},
      ['pow(avgPool1d(pow(t, p), size) * size, 1 / p)'] =
        {'lp_pool1d', {1, 3.27106631, 5.73879355, 8.23766138},
         {t = eight:view(1, 1, 8), p = 3, size = 2}},
      ['t:view(n, groups, -1, h, w):transpose(2, 3):reshape(n, c, h, w)'] =
        {'channel_shuffle', {0, 4, 1, 5, 2, 6, 3, 7},
         {t = eight, n = 1, groups = 2, c = 8, h = 1, w = 1}},
      ['embedding(w, i):mean(2, false)'] =
        {'embedding_bag', {0.75, 2.75, 2, -1}, {w = m:t(), i = tensor.LongTensor{{1, 3}, {2, 2}}}},
    } do
      local name, expected = case[1], tensor.DoubleTensor(case[2])
      assert.matches(code, suggestions.of(name, tables), 1, true)
      local environment = setmetatable({t = t, alpha = 2}, {__index = tensor})
      for key, value in pairs(case[3] or {}) do environment[key] = value end
      local result = assert(versions.load('return ' .. code, '=hint', environment))()
      result = tensor.isTensor(result) and result or tensor.Tensor{result}
      result = result:reshape(result:nElement())
      assert.is_true(result:allclose(expected, 1e-6, 1e-7), name)
    end
    for name, sizes in pairs{dropout1d = {4}, dropout2d = {2, 2}, dropout3d = {2, 1, 2}} do
      local code = suggestions.of(name, tables):match 'use (.-), which drops channels'
      local environment = setmetatable({t = tensor.ones(8, 8, versions.unpack(sizes)), p = 0.5},
                                       {__index = tensor})
      local channels = assert(versions.load('return ' .. code, '=hint', environment))():view(64, 4)
      assert.is_true(channels:eq(channels[{{}, {1}}]:expandAs(channels)):all())
      assert.are.same({0, 2}, tensor.uniqueValues(channels):totable())
    end
  end)

  it('of layers, optimizers and schedules are answered with ours', function()
    local optim = require 'tensor.optim'
    for text, read in pairs {
      ['use a table of layers among the children of nn.layer'] =
        function() return require 'tensor.nn'.ModuleDict end,
      ['use clipNorm(gradients, limit)'] = function() return optim.clip_grad_norm_ end,
      ['optim.schedule has some, such as schedule.step'] = function() return optim.StepLR end,
      ['multiply a variable by a factor'] =
        function() return optim.schedule.ReduceLROnPlateau end,
      ['it is not included; doc/from-pytorch.md lists the optimizers'] =
        function() return optim.Rprop end,
      ['did you mean nadam?'] = function() return optim.NAdam end,
      ["use kaiming('uniform')"] =
        function() return require 'tensor.nn'.initializer.kaiming_uniform_ end,
      ["tensor.pad(x, widths, mode)"] = function() return require 'tensor.nn'.ReflectionPad2d end,
      ['it is not included; doc/from-pytorch.md lists what'] =
        function() return require 'tensor.nn'.CTCLoss end,
      ['use multiStep(rate, ends, factor)'] = function() return optim.schedule.MultiStepLR end,
      ['optim.schedule has some, such as'] =
        function() return optim.CosineAnnealingWarmRestarts end,
    } do
      local fine, message = pcall(read)
      assert.is_false(fine)
      assert.matches(text, message, 1, true)
    end
  end)

  it('of functions are answered for their classes, unless a layer has the name', function()
    local layers = {require 'tensor.nn'}
    for name, hint in pairs {
      BCELoss = 'binaryCrossEntropy of logits; of probabilities', L1Loss = 'abs(t - u):mean()',
      Hardtanh = 'clamp(t, -1, 1)', KLDivLoss = 'cmul(q, log(q)', LogSigmoid = 'neg(softplus(',
    } do
      assert.matches(('instead of %s, use %s'):format(name, hint), suggestions.of(name, layers), 1,
                     true)
    end
    assert.are.equal('did you mean linear?', suggestions.of('Linear', layers))
    assert.matches('sigmoid$', suggestions.of('expit', tables))
    assert.matches('lgamma$', suggestions.of('gammaln', tables))
    assert.matches("load 'file.png'", suggestions.of('imread', tables), 1, true)
  end)
end)

-- Returns what a session writes to stderr.
local function errors_of(...)
  local lines, errors = {...}, {}
  loop.run {
    read = function() return table.remove(lines, 1) end,
    write = function() end,
    write_error = function(...) errors[#errors + 1] = table.concat {...} end,
    environment = setmetatable({tensor = tensor}, {__index = _G}),
  }
  return table.concat(errors)
end

describe('the syntax of Python', function()
  it('is answered with that of Lua', function()
    for code, hint in pairs {
      ['a[1, 2]'] = 't[{1, 2}] is an element', ['a[i + 1, 2] = 3'] = 't[{1, 2}] is an element',
      ['a[1:3]'] = 't[{{2, 4}}]', ['a[:, 1]'] = 't[{{2, 4}}]', ['a[1:, ::2]'] = 't[{{2, 4}}]',
      ['a ** 2'] = '** is written ^', ['x += 1'] = 'x += y is x = x + y',
      ['a != b'] = '!= is written ~=', ['import numpy as np'] = 'loaded by require',
      ['from tensor import nn'] = 'loaded by require', ['help sort'] = 'help is called with',
      ['def f(x): return x'] = 'blocks are for',
      ['for x in y:'] = 'blocks are for', ['if x > 0:'] = 'blocks are for',
      ['tensor.Tensor([1,2,3])'] = 'lists are tables', ['[1, 2, 3]'] = 'lists are tables',
      ['x = [1, 2]'] = 'lists are tables', ['return [1]'] = 'lists are tables',
      ['tensor.Tensor([[1,2],[3,4]])'] = 'tensor.Tensor{1, 2, 3} makes',
      ["x = {'a': 1}"] = '{a = 1, b = 2}', ['tensor.zeros((2,3))'] = 'sizes are separate',
      ['t:sum(dim=1)'] = 'arguments have no names',
      ["tensor.ones(2, 3, dtype='float')"] = 'arguments have no names',
      ['f = lambda x: x + 1'] = 'written function(x)', ['x = 1 if c else 2'] = 'c and 1 or 2',
      ['t is u'] = 'as in x == nil', ['a @ b'] = 'written a * b',
      ['# a comment'] = 'begin with --',
      ["x = 5 # it's five"] = 'begin with --', ['del t'] = 'x = nil removes',
      ["raise ValueError('x')"] = "error 'text'", ['try: pass'] = 'pcall(f)', ['x++'] = 'x = x + 1',
      ['with tensor.no_grad():'] = 'no blocks with objects', ["print f'{t}'"] = 'joined by ..',
      ["print(f'{t}')"] = "use 'loss ' .. x", ['x = None'] = 'None is written nil',
      ['True'] = 'True is written true',
    } do
      local errors = errors_of(code)
      assert.matches(hint, errors, 1, true)
    end
    if rawget(_G, 'jit') then
      assert.matches('math.floor(x / y)', errors_of '5 // 2', 1, true)
    end
    assert.are.equal('', errors_of('True = 5', 'True', 'x = {}', 'x.None'))
  end)

  it('is not seen in other code that is wrong', function()
    for _, code in ipairs {'a[b:size(1)] = 1 1', 'a[{1, 2}] = = 3', 'x ==== 1', 'f(a[1], 2', '1 1',
                           "print('a' 'b')", 'a[{{1, 2}}]]', 'print("3 != 4") )',
                           'a, b = 1 2', 'f(function() x = 1 end', 'x = {[1] = 2, [2] = 3} }',
                           'do if a then b = 1 else c = 2 3', 'x = ((1 + 2) * (3 - 4)) 5', '#t t',
                           'f((a), (b)) )', 'f{a = 1, b = 2} )', 'if (a == 1) the b = 1 end',
                           'x = = 1 -- a ** b', 'a[math.max(1, 2)] 1', "print('a += 1') )"} do
      assert.is_nil(errors_of(code):match '\n.', code)
    end
  end)
end)

describe('names that were local to an earlier input', function()
  it('are explained', function()
    local hint = 'x was local to an earlier input: leave out local at the prompt\n'
    assert.are.equal(hint, errors_of('local x = 5', 'x', 'f = {x}'))
    assert.matches("global 'y'.-\ny was local to an", errors_of('local x, y = 5', 'y + 1'))
    assert.matches("'f'.-\nf was local", errors_of('local function f() end', 'f()', 'f()'))
    assert.matches("'x'.-\nx was local", errors_of('local x', 'for i = 1, 2 do x:add(1) end'))
    for _, code in ipairs {'x = 1', 'f = {x = 1}', 'f = {}; f.x = f.x', 'f = "x" -- x',
                           'f = function(x) return x end', 'local x = 1; x = 2'} do
      assert.are.equal('', errors_of('local x = 5', code), code)
    end
  end)

  it('are explained for piped input by the option for scripts', function()
    local command = "printf 'local x = 5\\nprint(x)\\n' | " ..
                    "env -u LUA_PATH -u LUA_CPATH '%s/bin/tensor' %s 2>&1"
    local function output_of(option)
      local pipe = io.popen(command:format(os.getenv 'TENSOR_PREFIX', option))
      local text = pipe:read '*a'
      pipe:close()
      return text
    end
    assert.are.equal('nil\nx was local to an earlier input: tensor - < file runs all lines as ' ..
                     'one script, with its locals\n', output_of '')
    assert.are.equal('5\n', output_of '-')
  end)
end)

describe('comparisons that Lua accepts', function()
  local t = 't, u, n, list = tensor.ones(2), tensor.ones(2), 1, {}'

  it('are explained where a tensor is a condition', function()
    for _, code in ipairs {
      'while t:gt(5) do break end', 'x = not t:gt(5)', 'x = t:gt(5) and 1 or 2', 'assert(t:eq(5))',
      'if t:gt(5) and t:lt(9) then x = 1 end', 'if n == 1 and t[{{1}}]:lt(9) then x = 1 end',
      'if n == 2 then x = 1 elseif (t:le(3)) then x = 2 end', 'repeat until t:ge(0)',
    } do
      assert.matches('^every tensor is true in a condition', errors_of(t, code), nil, code)
    end
    for _, code in ipairs {
      'x = t:gt(5)', 'x = x or t:gt(5)', 'x = n == 1 and t:gt(5) or t:lt(5)',
      'x = assert(t:eq(1):all())',
      'while t:gt(5):any() do end', 'x = not t:gt(5):all()', 'x = t:gt(5):any() and 1 or 2',
      'x = "not t:gt(5)" -- if t:gt(5) then',
    } do
      assert.are.equal('', errors_of(t, code), code)
    end
  end)

  it('are explained where == compares a tensor', function()
    for _, code in ipairs {'t == 1', 't == n', '1 == t', 't == tensor.ones(2)', 'x = u:neg() ~= t',
                           't == u:size(1)'} do
      assert.matches('^== is true for the same object only', errors_of(t, code), nil, code)
    end
    for _, code in ipairs {'t == nil', 't[1] == 1', '1 == t[1]', 't:size(1) == 2', '2 == t:size(1)',
                           'list.t == 1', 't:dim() == u:dim()', '"t == 1"', '#t == 1',
                           't == list[1]'} do
      assert.are.equal('', errors_of(t, code), code)
    end
  end)
end)

describe('calls of layers and optimizers as in PyTorch', function()
  local nn, optim = require 'tensor.nn', require 'tensor.optim'
  -- Lua 5.1 does not know the number of parameters of a function.
  local knows_counts = debug.getinfo(1, 'u').nparams ~= nil
  local params = {tensor.ones(2)}
  local df = tensor.grad(function(p) return p[1]:sum() end)

  it('are errors that name the options or the arguments', function()
    for message, f in pairs {
      ['nn.conv2d: a table of options is expected, got a number; the options are bias, dilation,'] =
        function() nn.conv2d(1, 8, 3, 1) end,
      ['nn.linear: a table of options is expected, got a boolean; the options are bias, init'] =
        function() nn.linear(3, 2, false) end,
      [knows_counts and 'nn.conv2d: too many arguments' or 'nn.conv2d: a table of options'] =
        function() nn.conv2d(1, 8, 3, 1, 1) end,
      ['optim.adam: the options are the only argument: step = optim.adam{rate = ...}'] =
        function() optim.adam(params, {rate = 0.1}) end,
      ['optim.sgd: params: a table of gradients is expected, got a number; the arguments'] =
        function() optim.sgd{rate = 0.1}(df(params)) end,
      ['grad: option argument must be a number, got a table; tensor.vjp returns the gradients of'] =
        function() tensor.grad(print, {argument = {1, 2}}) end,
      ['optim: a step is called as step(params, gradients)'] =
        function() optim.sgd{rate = 0.1}.step() end,
    } do
      local fine, text = pcall(f)
      assert.is_false(fine)
      assert.matches(message, text, 1, true)
    end
  end)

  it('have hints', function()
    local function hint_of(f) return hints.of(select(2, pcall(f)), _G) end
    assert.are.equal('a tensor is expected; nn.relu is a layer itself, without ()',
                     hint_of(function() nn.relu() end))
    assert.matches('^the options are a table: nn.conv2d%(1, 8, 3, {stride',
                   hints.of('x:1: nn.conv2d: too many arguments: (number, number)', _G))
  end)

  it('have tracebacks without frames of the module', function()
    local errors = errors_of "require 'tensor.nn'.conv2d(1, 8, 3, 1, 1)"
    assert.is_nil(errors:find('extra_arguments', 1, true), errors)
    assert.is_nil(errors:find('refuse', 1, true), errors)
  end)
end)

describe('hints for errors', function()
  it('of PyTorch and Python programs say what to do here', function()
    local env = {tensor = tensor, t = tensor.ones(2, 2), math = math, table = table}
    for code, hint in pairs {
      ['tensor{1, 2}'] = 'tensor.Tensor{1, 2, 3} makes',
      ['tensor.stack{1, 2}'] = 'tensor.Tensor{1, 2, 3} makes',
      ['tensor.random.rand(3)'] = 'tensor.rand, tensor.randn',
      ['tensor.max(1, 2)'] = 'math.max and math.min',
      ["tensor.qr(t, 'reduced')"] = 'qr(t, true) the complete',
      ['tensor.svd(t, false)'] = "svd(t, 'A') has all",
      ['tensor.where(t, 1, 2)'] = 't:ne(0) is the mask',
      ['tensor.Tensor{true, false}'] = 'tensor.ByteTensor{1, 0}',
      ["t:to('float')"] = 't:float() converts',
      ['max(1, 2)'] = 'did you mean tensor.max or math.max?',
      ['tensor.cov(t, tensor.ones(2))'] = 'covWeights(t, weights), or cov(t, counts:long())',
      ['tensor.histogramdd(t, 5)'] = 'the edges tensor.linspace(low, high, n + 1)',
      ['tensor.histogramdd(t, {5, 5})'] = 'the edges tensor.linspace(low, high, n + 1)',
      ['tensor.lfilter()'] = 'doc/where-is.md has it in a few lines',
      ['tensor.normal(0, 1, 5)'] = 'tensor.Tensor(3):normal(...) fills',
      ['tensor.gamma(2, 1, 5)'] = 'tensor.Tensor(3):gamma(...) fills',
      ['tensor.poisson(4, {2, 3})'] = 'tensor.Tensor(3):poisson(...) fills',
      ['zeros(3)'] = 'did you mean tensor.zeros?',
      ['len(t)'] = 't:size(1) that of a tensor',
      ['np.zeros(3)'] = "the module has most of NumPy's names",
      ['enumerate(t)'] = 'for i, x in ipairs(list) do',
    } do
      local f = assert(versions.load(code .. ' return 1', '=code', env))
      local fine, message = pcall(f)
      assert.is_false(fine)
      assert.matches(hint, hints.of(message, env) or message, 1, true)
    end
    for code, text in pairs {
      ["ones(2, 3, 'float')"] = "float is not a tensor class, as 'torch.FloatTensor' is",
      ["zeros({2}, 'float')"] = "float is not a tensor class, as 'torch.FloatTensor' is",
      ['zeros(2, FloatTensor)'] = "a class is given by its name: 'torch.FloatTensor'",
      ["zeros(2, 'torch.Float')"] = 'torch.Float is not a tensor class',
      ['where(ones(2):gt(0), ones(2))'] = 'ByteTensor DoubleTensor DoubleTensor',
    } do
      local fine, message = pcall(versions.load('return ' .. code, '=code', tensor))
      assert.is_false(fine)
      assert.matches(text, message, 1, true)
    end
    assert.is_nil(hints.of("code:1: attempt to call global 'id' (a nil value)", {io = io}))
    local joined, text = pcall(function() return 'shape: ' .. tensor.ones(2):size() end)
    assert.is_false(joined)
    assert.matches('tostring(s) is a storage as text', text, 1, true)
    -- From Lua 5.3 on, tables' functions accept tensors.
    local message = "bad argument #1 to 'insert' (table expected, got userdata)"
    assert.matches('^tensors do not grow', hints.of('code:1: ' .. message, env))
    assert.are.equal('did you mean torch.zeros?',
                     hints.of("code:1: attempt to call global 'zeros' (a nil value)",
                              {torch = tensor}))
  end)

  it('about fields of results name the results', function()
    for field, text in pairs {values = 'values, indices = t:max(1)', S = 'u, s, v =',
                              eigenvalues = 'values, vectors = tensor.eigh(t)'} do
      local fine, message = pcall(function() return tensor.ones(2)[field] end)
      assert.is_false(fine)
      assert.matches(text, message, 1, true)
    end
  end)
end)

describe('a tracked number', function()
  it('has hints for methods of PyTorch, and for tensors of numbers', function()
    local function fails(f, message)
      assert.error_matches(function() tensor.grad(f)(2) end, message, 1, true)
    end
    fails(function(n) return n:detach() end, 'detach: n:item() is the value')
    fails(function(n) n:backward() return n end, 'backward: tensor.grad(f) returns a function')
    fails(function(n) return tensor.stack(n, n):sum() end,
          'is not accepted here; tensor.Tensor{n, m} is a tensor of such numbers')
    fails(function(n) return tensor.stack({n, n}):sum() end,
          'got table: tensor.Tensor{n, m} is a tensor of numbers that depend on the arguments')
  end)
end)

describe('the printed form', function()
  local nn = require 'tensor.nn'
  local show = require 'tensor.repl.show'

  it('of a network lists its layers', function()
    local net = nn.sequential {nn.linear(2, 16), nn.relu, nn.dropout(0.5), print}
    assert.are.equal('nn.sequential{nn.linear(2, 16), nn.relu, nn.dropout(0.5), function}',
                     tostring(net))
    local long = nn.sequential {nn.conv2d(1, 8, {3, 2}), net, nn.layer('mine', {a = nn.gru(2, 3)},
                                                                      print)}
    assert.are.equal([[
nn.sequential{
  nn.conv2d(1, 8, {3, 2}),
  nn.sequential{nn.linear(2, 16), nn.relu, nn.dropout(0.5), function},
  nn.mine{a = nn.gru(2, 3)}
}]], tostring(long))
    assert.are.equal('{nn.sequential{...}}', show.value {long})
  end)

  it('of the module has no internal names, and that of classes names them', function()
    local text = show.value(tensor)
    assert.is_nil(text:find '\n  _')
    assert.matches('  DoubleTensor = <class torch.DoubleTensor>', text, 1, true)
    assert.are.equal('<class torch.DoubleTensor>', show.value(tensor.DoubleTensor))
    assert.are.equal('{}', show.value {})
    if not rawget(math, 'type') then
      assert.are.equal('1234567890123456', show.value(1234567890123456))
      assert.are.equal('{-100000000000000}', show.value {-1e14})
      assert.are.equal('9.007199254741e+15', show.value(2 ^ 53))
    end
    assert.are.equal('{_a = 1}', show.value {_a = 1})
  end)
end)
