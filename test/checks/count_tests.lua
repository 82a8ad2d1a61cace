-- Reports of tests, which scripts/count-tests.lua counts.
-- Usage: luajit test/checks/count_tests.lua <count-tests.lua> <work folder> <interpreter>

local script, folder, lua = arg[1], arg[2], arg[3]
local failed = false

-- Writes the reports of tests, texts by the name of the test, and compares the last line of the
-- output.
local function check(tests, expected)
  os.execute(("rm -rf '%s' && mkdir -p '%s/results'"):format(folder, folder))
  local function write(name, content)
    local file = assert(io.open(('%s/results/%s.xml'):format(folder, name), 'w'))
    file:write(content)
    file:close()
  end
  local lines = {}
  for name, text in pairs(tests) do
    lines[#lines + 1] = ('<testcase name="%s" status="run">\n</testcase>\n'):format(name)
    write(name, text)
  end
  write('ctest', table.concat(lines))
  local pipe = assert(io.popen(("'%s' '%s' '%s'"):format(lua, script, folder)))
  local output = pipe:read '*a'
  pipe:close()
  local last = output:match '([^\n]*)\n$'
  if last ~= expected then
    io.stderr:write(('%s instead of %s\n'):format(last, expected))
    failed = true
  end
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

check({['c.a'] = report(0, {0, 0}), ['c.b'] = report(0, {1, 2})}, '7 passed, 0 failed')
check({['c.a'] = report(1, {0, 1})}, '3 passed, 1 failed')
-- A missing device.
check({['c.a'] = report(0, {0, 0}), ['gpu.a'] = report(0, {3, 2})}, '5 passed, 1 failed')
-- A report of busted.
check({['lua.a'] = '<testsuites tests="4" failures="0" errors="0" skipped="1"/>\n'},
      '3 passed, 0 failed')
os.exit(failed and 1 or 0)
