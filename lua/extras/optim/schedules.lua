-- tensor.optim.schedule: learning rates as functions of the step, which counts from 1.

local schedules = {}

--- The same rate in all steps.
function schedules.constant(rate)
   return function() return rate end
end

--- Multiplies the rate by factor every `every` steps.
function schedules.step(rate, every, factor)
   return function(step) return rate * factor ^ math.floor((step - 1) / every) end
end

--- Half a cosine from rate to `least`, by default 0, in `steps` steps: Loshchilov and Hutter, 2016.
-- Later steps have the rate `least`.
function schedules.cosine(rate, steps, least)
   least = least or 0
   return function(step)
      local part = math.min(1, (step - 1) / steps)
      return least + (rate - least) * (1 + math.cos(math.pi * part)) / 2
   end
end

--- Rises linearly to the first rate of another schedule in `steps` steps, and continues with it.
function schedules.warmup(steps, schedule)
   return function(step)
      if step <= steps then
         return schedule(1) * step / steps
      end
      return schedule(step - steps)
   end
end

return schedules
