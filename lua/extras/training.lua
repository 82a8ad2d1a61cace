-- tensor.training: checkpoints and progress lines.

local files = require 'tensor.files'
local native = require 'tensor.native'
local tensor = require 'tensor'
local tree = require 'tensor.tree'
local layer = require 'tensor.nn.layer'
local versions = require 'tensor.versions'

local describe = native.describe(tensor)

local training = {}

local function is_generator(value)
   return tensor.typename(value) == 'torch.Generator'
end

-- True for layers, optimizers and batches, of which a checkpoint has the state.
local function has_state(value)
   return layer.is(value) or type(value) == 'table' and getmetatable(value) ~= nil
      and type(rawget(value, 'state')) == 'table'
end

-- True for tables whose fields are parts. A tracked number is a number.
local function is_branch(value)
   return type(value) == 'table' and not has_state(value) and not tensor.isTensor(value)
      and not native.is_tracked(value)
end

-- Returns the name of the kind of a part of a checkpoint.
local function kind_of(part)
   if is_generator(part) then
      return 'a generator'
   elseif layer.is(part) then
      return 'a layer'
   elseif not has_state(part) then
      return 'parameters'
   end
   return type(part.name) == 'string' and 'the optimizer ' .. part.name or 'an object with a state'
end

-- The types of restored values other than tensors and tables.
local is_plain = {number = true, string = true, boolean = true}

local function join(path, key)
   return ('%s.%s'):format(path, tostring(key))
end

-- Raises an error unless the saved value is the state of a generator.
local function check_generator(path, saved)
   local fine, failure = pcall(tensor.setRNGState, tensor.Generator(), saved)
   if not fine then
      error(('%s: the state is invalid: %s'):format(path, files.cause(failure)), 0)
   end
end

-- Raises an error unless the saved kind is that of a part. nil: not known.
local function check_kind(path, part, kind)
   local has_parts = type(kind) == 'table'
   if kind ~= nil and (has_parts and not is_branch(part) or not has_parts and kind ~= kind_of(part))
   then
      error(('%s: %s expected, got %s'):format(
         path, kind_of(part), has_parts and 'a table of parts' or tostring(kind)), 0)
   end
end

-- Raises an error unless the saved values have the form, the types, the shapes and the kinds of
-- those in a part. kind: that of save, or nil.
local function check(path, part, saved, kind)
   local is_object = is_generator(part) or has_state(part)
   if is_object and saved == nil then
      error(('%s: %s is expected, got nil'):format(path, kind_of(part)), 0)
   end
   check_kind(path, part, kind)
   if is_generator(part) then
      check_generator(path, saved)
   elseif layer.is(part) then
      check(path, part.state or {}, saved)
   elseif is_object then
      if type(saved) ~= 'table' then
         error(('%s: %s is expected, got %s'):format(path, kind_of(part), describe(saved)), 0)
      end
   elseif tensor.isTensor(part) then
      if not tensor.isTensor(saved) or not part:isSameSizeAs(saved) then
         error(('%s: %s is expected, got %s'):format(path, describe(part), describe(saved)), 0)
      elseif part:type() ~= saved:type() then
         error(('%s: a %s is expected, got a %s'):format(path, part:type(), saved:type()), 0)
      end
   elseif is_plain[type(part)] or type(part) == 'table' then
      if type(saved) ~= type(part) then
         error(('%s: %s is expected, got %s'):format(path, describe(part), describe(saved)), 0)
      end
      if not is_branch(part) then
         return
      end
      for _, key in ipairs(tree.keys(part)) do
         local own = kind
         if type(kind) == 'table' then
            own = kind[key] or 'parameters'
         end
         check(join(path, key), part[key], saved[key], own)
      end
      for _, key in ipairs(tree.keys(saved)) do
         if part[key] == nil then
            error(('%s: the program has no such value'):format(join(path, key)), 0)
         end
      end
   end
end

-- Copies into the tensors of a part, and sets its states. Returns the part, with the saved plain
-- values.
local function copy(part, saved)
   if is_generator(part) then
      tensor.setRNGState(part, saved)
   elseif layer.is(part) then
      copy(part.state or {}, saved)
   elseif has_state(part) then
      part.state = saved
   elseif tensor.isTensor(part) then
      return part:copy(saved)
   elseif is_branch(part) then
      for _, key in ipairs(tree.keys(part)) do
         part[key] = copy(part[key], saved[key])
      end
   elseif is_plain[type(part)] then
      return saved
   end
   return part
end

local function check_table(name, parts)
   if type(parts) ~= 'table' or getmetatable(parts) then
      error(('training.%s: a table of parts is expected, got %s'):format(name, describe(parts)), 0)
   end
end

-- Raises an error if a function is in a value or in its tables: load refuses files with functions,
-- because they are code.
local function refuse_functions(path, value, seen)
   if type(value) == 'function' then
      error(('training.save: %s is a function, which a checkpoint cannot contain'):format(path), 0)
   elseif type(value) ~= 'table' or seen[value] then
      return
   end
   seen[value] = true
   for key, field in versions.each(value) do
      local place = join(path, key)
      refuse_functions(place .. ' (the key)', key, seen)
      refuse_functions(place, field, seen)
   end
