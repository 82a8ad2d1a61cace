-- Makes a number of random calls; writes failures as scripts.
-- Usage: luajit test/lua/fuzz/cli.lua [calls=1000000] [seed=1] [skip=name,name] [failures=10]
-- Environment variables: those of the specs (TENSOR_PREFIX, TENSOR_TEST, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
package.path = here .. '../?.lua;' .. package.path
local hunt = require 'fuzz.hunt'

io.stdout:setvbuf 'no'
local given = { calls = '1000000', seed = '1', failures = '10', skip = '', budget = '60' }
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(.*)$'
  assert(given[key], text .. ' is not an option')
  given[key] = value
end

local length = 150
local left = math.ceil(tonumber(given.calls) / length)
local seed, found, known, made = tonumber(given.seed), 0, {}, 0
local started = os.time()
while left > 0 and found < tonumber(given.failures) do
  local sequences = math.min(left, 400)
  local failure, summary = hunt.run(seed, sequences,
                                    { skip = given.skip, budget = tonumber(given.budget) })
  local done = failure and failure.seed - seed + 1 or sequences
  seed, left, made = seed + done, left - done, made + done
  if failure and not known[failure.gist] then
    known[failure.gist] = true
    found = found + 1
    print(failure.script)
    print(failure.output:sub(-3000))
  elseif failure then
    print(('seed %d: again %s'):format(failure.seed, failure.gist))
  else
    io.stderr:write(summary:match '^[^:]*', '\n')
  end
end
local seconds = math.max(1, os.time() - started)
print(('%d calls in %d s, %d failures'):format(made * length, seconds, found))
os.exit(found == 0 and 0 or 1)
