return [=[
grad
> df = tensor.grad(function(x) return tensor.cmul(x, x):sum() end)
> df(tensor.Tensor{1, 2, 3})
 2
 4
 6
[torch.DoubleTensor of size 3]
14
> tensor.grad(function(x) return x ^ 3 end)(2)
12  8
> df = tensor.grad(function(p) return p.a:dot(p.b) end)
> gradients = df{a = tensor.ones(2), b = tensor.Tensor{5, 6}}
> gradients.a
 5
 6
[torch.DoubleTensor of size 2]

vjp
> list, y = tensor.vjp(tensor.exp, {tensor.zeros(2)}, {tensor.Tensor{1, 10}})
> list[1], y
  1
 10
[torch.DoubleTensor of size 2]
 1
 1
[torch.DoubleTensor of size 2]

jvp
> list, y = tensor.jvp(tensor.exp, {tensor.zeros(2)}, {tensor.Tensor{1, 10}})
> list[1], y
  1
 10
[torch.DoubleTensor of size 2]
 1
 1
[torch.DoubleTensor of size 2]

jacobian
> tensor.jacobian(function(x) return tensor.cmul(x, x) end, tensor.Tensor{1, 2})
 2  0
 0  4
[torch.DoubleTensor of size 2x2]

hessian
> tensor.hessian(function(x) return x[1] * x[2] ^ 2 end, tensor.Tensor{3, 5})
  0  10
 10   6
[torch.DoubleTensor of size 2x2]

stopGradient
> tensor.grad(function(x) return x:dot(tensor.stopGradient(x)) end)(tensor.Tensor{1, 2})
 1
 2
[torch.DoubleTensor of size 2]
5

checkpoint
> f = tensor.checkpoint(function(x) return tensor.exp(x):log() end)
> tensor.grad(function(x) return f(x):sum() end)(tensor.Tensor{1, 2})
 1
 1
[torch.DoubleTensor of size 2]
3

customGradient
> rule = function(gradients) return {tensor.clamp(gradients[1], -1, 1)} end
> clip = tensor.customGradient(tensor.clone, rule)
> tensor.grad(function(x) return (clip(x) * 5):sum() end)(tensor.zeros(2))
 1
 1
[torch.DoubleTensor of size 2]
0

gradcheck
> tensor.gradcheck(function(x) return tensor.sin(x):sum() end, {tensor.Tensor{1, 2}})
true
]=]
