-- Operations of a network's forward pass and element-wise ones. Prints the seconds that they take.

local tensor = require 'tensor'
tensor.setdefaulttensortype 'torch.FloatTensor'

local x, w, h = tensor.rand(128, 784), tensor.rand(784, 512), tensor.Tensor(128, 512)
local long, sum = tensor.rand(2 ^ 18), tensor.Tensor(2 ^ 18)

local function step()
   h:mm(x, w)
   h:tanh()
   sum:add(long, 1)
   sum:cmul(long)
   return sum:sum()
end

for _ = 1, 10 do step() end
local timer = tensor.Timer()
for _ = 1, 300 do step() end
print(('%.3f'):format(timer:time().real))
