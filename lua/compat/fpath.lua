-- sys.fpath: returns the folder of the file that calls it, and the file's name. Packages require
-- this module by itself.

local paths = require 'paths'

return function()
   local file = paths.thisfile(nil, 3)
   if file then
      return paths.dirname(file), paths.basename(file)
   end
end
