-- Compares the results of the op table's cases with different instruction sets, bit by bit. The
-- files are written by test/lua/support/runner.lua for the setting dump. Missing files belong to
-- instruction sets that this CPU does not have.
--
--   compare-results.lua files...

-- Returns the last word of each line (the result) by the preceding words, which name the case.
local function read(path)
  local file = io.open(path)
  if not file then return nil end
  local results = {}
  for line in file:lines() do
    local case, result = line:match '^(.*) (%S+)$'
    results[case] = result
  end
  file:close()
  return results
end

local first, first_path
local compared, differences = 0, {}
for _, path in ipairs(arg) do
  local results = read(path)
  if not results then
    print(path .. ': not there, left out')
  elseif not first then
    first, first_path = results, path
  else
    -- The first file contains all cases.
    for case, result in pairs(results) do
      compared = compared + 1
      if first[case] ~= result then
        differences[#differences + 1] = ('%s: %s %s\n  %s: %s'):format(first_path, case,
                                                                       first[case], path, result)
      end
    end
  end
end

for i = 1, math.min(#differences, 50) do print(differences[i]) end
print(('%d results, %d differences'):format(compared, #differences))
os.exit(first and next(first) and #differences == 0 and 0 or 1)
