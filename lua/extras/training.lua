-- tensor.training: checkpoints and progress lines.

local files = require 'tensor.files'
local native = require 'tensor.native'
local tensor = require 'tensor'
local checkpoints = require 'tensor.checkpoints'


local training = {}

--- save(filename, parts [, info]): writes a checkpoint: parts, a table of parameters (nested tables
-- of tensors, numbers, strings and booleans), optimizers, layers, batches and generators by name,
-- where the states of all but parameters are written; info, a table of other values, such as the
-- step; and the state of the default generator. Parts may be in nested tables. Functions are
-- errors.
function training.save(filename, parts, info)
   tensor.save(filename, checkpoints.contents(parts, info))
end

--- load(filename, parts): restores the parts of a checkpoint: copies into the tensors of parameters
-- and layers, replaces their numbers, strings and booleans, and sets the states of optimizers,
-- batches and generators. Returns info. If the checkpoint does not fit, the error names what
-- differs, and nothing is changed.
function training.load(filename, parts)
   return checkpoints.restore(checkpoints.read(filename), parts, filename)
end

--- progress(total [, options]): returns show(step [, text]), which redraws a line with the step,
-- the steps per second, the time left and the text, at most ten times a second. It writes nothing
-- if the output is not a terminal. options: output (io.stdout), terminal (overrides the check),
-- clock (a function that returns seconds), delay (seconds in which nothing is shown; 0).
function training.progress(total, options)
   return native.progress.of_steps(total, files.options('training.progress', options, {
      output = 'table userdata', terminal = 'boolean', clock = 'function', delay = 'number',
   }))
end

--- steps(first, last [, step]): returns an iterator over the numbers of a loop: for k in
-- training.steps(1, 1000) do ... end. If the loop takes longer than a second, it shows its progress
-- on the terminal of stderr.
training.steps = native.progress.steps

return require 'tensor.native'.limit_arguments(training)
