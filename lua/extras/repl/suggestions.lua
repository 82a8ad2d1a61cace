-- Suggestions for unknown names.

local absent = require 'tensor.repl.absent'
local elsewhere = require 'tensor.repl.elsewhere'
local near = require 'tensor.repl.near'

local suggestions = {}

--- of_other_library(name): returns what to use instead of a name of another library, or nil.
function suggestions.of_other_library(name)
   local part = absent[name:lower()]
   if part then
      return part
   end
   return elsewhere[name] and ('instead of %s, use %s'):format(name, elsewhere[name]) or nil
end

--- of_similar(name, tables): returns a question about names in the tables that are similar, or nil.
function suggestions.of_similar(name, tables)
   local found = near.names(name, tables, 3)
   return found[1] and ('did you mean %s?'):format(table.concat(found, ' or ')) or nil
end

--- of(name, tables): returns either, or nil.
function suggestions.of(name, tables)
   return suggestions.of_other_library(name) or suggestions.of_similar(name, tables)
end

return suggestions
