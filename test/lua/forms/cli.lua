-- luajit test/lua/forms/cli.lua [why | list]: prints how many of Torch7's forms are accepted. `why`
-- prints the errors of the others, `list` the lines for test/data/torch7-refused.txt.

local here = arg[0]:match '^(.*[/\\])' or './'
package.path = here .. '../?.lua;' .. package.path
dofile(here .. '../helper.lua')

local main = require 'forms.main'
local data = here .. '../../data/'
local entries = main.read(data .. 'torch7-forms.txt')
local refused, calls, tried = main.run(entries)

local count = 0
for _, entry in ipairs(entries) do
  local letters = {}
  for letter in entry.types:gmatch '.' do
    local message = refused[main.key(entry, letter)]
    if message then
      count = count + 1
      letters[#letters + 1] = letter
      if arg[1] == 'why' then print(main.key(entry, letter), tostring(message)) end
    end
  end
  if arg[1] == 'list' and #letters > 0 then
    local types = entry.kind == 'torch' and '' or ' ' .. table.concat(letters)
    print((('%s %s%s %s'):format(entry.kind, entry.name, types, entry.form):gsub('%s+$', '')))
  end
end
if arg[1] ~= 'list' then
  print(('%d of %d forms and names accepted, by type; %d calls')
        :format(tried - count, tried, calls))
end
