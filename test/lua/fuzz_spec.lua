-- Random calls of every public function and method, in child processes. The settings calls and seed
-- select how many and which. A failure is printed as a script. test/lua/fuzz/cli.lua makes longer
-- runs, which continue after failures.

local tensor = require 'tensor'
local hunt = require 'fuzz.hunt'

local length = 150
local settings = require 'support.settings'
local calls = tonumber(settings.calls) or 10000
local seed = tonumber(settings.seed) or 1

describe('random calls', function()
  it('leave process, objects and memory as they should be', function()
    local made, succeeded, names = 0, 0, {}
    local left = math.ceil(calls / length)
    while left > 0 do
      local sequences = math.min(left, 400)
      local failure, summary = hunt.run(seed, sequences)
      if failure then error(failure.script .. failure.output, 0) end
      local some, well, list = summary:match '(%d+) calls, (%d+) succeeded: ([^\n]*)'
      made, succeeded = made + some, succeeded + well
      for name in list:gmatch '(%S+)[+-]' do names[name] = true end
      seed, left = seed + sequences, left - sequences
    end
    -- Arguments must not be such that nothing is ever done, nor functions left out.
    assert.is_true(succeeded > made / 4, succeeded .. ' of ' .. made .. ' calls succeeded')
    local missed = {}
    for _, row in ipairs(tensor._optable()) do
      if row.lua ~= '' and not names[row.lua] then missed[#missed + 1] = row.lua end
    end
    assert.is_true(#missed < 3 or calls < 10000, table.concat(missed, ' '))
  end)
end)

describe('a failure of random calls', function()
  local function fails(line, pattern)
    local gist, output = hunt.replay({ 'try(2, function() return T.Tensor(3) end)', line }, 3)
    assert.matches(pattern, gist or 'no failure: ' .. output)
  end

  it('is nil without a failure', function()
    assert.is_nil(hunt.replay { 'try(1, function() return T.IntTensor(-1) end) -- checked' })
  end)
  it('is a process that dies', function()
    -- A sanitizer reports this in its own words.
    local gist = hunt.replay({
      'try(2, function() return T.Tensor(3) end)',
      'try(1, function() ffi.cast("int*", 8)[0] = 1 end)',
    }, 3)
    assert.is_true(gist:match '^crash' ~= nil or gist:match '^sanitizer SEGV' ~= nil, gist)
  end)
  it('is a process that does not end', function()
    fails('try(1, function() while true do end end)', '^hang')
  end)
  it('is an error without a message, or without a function name', function()
    fails('try(1, function() error {} end)', 'the error is a table')
    fails('try(1, function() error "std::bad" end)', 'the message is')
    fails('try(1, function() v[2]:fill({}, error("odd")) end) -- checked', 'names no function')
  end)
  it('is a change by a call that was refused', function()
    fails('try(1, function() v[2]:fill(2) v[2]:resize("x") end) -- checked', 'refused changed')
    fails('try(1, function() v[2]:resize(2) v[2]:resize("x") end) -- checked', 'refused changed')
  end)
  it('is another result for another layout', function()
    fails('try(1, function() return v[2]:stride(1) end) -- compared', 'another layout gives')
    fails('try(1, function() return v[2]:fill(v[2]:stride(1)) end) -- compared', 'another layout')
    fails('try(1, function() return v[2]:fill(3 / v[2]:stride(1)) end) -- compared roughly',
          'another layout')
    -- On a device errors may be found late, and are not compared.
    local gist = hunt.replay({
      'try(3, function() T.setDefaultDevice("cpu") end)',
      'try(2, function() return T.Tensor(3) end)',
      'try(1, function() return v[2]:storage():size() < 5 or v[2]:add("x") end) -- compared',
    }, 3)
    assert.matches('one call raises an error', gist)
    assert.is_nil(hunt.replay {
      'try(2, function() return nans(T.FloatTensor(3):fill(1), 4) end)',
      'try(1, function() return v[2]:fill(2), v[2]:sum() end) -- compared',
      'try(1, function() return T.cat(v[2], v[2]) end) -- compared',
    })
  end)
  it('is an element that is not a number', function()
    fails('try(1, function() number "x" end)', 'an element became a string')
    fails('try(1, function() number(nil) end)', 'an element became a nil')
  end)
  it('is memory that is not given back', function()
    fails('try(1, function() v[2]:fill(1) v[2]:retain() end)', 'in use at the end')
  end)
  it('is shortened', function()
    local runs = 0
    local function both(lines)
      runs = runs + 1
      local text = table.concat(lines)
      return text:find 'c' and text:find 'q' and 'fails' or nil
    end
    local all = {}
    for letter in ('abcdefghijklmnopqrstuvwxyz'):gmatch '.' do all[#all + 1] = letter end
    assert.same({ 'c', 'q' }, hunt.shortest(all, both, 'fails', 60))
    assert.is_true(runs < 60)
    assert.is_nil(hunt.shortest({ 'a' }, both, 'fails', 60))
  end)
end)
