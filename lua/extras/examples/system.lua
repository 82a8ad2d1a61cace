return [=[
setBroadcast
> tensor.setBroadcast('torch7')
numpy
> (tensor.Tensor{1, 2} - tensor.Tensor{{1}, {2}}):size()
[2]
> tensor.setBroadcast('numpy')
torch7
> (tensor.Tensor{1, 2} - tensor.Tensor{{1}, {2}}):size()
[2 x 2]

getBroadcast
> tensor.getBroadcast()
numpy

rules
> tensor.rules()[1].name, tensor.rules()[1].mode
arguments  tensor

setRule
> tensor.setRule('sums', 'torch7')
tensor
> tensor.ByteTensor{200, 100}:sum(1)
 44
[torch.ByteTensor of size 1]
> tensor.setRule('sums', 'tensor')
torch7

getRule
> tensor.getRule 'sums'
tensor

setRules
> tensor.setRules 'torch7'
> tensor.IntTensor{3} / 2
 1
[torch.IntTensor of size 1]
> tensor.setRules 'tensor'
> tensor.IntTensor{3} / 2
 1.5000
[torch.DoubleTensor of size 1]

setStrict
> tensor.setStrict(true)
> (pcall(tensor.add, tensor.ones(2), tensor.ones(2, 1)))
false
> tensor.setStrict(false)

to
> t = tensor.ones(2)
> t:to('cpu') == t
true

device
> tensor.ones(2):to('cpu'):device()
cpu

prefetch
> tensor.ones(2):to('cpu'):prefetch('cpu'):sum()
2

head
> tensor.FloatStorage{1, 2}:head()
cpu

devices
> tensor.type(tensor.devices())
table

setDefaultDevice
> tensor.setDefaultDevice('cpu')

getDefaultDevice
> tensor.getDefaultDevice()
cpu

withDevice
> tensor.withDevice('cpu', function(n) return tensor.ones(n):device() end, 2)
cpu

synchronize
> tensor.synchronize()

stream
> tensor.stream 'cpu'

emptyCache
> tensor.emptyCache()

memory
> tensor.type(tensor.memory())
table

stats
> tensor.type(tensor.stats())
table

resetStats
> tensor.resetStats()

profile
> rows = tensor.profile(function() return tensor.ones(2):add(1) end)
...
> rows[1].calls
1

scope
> total = tensor.scope(function() return (tensor.ones(3) * 2):sum() end)
> total
6

keep
> cache = {}
> tensor.scope(function() cache.x = tensor.keep(tensor.ones(3)) end)
> cache.x:sum()
3

compile
> f = tensor.compile(function(a, b) return tensor.cmul(a, b) + tensor.exp(-b) end)
> a, b = tensor.ones(2), tensor.zeros(2)
> for call = 1, 3 do f(a, b) end
> f:explain()
(Double[2], Double[2]): 4 operations in 1 expression, done 1 times

isCompiling
> tensor.isCompiling()
false

warnOfFallbacks
> tensor.warnOfFallbacks(false)

setDeviceDebug
> tensor.setDeviceDebug(false)

setTF32
> tensor.setTF32(false)

getTF32
> tensor.getTF32()
false

retain
> t = tensor.ones(2)
> t:retain()
> t:free()
> t:sum()
2

free
> t = tensor.ones(2)
> t:retain()
> t:free()
> t:sum()
2

data
> tensor.Tensor{1.5, 2}:data()[1]
2

cdata
> tensor.ones(2, 3):cdata().nDimension
2

toDLPack
> owner = tensor.ones(2, 3):toDLPack()
> owner.managed.dl_tensor.shape[1] == 3
true

fromDLPack
> t = tensor.zeros(3)
> tensor.fromDLPack(t:toDLPack()):fill(7)
 7
 7
 7
[torch.DoubleTensor of size 3]
> t:sum()
21

setnumthreads
> n = tensor.getnumthreads()
> tensor.setnumthreads(1)
> tensor.getnumthreads()
1
> tensor.setnumthreads(n)

getnumthreads
> tensor.getnumthreads() >= 1
true

getnumcores
> tensor.getnumcores() >= 1
true

updatethreadlocals
> tensor.updatethreadlocals()

updateerrorhandlers
> coroutine.wrap(function() tensor.updateerrorhandlers() return 'ready' end)()
ready

tic
> start = tensor.tic()
> tensor.toc(start) >= 0
true

toc
> tensor.toc(tensor.tic()) < 60
true

setprintoptions
> options = tensor.setprintoptions{precision = 2}
> tensor.Tensor{1 / 3}
 0.33
[torch.DoubleTensor of size 1]
> options = tensor.setprintoptions{precision = 4}

summary
> tensor.summary(tensor.Tensor{{1, 2, 2}, {0, 4, 0 / 0}})
torch.DoubleTensor of size 2x3 on cpu
6 elements of 8 B: 48 B; contiguous, in a storage of 48 B
NaN: 1, infinite: 0, zero: 1
from 0 to 4, mean 1.8, standard deviation 1.48324
           0 .. 0.4                   1 ####################
         0.4 .. 0.8                   0
         0.8 .. 1.2                   1 ####################
         1.2 .. 1.6                   0
         1.6 .. 2                     0
           2 .. 2.4                   2 ########################################
         2.4 .. 2.8                   0
         2.8 .. 3.2                   0
         3.2 .. 3.6                   0
         3.6 .. 4                     1 ####################

pretty
> print(tensor.pretty{rate = 0.1, sizes = {64, 10}})
{rate = 0.1, sizes = {64, 10}}

hint
> print(tensor.hint(select(2, pcall(function() return tensor.ones(2) > 0 end))))
tensors are compared by methods: t:gt(5), t:ge(5), t:lt(5), t:le(5), t:eq(5), t:ne(5)

describe
> tensor.describe{height = tensor.Tensor{1.6, 1.8, 0 / 0}, city = {'Rome', 'Oslo', 'Rome'}}
column  type    count  missing        mean      std  min   25%  50%   75%  max
city    text        3        0  2 distinct  Rome: 2
height  Double      2        1         1.7  0.14142  1.6  1.65  1.7  1.75  1.8

factorize
> codes, colors = tensor.factorize{'red', 'blue', 'red'}
> codes
 1
 2
 1
[torch.LongTensor of size 3]
> colors[2]
blue

plot
> figure = tensor.plot.line({1, 4, 9, 16}, {title = 'squares'})
> figure:scatter({1, 2, 3}, {2, 3, 5}, {name = 'primes'}):svg():sub(1, 4)
<svg
> figure:pixels():size(2)
800

image
> picture = tensor.range(1, 8):view(2, 4)
> tensor.image.scale(picture, 2, 1)
 3.5000  5.5000
[torch.DoubleTensor of size 1x2]
> tensor.image.hflip(picture)
 4  3  2  1
 8  7  6  5
[torch.DoubleTensor of size 2x4]
> tensor.image.crop(picture, 'tr', 2, 1)
 3  4
[torch.DoubleTensor of size 1x2]

Timer
> timer = tensor.Timer()
> timer:time().real >= 0
true

setheaptracking
> tensor.setheaptracking(true)

isatty
> file = io.tmpfile()
> tensor.isatty(file)
false

info
> tensor.type(tensor.info().version)
string

help
> tensor.help('isTensor')
tensor.isTensor(value)
   Returns true if the value is a tensor.
   > tensor.isTensor(tensor.ones(2)), tensor.isTensor(2)
   true  false

CmdLine
> cmd = tensor.CmdLine()
> cmd:option('-rate', 0.1, 'the learning rate')
> cmd:parse({'-rate', '0.5'}).rate
0.5

Tester
> tester = tensor.Tester()
> tester:add(function() tester:eq(1 + 1, 2) end, 'sum')
torch.Tester
> tester:run()
...

TestSuite
> suite = tensor.TestSuite()
> function suite.sum() end
> (pcall(function() function suite.sum() end end))
false

test
> tensor.test('arithmetic')
...

include
> (pcall(tensor.include, 'nosuch', 'file.lua'))
false

packageLuaPath
> tensor.packageLuaPath('nosuch')

Allocator
> tensor.type(tensor.Allocator)
table

FloatBlob
> blob = tensor.FloatBlob(2, 3)
> blob:data():size()
[2 x 3]
> blob:count()
6

blobFromProto
> bytes = tensor.FloatBlob(2, 3):toProto()
> tensor.blobFromProto(bytes):count()
6

blobsFromProto
> bytes = tensor.blobsToProto{tensor.FloatBlob(2), tensor.FloatBlob(3)}
> tensor.blobsFromProto(bytes)[2]:count()
3

blobsToProto
> type(tensor.blobsToProto{tensor.FloatBlob(2)})
string

write
> f = tensor.MemoryFile()
> tensor.ones(2):write(f)
> f:seek(1):readInt()
1

read
> f = tensor.MemoryFile()
> tensor.ones(2, 3):write(f)
> f:seek(1)
torch.MemoryFile [status: open -- mode: rw]
> tensor.Tensor():read(f):size(2)
3

class
> shapes = {}
> Square = tensor.class('shapes.Square', shapes)
> function Square:__init(side) self.side = side end
> function Square:area() return self.side ^ 2 end
> shapes.Square(4):area()
16

typename
> tensor.typename(tensor.ones(2))
torch.DoubleTensor
> tensor.typename({})

isTensor
> tensor.isTensor(tensor.ones(2)), tensor.isTensor(2)
true  false

isStorage
> tensor.isStorage(tensor.LongStorage()), tensor.isStorage({})
true  false

isTypeOf
> tensor.isTypeOf(tensor.ones(2), 'torch.DoubleTensor')
true
> tensor.isTypeOf(tensor.ones(2), 'torch.*Tensor')
true

isequal
> t = tensor.ones(2)
> tensor.isequal(t, t), tensor.isequal(t, t:clone())
true  false

pointer
> t = tensor.ones(2)
> tensor.pointer(t) == tensor.pointer(t)
true

getmetatable
> tensor.getmetatable('torch.IntTensor').__typename
torch.IntTensor

setmetatable
> Point = tensor.newmetatable('Point')
> tensor.typename(tensor.setmetatable({}, 'Point'))
Point

getenv
> f = setfenv(function() end, {answer = 42})
> tensor.getenv(f).answer
42

setenv
> f = function() return answer end
> tensor.setenv(f, {answer = 42})
> f()
42

newmetatable
> Circle = tensor.newmetatable('Circle')
> Circle.__typename
Circle

getconstructortable
> tensor.getconstructortable('torch.IntTensor')(2):size()
[2]

factory
> tensor.typename(tensor.factory('torch.IntTensor')())
torch.IntTensor

pushudata
> t = tensor.ones(2)
> t:retain()
> u = tensor.pushudata(tensor.pointer(t), 'torch.DoubleTensor')
> u:sum()
2

metatype
> Pair = tensor.metatype('Pair', {})
> tensor.typename(setmetatable({}, Pair))
Pair

version
> Old = tensor.newmetatable('Old')
> Old.__version = 2
> tensor.version(tensor.setmetatable({}, 'Old'))
2
]=]
