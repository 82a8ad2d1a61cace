-- Random programs of operations, views, writes in place, assignments and given results, in doubles.
-- The gradients by tensor.vjp are compared with differences along a random direction; those of some
-- programs are differentiated again.
-- Usage: luajit test/lua/fuzz/gradients.lua [programs=1000] [seed=1] [gc=0] [compiled=0]
-- gc=1: the garbage collector runs all the time. compiled=1: compares compiled gradients, bit for
-- bit, with the same ones uncompiled. A failure is printed as a list of steps.

if arg and arg[0] and arg[0]:match 'fuzz/gradients.lua$' then
  dofile(arg[0]:match '^(.*/)' .. '../helper.lua')
end
local tensor = require 'tensor'
local random = require 'fuzz.random'
local loadstring = loadstring or load

local gradients = {}

-- Messages of errors that are allowed instead of a gradient.
local documented = { 'which cannot be recorded', 'derivative', 'a raw pointer', 'share memory',
                     'in a nested gradient' }

-- ---- steps --------------------------------------------------------------------------------------

-- A is a random variable, B and C are others, K is a new one. I, J and L are random indices from 1
-- to 3, D is a dimension. x is a random number in (0.2, 1.2), m a mask of A's shape.
local steps = {
  'v[K] = tensor.tanh(v[A])', 'v[K] = tensor.sigmoid(v[A])', 'v[K] = tensor.sin(v[A])',
  'v[K] = tensor.atan(v[A])', 'v[K] = tensor.exp(v[A] * 0.3)', 'v[K] = -v[A]',
  'v[K] = tensor.log(tensor.cmul(v[A], v[A]) + x)',
  'v[K] = tensor.sqrt(tensor.pow(v[A], 2) + x)', 'v[K] = x / (tensor.pow(v[A], 2) + 1)',
  'v[K] = v[A] + v[B]', 'v[K] = v[A] - v[B] * x', 'v[K] = tensor.cmul(v[A], v[B])',
  'v[K] = tensor.cdiv(v[A], tensor.pow(v[B], 2) + 1)', 'v[K] = tensor.atan2(v[A], v[B] ^ 2 + 1)',
  'v[K] = tensor.addcmul(v[A], x, v[B], v[C])', 'v[K] = tensor.where(m, v[A], v[B])',
  'v[K] = (tensor.pow(v[A], 2) + x) ^ 0.7', 'v[K] = tensor.cpow(v[A] ^ 2 + 1, v[B])',
  -- in place
  'v[A]:tanh()', 'v[A]:mul(x)', 'v[A]:add(x)', 'v[A]:add(x, v[B])', 'v[A]:cmul(v[B])',
  'v[A]:copy(v[B])', 'v[A]:fill(x)', 'v[A]:zero()', 'v[A]:addcmul(x, v[B], v[C])', 'v[A]:sin()',
  'v[A]:csub(v[B])', 'v[A]:sigmoid()', 'v[A]:cdiv(v[B] ^ 2 + 1)', 'v[A]:pow(2)', 'v[A]:neg()',
  'v[A]:add(v[B], x, v[C])', 'v[A]:mul(v[B], x)', 'v[A]:cumsum(v[B], D)',
  'v[A]:div(x + 1)', 'v[A]:addcdiv(x, v[B], v[C] ^ 2 + 1)', 'v[A]:maskedFill(m, x)',
  'v[A]:indexFill(D, tensor.LongTensor{I}, x)', 'v[A]:clamp(-50, 50)',
  -- results given
  'tensor.add(v[A], v[B], v[C])', 'tensor.cmul(v[A], v[B], v[C])', 'tensor.tanh(v[A], v[B])',
  'tensor.sum(v[A], v[B], D)', 'tensor.mm(v[A], v[B], v[C])', 'tensor.cumsum(v[A], v[B], D)',
  'tensor.cat(v[A], v[B], v[C], D)', 'tensor.index(v[A], v[B], D, tensor.LongTensor{I, J, I})',
  -- views
  'v[K] = v[A]:narrow(D, I, 2)', 'v[K] = v[A]:t()', 'v[K] = v[A]:select(D, I)', 'v[K] = v[A][I]',
  'v[K] = v[A]:view(-1)', 'v[K] = v[A]:reshape(v[A]:nElement())', 'v[K] = v[A]:unfold(D, 2, 1)',
  'v[K] = v[A]:view(-1):narrow(1, 1, 12):view(3, 4)', 'v[K] = v[A][{{1, 2}}]',
  'v[K] = v[A]:view(1, -1):expand(3, v[A]:nElement())', 'v[K] = v[A][{{}, I}]',
  'v[K] = tensor.DoubleTensor(v[A]:storage(), I, tensor.LongStorage{3, 4})',
  'v[K] = v[A]:new():set(v[A])', 'v[K] = v[A]:clone()', 'v[K] = v[A]:contiguous()',
  -- reductions and scans
  'v[K] = v[A]:sum(D)', 'v[K] = v[A]:mean(D)', 'v[K] = tensor.var(v[A], D)',
  'v[K] = tensor.norm(v[A] ^ 2 + x, 2, D)', 'v[K] = v[A]:max(D)', 'v[K] = tensor.prod(v[A], D)',
  'v[K] = v[A]:cumsum(D)', 'v[K] = v[A]:cumprod(D)', 'v[K] = tensor.sort(v[A], D)',
  'v[K] = tensor.topk(v[A], 2, D)', 'v[K] = tensor.median(v[A], D)',
  'v[K] = tensor.logsumexp(v[A], D)', 'v[K] = tensor.sqrt(tensor.var(v[A], D) + x)',
  'v[K] = v[A]:mean(D, false)',
  'v[K] = v[A]:min(D)', 'n = tensor.var(v[A]) * x', 'n = tensor.logsumexp(v[A]) * 0.1',
  -- numbers
  'n = v[A]:mean()', 'n = tensor.tanh(v[A]:sum())', 'n = v[A]:dot(v[B]) * 0.1',
  'n = n * x + v[A]:view(-1)[I]', 'v[K] = v[A] * n', 'v[A]:mul(n)', 'v[A]:add(n, v[B])',
  'v[K] = n - v[A]', 'n = tensor.sqrt(n * n + 1)', 'v[A]:view(-1)[I] = n', 'v[A][m] = n',
  'v[K] = tensor.DoubleTensor{n, x, n * n}', 'n = v[A]:norm() * x', 'v[A]:fill(n)',
  'n = tensor.sin(n) - x', 'v[K] = tensor.pow(v[A] ^ 2 + 1, n)', 's = v[A]:storage(); s[I] = x',
  -- products
  'v[K] = v[A] * v[B]', 'v[K] = tensor.mm(v[A], v[B])', 'v[K] = tensor.matmul(v[A], v[B])',
  'v[K] = tensor.einsum("ij,kj->ik", v[A], v[B])',
  'v[K] = tensor.mv(v[A], v[B]:view(-1):narrow(1, 1, v[A]:size(2)))',
  'v[K] = tensor.ger(v[A], v[B])', 'v[A]:addmm(x, v[B], v[C])',
  'v[K] = tensor.addmm(n, v[A], x, v[B], v[C])',
  'v[A]:view(-1):narrow(1, 1, 3):addmv(x, v[B], v[C]:view(-1):narrow(1, 1, 3))',
  -- selection
  'v[K] = v[A]:index(D, tensor.LongTensor{J, I, J})', 'v[K] = v[A]:maskedSelect(m)',
  'v[K] = v[A]:gather(1, tensor.LongTensor(v[A]:size()):fill(I))',
  'v[K] = tensor.cat(v[A], v[B], D)', 'v[K] = tensor.flip(v[A], D)',
  'v[K] = tensor.kthvalue(v[A], 2, D)', 'v[K] = v[A][tensor.LongTensor{J, I}]',
  'v[A]:indexAdd(1, tensor.LongTensor{I, J}, v[B]:narrow(1, 1, 2))',
  'v[A]:indexCopy(1, tensor.LongTensor{I}, v[B]:narrow(1, L, 1))',
  'v[A]:scatter(1, tensor.LongTensor(v[A]:size()):fill(I):narrow(1, 1, 1), v[B])',
  'v[A]:maskedCopy(m, v[B])', 'v[K] = tensor.tril(v[A])', 'v[K] = tensor.diag(v[A])',
  'v[K] = v[A]:repeatTensor(2, 1)',
  -- assignments
  'v[A][I] = v[B]', 'v[A][{{1, 2}}] = v[B]', 'v[A][I] = x', 'v[A][{I, J}] = x', 'v[A][m] = x',
  'v[A][{{}, I}] = v[B]', 'v[A][m] = v[B]', 'v[A][{I, {1, 2}}] = v[B]:view(-1):narrow(1, L, 2)',
  'v[A][I][J] = v[B]:view(-1)[L] * x', 'v[A][I] = v[A][J]', 'v[A][{{1, 2}}] = v[A][{{2, 3}}]',
  -- functions
  'v[K] = tensor.checkpoint(function(a, b) return tensor.cmul(a, b):tanh() end)(v[A], v[B])',
  'v[K] = tensor.checkpoint(function(a) return a:add(x):sin() end)(v[A])',
  'v[K] = square(v[A])', 'for k = 1, 3 do v[A]:mul(x):sin() end',
  'if value(v[A]:sum()) > value(v[B]:sum()) then v[A]:sin() else v[B]:sin() end',
  'pcall(function() v[A]:tanh() error() end)',
  -- writes and reads that cannot be recorded
  'v[A]:apply(function() return x end)', 'v[A]:map(v[B], function(a, b) return a * b end)',
  'v[A]:contiguous():data()', 'v[K] = tensor.DoubleTensor(3):apply(function() return x end)',
  's = c:storage(); c:apply(function() return x end); v[K] = v[A] + c',
}

