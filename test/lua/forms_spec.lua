-- Every form of Torch7's functions and methods is accepted, except those in a list.

local main = require 'forms.main'

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './'
local data = here .. '../data/'

describe("Torch7's forms", function()
  local entries = main.read(data .. 'torch7-forms.txt')
  local refused, calls = main.run(entries)
  local known = {}
  for _, entry in ipairs(main.read(data .. 'torch7-refused.txt')) do
    for letter in entry.types:gmatch '.' do known[main.key(entry, letter)] = true end
  end

  it('are many', function()
    assert.is_true(#entries > 900)
    assert.is_true(calls > 8000)
  end)

  it('are accepted', function()
    local new = {}
    for key, message in pairs(refused) do
      if not known[key] then new[#new + 1] = ('%s: %s'):format(key, message) end
    end
    table.sort(new)
    assert.are.equal('', table.concat(new, '\n'))
  end)

  it('are taken from the list of those refused once they are accepted', function()
    local accepted = {}
    for key in pairs(known) do
      if not refused[key] then accepted[#accepted + 1] = key end
    end
    table.sort(accepted)
    assert.are.equal('', table.concat(accepted, '\n'))
  end)
end)
