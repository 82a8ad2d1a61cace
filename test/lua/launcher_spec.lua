-- The program tensor as a process: its streams, its exit status, and its directory.

local files = require 'support.files'

local prefix = os.getenv 'TENSOR_PREFIX'
local it_with_program = prefix and it or pending

-- Returns the output of a shell command, including stderr, and its exit status. In the command,
-- `tensor` is the program.
local function shell(command)
  local pipe = assert(io.popen(('{ unset LUA_PATH LUA_CPATH; tensor() { "$program" "$@"; }\n' ..
                                "program='%s/bin/tensor'; %s\n} 2>&1; echo \"status=$?\"")
                               :format(prefix, command)))
  local text = pipe:read '*a'
  pipe:close()
  local output, status = text:match '^(.*)status=(%d+)\n$'
  return output, tonumber(status)
end

describe('the program tensor', function()
  local folder

  setup(function()
    folder = files.new_folder()
  end)
  teardown(function() shell('rm -r ' .. folder) end)

  it_with_program('names the character of its path that Lua cannot search', function()
    for _, character in ipairs {';', '?'} do
      local moved = ("%s/a%sb"):format(folder, character)
      -- Links to the folders: the program resolves links to itself only.
      shell(("mkdir -p '%s/bin' && cp '%s/bin/tensor' '%s/bin' && ln -s '%s/share' '%s/lib' '%s'")
            :format(moved, prefix, moved, prefix, prefix, moved))
      local output, status = shell(("'%s/bin/tensor' -e 'print(1)'"):format(moved))
      assert.are.equal(("tensor: Lua cannot load modules from a path with '%s': " ..
                        '%s/share/lua/%s\n'):format(character, moved, _VERSION:match '%d.%d'),
                       output)
      assert.are.equal(1, status)
    end
  end)

  it_with_program('accepts a line #! and a byte order mark in front of inputs', function()
    for _, first in ipairs {'#!/usr/bin/env tensor\\n', '\\357\\273\\277',
                            '\\357\\273\\277#!/usr/bin/env tensor\\r\\n'} do
      local output, status = shell(("printf '%stensor.ones(3):sum()\\n#\"ab\"\\n' | tensor")
                                   :format(first))
      assert.are.equal('3\n2\n', output)
      assert.are.equal(0, status)
    end
    -- Elsewhere # is the operator, and #! an error.
    assert.are.equal('3\n', (shell "printf '#tensor.ones(3):totable()\\n' | tensor"))
    local output, status = shell "printf '1\\n#!x\\n' | tensor"
    assert.is_truthy(output:find("near '!'", 1, true) or output:find("near '#'", 1, true))
    assert.are.equal(1, status)
  end)

  local function check(command, expected, code)
    local output, status = shell(command)
    assert.are.same({output = expected, status = code}, {output = output, status = status},
                    command)
  end

  it_with_program('fails with -i if the script failed and stdin is not a terminal', function()
    for _, case in ipairs {{"-i -e 'error()'", 1}, {"-i -e 'x = 1'", 0},
                           {"--interactive -l nosuch", 1}} do
      local output, status = shell(('echo 7 | tensor %s'):format(case[1]))
      assert.matches('7\n$', output)
      assert.are.equal(case[2], status, case[1])
    end
  end)

  it_with_program('names the end of incomplete inputs, and the argument of :quit', function()
    for _, text in ipairs {'1+', '=1+', 'for i = 1, 2 do', 'return f(', 'x = {'} do
      local output, status = shell(("echo '%s' | tensor"):format(text))
      assert.matches("^stdin:1: [^\n]* near '?<eof>'?\n$", output)
      assert.are.equal(1, status)
    end
    check("printf ':quit now\\n2\\n:q\\n3\\n' | tensor", ':quit takes no argument\n2\n', 1)
  end)

  it_with_program('reports output that could not be written', function()
    local full = io.open('/dev/full', 'w')
    if not full then return pending '/dev/full is missing' end
    full:close()
    local message = 'tensor: cannot write to stdout: No space left on device\n'
    for _, command in ipairs {
      "tensor -e 'print(1)' >/dev/full", 'echo 1 | tensor >/dev/full', 'tensor -h >/dev/full',
      "echo 'print(1)' | tensor - >/dev/full",
      -- The first input fails to be written, the last one writes nothing.
      "printf '1\\nx = 2\\n' | tensor >/dev/full",
      -- After many inputs, LuaJIT may have compiled what flushes stdout.
      "{ yes 'x = 1' | head -n 300; echo 1; echo 'x = 2'; } | tensor >/dev/full",
    } do check(command, message, 1) end
    local output, status = shell "tensor -e 'print(1) error \"no\"' >/dev/full"
    assert.is_truthy(output:find(message, 1, true) and output:find('no\n', 1, true))
    assert.are.equal(1, status)
  end)

  it_with_program('reports input that cannot be read', function()
    check('tensor </', 'tensor: cannot read stdin: Is a directory\n', 1)
    check('tensor <&-', '', 0)
  end)

  it_with_program('accepts a closed stdout', function()
    for _, command in ipairs {
      "tensor -e 'print(1)' >&-", 'echo 1 | tensor >&-', "tensor -e 'io.stdout:close()'",
      -- A pipe without a reader: the signal ends the program silently, or is ignored.
      "{ sleep 0.2; tensor -e 'print(1)' || [ $? -gt 128 ] || echo failed >&2; } | true",
      "trap '' PIPE; { sleep 0.2; tensor -e 'print(1)' || echo failed >&2; } | true",
    } do check(command, '', 0) end
  end)
end)
