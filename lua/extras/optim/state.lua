-- The states of optimizers: what a step checks about them before it changes anything.

local tensor = require 'tensor'
local native = require 'tensor.native'
local raise = native.raise
local types = require 'tensor.types'
local versions = require 'tensor.versions'
local each = versions.each
local overlap = require 'tensor.optim.overlap'
local describe = native.describe(tensor)

-- A step may run in a scope, which the state outlives.
local keep = tensor.keep

local states = {}

--- Parameters of 16 bits have a copy in the state, the master. This is its type, by theirs.
states.type_of_master = types.widened

--- Returns t, or a copy of type float if it has elements of 16 bits.
function states.widened(t)
   return t:type(types.widened[t:type()] or t:type())
end

--- Returns the places of parameters in the state, and the list of the paths of all places. A new
-- path gets a new place. all: the paths of all parameters, also of those without a gradient. If all
-- of them are new, the state is that of other parameters: an error.
function states.places_of(name, paths, all, state)
   local before = type(state) == 'table' and state.paths
   if not before then
      -- A new state, or one without paths, whose places are in the order of the parameters.
      local places = {}
      for k = 1, #paths do
         places[k] = k
      end
      return places, paths
   elseif type(before) ~= 'table' then
      raise(('optim.%s: a table is expected as the paths in the state, got %s'):format(
         name, describe(before)))
   end
   local place, known, places = {}, {}, {}
   for k, path in ipairs(before) do
      if type(path) ~= 'string' then
         raise(('optim.%s: a string is expected as path %d in the state, got %s'):format(
            name, k, describe(path)))
      end
      place[path], known[k] = k, path
   end
   local found = #before == 0 or #paths == 0
   for _, path in ipairs(all) do
      found = found or place[path] ~= nil
   end
   for k, path in ipairs(paths) do
      if not place[path] then
         known[#known + 1] = path
         place[path] = #known
      end
      places[k] = place[path]
   end
   if not found then
      raise(('optim.%s: the state is that of other parameters: params%s is not among those of the '
             .. 'last step, which has params%s'):format(name, paths[1], before[1]))
   end
   -- A compiled step must not change the state if nothing is new.
   return places, #known > #before and known or before
end

-- The fields of one element in the state of a parameter. The others have the size of the parameter.
local is_scalar = {step = true, product = true}

--- move(own, p, class): replaces the tensors in the state of a parameter p that have another class
-- by copies of this class on the device of p. Scalars stay. The state may be that of a
-- program on another device: updates would run there, and could move p there. While a step on a GPU
-- is recorded, nothing moves, because a copy to the GPU would end the recording.
function states.move(own, p, class)
   if tensor.isCompiling() and p:device() ~= 'cpu' then
      return
   end
   for field, t in each(own) do
      if not is_scalar[field] and tensor.isTensor(t) and t:type() ~= class then
         own[field] = keep(p:type(class):clone():copy(t))
      end
   end
end

-- The fields of the state of a parameter. true: a state with other fields of the optimizer has it.
local fields_of = {
   sgd = {velocity = false}, adam = {mean = true, square = true, largest = false},
   rmsprop = {square = true, velocity = false}, adagrad = {sum = true},
   adamax = {mean = true, largest = true}, nadam = {mean = true, square = true, product = true},
   radam = {mean = true, square = true}, lion = {mean = true},
   adadelta = {square = true, changes = true},
}
fields_of.adamW = fields_of.adam

-- Raises an error if a state has other fields than the optimizer makes.
local function check_fields(name, state, leaves, places)
   local function fail(verb, field)
      raise(('optim.%s: the state is that of another optimizer: it %s the field %s'):format(
         name, verb, tostring(field)))
   end
   for key in each(state) do
      if type(key) ~= 'number' and key ~= 'step' and key ~= 'paths' then
         fail('has', key)
      end
   end
   for k = 1, #leaves do
      local own, has_fields = state[places[k]], false
      for field in each(own or {}) do
         local is_common = field == 'step' or field == 'master'
         if not is_common and fields_of[name][field] == nil then
            fail('has', field)
         end
         has_fields = has_fields or not is_common
      end
      for field, is_required in each(has_fields and fields_of[name] or {}) do
         if is_required and own[field] == nil then
            fail('lacks', field)
         end
      end
   end
end

-- Raises an error if the number of steps in a state, a number, is invalid.
local function check_count(name, count)
   if count < 0 or count % 1 ~= 0 then
      raise(('optim.%s: the number of steps in the state must be a whole number of at least 0, got '
             .. '%s'):format(name, versions.shown(count)))
   end
end

-- Returns true for a tensor of one element, which can count steps.
local function is_number(t)
   return types.is_floating[t:type()] and t:dim() == 1 and t:size(1) == 1
end

-- The parameter of a tensor in a state, or true for the number of steps of the optimizer, if the
-- tensor was checked.
local checked = setmetatable({}, {__mode = 'k'})

-- Returns true if a tensor has the elements of the parameter with which its state was checked.
-- Programs may make their parameters, which are views or the data of blobs, at each step.
local function is_same(known, p)
   -- A recording cannot read whether two tensors are the same view.
   return rawequal(known, p)
          or not tensor.isCompiling() and tensor.isTensor(known) and known:isSetTo(p)
end

local function are_checked(state, leaves, places)
   if tensor.isTensor(state.step) and not checked[state.step] then
      return false
   end
   for k, p in ipairs(leaves) do
      for _, t in each(state[places[k]] or {}) do
         if not is_same(checked[t], p) then
            return false
         end
      end
   end
   return true
end

-- Raises an error if a number of steps is invalid, or if tensors that a step updates share
-- elements. Tensors of an earlier call are not checked again.
local function check_contents(name, state, leaves, paths, places)
   if are_checked(state, leaves, places) then
      return
   end
   local tensors, names, owners = {}, {}, {}
   local function add(t, text, owner, is_count)
      local n = #tensors + 1
      tensors[n], names[n], owners[n] = t, text, owner
      if is_count then
         check_count(name, native.element(t))
      elseif owner and overlap.within(t) then
         raise(('optim.%s: elements of %s in the state share memory, as those of expand do'):format(
            name, text))
      end
   end
   if tensor.isTensor(state.step) then
      add(state.step, 'the number of steps', true, true)
   end
   for k, p in ipairs(leaves) do
      add(p, 'params' .. paths[k], false)
      for field, t in each(state[places[k]] or {}) do
         add(t, ('the %s of params%s'):format(field, paths[k]), p, field == 'step')
      end
   end
   local a, b = overlap.pair_in(tensors)
   if a then
      raise(('optim.%s: %s and %s in the state share elements'):format(name, names[a], names[b]))
   end
   for n, t in ipairs(tensors) do
      checked[t] = owners[n] or nil
   end
end

--- Raises an error if the state has another form than this optimizer makes, or a tensor that is
-- remembered about a parameter has another shape or type than it. With a master, the type is float.
-- paths: those of the parameters, the leaves; places: those in the state. Returns true if a tensor
-- has the class of another device than its parameter (move).
function states.check(name, state, leaves, paths, places)
   local what = ('optim.%s: parameter %%d'):format(name)
   local step = type(state) == 'table' and (state.step == nil and 0 or state.step)
   if type(step) == 'number' then
      check_count(name, step)
   elseif not tensor.isTensor(step) or not is_number(step) then
      raise(('optim.%s: a state is a table with the number of steps, got %s'):format(
         name, describe(step or state)))
   end
   local is_elsewhere = false
   for k, p in ipairs(leaves) do
      local of_parameter = state[places[k]] == nil and {} or state[places[k]]
      if type(of_parameter) ~= 'table' then
         raise((what .. ': its state is %s'):format(k, describe(of_parameter)))
      end
      local expected = states.type_of_master[p:type()] or p:type()
      for field, t in each(of_parameter) do
         local is_one = is_scalar[field]
         if not tensor.isTensor(t) or is_one and not is_number(t) then
            raise((what .. ': its %s is %s'):format(k, tostring(field), describe(t)))
         elseif not is_one and not t:isSameSizeAs(p) then
            local size, before = p:size():totable(), t:size():totable()
            raise((what .. ' has size [%s], but had size [%s] in the last step'):format(
               k, table.concat(size, ' x '), table.concat(before, ' x ')))
         elseif not is_one and t:type() ~= expected then
            if types.by_class[t:type()] ~= types.by_class[expected] then
               raise((what .. ' is a %s, but its %s in the last step is a %s'):format(
                  k, p:type(), tostring(field), t:type()))
            end
            is_elsewhere = true
         end
      end
   end
   check_fields(name, state, leaves, places)
   check_contents(name, state, leaves, paths, places)
   return is_elsewhere
end

return states
