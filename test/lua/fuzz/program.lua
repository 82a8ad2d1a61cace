-- Random scripts for worlds.lua: functions of tensors and numbers, calls of them, and changes of
-- everything that they can read.

local new_random = require 'fuzz.random'
local worlds = require 'fuzz.worlds'

local unary = { 'exp', 'tanh', 'sigmoid', 'abs', 'sqrt', 'floor', 'neg', 'sign', 'relu', 'log1p' }

-- a, b: tensors; n: a number; d: a dimension.
local expressions = {
  'a + n', 'n - a', 'a * n', 'a / n', 'a + b', 'a - b', 'T.cmul(a, b)', 'T.cdiv(a, b)',
  'T.add(a, n, b)', 'T.cmax(a, b)', 'T.cmin(a, n)', 'T.clamp(a, -1, n)', 'T.where(a:lt(b), a, b)',
  'a:gt(b):typeAs(a)', 'a:eq(n):typeAs(a)', 'T.pow(a, n)', 'T.unary(a)', 'T.unary(a)', 'T.unary(a)',
  'a:sum(d)', 'a:mean(d)', 'a:prod(d)', '(a:max(d))', '(a:min(d))', 'a:var(d)', 'a:std(d)',
  'a:clone()', 'a:t()', 'a:transpose(1, 2)', 'a:narrow(1, 1, 1)', 'a:narrow(d, 2, 1)',
  'a:narrow(2, 1, 2)', 'a:select(1, 1)', 'a[1]', 'a:view(-1)', 'a:unfold(1, 2, 1)',
  'a:unfold(d, 1, 1)', 'a:expandAs(b)', 'a:contiguous()', 'T.range(1, 4)',
  'a.new():resizeAs(a):fill(n)', 'a:clone():zero()', 'T.zeros(2, 3)', 'h1(a)', 'h2(a)',
  'helpers.scale(a)', 'helpers.inner(a)', 'a:float()', 'T.lerp(a, b, 0.3)', 'T.addcmul(a, n, b, b)',
  'T.atan2(a, b)', 'a:squeeze()', 'T.Tensor():set(a)', 'T.Tensor():resizeAs(b):copy(a)', '-a',
  'T.Tensor(4):unfold(1, 2, 1):copy(a)', 'T.Tensor(3, 2):t():copy(a)', 'a.new(a:storage())',
  'a:repeatTensor(2, 1)', 'T.Tensor(2, 3):fill(n):add(a)', 'a:sub(1, 1)', 'a * b:sum()',
  'T.Tensor(a:storage(), a:storageOffset(), a:size())', 'T.ones(2, 3):cmul(a)', 'a:viewAs(b)',
  'T.Tensor(1):fill(n):expandAs(a)', 'T.cat(a, b, 1)',
  'T.mm(a, b:t())', 'a:cumsum(d)', 'a:sort(d)', 'a:index(1, T.LongTensor(2):fill(1))',
  'a:gt(b):sum(d):typeAs(a)', 'T.mv(a, b:select(1, 1))', 'a:max(d, false)', 'a[a:gt(n)]',
  'T.where(a:lt(b), a, b):t()', 'select(2, a:max(d)):typeAs(a)', 'a:new()', 'a:type(a:type())',
}
-- Only of tensors that the function has made, as a rule.
local changes = {
  'a:add(n)', 'a:add(b)', 'a:add(n, b)', 'a:mul(n)', 'a:cmul(b)', 'a:copy(b)', 'a:fill(n)',
  'a:zero()', 'a:csub(b)', 'a:tanh()', 'a:pow(2)', 'a:narrow(1, 1, 1):fill(n)', 'a:t():add(n)',
  'a:select(1, 1):copy(b)', 'a:clamp(0, 1)', 'a:resize(1, 2)', 'a:cmax(n)', 'a[1] = n', 'a:set(b)',
  'a:unfold(1, 2, 1):copy(b)', 'a:view(-1):add(n)', 'a:apply(function(e) return e + n end)',
  'a:cadd(b)', 'a:t():copy(b)', 'a:addcmul(n, b, b)', 'a:storage():fill(n)',
  'a:cdiv(b)', 'a[1]:add(n)', 'a:addmm(a, b)', 'a:indexFill(1, T.LongTensor(1):fill(1), n)',
  'a:scatter(1, T.LongTensor(1, 1):fill(1), n)', 'a:squeeze()', 'a:unfold(d, 1, 1):add(n)',
  'a:maskedFill(a:gt(b), n)',
}
local numbers = {
  '1', '2', '3', '0.5', '-1', 'k', 'k', 'k + 1', 'u1', 'u1', 'u2', 'rate', 'rate', 'cfg.rate',
  'cfg.sub.k', 'cfg[1]', 'hn(k)', '(flag and 1 or 2)', 'x:size(1)', 'a:dim()', 'x:storageOffset()',
  'y:stride(1)', '(x == y and 1 or 2)', '(a:isContiguous() and 1 or 2)', '#cfg', 'a:sum()',
  'a:storage():size()', '_G.rate2', '(extra or 2)', 'math.floor(u2)', 'a:nElement()', 'lr',
  'cfg[name]', '#name', 'math.max(u1, rate)', 'G.w:size(1)', '(G.w[1][1])',
  'x:storage():size()', '(x:isSetTo(y) and 1 or 3)', '(tonumber(name) or 4)', 'object:rate()',
  'select(2, pairs(cfg)).rate', 'getn()', '(T.isTensor(c1) and 1 or 2)', 'string.len(name)',
}
local captured = { 'c1', 'c1', 'g1', 'cfg.w', 'cfg.sub.w', 'G.w', 't6', 'helpers.w', 'object.w' }
local side_effects = {
  'u1 = u1 + 1', 'rate = rate + 1', 'cfg.rate = k', 'last = a', 'cfg.sub.w = a', 'c1 = a',
  'extra = k', 'x:add(1)', 'c1:fill(k)', 'cfg[#cfg + 1] = k', 'G.w:resize(3, 2)', 'x:resize(1, 2)',
  'T.setBroadcast("torch7")', 'x:set(y)', 'cfg.w:set(a)', 'object.value = k',
}
-- Between calls: everything that a function may have read changes.
local mutations = {
  'u1 = u1 + 1', 'u2 = 0.25', 'rate = rate + 1', 'rate = 2', 'cfg.rate = cfg.rate + 1',
  'cfg.sub = { k = 5, w = t1 }', 'cfg[1] = 9', 'flag = not flag', 'extra = 7', 'extra = nil',
  'c1 = t2', 'c1 = t3', 'c1:fill(2)', 'g1 = t4', 'g1:add(1)', 'cfg.w = t5', 'cfg.w = t1:clone()',
  'G.w = t1', 'G.w:set(t2)', 'G.w:set(t3:clone())', 'h1 = function(v) return v * 3 end', 'u3 = 4',
  'helpers.scale = function(v) return v - rate end', 'helpers.w = t3', 't1:add(1)', 't2[1][1] = 5',
  't3 = s:narrow(1, 4, 6):view(2, 3)', 't3 = s:narrow(1, 8, 6):view(2, 3)', 't4 = t4:clone()',
  't5 = t1', 't5 = t1:narrow(1, 1, 2)', 't6:set(t1)', 't6 = t1:t():contiguous():t()', 'lr = lr / 2',
  's:add(1)', 't1 = t1:clone()', 't2 = t1', 'T.setBroadcast("torch7")', 'T.setBroadcast("numpy")',
  'T.setdefaulttensortype("torch.FloatTensor")', 'collectgarbage()', 'cfg = { rate = 1, w = t2, 4,'
  .. ' sub = { k = 1, w = t3 } }', 'name = "rate"', 'name = "7"', 'object.value = 3', 'i1 = 5',
  'setmetatable(object, { __index = { rate = function() return 2 end } })', 'hn = math.abs',
  'setmetatable(cfg, { __index = { none = 1 } })', 'cfg.none = 3', 'rate2 = 5', 'count = count + 1',
}
local wild = {
  'u1 = u1 + 1', 'rate = nil', 't1:resize(1)', 't2:set(t1)', 'c1 = T.Tensor(1)', 'c1 = nil',
  't3:resize(60, 2)', 's:resize(3)', 'cfg = {}', 'f1 = nil', 't1:free()', 't4 = nil', 'G.w = nil',
  'call(f1, t1, t2, 3)', 'call(f2, t4, t5, 1)', 'helpers.w:set()', 't5:storage():resize(2)',
  't1 = T.Tensor(2, 3):fill(1)', 'c1 = T.Tensor(2, 3):fill(1)', 'collectgarbage()', 't6:resize(0)',
}

