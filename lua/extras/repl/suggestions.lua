-- Suggestions for unknown names.

local absent = require 'tensor.repl.absent'
local elsewhere = require 'tensor.repl.elsewhere'
local near = require 'tensor.repl.near'
local raw_next = require 'tensor.versions'.raw_next

local suggestions = {}

-- PyTorch's methods that work in place, such as clip_, have a name that ends in _.
local function without_underscore(name)
   return name:match '^(.*%w)_$' or name
end

local function instead(name, here)
   return ('instead of %s, use %s'):format(name, here)
end

-- Functions by the names of PyTorch's classes in lower case: hardtanh and l1loss.
local classes = {}
for name, here in raw_next, elsewhere do
   if not name:find '_$' then
      classes[name:gsub('_', ''):lower()] = here
   end
end

--- of_other_library(name): returns what to use instead of a name of another library, or nil.
function suggestions.of_other_library(name)
   local part = absent[without_underscore(name):lower()]
   if part then
      return part
   end
   local here = elsewhere[name] or elsewhere[without_underscore(name)]
   return here and instead(name, here) or nil
end

--- of_similar(name, tables [, label]): returns a question about names in the tables that are
-- similar, or nil. label: returns the text for a name.
function suggestions.of_similar(name, tables, label)
   local found = near.names(without_underscore(name), tables, 3)
   for k, similar in ipairs(found) do
      found[k] = label and label(similar) or similar
   end
   return found[1] and ('did you mean %s?'):format(table.concat(found, ' or ')) or nil
end

-- Fields of the results of functions of PyTorch and NumPy. Ours return several values.
local fields = {
   values = 'values, indices = t:max(1)', indices = 'values, indices = t:max(1)',
   eigenvalues = 'values, vectors = tensor.eigh(t)',
   eigenvectors = 'values, vectors = tensor.eigh(t)',
   Q = 'q, r = tensor.qr(t)', R = 'q, r = tensor.qr(t)',
   U = 'u, s, v = tensor.svd(t)', S = 'u, s, v = tensor.svd(t)', Vh = 'u, s, v = tensor.svd(t)',
}

--- of_result(name): returns how to get the field of a result of another library, or nil.
function suggestions.of_result(name)
   return fields[name] and 'functions return several values: ' .. fields[name]
end

-- Returns what to use instead of a class of PyTorch, such as Hardtanh, L1Loss or KLDivLoss, or nil.
-- Fields of the tables have precedence, as nn.linear over addmm for Linear.
local function of_class(name, tables)
   local lower = name:lower()
   for _, t in ipairs(tables) do
      if rawget(t, lower) then
         return nil
      end
   end
   local here = name:find '^%u' and (classes[lower] or classes[lower:match '^(.+)loss$'])
   return here and instead(name, here)
end

--- of(name, tables): returns the first of these, or nil.
function suggestions.of(name, tables)
   return suggestions.of_other_library(name) or of_class(name, tables)
          or suggestions.of_similar(name, tables)
end

return suggestions
