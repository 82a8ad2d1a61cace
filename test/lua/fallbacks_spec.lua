-- Operations on device tensors: those that run on the CPU, and training steps in which none does.

local support = require 'support.on_device'
local tensor = require 'tensor'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'

describe('on a device', function()
  support.around(before_each, after_each)

  -- Each row of the op table is called with the operands of its cases, in the first three of its
  -- element types.
  it('the operations that doc/gpu.md lists, and no others, run on the CPU', function()
    local elements = require 'support.elements'
    local cases = require('support.cases').cases
    local runner = require 'support.runner'
    local move = require 'support.move'
    local found = {}
    for _, row in ipairs(tensor._optable()) do
      local case = row.lua ~= '' and cases[row.name]
      local types = 0
      for _, name in ipairs { 'Double', 'Long', 'Half', 'Float', 'Byte' } do
        local e = elements[name]
        if case and types < 3 and elements.supports(row.types, e) then
          types = types + 1
          local calls = runner.calls(row, case, e, elements.generator(1))
          for _, call in ipairs(calls) do
            local list = move(call.make(), support.device)
            tensor.resetStats()
            pcall(call.invoke, unpack(list))
            pcall(tensor.synchronize)
            for op in pairs(tensor.stats().fallbacks) do found[op] = true end
          end
        end
      end
    end

    local file = assert(io.open(here .. '../../doc/gpu.md'))
    local section = file:read '*a':match '\n### Operations that fall back\n(.-)\n## '
    file:close()
    local listed = {}
    for line in section:gmatch '[^\n]+' do
      for name in (line:match '^| (`.-) |' or ''):gmatch '`(.-)`' do listed[name] = true end
    end
    local wrong = {}
    for name in pairs(found) do
      if not listed[name] then wrong[#wrong + 1] = name .. ' is not listed' end
    end
    for name in pairs(listed) do
      if not found[name] then wrong[#wrong + 1] = name .. ' is listed' end
    end
    table.sort(wrong)
    assert.are.same({}, wrong)
  end)

  -- The losses of some steps, on the device against the CPU.
  it('training steps of a transformer run there', function()
    local letters, width, rows, batch = 7, 8, 6, 3
    local function move(params, device)
      for _, value in pairs(params) do
        if tensor.isTensor(value) then value:to(device) else move(value, device) end
      end
    end
    local function losses(device)
      tensor.manualSeed(3)
      local parts = { letters = nn.embedding(letters, width), norm = nn.layerNorm(width),
                      output = nn.linear(width, letters) }
      for k = 1, 2 do parts['block' .. k] = nn.transformerBlock(width, 2, { causal = true }) end
      local model = nn.layer('transformer', parts, function(params, x, options)
        local y = parts.letters(params.letters, x)
        for k = 1, 2 do y = parts['block' .. k](params['block' .. k], y, options) end
        return parts.output(params.output, parts.norm(params.norm, y))
      end)
      local params = model.init()
      move(params, device)
      local numbers = tensor.linspace(1, batch * rows, batch * rows):long()
      local x = (numbers * 5):fmod(letters):add(1):view(batch, rows):to(device)
      local classes = (numbers * 3):fmod(letters):add(1):to(device)
      local optimizer = optim.adamW { rate = 0.01 }
      local gradient = tensor.grad(function(p, input)
        return nn.crossEntropy(model(p, input, { train = true }), classes)
      end, { tensors = true })
      local list = {}
      for step = 1, 4 do
        local gradients, loss = gradient(params, x)
        optimizer(params, gradients)
        list[step] = loss
      end
      assert.are.same({}, tensor.stats().fallbacks)
      for step, loss in ipairs(list) do list[step] = loss[1] end
      return list
    end
    local expected, got = losses 'cpu', losses(support.device)
    assert.is_true(expected[4] < expected[1])
    for step = 1, 4 do assert.is_true(math.abs(expected[step] - got[step]) < 1e-9) end
  end)
end)
