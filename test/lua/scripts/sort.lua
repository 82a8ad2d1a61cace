-- Sorting and order statistics: sort, topk, kthvalue, median, mode.
require 'torch'

local x = torch.Tensor {{3, 1, 2}, {9, 7, 8}}
local sorted, index = torch.sort(x)
print(sorted)
print(index)
print((torch.sort(x, 1, true)))
print(x:gather(2, index):eq(sorted):all())

print(x:topk(1))
print((x:topk(2, 2, true, true)))
local value, position = x:kthvalue(2)
print(value, position)
print((x:view(-1):median()))
print((torch.mode(torch.Tensor {1, 2, 2, 3, 3, 3})))

local top, at = x:max(2)
print(top, at)
print(x:max(), x:min(), torch.max(x, 1))
print(torch.cmax(x, 5))
print(torch.cumsum(x, 2))
print(torch.cumprod(x, 1))

-- Sorts rows by a column, and shuffles a sequence.
local order = select(2, x:select(2, 2):sort(true))
print(x:index(1, order))
local shuffled = torch.randperm(6)
print((shuffled:sort()))