end

-- Returns what a checkpoint has of a part, and its kind: a table of the kinds of its fields if
-- there are generators or objects with a state among them.
local function saved_of(path, part, enclosing)
   if is_generator(part) then
      return tensor.getRNGState(part), kind_of(part)
   elseif has_state(part) then
      return part.state or {}, kind_of(part)
   elseif not is_branch(part) then
      return part, 'parameters'
   end
   tree.enter(enclosing, part)
   local fields, kinds, differ = {}, {}, getmetatable(part) ~= nil
   for key, field in versions.each(part) do
      if type(key) ~= 'string' and type(key) ~= 'number' then
         error(('training.save: the keys of %s must be strings or numbers, got %s')
               :format(path, describe(key)), 0)
      end
      local kind
      fields[key], kind = saved_of(join(path, key), field, enclosing)
      kinds[key] = kind ~= 'parameters' and kind or nil
      differ = differ or not rawequal(fields[key], field) and field == field
   end
   enclosing[part] = nil
   if next(kinds) ~= nil then
      return fields, kinds
   end
   -- The table itself, so that the file has a table at several places once.
   return differ and fields or part, 'parameters'
end

--- save(filename, parts [, info]): writes a checkpoint: parts, a table of parameters (nested tables
-- of tensors, numbers, strings and booleans), optimizers, layers, batches and generators by name,
-- where the states of all but parameters are written; info, a table of other values, such as the
-- step; and the state of the default generator. Parts may be in nested tables. Functions are
-- errors.
function training.save(filename, parts, info)
   check_table('save', parts)
   local saved, kinds = {}, {}
   for name, part in versions.each(parts) do
      saved[name], kinds[name] = saved_of(tostring(name), part, {})
      refuse_functions(tostring(name), saved[name], {})
   end
   refuse_functions('info', info, {})
   tensor.save(filename, {parts = saved, kinds = kinds, info = info,
                          generator = tensor.getRNGState()})
end

-- Raises an error unless a value has the form of a checkpoint. name: that of its file.
local function check_checkpoint(value, name)
   local is_checkpoint = type(value) == 'table' and type(value.parts) == 'table'
      and (value.kinds == nil or type(value.kinds) == 'table')
      and tensor.typename(value.generator) == 'torch.ByteTensor'
   if not is_checkpoint then
      error(('training.load: %s is not a checkpoint'):format(name), 0)
   end
end

--- read(filename): returns the contents of a checkpoint, for restore.
function training.read(filename)
   local checkpoint = tensor.load(filename)
   check_checkpoint(checkpoint, filename)
   return checkpoint
end

--- restore(checkpoint, parts [, name]): does what load does, with the contents that read returned.
-- name: that of the file, for messages.
function training.restore(checkpoint, parts, name)
   check_table('load', parts)
   check_checkpoint(checkpoint, name or 'the value')
   name = name or 'the checkpoint'
   for key, part in versions.each(parts) do
      local saved, path = checkpoint.parts[key], tostring(key)
      if saved == nil then
         error(('training.load: %s has no part %s'):format(name, path), 0)
      end
      local kind = checkpoint.kinds and checkpoint.kinds[key]
      local fine, failure = pcall(check, path, part, saved, kind)
      if not fine then
         error(('training.load: %s: %s'):format(name, failure), 0)
      end
   end
   local fine, failure = pcall(check_generator, 'the default generator', checkpoint.generator)
   if not fine then
      error(('training.load: %s: %s'):format(name, failure), 0)
   end
   tensor.setRNGState(checkpoint.generator)
   for key, part in versions.each(parts) do
      parts[key] = copy(part, checkpoint.parts[key])
   end
   return checkpoint.info
end

--- load(filename, parts): restores the parts of a checkpoint: copies into the tensors of parameters
-- and layers, replaces their numbers, strings and booleans, and sets the states of optimizers,
-- batches and generators. Returns info. If the checkpoint does not fit, the error names what
-- differs, and nothing is changed.
function training.load(filename, parts)
   return training.restore(training.read(filename), parts, filename)
end

--- progress(total [, options]): returns show(step [, text]), which redraws a line with the step,
-- the steps per second, the time left and the text, at most ten times a second. It writes nothing
-- if the output is not a terminal. options: output (io.stdout), terminal (overrides the check),
-- clock (a function that returns seconds), delay (seconds in which nothing is shown; 0).
function training.progress(total, options)
   if options ~= nil and type(options) ~= 'table' then
      native.raise(('training.progress: a table of options is expected, got %s'):format(
         describe(options)))
   end
   local fine, failure = pcall(files.check, options or {}, {
      output = 'table userdata', terminal = 'boolean', clock = 'function', delay = 'number',
   })
   if not fine then
      native.raise('training.progress: ' .. failure)
   end
   return native.progress.of_steps(total, options)
end

--- steps(first, last [, step]): returns an iterator over the numbers of a loop: for k in
-- training.steps(1, 1000) do ... end. If the loop takes longer than a second, it shows its progress
-- on the terminal of stderr.
training.steps = native.progress.steps

return require 'tensor.native'.limit_arguments(training)
