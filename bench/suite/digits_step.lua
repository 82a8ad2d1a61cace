-- One training step of examples/digits.lua on n images: forward, backward, and parameter update.

return function(tensor, rand, n)
  local PIXELS, HIDDEN, CLASSES = 64, 256, 10
  local size = (PIXELS + 1) * HIDDEN + (HIDDEN + 1) * CLASSES
  local parameters, gradients = rand(size):add(-0.5):mul(0.1), tensor.zeros(size)
  local velocity = tensor.zeros(size)
  local function views(vector)
    local first = 1
    local function take(rows, columns)
      local view = vector:narrow(1, first, rows * columns):view(rows, columns)
      first = first + rows * columns
      return view
    end
    return take(PIXELS, HIDDEN), take(1, HIDDEN), take(HIDDEN, CLASSES), take(1, CLASSES)
  end
  local w1, b1, w2, b2 = views(parameters)
  local gw1, gb1, gw2, gb2 = views(gradients)
  local x, wanted = rand(n, PIXELS), tensor.zeros(n, CLASSES)
  for i = 1, n do
    wanted[i][i % CLASSES + 1] = 1
  end

  return function()
    local hidden = (x * w1):add(b1):cmax(0)
    local scores = (hidden * w2):add(b2)
    scores = scores - scores:max(2)
    local log_p = scores - tensor.exp(scores):sum(2):log()
    local delta = (tensor.exp(log_p) - wanted):div(n)
    gw2:mm(hidden:t(), delta)
    gb2:sum(delta, 1)
    delta = (delta * w2:t()):cmul(tensor.sign(hidden))
    gw1:mm(x:t(), delta)
    gb1:sum(delta, 1)
    velocity:mul(0.9):add(-0.01, gradients)
    parameters:add(velocity)
  end
end
