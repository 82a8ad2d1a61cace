-- doc/first-session.md contains exactly what the program prints, except for times.

local prefix = assert(os.getenv 'TENSOR_PREFIX')

local function without_times(text)
  return (text:gsub('%d[%d.]* [mu]?s(%f[^%w])', 'N s%1'))
end

describe('doc/first-session.md', function()
  it('is what scripts/make-first-session.lua records', function()
    -- Other Lua versions format numbers and tracebacks differently.
    if not rawget(_G, 'jit') then return pending 'it was recorded with LuaJIT' end
    local file = assert(io.open 'doc/first-session.md')
    local text = file:read '*a'
    file:close()
    local recorded = assert(loadfile 'scripts/make-first-session.lua')(prefix)
    assert.are.equal(without_times(text), without_times(recorded))
    local _, times = recorded:gsub('%d [mu]?s, [%d.]+ [mu]?s of all processors', '')
    assert.are.equal(1, times)
  end)

  it('has its times left out, and nothing else', function()
    assert.are.equal('N s, N s of 20 sums', without_times '6.030 ms, 5 us of 20 sums')
  end)
end)
