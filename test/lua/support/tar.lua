-- Reads archives of test data, such as test/data/t7/ascii.tar. Made by
-- tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -cf.

local files = require 'support.files'

local tar = {}

--- Returns the contents of the files of an archive, by name.
function tar.read(path)
  local bytes = files.content(path)
  local contents, position = {}, 1
  while true do
    local name = bytes:match('^[^%z]+', position)
    if not name then return contents end
    local size = tonumber(bytes:sub(position + 124, position + 134), 8)
    contents[name] = bytes:sub(position + 512, position + 511 + size)
    position = position + 512 + math.ceil(size / 512) * 512
  end
end

return tar
