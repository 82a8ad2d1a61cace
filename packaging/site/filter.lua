-- Adapts Markdown files to the site:
--
-- Links between pages lead to the HTML pages. Links to files that are not pages become plain text.
-- The name of a page in backticks, such as `c-reference.md`, becomes a link: documents mention
-- generated pages in this way, because a link would have no target in the repository.
--
-- A block of text after a sample is marked as its output. In a session at the prompt, the lines
-- that begin with "> " or ">> " are marked as input.
--
-- PAGES lists the pages, relative to the current folder.

local pages = {}
for page in os.getenv('PAGES'):gmatch '%S+' do pages[page] = true end
local folder = PANDOC_STATE.input_files[1]:match '^(.*/)' or ''  -- luacheck: ignore 113

-- Returns a path relative to the page's folder, without parts such as "x/..".
local function resolved(file)
  local path = folder .. file
  repeat
    local count
    path, count = path:gsub('[^/]+/%.%./', '', 1)
  until count == 0
  return path
end

local function title_of(path)
  local text = assert(io.open(path)):read '*a'
  return {pandoc.Str(text:match '# ([^\n]*)')}  -- luacheck: ignore 113
end

local function html_of(path)
  return folder:gsub('[^/]+/', '../') .. path:gsub('%.md$', '.html')
end

function Link(link)  -- luacheck: ignore 111
  local target = link.target
  if target:find '^%a+:' or target:find '^#' then return nil end
  local file, anchor = target:match '^([^#]*)(.*)$'
  local path = resolved(file)
  if not pages[path] then return link.content end
  -- If the text of the link is the file's name, it is replaced by the page's title.
  if pandoc.utils.stringify(link.content) == file:match '[^/]*$' then  -- luacheck: ignore 113
    link.content = title_of(path)
  end
  link.target = html_of(path) .. anchor
  return link
end

function Code(code)  -- luacheck: ignore 111
  local path = resolved(code.text)
  if not code.text:find '%.md$' or not pages[path] then return nil end
  return pandoc.Link(title_of(path), html_of(path))  -- luacheck: ignore 113
end

local samples = {lua = true, c = true, cpp = true, sh = true}

function Blocks(blocks)  -- luacheck: ignore 111
  for k = 2, #blocks do
    local before, block = blocks[k - 1], blocks[k]
    if before.t == 'CodeBlock' and samples[before.classes[1]] and block.t == 'CodeBlock'
       and block.classes[1] == 'text' then
      blocks[k] = pandoc.Div({block}, {class = 'output'})  -- luacheck: ignore 113
    end
  end
  return blocks
end

local entities = {['<'] = '&lt;', ['>'] = '&gt;', ['&'] = '&amp;'}
local function escaped(text) return (text:gsub('[<>&]', entities)) end

function CodeBlock(block)  -- luacheck: ignore 111
  if not block.text:find '^> ' then return nil end
  local lines = {}
  for line in (block.text .. '\n'):gmatch '(.-)\n' do
    local prompt, input = line:match '^(>>? )(.*)$'
    lines[#lines + 1] = prompt and ('<i>%s</i><b>%s</b>'):format(escaped(prompt), escaped(input))
                        or escaped(line)
  end
  return pandoc.RawBlock(  -- luacheck: ignore 113
    'html', ('<pre class="session"><code>%s</code></pre>'):format(table.concat(lines, '\n')))
end
