-- Links between Markdown files become links between pages; those to other files of the repository,
-- which are no pages, become plain text. PAGES names the pages, relative to the repository.

local pages = {}
for page in os.getenv('PAGES'):gmatch '%S+' do pages[page] = true end
local folder = PANDOC_STATE.input_files[1]:match '^(.*/)' or ''  -- luacheck: ignore 113

function Link(link)  -- luacheck: ignore 111
  local target = link.target
  if target:find '^%a+:' or target:find '^#' then return nil end
  local file, anchor = target:match '^([^#]*)(.*)$'
  local path = folder .. file
  repeat
    local count
    path, count = path:gsub('[^/]+/%.%./', '', 1)
  until count == 0
  if not pages[path] then return link.content end
  -- A link that is called by the file's name is called by the page's title.
  if pandoc.utils.stringify(link.content) == file:match '[^/]*$' then  -- luacheck: ignore 113
    local text = assert(io.open(path)):read '*a'
    link.content = {pandoc.Str(text:match '# ([^\n]*)')}  -- luacheck: ignore 113
  end
  local up = folder ~= '' and '../' or ''
  link.target = up .. path:gsub('%.md$', '.html') .. anchor
  return link
end
