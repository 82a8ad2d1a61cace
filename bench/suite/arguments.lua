-- The arguments of the programs bench/*/measure.lua.

--- Returns the path of Python, or nil, and a table with true for each of the other arguments, such
-- as `quick`. Empty arguments are ignored.
return function(arguments, ...)
  local python, options, known = nil, {}, {}
  for _, name in ipairs {...} do
    known[name] = true
  end
  for _, text in ipairs(arguments) do
    if known[text] then
      options[text] = true
    elseif text ~= '' then
      python = text
    end
  end
  return python, options
end
