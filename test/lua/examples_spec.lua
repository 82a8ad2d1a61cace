-- The examples of the reference and of tensor.help: each public name has one, and each prints the
-- documented output.

local tensor = require 'tensor'
local dialect = require 'support.dialect'
local entries = require 'tensor.entries'
local examples = require 'tensor.examples'

local names = {}
for _, row in ipairs(tensor._optable()) do
  if row.lua ~= '' then names[row.lua] = true end
end
for _, section in ipairs(entries) do
  for k = 2, #section do names[section[k][1]] = true end
end

describe('an example', function()
  local seen = {}
  for _, chapter in ipairs(examples.chapters) do
    for _, example in ipairs(examples.parse(require('tensor.examples.' .. chapter))) do
      local name, text = unpack(example)
      it('of ' .. name .. ' prints what it says', function()
        assert.is_true(names[name] ~= nil, 'nothing is called so')
        assert.is_nil(seen[name], 'there are two')
        seen[name] = true
        assert.is_truthy(text:find('tensor', 1, true))
        if text:find ':c?data%(' or text:find 'DLPack' then dialect.check "require 'ffi'" end
        if name:find '^[gs]etenv$' or text:find '%-0,' then
          dialect.needs_luajit 'since Lua 5.2 functions have no environment, and -0 is 0'
        end
        assert.equal(dialect.plain(text), dialect.plain(examples.run(tensor, text)))
      end)
    end
  end

  it('is there for every name', function()
    local missed = {}
    for name in pairs(names) do
      if not examples.find(name) then missed[#missed + 1] = name end
    end
    table.sort(missed)
    assert.equal('', table.concat(missed, ' '), 'names without an example in lua/examples')
  end)

  it('differs from one that prints something else', function()
    assert.equal('> 1 + 1\n2', examples.run(tensor, '> 1 + 1\n3'))
    assert.equal('> os.time()\n...', examples.run(tensor, '> os.time()\n...'))
    assert.has_error(function() examples.run(tensor, '> tensor.nosuch()') end)
  end)
end)

describe('help', function()
  it('shows the example', function()
    local text = require('support.printed').printed(tensor.help, 'cinv')
    assert.matches('> tensor.cinv%(tensor.Tensor{2, %-4}%)', text)
    assert.matches('%-0.2500', text)
  end)
end)