-- The variables of a program at its start: views of its two arguments.
local starts = {
  'v[1], v[2] = a:narrow(1, 1, 12):view(3, 4), b:narrow(1, 1, 9):view(3, 3)',
  'v[1], v[2] = a:narrow(1, 1, 12):view(4, 3):t(), b:narrow(1, 1, 3)',
  'v[1], v[2] = a:narrow(1, 1, 9):view(3, 3), a:narrow(1, 4, 9):view(3, 3):t()',
  'v[1], v[2] = a, b', 'v[1], v[2] = a:clone():view(3, 5), b:narrow(1, 2, 3):view(3, 1)',
}
local repeated =
  'v[1], v[2] = a:narrow(1, 3, 3):view(1, 3):expand(3, 3), b:narrow(1, 1, 12):view(4, 3)'

local function compiled(lines)
  local text = ([[
    local tensor, W = ...
    local function value(t) return type(t) == 'number' and t or t:item() end
    local square = tensor.customGradient(function(t) return tensor.cmul(t, t) end,
      function(g, r, t) return { tensor.cmul(g[1], t[1]) * 2 } end)
    return function(a, b, count)
      local v, n, s, c, loss = {}, 0.5, nil, tensor.DoubleTensor{0.1, 0.2, 0.3}, 0
      %s
      local last = 0
      for k in pairs(v) do last = math.max(last, k) end
      for k = 1, last do
        if v[k] and v[k]:nElement() > 0 then
          loss = loss + tensor.cmul(tensor.tanh(v[k]), W(v[k])):sum()
        end
      end
      return loss + n * 0.1, v
    end]]):format(table.concat(lines, '\n      '))
  return assert(loadstring(text, '=program'))(tensor, function(t)
    return tensor.range(1, t:nElement()):double():cos():viewAs(t)
  end)
