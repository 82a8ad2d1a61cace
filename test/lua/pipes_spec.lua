-- load and save with pipes in place of files, and with files whose names do not have the extension
-- of their format.

local tensor = require 'tensor'
local child = require 'support.child'
local error_of = require 'support.raises'.message
local files = require 'support.files'

local with_name, content = files.with_name, files.content

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

describe('the option format', function()
  it('selects a text format for other names', function()
    with_name('.data', function(name)
      tensor.save(name, tensor.Tensor{{1, 2.5}}, { format = 'csv' })
      assert.are.equal('1,2.5\n', content(name))
      assert.are.same({ { 1, 2.5 } }, tensor.load(name, { format = 'csv' }):totable())
      tensor.save(name, tensor.Tensor{{1, 2.5}}, { format = 'tsv', names = { 'a', 'b' } })
      assert.are.equal('a\tb\n1\t2.5\n', content(name))
      local columns, names = tensor.load(name, { format = 'tsv', columns = true })
      assert.are.equal(2.5, columns.b[1])
      assert.are.same({ 'a', 'b' }, names)
    end)
  end)

  it('selects any format that load reads', function()
    local t = tensor.ByteTensor { { { 1, 2 }, { 3, 4 } } }
    local function same(format, object, read)
      with_name('.data', function(name)
        tensor.save(name, object, { format = format })
        local bytes = content(name)
        assert.is_true(t:equal(read(tensor.load(name, { format = format }))), format)
        with_name('.' .. format, function(other)
          tensor.save(other, object)
          if format ~= 'npz' then assert.are.equal(bytes, content(other)) end  -- it has the time
        end)
      end)
    end
    same('npy', t, function(read) return read end)
    same('npz', { t = t }, function(read) return read.t end)
    same('safetensors', { t = t }, function(read) return read.t end)
    same('png', t, function(read) return (read * 255):byte() end)
    same('binaryproto', tensor.FloatBlob(1, 2, 2), function(read)
      return read:data():add(1, t:float()):byte()
    end)
  end)

  it('selects the format of a pipe', function()
    with_name('.npy', function(name)
      tensor.save(name, tensor.range(1, 4):int())
      with_pipe(function(pipe)
        os.execute(('cat %s > %s &'):format(name, pipe))
        assert.are.equal(10, tensor.load(pipe, { format = 'npy' }):sum())
      end)
    end)
  end)

  it('is suggested, and checked', function()
    with_name('.data', function(name)
      files.write(name, '5.1,3.5\n')
      for _, case in ipairs {
        { "the option format = 'csv' reads a table of text" },
        { "separator requires format = 'csv', or a file name ending in .csv", { separator = ',' } },
        { 'option format must be one of binaryproto, csv, jpeg, jpg, npy, npz, png, ' ..
          'safetensors, tsv, got gif', { format = 'gif' } },
        { "the option mode is for Torch7's format", { format = 'csv', mode = 'ascii' } },
      } do
        assert.matches(case[1], error_of(tensor.load, name, case[2]), 1, true)
      end
      assert.matches('unknown option format', error_of(tensor.deserialize, '', { format = 'csv' }))
    end)
  end)
end)
