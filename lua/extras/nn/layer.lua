-- tensor.nn: what all layers share. A layer is a table that can be called:
-- layer(params, x [, options]) returns the result. layer.init() returns new parameters, a nested
-- table of tensors. layer.state is a nested table of tensors that training changes, or nil.

local Layer = {}
Layer.__index = Layer

function Layer:__call(params, x, options)
   return self.forward(params, x, options or {})
end

function Layer:__tostring()
   return ('nn.%s'):format(self.name)
end

local layer = {}

--- Creates a layer. forward(params, x, options), init().
function layer.new(name, init, forward, state)
   return setmetatable({name = name, init = init, forward = forward, state = state}, Layer)
end

function layer.is(value)
   return getmetatable(value) == Layer
end

--- Raises an error unless the value is a whole number of at least 1.
function layer.check_size(name, what, value)
   if type(value) ~= 'number' or value < 1 or value % 1 ~= 0 then
      error(('nn.%s: %s: a whole number of at least 1 is expected, got %s'):format(
         name, what, tostring(value)), 0)
   end
   return value
end

return layer
