-- Draws ratios.svg: one row per family of cases, a dot per case at our time / time of the fastest
-- other library, and a bar at the geometric mean.

local report = require 'report'

local WIDTH, LEFT, ROW, TOP = 900, 170, 26, 60
local LEAST, MOST = 0.05, 8
local COLORS = { '#1b6ca8', '#e07a1f', '#4d9a3a', '#9a4fa8' }

local function x_of(ratio)
  local at = math.log(math.min(math.max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
  return LEFT + at * (WIDTH - LEFT - 30)
end

local function escaped(text)
  return (text:gsub('&', '&amp;'):gsub('<', '&lt;'):gsub('>', '&gt;'))
end

return function(run)
  local rows, row_of = {}, {}
  for _, case in ipairs(run.cases) do
    if not row_of[case.family] then
      rows[#rows + 1] = case.family
      row_of[case.family] = #rows
    end
  end
  local height = TOP + (#rows + 1) * ROW * #run.sets / 2 + 50
  local step = ROW * #run.sets / 2
  local lines = {}
  local function add(...)
    lines[#lines + 1] = string.format(...)
  end
  add('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" '
      .. 'font-size="12">', WIDTH, height)
  add('<rect width="100%%" height="100%%" fill="white"/>')
  add('<text x="%d" y="20" font-size="14">time of ours / the fastest other; left of 1 is faster'
      .. '</text>', LEFT)
  for _, ratio in ipairs { 0.05, 0.1, 0.2, 0.5, 1, 2, 5 } do
    local x = x_of(ratio)
    add('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>', x, TOP - 8, x, height - 30,
        ratio == 1 and 'black' or '#ddd')
    add('<text x="%.1f" y="%d" text-anchor="middle">%g</text>', x, height - 14, ratio)
  end
  for k, set in ipairs(run.sets) do
    add('<text x="%d" y="40" fill="%s">%d thread%s</text>', LEFT + (k - 1) * 90,
        COLORS[(k - 1) % #COLORS + 1], set.threads, set.threads == 1 and '' or 's')
  end
  for row, family in ipairs(rows) do
    local top = TOP + (row - 1) * step
    add('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 12, top + step / 2 + 4,
        escaped(family))
    for k, set in ipairs(run.sets) do
      local y, ratios = top + step * (k - 0.5) / #run.sets, {}
      local color = COLORS[(k - 1) % #COLORS + 1]
      for index, case in ipairs(run.cases) do
        local ratio = case.family == family and report.ratio(set.results[index])
        if ratio then
          ratios[#ratios + 1] = ratio
          add('<circle cx="%.1f" cy="%.1f" r="3" fill="%s" fill-opacity="0.45"><title>%s: %.2f'
              .. '</title></circle>', x_of(ratio), y, color, escaped(case.name), ratio)
        end
      end
      local mean = report.geometric_mean(ratios)
      if mean then
        add('<rect x="%.1f" y="%.1f" width="3" height="12" fill="%s"><title>%s: mean %.2f</title>'
            .. '</rect>', x_of(mean) - 1.5, y - 6, color, escaped(family), mean)
      end
    end
  end
  add('</svg>')
  local file = assert(io.open(run.out .. '/ratios.svg', 'w'))
  file:write(table.concat(lines, '\n'), '\n')
  file:close()
end
