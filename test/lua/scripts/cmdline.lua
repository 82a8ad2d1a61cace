-- Options of a program, as in training scripts. Usage: cmdline.lua digits -rate 0.5 -gpu
require 'torch'

local cmd = torch.CmdLine()
cmd:text()
cmd:text('Trains a small network')
cmd:text()
cmd:text('Options')
cmd:argument('dataset', 'name of the data')
cmd:option('-seed', 123, 'initial random seed')
cmd:option('-rate', 0.1, 'learning rate')
cmd:option('-gpu', false, 'train on the GPU')
cmd:option('-save', 'model', 'where the model goes')
cmd:text()

local opt = cmd:parse(arg or {})
local names = {}
for name in pairs(opt) do
   table.insert(names, name)
end
table.sort(names)
for _, name in ipairs(names) do
   print(name, opt[name], type(opt[name]))
end

print(cmd:string('experiment', opt, {save = true}))
cmd:help(nil)
torch.manualSeed(opt.seed)
print(torch.initialSeed())
