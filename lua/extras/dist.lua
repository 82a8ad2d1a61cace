-- tensor.dist: programs of several processes. Each process has a rank, from 1. All ranks of a group
-- make the same calls in the same order.

local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local Group = require 'tensor.dist.group'
local raise = require 'tensor.native'.raise
local versions = require 'tensor.versions'

local dist = {}
local world

--- init([options]): starts the transport if a launcher such as mpirun has started this process.
-- Without a launcher the program is one process, rank 1 of 1. The other functions call init.
-- options: timeout, the seconds after which a missing rank is an error (600); transport = 'mpi',
-- the default under a launcher. Returns rank and size.
function dist.init(options)
   options = arguments.options('init', options, 'timeout', 'transport')
   if options.timeout then
      native.timeout(options.timeout)
   end
   if not world then
      world = Group.new(native.start(options.transport))
   elseif options.transport then
      raise('init: the transport has been started before')
   end
   return world:rank(), world:size()
end

--- isParallel(): true if init has been called and there are several ranks.
function dist.isParallel()
   return world ~= nil and world:size() > 1
end

--- world(): the group of all ranks.
function dist.world()
   if not world then
      dist.init()
   end
   return world
end

--- localRank(): the rank among the processes on the same machine, from 1.
function dist.localRank()
   return select(3, native.info(dist.world().native)) + 1
end

--- localSize(): the number of processes on this machine.
function dist.localSize()
   return (select(4, native.info(dist.world().native)))
end

--- library(): the name and version of the transport's library, or '' for one process.
function dist.library()
   return (select(5, native.info(dist.world().native)))
end

--- timeout(): the seconds after which a missing rank is an error.
function dist.timeout()
   return native.timeout()
end

--- abort([message]): writes the message to stderr and ends the processes of all ranks.
function dist.abort(message)
   io.stdout:flush()
   if message then
      io.stderr:write(('rank %d: %s\n'):format(dist.rank(), tostring(message)))
   end
   io.stderr:flush()
   dist.world()
   native.abort(1)
end

require 'tensor.dist.values'(Group)
require 'tensor.dist.ordered'(Group)
require 'tensor.dist.gradients'(Group)
require 'tensor.dist.parameters'(Group)

require 'tensor.native'.limit_arguments(Group)

-- The methods of groups are also functions of the module, for all ranks. Names that begin with
-- own_ are for the files of the module.
for name, method in versions.each(Group) do
   if type(method) == 'function' and name ~= 'new' and not name:find '^own_' then
      dist[name] = function(...)
         return method(dist.world(), ...)
      end
   end
end

return require 'tensor.native'.limit_arguments(dist)
