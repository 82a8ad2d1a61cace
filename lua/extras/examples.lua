-- The examples of functions and methods in the reference and tensor.help: lines of code after `>`,
-- each followed by its output. A line `...` stands for output that varies.

local versions = require 'tensor.versions'

local examples = {}

examples.chapters = {
   'elementwise', 'special', 'compare', 'making', 'views', 'arranging', 'reducing', 'random',
   'linear', 'files', 'system', 'gradients', 'fourier', 'networks', 'spatial',
}

--- Parses the text of a chapter. Returns its examples: {{name, text}, ...}.
function examples.parse(text)
   local list, current = {}, nil
   for line in text:gmatch '([^\n]*)\n' do
      if current == nil and line ~= '' then
         current = {line, {}}
         list[#list + 1] = current
      elseif line == '' then
         current = nil
      else
         table.insert(current[2], line)
      end
   end
   for _, example in ipairs(list) do example[2] = table.concat(example[2], '\n') end
   return list
end

local texts

local chapter_of = {}

--- Returns the example of a name and its chapter, or nil.
function examples.find(name)
   if not texts then
      local all = {}
      for _, chapter in ipairs(examples.chapters) do
         local text = versions.require('tensor.examples.' .. chapter)
         for _, example in ipairs(examples.parse(text)) do
            all[example[1]], chapter_of[example[1]] = example[2], chapter
         end
      end
      texts = all
   end
   return texts[name], chapter_of[name]
end

-- Returns the output of print without empty lines, because an empty line ends an example.
local function shown(...)
   local parts = {}
   for k = 1, select('#', ...) do parts[k] = tostring((select(k, ...))) end
   local text = table.concat(parts, '  ')
   if text:find '\n' then text = table.concat(parts, '\n') end
   local lines = {}
   for line in (text .. '\n'):gmatch '([^\n]*)\n' do
      line = line:gsub('%s+$', '')
      if line ~= '' then lines[#lines + 1] = line end
   end
   return table.concat(lines, '\n')
end

--- Runs an example. Returns its lines of code with their output; raises an error if one fails.
function examples.run(tensor, text)
   local out = {}
   local function put(...)
      if select('#', ...) > 0 then out[#out + 1] = shown(...) end
   end
   local environment = setmetatable({tensor = tensor, print = put}, {__index = _G})
   -- tensor.help and tensor.profile call the global print.
   local function call(f)
      local before = print
      print = put  -- luacheck: ignore 121
      local results = versions.pack(pcall(f))
      print = before  -- luacheck: ignore 121
      if not results[1] then error(results[2], 0) end
      while results[results.n] == nil do results.n = results.n - 1 end
      put(versions.unpack(results, 2, results.n))
   end
   local varies = false
   for line in (text .. '\n'):gmatch '([^\n]*)\n' do
      local code = line:match '^> (.*)$'
      if code then
         out[#out + 1] = line
         local f = versions.load('return ' .. code, '=example', environment)
                   or assert(versions.load(code, '=example', environment))
         varies = #out
         call(f)
      elseif line == '...' then
         for k = #out, varies + 1, -1 do out[k] = nil end
         out[#out + 1] = line
      end
   end
   return table.concat(out, '\n')
end

return examples
