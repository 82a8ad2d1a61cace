-- A deterministic random generator.

local Random = {}
Random.__index = Random

local function new(seed)
  return setmetatable({ state = (seed * 7919 + 12345) % 2147483647 + 1 }, Random)
end

--- Returns an integer from 1 to n.
function Random:int(n)
  -- The multiplicative generator of Lewis, Goodman and Miller; all products are exact in a double.
  self.state = self.state * 48271 % 2147483647
  return math.floor(self.state / 2147483647 * n) + 1
end

--- Returns true with probability 1/n.
function Random:once_in(n) return self:int(n) == 1 end

--- Returns a random element of a list.
function Random:of(list) return list[self:int(#list)] end

return new
