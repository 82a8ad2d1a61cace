-- Lines that are edited in a terminal.

local terminal = require 'support.terminal'

local in_terminal = terminal.when_available(it, pending)

describe('the line editor', function()
  in_terminal('accepts letters that are not ASCII in any locale', function()
    for _, locale in ipairs {'LANG=', 'LANG=C', 'LANG=xx_XX.UTF-8'} do
      local t = terminal.open(terminal.program('NO_COLOR=1 LC_ALL= LC_CTYPE= ' .. locale))
      t.await '> '
      t.type '"\195\164" .. "\195\182"\n'
      assert.is_truthy(t.await '\195\164\195\182"', locale)
      assert.are.equal(0, t.leave())
    end
  end)
end)
