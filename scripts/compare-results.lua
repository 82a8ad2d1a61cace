-- Compares what the op table's cases gave with different instruction sets, bit for bit: files that
-- test/lua/support/runner.lua wrote for TENSOR_TEST_DUMP. Those that are missing are of instruction
-- sets that this CPU does not have.
--
--   compare-results.lua files...

-- Operations that take vector functions, which differ in the last places between widths.
local vector_math = {}
for name in ([[
    exp expm1 log log1p log2 log10 rsqrt hypot sin cos tan asin acos atan sinh cosh tanh erf erfc
    sigmoid lgamma pow tpow cpow atan2 norm normall dist logspace
    logNormal exponential normal cauchy gelu silu softplus logaddexp softmax logSoftmax
    logsumexp logsumexpall logsumexpDims]]):gmatch '%S+' do
  vector_math[name] = true
end

local function read(path)
  local file = io.open(path)
  if not file then return nil end
  local results = {}
  for line in file:lines() do results[#results + 1] = line end
  file:close()
  return results
end

local first, first_path
local differences = {}
for _, path in ipairs(arg) do
  local results = read(path)
  if not results then
    print(path .. ': not there, left out')
  elseif not first then
    first, first_path = results, path
  else
    if #results ~= #first then
      differences[#differences + 1] = ('%s has %d results, %s %d'):format(first_path, #first, path,
                                                                         #results)
    end
    for i = 1, math.min(#first, #results) do
      if first[i] ~= results[i] and not vector_math[first[i]:match '^%S+'] then
        differences[#differences + 1] = ('%s: %s\n  %s: %s'):format(first_path, first[i], path,
                                                                   results[i])
      end
    end
  end
end

for i = 1, math.min(#differences, 50) do print(differences[i]) end
print(('%d results, %d differences'):format(first and #first or 0, #differences))
os.exit(first and #first > 0 and #differences == 0 and 0 or 1)
