-- Names of other libraries for parts that are modules of their own, or that are not included. The
-- text completes "the module has no <name>: ...".

return {
  autograd = 'tensor.grad(f) computes gradients; doc/gradients.md',
  backward = 'tensor.grad(f) returns the function that computes gradients; doc/gradients.md',
  complex = 'there are no complex types; eig returns real and imaginary parts as columns',
  cuda = "t:to 'gpu' copies to a GPU; require 'cutorch' has Torch7's names; doc/gpu.md",
  cudnn = 'it is not included; doc/gpu.md lists what runs on a GPU',
  dataframe = "load('table.csv', {columns = true}) reads a table of columns; describe, " ..
              'factorize and bincount summarize it; doc/csv.md',
  dataloader = "require 'tensor.data' has batches; doc/training.md",
  dataset = "require 'tensor.data' has batches; doc/training.md",
  jit = 'tensor.compile(f) records and fuses operations; doc/fuse.md',
  matplotlib = 'tensor.plot draws figures; doc/plotting.md',
  no_grad = 'only functions that tensor.grad calls are recorded',
  nn = "require 'tensor.nn' has layers and losses; doc/training.md",
  onnx = 'ONNX is not included; .safetensors, .npz and .t7 files exchange parameters; doc/files.md',
  optim = "require 'tensor.optim' has optimizers; doc/training.md",
  pandas = "load('table.csv', {columns = true}) reads a table of columns; doc/csv.md",
  pickle = 'tensor.save and tensor.load keep objects in files; doc/files.md',
  plt = 'tensor.plot draws figures; doc/plotting.md',
  pyplot = 'tensor.plot draws figures; doc/plotting.md',
  requires_grad = 'tensor.grad(f) computes gradients of any function; doc/gradients.md',
  sparse = 'there are no sparse tensors; index, scatterAdd and bincount work on index tensors',
  torchvision = 'tensor.image scales and crops, and load reads PNG and JPEG; doc/images.md',
  transformers = "require 'tensor.nn' has attention and a transformer block; doc/training.md",
  utils = "require 'tensor.data' has batches, require 'tensor.training' checkpoints; " ..
          'doc/training.md',
  variable = 'tensors need no wrapper: tensor.grad(f) computes gradients; doc/gradients.md',
}
