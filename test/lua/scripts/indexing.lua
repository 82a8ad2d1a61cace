-- The forms of indexing that Torch7 scripts use.
require 'torch'

local x = torch.range(1, 12):resize(3, 4)
print(x)
print(x[2])
print(x[2][3], x[{3, 4}], x[-1][-1])
print(x[{2, {2, 3}}])
print(x[{{}, 2}])
print(x[{{1, 2}, {3, 4}}])
print(x[{{-2, -1}}])
print(x:select(2, 1), x:narrow(1, 2, 2):sum())
print(x:sub(2, 3, -2, -1))

x[1] = 0
x[{2, {1, 2}}] = torch.Tensor {-5, -6}
x[{{}, 4}] = 7
print(x)

local mask = x:gt(6)
print(mask)
print(x[mask])
x[mask] = 1
x[x:lt(0)] = -1
print(x)

print(x:index(1, torch.LongTensor {3, 1}))
print(x:index(2, torch.LongTensor {4, 4, 1}):size())
print(#x, x:dim(), x:nElement())
print(x:t():isContiguous(), x:t()[{4, 2}])

local s = torch.LongStorage {2, 3}
print(torch.zeros(s):size(1), s[2], #s)
print(pcall(function() return x[4] end) == false)
