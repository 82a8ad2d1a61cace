-- Shared by the specs of file formats: tensors to write, and damaged files to read.

local elements = require 'support.elements'
local files = require 'support.files'
local tensor = require 'tensor'

local format_files = {}

local function numbers(e, ...)
  local t = tensor[e.name .. 'Tensor'](...)
  local flat = t:view(t:nElement())
  for i = 1, flat:size(1) do
    flat[i] = i * 3
  end
  return t
end

--- Calls body with an element type, the name of a layout, and a tensor, for all combinations.
function format_files.each(body)
  for _, e in ipairs(elements) do
    body(e, 'rows', numbers(e, 3, 4))
    body(e, 'transposed', numbers(e, 3, 4):t())
    body(e, 'narrowed', numbers(e, 4, 5):narrow(2, 2, 3):narrow(1, 2, 2))
    body(e, 'a part at an offset', numbers(e, 9):narrow(1, 4, 3))
    body(e, 'a column', numbers(e, 3, 4):select(2, 3))
    body(e, 'expanded', numbers(e, 1, 3):expand(4, 3))
    body(e, 'of five dimensions', numbers(e, 2, 1, 3, 1, 2))
    body(e, 'without elements', tensor[e.name .. 'Tensor'](2, 0, 3))
  end
end

function format_files.same(a, b)
  return a:type() == b:type() and a:isSameSizeAs(b) and (a:nElement() == 0 or a:equal(b))
end

--- Loads damaged copies of the bytes. Each must give a tensor or table, or an error that contains
-- the file name. Returns the number of errors.
function format_files.damage(bytes, ending, rounds, options)
  local random, errors = elements.generator(7), 0
  local function below(n) return math.floor(random() * n) end
  files.with_name(ending, function(name)
    for round = 1, rounds do
      local at = below(#bytes)
      local damaged = round % 2 == 0 and bytes:sub(1, at) or
                      bytes:sub(1, at) .. string.char(below(256)) .. bytes:sub(at + 2)
      files.write(name, damaged)
      local loaded, result = pcall(tensor.load, name, options)
      if not loaded then
        errors = errors + 1
        assert(result:find(name, 1, true), result)
      else
        assert(type(result) == 'table' or tensor.isTensor(result))
      end
    end
  end)
  return errors
end

--- Loads a text as a table in a file. options: those of load; default: columns = true.
function format_files.load_csv(text, options)
  local t, names
  files.with_name('', function(name)
    files.write(name, text)
    options = options or { columns = true }
    options.format = 'csv'
    t, names = tensor.load(name, options)
  end)
  return t, names
end

return format_files