local setup = [[
local u1, u2, u3, i1, count = 2, 1.5, 3, 2, 0
local s = T.range(1, 60):div(7)
t1, t2 = T.Tensor(2, 3):copy(s:narrow(1, 1, 6)), T.Tensor{{-1, 0.5, 2}, {3, 0, -0.25}}
t3, t4 = s:narrow(1, 3, 6):view(2, 3), s:narrow(1, 20, 12):view(2, 6):narrow(2, 2, 3)
t5, t6 = s:narrow(1, 30, 6):view(3, 2):t(), T.Tensor(1, 3):copy(s:narrow(1, 9, 3))
rate, rate2, flag, lr, name = 3, 4, true, 0.25, "sub"
g1 = t2
local c1 = t2:clone()
cfg = { rate = 2, w = t1:clone(), sub = { k = 3, w = t6 }, 5, 7 }
G = { w = T.Tensor(2, 3):fill(2) }
class = { rate = function(o) return o.value end }
object = setmetatable({ value = 2, w = t4 }, { __index = class })
local function hn(n) return n + u1 * rate end
local function getn() return u3 + (i1 or 1) end
local function h1(v) return v * u2 + rate end
local h2 = compile(function(v) return v - u3 end)
helpers = { w = t2, scale = function(v) return v * cfg.rate end }
helpers.inner = compile(function(v) return h2(v) + lr end)]]

