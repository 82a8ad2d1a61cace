-- What a function prints.

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

return support
