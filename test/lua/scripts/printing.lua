-- Printed output: integers and mixed numbers, widths and scale factors, slices, types, storages.
require 'torch'

print(torch.Tensor {1, -2, 3})
print(torch.Tensor {0.5, -1.25})
print(torch.Tensor {1000, 0.001})
print(torch.Tensor {1e10, 1})
print(torch.Tensor {{1, 2}, {3, 4.5}})
print(torch.eye(3) * 100)
print(torch.IntTensor {10, 200})
print(torch.ByteTensor {255})
print(torch.zeros(2, 2, 2))
print(torch.Tensor())
print(torch.LongStorage {4, 5})
print(torch.FloatTensor {0 / 0, 1.5})
print(tostring(torch.Tensor(1):fill(7)))
print(torch.Tensor {7}[1], 2 ^ 53, 0.1)
