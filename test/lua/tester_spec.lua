-- torch.Tester and torch.TestSuite: the assertions, the printed output, and how a run ends.

local tensor = require 'tensor'
local written = require('support.printed').written

-- Returns the tester, the output of run, and the error it raised, if any.
local function run(tests, patterns, prepare)
  local tester = tensor.Tester()
  tester:add(type(tests) == 'function' and tests(tester) or tests)
  if prepare then prepare(tester) end
  local message
  local text = written(function()
    local ok, err = pcall(tester.run, tester, patterns)
    message = not ok and err or nil
  end)
  return tester, text, message
end

local function suite(functions)
  local tests = tensor.TestSuite()
  for _, pair in ipairs(functions) do tests[pair[1]] = pair[2] end
  return tests
end

-- Returns whether an assertion holds, by its result and by the counters.
local function holds(name, ...)
  local tester = tensor.Tester()
  local result = tester[name](tester, ...)
  assert.are.equal(result and 1 or nil, tester.assertionPass and tester.assertionPass[''])
  assert.are.equal(result and 0 or 1, #tester.errors)
  return result, tester
end

describe('TestSuite', function()
  it('has functions of different names only', function()
    local tests = tensor.TestSuite()
    function tests.one() return 1 end
    assert.are.equal(1, tests.one())
    assert.is_nil(tests.two)
    assert.has_error(function() function tests.one() end end, 'Test one is already defined.')
    assert.has_error(function() tests.two = 2 end,
                     'Only functions are supported as members of a TestSuite')
    assert.has_error(function() tests.two = {} end, 'Nested tables of tests are not supported')
  end)
end)

describe('Tester', function()
  it('compares numbers', function()
    for name, expected in pairs {
      assertlt = { true, false, false }, assertle = { true, true, false },
      assertgt = { false, false, true }, assertge = { false, true, true },
      asserteq = { false, true, false }, assertne = { true, false, true },
    } do
      for k = 1, 3 do assert.are.equal(expected[k], holds(name, k, 2), name) end
    end
    assert.is_true(holds('assertalmosteq', 1, 1 + 1e-10, 1e-9))
    assert.is_false(holds('assertalmosteq', 1, 1 + 1e-10))
    assert.is_true(holds('eq', 1, 1.5, 0.5))
    assert.is_false(holds('eq', 1, 1.5, 'they are far', 0.25))
    assert.is_true(holds('ne', 1, 1.5, 0.25))
    assert.is_false(holds('ne', 1, 1.5, 0.5))
    assert.is_true(holds('eq', math.huge, math.huge))
    assert.is_false(holds('eq', 0 / 0, 0 / 0))
    assert.is_true(holds('assert', true))
    assert.is_true(holds('assert', true, nil, nil))
    assert.is_false(holds('assert', false))
  end)

  it('compares anything', function()
    assert.is_false(holds('eq', 1, '1'))
    assert.is_true(holds('ne', 1, '1'))
    assert.is_true(holds('eq', 'a', 'a'))
    assert.is_true(holds('eq', nil, nil))
    assert.is_false(holds('ne', print, print))
    assert.is_true(holds('eq', { 1, { a = 2 } }, { 1, { a = 2 } }))
    assert.is_false(holds('eq', { 1, { a = 2 } }, { 1, { a = 3 } }))
    assert.is_true(holds('eq', { 1, { a = 2 } }, { 1, { a = 2.5 } }, 0.5))
    assert.is_false(holds('eq', { 1 }, { 1, 2 }))
    assert.is_false(holds('eq', { 1, 2 }, { 1 }))
    assert.is_true(holds('ne', { a = 1 }, { a = 2 }))
    assert.is_false(holds('ne', { a = 1 }, { a = 1 }))
    local a, b = { 1 }, { 1 }
    a.self, b.self = a, b
    assert.is_true(holds('assertTableEq', a, b))
    assert.is_false(holds('assertTableNe', a, b))
    assert.is_false(holds('eq', tensor.ones(1), tensor.ones(1):storage()))
  end)

  it('says where tables differ first', function()
    local _, tester = holds('eq', { x = { y = 1 } }, { x = { y = 2 } })
    assert.matches('At table location x%.y: EQ failed: 1 ~= 2', tester.errors[1])
    _, tester = holds('eq', { x = { y = 1 } }, { x = {} })
    assert.matches('Entry x%.y missing in second table %(is 1 in first%)', tester.errors[1])
  end)

  it('compares tensors and storages of every type', function()
    for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float',
                            'Double' } do
      local Tensor, Storage = tensor[name .. 'Tensor'], tensor[name .. 'Storage']
      local t, u = Tensor { 1, 2, 100 }, Tensor { 1, 2, 98 }
      for _, eq in ipairs { 'eq', 'assertTensorEq', 'assertGeneralEq' } do
        assert.is_true(holds(eq, t, t:clone()))
        assert.is_false(holds(eq, t, u))
        assert.is_false(holds(eq, u, t, 1))
        assert.is_true(holds(eq, u, t, 2))
      end
      for _, ne in ipairs { 'ne', 'assertTensorNe', 'assertGeneralNe' } do
        assert.is_false(holds(ne, t, t:clone()))
        assert.is_true(holds(ne, u, t, 1))
        assert.is_false(holds(ne, u, t, 2))
      end
      assert.is_true(holds('eq', Storage { 1, 2 }, Storage { 1, 2 }))
      assert.is_false(holds('eq', Storage { 1, 2 }, Storage { 1, 3 }))
      assert.is_true(holds('ne', Storage { 1, 2 }, Storage { 1, 2, 3 }))
    end
    local signed = tensor.CharTensor { -128, 127 }
    assert.is_false(holds('eq', signed, tensor.CharTensor { 127, -128 }, 254))
    assert.is_true(holds('eq', signed, tensor.CharTensor { 127, -128 }, 255))
    local large = tensor.LongTensor { 2 ^ 53 }
    assert.is_false(holds('eq', large, large + 1))
    large = tensor.LongTensor { 2 ^ 62, 1 }
    for _, other in ipairs { -2 ^ 62 - 2 ^ 10, -2 ^ 62, -2 ^ 63 } do
      assert.is_false(holds('eq', large, tensor.LongTensor { other, 1 }))
      assert.is_false(holds('eq', tensor.LongTensor { other, 1 }, large, 2 ^ 62))
      assert.is_true(holds('ne', large, tensor.LongTensor { other, 1 }))
    end
    local least = rawget(math, 'mininteger')
    if least then
      assert.is_false(holds('eq', -1 - least, least, 1))
      assert.is_false(holds('eq', 0, least, 1))
    end
  end)

  it('tells sizes and types apart', function()
    local flat, row = tensor.ones(3), tensor.ones(1, 3)
    assert.is_false(holds('eq', flat, row))
    assert.is_true(holds('ne', flat, row))
    local ok, tester = holds('assertTensorEq', flat, row)
    assert.is_true(ok)
    assert.are.equal(1, #tester.warnings)
    assert.is_false(holds('assertTensorEq', flat, tensor.ones(4)))
    assert.is_false(holds('assertTensorEq', flat, tensor.FloatTensor { 1, 1, 1 }))
    assert.is_true(holds('assertTensorEq', tensor.Tensor(), tensor.Tensor()))
    assert.is_false(holds('assertTensorNe', tensor.Tensor(), tensor.Tensor()))
    local none = tensor.ones(2, 3):narrow(1, 1, 0)
    assert.is_true(holds('assertTensorEq', none, none:clone()))
    assert.is_true(holds('assertTensorEq', none, tensor.Tensor()))
    assert.is_false(holds('eq', none, tensor.Tensor()))
    local inf = tensor.Tensor { math.huge, -math.huge }
    assert.is_true(holds('eq', inf, inf:clone()))
    assert.is_false(holds('eq', inf, -inf))
    assert.is_false(holds('eq', tensor.Tensor { 0 / 0 }, tensor.Tensor { 0 / 0 }))
    assert.is_true(holds('eq', row:expand(2, 3), tensor.ones(3, 2):t()))
    assert.has_error(function() holds('assertTensorEq', 1, flat) end,
                     'First argument should be a Tensor')
  end)

  it('refuses arguments that have no meaning', function()
    for message, arguments in pairs {
      ['Unexpected arguments passed to test function'] = { 'assert', true, 'text', 1 },
      ['message parameter must be a string, not number'] = { 'assert', true, 1 },
      ['Unrecognized argument; should be a tolerance or message, got table'] = { 'eq', 1, 1, {} },
      ['Unexpected number argument; already have tolerance'] = { 'eq', 1, 1, 0, 1 },
      ['Unexpected string argument; already have message'] = { 'eq', 1, 1, 'a', 'b' },
      ['tolerance cannot be negative'] = { 'eq', 1, 1, -1 },
    } do
      assert.has_error(function() holds(unpack(arguments)) end, message)
    end
    for message, arguments in pairs {
      ['Name parameter is forbidden for a table of tests, since its use is ambiguous'] =
        { {}, 'name' },
      ['Nested sets of tests are not supported'] = { { inner = {} } },
      ['Only tables of functions and functions supported'] = { 5 },
      ['Only one set-up function allowed'] = { print, '_setUp' },
      ['Only one tear-down function allowed'] = { print, '_tearDown' },
      ['Test with name there already exists!'] = { print, 'there' },
    } do
      local tester = tensor.Tester()
      for _, name in ipairs { '_setUp', '_tearDown', 'there' } do tester:add(print, name) end
      written(function()
        assert.has_error(function() tester:add(unpack(arguments)) end, message)
      end)
      assert.has_error(function() tester:disable(5) end, 'Expecting name or list for disable')
      assert.has_error(function() tester:disable 'absent' end, "Unrecognized test 'absent'")
    end
  end)

  it('expects errors', function()
    local function fails() error('no good', 0) end
    local function works() end
    assert.is_true(holds('assertError', fails))
    assert.is_false(holds('assertError', works))
    assert.is_true(holds('assertNoError', works))
    assert.is_false(holds('assertNoError', fails))
    assert.is_true(holds('assertErrorMsg', fails, 'no good'))
    assert.is_false(holds('assertErrorMsg', fails, 'good'))
    assert.is_true(holds('assertErrorPattern', fails, 'g..d$'))
    assert.is_false(holds('assertErrorPattern', fails, '^good'))
    assert.is_false(holds('assertErrorPattern', works, ''))
    local object = {}
    local function raises() error(object) end
    assert.is_true(holds('assertErrorObj', raises, function(err) return err == object end))
    assert.is_false(holds('assertErrorObj', raises, function(err) return err ~= object end))
    assert.is_false(holds('assertErrorPattern', raises, '^x'))
  end)

  it('refuses arguments that it does not know', function()
    local tester = tensor.Tester()
    for _, call in ipairs {
      function() tester:assert(true, 'a', 'b') end,
      function() tester:assertlt(1, 2, 3) end,
      function() tester:eq(1, 1, 'a', 'b') end,
      function() tester:eq(1, 1, 1, 2) end,
      function() tester:eq(1, 1, -1) end,
      function() tester:eq(1, 1, {}) end,
      function() tester:add({}, 'name') end,
      function() tester:add(5) end,
      function() tester:add({ nested = {} }) end,
      function() tester:disable 'nosuch' end,
      function() tester:disable(5) end,
    } do
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.matches('tester_spec.lua:%d+: ', message)
    end
  end)

  it('reports', function()
    local tester, text, message = run(function(t)
      return suite {
        { 'good', function() t:eq(1, 1) t:assert(true) end },
        { 'bad', function() t:eq(1, 2, 'one is not two') t:eq(1, 1) end },
        { 'broken', function() error 'oh' end },
      }
    end)
    local function dots(name) return ('.'):rep(80 - 9 - 4 - #name) end
    assert.are.equal(('Running 3 tests\n1/3 good %s [PASS]\n'):format(dots('good'))
      .. ('2/3 bad %s [FAIL]\n'):format(dots('bad'))
      .. ('3/3 broken %s [ERROR]\n'):format(dots('broken'))
      .. 'Completed 4 asserts in 3 tests with 1 failure and 1 error\n' .. ('-'):rep(80) .. '\n'
      .. 'bad\none is not two\nEQ failed: 1 ~= 2\n', text:match '^.-EQ failed: 1 ~= 2\n')
    assert.matches('\none is not two\nEQ failed: 1 ~= 2\n\t[^\n]*tester_spec.lua:%d+: in ', text)
    assert.matches('\nbroken\n Function call failed\n[^\n]*tester_spec.lua:%d+: oh\n', text)
    assert.matches('An error was found while running tests!', message)
    assert.are.equal(2, #tester.errors)
    assert.are.equal(4, tester.countasserts)
  end)

  it('runs all, or those whose names match, in their order', function()
    local calls = {}
    local function note(name) return { name, function() calls[#calls + 1] = name end } end
    local tests = suite { note 'beta', note 'alpha', note 'gamma' }
    local _, text, message = run(tests)
    assert.is_nil(message)
    assert.are.equal('beta alpha gamma', table.concat(calls, ' '))
    assert.matches('Completed 0 asserts in 3 tests with 0 failures and 0 errors\n$', text)
    calls = {}
    run(tests, { '^g', 'beta' })
    assert.are.equal('beta gamma', table.concat(calls, ' '))
    _, _, message = run(tests, 'delta')
    assert.matches("Couldn't find test 'delta'", message)
    calls = {}
    _, text = run(tests, nil, function(tester) tester:disable { 'alpha' } end)
    assert.are.equal('beta gamma', table.concat(calls, ' '))
    assert.matches('alpha %.+ %[SKIP%]', text)
    assert.matches('0 errors and 1 disabled', text)
    assert.are.equal(0, (function()
      local result
      written(function() result = tensor.Tester():add(function() end, 'one'):run() end)
      return result
    end)())
  end)

  it('runs what was put among its tests', function()
    local calls = {}
    local function note(name) return function() calls[#calls + 1] = name end end
    local tests = suite { { 'b', note 'b' }, { 'a', note 'a' } }
    tests.__tests.b = note 'another b'
    tests.__tests.d, tests.__tests.c = note 'd', note 'c'
    run(tests, nil, function(tester) tester.tests.a0 = note 'a0' end)
    assert.are.equal('another b a c d a0', table.concat(calls, ' '))
  end)

  it('has its switches', function()
    local count = 0
    local function failing(t)
      local function test() count = count + 1 t:assert(false) end
      return suite { { 'a', test }, { 'b', test } }
    end
    local _, text = run(failing, nil, function(t) t:setEarlyAbort(true) end)
    assert.are.equal(1, count)
    assert.matches('Aborting on first error', text)
    _, text = run(failing, nil, function(t) t:setSummaryOnly(true) end)
    assert.matches('2 failures and 0 errors\n$', text)
    local message
    _, _, message = run(failing, nil, function(t) t:setRethrowErrors(true) end)
    assert.matches('BOOL violation condition=false', message)
  end)

  it('calls what stands around each test', function()
    local calls = {}
    local function note(what)
      return function(name) calls[#calls + 1] = what .. tostring(name) end
    end
    local _, text = run(suite {
      { '_setUp', note '+' }, { 'a', function() error 'x' end },
      { 'b', function(...) assert.are.equal(0, select('#', ...)) end },
      { '_tearDown', note '-' },
    })
    assert.are.equal('+a -a +b -b', table.concat(calls, ' '))
    assert.matches('2 tests with 0 failures and 1 error', text)
  end)

  it('warns', function()
    local _, text, message = run { plain = function() end }
    assert.is_nil(message)
    assert.matches('1 warning', text)
    assert.matches('Should use TestSuite', text)
    local tester = tensor.Tester()
    tester:assert('yes')
    tester:assertne({}, {})
    assert.are.equal(2, #tester.warnings)
  end)

  it('reports the failures of the last run only', function()
    local tester, count = tensor.Tester(), 0
    tester:add(function()
      count = count + 1
      tester:assert(count > 1, 'the first run fails')
    end, 'flaky')
    local function attempt() pcall(tester.run, tester) end
    assert.matches('the first run fails', written(attempt))
    local text = written(attempt)
    assert.matches('1 assert in 1 test with 0 failures and 0 errors', text)
    assert.is_nil(text:find('the first run fails', 1, true))
  end)

  it('tests what is installed', function()
    local text = written(tensor.test, { 'views', 'random' })
    assert.matches('Running 2 tests', text)
    assert.matches('with 0 failures and 0 errors\n$', text)
  end)
end)
