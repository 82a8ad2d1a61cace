-- Captures the output of a function.

local support = {}

function support.printed(f, ...)
  local before, lines = print, {}
  _G.print = function(...)
    local parts = {}
    for k = 1, select('#', ...) do parts[k] = tostring((select(k, ...))) end
    lines[#lines + 1] = table.concat(parts, '\t')
  end
  local ok, message = pcall(f, ...)
  _G.print = before
  if not ok then error(message, 0) end
  return table.concat(lines, '\n')
end

--- Returns everything written to standard output by print and io.write.
function support.written(f, ...)
  local before, write, parts = print, io.write, {}
  function io.write(...)  -- luacheck: ignore 122
    for k = 1, select('#', ...) do parts[#parts + 1] = tostring((select(k, ...))) end
    return io.stdout
  end
  function _G.print(...)
    for k = 1, select('#', ...) do
      parts[#parts + 1] = (k > 1 and '\t' or '') .. tostring((select(k, ...)))
    end
    parts[#parts + 1] = '\n'
  end
  local ok, message = pcall(f, ...)
  _G.print, io.write = before, write  -- luacheck: ignore 122
  if not ok then error(message, 0) end
  return table.concat(parts)
end

return support
