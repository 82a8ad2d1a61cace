-- Runs a command. Fails unless it succeeds and its output matches a Lua pattern.
-- Usage: luajit test/checks/prints.lua <pattern> <command> [arguments]

local words = {}
for k = 2, #arg do words[#words + 1] = "'" .. arg[k]:gsub("'", "'\\''") .. "'" end
local pipe = assert(io.popen(table.concat(words, ' ') .. ' 2>&1; echo "status $?"'))
local output, status = pipe:read('*a'):match '^(.*)status (%d+)\n$'
pipe:close()
io.write(output)
if status ~= '0' or not output:find(arg[1]) then
  io.stderr:write(('exit status %s; expected: 0 and output that matches %s\n'):format(status,
                                                                                    arg[1]))
  os.exit(1)
end
