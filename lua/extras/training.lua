-- tensor.training: checkpoints and progress lines.

local native = require 'tensor.native'
local tensor = require 'tensor'
local tree = require 'tensor.tree'
local layer = require 'tensor.nn.layer'
local versions = require 'tensor.versions'

local training = {}

-- True for layers, optimizers and batches, of which a checkpoint has the state.
local function has_state(value)
   return type(value) == 'table' and getmetatable(value) ~= nil and not tensor.isTensor(value)
end

local function is_generator(value)
   return tensor.typename(value) == 'torch.Generator'
end

--- save(filename, parts [, info]): writes a checkpoint: parts, a table of parameters (nested tables
-- of tensors), optimizers, layers, batches and generators by name, where the states of all but
-- parameters are written; info, a table of other values, such as the step; and the state of the
-- default generator.
function training.save(filename, parts, info)
   local saved = {}
   for name, part in versions.each(parts) do
      if is_generator(part) then
         saved[name] = tensor.getRNGState(part)
      else
         saved[name] = has_state(part) and (part.state or {}) or part
      end
   end
   tensor.save(filename, {parts = saved, info = info, generator = tensor.getRNGState()})
end

--- read(filename): returns the contents of a checkpoint, for restore.
function training.read(filename)
   local checkpoint = tensor.load(filename)
   if type(checkpoint) ~= 'table' or type(checkpoint.parts) ~= 'table' then
      error(('training.load: %s is not a checkpoint'):format(filename), 0)
   end
   return checkpoint
end

--- restore(checkpoint, parts [, name]): does what load does, with the contents that read returned.
-- name: that of the file, for messages.
function training.restore(checkpoint, parts, name)
   for part in versions.each(parts) do
      if checkpoint.parts[part] == nil then
         error(('training.load: %s has no part %s'):format(name or 'the checkpoint',
                                                         tostring(part)), 0)
      end
   end
   for key, part in versions.each(parts) do
      local saved = checkpoint.parts[key]
      if layer.is(part) then
         tree.copy(part.state or {}, saved)
      elseif has_state(part) then
         part.state = saved
      elseif is_generator(part) then
         tensor.setRNGState(part, saved)
      else
         tree.copy(part, saved)
      end
   end
   tensor.setRNGState(checkpoint.generator)
   return checkpoint.info
end

--- load(filename, parts): restores the parts of a checkpoint: copies into the tensors of parameters
-- and layers, and sets the states of optimizers, batches and generators. Returns info.
function training.load(filename, parts)
   return training.restore(training.read(filename), parts, filename)
end

--- progress(total [, options]): returns show(step [, text]), which redraws a line with the step,
-- the steps per second, the time left and the text, at most ten times a second. It writes nothing
-- if the output is not a terminal. options: output (io.stdout), terminal (overrides the check),
-- clock (a function that returns seconds), delay (seconds in which nothing is shown; 0).
training.progress = native.progress.of_steps

--- steps(first, last [, step]): returns an iterator over the numbers of a loop: for k in
-- training.steps(1, 1000) do ... end. If the loop takes longer than a second, it shows its progress
-- on the terminal of stderr.
training.steps = native.progress.steps

return require 'tensor.native'.limit_arguments(training)
