-- raise(message): raises an error with the position of the line that called into the module, as
-- raise_error of generic/errors.cc does. `=thread` is the source of worker threads (workers.cc).

local getinfo = debug and debug.getinfo
local source = getinfo and getinfo(1, 'S').source or ''
local own = source:match '^(.*[/\\])' or source

return function(message)
   local level, info = 2, getinfo and getinfo(2, 'Sl')
   while info and (info.currentline <= 0 or info.source:sub(1, #own) == own
                   or info.source == '=thread') do
      level = level + 1
      info = getinfo(level, 'Sl')
   end
   if info then
      message = ('%s:%d: %s'):format(info.short_src, info.currentline, message)
   end
   error(message, 0)
end
