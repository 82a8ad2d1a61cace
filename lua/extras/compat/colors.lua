-- sys.colors: escape sequences that set the text color of a terminal. Lower-case names are plain,
-- capitalized names bold; names with an underscore set the background.

local colors = {none = '\27[0m'}
for k, name in ipairs {'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'} do
   colors[name] = ('\27[0;%dm'):format(29 + k)
   colors[name:sub(1, 1):upper() .. name:sub(2)] = ('\27[1;%dm'):format(29 + k)
   colors['_' .. name] = ('\27[%dm'):format(39 + k)
end

return colors
