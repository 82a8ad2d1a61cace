-- Reports links in HTML pages whose target file or anchor does not exist.
-- Usage: luajit scripts/check-links.lua <folder> <page> ...

local folder = arg[1]
local contents, anchors = {}, {}

local function content(page)
  if contents[page] == nil then
    local file = io.open(folder .. '/' .. page)
    contents[page] = file and file:read '*a' or false
    if file then file:close() end
  end
  return contents[page]
end

local function has_anchor(page, name)
  if not anchors[page] then
    anchors[page] = {}
    for id in content(page):gmatch ' id="([^"]*)"' do anchors[page][id] = true end
  end
  return anchors[page][name]
end

local links, dead = 0, 0
for k = 2, #arg do
  local page = arg[k]
  assert(content(page), page .. ' is not there')
  for target in content(page):gmatch 'href="([^"]*)"' do
    if not target:find '^%a+:' then
      links = links + 1
      local file, anchor = target:match '^([^#]*)#?(.*)$'
      local path = file == '' and page or (page:match '^(.*/)' or '') .. file
      path = path:gsub('[^/]+/%.%./', '')
      if not content(path) or anchor ~= '' and not has_anchor(path, anchor) then
        io.stderr:write(('%s: %s leads nowhere\n'):format(page, target))
        dead = dead + 1
      end
    end
  end
end
print(('%d pages, %d links, %d lead nowhere'):format(#arg - 1, links, dead))
os.exit(dead == 0 and links > 0)
