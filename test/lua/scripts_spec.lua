-- Torch7 scripts in test/lua/scripts: each runs under require 'torch' in a separate process, and
-- prints the contents of the .txt file beside it, which is the output expected from Torch7.

local child = require 'support.child'
local content = require('support.files').content
local dialect = require 'support.dialect'

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './'

local arguments = { cmdline = 'digits -rate 0.5 -gpu' }

local function output(name)
  local path, cpath = package.path:gsub("'", "'\\''"), package.cpath:gsub("'", "'\\''")
  local pipe = assert(io.popen(("LUA_PATH='%s' LUA_CPATH='%s' %s %sscripts/%s.lua %s 2>&1")
    :format(path, cpath, child.interpreter, here, name, arguments[name] or '')))
  local text = pipe:read '*a'
  pipe:close()
  return dialect.plain(text)
end

describe('the script', function()
  local names = {}
  local listing = assert(io.popen(('ls %sscripts/*.lua'):format(here)))
  for line in listing:lines() do names[#names + 1] = line:match '([%w_]+)%.lua$' end
  listing:close()

  for _, name in ipairs(names) do
    it(name .. ' prints what it should', function()
      assert.are.equal(content(here .. 'scripts/' .. name .. '.txt'), output(name))
    end)
  end

  it('is one of several', function() assert.is_true(#names >= 10) end)
end)
