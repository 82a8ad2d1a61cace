-- Times the library on a device, with the same cases that gpu.py times for PyTorch. Prints "device
-- <name> <peak bytes per second, or 0>", then one line "case<TAB>nanoseconds<TAB>amount<TAB>unit"
-- per case: the median time of a call, and its bytes moved (B) or operations (F).
--
--   tensor bench/gpu.lua [device] [substring of case names]
--
-- On the software device, soft, sizes are small: that only checks that the cases run.

local tensor = require 'tensor'
local device = arg[1] or 'gpu'
local wanted = arg[2] or ''
tensor.setdefaulttensortype 'torch.FloatTensor'
local soft = device:find('^soft') ~= nil

local function find_device()
  local probe = tensor.Tensor(1)
  local ok, message = pcall(probe.to, probe, device)
  for _, found in ipairs(tensor.devices()) do
    if ok and found.name == probe:device() then
      return found
    end
  end
  io.stderr:write('gpu.lua: ', ok and device .. ' is not a device' or message, '\n')
  os.exit(1)
end

local found = find_device()
print(('device %s %.0f'):format(found.model, found.bandwidth))

local function time(run, calls)
  tensor.synchronize()
  local start = tensor.tic()
  for _ = 1, calls do
    run()
  end
  tensor.synchronize()
  return tensor.toc(start)
end

local function is_wanted(name)
  return name:find(wanted, 1, true) ~= nil
end

local function measure(name, amount, unit, run)
  if not is_wanted(name) then
    return
  end
  -- Choose the number of calls so that a round takes about 20 ms. The result is the median of 7
  -- rounds.
  time(run, 3)
  local calls, least = 1, soft and 0.001 or 0.02
  while true do
    local elapsed = time(run, calls)
    if elapsed > least then
      break
    end
    calls = math.ceil(calls * math.max(2, least / math.max(elapsed, 1e-9)))
    calls = math.min(calls, 2 ^ 20)
  end
  local rounds = {}
  for round = 1, 7 do
    rounds[round] = time(run, calls) / calls * 1e9
  end
  table.sort(rounds)
  print(('%s\t%.1f\t%.0f\t%s'):format(name, rounds[4], amount, unit))
  collectgarbage()
end

local function on_device(t)
  return t:to(device)
end
local function floats(...)
  return on_device(tensor.FloatTensor(...):uniform())
end

local small, other = floats(4), floats(4)
measure('a:add(1), n = 4', 0, '-', function() small:add(1) end)
measure('a:add(b), n = 4', 0, '-', function() small:add(other) end)
measure('a + b, n = 4', 0, '-', function() return small + other end)
measure('sum of a, n = 4, read', 0, '-', function() return small:sum() end)

local n = soft and 2 ^ 14 or 2 ^ 26
local label = soft and '2^14' or '2^26'
local a, b, c = floats(n), floats(n), floats(n)
measure('add(c, a, b) ' .. label, 12 * n, 'B', function() tensor.add(c, a, b) end)
measure('a + b ' .. label, 12 * n, 'B', function() return a + b end)
measure('exp(c, a) ' .. label, 8 * n, 'B', function() tensor.exp(c, a) end)
measure('tanh(c, a) ' .. label, 8 * n, 'B', function() tensor.tanh(c, a) end)
measure('copy ' .. label, 8 * n, 'B', function() c:copy(a) end)
measure('sum ' .. label, 4 * n, 'B', function() return a:sum() end)
measure('max ' .. label, 4 * n, 'B', function() return a:max() end)
measure('uniform ' .. label, 4 * n, 'B', function() c:uniform() end)
measure('normal ' .. label, 4 * n, 'B', function() c:normal() end)
local fused = tensor.fuse('a*b + exp(-c/2)')
measure('a*b + exp(-c/2), fused ' .. label, 16 * n, 'B', function() return fused(a, b, c) end)
-- Every second element. Their cache lines are read and written as a whole.
local half = soft and '2^13' or '2^25'
local function every_second(t)
  return t:view(-1, 2):select(2, 1)
end
local a2, b2, c2 = every_second(a), every_second(b), every_second(c)
measure('add(c, a, b), stride 2, ' .. half, 12 * n, 'B', function() tensor.add(c2, a2, b2) end)
local ha, hb = on_device(a:half()), on_device(b:half())
local hc = on_device(tensor.HalfTensor(n):zero())
measure('add(c, a, b), half ' .. label, 6 * n, 'B', function() tensor.add(hc, ha, hb) end)

local side = soft and 128 or 8192
local square = ('%dx%d'):format(side, side)
local m, to = floats(side, side), floats(side, side)
local row, column = floats(1, side), floats(side, 1)
local bytes = 4 * side * side
measure('sum over rows ' .. square, bytes, 'B', function() tensor.sum(row, m, 1) end)
measure('sum over columns ' .. square, bytes, 'B', function() tensor.sum(column, m, 2) end)
measure('copy of the transpose ' .. square, 2 * bytes, 'B', function() to:copy(m:t()) end)
measure('add a row ' .. square, 2 * bytes, 'B', function() tensor.add(to, m, row) end)
measure('softmax ' .. square, 2 * bytes, 'B', function() tensor.softmax(to, m, 2) end)
measure('layerNorm ' .. square, 2 * bytes, 'B', function() return tensor.layerNorm(m, { side }) end)
measure('cumsum ' .. square, 2 * bytes, 'B', function() tensor.cumsum(to, m, 2) end)
measure('cumsum ' .. label, 8 * n, 'B', function() tensor.cumsum(c, a, 1) end)
measure('cummax ' .. square, 4 * bytes, 'B', function() return tensor.cummax(m, 2) end)

