-- load and save with pipes in place of files.

local tensor = require 'tensor'
local child = require 'support.child'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local with_name = files.with_name

-- Calls body with the name of a pipe, which is removed afterwards.
local function with_pipe(body, ending)
  with_name(ending or '.pipe', function(name)
    assert(os.execute('mkfifo ' .. name))
    body(name)
  end)
end

describe('load', function()
  it('detects the mode of a pipe', function()
    for _, mode in ipairs { 'ascii', 'binary' } do
      with_name('.t7', function(name)
        -- A pipe for each writer: the writer before may still hold its pipe open.
        local function with_output(command, body)
          with_pipe(function(pipe)
            os.execute(('%s > %s &'):format(command, pipe))
            body(pipe)
          end)
        end
        tensor.save(name, { 7, 'text', tensor.range(1, 5) }, mode)
        with_output('cat ' .. name, function(pipe)
          local object = tensor.load(pipe)
          assert.are.same({ 7, 'text', 15 }, { object[1], object[2], object[3]:sum() })
        end)
        with_output('cat ' .. name, function(pipe)
          assert.are.equal('text', tensor.load(pipe, mode)[2])
        end)
        with_output('cat ' .. name, function(pipe)
          local object = tensor.load(pipe, { mode = mode, progress = function() end })
          assert.are.equal(15, object[3]:sum())
        end)
        with_output('head -c 20 ' .. name, function(pipe)
          assert.matches(('load: %s: read error: read .* instead of %%d+$'):format(pipe),
                         error_of(tensor.load, pipe, mode))
        end)
        with_output('head -c 20 ' .. name, function(pipe)
          assert.matches(('load: %s: read error: .*, at byte %%d+$'):format(pipe),
                         error_of(tensor.load, pipe))
        end)
        with_output('cat /dev/null', function(pipe)
          assert.matches('.pipe is empty', error_of(tensor.load, pipe), 1, true)
        end)
      end)
    end
  end)
end)

describe('save', function()
  it('with the option progress writes to a pipe', function()
    with_pipe(function(pipe)
      local reader = io.popen('cat ' .. pipe)
      tensor.save(pipe, { 7, tensor.ones(2) }, { progress = function() end })
      local bytes = reader:read '*a'
      reader:close()
      assert.are.equal(2, tensor.deserialize(bytes)[2]:sum())
    end)
  end)

  it('raises an error if the reader of the pipe is gone', function()
    for ending, object in pairs { ['.t7'] = 't', ['.csv'] = 't', ['.npz'] = '{a = t}' } do
      with_pipe(function(pipe)
        local output, status = child.run(([[
          os.execute 'head -c 1 %s > /dev/null &'
          local t = tensor.ones(1e6, 1)
          local done, message = pcall(tensor.save, %q, %s)
          print(done, message)
          print 'goes on']]):format(pipe, pipe, object))
        assert.are.equal(0, status)
        assert.matches('^false\t.*save: .*\ngoes on\n$', output)
        assert.matches(pipe, output, 1, true)
      end, ending)
    end
  end)
end)
