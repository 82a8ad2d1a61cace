-- Names of other libraries for parts that are modules of their own, that are not included, or that
-- mean something else here. The text completes "the module has no <name>: ...".

local training = 'doc/training.md'
local recorded = 'only functions that tensor.grad calls are recorded; doc/gradients.md'
local short = 'doc/where-is.md has it in a few lines'
local complex = 'complex tensors have a last dimension of size 2; doc/fourier.md'
local missing = 'it is not included; doc/from-pytorch.md lists what replaces other functions'
local pictures = 'tensor.plot draws figures; doc/plotting.md'

local hints = {
  amp = 'HalfTensors and BFloat16Tensors compute in float; doc/speed.md',
  apply_along_axis = 'loop over t:unbind(dim), and stack the results; doc/arranging.md',
  autocast = 'HalfTensors and BFloat16Tensors compute in float; doc/speed.md',
  autograd = 'tensor.grad(f) computes gradients; doc/gradients.md',
  backward = 'tensor.grad(f) returns the function that computes gradients; doc/gradients.md',
  complex64 = complex, complex128 = complex,
  cuda = "t:to 'gpu' copies to a GPU; require 'cutorch' has Torch7's names; doc/gpu.md",
  cudnn = 'it is not included; doc/gpu.md lists what runs on a GPU',
  dataframe = "load('table.csv', {columns = true}) reads a table of columns; describe, " ..
              'factorize and bincount summarize it; doc/csv.md',
  dataloader = "require 'tensor.data' has batches; " .. training,
  dataparallel = "require 'tensor.dist' has gradients of several processes; doc/distributed.md",
  dataset = "require 'tensor.data' has batches; " .. training,
  detach = 'tensor.stopGradient(t) is a copy that counts as constant; doc/gradients.md',
  distributed = "require 'tensor.dist' has allReduce and others; doc/distributed.md",
  distributions = 'normal, gamma, beta, poisson and others draw numbers; doc/random.md',
  einops = 'einsum, view and permute rearrange dimensions; doc/arranging.md',
  enable_grad = recorded,
  excel = "save('table.csv', columns) and load('table.csv') exchange tables; doc/csv.md",
  f = "relu, softmax, crossEntropy, conv2d and others are functions of the module; require " ..
      "'tensor.nn' has layers; " .. training,
  functional = 'relu, softmax, crossEntropy, conv2d and others are functions of the module; ' ..
               "require 'tensor.nn' has layers; " .. training,
  hdf5 = 'HDF5 is not included; .npz and .safetensors files exchange tensors; doc/files.md',
  gaussian_filter = short,
  grad = 'tensor.grad(f) returns the function that computes gradients; doc/gradients.md',
  h5py = 'HDF5 is not included; .npz and .safetensors files exchange tensors; doc/files.md',
  inf = 'math.huge is infinity',
  inference_mode = recorded,
  jit = 'tensor.compile(f) records and fuses operations; doc/fuse.md',
  json = "JSON is not included: require 'cjson' or another package of LuaRocks reads it",
  lfilter = short,
  linalg = 'solve, inverse, svd, qr, eigh and others are functions of the module; ' ..
           'doc/linear-algebra.md',
  lr_scheduler = "require 'tensor.optim' has schedule; " .. training,
  matplotlib = pictures,
  module = "require 'tensor.nn' has layers, which are functions of their parameters; " .. training,
  multiprocessing = 'tensors can be passed between threads; doc/threads.md',
  nan = '0 / 0 is NaN',
  nn = "require 'tensor.nn' has layers and losses; " .. training,
  no_grad = recorded,
  np = "the module has most of NumPy's names; doc/from-numpy.md",
  onnx = 'ONNX is not included; .safetensors, .npz and .t7 files exchange parameters; doc/files.md',
  optim = "require 'tensor.optim' has optimizers; " .. training,
  pandas = "load('table.csv', {columns = true}) reads a table of columns; doc/csv.md",
  parquet = "Parquet is not included; load('table.csv', {columns = true}) reads tables; doc/csv.md",
  pi = 'math.pi is the number',
  pickle = 'tensor.save and tensor.load keep objects in files; doc/files.md',
  plt = pictures,
  profiler = 'tensor.profile(f) prints the time of each operation; doc/performance.md',
  pyplot = pictures,
  real = 'z:select(-1, 1) is the real part of a complex tensor, and t:real() converts to the ' ..
         'default type; doc/fourier.md',
  reducelronplateau = 'multiply a variable by a factor if the loss stops falling, and pass ' ..
                      'it as step(params, gradients, rate); ' .. training,
  require_grad = 'tensor.grad(f) computes gradients of any function; doc/gradients.md',
  requires_grad = 'tensor.grad(f) computes gradients of any function; doc/gradients.md',
  scipy = 'linear algebra, statistics, fft and convolutions are functions of the module; ' ..
          'doc/where-is.md',
  seaborn = pictures,
  set_grad_enabled = recorded,
  show = 'print(figure) shows a figure, and figure:save(name) writes it; doc/plotting.md',
  signal = 'fft, stft, fftConvolve and window functions are functions of the module; ' ..
           'doc/fourier.md',
  sklearn = 'there are no classifiers; doc/tutorial.md trains one, doc/where-is.md lists the parts',
  sparse = 'there are no sparse tensors; index, scatterAdd and bincount work on index tensors',
  special = 'erf, lgamma, digamma, i0 and others are functions of the module; doc/operations.md',
  tensorboard = 'tensor.plot.live draws curves while a program runs; doc/plotting.md',
  torchvision = 'tensor.image scales and crops, and load reads PNG and JPEG; doc/images.md',
  tqdm = "require 'tensor.training' has steps(1, n), which shows progress; " .. training,
  transformers = "require 'tensor.nn' has attention and a transformer block; " .. training,
  utils = "require 'tensor.data' has batches, require 'tensor.training' checkpoints; " .. training,
  variable = 'tensors need no wrapper: tensor.grad(f) computes gradients; doc/gradients.md',
  view_as_complex = complex, view_as_real = complex,
  vmap = 'most functions take batches; stack joins the results of a loop; doc/arranging.md',
  zero_grad = 'each call of the function tensor.grad(f) returns new gradients; doc/gradients.md',
}

-- Functions of PyTorch. The names of their layers are the same without '_'.
for _, name in ipairs {
  'adaptive_log_softmax_with_loss', 'affine_grid', 'alpha_dropout', 'ctc_loss',
  'feature_alpha_dropout', 'fold', 'fractional_max_pool2d', 'fractional_max_pool3d', 'grid_sample',
  'local_response_norm', 'max_unpool1d', 'max_unpool2d', 'max_unpool3d', 'multilabel_margin_loss',
} do
  hints[name], hints[name:gsub('_', '')] = missing, missing
end

return hints
