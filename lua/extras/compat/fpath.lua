-- sys.fpath(): returns the folder and the name of the calling file. A separate module, because
-- packages require 'sys.fpath'.

local paths = require 'paths'

return function()
   local file = paths.thisfile(nil, 3)
   if file then
      return paths.dirname(file), paths.basename(file)
   end
end
