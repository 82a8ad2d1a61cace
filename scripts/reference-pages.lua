-- The pages of the reference, in order. Used by scripts/make-reference.lua.
-- A page has the name of its file, a title, a sentence about its contents, and groups of entries.
-- A group has a label and `family`, a family of the op table, or `section`, a section of the help
-- texts. `part` selects from the section about files the 'functions', the 'methods' that read or
-- write 'numbers' of one element type, or the other 'methods'.

return {
  { name = 'elementwise', title = 'Element-wise functions of one tensor',
    text = 'These functions compute each element of the result from one element of `t`.',
    { label = 'Functions', family = 'functions of one tensor' } },
  { name = 'arithmetic', title = 'Arithmetic',
    text = 'These functions combine a tensor with a number, or two or three tensors element by ' ..
           'element. Shapes [broadcast](../broadcasting.md).',
    { label = 'Functions', family = 'arithmetic' } },
  { name = 'comparison', title = 'Comparison and logic',
    text = 'The results are 0 and 1, in a ByteTensor or in a given tensor of the type of `t`. ' ..
           'Shapes [broadcast](../broadcasting.md).',
    { label = 'Element-wise', family = 'comparison' },
    { label = 'Whole tensors', family = 'whole tensors' } },
  { name = 'creation', title = 'Creating and filling tensors',
    text = 'These functions create tensors with given values. ' ..
           '[Classes and construction](../reference/classes.md) has the constructors.',
    { label = 'Functions', family = 'filling and creating' } },
  { name = 'views', title = 'Views',
    text = 'The result shares the storage of the source: nothing is copied.',
    { label = 'Functions', family = 'views' } },
  { name = 'arranging', title = 'Joining, repeating and reordering',
    text = 'These functions copy elements into a new order or shape. ' ..
           '[The guide](../arranging.md) explains them.',
    { label = 'Functions', family = 'arranging' } },
  { name = 'reductions', title = 'Reductions',
    text = 'These functions reduce all elements, one dimension or several dimensions.',
    { label = 'Functions', family = 'reductions' } },
  { name = 'statistics', title = 'Cumulative results, counting and statistics',
    text = '[The guide to statistics](../statistics.md) explains some of these functions.',
    { label = 'Functions', family = 'statistics' } },
  { name = 'sorting', title = 'Sorting and searching',
    text = 'Returned indices are LongTensors and count from 1.',
    { label = 'Functions', family = 'sorting and searching' } },
  { name = 'indexing', title = 'Selecting by indices and masks',
    text = 'An index is a LongTensor, a mask is a ByteTensor. [The guide](../indexing.md) ' ..
           'describes the forms `t[i]` and `t[{...}]`.',
    { label = 'Functions', family = 'indices and masks' } },
  { name = 'matrix-products', title = 'Matrix products',
    text = 'These functions compute products of vectors, matrices and batches of matrices. ' ..
           '[tensordot and einsum](../reference/lua-operations.md) sum products over dimensions.',
    { label = 'Functions', family = 'matrix products' } },
  { name = 'lua-operations', title = 'Operations of the Lua module',
    text = 'These functions exist in Lua only. They are composed of operations of the other pages.',
    { label = 'Functions', section = 'operations of the Lua module' } },
  { name = 'linear-algebra', title = 'Linear algebra',
    text = 'These functions solve linear systems and factorize matrices, with LAPACK. ' ..
           '[The guide](../linear-algebra.md) explains them.',
    { label = 'Functions', family = 'linear algebra' } },
  { name = 'convolution', title = 'Convolutions',
    text = 'These functions compute convolutions and cross-correlations of images and volumes. ' ..
           '[The guide](../convolution.md) explains the shapes.',
    { label = 'Functions', family = 'convolutions' } },
  { name = 'fourier', title = 'Fourier transforms',
    text = 'These functions compute Fourier transforms, windows and products of complex ' ..
           'numbers. [The guide](../fourier.md) explains complex tensors, lengths and factors.',
    { label = 'Functions', family = 'Fourier transforms' } },
  { name = 'networks', title = 'Layers and losses of networks',
    text = 'These functions are parts of neural networks. [The guide](../training.md) describes ' ..
           'the layers of `tensor.nn`, which use them.',
    { label = 'Functions', family = 'networks' } },
  { name = 'networks-of-images', title = 'Networks of images',
    text = 'These functions compute convolutions, pools and interpolation of batches of images, ' ..
           'with the parameters of PyTorch. ' ..
           '[The guide](../convolution.md#batches-as-in-networks) explains them.',
    { label = 'Functions', family = 'networks of images' } },
  { name = 'random', title = 'Random numbers',
    text = 'A generator is optional in all of these calls. [The guide](../random.md) describes ' ..
           'generators and seeds.',
    { label = 'Distributions', family = 'random numbers' },
    { label = 'Generators and seeds', section = 'random numbers: state' } },
  { name = 'classes', title = 'Classes and construction',
    text = '`T` stands for any tensor class, `S` for any storage class.',
    { label = 'Tensors, storages and blobs', section = 'classes and construction' },
    { label = 'Lua classes', section = 'Lua classes' },
    { label = 'Torch7 names', section = 'Torch7 names' } },
  { name = 'methods', title = 'Methods: sizes, strides and storages',
    text = 'These methods return or change the shape and the storage of a tensor.',
    { label = 'Methods', section = 'sizes, strides, storages' } },
  { name = 'conversion', title = 'Copies, conversion and tables',
    text = 'These functions copy elements, convert element types, and exchange elements with Lua.',
    { label = 'Functions', section = 'copies, conversion, tables' },
    { label = 'Element types', section = 'element types' } },
  { name = 'gradients', title = 'Gradients',
    text = 'These functions differentiate Lua functions. [The guide](../gradients.md) explains ' ..
           'them. `f` may use all operations that have a derivative.',
    { label = 'Functions', section = 'gradients' } },
  { name = 'devices', title = 'Devices, memory and broadcasting modes',
    text = '[memory.md](../memory.md) and [gpu.md](../gpu.md) explain where elements are stored.',
    { label = 'Devices and memory', section = 'devices and memory' },
    { label = 'Broadcasting modes', section = 'rules and broadcasting modes' } },
  { name = 'environment', title = 'Threads, time, printing and programs',
    text = 'These functions set options of the process and help to write programs.',
    { label = 'Threads, time, printing', section = 'threads, time, printing' },
    { label = 'Programs and tests', section = 'programs and tests' } },
  { name = 'files', title = 'Files and serialization',
    text = '[The guide](../files.md) describes the file formats.',
    { label = 'Functions and classes', section = 'files and serialization', part = 'functions' } },
  { name = 'file-methods', title = 'Methods of files',
    text = 'A file `f` is an object of a [file class](../reference/files.md).',
    { label = 'Methods', section = 'files and serialization', part = 'methods' } },
  { name = 'file-numbers', title = 'Methods of files that read and write numbers',
    text = 'Each element type has a method that reads and a method that writes. A file `f` is ' ..
           'an object of a [file class](../reference/files.md).',
    { label = 'Methods', section = 'files and serialization', part = 'numbers' } },
  { name = 'blobs', title = 'Blobs',
    text = 'A [blob](../blob.md) is a pair of data and gradient, as in Caffe.',
    { label = 'Functions and methods', section = 'blobs' } },
}