-- batch x heads x rows x depth
local batch, heads, rows = soft and 2 or 16, soft and 2 or 12, soft and 32 or 512
local depth = 64
local q, k, v = floats(batch, heads, rows, depth), floats(batch, heads, rows, depth),
                floats(batch, heads, rows, depth)
local gradient = floats(batch, heads, rows, depth)
local flops = 4 * batch * heads * rows * rows * depth
local attended = (' %dx%dx%dx%d'):format(batch, heads, rows, depth)
measure('attention' .. attended, flops, 'F', function() return tensor.attention(q, k, v) end)
measure('attention, causal' .. attended, flops / 2, 'F',
        function() return tensor.attention(q, k, v, true) end)
measure('attention and gradients' .. attended, 3.5 * flops, 'F', function()
  return tensor.vjp(tensor.attention, { q, k, v }, { gradient })
end)

local sorted = soft and 2 ^ 10 or 2 ^ 24
local sort_label = soft and '2^10' or '2^24'
local keys = floats(sorted)
measure('sort ' .. sort_label, 0, '-', function() return tensor.sort(keys) end)
measure('topk, 100 of ' .. sort_label, 4 * sorted, 'B',
        function() return tensor.topk(keys, 100, 1, true) end)
measure('kthvalue ' .. sort_label, 4 * sorted, 'B',
        function() return tensor.kthvalue(keys, sorted / 4, 1) end)
measure('median ' .. sort_label .. ', read', 4 * sorted, 'B', function() return keys:median() end)
-- All elements go to one of 1,000 bins.
local bins, first = floats(1000), on_device(tensor.LongTensor(sorted):fill(1))
local same = on_device(tensor.FloatTensor(sorted):fill(0.5))
measure('scatterAdd to one bin ' .. sort_label, 12 * sorted, 'B',
        function() tensor.scatterAdd(bins, 1, first, keys) end)
measure('indexAdd to one bin ' .. sort_label, 12 * sorted, 'B',
        function() tensor.indexAdd(bins, 1, first, keys) end)
measure('histc, one bin ' .. sort_label, 4 * sorted, 'B',
        function() return tensor.histc(same, 1000, 0, 1) end)
measure('bincount, one bin ' .. sort_label, 8 * sorted, 'B',
        function() return tensor.bincount(first, 1000) end)
local picks = tensor.LongTensor(sorted):random(sorted)
picks = on_device(picks)
local picked = floats(sorted)
measure('gather ' .. sort_label, 16 * sorted, 'B',
        function() tensor.gather(picked, keys, 1, picks) end)
measure('index ' .. sort_label, 16 * sorted, 'B',
        function() tensor.index(picked, keys, 1, picks) end)

for _, size in ipairs(soft and { 64 } or { 64, 1024, 8192 }) do
  local shape, work = (' %dx%d'):format(size, size), 2 * size ^ 3
  for _, kind in ipairs { 'Float', 'Half' } do
    local x = on_device(floats(size, size):type('torch.' .. kind .. 'Tensor'))
    local y = on_device(floats(size, size):type('torch.' .. kind .. 'Tensor'))
    local z = on_device(tensor[kind .. 'Tensor'](size, size):zero())
    measure('mm, ' .. kind:lower() .. shape, work, 'F', function() tensor.mm(z, x, y) end)
  end
end
local batches = soft and 4 or 256
local bx, by = floats(batches, 128, 128), floats(batches, 128, 128)
local bz = floats(batches, 128, 128)
measure(('bmm %dx128x128'):format(batches), 2 * batches * 128 ^ 3, 'F',
        function() tensor.bmm(bz, bx, by) end)
local vector, product = floats(side), floats(side)
measure('mv ' .. square, bytes, 'B', function() tensor.mv(product, m, vector) end)

-- A matrix, and a batch of small ones. The diagonal makes them well-conditioned.
for _, shape in ipairs(soft and { { 1, 64 }, { 4, 16 } } or { { 1, 2048 }, { 1024, 32 } }) do
  local count, edge = shape[1], shape[2]
  local of = (' %dx%dx%d'):format(count, edge, edge)
  local regular = floats(count, edge, edge)
  regular:add(on_device(tensor.eye(edge):float():mul(edge)))
  local positive = regular + regular:transpose(2, 3)
  local sides = floats(count, edge, 1)
  measure('solve' .. of, 0, '-', function() return tensor.solve(regular, sides) end)
  measure('inverse' .. of, 0, '-', function() return tensor.inverse(regular) end)
  measure('cholesky' .. of, 0, '-', function() return tensor.cholesky(positive) end)
  measure('qr' .. of, 0, '-', function() return tensor.qr(regular) end)
  measure('eigh' .. of, 0, '-', function() return tensor.eigh(positive) end)
  measure('svd' .. of, 0, '-', function() return tensor.svd(regular) end)
