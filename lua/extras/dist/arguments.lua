-- Checks of the arguments of tensor.dist. `name` is that of the function, for messages.

local files = require 'tensor.files'
local native = require 'tensor.native'.dist
local raise = require 'tensor.native'.raise
local versions = require 'tensor.versions'

local arguments = {}

--- is_whole(x, least, most): true for a whole number in this range.
function arguments.is_whole(x, least, most)
   return type(x) == 'number' and x >= least and x <= most and x % 1 == 0
end

--- check_root(group, name, root): raises an error unless the root is a rank.
function arguments.check_root(group, name, root)
   if not arguments.is_whole(root, 1, group.own_size) then
      raise(('%s: root %s is not a rank: the group has %d ranks'):format(name, versions.shown(root),
                                                                       group.own_size))
   end
end

--- check_rank(group, name, rank): raises an error unless `rank` is another rank.
function arguments.check_rank(group, name, rank)
   if rank == group.own_rank then
      raise(('%s: rank %d is this rank itself'):format(name, rank))
   elseif not arguments.is_whole(rank, 1, group.own_size) then
      raise(('%s: rank %s does not exist: the group has %d ranks'):format(
         name, versions.shown(rank), group.own_size))
   end
end

--- announce(group, message): reports an error of a call that has failed on this rank. The other
-- ranks make the call, so it differs from the barrier here: they raise an error that contains the
-- message, and all ranks are in step.
function arguments.announce(group, message)
   if group.own_size > 1 then
      pcall(native.call, group.native, 'barrier', nil, nil, nil, nil, false, message)
   end
end

--- fail(group, message): announces an error, and raises it.
function arguments.fail(group, message)
   message = files.without_position(message)
   arguments.announce(group, message)
   raise(message)
end

-- result: of any type, as it is compared with the operands.
local types = {argument = 'number', async = 'boolean', bytes = 'number',
               deterministic = 'boolean', result = 'userdata table number string boolean function',
               tensors = 'boolean', timeout = 'number', transport = 'string'}

--- options(name, options, ...): the options of a call, checked. The names that it knows follow.
function arguments.options(name, options, ...)
   local known = {}
   for _, key in ipairs{...} do
      known[key] = types[key]
   end
   return files.options(name, options, known)
end

return arguments
