-- The settings of a test run: words in the environment variable TENSOR_TEST, such as
-- "gc device=soft layouts=0,1". A word without a value is true.
--
--   gc              the garbage collector runs all the time; specs with long loops shorten them
--   device=KIND     the default device of all tensors
--   broadcast=MODE  the rule for operands of different shapes: torch7 or strict
--   seed=N          selects other random numbers
--   layouts=N,...   ops_spec: which of the five layouts each case has, counted from its own number
--   types=one       ops_spec: one element type per row
--   large=N         ops_spec: every N-th row has large cases; 0: none
--   dump=FILE       ops_spec: writes hashes of the results (scripts/compare-results.lua)
--   calls=N         fuzz_spec: the number of calls
--   results=FILE    scripts/report-specs.lua writes the number of cases there

local known = {}
for name in ('gc device broadcast seed layouts types large dump calls results'):gmatch '%S+' do
  known[name] = true
end

local settings = {}
for word in (os.getenv 'TENSOR_TEST' or ''):gmatch '%S+' do
  local name, value = word:match '^(%w+)=?(.*)$'
  assert(known[name], 'TENSOR_TEST: unknown setting ' .. word)
  settings[name] = value == '' or value
end
return settings
