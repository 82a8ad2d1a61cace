-- The handlers of nginx.conf. nginx loads this module once, before it forks its workers.

local json = require 'cjson'
local tensor = require 'tensor'
local model = require 'model'

local digits = {}

-- Each worker uses one core. More threads would compete with the other workers.
tensor.setnumthreads(1)
local net = assert(model.load(ngx.config.prefix() .. '/digits.npz'))
json.decode_invalid_numbers(false)

--- Called once in each worker. Without a new seed, all workers have the same random numbers.
function digits.start_worker() tensor.seed() end

local function reply(status, object)
  ngx.status = status
  ngx.header.content_type = 'application/json'
  ngx.say(json.encode(object))
end

--- Answers POST /predict {"images": [[64 numbers from 0 to 16], ...]}.
function digits.predict()
  if ngx.req.get_method() ~= 'POST' then
    return reply(405, {error = 'POST is expected'})
  end
  ngx.req.read_body()
  local read, request = pcall(json.decode, ngx.req.get_body_data())
  if not read or type(request) ~= 'table' then
    return reply(400, {error = 'the body is not a JSON object'})
  end
  -- The scope frees the tensors of this request at its end, not at some later collection.
  local done, labels, probabilities = pcall(tensor.scope, model.predict, net, request.images)
  if not done then
    return reply(400, {error = labels})
  end
  reply(200, {digits = labels, probabilities = probabilities})
end

return digits
