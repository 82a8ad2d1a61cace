local tensor = require 'tensor'

--- Calls f with each number of threads in counts. Raises an error unless all calls return equal
-- tensors. Restores the number of threads, also after an error.
local function same_on_threads(counts, f)
  local before = tensor.getnumthreads()
  local want
  local done, message = pcall(function()
    for _, count in ipairs(counts) do
      tensor.setnumthreads(count)
      local got = { f() }
      want = want or got
      assert(#got > 0 and #got == #want)
      for i, t in ipairs(got) do
        if not t:equal(want[i]) then
          error(('result %d: %d threads give another one than %d'):format(i, count, counts[1]))
        end
      end
    end
  end)
  tensor.setnumthreads(before)
  if not done then error(message, 0) end
end

return same_on_threads
