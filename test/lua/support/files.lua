-- Reading and writing of files, and temporary files and folders of specs.

local files = {}

function files.content(path)
  local file = assert(io.open(path, 'rb'))
  local bytes = file:read '*a'
  file:close()
  return bytes
end

function files.write(path, ...)
  local file = assert(io.open(path, 'wb'))
  file:write(...)
  file:close()
end

--- Calls body with the name of a temporary file with these contents, and returns its results.
function files.with_file(bytes, body)
  local path = os.tmpname()
  files.write(path, bytes)
  local results = { pcall(body, path) }
  os.remove(path)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2)
end

--- Calls body with a temporary file name that has this extension; removes the file afterwards.
function files.with_name(ending, body)
  local base = os.tmpname()
  local name = base .. ending
  local done, failure = pcall(body, name)
  os.remove(name)
  os.remove(base)
  if not done then
    error(failure, 0)
  end
end

--- Returns the name of a new folder.
function files.new_folder()
  local path = os.tmpname()
  os.remove(path)
  assert(os.execute('mkdir ' .. path))
  return path
end

return files
