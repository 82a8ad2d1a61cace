-- The state of an nn module: what it stores in updateOutput and needs for its gradients.

local versions = require 'tensor.versions'
local tensor = require 'tensor'

local each = versions.each

local state = {}

local function copy_of(value)
   if tensor.isTensor(value) then
      return value:clone()
   elseif tensor.isStorage(value) then
      return value.new(value:size()):copy(value)
   end
   return value
end

--- capture(module [, keep]): returns the fields of a module and of the tables in it. With keep, a
-- set of tensors, all other tensors are copied.
function state.capture(module, keep)
   local captured, seen, copies = {}, {}, {}
   local function visit(t)
      seen[t] = true
      local fields = {}
      for key, value in each(t) do
         if type(value) == 'table' then
            if not seen[value] then
               visit(value)
            end
         elseif keep and type(value) == 'userdata' and not keep[value] then
            -- One tensor may be in several fields.
            copies[value] = copies[value] or copy_of(value)
            value = copies[value]
         end
         fields[key] = value
      end
      captured[#captured + 1] = {table = t, fields = fields}
   end
   visit(module)
   return captured
end

--- restore(captured): sets the fields to what state.capture returned.
function state.restore(captured)
   for _, entry in ipairs(captured) do
      local extra = {}
      for key in each(entry.table) do
         if entry.fields[key] == nil then
            extra[#extra + 1] = key
         end
      end
      for _, key in ipairs(extra) do
         rawset(entry.table, key, nil)
      end
      for key, value in each(entry.fields) do
         rawset(entry.table, key, value)
      end
   end
end

return state
