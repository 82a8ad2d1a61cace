-- Temporary files of specs, and reading of files.

local files = {}

function files.content(path)
  local file = assert(io.open(path, 'rb'))
  local bytes = file:read '*a'
  file:close()
  return bytes
end

--- Calls body with the name of a temporary file with these contents, and returns its results.
function files.with_file(bytes, body)
  local path = os.tmpname()
  local file = assert(io.open(path, 'wb'))
  file:write(bytes)
  file:close()
  local results = { pcall(body, path) }
  os.remove(path)
  assert(results[1], results[2])
  return unpack(results, 2)
end

return files
