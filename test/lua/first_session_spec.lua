-- The recorded session, which the documentation shows.

local prefix = assert(os.getenv 'TENSOR_PREFIX')

describe('scripts/make-first-session.lua', function()
  -- Other Lua versions format numbers and tracebacks differently.
  if not rawget(_G, 'jit') then return pending 'the session is recorded with LuaJIT' end
  local page, inputs = assert(loadfile 'scripts/make-first-session.lua')(prefix)

  local function count(pattern)
    return select(2, page:gsub(pattern, ''))
  end

  it('keeps every input, and adds an output to most', function()
    assert.is_true(inputs >= 25)
    assert.are.equal(inputs, count '\n> ')
    local _, lines = page:gsub('\n', '')
    local _, before = io.open('doc/first-session.md.in'):read('*a'):gsub('\n', '')
    assert.is_true(lines > before + 100)
  end)

  it('records tensors, help, times and plots', function()
    assert.matches('> t %* t:t%(%)\n 14  32\n 32  77\n%[torch.DoubleTensor of size 2x2%]', page)
    assert.matches('> t:sum%(%), t:mean%(%), t:max%(%)\n21\t3.5\t6\n', page)
    assert.matches('> %?cumsum\ntensor.cumsum%(', page)
    assert.are.equal(1, count '%d [mu]?s, [%d.]+ [mu]?s of all processors\n')
    assert.matches('115008 elements of 8 B', page, 1, true)
    assert.matches('%d %+[^\n]+', page)
  end)

  -- Anything else would be an input that no longer works.
  it('records three errors, which are meant to be shown', function()
    assert.are.equal(3, count 'stack traceback:')
    assert.matches("has no function or field 'tpok': did you mean topk%?\n", page)
    assert.matches('\nstdin:1: add: ', page)
    assert.matches('\nstdin:1: view: ', page)
  end)
end)
