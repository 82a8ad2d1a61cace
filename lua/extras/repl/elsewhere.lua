-- Names of NumPy and PyTorch that differ from ours, and our equivalents.

local DIVIDE = 't / u (cdiv truncates the quotients of integers)'
local OWN = ', which writes into t'
local ROUND = 'round, which rounds halves away from 0'
local TEXT = "load 'file.csv', or load('file', {format = 'csv', separator = ' ', " ..
             "comment = '#'}) for columns between blanks"
local NOT = 'bitnot, or logicalNot for masks'
local COSINE = 'cdiv(cmul(a, b):sum(2), cmul(a:norm(2, 2), b:norm(2, 2)))'
local RANKS = 'add(searchsorted(s, t), searchsorted(s, t, true) - 1) / 2, for s = sort(t)'
local BCE = 'binaryCrossEntropy of logits; of probabilities p and targets y, ' ..
            'neg(xlogy(y, p) + xlogy(1 - y, 1 - p)):mean()'

-- dims: the number of dimensions of a channel.
local function drop_channels(dims)
  return ('cmul(t, dropout(onesLike(t[{{}, {}%s}]), p)), which drops channels; dropout drops ' ..
          'elements'):format((', {1}'):rep(dims))
end

return {
  absolute = 'abs', amax = 'max', amin = 'min',
  append = 'cat(t, u), where u is Tensor{x} for a number x', arccos = 'acos', arcsin = 'asin',
  arctan = 'atan', arctan2 = 'atan2', array = 'Tensor{...}', array_equal = 'equal',
  as_tensor = 'Tensor{...}', asarray = 'Tensor{...}',
  astype = "type 'torch.FloatTensor'",
  average = 'mean, or cmul(t, w):sum() / w:sum() with weights', bitwise_and = 'cbitand',
  bitwise_or = 'cbitor', bitwise_xor = 'cbitxor', bool = 'ne(0)', broadcast_to = 'expand',
  clip = 'clamp', concat = 'cat', concatenate = 'cat', cpu = "to 'cpu'",
  digitize = 'searchsorted(bins, t, true) - 1',
  divide = DIVIDE, dtype = 'type()', empty = 'Tensor(sizes)', expand_dims = 'unsqueeze',
  fabs = 'abs', fliplr = 'flip(t, 2)', flipud = 'flip(t, 1)', float16 = 'HalfTensor',
  float32 = 'FloatTensor',
  float64 = 'DoubleTensor', from_numpy = "load 'file.npy'", greater = 'gt', greater_equal = 'ge',
  identity = 'eye', index_select = 'index', indexSelect = 'index', int32 = 'IntTensor',
  int64 = 'LongTensor', inv = 'inverse', itemsize = 'elementSize()', less = 'lt', less_equal = 'le',
  logical_and = 'logicalAnd', logical_not = 'logicalNot', logical_or = 'logicalOr',
  logical_xor = 'logicalXor', arccosh = 'acosh', arcsinh = 'asinh', arctanh = 'atanh',
  array_split = 'tensorSplit', atleast_1d = 'atleast1d', atleast_2d = 'atleast2d',
  atleast_3d = 'atleast3d', bitwise_not = NOT, block_diag = 'blockDiag',
  broadcast_arrays = 'broadcastTensors', broadcast_tensors = 'broadcastTensors',
  cartesian_prod = 'cartesianProd', column_stack = 'columnStack', count_nonzero = 'countNonzero',
  diag_embed = 'diagEmbed', floor_divide = 'floorDivide', gradient = 'slope',
  intersect1d = 'intersect', invert = NOT,
  matrix_exp = 'matrixExp', matrix_norm = 'matrixNorm', matrix_power = 'matrixPower',
  ravel_multi_index = 'ravelMultiIndex',
  repeat_interleave = 'repeatInterleave', setdiff1d = 'setDifference',
  tensor_split = 'tensorSplit', trapz = 'trapezoid',
  tril_indices = 'trilIndices', triu_indices = 'triuIndices', union1d = 'union',
  unique_all = 'uniqueAll', unique_counts = 'uniqueCounts', unique_inverse = 'uniqueInverse',
  unique_values = 'uniqueValues',
  setxor1d = 'union and setDifference',
  unique_consecutive = 'uniqueConsecutive', unravel_index = 'unravelIndex',
  masked_select = 't[mask]', maximum = 'cmax', minimum = 'cmin', moveaxis = 'movedim',
  multiply = 'cmul', nbytes = 'nElement() * t:elementSize()', ndim = 'dim()', ndimension = 'dim()',
  negative = 'neg', newaxis = 'unsqueeze', not_equal = 'ne', numpy = "save('file.npy', t)",
  partition = 'kthvalue', percentile = 'quantile(q / 100)', permutation = 'randperm',
  pinv = 'pinverse',
  power = 'cpow', put = 'indexPut', ravel = 'flatten', reciprocal = 'cinv', rint = ROUND,
  savetxt = "save('file.csv', t)", savez = "save('file.npz', {name = t})", shape = 'size()',
  standard_normal = 'randn', subtract = 'csub', swapdims = 'swapaxes', T = 't()', take = 'index',
  take_along_axis = 'takeAlongDim', tensor = 'Tensor{...}', tolist = 'totable()',
  true_divide = DIVIDE, uint8 = 'ByteTensor',
  aminmax = 'min and max', argwhere = 'nonzero', bar = 'plot.bars', bars = 'plot.bars',
  bucketize = 'searchsorted(edges, t)',
  can_cast = 'canCast', cholesky_inverse = "potri(L, 'L')",
  cholesky_solve = "potrs(b, L, 'L')",
  cumulative_prod = 'cumprod',
  cumulative_sum = 'cumsum', cumulative_trapezoid = 'cumulativeTrapezoid', degrees = 'rad2deg',
  divmod = 'floorDivide and remainder', fix = 'trunc', flatnonzero = 'flatten():nonzero():view(-1)',
  float_power = 'pow(t:double(), p)', hist = 'plot.histogram', imshow = 'plot.heatmap',
  inner = 'dot of vectors, a * b:t() of matrices',
  isneginf = 'eq(-1 / 0)', isposinf = 'eq(1 / 0)',
  manual_seed = 'manualSeed', matrix_rank = 'matrixRank', matrix_transpose = 'matrixTranspose',
  modf = 'trunc and frac', msort = 'sort(1)', mT = 'matrixTranspose()', nan_to_num = 'nanToNum',
  narrow_copy = 'narrow(...):clone()', ones_like = 'onesLike', permute_dims = 'permute',
  positive = 'clone', ptp = 'max() - min()', radians = 'deg2rad', rand_like = 'randLike',
  randn_like = 'randnLike', result_type = 'resultType', row_stack = 'vstack',
  savefig = "plot's figure:save(filename)", select_scatter = 't[{...}] = x',
  sgn = 'sign', slice_scatter = 't[{...}] = x', std_mean = 'std and mean', subplots = 'plot.grid',
  triangular_solve = 'trtrs', unstack = 'unbind', var_mean = 'var and mean', vdot = 'dot',
  angle = 'complexAngle', around = ROUND, conj = 'complexConj',
  imag = "select(-1, 2) of a complex tensor",
  blackman = 'blackmanWindow(n, false)', hamming = 'hammingWindow(n, false)',
  hanning = 'hannWindow(n, false)', kaiser = 'kaiserWindow(n, beta, false)',
  bartlett = 'bartlettWindow(n, false)',
  left_shift = 'lshift', right_shift = 'rshift',
  ediff1d = 'diff(flatten(t))', insert = 'cat', matvec = 'mv',
  nanargmax = 'argmax(nanToNum(t, -1 / 0))', nanargmin = 'argmin(nanToNum(t, 1 / 0))',
  nanpercentile = 'nanquantile(q / 100)',
  piecewise = 'where', rollaxis = 'movedim', vector_norm = 'norm',
  bitwise_left_shift = 'lshift', bitwise_right_shift = 'rshift', bitwise_invert = NOT,
  choice = 'index(1, randint(1, n + 1, count)), or index(1, randperm(n)[{{1, count}}]) for ' ..
           'different elements; ' ..
           'multinomial takes probabilities',
  shuffle = 'index(1, randperm(n))',
  diagflat = 'diag(flatten(t))', extract = 't[mask]', fill_diagonal = 't:diagonal():fill(x)',
  genfromtxt = TEXT, loadtxt = TEXT, get_device = 'device()',
  new_zeros = 'zerosLike', pairwise_distance = 'norm(a - b, 2, -1, false)',
  promote_types = 'resultType', put_along_axis = 'scatter', putmask = 't[mask] = x',
  split_with_sizes = 'split(t, {2, 3}), with the sizes', data_ptr = 'data()',
  zeros_like = 'zerosLike', full_like = 'fullLike', empty_like = 'emptyLike',

  -- Methods of PyTorch that return a copy.
  index_add = 'indexAdd' .. OWN, index_copy = 'indexCopy' .. OWN,
  index_fill = 'indexFill' .. OWN, index_put = 'indexPut' .. OWN,
  index_reduce = 'indexReduce' .. OWN, masked_fill = 'maskedFill' .. OWN,
  scatter_add = 'scatterAdd' .. OWN, scatter_reduce = 'scatterReduce' .. OWN,

  -- Methods of PyTorch that work in place; ours return masks and copies.
  bool_ = 'copy(t:ne(0))', clamp_max_ = 'clampMax(upper)', clamp_min_ = 'clamp(lower)',
  divide_ = 'cdiv(u)', true_divide_ = 'cdiv(u)',
  leaky_relu_ = 'leakyRelu()',
  greater_ = 'copy(t:gt(u))', greater_equal_ = 'copy(t:ge(u))', less_ = 'copy(t:lt(u))',
  less_equal_ = 'copy(t:le(u))', not_equal_ = 'copy(t:ne(u))', eq_ = 'copy(t:eq(u))',
  ge_ = 'copy(t:ge(u))', gt_ = 'copy(t:gt(u))', le_ = 'copy(t:le(u))', lt_ = 'copy(t:lt(u))',
  ne_ = 'copy(t:ne(u))', logical_and_ = 'copy(t:logicalAnd(u))',
  logical_not_ = 'copy(t:logicalNot())', logical_or_ = 'copy(t:logicalOr(u))',
  logical_xor_ = 'copy(t:logicalXor(u))', masked_scatter_ = 'copy(t:maskedScatter(mask, u))',

  -- Losses and activations of PyTorch.
  cosine_embedding_loss = 'where(y:eq(1), 1 - c, cmax(c - margin, 0)):mean(), for c = ' .. COSINE ..
                          ' and y of n x 1',
  cosine_similarity = COSINE,
  kl_div = 'cmul(q, log(q) - logp):sum() or :mean()', l1_loss = 'abs(t - u):mean()',
  binary_cross_entropy = BCE, BCELoss = BCE,
  bilinear = "einsum('ni,kij,nj->nk', x, w, y) + b",
  celu = 'elu(t / alpha) * alpha',
  dropout1d = drop_channels(1), dropout2d = drop_channels(2), dropout3d = drop_channels(3),
  embedding_bag = 'embedding(w, i):mean(2, false), for indices i of bags x size',
  gaussian_nll_loss = 'add(log(v), cdiv(pow(t - y, 2), v)):mean() / 2, with the variance v',
  channel_shuffle = 't:view(n, groups, -1, h, w):transpose(2, 3):reshape(n, c, h, w)',
  glu = 'cmul(a, sigmoid(b)), for the halves a and b of t',
  hardshrink = 'where(abs(t):gt(0.5), t, 0)', hardsigmoid = 'clamp(t + 3, 0, 6) / 6',
  hardtanh = 'clamp(t, -1, 1)',
  hinge_embedding_loss = 'where(y:eq(1), t, cmax(margin - t, 0)):mean()',
  leaky_relu = 'leakyRelu', logsigmoid = 'neg(softplus(neg(t)))',
  lp_pool1d = 'pow(avgPool1d(pow(t, p), size) * size, 1 / p)',
  lp_pool2d = 'pow(avgPool2d(pow(t, p), size) * size ^ 2, 1 / p)',
  lp_pool3d = 'pow(avgPool3d(pow(t, p), size) * size ^ 3, 1 / p)',
  margin_ranking_loss = 'cmax(cmul(y, u - t) + margin, 0):mean()',
  mish = 'cmul(t, tanh(softplus(t)))',
  multi_margin_loss = 'add(cmax(t - t:gather(2, y) + margin, 0):sum(2), -margin):mean() / ' ..
                      't:size(2), for y of n x 1',
  multilabel_soft_margin_loss = 'binaryCrossEntropy',
  pixel_shuffle =
    't:view(n, c, r, r, h, w):permute(1, 2, 5, 3, 6, 4):reshape(n, c, h * r, w * r)',
  pixel_unshuffle =
    't:view(n, c, h, r, w, r):permute(1, 2, 4, 6, 3, 5):reshape(n, c * r * r, h, w)',
  poisson_nll_loss = 'csub(exp(t), cmul(y, t)):mean()',
  prelu = 'where(t:gt(0), t, cmul(t, w)), where w is a parameter',
  relu6 = 'clamp(t, 0, 6)', selu = 'elu(t, 1.6732632423543772) * 1.0507009873554805',
  rrelu = 'where(t:gt(0), t, cmul(t, randLike(t) * (upper - lower) + lower)); after training, ' ..
          'leakyRelu(t, (lower + upper) / 2)',
  soft_margin_loss = 'softplus(neg(cmul(y, t))):mean()',
  softmin = 'softmax(neg(t), dim)', softshrink = 't - clamp(t, -0.5, 0.5)',
  softsign = 'cdiv(t, abs(t) + 1)', tanhshrink = 't - tanh(t)',
  threshold = 'where(t:gt(threshold), t, value)',
  triplet_margin_loss =
    'cmax(norm(a - p + 1e-6, 2, 2) - norm(a - n + 1e-6, 2, 2) + margin, 0):mean()',
  triplet_margin_with_distance_loss = 'cmax(d(a, p) - d(a, n) + margin, 0):mean()',
  upsample_bilinear = "interpolate(t, sizes, 'bilinear', true)", upsample_nearest = 'upsample',
  mse_loss = 'mse', nll_loss = 'nll', normalize = 'cdiv(t, cmax(t:norm(2, 2), 1e-12))',
  smooth_l1_loss = 'huber(t, u, beta) / beta',

  -- Names that are similar to others of ours.
  clamp_min = 'clamp(t, lower)', dequantize = 'dequantizeRows', eigvals = 'eig',
  geomspace = 'logspace(math.log10(a), math.log10(b), n)', int8 = 'CharTensor',
  int16 = 'ShortTensor', randint_like = 'randint(low, high, t:size())',

  -- Names of SciPy, of pandas and of NumPy's modules.
  compress = 't[mask]',
  correlate = "fftConvolve(a, b:flip(1), 'valid'), for vectors; SciPy's default mode is 'full'",
  expit = 'sigmoid', factorial = 'exp(lgamma(n + 1)), for a DoubleTensor n', gammaln = 'lgamma',
  imread = "load 'file.png', a FloatTensor of channels x height x width",
  cumtrapz = 'cumulativeTrapezoid',
  dct = 'matmul(t, cos(outer(arange(n) + 0.5, arange(n)) * (math.pi / n))) * 2, for type 2',
  distance_matrix = 'cdist', histogram2d = 'histogramdd(stack({x, y}, 2), {edgesOfX, edgesOfY})',
  find_peaks = 'nonzero(diff(sign(diff(t))):eq(-2)) + 1, without plateaus',
  toeplitz = 'flip(cat(flip(c), r[{{2, -1}}]):unfold(1, n, 1), 1), for a row r of n elements',
  vander = 'cpow(x:view(-1, 1), range(n - 1, 0, -1))',
  linregress = 'lstsq(stack({x, x ^ 0}, 2), y), which returns the slope and the intercept first',
  delete = 'index(1, setDifference(range(1, n):long(), indices))', expm = 'matrixExp',
  indices = 'meshgrid(range(1, m), range(1, n))',
  median_filter = "pad(t, {1, 1}, 'symmetric'):unfold(1, 3, 1):median(2, false), for size 3",
  mgrid = 'meshgrid', multi_dot = 'matmul(matmul(a, b), c) or a * b * c',
  multivariate_normal = "randn(count, n) * potrf(cov, 'L'):t() + mean",
  ndtr = 'erfc(t * -math.sqrt(0.5)) / 2', ndtri = 'erfinv(t * 2 - 1) * math.sqrt(2)',
  ogrid = 'meshgrid', orth = 'qr for independent columns, or U of svd',
  pdist = 'cdist(t, t)[triu(ones(n, n), 1):byte()]',
  polyval = 'matmul(stack({x ^ 0, x, x ^ 2}, 2), c), for degree 2, with the constant first',
  rankdata = RANKS,
  roots = 'eig(cat(c[{{2, -1}}]:view(1, -1) / -c[1], eye(n - 1, n), 1)), for degree n, with the ' ..
          'constant last: rows of real and imaginary parts',
  spearmanr = 'corrcoef(vstack{ranks of x, ranks of y})[1][2], with the ranks of t ' .. RANKS,
  solve_triangular = 'trtrs(b, a)',

  as_strided = 't.new(t:storage(), offset, sizes, strides), or unfold for windows',
  convolve = "fftConvolve(a, b), or conv2(a:view(1, -1), b:view(1, -1), 'F'):view(-1), which is " ..
             'faster if b is short',
  fromfunction = 'meshgrid(range(0, m - 1), range(0, n - 1)) for the arguments of the function',
  in1d = 'isin(flatten(t), values)', ix_ = 'index(1, rows):index(2, columns)',
  lu_factor = 'lu, which returns P, L and U',
  pearsonr = 'corrcoef(vstack{x, y})[1][2]',
  reduceat = 'diff(cumsum(t, 1, true):index(1, bounds)), for sums; the last bound is n + 1',
  resample = 'interp(positions, points, t), which is linear',
  rolling = 'unfold(1, size, 1):mean(2, false), for means',
  sliding_window_view = 'unfold(dim, size, 1)',
  value_counts = 'uniqueCounts, or factorize and bincount for strings',
  vectorize = 'clone():apply(f), or clone():map(u, f) with two tensors',
  zscore = 'cdiv(t - t:mean(1), t:std(1, true))',

  default_rng = 'manualSeed(seed) or Generator()', groupby = 'factorize and bincount',
  polyfit = 'lstsq(stack({x ^ 0, x, x ^ 2}, 2), y), for degree 2, with the constant first',
  random_sample = 'rand',
  read_csv = "load('table.csv', {columns = true})", to_csv = "save('table.csv', columns)",
  sample = 'index(1, randperm(n)[{{1, count}}])',

  -- Names of matplotlib.
  axhline = 'plot.hline', axvline = 'plot.vline',
  barh = 'plot.bars, which draws vertical bars', colorbar = 'plot.heatmap, which has one',
  contourf = 'plot.heatmap, and plot.contour on top of it',
  errorbar = 'plot.line or plot.scatter with the option errors', fill_between = 'plot.band',
  loglog = "plot.line(x, y, {xscale = 'log', yscale = 'log'})", matshow = 'plot.heatmap',
  pcolormesh = 'plot.heatmap', semilogx = "plot.line(x, y, {xscale = 'log'})",
  semilogy = "plot.line(x, y, {yscale = 'log'})", subplot = 'plot.grid',

  -- Random numbers of NumPy.
  chisquare = 'Tensor(n):chi2(df)', standard_gamma = 'Tensor(n):gamma(shape)',
  rayleigh = 'sqrt(Tensor(n):exponential(0.5)) * scale',
  weibull = 'pow(Tensor(n):exponential(1), 1 / a)',
  gumbel = 'neg(log(neg(log(rand(n)))))',
  standard_t = 'cdiv(randn(n), sqrt(Tensor(n):chi2(df) / df))',

  -- More names of NumPy.
  ascontiguousarray = 'contiguous()', block = 'vstack{hstack{a, b}, hstack{c, d}}',
  conjugate = 'complexConj', convolve2d = "conv2, or fftConvolve(t, k, 'same')",
  diag_indices = 'diagonal(), which is a view',
  histogram_bin_edges = 'histogram(t, n), which returns the edges as its second result',
  len = 'size(1)', matrix = 'Tensor{{...}}', memmap = "load('file.npy', {map = true})",
  savez_compressed = "save('file.npz', {name = t}, {compress = true})",

  -- More names of PyTorch.
  binary_cross_entropy_with_logits = 'binaryCrossEntropy',
  chain_matmul = 'matmul(matmul(a, b), c) or a * b * c', frobenius_norm = 'norm',
  get_default_dtype = 'getdefaulttensortype()',
  gumbel_softmax = 'softmax((t - log(neg(log(randLike(t))))) / tau, -1)',
  hardswish = 'cmul(t, clamp(t + 3, 0, 6)) / 6', huber_loss = 'huber',
  instance_norm = 'groupNorm(t, t:size(2))', inv_ex = 'inverse',
  linear = 'addmm(b, t, w:t())', new_full = 't.new(sizes):fill(x)',
  new_ones = 't.new(sizes):fill(1)', new_tensor = 't.new{...}', scalar_tensor = 'Tensor{x}',
  scaled_dot_product_attention = 'attention',
  set_default_dtype = "setdefaulttensortype 'torch.FloatTensor'",
}
