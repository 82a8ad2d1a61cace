-- What functions and methods do that the op table does not have: for tensor.help and the reference.
-- Each entry: the name, its calls (one a line), what it does. T stands for any tensor class, S for
-- any storage class.

return {
   {'classes and construction',
      {'Tensor', [=[
tensor.T()
tensor.T(sizes...)
tensor.T({numbers...})
tensor.T(t)
tensor.T(storage [, offset, sizes [, strides]])
tensor.T(storage, offset, size1, stride1, ...)]=],
         'A tensor of the class, such as tensor.FloatTensor, or of the default type: without ' ..
         'dimension, of sizes, of a nested table, or a view of another tensor or of a ' ..
         'storage, whose first element is 1.'},
      {'Storage', [=[
tensor.S([size])
tensor.S({numbers...})
tensor.S(storage [, offset [, size]])
tensor.S(filename [, shared [, size]])
tensor.S(size, pointer)]=],
         'A row of elements: of a size, of the numbers of a table, a view of another ' ..
         'storage, a file that is mapped, or memory at an address, which must stay.'},
      {'Generator', "tensor.Generator([kind])",
         'A random number generator with a state of its own; its kind is "mt19937" ' ..
         '(Torch7\'s) or "philox".'},
      {'new', [=[
t.new(...)
storage.new(...)]=], 'Another object of the same class, by what its constructor takes.'},
      {'full', [=[
tensor.full([result,] sizes..., value)]=], 'A tensor of these sizes whose elements are all value.'},
      {'meshgrid', [=[
tensor.meshgrid(x, y, ... [, order])
tensor.meshgrid({x, y, ...} [, order])]=],
         'For each vector a tensor of all positions of the grid that they span; order "ij" ' ..
         '(the default) has x along the first dimension, "xy" along the second. Nothing is ' ..
         'copied.'},
      {'getdefaulttensortype', 'tensor.getdefaulttensortype()',
         'The name of the class that tensor.Tensor makes.'},
      {'setdefaulttensortype', 'tensor.setdefaulttensortype(name)',
         'Sets the class of tensor.Tensor, and of what functions make from numbers alone: ' ..
         '"torch.FloatTensor".'},
   },
   {'sizes, strides, storages',
      {'dim', 't:dim()', 'The number of dimensions.'},
      {'nDimension', 't:nDimension()', 'The number of dimensions.'},
      {'size', [=[
t:size()
t:size(dimension)
storage:size()]=],
         'The sizes as a LongStorage, or one of them as a number; of a storage, its number ' ..
         'of elements.'},
      {'stride', [=[
t:stride()
t:stride(dimension)]=], 'The strides, in elements, as a LongStorage, or one of them as a number.'},
      {'nElement', 't:nElement()', 'The number of elements.'},
      {'numel', [=[
tensor.numel(t)
t:numel()]=], 'The number of elements.'},
      {'storage', 't:storage()', 'The storage that the tensor views, or nil.'},
      {'storageOffset', 't:storageOffset()', 'Where in its storage the first element is, from 1.'},
      {'isContiguous', 't:isContiguous()',
         'Whether the elements lie one after the other in the order of the indices.'},
      {'contiguous', 't:contiguous()',
         'The tensor itself where it is contiguous; otherwise a copy that is.'},
      {'isSize', 't:isSize(sizes)', 'Whether the sizes are those of a LongStorage.'},
      {'elementSize', [=[
t:elementSize()
storage:elementSize()]=], 'Bytes of an element.'},
      {'resize', [=[
t:resize(sizes...)
storage:resize(size)]=],
         'Gives other sizes. The storage grows where it must, and what is added is not ' ..
         'defined.'},
      {'resizeAs', 't:resizeAs(u)', 'Gives the sizes of another tensor, of any type.'},
      {'set', [=[
t:set(u)
t:set(storage [, offset, sizes [, strides]])]=],
         'Makes the tensor a view of the storage of another tensor, or of a storage, as the ' ..
         'constructor does.'},
      {'sub', 't:sub(first, last [, first, last ...])',
         'A view of a range of each dimension; negative indices count from the end.'},
      {'split', [=[
tensor.split([list,] t, size [, dimension = 1])
t:split([list,] size [, dimension = 1])]=],
         'A table of views of so many indices each, of which the last may have less.'},
      {'chunk', [=[
tensor.chunk([list,] t, n [, dimension = 1])
t:chunk([list,] n [, dimension = 1])]=],
         'A table of at most n views of equal sizes, of which the last may be smaller.'},
      {'repeatTensor', [=[
tensor.repeatTensor([result,] t, times...)
t:repeatTensor([result,] times...)]=],
         'A copy of the tensor repeated so often along each dimension.'},
   },
   {'copies, conversion, tables',
      {'clone', [=[
tensor.clone(t)
t:clone()]=], 'A contiguous copy in a storage of its own.'},
      {'copy', [=[
t:copy(u)
storage:copy(other)]=],
         'Takes the elements of a tensor of any type, whose sizes broadcast or whose ' ..
         'elements are as many.'},
      {'type', [=[
tensor.type(value)
t:type()
t:type(name)]=],
         'The class of an object, or the type of a Lua value; with the name of a class, the ' ..
         'object converted to it, itself where it is of that class.'},
      {'typeAs', [=[
t:typeAs(u)
storage:typeAs(other)]=], 'Converted to the class of another tensor.'},
      {'byte', 't:byte()', 'Converted to a ByteTensor (a ByteStorage); itself where it is one.'},
      {'char', 't:char()', 'Converted to a CharTensor; itself where it is one.'},
      {'short', 't:short()', 'Converted to a ShortTensor; itself where it is one.'},
      {'int', 't:int()', 'Converted to an IntTensor; itself where it is one.'},
      {'long', 't:long()', 'Converted to a LongTensor; itself where it is one.'},
      {'half', 't:half()', 'Converted to a HalfTensor; itself where it is one.'},
      {'bfloat16', 't:bfloat16()', 'Converted to a BFloat16Tensor; itself where it is one.'},
      {'float', 't:float()', 'Converted to a FloatTensor; itself where it is one.'},
      {'double', 't:double()', 'Converted to a DoubleTensor; itself where it is one.'},
      {'real', 't:real()', 'Converted to the default type.'},
      {'totable', [=[
tensor.totable(t)
t:totable()
storage:totable()]=], 'The elements as nested tables of numbers.'},
      {'string', [=[
storage:string()
storage:string(text)]=],
         'The bytes of a ByteStorage or CharStorage as a Lua string; or a string taken into ' ..
         'it.'},
      {'fill', 'storage:fill(value)', 'Sets all elements of a storage.'},
      {'apply', 't:apply(f)',
         'Calls f with each element in order, and stores what it returns, if anything.'},
      {'map', 't:map(u, f)',
         'Calls f with the elements of both tensors, and stores what it returns in t.'},
      {'map2', 't:map2(u, v, f)',
         'Calls f with the elements of three tensors, and stores what it returns in t.'},
      {'write', [=[
t:write(file)
storage:write(file)]=], 'Writes the object by the methods of a Torch7 file.'},
      {'read', [=[
t:read(file)
storage:read(file)]=], 'Reads what write has written into the object.'},
   },
   {'products by dimensions',
      {'einsum', 'tensor.einsum(equation, tensors...)',
         'Sums of products by Einstein\'s convention: in "ij,jk->ik" each letter is a ' ..
         'dimension, and those that the result lacks are summed over.'},
      {'tensordot', [=[
tensor.tensordot([result,] a, b [, n = 2])
tensor.tensordot([result,] a, b, {dimensions of a}, {dimensions of b})]=],
         'The sum of products over the last n dimensions of a and the first n of b, or over ' ..
         'those named.'},
   },
   {'names of old',
      {'mod', 'tensor.mod([result,] t, value)', 'fmod, under the name of Torch7\'s first version.'},
      {'cmod', 'tensor.cmod([result,] t, u)', 'cfmod, under the name of Torch7\'s first version.'},
      {'multinomialAliasSetup', 'tensor.multinomialAliasSetup(probabilities [, state])',
         'A table of two tensors from which multinomialAlias draws in constant time: ' ..
         'aliases, and the probabilities of keeping a category.'},
      {'multinomialAlias', 'tensor.multinomialAlias(indices, state)',
         'Fills a LongTensor with categories drawn by the tables that multinomialAliasSetup ' ..
         'made.'},
   },
   {'random numbers: state',
      {'manualSeed', 'tensor.manualSeed([generator,] seed)',
         'Starts the stream of a seed, an integer from 0.'},
      {'seed', 'tensor.seed([generator])',
         'Starts the stream of a seed that the system gives, and returns it.'},
      {'initialSeed', 'tensor.initialSeed([generator])', 'The seed that the stream began with.'},
      {'getRNGState', 'tensor.getRNGState([generator,] [result])',
         'The whole state as a ByteTensor.'},
      {'setRNGState', 'tensor.setRNGState([generator,] state)',
         'Goes on where getRNGState took the state.'},
      {'setGenerator', 'tensor.setGenerator([generator,] kind)',
         'Changes the kind of a generator, or of the default one: "mt19937" or "philox".'},
      {'getGenerator', 'tensor.getGenerator([generator])',
         'The kind of a generator, or of the default one.'},
   },
   {'which shapes pair',
      {'setBroadcast', 'tensor.setBroadcast(mode)',
         'Sets which shapes pair in this Lua state: "numpy", "torch7" or "strict". Returns ' ..
         'the mode before.'},
      {'getBroadcast', 'tensor.getBroadcast()', 'The mode that setBroadcast has set.'},
      {'setStrict', 'tensor.setStrict(strict)',
         'Makes pairs of unequal shapes with as many elements an error, or goes back to the ' ..
         'mode before.'},
   },
   {'devices and memory',
      {'to', [=[
t:to(device)
storage:to(device)]=],
         'Makes a device ("gpu", "gpu:2", "soft", "cpu") the home of the storage, and ' ..
         'returns the object. Other operations on it run there.'},
      {'device', [=[
t:device()
storage:device()]=], 'The name of the device that is the storage\'s home.'},
      {'prefetch', [=[
t:prefetch(device)
storage:prefetch(device)]=], 'Starts to copy to a device, or with "cpu" back, without waiting.'},
      {'head', 'storage:head()',
         'Which side has the elements: "uninitialized", "cpu", "gpu" or "synced".'},
      {'devices', 'tensor.devices()',
         'A list of the devices, with name, model and memory in bytes; and of kinds that are ' ..
         'not there, with the reason.'},
      {'setDefaultDevice', 'tensor.setDefaultDevice(device)',
         'The home of storages that are made from now on.'},
      {'getDefaultDevice', 'tensor.getDefaultDevice()', 'The name of the default device.'},
      {'withDevice', 'tensor.withDevice(device, f, ...)',
         'Calls f(...) with another default device, and returns what it does.'},
      {'synchronize', 'tensor.synchronize([device])',
         'Waits until all work on a device, or on all devices, is done, and raises what was ' ..
         'found there.'},
      {'emptyCache', 'tensor.emptyCache([device])',
         'Gives memory that is kept for the next tensor back to devices and to the system.'},
      {'memory', 'tensor.memory()',
         'A table of the bytes and blocks in use on the host, and of the cached bytes that ' ..
         'nobody uses.'},
      {'stats', 'tensor.stats()',
         'A table of what was copied between host and devices, and of operations that ran on ' ..
         'the CPU instead.'},
      {'resetStats', 'tensor.resetStats()', 'Counts from 0 again.'},
      {'profile', 'tensor.profile(f, ...)',
         'Calls f(...), prints for each operation calls, time, bytes, device and fallbacks, ' ..
         'and returns that as a table.'},
      {'compile', 'tensor.compile(f)',
         'A function that does what f does, but goes through memory once for each result where ' ..
         'f is made of element-wise operations and reductions, which it records; its method ' ..
         'explain says what was recorded, or why f is called.'},
      {'warnOfFallbacks', 'tensor.warnOfFallbacks(on)',
         'Whether an operation that a device leaves to the CPU is named on stderr, once.'},
      {'setDeviceDebug', 'tensor.setDeviceDebug(on)',
         'Whether each operation on a device is waited for, so that its errors come at once.'},
      {'setTF32', 'tensor.setTF32(on)',
         'Whether products of FloatTensors on a GPU may round their operands to TF32.'},
      {'getTF32', 'tensor.getTF32()', 'What setTF32 has set.'},
      {'retain', [=[
t:retain()
storage:retain()]=], 'Takes a reference, for C code that keeps the object; free gives it back.'},
      {'free', [=[
t:free()
storage:free()]=],
         'Gives a reference back that retain took. Without one a tensor gives up its storage ' ..
         'at once.'},
      {'data', [=[
tensor.data(t)
t:data()
storage:data()]=],
         'A pointer of LuaJIT\'s FFI to the first element, on the host; nil where there is ' ..
         'none.'},
      {'cdata', [=[
tensor.cdata(t)
t:cdata()
storage:cdata()]=], 'The C struct of the object, through the FFI: t:cdata().nDimension.'},
      {'toDLPack', 't:toDLPack()',
         'The elements for another library in the process, not copied: a cdata that owns a ' ..
         'DLManagedTensorVersioned, its field managed, until its release() gives the pointer ' ..
         'away. The storage cannot be resized as long as anybody has it.'},
      {'fromDLPack', 'tensor.fromDLPack(cdata)',
         'A tensor of another library\'s elements, not copied, whose owner it becomes; of what ' ..
         'toDLPack gives, or a DLManagedTensorVersioned* or DLManagedTensor* of the FFI.'},
   },
   {'threads, time, printing',
      {'setnumthreads', 'tensor.setnumthreads(n)', 'How many threads operations use, at least 1.'},
      {'getnumthreads', 'tensor.getnumthreads()', 'How many threads operations use.'},
      {'getnumcores', 'tensor.getnumcores()', 'How many processors there are.'},
      {'updatethreadlocals', 'tensor.updatethreadlocals()',
         'To be called by a Lua state that goes on in another thread of the system.'},
      {'updateerrorhandlers', 'tensor.updateerrorhandlers()',
         'To be called in a coroutine that calls C functions through the FFI before it has ' ..
         'called any of ours.'},
      {'tic', 'tensor.tic()', 'The time, for toc.'},
      {'toc', 'tensor.toc(start)', 'Seconds since tic gave start.'},
      {'Timer', 'tensor.Timer()',
         'A clock that runs: timer:time() gives a table of the seconds that passed (real) and ' ..
         'that the processor took (user, sys); stop, resume and reset return it.'},
      {'setheaptracking', 'tensor.setheaptracking(on)',
         'Whether the collector is run when the memory of tensors has grown much, as it is at ' ..
         'first.'},
      {'isatty', 'tensor.isatty(file)', 'Whether a file of io is a terminal.'},
      {'setprintoptions', 'tensor.setprintoptions(options)',
         'How tensors are printed: precision, threshold, edgeitems, linewidth, integers and ' ..
         'nonfinite; the options that are not given stay. Returns a table of all.'},
      {'summary', 'tensor.summary(t)',
         'A table of what a tensor is and holds, which print shows in lines: type, size, ' ..
         'device, elements, elementSize, bytes, storageBytes, contiguous, nans, infinities, ' ..
         'zeros, and of the finite elements min, max, mean, std, and a histogram between edges.'},
      {'plot', [=[
tensor.plot([x,] y [, options])
tensor.plot.line([x,] y [, options])
tensor.plot.scatter(x, y [, options])
tensor.plot.bars(heights [, options])
tensor.plot.histogram(t [, options])
tensor.plot.heatmap(matrix [, options])
tensor.plot.image(picture [, options])
tensor.plot.figure([options])]=],
         'A figure, to which the methods of the same names add more. print shows it in the ' ..
         'terminal, figure:save(filename) writes it as .svg or .png: plotting.md.'},
      {'image', [=[
tensor.image.scale(src, width, height [, mode])
tensor.image.scale(src, size [, mode])
tensor.image.scale(dst, src [, mode])
tensor.image.crop([dst,] src, x1, y1 [, x2, y2])
tensor.image.crop([dst,] src, place, width, height)
tensor.image.hflip([dst,] src)
tensor.image.vflip([dst,] src)]=],
         'An image of H x W or channels x H x W elements in another size, a part of it, its ' ..
         'mirror image from left to right or from top to bottom, as in Torch7\'s package image: ' ..
         'x1 and y1 count from 0, x2 and y2 are the first that are left out. mode: "bilinear", ' ..
         '"nearest" (or "simple"), "area". size: the larger side, "WxH", "^least", "*factor". ' ..
         'place: "c", "tl", "tr", "bl" or "br". All copy: images.md.'},
      {'info', 'tensor.info()',
         'A table: how this build was made, and the libraries of BLAS and LAPACK, loaded by this.'},
      {'help', [=[
tensor.help()
tensor.help(name)
tensor.help(f)]=],
         'Prints how a function or method is called and what it does, by its name or by ' ..
         'itself; without an argument, what there is.'},
   },
   require 'tensor.entries.files',

   {'blobs',
      {'FloatBlob', [=[
tensor.FloatBlob(sizes...)
tensor.DoubleBlob(sizes...)]=],
         'A blob: data and differences of one shape, as Caffe has them. See blob.md.'},
      {'blobFromProto', 'tensor.blobFromProto(bytes)', 'A blob of the bytes of a BlobProto.'},
      {'blobsFromProto', 'tensor.blobsFromProto(bytes)',
         'A table of the blobs of a BlobProtoVector.'},
      {'blobsToProto', 'tensor.blobsToProto(blobs)', 'The bytes of a BlobProtoVector.'},
   },
   {'programs and their tests',
      {'CmdLine', 'tensor.CmdLine([separator [, sign]])',
         'Options and arguments of a program: cmd:option(name, default, help), ' ..
         'cmd:parse(arg). See torch7-utilities.md.'},
      {'Tester', 'tensor.Tester()',
         'Runs tests and reports which of their assertions fail. See torch7-utilities.md.'},
      {'TestSuite', 'tensor.TestSuite()',
         'A table for tests that refuses to define one twice; for tester:add.'},
      {'test', 'tensor.test([names])',
         'Checks what is installed by a few short tests; names are patterns of theirs.'},
      {'include', 'tensor.include(package, file)',
         'Runs a file of the folder where package.path finds a package.'},
      {'packageLuaPath', 'tensor.packageLuaPath([package])',
         'The folder where package.path finds a package, or nil; without a name, the folder ' ..
         'of all packages.'},
      {'Allocator', 'tensor.Allocator()',
         'The class of C allocators that pushudata makes objects of; it has no constructor.'},
   },
   {'classes of Lua',
      {'class', 'tensor.class(name [, parent] [, module])',
         'Makes a class, whose objects are tables, and returns its metatable, and that of ' ..
         'the parent.'},
      {'typename', 'tensor.typename(object)', 'The name of the class of an object, or nil.'},
      {'isTensor', 'tensor.isTensor(value)', 'Whether a value is a tensor.'},
      {'isStorage', 'tensor.isStorage(value)', 'Whether a value is a storage.'},
      {'isTypeOf', 'tensor.isTypeOf(object, class)',
         'Whether an object is of a class, or of one that inherits it; the class as a ' ..
         'pattern of its name, or as its metatable.'},
      {'isequal', 'tensor.isequal(a, b)',
         'Whether two objects hold the same pointer; other values, whether they are equal.'},
      {'pointer', 'tensor.pointer(value)',
         'The address that an object holds, or that of a table, function, thread or string, ' ..
         'as a number.'},
      {'getmetatable', 'tensor.getmetatable(name)', 'The metatable of a class, or nil.'},
      {'setmetatable', 'tensor.setmetatable(object, name)', 'Makes a table an object of a class.'},
      {'getenv', 'tensor.getenv(object)', 'The environment of a function or object, a table.'},
      {'setenv', 'tensor.setenv(object, table)', 'Sets the environment of a function or object.'},
      {'newmetatable',
         'tensor.newmetatable(name, parent, constructor, destructor, factory, module)',
         'Makes a class of functions, or adds to one; returns its metatable. All but the ' ..
         'name may be nil.'},
      {'getconstructortable', 'tensor.getconstructortable(name)',
         'The table that makes objects of a class when it is called, or nil.'},
      {'factory', 'tensor.factory(name)',
         'The function that makes an empty object of a class, or nil.'},
      {'pushudata', 'tensor.pushudata(pointer, name)',
         'An object of a class that owns a pointer, which is a number or a cdata.'},
      {'metatype', 'tensor.metatype(name, metatable [, ctype])',
         'Names the tables with a metatable, and the FFI objects of a type.'},
      {'version', 'tensor.version(object)',
         'The field __version of the class of an object, or nil.'},
   },
}
