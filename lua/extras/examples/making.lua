return [=[
Tensor
> tensor.Tensor(2, 3):size()
[2 x 3]
> tensor.IntTensor{{1, 2}, {3, 4}}
 1  2
 3  4
[torch.IntTensor of size 2x2]
> tensor.FloatTensor(tensor.FloatStorage{1, 2, 3, 4}, 2, 3, 1)
 2
 3
 4
[torch.FloatTensor of size 3]

Storage
> tensor.FloatStorage{1, 2, 3}
 1
 2
 3
[torch.FloatStorage of size 3]
> tensor.ByteStorage(5):size()
5

Generator
> g = tensor.Generator 'philox'
> tensor.getGenerator(g)
philox
> tensor.manualSeed(g, 1)
> tensor.rand(g, 2):size()
[2]

new
> tensor.IntTensor().new{1, 2}
 1
 2
[torch.IntTensor of size 2]

full
> tensor.full(2, 2, 7)
 7  7
 7  7
[torch.DoubleTensor of size 2x2]
> tensor.full(tensor.IntTensor(), 2, 7)
 7
 7
[torch.IntTensor of size 2]

meshgrid
> tensor.meshgrid(tensor.Tensor{1, 2}, tensor.Tensor{10, 20})
 1  1
 2  2
[torch.DoubleTensor of size 2x2]
 10  20
 10  20
[torch.DoubleTensor of size 2x2]

getdefaulttensortype
> tensor.getdefaulttensortype()
torch.DoubleTensor

setdefaulttensortype
> tensor.setdefaulttensortype 'torch.FloatTensor'
> tensor.ones(1)
 1
[torch.FloatTensor of size 1]
> tensor.setdefaulttensortype 'torch.DoubleTensor'

fill
> tensor.Tensor(2):fill(3)
 3
 3
[torch.DoubleTensor of size 2]
> tensor.IntStorage(2):fill(3)
 3
 3
[torch.IntStorage of size 2]

zero
> tensor.ones(2):zero()
 0
 0
[torch.DoubleTensor of size 2]

zeros
> tensor.zeros(2, 3)
 0  0  0
 0  0  0
[torch.DoubleTensor of size 2x3]

zerosLike
> tensor.zerosLike(tensor.IntTensor{1, 2})
 0
 0
[torch.IntTensor of size 2]

ones
> tensor.ones(2, 3)
 1  1  1
 1  1  1
[torch.DoubleTensor of size 2x3]

onesLike
> tensor.onesLike(tensor.IntTensor{1, 2})
 1
 1
[torch.IntTensor of size 2]

fullLike
> tensor.fullLike(tensor.IntTensor{1, 2}, 7)
 7
 7
[torch.IntTensor of size 2]

emptyLike
> tensor.emptyLike(tensor.ones(2, 3)):size()
[2 x 3]

eye
> tensor.eye(2)
 1  0
 0  1
[torch.DoubleTensor of size 2x2]
> tensor.eye(2, 3)
 1  0  0
 0  1  0
[torch.DoubleTensor of size 2x3]
> tensor.eye(2, 3, 1)
 0  1  0
 0  0  1
[torch.DoubleTensor of size 2x3]

finfo
> tensor.finfo 'Float'.eps
1.1920928955078e-07
> tensor.finfo(tensor.DoubleTensor()).bits
64

iinfo
> tensor.iinfo 'Short'.max
32767

resultType
> tensor.resultType('Int', 'Half', tensor.FloatTensor())
torch.FloatTensor

canCast
> tensor.canCast('Int', 'Float'), tensor.canCast('Float', 'Int')
true  false

range
> tensor.range(1, 5, 2)
 1
 3
 5
[torch.DoubleTensor of size 3]

arange
> tensor.arange(3)
 0
 1
 2
[torch.DoubleTensor of size 3]
> tensor.arange(1, 5, 2)
 1
 3
[torch.DoubleTensor of size 2]

linspace
> tensor.linspace(0, 1, 5)
 0.0000
 0.2500
 0.5000
 0.7500
 1.0000
[torch.DoubleTensor of size 5]
> tensor.linspace(0, 1, 4, false)
 0.0000
 0.2500
 0.5000
 0.7500
[torch.DoubleTensor of size 4]

logspace
> tensor.logspace(0, 2, 3)
   1
  10
 100
[torch.DoubleTensor of size 3]

diag
> tensor.diag(tensor.Tensor{1, 2})
 1  0
 0  2
[torch.DoubleTensor of size 2x2]
> tensor.diag(tensor.Tensor{{1, 2}, {3, 4}})
 1
 4
[torch.DoubleTensor of size 2]

tril
> tensor.tril(tensor.ones(2, 2))
 1  0
 1  1
[torch.DoubleTensor of size 2x2]

triu
> tensor.triu(tensor.ones(2, 2))
 1  1
 0  1
[torch.DoubleTensor of size 2x2]

cat
> tensor.cat(tensor.Tensor{1, 2}, tensor.Tensor{3})
 1
 2
 3
[torch.DoubleTensor of size 3]
> tensor.cat({tensor.ones(1, 2), tensor.zeros(1, 2)}, 1)
 1  1
 0  0
[torch.DoubleTensor of size 2x2]

reshape
> tensor.reshape(tensor.range(1, 4), 2, 2)
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

clone
> t = tensor.Tensor{1, 2}
> u = t:clone():zero()
> t
 1
 2
[torch.DoubleTensor of size 2]

copy
> tensor.Tensor(2):copy(tensor.IntTensor{1, 2})
 1
 2
[torch.DoubleTensor of size 2]

type
> tensor.Tensor{1}:type()
torch.DoubleTensor
> tensor.Tensor{1.5}:type('torch.IntTensor')
 1
[torch.IntTensor of size 1]
> tensor.type('a')
string

typeAs
> tensor.Tensor{1.5}:typeAs(tensor.IntTensor())
 1
[torch.IntTensor of size 1]

byte
> tensor.Tensor{1.5}:byte()
 1
[torch.ByteTensor of size 1]

char
> tensor.Tensor{1.5}:char()
 1
[torch.CharTensor of size 1]

short
> tensor.Tensor{1.5}:short()
 1
[torch.ShortTensor of size 1]

int
> tensor.Tensor{1.5}:int()
 1
[torch.IntTensor of size 1]

long
> tensor.Tensor{1.5}:long()
 1
[torch.LongTensor of size 1]

half
> tensor.Tensor{1 / 3}:half():double()[1]
0.333251953125

bfloat16
> tensor.Tensor{1 / 3}:bfloat16():double()[1]
0.333984375

float
> tensor.IntTensor{1}:float()
 1
[torch.FloatTensor of size 1]

double
> tensor.IntTensor{1}:double()
 1
[torch.DoubleTensor of size 1]

real
> tensor.IntTensor{1}:real()
 1
[torch.DoubleTensor of size 1]

totable
> tensor.Tensor{{1, 2}, {3, 4}}:totable()[2][1]
3

string
> tensor.CharStorage():string('hello'):string()
hello

apply
> tensor.range(1, 3):apply(function(x) return x * x end)
 1
 4
 9
[torch.DoubleTensor of size 3]

map
> tensor.Tensor{1, 2}:map(tensor.Tensor{10, 20}, function(x, y) return x + y end)
 11
 22
[torch.DoubleTensor of size 2]

map2
> f = function(x, y, z) return x + y * z end
> tensor.zeros(1):map2(tensor.Tensor{2}, tensor.Tensor{3}, f)
 6
[torch.DoubleTensor of size 1]
]=]
