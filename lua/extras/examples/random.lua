return [=[
gamma
> tensor.gamma(2) > 0
true

beta
> tensor.beta(2, 3) < 1
true

chi2
> tensor.chi2(3) > 0
true

poisson
> tensor.Tensor(1000):poisson(4):mean() > 3
true

binomial
> tensor.Tensor(1000):binomial(10, 0.5):max() <= 10
true

manualSeed
> tensor.manualSeed(1)
> a = tensor.rand(3)
> tensor.manualSeed(1)
> tensor.rand(3):equal(a)
true

seed
> tensor.seed() >= 0
true

initialSeed
> tensor.manualSeed(7)
> tensor.initialSeed()
7

getRNGState
> state = tensor.getRNGState()
> tensor.type(state)
torch.ByteTensor

setRNGState
> state = tensor.getRNGState()
> a = tensor.rand(2)
> state = tensor.setRNGState(state)
> tensor.rand(2):equal(a)
true

setGenerator
> g = tensor.Generator()
> tensor.setGenerator(g, 'philox')
> tensor.getGenerator(g)
philox

getGenerator
> tensor.getGenerator(tensor.Generator())
mt19937

random
> tensor.manualSeed(1)
> tensor.IntTensor(3):random(6)
 2
 6
 1
[torch.IntTensor of size 3]
> tensor.random(1, 1)
1

uniform
> tensor.manualSeed(1)
> tensor.Tensor(2):uniform(-1, 1)
-0.1660
 0.9944
[torch.DoubleTensor of size 2]

normal
> tensor.manualSeed(1)
> tensor.Tensor(2):normal(10, 2)
  4.0563
 13.4139
[torch.DoubleTensor of size 2]

exponential
> tensor.manualSeed(1)
> tensor.Tensor(2):exponential(0.5)
  1.0792
 11.7454
[torch.DoubleTensor of size 2]

cauchy
> tensor.manualSeed(1)
> tensor.Tensor(2):cauchy()
  -0.2668
 113.0657
[torch.DoubleTensor of size 2]

logNormal
> tensor.manualSeed(1)
> tensor.Tensor(2):logNormal(1, 2)
  0.0071
 82.5911
[torch.DoubleTensor of size 2]

geometric
> tensor.manualSeed(1)
> tensor.IntTensor(3):geometric(0.5)
 1
 9
 2
[torch.IntTensor of size 3]

bernoulli
> tensor.manualSeed(1)
> tensor.IntTensor(4):bernoulli(0.5)
 1
 0
 0
 0
[torch.IntTensor of size 4]
> tensor.Tensor(2):bernoulli(tensor.Tensor{0, 1})
 0
 1
[torch.DoubleTensor of size 2]

rand
> tensor.manualSeed(1)
> tensor.rand(2)
 0.4170
 0.9972
[torch.DoubleTensor of size 2]

randn
> tensor.manualSeed(1)
> tensor.randn(2)
-2.9718
 1.7070
[torch.DoubleTensor of size 2]

randLike
> tensor.randLike(tensor.ones(2, 3)):size()
[2 x 3]

randnLike
> tensor.randnLike(tensor.FloatTensor(2)):type()
torch.FloatTensor

randint
> tensor.manualSeed(1)
> tensor.randint(tensor.IntTensor(), 1, 6, 4)
 1
 5
 5
 4
[torch.IntTensor of size 4]

randperm
> tensor.manualSeed(1)
> tensor.randperm(4)
 2
 4
 3
 1
[torch.LongTensor of size 4]

multinomial
> tensor.manualSeed(1)
> tensor.multinomial(tensor.Tensor{0, 1, 1}, 4, true)
 2
 3
 3
 3
[torch.LongTensor of size 4]

multinomialAliasSetup
> tensor.manualSeed(1)
> state = tensor.multinomialAliasSetup(tensor.Tensor{0.5, 0.5})
> tensor.multinomialAlias(tensor.LongTensor(4), state)
 1
 2
 1
 1
[torch.LongTensor of size 4]

multinomialAlias
> tensor.manualSeed(1)
> tensor.multinomialAlias(tensor.LongTensor(2), tensor.multinomialAliasSetup(tensor.ones(1)))
 1
 1
[torch.LongTensor of size 2]

multinomialAliasSetup_
> J, q = tensor.LongTensor(), tensor.Tensor()
> tensor.multinomialAliasSetup_(tensor.Tensor{0.25, 0.75}, J, q)
 2
 2
[torch.LongTensor of size 2]
 0.5000
 1.0000
[torch.DoubleTensor of size 2]

multinomialAlias_
> tensor.manualSeed(1)
> J, q = tensor.LongTensor(), tensor.Tensor()
> tensor.multinomialAliasSetup_(tensor.ones(1), J, q)
 1
[torch.LongTensor of size 1]
 1
[torch.DoubleTensor of size 1]
> tensor.multinomialAlias_(tensor.LongTensor(2), J, q)
 1
 1
[torch.LongTensor of size 2]
]=]
