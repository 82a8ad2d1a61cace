-- Reads a table of measurements into tensors: columns by name, means per class, standardization.
require 'torch'

local path = os.tmpname()
local file = io.open(path, 'w')
file:write('length,width,kind\n5,3,a\n4,3,a\n7,3,b\n6,1,b\n8,5,b\n')
file:close()

local function split(line)
   local cells = {}
   for cell in string.gfind(line, '[^,]+') do
      cells[#cells + 1] = cell
   end
   return table.unpack(cells)
end

local rows, kinds, class_of = {}, {}, {}
local header = true
for line in io.lines(path) do
   if header then
      print(split(line))
      header = false
   else
      local length, width, kind = split(line)
      if not class_of[kind] then
         class_of[kind] = #kinds + 1
         kinds[#kinds + 1] = kind
      end
      rows[#rows + 1] = {tonumber(length), tonumber(width), class_of[kind]}
   end
end
os.remove(path)

local data = torch.Tensor(rows)
local inputs, labels = data:narrow(2, 1, 2), data:select(2, 3):long()
print(data)
print(labels)

for k, kind in ipairs(kinds) do
   local chosen = inputs:index(1, labels:eq(k):nonzero():select(2, 1))
   print(kind, chosen:size(1), chosen:mean(1))
end

local mean, std = inputs:mean(1), inputs:std(1)
print(mean, inputs:max(1)[{1, 1}], inputs:min(1)[{1, 2}])
local standard = torch.cdiv(inputs - mean:expandAs(inputs), std:expandAs(inputs))
print(standard:mean(1):abs():max() < 1e-15, torch.abs(standard:std(1) - 1):max() < 1e-15)
print(torch.cat(inputs, torch.ones(5, 1), 2):t() * torch.ones(5))
