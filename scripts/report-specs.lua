-- An output handler for busted: plain text, and the numbers of cases in XML, in GoogleTest's
-- format, in the file named by results=FILE in TENSOR_TEST.

return function(options)
  local busted = require 'busted'
  local handler = require 'busted.outputHandlers.plainTerminal'(options)
  local path = (os.getenv('TENSOR_TEST') or ''):match('results=(%S+)')

  local function write_counts()
    local failures, errors = handler.failuresCount, handler.errorsCount
    local skipped = handler.pendingsCount
    local tests = handler.successesCount + failures + errors + skipped
    local file = assert(io.open(path, 'w'))
    file:write(('<testsuites tests="%d" failures="%d" errors="%d" skipped="%d"/>\n')
      :format(tests, failures, errors, skipped))
    file:close()
    return nil, true
  end

  if path then busted.subscribe({ 'exit' }, write_counts) end
  return handler
end
