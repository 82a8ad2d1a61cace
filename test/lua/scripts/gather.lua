-- Elements by index: gather, scatter, one-hot vectors, masks, adding rows to rows.
require 'torch'

local scores = torch.Tensor {{1, 5, 3}, {8, 2, 4}}
local labels = torch.LongTensor {2, 3}
print(scores:gather(2, labels:view(2, 1)))

local onehot = torch.zeros(2, 3):scatter(2, labels:view(2, 1), 1)
print(onehot)
print(torch.zeros(2, 3):scatter(2, torch.LongTensor {{3, 1}, {2, 3}},
                                torch.Tensor {{7, 8}, {9, 6}}))

local _, predicted = scores:max(2)
print(predicted:view(-1):eq(labels))
print(predicted:view(-1):eq(labels):sum())

local confusion = torch.zeros(3, 3)
for k = 1, 2 do
   local row, column = labels[k], predicted[k][1]
   confusion[row][column] = confusion[row][column] + 1
end
print(confusion)

print(scores:maskedSelect(scores:ge(4)))
print(scores:clone():maskedFill(scores:lt(3), 0))
print(scores:ge(4):nonzero())

local table_ = torch.range(1, 6):view(3, 2)
print(table_:index(1, torch.LongTensor {3, 3, 1}))
local sums = torch.zeros(3, 2)
sums:indexAdd(1, torch.LongTensor {1, 3, 1}, table_)
print(sums)
sums:indexFill(2, torch.LongTensor {2}, -1)
sums:indexCopy(1, torch.LongTensor {2}, torch.Tensor {{5, 6}})
print(sums)
