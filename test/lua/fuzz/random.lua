-- Random choices that depend on a seed and on nothing else.

local Random = {}
Random.__index = Random

local function new(seed)
  return setmetatable({ state = (seed * 7919 + 12345) % 2147483647 + 1 }, Random)
end

--- An integer from 1 to n.
function Random:int(n)
  -- The multiplicative generator of Lewis, Goodman and Miller; all products are exact in a double.
  self.state = self.state * 48271 % 2147483647
  return math.floor(self.state / 2147483647 * n) + 1
end

--- Whether something happens that does once in n times.
function Random:once_in(n) return self:int(n) == 1 end

--- One of the elements of a list.
function Random:of(list) return list[self:int(#list)] end

return new
