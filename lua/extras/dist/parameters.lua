-- Parameters and data of parallel training: equal parameters on all ranks, parts of the data, and
-- checkpoints.

local tensor = require 'tensor'
local checkpoints = require 'tensor.checkpoints'
local files = require 'tensor.files'
local arguments = require 'tensor.dist.arguments'
local native = require 'tensor.native'.dist
local leaves_of = require 'tensor.dist.parts'
local raise = require 'tensor.native'.raise

local function install(Group)
   --- synchronize(params [, root = 1]): overwrites the tensors, numbers, strings and booleans of a
   -- nested table by those of the root, and returns it.
   function Group:synchronize(params, root)
      root = root or 1
      arguments.check_root(self, 'synchronize', root)
      local found = leaves_of.collect('synchronize', params, true)
      if self.own_size > 1 then
         local detail = leaves_of.of_call('synchronize', leaves_of.describe(found, true))
         for _, leaf in ipairs(found.leaves) do
            native.call(self.native, 'broadcast', nil, leaf, nil, root - 1, false, detail)
         end
         if #found.leaves == 0 then
            leaves_of.agree(self, found)
         end
         self:own_broadcast_others(found, root)
      end
      return leaves_of.put(found)
   end

   --- check(params [, name = 'params']): raises an error on all ranks if the tensors and numbers of
   -- a nested table are not equal on all ranks, bit for bit. The error names the first one that
   -- differs, and the ranks where it differs from that of most ranks. Returns params.
   function Group:check(params, name)
      local found = leaves_of.collect('check', params, true)
      local leaves = found.leaves
      if self.own_size == 1 then
         return params
      elseif #leaves == 0 then
         leaves_of.agree(self, found)
         return params
      end
      local hashes = tensor.LongTensor(#leaves)
      for k, leaf in ipairs(leaves) do
         hashes:narrow(1, k, 1):copy(native.hash(leaf))
      end
      local all = tensor.LongTensor()
      native.call(self.native, 'allGather', all, hashes, nil, nil, false,
                  leaves_of.of_call('check', table.concat(found.names, ', ')))
      for k = 1, #leaves do
         local column = all:select(2, k):contiguous()
         -- agreeing[r]: the number of ranks with the hash of rank r.
         local agreeing, most = {}, 1
         for r = 1, self.own_size do
            agreeing[r] = column:eq(column:narrow(1, r, 1):expandAs(column)):sum()
            if agreeing[r] > agreeing[most] then
               most = r
            end
         end
         local others = {}
         for r = 1, self.own_size do
            if not column:narrow(1, r, 1):equal(column:narrow(1, most, 1)) then
               others[#others + 1] = r
            end
         end
         if #others > 0 then
            local own = found.names[k]
            raise(('check: %s differs on rank%s %s from that on rank %d'):format(
               (name or 'params') .. (own == '' and '' or '.') .. own, #others > 1 and 's' or '',
               table.concat(others, ', '), most))
         end
      end
      return params
   end

   --- shard(n): the first and the last index of the part of 1, ..., n that belongs to this rank.
   -- Parts differ by at most one element. If a part is empty, last is first - 1. shard(t): the rows
   -- of a tensor that belong to this rank, a view.
   function Group:shard(n)
      if tensor.isTensor(n) then
         if n:dim() == 0 then
            raise('shard: a tensor of 0 dimensions has no rows')
         end
         local first, last = Group.own_part(n:size(1), self.own_size, self.own_rank)
         return n:narrow(1, first + 1, last - first)
      elseif not arguments.is_whole(n, 0, 2 ^ 53) then
         raise('shard: a number of elements or a tensor is expected, got '
               .. (type(n) == 'number' and tostring(n) or tensor.type(n)))
      end
      local first, last = Group.own_part(n, self.own_size, self.own_rank)
      return first + 1, last
   end

   --- save(filename, parts [, info]): training.save at rank 1, with the random numbers, layers and
   -- batches of each rank. Returns when the file is written.
   function Group:save(filename, parts, info)
      local fine, own = pcall(checkpoints.own_states, parts)
      if not fine then
         arguments.fail(self, own)
      end
      local ranks = self:own_gather_values('gather', own, 1, {}, 'save')
      local problem
      if self.own_rank == 1 then
         fine, problem = pcall(function()
            local saved = checkpoints.contents(parts, info)
            saved.ranks = ranks
            tensor.save(filename, saved)
         end)
      end
      problem = self:own_broadcast_value(not fine and tostring(problem), 1, {}, 'save')
      if problem then
         raise(files.without_position(problem))
      end
   end

   --- load(filename, parts): training.load for all ranks, with the file that rank 1 reads. The
   -- number of ranks may differ from that at save. If the checkpoint does not fit on one rank, all
   -- ranks raise an error, and nothing is changed. Returns info.
   function Group:load(filename, parts)
      local saved
      if self.own_rank == 1 then
         local ok, read = pcall(checkpoints.read, filename)
         saved = ok and read or tostring(read)
      end
      saved = self:own_broadcast_value(saved, 1, {}, 'load')
      if type(saved) == 'string' then
         raise(files.without_position(saved))
      end
      local fine, problem = pcall(function()
         saved = checkpoints.of_rank(saved, parts, self.own_rank)
         checkpoints.check(saved, parts, filename)
      end)
      if not fine then
         arguments.fail(self, problem)
      end
      native.call(self.native, 'barrier', nil, nil, nil, nil, false,
                  leaves_of.of_call('load', 'a checkpoint that fits'))
      return checkpoints.copy(saved, parts)
   end
end

return install