local function lines_of(text)
  local list = {}
  for line in text:gmatch '[^\n]+' do list[#list + 1] = line end
  return list
end

-- A template with its letters replaced.
local function filled(random, template, tensors, own, number_of)
  local is_change = own ~= nil
  local text = template:gsub('unary', function() return random:of(unary) end)
  text = text:gsub('%f[%w]([abnd])%f[%W]', function(letter)
    if letter == 'a' and is_change then return own end
    if letter == 'a' or letter == 'b' then return random:of(tensors) end
    return letter == 'd' and tostring(random:int(2)) or number_of(tensors)
  end)
  return text
end

local function number_from(random)
  local function number(tensors)
    return (random:of(numbers):gsub('%f[%w]a%f[%W]', function() return random:of(tensors) end))
  end
  return number
end

-- The lines of a function, which is called f<index>. Statements that fail are left out, mostly.
local function add_function(random, lines, index, with_effects)
  local tensors, own, made = { 'x', 'y', 'x', 'y' }, {}, 0
  local number = number_from(random)
  local body = {}
  local function accepted(statement)
    local all = {}
    for _, line in ipairs(lines) do all[#all + 1] = line end
    all[#all + 1] = 'local function f(x, y, k)'
    for _, line in ipairs(body) do all[#all + 1] = line end
    all[#all + 1] = statement
    all[#all + 1] = 'return 1 end'
    all[#all + 1] = 'call(f, t1, t3, 2)'
    return random:once_in(60) or worlds.runs(table.concat(all, '\n'))
  end
  for _ = 1, random:int(3) do tensors[#tensors + 1] = random:of(captured) end
  for _ = 1, 2 + random:int(7) do
    local what, statement, name = random:int(20), nil, nil
    if what <= 13 or #own == 0 then
      name = 'v' .. made + 1
      local function expression()
        return filled(random, random:of(expressions), tensors, nil, number)
      end
      statement = ('local %s = %s'):format(name, expression())
      if random:once_in(12) then
        statement = ('%s if %s > 2 then %s = %s end'):format(statement, number(tensors), name,
                                                             expression())
      end
    elseif what <= 18 then
      statement = filled(random, random:of(changes), tensors,
                         random:once_in(15) and random:of(tensors) or random:of(own), number)
    elseif with_effects then
      statement = filled(random, random:of(side_effects), tensors, nil, number)
    end
    if statement and accepted(statement) then
      body[#body + 1] = statement
      if name then
        made = made + 1
        tensors[#tensors + 1] = name
        own[#own + 1] = name
        own[#own + 1] = name
      end
    end
  end
  lines[#lines + 1] = ('f%d = compile(function(x, y, k)'):format(index)
  for _, line in ipairs(body) do lines[#lines + 1] = line end
  local returned = { made > 0 and 'v' .. made or 'x + 1' }
  for _ = 1, random:int(4) - 2 do
    returned[#returned + 1] = random:once_in(4) and number(tensors) or random:of(tensors)
  end
  lines[#lines + 1] = ('return %s end)'):format(table.concat(returned, ', '))
end

--- The lines of the script with this seed.
local function program(seed)
  local random = new_random(seed)
  local lines = lines_of(setup)
  local functions = 1 + random:int(2)
  local is_wild = random:once_in(5)
  local pure = {}
  for k = 1, functions do
    add_function(random, lines, k, random:once_in(4))
    pure[k] = worlds.is_pure(table.concat(lines, '\n'), 'f' .. k)
  end
  local function arguments()
    return ('t%d, t%d, %d'):format(random:int(6), random:int(6), random:int(3))
  end
  if is_wild then
    lines[#lines + 1] = 'wild()'
    for _ = 1, 3 do
      lines[#lines + 1] = ('spawn(%d, function() %s end)'):format(random:int(40), random:of(wild))
    end
  end
  for _ = 1, 4 + random:int(5) do
    local k, given = random:int(functions), arguments()
    for _ = 1, 1 + random:int(5) do
      if random:once_in(3) then lines[#lines + 1] = random:of(mutations) end
      if random:once_in(8) then given = arguments() end
      -- Finalizers must not change what is compared.
      if random:once_in(10) and (is_wild or pure[k]) then
        lines[#lines + 1] = ('spawn(%d, function() f%d(%s) end)'):format(random:int(5), k,
                                                                         arguments())
      end
      if random:once_in(8) then
        lines[#lines + 1] = ('r1 = f%d(%s) note(r1) r1:add(1) note(r1)'):format(k, given)
      else
        lines[#lines + 1] = ('call(f%d, %s)'):format(k, given)
      end
    end
  end
  lines[#lines + 1] = 'note(t1, t2, t3, t4, t5, t6, cfg.w, cfg.sub.w, G.w, rate, cfg.rate, u1)'
  return lines
end

return program
