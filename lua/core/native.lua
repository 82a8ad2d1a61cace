-- require 'tensor.native': the C functions that the extras use. Each is described above its
-- definition in generic/. The other functions of tensor.core whose names begin with an underscore
-- are for lua/core only.

local core = require 'tensor.core'
if rawget(core, '_modules') then
   -- The program has cleared package.loaded. An extra that it requires first needs the same module.
   require 'tensor.module'
   return package.loaded['tensor.native']
end
local extra = require 'tensor.extra_arguments'
local versions = require 'tensor.versions'

local native = {
   -- generic/module.cc: the rows of the op table, the terminal, the clock, files.
   operations = core._optable,
   is_terminal = core.isatty,
   terminal_width = require 'tensor.print'.terminal_width,
   clock = core._clock,
   sleep = core._sleep,

   -- generic/module.cc: libraries with global symbols.
   load_global = core._loadglobal,
   make_global = core._makeglobal,

   -- extra_arguments.lua: errors about arguments without effect.
   limit_arguments = extra.limit,
   refuse_extra = extra.refuse,

   -- raise.lua: errors with the position of the program's line.
   raise = require 'tensor.raise',

   -- check_self.lua: errors of methods that are called with a dot.
   check_self = require 'tensor.check_self',

   -- type_name.lua: the type of a value in errors.
   type_name = require 'tensor.type_name',

   -- is_tracked.lua: whether a value is a number that depends on the arguments of a gradient.
   is_tracked = require 'tensor.is_tracked',

   -- losses.lua: the losses that belong to gradients.
   losses = require 'tensor.losses',

   -- session_only.lua: upvalues that are not written to files, nor passed to threads.
   session_only = require 'tensor.session_only',

   -- classes.lua: methods for all classes of tensors or storages.
   extend_classes = require 'tensor.classes'.extend,

   -- with_setting.lua: calls with another value of a setting.
   with_setting = require 'tensor.with_setting',

   -- recording.lua: ends the recording of tensor.compile that runs, with a reason.
   refuse_recording = require 'tensor.recording'.refuse,

   -- on_demand.lua: parts of the module that are loaded when one of their fields is first read.
   on_demand = require 'tensor.on_demand',

   -- generic/errors.cc: the texts in errors about unknown names.
   set_name_hint = core._namehint,
   make_folder = core._mkdir,

   -- generic/module.cc: whether a finalizer or tensor.scope has freed an object.
   is_freed = core._isfreed,

   -- generic/module.cc: reads for checks, which are not recorded.
   place = core._place,
   element = core._element,

   -- generic/interrupt.cc: Ctrl-C.
   catch_interrupts = core._catchinterrupts,
   interrupt_pressed = core._interruptpressed,

   -- generic/csv.cc: the reader and writer of .csv files.
   csv = core._csv,

   -- generic/array_files.cc: .npy, .npz and .safetensors files.
   arrays = core._arrays,

   -- generic/formats.cc: PNG and JPEG pictures.
   picture_shape = core._pictureshape,
   picture_read = core._pictureread,
   picture_write = core._picturewrite,

   -- generic/drawing.cc: line segments on a picture.
   strokes = core._strokes,

   -- generic/blob_proto.cc: whether bytes contain a BlobProtoVector.
   is_blob_vector = core._isblobvector,

   -- generic/cutorch.cc: the classes of cutorch, and the device of the default tensor type.
   set_cuda_classes = core._cuda,
   set_cuda_default = core._cudaDefault,

   -- generic/dist.cc: groups of processes.
   dist = core._dist,

   -- generic/workers.cc: threads with Lua states of their own.
   workers = core._workers,
}

-- progress.lua: lines of progress on a terminal. description.lua: describe(tensor) returns a
-- function that describes values in errors. Both are loaded when they are first used.
local modules = {progress = 'tensor.progress', describe = 'tensor.description'}

return setmetatable(native, {__index = function(_, name)
   native[name] = modules[name] and versions.require(modules[name])
   return rawget(native, name)
end})
