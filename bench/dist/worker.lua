-- Measures allReduce of float tensors in place. Run by compare.lua with several ranks. Prints lines
-- "bytes seconds": the best of 5 to 50 short blocks of calls. Argument: the largest size in bytes.

local tensor = require 'tensor'
local dist = require 'tensor.dist'

local rank = dist.init()
local bytes, most = 4096, tonumber(arg[1])
while bytes <= most do
  local t = tensor.FloatTensor(bytes / 4):fill(1)
  local calls = math.max(1, math.min(200, math.floor(2 ^ 22 / bytes)))
  local best = math.huge
  for _ = 1, math.max(5, math.min(50, 2 ^ 28 / bytes)) do
    dist.barrier()
    local start = tensor.tic()
    for _ = 1, calls do
      dist.allReduce(t)
    end
    best = math.min(best, tensor.toc(start) / calls)
  end
  if rank == 1 then
    print(('%d %.9f'):format(bytes, best))
  end
  bytes = bytes * 4
end
