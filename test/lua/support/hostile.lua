-- Functions that the specs of servers against hostile clients share. Needs LuaJIT and cqueues.

local assert = require 'luassert'
local cqueues = require 'cqueues'
local Server = require 'support.server'

--- Returns functions for the specs of a kind of server:
--   start(seconds, settings): starts a server. seconds: the limit of each phase of a connection.
--   ask(client): sends a valid request and checks the reply. Returns false without a reply.
--   request: what clients send, up to any byte of it in steps of `step`, before they leave.
--   connections: the number that the server accepts. descriptors: too few of them.
--   long, floods: a request with a long reply, and how many clients send it and read nothing.
--   parts: what clients have sent at SIGTERM. ended: the last output of the server.
return function(it, kind)
  local hostile = {}
  local server, impatient, before

  --- Checks that a client that keeps the rules is answered; at once, unless this machine stood
  -- still for so long that the server closed its connection.
  function hostile.check_service(of)
    for _ = 1, 10 do
      local client = (of or server):connect()
      local is_answered = kind.ask(client)
      client:close()
      if is_answered then return end
    end
    error 'a client is not answered'
  end

  --- Checks that a server has not grown.
  function hostile.check_memory(one)
    assert.is_true(one:memory() < before + Server.MOST_GROWTH)
  end

  --- Starts and returns the server, and one that does not wait long.
  function hostile.start()
    server, impatient = kind.start(60), kind.start(1)
    Server.run(20, hostile.check_service)
    before = server:memory()
    return server, impatient
  end

  --- A spec as a coroutine, after which the servers are as they were.
  function hostile.test(name, code)
    it(name, function()
      Server.run(100, code)
      for _, one in ipairs {server, impatient} do
        Server.run(100, function() hostile.check_service(one) end)
        hostile.check_memory(one)
      end
    end)
  end

  --- Calls functions beside one that checks the server. It must use little of the CPU meanwhile.
  function hostile.check_idle(one, ...)
    local cpu, started = one:cpu(), cqueues.monotime()
    Server.run(60, function() hostile.check_service(one) end, ...)
    assert.is_true(one:cpu() - cpu < 0.2 + (cqueues.monotime() - started) / 4)
  end

  --- The specs that are the same for all kinds. The last one stops the servers.
  function hostile.specs()
    hostile.test('outlives clients that leave at any time', function()
      for last = 0, #kind.request, kind.step do
        for _, leave in ipairs {'close', 'reset', 'shutdown'} do
          local client = server:connect()
          client:xwrite(kind.request:sub(1, last), 20)
          if leave == 'reset' then
            Server.reset(client)
          else
            if leave == 'shutdown' then client:shutdown 'w' end
            client:close()
          end
        end
      end
    end)

    hostile.test('answers when too many clients have left or were closed', function()
      local clients = {}
      for k = 1, 3 * kind.connections do clients[k] = impatient:connect() end
      hostile.check_service(impatient)
      for _, client in ipairs(clients) do client:close() end
    end)

    it('waits without using the CPU while it has too few descriptors', function()
      local few = kind.start(1, ('ulimit -n %d;'):format(kind.descriptors))
      Server.run(60, function()
        local clients = {}
        for k = 1, 30 do clients[k] = few:connect() end
        hostile.check_idle(few)
        for _, client in ipairs(clients) do client:close() end
      end)
      assert.are.equal(kind.ended, few:stop())
    end)

    it('ends soon after SIGTERM, whatever clients do', function()
      local clients = {}
      Server.run(60, function()
        for k = 1, kind.floods do clients[k] = server:flood(kind.long) end
        for _, text in ipairs(kind.parts) do
          local client = server:connect()
          client:xwrite(text, 1)
          table.insert(clients, client)
        end
      end)
      assert.are.equal(kind.ended, server:stop())
      assert.are.equal(kind.ended, impatient:stop())
      for _, client in ipairs(clients) do client:close() end
    end)
  end

  return hostile
end
