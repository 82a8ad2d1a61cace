-- tensor.compile: the number of values that a function can read, and the values in the text of
-- explain that change from call to call.

local tensor = require 'tensor'

it('compile replays functions that read up to 20000 values', function()
  local numbers, tensors = {}, {}
  for k = 1, 16200 do numbers['n' .. k] = k end
  for k = 1, 3900 do tensors[k] = tensor.Tensor{ k } end
  local f = tensor.compile(function(x) return x + numbers.n3 + tensors[3900] end)
  local g = tensor.compile(function(x) return x + numbers.n3 end)
  for _ = 1, 3 do g(tensor.ones(1)) end
  assert.matches('done 1 times', g:explain())
  numbers.n3 = 5
  assert.are.equal(6, g(tensor.ones(1))[1])
  for _ = 1, 3 do assert.are.equal(3906, f(tensor.ones(1))[1]) end
  assert.matches('can read more than 20000 values', f:explain())
  local h = tensor.compile(function(x) return x + tensors[3900] end)
  for k = 1, 4 do
    tensors[3900] = tensor.Tensor{ k }
    assert.are.equal(1 + k, h(tensor.ones(1))[1])
  end
  assert.matches('done 2 times', h:explain())
  if not rawget(_G, 'jit') then return end  -- the stack is larger
  for k = 3901, 9000 do tensors[k] = tensor.Tensor{ k } end
  h = tensor.compile(function(x) return x + tensors[9000] end)
  for _ = 1, 4 do assert.are.equal(9001, h(tensor.ones(1))[1]) end
  assert.matches('can read too many tensors', h:explain())
end)

it('explain of a compiled function names a value that changes from call to call', function()
  local run = { loader = { state = { batch = 0 }, 7 }, w = tensor.ones(3) }
  local f = tensor.compile(function(x) return tensor.cmul(x, run.w) end)
  for k = 1, 20 do
    run.loader.state.batch = k
    f(tensor.ones(3))
  end
  local text = f:explain()
  assert.matches("recorded 1 of 2 times\n.*recorded 1 of 2 times, after a change of "
    .. "'run.loader.state.batch'\n", text)
  assert.matches("4 calls with other arguments or values that it reads: not compiled: 16 kinds are "
    .. "kept; other values of 'run.loader.state.batch'$", text)
  local count, list = 0, {}
  local function changes(expected, change)
    local g = tensor.compile(function(x) return x + count + #list + (run.loader[1] or 0) end)
    for _ = 1, 2 do
      g(tensor.ones(1))
      change()
    end
    assert.is_truthy(g:explain():find('after a change of ' .. expected, 1, true), g:explain())
  end
  changes("the upvalue 'count'", function() count = count + 1 end)
  changes("the table 'list'", function() list[#list + 1] = 1 end)
  changes("'run.loader[1]'", function() run.loader[1] = run.loader[1] + 1 end)
  changes("the metatable of 'list'", function() setmetatable(list, {}) end)
end)

it('compile records again after entries are added to a table, if it replays in between', function()
  local state = {}
  local f = tensor.compile(function(x, key)
    state[key] = state[key] or tensor.ones(1)
    return state[key]:add(x)
  end)
  for k = 1, 4 do
    for call = 1, 5 do assert.are.equal(1 + call, f(tensor.ones(1), 'key' .. k)[1]) end
  end
  assert.matches('done 2 times.*done 2 times.*done 2 times.*done 2 times', f:explain())
  local counts = tensor.compile(function(x, key)
    state[key] = (tonumber(state[key]) or 0) + 1
    return x + state[key]
  end)
  for call = 1, 5 do assert.are.equal(1 + call, counts(tensor.ones(1), 'count')[1]) end
  assert.matches("not compiled: the function changes 'state.count'", counts:explain())
end)