end

-- ---- programs -----------------------------------------------------------------------------------

local function arguments(r)
  local function vector()
    local t = tensor.DoubleTensor(15)
    for k = 1, 15 do t[k] = r:int(2e6) / 1e6 - 1 end
    return t
  end
  return vector(), vector()
end

-- Returns the lines of a program that runs without error and whose values are small, or nil.
local function program(r, a, b)
  local lines = { r:once_in(20) and repeated or r:of(starts) }
  local count, vars = 5 + r:int(36) - 1, 2
  local tries = 0
  while #lines <= count and tries < 4 * count do
    tries = tries + 1
    local places = { A = r:int(vars), B = r:int(vars), C = r:int(vars), K = vars + 1,
                     I = r:int(3), J = r:int(3), L = r:int(3), D = r:int(2) }
    local x = ('%.2f'):format(0.2 + r:int(100) / 100)
    local mask = ('tensor.range(1, v[%d]:nElement()):fmod(%d):eq(0):viewAs(v[%d])'):format(
      places.A, 1 + r:int(3), places.A)
    local line = r:of(steps)
    while line:match ':apply' or line:match ':map' or line:match ':data' do
      if r:once_in(20) then break end
      line = r:of(steps)
    end
    line = line:gsub('%f[%w][A-Z]%f[%W]', places):gsub('%f[%w]x%f[%W]', x)
      :gsub('%f[%w]m%f[%W]', mask)
    lines[#lines + 1] = line
    local ok, loss, v = pcall(compiled(lines), a:clone(), b:clone())
    local fine = ok and loss == loss
    for k = 1, vars + 1 do
      local t = fine and v[k]
      fine = fine and (not t or tensor.isTensor(t) and t:type() == 'torch.DoubleTensor'
        and t:nElement() < 200 and (t:nElement() == 0 or t:clone():abs():max() < 20))
    end
    if not fine then
      lines[#lines] = nil
    elseif v[vars + 1] then
      vars = vars + 1
    end
  end
  return lines
end

local function is_documented(message)
  for _, pattern in ipairs(documented) do
    if tostring(message):match(pattern) then return true end
  end
  return false
end

-- Compares the derivative of f, which returns a number, with differences at a and b along a
-- direction. Returns 'agrees', 'kink', 'refused', or 'fails' and a message.
local function compare(f, a, b, direction)
  local function value(h)
    return (f(a + direction[1] * h, b + direction[2] * h))
  end
  local ok, list = pcall(tensor.vjp, function(...) return (f(...)) end,
                         { a:clone(), b:clone() }, { 1 })
  if not ok then
    return is_documented(list) and 'refused' or 'fails', list
  end
  local found = list[1]:dot(direction[1]) + list[2]:dot(direction[2])
  local function difference(h)
    return (value(h) - value(-h)) / (2 * h)
  end
  local one, two = difference(1e-5), difference(3e-6)
  local scale = 1 + math.abs(one)
  if math.abs(found - one) <= 1e-5 * scale then
    return 'agrees'
  elseif math.abs(one - two) <= 1e-6 * scale then
    return 'fails', ('the derivative is %.9g, but differences give %.9g'):format(found, one)
  end
  return 'kink'
end

-- Returns the lines that are needed for a failure.
local function shortest(lines, fails)
  local k = #lines
  while k > 1 do
    local less = {}
    for j, line in ipairs(lines) do
      if j ~= k then less[#less + 1] = line end
    end
    if fails(less) then lines = less end
    k = k - 1
  end
  return lines
end

--- Runs the program with this seed. Returns 'agrees', 'kink', 'refused' or 'fails', the lines of
-- the program, a message, and the same for the second derivative, or nil.
function gradients.run(seed)
  local r = random(seed)
  -- The same draws of near seeds are correlated.
  for _ = 1, seed % 97 do r:int(2) end
  local a, b = arguments(r)
  local lines = program(r, a, b)
  local f = compiled(lines)
  local direction = { arguments(r) }
  local first, message = compare(f, a, b, direction)
  if first == 'fails' then
    lines = shortest(lines, function(less)
      local shorter = compiled(less)
      if not pcall(shorter, a:clone(), b:clone()) then return false end
      local outcome, text = compare(shorter, a, b, direction)
      if outcome == 'fails' then message = text end
      return outcome == 'fails'
    end)
  end
  if first ~= 'agrees' or seed % 3 ~= 0 or #lines > 25 then
    return first, lines, message
  end
  local weights = { arguments(r) }
  local second
  second, message = compare(function(p, q)
    local list = tensor.vjp(function(...) return (f(...)) end, { p:clone(), q:clone() }, { 1 })
    return list[1]:dot(weights[1]) + list[2]:dot(weights[2])
  end, a, b, direction)
  return second == 'fails' and 'fails' or first, lines, message, second
end

--- Runs programs, and returns the numbers of outcomes and a list of failures as text.
function gradients.runs(first, count)
  local numbers, failures = { agrees = 0, kink = 0, refused = 0, fails = 0, second = 0 }, {}
  for seed = first, first + count - 1 do
    local outcome, lines, message, second = gradients.run(seed)
    numbers[outcome] = numbers[outcome] + 1
    numbers.second = numbers.second + (second == 'agrees' and 1 or 0)
    if outcome == 'fails' then
      failures[#failures + 1] = ('seed %d: %s%s\n  %s'):format(
        seed, second == 'fails' and 'second order: ' or '', tostring(message),
        table.concat(lines, '\n  '))
    end
  end
  return numbers, failures
end

-- ---- compiled gradients -------------------------------------------------------------------------

local function bits(t)
  local list = {}
  for k, x in ipairs(t:contiguous():view(-1):totable()) do
    list[k] = x == x and ('%.17g'):format(x) or 'nan'
  end
  return table.concat(list, ' ')
end

-- Calls f four times with other elements. Returns what it returned, or its errors, and the
-- arguments afterwards, as text.
local function log_of(f, arguments_of_calls)
  local lines = {}
  for _, arguments_of_call in ipairs(arguments_of_calls) do
    local p = { a = arguments_of_call[1]:clone(), { b = arguments_of_call[2]:clone() } }
    local ok, g, loss = pcall(f, p)
    lines[#lines + 1] = ok and bits(g.a) .. bits(g[1].b) .. tostring(loss) or tostring(g)
    if ok then lines[#lines + 1] = bits(p.a) .. bits(p[1].b) end
  end
  return table.concat(lines, '\n')
end

--- Compares the compiled gradient of the program with this seed with the uncompiled one. Returns
-- true if they agree, the lines of the program, and nil or the reason for which it is not compiled.
function gradients.run_compiled(seed)
  local r = random(seed)
  for _ = 1, seed % 97 do r:int(2) end
  local a, b = arguments(r)
  local lines, calls = program(r, a, b), { { a, b } }
  for k = 2, 5 do calls[k] = { arguments(r) } end
  local reason
  local function agrees(list)
    local f = compiled(list)
    local df = tensor.grad(function(p) return (f(p.a, p[1].b)) end)
    local c = tensor.compile(df)
    local same = log_of(df, calls) == log_of(c, calls)
    reason = c:explain():match 'not compiled: (.*)'
    return same
  end
  if agrees(lines) then return true, lines, reason end
  return false, shortest(lines, function(less) return not agrees(less) end)
end

--- Runs programs, and returns the number of those that are compiled, a list of failures, and the
-- number of each reason for which others are not.
function gradients.runs_compiled(first, count)
  local done, failures, reasons = 0, {}, {}
  for seed = first, first + count - 1 do
    local same, lines, reason = gradients.run_compiled(seed)
    if not same then
      failures[#failures + 1] = ('seed %d\n  %s'):format(seed, table.concat(lines, '\n  '))
    elseif reason then
      reasons[reason] = (reasons[reason] or 0) + 1
    else
      done = done + 1
    end
  end
  return done, failures, reasons
end

if arg and arg[0] and arg[0]:match 'fuzz/gradients.lua$' then
  local given = { programs = 1000, seed = 1, gc = 0, compiled = 0 }
  for _, text in ipairs(arg) do
    local key, value = text:match '^(%l+)=(%d+)$'
    assert(given[key], text .. ' is not an option')
    given[key] = tonumber(value)
  end
  if given.gc == 1 then
    collectgarbage('setpause', 0)
    collectgarbage('setstepmul', 2000)
  end
  if given.compiled == 1 then
    local done, failures, reasons = gradients.runs_compiled(given.seed, given.programs)
    print(table.concat(failures, '\n'))
    for reason, count in pairs(reasons) do print(count, reason) end
    print(('%d programs: %d compiled, %d failures'):format(given.programs, done, #failures))
    os.exit(#failures == 0 and 0 or 1)
  end
  local numbers, failures = gradients.runs(given.seed, given.programs)
  print(table.concat(failures, '\n'))
  print(('%d programs: %d agree, %d also of second order, %d refused, %d with a kink, %d failures')
        :format(given.programs, numbers.agrees, numbers.second, numbers.refused, numbers.kink,
                #failures))
  os.exit(#failures == 0 and 0 or 1)
end

return gradients
