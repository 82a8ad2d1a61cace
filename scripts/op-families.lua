-- The families of the op table: the sections of lib/TH/THOps.def. Used by the scripts that generate
-- the references. The chunk returns a table: name of a row -> heading of its section.

local file = assert(io.open 'lib/TH/THOps.def')
local text = file:read '*a'
file:close()

local families = {}
-- The lines before the first heading define the macros.
for heading, start in text:gmatch '/%* %-%-%-%- (.-) %-%-%-%- %*/()' do
  local rows = text:match('^(.-)/%* %-%-%-%-', start) or text:match('^(.-)#undef', start)
  for macro, name in rows:gmatch '%f[%w](TH_%u+)%(([%w_]+)' do
    for _, suffix in ipairs(macro == 'TH_COMPARE' and { 'Value', 'Tensor' } or { '' }) do
      families[name .. suffix] = (heading:gsub('%s+', ' '))
    end
  end
end
return families
