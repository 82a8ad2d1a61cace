-- The programs of fuzz/allocations.lua: every row of the op table, files, devices and others. A
-- program has a name; make(), which returns a list of arguments, the number of results among them,
-- and the set of those that it changes; invoke; same = false, if its results differ from call
-- to call; inout, if a second call with the same arguments gives something else; fresh, if a second
-- call needs new arguments; cold, if its first use in a process is tried, too.

local elements = require 'support.elements'
local cases = require('support.cases').cases
local runner = require 'support.runner'
local files = require 'support.files'

-- The first types that a row has, doubles first, as they reach most libraries.
local function types_of(row, most)
  local list = {}
  for _, name in ipairs { 'Double', 'Float', 'Long', 'Byte', 'Half', 'Int', 'Char', 'Short',
                          'BFloat16' } do
    if elements.supports(row.types, elements[name]) and #list < most then
      list[#list + 1] = elements[name]
    end
  end
  return list
end

local function add_rows(list, tensor, scenarios, types)
  for _, row in ipairs(tensor._optable()) do
    local case = row.lua ~= '' and cases[row.name]
    for _, e in ipairs(case and types_of(row, types) or {}) do
      local calls = runner.calls(row, case, e, elements.generator(1))
      -- From the whole list, as neighbours are alike.
      local step = math.max(1, math.floor(#calls / scenarios))
      local taken = 0
      for number = 1, #calls, step do
        local call = calls[number]
        if taken == scenarios then break end
        taken = taken + 1
        list[#list + 1] = { name = ('%s of %s, call %d'):format(row.name, e.name, number),
                            make = call.make, invoke = call.invoke, inout = case.inout or case.view,
                            fresh = case.inout }
      end
    end
  end
end

local function add_others(list, T)
  local folder = files.new_folder()
  local function path(name) return folder .. '/' .. name end
  local function add(name, make, invoke, more)
    local program = { name = name, make = make, invoke = invoke }
    for k, x in pairs(more or {}) do program[k] = x end
    list[#list + 1] = program
  end
  local function nothing() return {} end
  local function matrix() return { T.range(1, 12):view(3, 4):clone() }, 0 end
  -- The software device has no threads, and is slow.
  local rows, cols = 500, 800
  if T.getDefaultDevice() ~= 'cpu' then rows, cols = 40, 60 end
  local function large() return { T.range(1, rows * cols):view(rows, cols):clone() }, 0 end

  -- First uses, before anything else has used them.
  add('kernels with barriers', nothing, function()
    local t = T.range(1, 5000):to 'soft'
    return t:cumsum(1):to 'cpu', t:view(50, 100):sum(1):to 'cpu', t:max()
  end, { cold = true })
  add('values checked on the device', nothing, function()
    local t, index = T.range(1, 9):to 'soft', T.LongTensor { 3, 1, 2 }:to 'soft'
    return t:index(1, index):to 'cpu'
  end, { cold = true })
  add('first fuse', matrix, function(t) return T.fuse('a + 12', { t }) end, { cold = true })
  add('first sort', matrix, function(t) return t:sort(1), t:mode(1) end, { cold = true })

  -- Making and converting.
  add('Tensor of a table', nothing, function() return T.Tensor { { 1, 2 }, { 3, 4 } } end)
  add('Tensor of sizes', nothing, function() return T.FloatTensor(3, 4, 5, 6, 7):fill(1) end)
  add('Storage of a table', nothing, function() return T.LongStorage { 1, 2, 3 } end)
  add('a large tensor', nothing, function() return T.Tensor(2e6):fill(1):sum() end)
  add('clone and transpose', matrix, function(t) return t:t():clone(), t:t():contiguous() end)
  for _, name in ipairs { 'Byte', 'Half', 'Float', 'Long' } do
    add('to ' .. name, matrix, function(t) return t:type('torch.' .. name .. 'Tensor') end)
  end
  add('totable', matrix, function(t) return t:totable()[3] end)
  add('tostring', matrix, function(t) return tostring(t) end)
  add('resize and set', matrix, function(t)
    local other = t:clone():resize(30, 40):zero()
    return other:set(t:storage(), 2, T.LongStorage { 2, 2 })
  end)
  add('storage resize', matrix, function(t)
    local s = t:clone():storage()
    s:resize(500)
    return s:size()
  end)
  add('index by a mask', matrix, function(t) return t[t:gt(4)] end)
  add('index by ranges', matrix, function(t) return t[{ { 2, 3 }, { 1, -2 } }] end)
  add('assign by ranges', matrix, function(t)
    t[{ 2, { 1, 3 } }] = T.Tensor { 7, 8, 9 }
    return t
  end, { inout = true })
  add('operators', matrix, function(t) return (t + 1) * 2 - t / 3, -t end)
  add('apply', matrix, function(t) return t:apply(function(x) return x * 1 end) end)
  add('map', matrix, function(t) return t:clone():map(t, function(a, b) return a + b end) end)
  add('einsum', matrix, function(t) return T.einsum('ij,kj->ik', t, t) end)
  add('fuse', matrix, function(t) return T.fuse('exp(a - 12) * a', { t }) end)
  add('a new expression', matrix, function(t)
    return T.fuse(('a * %d - 1'):format(math.random(1e9)), { t })
  end, { same = false })
  add('compile', matrix, function(t)
    local f = T.compile(function(a) return a * 2 + 1, a:sum(1) end)
    f(t)
    f(t)
    return f(t)
  end)

  add('gradients', matrix, function(t)
    local g, loss = T.grad(function(x)
      local y = T.tanh(x * 0.1)
      y[1]:mul(2)
      y:narrow(1, 1, 1):copy(y:narrow(1, 2, 1))
      local n = y:sum() + y[1][1]
      return T.checkpoint(function(z) return z:exp() end)(y):mean() * n
    end)(t:clone())
    return g, loss
  end)
  add('second gradients', matrix, function(t)
    local df = T.grad(function(x) return T.cmul(x, T.tanh(x)):sum() end)
    return (T.grad(function(x) return (df(x)):sum() end)(t))
  end)

  -- Large enough for threads and libraries.
  add('large mm', large, function(t) return T.mm(t, t:t()) end)
  add('middle mm', nothing, function()
    local t = T.range(1, 3600):view(60, 60)
    return T.mm(t, t:t()), T.mm(t:float(), t:float()), T.mv(t, t[1])
  end)
  add('large sum', large, function(t) return t:sum(1), t:sum(2), t:sum() end)
  add('large sort', large, function(t) return t:sort(1), t:float():sort(2, true) end)
  add('large topk', large, function(t) return t:topk(5, 1), t:kthvalue(30, 2), t:median(1) end)
  add('large cat', large, function(t) return T.cat(t, t, 2) end)
  add('large copy', large, function(t) return t:t():float():t() end)
  add('large cumsum', large, function(t) return t:cumsum(1), t:cumsum(2) end)
  add('large index', large, function(t)
    return t:index(1, T.LongTensor { 3, 1, 2 }), t:gather(2, T.ones(rows, 20):long())
  end)
  add('threads', function() return (large()), 1 end, function(t)
    T.setnumthreads(3)
    local sum = t:add(1):sum()
    T.setnumthreads(2)
    return sum
  end, { inout = true, fresh = true })
  add('convolution', nothing, function()
    return T.conv2(T.range(1, 900):view(3, 300):view(30, 30), T.ones(5, 5))
  end)
  add('linear algebra', nothing, function()
    local t = T.eye(20) * 3 + 1
    return t:inverse(), T.potrf(t), T.gesv(T.ones(20, 1), t)
  end)
  add('eigenvalues', nothing, function() return T.symeig(T.eye(20) * 3 + 1) end)
  add('singular values', nothing, function()
    local _, s = T.svd(T.range(1, 400):view(20, 20))
    return s:sub(1, 2)
  end)
  add('random numbers', nothing, function()
    local g = T.Generator()
    T.manualSeed(g, 3)
    return T.randn(g, 50), T.randperm(g, 20), T.Tensor(5000):bernoulli(g, 0.5)
  end)
  add('state of a generator', nothing, function()
    local state = T.getRNGState()
    T.setRNGState(state)
    return state:size(1)
  end)

  -- Files.
  local function bytes(name, text)
    files.write(path(name), text)
  end
  bytes('mapped.bin', ('x'):rep(800))
  add('storage of a file', nothing, function() return T.DoubleStorage(path 'mapped.bin'):size() end)
  add('shared storage of a file', nothing, function()
    local s = T.ByteStorage(path 'shared.bin', true, 1000)
    s:fill(3)
    return s[1000]
  end)
  add('shared memory', nothing, function()
    return T.FloatStorage('/tensor-failing-' .. path(''):gsub('/', ''), true, 100, true):size()
  end)
  add('MemoryFile', matrix, function(t)
    local f = T.MemoryFile()
    f:writeObject { t, 'x', 3 }
    f:seek(1)
    return f:readObject()[1]
  end)
  add('serialize', matrix, function(t) return T.deserialize(T.serialize { t, t:t() })[2] end)
  add('DiskFile', matrix, function(t)
    local f = T.DiskFile(path 'object.t7', 'w')
    f:writeObject(t)
    f:writeDouble(T.DoubleStorage { 1, 2, 3 })
    f:close()
    f = T.DiskFile(path 'object.t7')
    local back = f:readObject()
    local numbers = f:readDouble(3)
    f:close()
    return back, numbers
  end)
  add('lines of a file', nothing, function()
    local f = T.DiskFile(path 'mapped.bin')
    local text = f:readString '*a'
    f:close()
    return #text
  end)
  for _, ending in ipairs { 't7', 'npy', 'npz', 'csv', 'safetensors', 'png', 'jpg' } do
    add('save and load ' .. ending, function()
      local t = T.range(1, 48)
      if ending == 'png' or ending == 'jpg' then return { t:view(3, 4, 4):div(48):clone() }, 0 end
      return { t:view(6, 8):clone() }, 0
    end, function(t)
      local name = path('saved.' .. ending)
      local named = ending == 'npz' or ending == 'safetensors'
      T.save(name, named and { a = t } or t)
      local back = T.load(name)
      return named and back.a or back
    end)
  end
  add('load a mapped file', matrix, function(t)
    T.save(path 'map.npy', t)
    return T.load(path 'map.npy', { map = true }):sum()
  end)

  -- Devices, blobs, and pointers.
  add('to the device and back', matrix, function(t)
    local there = t:clone():to 'soft'
    there:add(1)
    return there:to 'cpu'
  end)
  add('prefetch', matrix, function(t)
    local there = t:clone()
    there:prefetch 'soft'
    there:to 'soft'
    there:add(1)
    there:prefetch 'cpu'
    return there:to 'cpu'
  end)
  add('blob', nothing, function()
    local blob = T.FloatBlob(2, 3)
    blob:data():fill(1)
    blob:diff():fill(2)
    return T.blobFromProto(blob:toProto(true)):data():sum()
  end)
  add('DLPack', matrix, function(t) return T.fromDLPack(t:toDLPack()) end)
  add('info', nothing, function() return T.info().blas end)
  add('profile', matrix, function(t)
    T.profile(function() return t:sum() end)
    return true
  end)
end

--- Returns all programs, with at most `scenarios` calls of each row for `types` element types each.
return function(tensor, scenarios, types)
  local list = {}
  add_others(list, tensor)
  add_rows(list, tensor, scenarios, types)
  return list
end
