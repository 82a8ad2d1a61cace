-- The help texts of functions and methods that are not in the op table, for tensor.help and the
-- reference. An entry has the name, the signatures (one per line) and the text. T stands for any
-- tensor class, S for any storage class.

return {
   {'classes and construction',
      {'Tensor', [=[
tensor.T()
tensor.T(sizes...)
tensor.T({numbers...})
tensor.T(t)
tensor.T(storage [, offset, sizes [, strides]])
tensor.T(storage, offset, size1, stride1, ...)]=],
         'Creates a tensor of the class, such as `tensor.FloatTensor`, or of the default type. ' ..
         'The arguments give a shape, a nested table of numbers, another tensor to view, or a ' ..
         'storage to view. Without arguments the tensor has no dimensions. Offsets count from 1.'},
      {'Storage', [=[
tensor.S([size])
tensor.S({numbers...})
tensor.S(storage [, offset [, size]])
tensor.S(filename [, shared [, size [, sharedmem]]])
tensor.S(size, memory)]=],
         'Creates a one-dimensional array of elements: of a given size, from a table of ' ..
         'numbers, as a view of another storage, from a memory-mapped file, or in memory of the ' ..
         'FFI, a pointer or an array. That memory must live as long as the storage. After ' ..
         "`require 'torch'` an address is accepted, too."},
      {'Generator', "tensor.Generator([kind])",
         'Creates a random number generator with a state of its own. Its kind is "mt19937", the ' ..
         'generator of Torch7 and the default, or "philox".'},
      {'new', [=[
t.new(...)
storage.new(...)]=],
         'Creates an object of the same class. The arguments are those of its constructor.'},
      {'getdefaulttensortype', 'tensor.getdefaulttensortype()',
         'Returns the name of the default type, the class that `tensor.Tensor` creates.'},
      {'setdefaulttensortype', 'tensor.setdefaulttensortype(name)',
         'Sets the default type: the class that `tensor.Tensor` and functions of numbers alone ' ..
         'create, such as "torch.FloatTensor".'},
   },
   {'sizes, strides, storages',
      {'dim', 't:dim()', 'Returns the number of dimensions.'},
      {'nDimension', 't:nDimension()', 'Returns the number of dimensions.'},
      {'size', [=[
t:size()
t:size(dimension)
storage:size()]=],
         'Returns the shape as a LongStorage, or the size of one dimension as a number. For a ' ..
         'storage, returns the number of elements.'},
      {'stride', [=[
t:stride()
t:stride(dimension)]=],
         'Returns the strides, in elements, as a LongStorage, or the stride of one dimension as ' ..
         'a number.'},
      {'nElement', 't:nElement()', 'Returns the number of elements.'},
      {'numel', [=[
tensor.numel(t)
t:numel()]=], 'Returns the number of elements.'},
      {'storage', 't:storage()', 'Returns the storage that the tensor views, or nil.'},
      {'storageOffset', 't:storageOffset()',
         'Returns the position of the first element in the storage, counted from 1.'},
      {'isContiguous', 't:isContiguous()',
         'Returns true if the elements are stored in the order of the indices without gaps.'},
      {'contiguous', 't:contiguous()',
         'Returns the tensor itself if it is contiguous, otherwise a contiguous copy.'},
      {'isSize', 't:isSize(sizes)', 'Returns true if the shape equals that of a LongStorage.'},
      {'elementSize', [=[
t:elementSize()
storage:elementSize()]=], 'Returns the size of an element in bytes. Classes have it, too.'},
      {'resize', [=[
t:resize(sizes...)
storage:resize(size)]=],
         'Changes the shape. If the storage is too small, it grows; the added elements are 0.'},
      {'resizeAs', 't:resizeAs(u)', 'Changes the shape to that of another tensor, of any type.'},
      {'set', [=[
t:set(u)
t:set(storage [, offset, sizes [, strides]])]=],
         'Changes which storage the tensor views: that of `u`, with its shape, or the given ' ..
         'storage with an offset from 1, sizes and strides. No elements are copied.'},
      {'sub', 't:sub(first, last [, first, last ...])',
         'Returns a view of a range of each dimension, both ends included: `t:sub(1, 2, 3, -1)` ' ..
         'is `t[{{1, 2}, {3, -1}}]`. Negative indices count from the end.'},
   },
   {'copies, conversion, tables',
      {'clone', [=[
tensor.clone(t)
t:clone()]=], 'Returns a contiguous copy with its own storage.'},
      {'copy', [=[
t:copy(u)
storage:copy(other)]=],
         'Copies the elements of another tensor, of any type. Its shape must broadcast to that ' ..
         'of `t`, or both must have the same number of elements.'},
      {'type', [=[
tensor.type(value)
t:type()
t:type(name)]=],
         'Returns the class name of an object, or the type of another Lua value. With a class ' ..
         'name, returns the object converted to that class, or the object itself if it has that ' ..
         'class.'},
      {'typeAs', [=[
t:typeAs(u)
storage:typeAs(other)]=], 'Converts to the class of another object, or of a module of nn.'},
      {'byte', 't:byte()',
         'Converts to a ByteTensor, or a ByteStorage. Returns the object itself if it is one.'},
      {'char', 't:char()',
         'Converts to a CharTensor, or a CharStorage. Returns the object itself if it is one.'},
      {'short', 't:short()',
         'Converts to a ShortTensor, or a ShortStorage. Returns the object itself if it is one.'},
      {'int', 't:int()',
         'Converts to an IntTensor, or an IntStorage. Returns the object itself if it is one.'},
      {'long', 't:long()',
         'Converts to a LongTensor, or a LongStorage. Returns the object itself if it is one.'},
      {'half', 't:half()',
         'Converts to a HalfTensor, or a HalfStorage. Returns the object itself if it is one.'},
      {'bfloat16', 't:bfloat16()',
         'Converts to a BFloat16Tensor, or a BFloat16Storage. Returns the object itself if it ' ..
         'is one.'},
      {'float', 't:float()',
         'Converts to a FloatTensor, or a FloatStorage. Returns the object itself if it is one.'},
      {'double', 't:double()',
         'Converts to a DoubleTensor, or a DoubleStorage. Returns the object itself if it is one.'},
      {'real', 't:real()', 'Converts to the default type.'},
      {'totable', [=[
tensor.totable(t)
t:totable()
storage:totable()]=], 'Returns the elements as nested tables of numbers.'},
      {'string', [=[
storage:string()
storage:string(text)]=],
         'Returns the bytes of a ByteStorage or CharStorage as a Lua string, or sets them to a ' ..
         'string.'},
      {'fill', 'storage:fill(value)', 'Sets all elements of a storage.'},
      {'apply', 't:apply(f)',
         'Calls `f` with each element, in order. A returned number is stored in the element; ' ..
         'returning nothing leaves it unchanged.'},
      {'map', 't:map(u, f)',
         'Calls `f` with the elements of both tensors, in order, and stores the returned ' ..
         'numbers: `t[i] = f(t[i], u[i])`. If it returns nothing, the element stays unchanged.'},
      {'map2', 't:map2(u, v, f)',
         'Calls `f` with the elements of three tensors, in order, and stores the returned ' ..
         'numbers: `t[i] = f(t[i], u[i], v[i])`.'},
      {'write', [=[
t:write(file)
storage:write(file)]=], 'Writes the object to a file, in the format of Torch7.'},
      {'read', [=[
t:read(file)
storage:read(file)]=], 'Reads into the object what `write` has written.'},
   },
   require 'tensor.entries.operations',
   require 'tensor.entries.types',
   {'Torch7 names',
      {'mod', 'tensor.mod([result,] t, value)',
         'Computes the same as `fmod`. The name is from the first version of Torch7.'},
      {'cmod', 'tensor.cmod([result,] t, u)',
         'Computes the same as `cfmod`. The name is from the first version of Torch7.'},
      {'multinomialAliasSetup', 'tensor.multinomialAliasSetup(probabilities [, state])',
         'Returns a table of two tensors from which `multinomialAlias` draws in constant time: ' ..
         'the alias of each category, and the probability of keeping the category. The ' ..
         "probabilities need not sum to 1, except after `require 'torch'`."},
      {'multinomialAlias', 'tensor.multinomialAlias(indices, state)',
         'Fills a LongTensor with categories drawn by the tables of `multinomialAliasSetup`. ' ..
         "After `require 'torch'` it draws the category before each alias, as Torch7 does."},
   },
   {'random numbers: state',
      {'manualSeed', 'tensor.manualSeed([generator,] seed)',
         'Seeds the generator with an integer. MT19937 uses its low 32 bits, and Philox all 64.'},
      {'seed', 'tensor.seed([generator])',
         'Seeds the generator with a value from the operating system and returns that value.'},
      {'initialSeed', 'tensor.initialSeed([generator])', 'Returns the last seed of the generator.'},
      {'getRNGState', 'tensor.getRNGState([generator,] [result])',
         'Returns the state of the generator as a ByteTensor.'},
      {'setRNGState', 'tensor.setRNGState([generator,] state)',
         'Restores a state that `getRNGState` returned. Returns `state`.'},
      {'setGenerator', 'tensor.setGenerator([generator,] kind)',
         'Changes the kind of a generator, or of the default generator, to "mt19937" or ' ..
         '"philox", and seeds it again with its initial seed.'},
      {'getGenerator', 'tensor.getGenerator([generator])',
         'Returns the kind of a generator, or of the default generator.'},
   },
   {'rules and broadcasting modes',
      {'rules', 'tensor.rules()',
         "Returns a list of the rules that differ between require 'tensor' and require 'torch': " ..
         'tables with the `name`, the `mode` ("tensor" or "torch7"), and the behaviour in both ' ..
         'modes as text.'},
      {'getRule', 'tensor.getRule(name)',
         'Returns the mode of a rule: "tensor" or "torch7".'},
      {'setRule', 'tensor.setRule(name, mode)',
         'Sets a rule of this Lua state, and returns its previous mode.'},
      {'setRules', 'tensor.setRules(mode)',
         "Sets all rules. `require 'torch'` sets them to \"torch7\"."},
      {'setBroadcast', 'tensor.setBroadcast(mode)',
         'Sets the broadcasting mode of this Lua state: "numpy" (or "tensor"), "torch7" or ' ..
         '"strict". Returns the previous mode.'},
      {'getBroadcast', 'tensor.getBroadcast()', 'Returns the broadcasting mode.'},
      {'setStrict', 'tensor.setStrict(strict)',
         'Sets the broadcasting mode to "strict", or restores the previous mode if `strict` is ' ..
         'false. In strict mode a call is an error if pairing in order would give another ' ..
         'result than NumPy\'s rules.'},
   },
   {'gradients',
      {'grad', 'tensor.grad(f [, {argument = n, tensors = true, ready = g}])',
         'Returns a function. It calls `f` with its arguments, and returns the gradient of the ' ..
         'first result of `f`, then all results of `f`. The first result is a number, or a ' ..
         'tensor with one element. The gradient is with respect to argument `n` (default 1), a ' ..
         'tensor, a number or a nested table of them, and has the same form. The gradient of a ' ..
         'Blob is stored in its diff. With `tensors`, numbers that depend on the argument are ' ..
         'returned as tensors of one element, so that `compile` records a function that calls ' ..
         'it. With `ready`, `g(gradient, k)` is called as soon as the gradient of a tensor is ' ..
         'complete. `k` counts the tensors of the argument in the order of their keys.'},
      {'vjp', 'tensor.vjp(f, args, cotangents)',
         'Returns the list of the gradients of all arguments of `f`, then the results of `f`. ' ..
         '`args` is the list of the arguments. `cotangents` lists the gradients of the results; ' ..
         'nil or false is 0. This is the product of the cotangents and the Jacobian matrix.'},
      {'jvp', 'tensor.jvp(f, args, tangents)',
         'Returns the list of the derivatives of the results of `f` along `tangents`, then the ' ..
         'results. `args` is the list of the arguments. `tangents` lists tensors of their ' ..
         'shapes; nil or false is 0. This is the product of the Jacobian matrix and the tangents.'},
      {'jacobian', 'tensor.jacobian(f, x)',
         'Returns the matrix of the derivatives of the elements of `f(x)` with respect to those ' ..
         'of `x`. It has one row for each element of the result, and needs one reverse pass for ' ..
         'each row. `f` is called once.'},
      {'hessian', 'tensor.hessian(f, x)',
         'Returns the matrix of the second derivatives of the number `f(x)` with respect to the ' ..
         'elements of `x`. They are 0 if `f(x)` does not depend on `x`.'},
      {'stopGradient', 'tensor.stopGradient(x)',
         'Returns a copy of `x` that counts as constant. `x` is a tensor, a number or a nested ' ..
         'table of them.'},
      {'checkpoint', 'tensor.checkpoint(f)',
         'Returns a function with the results and gradients of `f` that keeps no intermediate ' ..
         'results. It calls `f` again for the gradients. Tensors that need gradients must be ' ..
         'arguments of `f`. Both runs draw the same numbers from the default random generator. ' ..
         'A generator of `tensor.Generator` draws other numbers in the second run, so the ' ..
         'gradient is wrong.'},
      {'customGradient', 'tensor.customGradient(f, rule)',
         'Returns a function with the results of `f`. Its gradients are the list that ' ..
         '`rule(gradients, results, arguments)` returns, one for each argument. `gradients` ' ..
         'lists the gradients of the results; false is 0. Other tensors that depend on the ' ..
         'arguments of `grad` must not be used in `f`.'},
      {'gradcheck', 'tensor.gradcheck(f, args [, options])',
         'Returns true if the gradients of `f` agree with differences of its results along ' ..
         'random directions; otherwise false and a message. `args` is the list of the ' ..
         'arguments; its tensors should be DoubleTensors: others need larger steps. Options: ' ..
         '`order` (1; 2 also checks second derivatives), `directions` (1), `step` (1e-6), ' ..
         '`tolerance` (1e-4). Without numbers and tensors of a floating-point type in `args` ' ..
         'or in the results, there is nothing to check: this is an error.'},
   },
   {'devices and memory',
      {'to', [=[
t:to(device)
storage:to(device)]=],
         'Sets the current device of the storage ("gpu", "gpu:2", "soft", "cpu"), moves the ' ..
         'elements there, and returns the object. Operations on it then run there.'},
      {'device', [=[
t:device()
storage:device()]=], 'Returns the name of the current device of the storage.'},
      {'prefetch', [=[
t:prefetch(device)
storage:prefetch(device)]=],
         'Starts a copy to a device, or to the host with "cpu", without waiting. The current ' ..
         'device does not change.'},
      {'head', 'storage:head()',
         'Returns which copy of the memory is valid: "uninitialized", "cpu", "gpu" or "synced".'},
      {'devices', 'tensor.devices()',
         'Returns a list of the devices, each with `name`, `model` and `memory` in bytes; and a ' ..
         'table with the reason for each kind of device that is missing.'},
      {'setDefaultDevice', 'tensor.setDefaultDevice(device)',
         'Sets the device of the elements of tensors that are created afterwards. Storages that ' ..
         'are created without a tensor, and tensors that are read from files, are on the CPU.'},
      {'getDefaultDevice', 'tensor.getDefaultDevice()', 'Returns the name of the default device.'},
      {'withDevice', 'tensor.withDevice(device, f, ...)',
         'Calls `f(...)` with another default device and returns its results.'},
      {'synchronize', 'tensor.synchronize([device])',
         'Waits for all work on a device, or on all devices, and raises asynchronous errors.'},
      {'stream', 'tensor.stream(device)',
         'Returns the address of the stream in which all work on a device runs, as a number: a ' ..
         '`cudaStream_t` on a GPU. Returns nil if other libraries cannot use it, as on the CPU.'},
      {'emptyCache', 'tensor.emptyCache([device])',
         'Returns memory that is kept for reuse to the devices and to the operating system.'},
      {'memory', 'tensor.memory([device])',
         'Returns a table: the `bytes` and `blocks` in use on the host, and the `cached` bytes ' ..
         'that are kept for reuse. With a device: its `total`, `used`, `cached` and `free` bytes.'},
      {'stats', 'tensor.stats()',
         'Returns a table of the copies between host and devices, of the kernel calls on ' ..
         'devices, and of the operations that fell back to the CPU.'},
      {'resetStats', 'tensor.resetStats()', 'Resets all counters of `stats` to 0.'},
      {'profile', 'tensor.profile(f, ...)',
         'Calls `f(...)` and prints the calls, time, bytes, device and fallbacks of each ' ..
         'operation. Returns the same as a table.'},
      {'scope', 'tensor.scope(f, ...)',
         'Returns `f(...)`, and frees the tensors and storages that this thread made in `f`, ' ..
         'except those in the results and those given to `keep`. Without arguments, returns an ' ..
         'object whose method `close()` ends the scope; in Lua 5.4 it can be a `<close>` ' ..
         'variable.'},
      {'keep', 'tensor.keep(...)',
         'Returns its arguments. The tensors in them, and in their tables, outlive all open ' ..
         'scopes.'},
      {'compile', 'tensor.compile(f)',
         'Returns a function with the results of `f` that is faster if `f` consists of ' ..
         'element-wise operations and reductions. The first two calls record them; later calls ' ..
         'run them fused, in one pass over memory. `explain()`, a method, returns what was ' ..
         'recorded, or why `f` is called instead.'},
      {'isCompiling', 'tensor.isCompiling()',
         'Returns true while `compile` records the operations of this thread. Functions that ' ..
         'keep tensors between calls must not use them then, because replays do not see them.'},
      {'warnOfFallbacks', 'tensor.warnOfFallbacks(on)',
         'Sets whether the first fallback of each operation to the CPU is reported on stderr.'},
      {'setDeviceDebug', 'tensor.setDeviceDebug(on)',
         'Sets whether every operation on a device is synchronized, so that each operation ' ..
         'raises its own errors.'},
      {'setTF32', 'tensor.setTF32(on)',
         'Sets whether products of FloatTensors on a GPU may round the factors to TF32.'},
      {'getTF32', 'tensor.getTF32()', 'Returns the setting of `setTF32`.'},
      {'retain', [=[
t:retain()
storage:retain()]=], 'Adds a reference, for C code that keeps the object. `free` releases it.'},
      {'free', [=[
t:free()
storage:free()]=],
         'Releases a reference that `retain` added. Without such a reference, releases the ' ..
         'storage of a tensor immediately.'},
      {'data', [=[
tensor.data(t)
t:data()
storage:data()]=],
         'Returns an FFI pointer to the first element, on the host, or nil if the object has no ' ..
         'elements. With `true` as argument, returns the address as a number. Do not read NaNs ' ..
         'from an untrusted source through the pointer: call t:maskedFill(t:ne(t), 0/0) first.'},
      {'cdata', [=[
tensor.cdata(t)
t:cdata()
storage:cdata()]=],
         'Returns an FFI pointer to the C struct of the object: `t:cdata().nDimension`. With ' ..
         '`true` as argument, returns the address as a number.'},
      {'toDLPack', 't:toDLPack([device])',
         'Returns the elements for another library in the process, without copying: a cdata ' ..
         'that owns a `DLManagedTensorVersioned`. Its field `managed` is the pointer; ' ..
         '`release()` returns the pointer and passes on the ownership. The storage cannot be ' ..
         'resized while another library refers to it. By default the elements are exported on ' ..
         'the CPU. If a device is given, the tensor moves there.'},
      {'fromDLPack', 'tensor.fromDLPack(cdata)',
         'Returns a tensor of the elements of another library, without copying, and takes the ' ..
         'ownership. The argument is a result of `toDLPack`, or an FFI pointer ' ..
         '`DLManagedTensorVersioned*` or `DLManagedTensor*`.'},
   },
   {'threads, time, printing',
      {'setnumthreads', 'tensor.setnumthreads(n)',
         'Sets the number of threads for operations, from 1 to 4096.'},
      {'getnumthreads', 'tensor.getnumthreads()', 'Returns the number of threads for operations.'},
      {'getnumcores', 'tensor.getnumcores()', 'Returns the number of processors.'},
      {'updatethreadlocals', 'tensor.updatethreadlocals()',
         'Sets the error handlers of the current thread. Call it in a Lua state that continues ' ..
         'in another thread.'},
      {'updateerrorhandlers', 'tensor.updateerrorhandlers()',
         'Makes errors of C functions unwind the running coroutine. Call it in a coroutine that ' ..
         'calls C functions through the FFI before any function of this module.'},
      {'tic', 'tensor.tic()', 'Returns the time in seconds, for `toc`.'},
      {'toc', 'tensor.toc(start)', 'Returns the seconds since `tic` returned `start`.'},
      {'Timer', 'tensor.Timer()',
         'Creates a running timer. `timer:time()` returns a table of seconds: `real` is the ' ..
         'elapsed time, `user` and `sys` the CPU time. `stop`, `resume` and `reset` return the ' ..
         'timer.'},
      {'setheaptracking', 'tensor.setheaptracking(on)',
         'Sets whether the garbage collector also runs when the memory of tensors has grown. By ' ..
         'default it does.'},
      {'isatty', 'tensor.isatty(file)', 'Returns true if an io file is a terminal.'},
      {'setprintoptions', 'tensor.setprintoptions(options)',
         'Sets how tensors are printed: `precision`, `threshold`, `edgeitems`, `linewidth`, ' ..
         '`integers`, `nonfinite`, `vectors`, `slices` and `sizes`. Omitted options keep their ' ..
         'values. Returns a table of all options.'},
      {'summary', 'tensor.summary(t)',
         'Returns a table that describes a tensor; `print` shows it as text. Fields: `type`, ' ..
         '`size`, `device`, `elements`, `elementSize`, `bytes`, `storageBytes`, `contiguous`, ' ..
         '`nans`, `infinities`, `zeros`; for the finite elements `min`, `max`, `mean`, `std`, ' ..
         'and a `histogram` between `edges`. For a table of columns, returns that of `describe`.'},
      {'pretty', 'tensor.pretty(value)',
         'Returns a value as text, as the prompt shows it: a table with its contents, a string ' ..
         'in quotes.'},
      {'hint', 'tensor.hint(message)',
         'Returns advice about an error message of Lua that concerns a tensor, such as "attempt ' ..
         'to compare number with userdata", or nil. The program `tensor` shows it by itself.'},
      {'describe', 'tensor.describe(columns [, names])',
         'Describes a table of columns, as `load` returns for CSV files with `columns = true`; ' ..
         '`print` shows it as text. `names`: the columns to describe, in this order. Returns a ' ..
         'list with a table for each column: `name`, `type`, `count` and `missing`: NaN, or ' ..
         'text that `load` reads as missing. For numbers also `mean`, `std`, `min`, `q1`, ' ..
         '`median`, `q3` and `max`; for text the number of `distinct` values and the most ' ..
         'frequent one, `top`, with its `frequency`.'},
      {'factorize', 'tensor.factorize(values)',
         'Returns a LongTensor with a code for each value of a table, such as a column of ' ..
         'strings. The second result is the list of distinct values in the order of their first ' ..
         'occurrence. Codes are indices of this list. All NaN are one value.'},
      {'plot', [=[
tensor.plot([x,] y [, options])
tensor.plot.line([x,] y [, options])
tensor.plot.scatter(x, y [, options])
tensor.plot.bars(heights [, options])
tensor.plot.histogram(t [, options])
tensor.plot.boxplot({samples...} [, options])
tensor.plot.heatmap(matrix [, options])
tensor.plot.contour([x, y,] matrix [, options])
tensor.plot.hline(y [, options])
tensor.plot.vline(x [, options])
tensor.plot.band(x, low, high [, options])
tensor.plot.image(picture [, options])
tensor.plot.figure([options])
tensor.plot.grid({{figures...}...})
tensor.plot.live([options])]=],
         'Returns a figure. Methods of the same names add to it. `print` shows it; ' ..
         '`figure:save(filename)` writes it as `.svg`, `.png` or `.jpg`. `grid` puts figures on ' ..
         'one page; `live` draws a figure while a program runs: see plotting.md.'},
      {'image', [=[
tensor.image.scale(src, width, height [, mode])
tensor.image.scale(src, size [, mode])
tensor.image.scale(dst, src [, mode])
tensor.image.crop([dst,] src, x1, y1 [, x2, y2])
tensor.image.crop([dst,] src, position, width, height)
tensor.image.hflip([dst,] src)
tensor.image.vflip([dst,] src)]=],
         'Scales, crops or mirrors an image of H x W or channels x H x W, as Torch7\'s package ' ..
         'image does. `x1` and `y1` count from 0; `x2` and `y2` are the first that are ' ..
         'excluded. `mode`: "bilinear", "nearest" (or "simple"), "area". `size`: the longer ' ..
         'side, "WxH", "^shorter side", "*factor". `position`: "c", "tl", "tr", "bl" or "br". ' ..
         'All functions copy: see images.md.'},
      {'info', 'tensor.info()',
         'Returns a table that describes the build and the libraries in use. Loads BLAS and ' ..
         'LAPACK.'},
      {'help', [=[
tensor.help()
tensor.help(name)
tensor.help(f)]=],
         'Prints the signatures of a function or method, what it does, and an example. The ' ..
         'argument is its name or the function itself. Without an argument, lists all names.'},
   },
   require 'tensor.entries.files',

   {'blobs',
      {'FloatBlob', [=[
tensor.FloatBlob(sizes...)
tensor.DoubleBlob(sizes...)]=],
         'Creates a blob: `data` and `diff` of the same shape, as in Caffe. See blob.md.'},
      {'blobFromProto', 'tensor.blobFromProto(bytes)', 'Returns the blob of a BlobProto.'},
      {'blobsFromProto', 'tensor.blobsFromProto(bytes)',
         'Returns a table of the blobs in the bytes of a BlobProtoVector.'},
      {'blobsToProto', 'tensor.blobsToProto(blobs [, diff])',
         'Returns the bytes of a BlobProtoVector. The diffs are included if `diff` is true.'},
   },
   {'programs and tests',
      {'CmdLine', 'tensor.CmdLine([separator [, sign]])',
         'Creates a parser of command-line options and arguments: `cmd:option(name, default, ' ..
         'help)`, `cmd:parse(arg)`. See torch7-utilities.md.'},
      {'Tester', 'tensor.Tester()',
         'Creates a tester, which runs tests and reports the assertions that fail. See ' ..
         'torch7-utilities.md.'},
      {'TestSuite', 'tensor.TestSuite()',
         'Creates a table of tests for `tester:add`. Defining a test twice is an error.'},
      {'test', 'tensor.test([names])',
         'Runs a few short tests of the installation. `names` are patterns of the tests to run.'},
      {'include', 'tensor.include(package, file)',
         'Runs a file in the folder of a package that `package.path` finds.'},
      {'packageLuaPath', 'tensor.packageLuaPath([package])',
         'Returns the folder of a package that `package.path` finds, or nil. Without a name, ' ..
         'returns the folder of all packages.'},
      {'Allocator', 'tensor.Allocator()',
         'The class of C allocators, whose objects `pushudata` creates. It has no constructor.'},
   },
   {'Lua classes',
      {'class', 'tensor.class(name [, parent] [, module])',
         'Creates a class whose objects are tables. Returns its metatable and that of the parent.'},
      {'typename', 'tensor.typename(object)', 'Returns the class name of an object, or nil.'},
      {'isTensor', 'tensor.isTensor(value)', 'Returns true if the value is a tensor.'},
      {'isStorage', 'tensor.isStorage(value)', 'Returns true if the value is a storage.'},
      {'isTypeOf', 'tensor.isTypeOf(object, class)',
         'Returns true if the object is of the class or of a derived class. The class is a ' ..
         'pattern of its name, or its metatable.'},
      {'isequal', 'tensor.isequal(a, b)',
         'Returns true if `a` and `b` are the same table, or objects that hold the same ' ..
         'pointer. Returns false for numbers, strings and all other values.'},
      {'pointer', 'tensor.pointer(value)',
         'Returns as a number the pointer in an object or cdata, or the address of a table, ' ..
         'function, thread or string.'},
      {'getmetatable', 'tensor.getmetatable(name)', 'Returns the metatable of a class, or nil.'},
      {'setmetatable', 'tensor.setmetatable(object, name)', 'Makes a table an object of a class.'},
      {'getenv', 'tensor.getenv(object)',
         'Returns the environment of a function or object, a table.'},
      {'setenv', 'tensor.setenv(object, table)', 'Sets the environment of a function or object.'},
      {'newmetatable',
         'tensor.newmetatable(name, parent, constructor, destructor, factory, module)',
         'Creates a class from functions, or adds to an existing class. Returns its metatable. ' ..
         'All arguments but the name may be nil.'},
      {'getconstructortable', 'tensor.getconstructortable(name)',
         'Returns the table that creates objects of a class when it is called, or nil.'},
      {'factory', 'tensor.factory(name)',
         'Returns the function that creates an empty object of a class, or nil.'},
      {'pushudata', 'tensor.pushudata(pointer, name)',
         'Creates an object of a class that owns a pointer, which is a number or a cdata.'},
      {'metatype', 'tensor.metatype(name, metatable [, ctype])',
         'Assigns a class name to the tables with a metatable, and to the FFI objects of a type.'},
      {'version', 'tensor.version(object)',
         'Returns the field `__version` of the class of an object, or nil.'},
   },
}
