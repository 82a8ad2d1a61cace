-- NaNs with a payload, which files and other programs may bring. Every way by which an element
-- becomes a Lua number must give a number: LuaJIT represents its other values as such NaNs.

local tensor = require 'tensor'
local ffi = require 'ffi'
local both = require 'support.jit_modes'

-- NaNs of both signs, quiet and signalling, with the tags of LuaJIT's values in the upper bits, or
-- with a payload in the lower bits alone.
local doubles = {
  0xffffffffffffffffULL, 0x7fffffffffffffffULL, 0xfff7ffffffffffffULL, 0x7ff7ffffffffffffULL,
  0xfff8ffffffffffffULL, 0xfff0ffffffffffffULL, 0xfff0000000000001ULL, 0x7ff0000000000001ULL,
  0xfffeffffffffffffULL, 0x7fffffff00000000ULL,
}
for tag = 0xfff90, 0xfffff, 8 do
  doubles[#doubles + 1] = tag * 2ULL ^ 44 + 0xabcdef0ULL
end
local patterns = {
  { 'Double', 'uint64_t *', doubles },
  { 'Float', 'uint32_t *', {
    0xffffffff, 0x7fffffff, 0xffbfffff, 0x7fbfffff, 0xffc80000, 0xffcfffff, 0xffd80001, 0xffe00000,
    0xffe80000, 0xfff00000, 0xfff80000, 0xff800001, 0xff80ffff, 0x7f800001, 0xff810000, 0x7fc00001,
  } },
  { 'Half', 'uint16_t *', { 0xffff, 0x7fff, 0xfdff, 0x7dff, 0xff7f, 0xfe7f, 0xfc01, 0x7c01 } },
  { 'BFloat16', 'uint16_t *', { 0xffff, 0x7fff, 0xffbf, 0x7fbf, 0xffc8, 0xffef, 0xff81, 0x7f81 } },
}

local function filled(name, pointer, bits)
  local t = tensor[name .. 'Tensor'](#bits)
  local p = ffi.cast(pointer, t:data())
  for i, pattern in ipairs(bits) do
    p[i - 1] = pattern
  end
  return t
end

-- A NaN is a number whatever is computed from it.
local function check(...)
  for k = 1, select('#', ...) do
    local x = select(k, ...)
    for _, value in ipairs { x, -x, x + 1, x * -2, 0 - x } do
      assert(type(value) == 'number' and value ~= value, 'a NaN became a ' .. type(value))
    end
    assert(type(-x) == 'number' and tostring(x):match 'nan$')
  end
end

-- Enough for the compiler to record the loops.
local ROUNDS = 20

for _, row in ipairs(patterns) do
  local name, pointer, bits = row[1], row[2], row[3]
  local n = #bits

  describe('a NaN with a payload in a ' .. name .. 'Tensor is a number', function()
    it('of t[i], t[i][j] and s[i]', function()
      both(function()
        local t = filled(name, pointer, bits)
        local s, m, cube = t:storage(), t:view(n / 2, 2), t:view(2, n / 4, 2)
        local list, strided = {}, t.new(t:storage(), 1, n / 2, 2)
        for _ = 1, ROUNDS do
          for i = 1, n do list[i] = t[i] end
        end
        check(unpack(list))
        for _ = 1, ROUNDS do
          for i = 1, n do list[i] = s[i] end
        end
        check(unpack(list))
        for _ = 1, ROUNDS do
          for i = 1, n / 2 do
            list[2 * i - 1], list[2 * i] = m[i][1], m[{ i, 2 }]
          end
        end
        check(unpack(list))
        for _ = 1, ROUNDS do
          for i = 1, n / 4 do
            list[i], list[i + n / 4] = cube[1][i][2], cube[{ 2, i, 1 }]
          end
          for i = 1, n / 2 do list[n / 2 + i] = strided[i] end
        end
        check(unpack(list))
      end)
    end)

    it('of apply, map and map2', function()
      both(function()
        local t = filled(name, pointer, bits)
        local u, v, one = t:clone(), t.new(2 * n):fill(1), t.new(n):fill(1)
        v.new(v:storage(), 1, n, 2):copy(t)
        v = v.new(v:storage(), 1, n, 2)
        local seen
        local function f(...)
          seen = seen + 1
          for k = 1, select('#', ...) do
            local x = select(k, ...)
            if type(x) ~= 'number' or type(-x) ~= 'number' or type(x + 1) ~= 'number' then
              error('a NaN became a ' .. type(x))
            end
          end
        end
        for _ = 1, 3 do
          seen = 0
          t:apply(f)
          v:apply(f)
          one:map(t, f)
          one:map2(u, v, f)
          assert.are.equal(4 * n, seen)
          local copy = t:clone():apply(function(x) return -x end)
          assert.are.equal(n, copy:ne(copy):sum())
          copy:fill(0):map2(u, v, function(_, x, y) return x + y end)
          assert.are.equal(n, copy:ne(copy):sum())
        end
      end)
    end)

    it('of the functions written in C', function()
      local t = filled(name, pointer, bits)
      check(unpack(t:totable()))
      check(unpack(t:storage():totable()))
      local file = tensor.MemoryFile():binary()
      file['write' .. name](file, t:storage())
      file:seek(1)
      check(unpack(file['read' .. name](file, n):totable()))
      file:seek(1)
      for _ = 1, n do check(file['read' .. name](file)) end
      for i = 1, n do
        local x = t:narrow(1, i, 1)
        check(x[1], x[{ 1 }], x:storage()[i], x:sum(), x:max(), x:min(), x:mean(), x:prod(),
              x:dot(x), x:norm(), x:view(1, 1)[1][1])
        check(tensor.serialize and tensor.deserialize(tensor.serialize(x))[1])
      end
      local text = tostring(t) .. tostring(t:storage()) .. tostring(t:view(n / 2, 2))
      assert.are.equal(3 * n, select(2, text:gsub('nan', '')))
    end)
  end)
end

describe('a test for NaN that the compiler moves', function()
  -- It takes pointers of different types for those of different memory.
  it('gives what another view has stored', function()
    both(function()
      for _, name in ipairs { 'Float', 'Double' } do
        local t = tensor[name .. 'Tensor'](2000)
        local first, nan = t:narrow(1, 1, 1), 0 / 0
        for _ = 1, 3 do
          t:fill(1)[1] = nan
          t:map(first:expand(2000), function(_, y) return y ~= y and 5 or y + 1 end)
          assert.are.same({ 5, 6, 6, 6 }, { t[1], t[2], t[3], t[2000] })
        end
        local wrong = 0
        for k = 1, 500 do
          t[1] = nan
          local a = t[1]
          first[1] = k
          if t[1] ~= k or a == a then wrong = wrong + 1 end
        end
        assert.are.equal(0, wrong)
      end
    end)
  end)
end)
