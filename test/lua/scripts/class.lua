-- Modules of a network as classes, in the style of nn.
require 'torch'

mlp = {}

do
   local Module = torch.class('mlp.Module')

   function Module:__init()
      self.output = torch.Tensor()
   end

   function Module:forward(input)
      return self:updateOutput(input)
   end

   function Module:__tostring__()
      return torch.type(self)
   end

   -- Applies the module to its input, as in the notation of graphs.
   function Module:__call__(input)
      return self:forward(input)
   end
end

do
   local Linear, parent = torch.class('mlp.Linear', 'mlp.Module')

   function Linear:__init(from, to)
      parent.__init(self)
      self.weight = torch.range(1, from * to):resize(to, from)
      self.bias = torch.Tensor(to):fill(-1)
   end

   function Linear:updateOutput(input)
      self.output:resize(self.bias:size(1)):copy(self.bias)
      return self.output:addmv(1, self.weight, input)
   end

   function Linear:__tostring__()
      return ('%s(%d -> %d)'):format(parent.__tostring__(self), self.weight:size(2),
                                     self.weight:size(1))
   end
end

do
   local Sequential, parent = torch.class('mlp.Sequential', 'mlp.Module')

   function Sequential:__init()
      parent.__init(self)
      self.modules = {}
   end

   function Sequential:add(module)
      table.insert(self.modules, module)
      return self
   end

   function Sequential:updateOutput(input)
      for _, module in ipairs(self.modules) do
         input = module:forward(input)
      end
      self.output = input
      return input
   end

   Sequential.__len__ = function(self)
      return #self.modules
   end
end

torch.class('mlp.ReLU', 'mlp.Module')
function mlp.ReLU:updateOutput(input)
   return torch.cmax(self.output, input, 0)
end

local net = mlp.Sequential():add(mlp.Linear(2, 3)):add(mlp.ReLU())
print(net, net.modules[1])
print(net(torch.Tensor {1, -1}))
print(net:forward(torch.Tensor {2, 1}))

print(torch.typename(net), torch.type({}), torch.typename({}))
print(torch.isTypeOf(net, 'mlp.Module'), torch.isTypeOf(net, mlp.Linear))
print(net.modules[2].__typename, mlp.Linear.__typename)

-- Methods that are added to a class later exist in existing objects.
function mlp.Module:parameters()
   return self.weight, self.bias
end
print(select('#', net:parameters()), #{net.modules[1]:parameters()})
print(torch.factory('mlp.ReLU')().output)
print(pcall(torch.class, 'nosuch.Module') == false)