end
local lines = soft and 16 or 2 ^ 14
local signals, spectra = floats(lines, 1024), floats(lines, 1000, 2)
measure(('rfft %dx1024'):format(lines), 8 * 1024 * lines, 'B',
        function() return tensor.rfft(signals) end)
measure(('fft %dx1000'):format(lines), 16 * 1000 * lines, 'B',
        function() return tensor.fft(spectra) end)

-- Convolutions of ResNet-50, and one with a group for each channel:
-- inputs, outputs, size, kernel, stride, padding, groups.
local convolutions = { { 3, 64, 224, 7, 2, 3, 1 }, { 64, 64, 56, 3, 1, 1, 1 },
                       { 256, 256, 14, 3, 1, 1, 1 }, { 64, 256, 56, 1, 1, 0, 1 },
                       { 256, 512, 56, 1, 2, 0, 1 }, { 256, 256, 28, 3, 1, 1, 256 } }
for _, sizes in ipairs(soft and { { 8, 8, 14, 3, 1, 1, 1 } } or convolutions) do
  local inputs, outputs, size, kernel, stride, padding, groups = unpack(sizes)
  local images = soft and 2 or 32
  local result = math.floor((size + 2 * padding - kernel) / stride) + 1
  local more = size - ((result - 1) * stride - 2 * padding + kernel)
  local work = 2 * images * outputs * (inputs / groups) * kernel ^ 2 * result ^ 2
  local shape = ('%d to %d, %dx%d of %dx%d'):format(inputs, outputs, kernel, kernel, size, size)
  for _, kind in ipairs { 'Float', 'Half' } do
    local function of_kind(...)
      return on_device(floats(...):type('torch.' .. kind .. 'Tensor'))
    end
    local x, g = of_kind(images, inputs, size, size), of_kind(images, outputs, result, result)
    local weight = of_kind(outputs, inputs / groups, kernel, kernel)
    local rx, rg = x:clone(), g:clone()
    local suffix = ', ' .. kind:lower() .. ', ' .. shape
    measure('conv2d' .. suffix, work, 'F',
            function() tensor.conv2d(rg, x, weight, nil, stride, padding, 1, groups) end)
    measure('conv2d, gradient of the input' .. suffix, work, 'F', function()
      tensor.convTranspose2d(rx, g, weight, nil, stride, padding, more, groups)
    end)
    measure('conv2d and gradient of the weight' .. suffix, 2 * work, 'F', function()
      tensor.vjp(function(w)
        return tensor.conv2d(x, w, nil, stride, padding, 1, groups)
      end, { weight }, { g })
    end)
  end
end

-- Training steps: forward pass, backward pass and update. The loss is read in each step.
package.path = (arg[0]:match('^(.*[/\\])') or './') .. 'suite/?.lua;' .. package.path
local training_step = require 'training'
local function indices(count, span)
  return on_device(tensor.LongTensor(count):random(span))
end
for _, model in ipairs(soft and { { 'mlp', 8 } } or { { 'mlp', 128 }, { 'lenet', 64 },
                                                      { 'lstm', 64 }, { 'transformer', 32 } }) do
  for _, compiled in ipairs { false, true } do
    local name = 'step of ' .. model[1] .. (compiled and ', compiled' or '')
    if is_wanted(name) then
      tensor.withDevice(device, function()
        measure(name, 0, '-', (training_step(floats, indices, model[1], model[2], compiled)))
      end)
    end
  end
end

-- A decoder of GPT-2's size with random weights. The likeliest token is read.
package.path = (arg[0]:match('^(.*[/\\])') or './') .. '../examples/?.lua;' .. package.path
if is_wanted('decoder, prompt') or is_wanted('decoder, token') then
  local gpt = require 'lib.gpt'
  local decoder = gpt.model(gpt.random(gpt.shapes[soft and 'tiny' or 'small']), 'float')
  for _, weight in pairs(decoder) do
    if tensor.isTensor(weight) then
      on_device(weight)
    end
  end
  local prompt = on_device(tensor.range(1, soft and 16 or 128):long())
  local token = on_device(tensor.LongTensor { 1 })
  tensor.withDevice(device, function()
    local cache = gpt.cache(decoder)
    local function step(count, tokens)
      cache.count = count
      return gpt.sample(gpt.scores(decoder, cache, tokens), 0)
    end
    measure('decoder, prompt', 0, '-', function() return step(0, prompt) end)
    measure('decoder, token', decoder.bytes, 'B', function() return step(prompt:size(1), token) end)
  end)
end

local host = tensor.FloatTensor(n):uniform()
local there = on_device(tensor.FloatTensor(n):zero())
measure('host to device ' .. label, 4 * n, 'B', function() there:copy(host) end)
measure('device to host ' .. label, 4 * n, 'B', function() host:copy(there) end)
