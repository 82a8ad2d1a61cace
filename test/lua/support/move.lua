local tensor = require 'tensor'

--- Moves the tensors of a list, and of lists in it, to a device. Returns the list.
local function move(list, device)
  for _, value in pairs(list) do
    if tensor.isTensor(value) then
      value:to(device)
    elseif type(value) == 'table' then
      move(value, device)
    end
  end
  return list
end

return move
