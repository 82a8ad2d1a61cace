-- The contents of checkpoints: those of tensor.training, and the states that differ between the
-- ranks of tensor.dist.

local files = require 'tensor.files'
local native = require 'tensor.native'
local tensor = require 'tensor'
local tree = require 'tensor.tree'
local types = require 'tensor.types'
local layer = require 'tensor.nn.layer'
local versions = require 'tensor.versions'

local describe = native.describe(tensor)

local checkpoints = {}

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

-- True for values that a checkpoint saves and restores by themselves, and tables of parts.
local function is_part(value)
   return is_plain[type(value)] or type(value) == 'table' or tensor.isTensor(value)
      or is_generator(value) or has_state(value)
end

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
   if native.is_tracked(part) then
      part = part:item()
   end
   if not is_part(part) then
      error(('%s is %s, which a checkpoint cannot contain'):format(path, describe(part)), 0)
   end
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
      elseif not types.have_same_elements(part, saved) then
         error(('%s: a %s is expected, got a %s'):format(path, part:type(), saved:type()), 0)
      end
   else
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
   elseif is_plain[type(part)] or native.is_tracked(part) then
      return saved
   end
   return part
end

-- Raises an error unless a value is a table of parts. name: that of the function of training.
local function check_table(name, parts)
   if type(parts) ~= 'table' or getmetatable(parts) then
      error(('training.%s: a table of parts is expected, got %s'):format(name, describe(parts)), 0)
   end
end

local function fail_to_save(path, value)
   error(('training.save: %s is %s, which a checkpoint cannot contain'):format(
      path, describe(value)), 0)
end

-- Raises an error if a function is in a value or in its tables: load refuses files with functions,
-- because they are code.
local function refuse_functions(path, value, seen)
   if type(value) == 'function' then
      fail_to_save(path, value)
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
   elseif native.is_tracked(part) then
      return part:item(), 'parameters'
   elseif not is_part(part) then
      fail_to_save(path, part)
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

--- contents(parts, info): returns the contents of a checkpoint: the arguments of training.save.
function checkpoints.contents(parts, info)
   check_table('save', parts)
   local saved, kinds = {}, {}
   for name, part in versions.each(parts) do
      saved[name], kinds[name] = saved_of(tostring(name), part, {})
      refuse_functions(tostring(name), saved[name], {})
   end
   refuse_functions('info', info, {})
   return {parts = saved, kinds = kinds, info = info, generator = tensor.getRNGState()}
end

--- check_form(value, name): raises an error unless a value has the form of a checkpoint. name: that
-- of its file.
function checkpoints.check_form(value, name)
   local is_checkpoint = type(value) == 'table' and type(value.parts) == 'table'
      and (value.kinds == nil or type(value.kinds) == 'table')
      and tensor.typename(value.generator) == 'torch.ByteTensor'
      and (value.ranks == nil or type(value.ranks) == 'table')
   for _, own in ipairs(is_checkpoint and value.ranks or {}) do
      is_checkpoint = is_checkpoint and type(own) == 'table'
         and tensor.typename(own.generator) == 'torch.ByteTensor'
   end
   if not is_checkpoint then
      error(('training.load: %s is not a checkpoint'):format(name), 0)
   end
end

--- check(saved, parts, name): raises an error unless the contents of a checkpoint, which have its
-- form, fit to parts. name: that of the file, for messages.
function checkpoints.check(saved, parts, name)
   check_table('load', parts)
   for key, part in versions.each(parts) do
      local value, path = saved.parts[key], tostring(key)
      if value == nil then
         error(('training.load: %s has no part %s'):format(name, path), 0)
      end
      local kind = saved.kinds and saved.kinds[key]
      local fine, failure = pcall(check, path, part, value, kind)
      if not fine then
         error(('training.load: %s: %s'):format(name, failure), 0)
      end
   end
   local fine, failure = pcall(check_generator, 'the default generator', saved.generator)
   if not fine then
      error(('training.load: %s: %s'):format(name, failure), 0)
   end
