-- tensor.optim.schedule: rates as functions of the step.

local schedule = require 'tensor.optim'.schedule
local figures = require 'support.figures'

describe('optim.schedule', function()
  it('has simple rates', function()
    local function list(f)
      local rates = {}
      for k = 1, 6 do
        rates[k] = math.floor(f(k) * 1000 + 0.5)
      end
      return rates
    end
    assert.are.same({500, 500, 500, 500, 500, 500}, list(schedule.constant(0.5)))
    assert.are.same({1000, 1000, 100, 100, 10, 10}, list(schedule.step(1, 2, 0.1)))
    assert.are.same({1000, 854, 500, 146, 0, 0}, list(schedule.cosine(1, 4)))
    assert.are.same({1000, 883, 600, 317, 200, 200}, list(schedule.cosine(1, 4, 0.2)))
    assert.are.same({500, 1000, 1000, 854, 500, 146},
                    list(schedule.warmup(2, schedule.cosine(1, 4))))
    assert.are.same({1000, 600, 200, 200, 200, 200}, list(schedule.polynomial(1, 2, 1, 0.2)))
    assert.are.same({200, 1000, 500, 0, 0, 0}, list(schedule.oneCycle(1, 4, 0.5, 0.2, 0)))
    -- The figures of PyTorch. The rate rises in less than a step.
    assert.are.same({200, 995, 821, 490, 177, 50}, list(schedule.oneCycle(1, 6, 0.3, 0.2, 0.05)))
    assert.are.same({1000, 500, 0, 0, 0, 0}, list(schedule.oneCycle(1, 3, 1 / 3, 0.2, 0)))
  end)

  it('has the rates of PyTorch', function()
    local constant, exponential = schedule.constant, schedule.exponential
    local schedules = {
      step = schedule.step(0.5, 3, 0.5), exponential = exponential(0.5, 0.8),
      linear = schedule.linear(0.1, 0.5, 5), cosine = schedule.cosine(0.5, 11, 0.01),
      multiStep = schedule.multiStep(0.5, {2, 5, 9}, 0.5),
      polynomial = schedule.polynomial(0.5, 8, 2),
      restarts = schedule.cosineRestarts(0.5, 4, 1, 0.01),
      ['growing restarts'] = schedule.cosineRestarts(0.5, 2, 2),
      oneCycle = schedule.oneCycle(0.5, 12),
      ['oneCycle options'] = schedule.oneCycle(0.5, 12, 0.5, 0.05, 0.0005),
      constant = schedule.sequence(constant(0.05), 4, constant(0.5)),
      sequence = schedule.sequence(schedule.linear(0.05, 0.5, 3), 3, exponential(0.5, 0.5)),
    }
    local count = 0
    for name, rates in pairs(figures.read 'schedules.txt') do
      assert.are.equal(12, #rates)
      for step, rate in ipairs(rates) do
        assert.is_near(rate, schedules[name](step), 1e-12, name .. step)
      end
      count = count + 1
    end
    assert.are.equal(12, count)
  end)

  it('refuses invalid arguments', function()
    local constant = schedule.constant(1)
    for message, f in pairs {
      ['multiStep: ends: a list of steps is expected, got a number'] =
        function() schedule.multiStep(1, 5, 0.1) end,
      ['multiStep: ends: a number of at least 0 is expected, got x'] =
        function() schedule.multiStep(1, {5, 'x'}, 0.1) end,
      ['polynomial: power: a number of at least 0 is expected, got -1'] =
        function() schedule.polynomial(1, 5, -1) end,
      ['cosineRestarts: rate: a number of at least 0 is expected, got -1'] =
        function() schedule.cosineRestarts(-1, 5) end,
      ['cosineRestarts: steps and growth are whole numbers'] =
        function() schedule.cosineRestarts(1, 3, 1.5) end,
      ['cosineRestarts: growth: a number of at least 1 is expected, got 0.5'] =
        function() schedule.cosineRestarts(1, 5, 0.5) end,
      ['oneCycle: part * steps: a number of at least 1 is expected, got 0.75'] =
        function() schedule.oneCycle(1, 3, 0.25) end,
      ['oneCycle: (1 - part) * steps: a number of at least 1 is expected, got 0'] =
        function() schedule.oneCycle(1, 5, 1) end,
      ['sequence: a schedule is expected, got number'] =
        function() schedule.sequence(constant, 2, 0.1) end,
      ['sequence: the schedule must return a number, got nil'] =
        function() schedule.sequence(function() end, 2, constant)(1) end,
    } do
      assert.error_matches(f, 'optim.schedule.' .. message, nil, true)
    end
  end)
end)
