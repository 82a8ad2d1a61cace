-- Valid arguments for a call of any Torch7 function.

local tensor = require 'tensor'

local arguments = {}

-- The numbers for the number slots of a call, in order.
local numbers = {
  bernoulli = { 0.5 }, geometric = { 0.5 }, eye = { 2, 3 }, diag = { 1 }, bhistc = { 3, 0, 9 },
  histc = { 3, 0, 9 }, pstrf = { -1 }, logspace = { 0, 1, 3 }, linspace = { 0, 1, 3 },
}
local default_numbers = { 1, 2, 1 }

-- A symmetric positive definite matrix; its elements fit into every type.
local function matrix(class)
  return class { { 4, 1, 2 }, { 1, 5, 1 }, { 2, 1, 6 } }
end

local function filled(class, ndim)
  if ndim == 2 then return matrix(class) end
  local sizes = {}
  for d = 1, ndim do sizes[d] = 3 end
  local t = class():resize(tensor.LongStorage(sizes))
  local k = 0
  return t:apply(function()
    k = k + 1
    return 1 + k % 4
  end)
end

-- By name: functions that return the operands in the order of the tensor slots, without results.
-- nil selects the default operand.
local operands = {}
function operands.multinomialAlias_(class)
  return tensor.multinomialAliasSetup(class { 0.25, 0.25, 0.5 })
end
function operands.bernoulli(class)
  return class == tensor.DoubleTensor and { class(3, 3):fill(0.5) } or {}
end
function operands.multinomialAliasSetup_(class)
  return { class { 0.25, 0.25, 0.5 } }
end
function operands.potri(class)
  return { class(tensor.potrf(matrix(tensor.DoubleTensor)):type(class.__typename)) }
end
function operands.potrs(class)
  return { matrix(class), operands.potri(class)[1] }
end
function operands.orgqr(class)
  local a, tau = tensor.geqrf(matrix(class))
  return { a, tau }
end
function operands.ormqr(class)
  local a, tau = tensor.geqrf(matrix(class))
  return { a, tau, matrix(class) }
end

-- Initial values of results that are also read.
local results = {}
function results.multinomialAlias_() return tensor.LongTensor(4) end
results.cmax, results.cmin = matrix, matrix

local element_classes = { L = 'Long', B = 'Byte', I = 'Int', F = 'Float', D = 'Double' }

--- Returns the arguments for the slots, and their number. sizes: 'numbers' or 'storage'.
function arguments.make(name, slots, class, sizes)
  local list, count = {}, 0
  local own = operands[name] and operands[name](class) or {}
  local number, operand = 0, 0
  local function add(value)
    count = count + 1
    list[count] = value
  end
  for _, slot in ipairs(slots) do
    local kind = slot.kind
    if kind == 'x' then
      number = number + 1
      add((numbers[name] or default_numbers)[number] or 1)
    elseif kind == 'i' then
      add(1)
    elseif kind == 'b' then
      add(true)
    elseif kind == 'g' then
      add(tensor.Generator())
    elseif kind == 'o' then
      add(slot.letter)
    elseif kind == 's' and sizes == 'storage' then
      add(tensor.LongStorage { 3, 3 })
    elseif kind == 's' then
      add(3)
      add(3)
    elseif kind == '{' then
      add { filled(class, 2), filled(class, 2) }
    else
      local wanted = class
      if kind ~= 'T' then wanted = tensor[element_classes[kind] .. 'Tensor'] end
      if slot.result and slot.optional then
        add(results[name] and results[name](wanted) or wanted())
      else
        if not slot.result then operand = operand + 1 end
        local value = not slot.result and own[operand]
        if value then
          add(value)
        elseif kind == 'L' then
          add(tensor.LongTensor(3, 3):fill(1))
        elseif kind == 'F' or kind == 'D' then
          add(wanted(3, 3):fill(0.5))
        else
          add(filled(wanted, slot.ndim))
        end
      end
    end
  end
  return list, count
end

return arguments
