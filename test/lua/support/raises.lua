-- Checks of errors. A failure names the line of the caller.

local raises = {}

--- Returns the message of the error that f(...) must raise.
function raises.message(f, ...)
  local ok, message = pcall(f, ...)
  if ok then error('no error', 2) end
  return message
end

--- Checks that f(...) raises an error whose message contains a text.
function raises.text(text, f, ...)
  local ok, message = pcall(f, ...)
  if ok or not tostring(message):find(text, 1, true) then
    error(ok and 'no error' or ('%s: without %s'):format(tostring(message), text), 2)
  end
end

--- Checks that f() raises an error whose message contains all the texts.
function raises.texts(f, ...)
  local ok, message = pcall(f)
  for _, text in ipairs { ok and 'no error' or '', ... } do
    if ok or not message:find(text, 1, true) then
      error(ok and text or ('%s: without %s'):format(message, text), 2)
    end
  end
end

return raises
