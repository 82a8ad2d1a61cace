-- Saves and loads a model and its state, in a file and in memory.
require 'torch'

local M = torch.class('Model')

function M:__init(size)
   self.weight = torch.range(1, size)
   self.half = self.weight:narrow(1, 1, size / 2)
   self.history = {0.5, 0.25}
   self.parent = {child = self}
end

-- A copy made by serialization, as in nn's clone.
function M:clone()
   local file = torch.MemoryFile('rw'):binary()
   file:writeObject(self)
   file:seek(1)
   local copy = file:readObject()
   file:close()
   return copy
end

local path = os.tmpname()
local model = Model(4)
torch.save(path, {model = model, epoch = 7, name = 'first', best = true})
local loaded = torch.load(path)

print(torch.type(loaded.model), loaded.epoch, loaded.name, loaded.best)
print(loaded.model.weight)
print(#loaded.model.history, loaded.model.parent.child == loaded.model)

-- Tensors that shared memory still do so after loading, but not with the original.
loaded.model.half:fill(0)
print(loaded.model.weight)
print(model.weight:sum())

local copy = model:clone()
copy.weight:mul(2)
print(copy.half[1], model.half[1], copy.weight:storage() == copy.half:storage())

torch.save(path, model.weight, 'ascii')
for line in io.lines(path) do
   io.write(line, '|')
end
print()
print(torch.load(path, 'ascii'):float())

local text = torch.serialize({1, 'two', {three = 3}})
local back = torch.deserialize(text)
print(type(text), back[1], back[2], back[3].three)

local file = torch.DiskFile(path, 'w')
file:writeInt(5)
file:writeDouble(2.5)
file:writeString('end')
file:close()
file = torch.DiskFile(path, 'r')
print(file:readInt(), file:readDouble(), file:readString('*a'))
file:close()

local double = torch.MemoryFile()
double:writeObject(torch.IntTensor {{1, 2}, {3, 4}})
double:seek(1)
print(double:readObject():t())
print(pcall(torch.load, '/nosuch/file') == false)
os.remove(path)