end

--- copy(saved, parts): restores parts from the contents of a checkpoint, which fit. Returns info.
function checkpoints.copy(saved, parts)
   tensor.setRNGState(saved.generator)
   for key, part in versions.each(parts) do
      parts[key] = copy(part, saved.parts[key])
   end
   return saved.info
end

-- ---- ranks ----

-- Returns the state of a part that may differ between ranks, or a table of those of its fields, or
-- nil. Parameters and the states of optimizers are equal on all ranks.
local function own_state(part)
   if is_generator(part) then
      return tensor.getRNGState(part)
   elseif has_state(part) then
      local is_optimizer = not layer.is(part) and type(part.name) == 'string'
      return not is_optimizer and part.state or nil
   elseif not is_branch(part) then
      return nil
   end
   local fields = {}
   for key, field in versions.each(part) do
      fields[key] = own_state(field)
   end
   return next(fields) ~= nil and fields or nil
end

--- own_states(parts): returns what the checkpoint of several ranks has of this one: the states of
-- the default generator, and of generators, layers, batches and other objects among the parts.
function checkpoints.own_states(parts)
   local saved = checkpoints.contents(parts)
   return {generator = saved.generator, parts = own_state(parts)}
end

-- Returns the saved values of a part, with the states of a rank instead of those of rank 1.
local function replaced(part, saved, own)
   if own == nil then
      return saved
   elseif is_generator(part) or has_state(part) then
      return own
   elseif not is_branch(part) or type(saved) ~= 'table' or type(own) ~= 'table' then
      return saved
   end
   local fields = {}
   for key, field in versions.each(saved) do
      fields[key] = replaced(part[key], field, own[key])
   end
   return fields
end

-- Returns a state of a generator for a rank that the checkpoint lacks, made from the state of
-- another rank. The stream is another one, and the same each time.
local function derived(state, rank)
   local generator = tensor.Generator()
   tensor.setRNGState(generator, state)
   tensor.manualSeed(generator, (tensor.random(generator) + rank * 2654435761) % 2 ^ 32)
   return tensor.getRNGState(generator)
end

-- Returns the state of a part for a rank that the checkpoint lacks: that of rank 1. first, last:
-- the states of the first and the last rank of the checkpoint. If these have different random
-- numbers, so has this rank.
local function further(part, first, last, rank)
   if is_generator(part) then
      return first:equal(last) and first or derived(first, rank)
   elseif not is_branch(part) or type(first) ~= 'table' or type(last) ~= 'table' then
      return first
   end
   local fields = {}
   for key, field in versions.each(first) do
      fields[key] = further(part[key], field, last[key], rank)
   end
   return fields
end

--- of_rank(saved, parts, rank): returns the contents of a checkpoint with the states of a rank.
function checkpoints.of_rank(saved, parts, rank)
   local ranks = saved.ranks or {}
   local first, last, own = ranks[1], ranks[#ranks], ranks[rank]
   if not first then
      return saved
   elseif not own then
      local generator = first.generator
      if not generator:equal(last.generator) then
         generator = derived(generator, rank)
      end
      own = {generator = generator, parts = further(parts, first.parts, last.parts, rank)}
   end
   local result = {}
   for key, value in versions.each(saved) do
      result[key] = value
   end
   result.generator, result.parts = own.generator, replaced(parts, saved.parts, own.parts)
   return result
end

--- read(filename): returns the contents of a checkpoint, for restore.
function checkpoints.read(filename)
   local saved = tensor.load(filename)
   checkpoints.check_form(saved, filename)
   return saved
end

--- restore(checkpoint, parts [, name]): does what training.load does, with the contents of a
-- checkpoint. name: that of the file, for messages.
function checkpoints.restore(checkpoint, parts, name)
   checkpoints.check_form(checkpoint, name or 'the value')
   checkpoints.check(checkpoint, parts, name or 'the checkpoint')
   return checkpoints.copy(checkpoint, parts)
end

return checkpoints
