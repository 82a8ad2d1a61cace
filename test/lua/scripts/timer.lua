-- Timers: output that does not depend on the machine.
require 'torch'

local timer = torch.Timer()
print(torch.type(timer), timer)

local a = torch.rand(200, 200)
for _ = 1, 10 do
   a:copy(torch.mm(a, a)):div(a:max())
end
local time = timer:stop():time()
print(time.real > 0, time.user >= 0, time.sys >= 0)

local stopped = timer:time().real
print(timer:time().real == stopped, timer)
print(timer:resume(), timer:time().real >= stopped)
timer:reset()
print(timer:time().real < stopped)

local start = torch.tic()
print(torch.toc(start) >= 0)
