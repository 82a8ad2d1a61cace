-- Training loops written by hand: fits a line by gradient descent, and trains a network with one
-- hidden layer on exclusive or. The output does not depend on rounding.
require 'torch'

torch.manualSeed(1)
torch.setdefaulttensortype('torch.FloatTensor')

-- y = 2 x - 1
local x = torch.range(-2, 2):view(-1, 1)
local y = x * 2 - 1
local w, b = torch.zeros(1, 1), torch.zeros(1)
local losses = {}
for epoch = 1, 200 do
   local error_ = torch.mm(x, w):add(b[1]) - y
   losses[epoch] = torch.pow(error_, 2):mean()
   w:add(-0.1, torch.mm(x:t(), error_):div(x:size(1)))
   b:add(-0.1 * error_:mean())
end
-- The first loss is the mean of y squared: (25 + 9 + 1 + 1 + 9) / 5.
print(losses[1], losses[200] < 1e-6)
print(('%.3f %.3f'):format(w[1][1], b[1]))

local inputs = torch.Tensor {{0, 0}, {0, 1}, {1, 0}, {1, 1}}
local targets = torch.Tensor {0, 1, 1, 0}:view(4, 1)
local hidden = 8
local w1, b1 = torch.randn(2, hidden), torch.zeros(1, hidden)
local w2, b2 = torch.randn(hidden, 1), torch.zeros(1, 1)

local function forward()
   local h = torch.tanh(torch.mm(inputs, w1) + b1:expand(4, hidden))
   return torch.sigmoid(torch.mm(h, w2) + b2:expand(4, 1)), h
end

local first, last
for epoch = 1, 2000 do
   local output, h = forward()
   local loss = -(torch.cmul(targets, torch.log(output))
                  + torch.cmul(1 - targets, torch.log(1 - output))):mean()
   first = first or loss
   last = loss
   local doutput = (output - targets):div(4)
   local dh = torch.mm(doutput, w2:t()):cmul(1 - torch.pow(h, 2))
   w2:add(-1, torch.mm(h:t(), doutput))
   b2:add(-1, doutput:sum(1))
   w1:add(-1, torch.mm(inputs:t(), dh))
   b1:add(-1, dh:sum(1))
   if epoch % 1000 == 0 then
      collectgarbage()
   end
end
print(last < first, last < 0.01)
print((forward():gt(0.5):typeAs(targets):eq(targets):all()))
print(torch.round((forward())))
print(w1:type(), torch.getdefaulttensortype())
