-- Extracts the sections of HTML pages as text for packaging/site/search.js.
-- Usage: luajit scripts/make-search-index.lua <folder> <page> ...

local folder = arg[1]

local entities = {lt = '<', gt = '>', quot = '"', amp = '&', nbsp = ' '}

local inline = {code = true, a = true, strong = true, em = true, span = true}

local function plain(html)
  return (html:gsub('</?(%w+)[^>]*>', function(tag)
    return inline[tag] and '' or ' '
  end):gsub('&#(%d+);', function(code)
    return tonumber(code) < 128 and string.char(tonumber(code)) or ' '
  end):gsub('&(%a+);', entities):gsub('%s+', ' '):gsub('^ ', ''):gsub(' $', ''))
end

-- Returns a JavaScript string literal. Escapes "<" as well, so that "</script>" cannot end the
-- script.
local function quoted(text)
  return '"' .. text:gsub('[%c"\\<]', function(c)
    return ('\\u%04x'):format(c:byte())
  end) .. '"'
end

local lines, sections = {}, 0
for k = 2, #arg do
  local page = arg[k]
  local file = assert(io.open(folder .. '/' .. page))
  local body = assert(file:read '*a':match '<main>(.*)</main>', page .. ' has no <main>')
  file:close()
  local chapter
  -- A section is a heading and the text up to the next heading.
  local at = 1
  while true do
    local first, last, attributes, title = body:find('<h[1-4]([^>]*)>(.-)</h[1-4]>', at)
    if not first then break end
    local following = body:find('<h[1-4][ >]', last + 1) or #body + 1
    chapter = chapter or plain(title)
    sections = sections + 1
    lines[sections] = ('[%s,%s,%s,%s,%s]'):format(
      quoted(page), quoted(attributes:match 'id="([^"]*)"' or ''), quoted(plain(title)),
      quoted(plain(body:sub(last + 1, following - 1))), quoted(chapter))
    at = following
  end
  assert(chapter, page .. ' has no heading')
end

local file = assert(io.open(folder .. '/search-index.js', 'w'))
file:write('var searchIndex = [\n', table.concat(lines, ',\n'), '\n];\n')
assert(file:close())
print(('%d sections can be searched'):format(sections))
