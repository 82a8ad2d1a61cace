-- expect(condition, message): raises an error if the condition is false. The error position is the
-- caller outside this folder.

local folder = debug.getinfo(1, 'S').source:match '^(.*[/\\])'

return function(condition, message)
   if condition then
      return
   end
   local level = 2
   local info = debug.getinfo(level, 'S')
   -- Lua 5.1 has levels 'tail' for functions that tail calls have left.
   while info and (info.what == 'C' or info.what == 'tail'
                   or info.source:sub(1, #folder) == folder) do
      level = level + 1
      info = debug.getinfo(level, 'S')
   end
   error(message, level)
end
