-- The families of the op table. Used by the scripts that generate the references. The chunk returns
-- a table: C name of a row -> family.
-- The op table names the family of a row, if it has a column for it. Otherwise the family is the
-- heading of the row's section in lib/TH/THOps.def.

local function read_sections()
  local file = assert(io.open 'lib/TH/THOps.def')
  local text = file:read '*a'
  file:close()
  local sections = {}
  -- The lines before the first heading define the macros.
  for heading, start in text:gmatch '/%* %-%-%-%- (.-) %-%-%-%- %*/()' do
    local rows = text:match('^(.-)/%* %-%-%-%-', start) or text:match('^(.-)#undef', start)
    for macro, name in rows:gmatch '%f[%w](TH_%u+)%(([%w_]+)' do
      for _, suffix in ipairs(macro == 'TH_COMPARE' and { 'Value', 'Tensor' } or { '' }) do
        sections[name .. suffix] = (heading:gsub('%s+', ' '))
      end
    end
  end
  return sections
end

local families, sections = {}, read_sections()
for _, row in ipairs(require 'tensor'._optable()) do
  families[row.name] = row.family or sections[row.name]
end
return families
