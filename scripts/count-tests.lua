-- Adds up the test cases that ran in the given build folders: "N passed, N failed". ctest reports
-- how each test ended; a test with several cases (GoogleTest, busted) writes their numbers to
-- results/<test>.xml. A test that failed without a failed case (a crash, a leak) or has skipped all
-- cases, as on a device that is missing, counts as one failure.

local function read(path)
  local file = io.open(path, 'rb')
  if not file then return nil end
  local text = file:read('*a')
  file:close()
  return text
end

local function attribute(tag, name)
  return tonumber(tag:match('%s' .. name .. '="(%d+)"')) or 0
end

-- Returns the numbers of passed and failed cases in a report; nil if there is no report.
local function cases(path)
  local text = read(path)
  local tag = text and text:match('<testsuites[^>]*>')
  if not tag then return nil end
  local failed = attribute(tag, 'failures') + attribute(tag, 'errors')
  local skipped = attribute(tag, 'skipped') + attribute(tag, 'disabled')
  -- GoogleTest states the skipped cases in the tags of suites only.
  for suite in text:gmatch('<testsuite%s[^>]*>') do
    skipped = skipped + attribute(suite, 'skipped')
  end
  return attribute(tag, 'tests') - failed - skipped, failed
end

local passed, failed, failures = 0, 0, {}

local function count(build)
  local report = read(build .. '/results/ctest.xml')
  if not report then
    failed = failed + 1
    failures[#failures + 1] = build .. ': no report of ctest'
    return
  end
  local seen = 0
  for tag, rest in report:gmatch('(<testcase[^>]*>)%s*([^\n]*)') do
    seen = seen + 1
    local name = tag:match('%sname="([^"]*)"')
    local ok = tag:match('%sstatus="([^"]*)"') == 'run'
    -- The test reported that this machine cannot run it.
    local skipped = rest:find('<skipped message="SKIP_RETURN_CODE=77"', 1, true)
    local case_passed, case_failed = cases(build .. '/results/' .. name .. '.xml')
    if skipped then
      case_passed, case_failed = 0, 0
    elseif not case_passed then
      case_passed, case_failed = ok and 1 or 0, ok and 0 or 1
    elseif case_failed == 0 and (not ok or case_passed == 0) then
      case_failed = 1
    end
    passed, failed = passed + case_passed, failed + case_failed
    if case_failed > 0 then failures[#failures + 1] = build .. ': ' .. name end
  end
  if seen == 0 then
    failed = failed + 1
    failures[#failures + 1] = build .. ': no test ran'
  end
end

for _, build in ipairs(arg) do count(build) end
for _, failure in ipairs(failures) do print('FAILED ' .. failure) end
print(('%d passed, %d failed'):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
