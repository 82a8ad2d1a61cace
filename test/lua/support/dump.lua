-- Hashes of results, which are equal if the bits of the results are. The setting dump writes them
-- to a file, for comparison with the results of another instruction set: one line for each row,
-- element type and size of cases. Rows with the flag `varies` are left out.

local bit = require 'bit'
local has_ffi, ffi = pcall(require, 'ffi')

local path = require('support.settings').dump
local dump = { file = path and assert(io.open(path, 'w')), hash = 0 }
local double = has_ffi and ffi.new 'union { double number; int32_t half[2]; }'

function dump.flush()
  if dump.key then dump.file:write(dump.key, ' ', bit.tohex(dump.hash), '\n') end
  dump.key = nil
end

function dump.add(run, list)
  if run.row.varies then return end
  local key = ('%s %s %s'):format(run.row.name, run.e.name, run.size)
  if key ~= dump.key then
    dump.flush()
    dump.key, dump.hash = key, 5381
  end
  local hash = dump.hash
  for i = 1, #list do
    local x = tonumber(list[i]) or 0
    -- All NaNs are alike.
    double.number = x == x and x or 0
    hash = bit.bxor(bit.rol(hash, 5) * 31, double.half[0])
    hash = bit.bxor(bit.rol(hash, 5) * 31, double.half[1] + (x == x and 0 or 1))
  end
  dump.hash = hash
end

return dump
