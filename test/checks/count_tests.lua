-- Reports of tests, which scripts/count-tests.lua counts.
-- Usage: luajit test/checks/count_tests.lua <count-tests.lua> <work folder> <interpreter>

local script, folder, lua = arg[1], arg[2], arg[3]
local failed = false

-- Writes ctest's report, unless it is nil, and reports of cases, texts by the name of the test.
-- Compares the last line of the output, and the exit status: 0 if tests passed and none failed.
local function check(ctest, reports, expected)
  os.execute(("rm -rf '%s' && mkdir -p '%s/results'"):format(folder, folder))
  local function write(name, content)
    local file = assert(io.open(('%s/results/%s.xml'):format(folder, name), 'w'))
    file:write(content)
    file:close()
  end
  if ctest then write('ctest', ctest) end
  for name, text in pairs(reports) do write(name, text) end
  local pipe = assert(io.popen(("'%s' '%s' '%s'; echo \"exit status $?\""):format(lua, script,
                                                                                  folder)))
  local output = pipe:read '*a'
  pipe:close()
  local last, status = output:match '([^\n]*)\nexit status (%d+)\n$'
  local is_success = expected:find '^[1-9]%d* passed, 0 failed$'
  if last ~= expected or (status == '0') ~= (is_success ~= nil) then
    io.stderr:write(('%s, status %s instead of %s\n'):format(last, status, expected))
    failed = true
  end
end

-- The element of a test in ctest's report.
local function test(name, status, inside)
  return ('<testcase name="%s" classname="%s" status="%s">\n%s</testcase>\n'):format(name, name,
    status or 'run', inside or '')
end

-- A report of GoogleTest of two suites with 3 and 2 cases.
local function report(failures, skipped)
  return ([[
<testsuites tests="5" failures="%d" disabled="0" errors="0" name="AllTests">
  <testsuite name="A" tests="3" failures="%d" disabled="0" skipped="%d" errors="0">
  </testsuite>
  <testsuite name="B" tests="2" failures="0" disabled="0" skipped="%d" errors="0">
  </testsuite>
</testsuites>
]]):format(failures, failures, skipped[1], skipped[2])
end

check(test 'c.a' .. test 'c.b', {['c.a'] = report(0, {0, 0}), ['c.b'] = report(0, {1, 2})},
      '7 passed, 0 failed')
check(test('c.a', 'fail'), {['c.a'] = report(1, {0, 1})}, '3 passed, 1 failed')
-- A missing device.
check(test 'c.a' .. test 'gpu.a', {['c.a'] = report(0, {0, 0}), ['gpu.a'] = report(0, {3, 2})},
      '5 passed, 1 failed')
-- A report of busted.
check(test 'lua.a', {['lua.a'] = '<testsuites tests="4" failures="0" errors="0" skipped="1"/>\n'},
      '3 passed, 0 failed')
check(test('lua.a', 'fail'),
      {['lua.a'] = '<testsuites tests="4" failures="1" errors="1" skipped="0"/>\n'},
      '2 passed, 2 failed')
-- Tests without a report of cases, and a failure after all cases passed, as of a leak.
check(test 'lint' .. test 'rock', {}, '2 passed, 0 failed')
check(test 'lint' .. test('lua.a', 'fail'), {}, '1 passed, 1 failed')
check(test('c.a', 'fail'), {['c.a'] = report(0, {0, 0})}, '5 passed, 1 failed')
-- Tests that this machine cannot run, and tests that ctest has not started.
local skipped = '<skipped message="SKIP_RETURN_CODE=77"/>\n'
check(test 'lint' .. test('nginx', 'notrun', skipped), {}, '1 passed, 0 failed')
check(test('nginx', 'notrun', skipped), {}, '0 passed, 0 failed')
check(test 'lint' .. test('c.a', 'notrun', '<skipped message="Unable to find executable"/>\n'), {},
      '1 passed, 1 failed')
check('<testsuite tests="0">\n</testsuite>\n', {}, '0 passed, 1 failed')
check(nil, {}, '0 passed, 1 failed')
os.exit(failed and 1 or 0)
