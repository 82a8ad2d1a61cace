return [=[
narrow
> tensor.range(1, 5):narrow(1, 2, 3)
 2
 3
 4
[torch.DoubleTensor of size 3]

select
> tensor.Tensor{{1, 2}, {3, 4}}:select(2, 1)
 1
 3
[torch.DoubleTensor of size 2]
> tensor.Tensor{5, 6}:select(1, -1)
6

transpose
> tensor.Tensor{{1, 2}, {3, 4}}:transpose(1, 2)
 1  3
 2  4
[torch.DoubleTensor of size 2x2]

matrixTranspose
> tensor.Tensor{{{1, 2}, {3, 4}}}:matrixTranspose()
(1,.,.) =
  1  3
  2  4
[torch.DoubleTensor of size 1x2x2]

t
> tensor.Tensor{{1, 2, 3}}:t()
 1
 2
 3
[torch.DoubleTensor of size 3x1]

unfold
> tensor.range(1, 5):unfold(1, 3, 2)
 1  2  3
 3  4  5
[torch.DoubleTensor of size 2x3]

squeeze
> tensor.ones(1, 2, 1):squeeze():size()
[2]
> tensor.ones(1, 2, 1):squeeze(1):size()
[2 x 1]

unsqueeze
> tensor.ones(2):unsqueeze(1):size()
[1 x 2]

expand
> tensor.Tensor{{1}, {2}}:expand(2, 3)
 1  1  1
 2  2  2
[torch.DoubleTensor of size 2x3]

expandAs
> tensor.Tensor{{1}, {2}}:expandAs(tensor.ones(2, 2))
 1  1
 2  2
[torch.DoubleTensor of size 2x2]

view
> tensor.range(1, 4):view(2, 2)
 1  2
 3  4
[torch.DoubleTensor of size 2x2]
> tensor.range(1, 6):view(-1, 2):size()
[3 x 2]

viewAs
> tensor.range(1, 4):viewAs(tensor.ones(2, 2))
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

permute
> tensor.ones(2, 3, 4):permute(3, 1, 2):size()
[4 x 2 x 3]

stack
> tensor.stack{tensor.Tensor{1, 2}, tensor.Tensor{3, 4}}
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

hstack
> tensor.hstack{tensor.ones(2, 1), tensor.zeros(2, 1)}
 1  0
 1  0
[torch.DoubleTensor of size 2x2]

vstack
> tensor.vstack{tensor.Tensor{1, 2}, tensor.Tensor{3, 4}}
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

flip
> tensor.flip(tensor.Tensor{1, 2, 3})
 3
 2
 1
[torch.DoubleTensor of size 3]

roll
> tensor.roll(tensor.Tensor{1, 2, 3}, 1)
 3
 1
 2
[torch.DoubleTensor of size 3]
> tensor.roll(tensor.Tensor{{1, 2}, {3, 4}}, {1, 1}, {1, 2})
 4  3
 2  1
[torch.DoubleTensor of size 2x2]

rot90
> tensor.rot90(tensor.Tensor{{1, 2}, {3, 4}})
 2  4
 1  3
[torch.DoubleTensor of size 2x2]

tile
> tensor.tile(tensor.Tensor{1, 2}, 2)
 1
 2
 1
 2
[torch.DoubleTensor of size 4]

repeat
> tensor['repeat'](tensor.Tensor{1, 2}, 2, 2)
 1  2  1  2
 1  2  1  2
[torch.DoubleTensor of size 2x4]

pad
> tensor.pad(tensor.Tensor{{1, 2}, {3, 4}}, {0, 1, 1, 1})
 0  1  2  0
 0  3  4  0
 0  0  0  0
[torch.DoubleTensor of size 3x4]
> tensor.pad(tensor.Tensor{1, 2, 3}, {2, 1}, 'reflect')
 3
 2
 1
 2
 3
 2
[torch.DoubleTensor of size 6]

diff
> tensor.diff(tensor.Tensor{1, 4, 9})
 3
 5
[torch.DoubleTensor of size 2]
> tensor.diff(tensor.Tensor{1, 4, 9}, 1, 1, tensor.Tensor{0})
 1
 3
 5
[torch.DoubleTensor of size 3]

flatten
> tensor.ones(2, 3, 4):flatten(2):size()
[2 x 12]

unflatten
> tensor.ones(2, 6):unflatten(2, 3, -1):size()
[2 x 3 x 2]

movedim
> tensor.ones(2, 3, 4):movedim(1, -1):size()
[3 x 4 x 2]
> tensor.ones(2, 3, 4):movedim({1, 2}, {2, 3}):size()
[4 x 2 x 3]

swapaxes
> tensor.ones(2, 3, 4):swapaxes(1, 3):size()
[4 x 3 x 2]

item
> tensor.item(tensor.Tensor{7})
7

dim
> tensor.ones(2, 3):dim()
2

nDimension
> tensor.ones(2, 3):nDimension()
2

size
> tensor.ones(2, 3):size()
[2 x 3]
> tensor.ones(2, 3):size(2)
3

stride
> tensor.ones(2, 3):stride()
[3 x 1]
> tensor.ones(2, 3):t():stride(1)
1

nElement
> tensor.ones(2, 3):nElement()
6

numel
> tensor.ones(2, 3):numel()
6

storage
> tensor.range(1, 3):narrow(1, 2, 1):storage()
 1
 2
 3
[torch.DoubleStorage of size 3]

storageOffset
> tensor.range(1, 3):narrow(1, 2, 1):storageOffset()
2

isContiguous
> tensor.ones(2, 3):t():isContiguous()
false

contiguous
> tensor.ones(2, 3):t():contiguous():stride(1)
2

isSize
> tensor.ones(2, 3):isSize(tensor.LongStorage{2, 3})
true

elementSize
> tensor.FloatTensor():elementSize()
4

resize
> tensor.range(1, 4):resize(2, 2)
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

resizeAs
> tensor.range(1, 4):resizeAs(tensor.IntTensor(2, 2))
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

set
> t = tensor.Tensor{1, 2}
> u = tensor.Tensor():set(t)
> u[1] = 9
> t[1]
9

sub
> tensor.range(1, 5):sub(2, -2)
 2
 3
 4
[torch.DoubleTensor of size 3]

split
> tensor.range(1, 5):split(2)[3]
 5
[torch.DoubleTensor of size 1]

chunk
> #tensor.range(1, 6):chunk(3)
3

repeatTensor
> tensor.Tensor{1, 2}:repeatTensor(2, 2)
 1  2  1  2
 1  2  1  2
[torch.DoubleTensor of size 2x4]

index
> tensor.Tensor{10, 20, 30}:index(1, tensor.LongTensor{3, -3})
 30
 10
[torch.DoubleTensor of size 2]

indexCopy
> tensor.zeros(3):indexCopy(1, tensor.LongTensor{3, 1}, tensor.Tensor{7, 8})
 8
 0
 7
[torch.DoubleTensor of size 3]

indexAdd
> tensor.zeros(2):indexAdd(1, tensor.LongTensor{1, 1}, tensor.Tensor{7, 8})
 15
  0
[torch.DoubleTensor of size 2]

indexFill
> tensor.zeros(3):indexFill(1, tensor.LongTensor{2, -1}, 5)
 0
 5
 5
[torch.DoubleTensor of size 3]

indexPut
> t, rows, columns = tensor.zeros(2, 2), tensor.LongTensor{1, 2}, tensor.LongTensor{2, 1}
> t:indexPut({rows, columns}, tensor.Tensor{7, 8})
 0  7
 8  0
[torch.DoubleTensor of size 2x2]
> t:indexPut({rows}, 1, true)
 1  8
 9  1
[torch.DoubleTensor of size 2x2]
> t:indexPut(t:gt(5), 0)
 1  0
 0  1
[torch.DoubleTensor of size 2x2]
> t:indexPut(t:eq(1), tensor.Tensor{2, 3}, true)
 3  0
 0  4
[torch.DoubleTensor of size 2x2]

gather
> tensor.Tensor{{1, 2}, {3, 4}}:gather(2, tensor.LongTensor{{2}, {1}})
 2
 3
[torch.DoubleTensor of size 2x1]

takeAlongDim
> tensor.Tensor{{1, 2}, {3, 4}}:takeAlongDim(tensor.LongTensor{{2, 1}}, 2)
 2  1
 4  3
[torch.DoubleTensor of size 2x2]
> tensor.Tensor{{1, 2}, {3, 4}}:takeAlongDim(tensor.LongTensor{4})
 4
[torch.DoubleTensor of size 1]

oneHot
> tensor.oneHot(tensor.LongTensor{2, 1}, 3)
 0  1  0
 1  0  0
[torch.LongTensor of size 2x3]

scatter
> tensor.zeros(2, 2):scatter(2, tensor.LongTensor{{2}, {1}}, tensor.Tensor{{7}, {8}})
 0  7
 8  0
[torch.DoubleTensor of size 2x2]

scatterAdd
> tensor.ones(2):scatterAdd(1, tensor.LongTensor{2, 2}, tensor.Tensor{7, 8})
  1
 16
[torch.DoubleTensor of size 2]

maskedFill
> tensor.range(1, 3):maskedFill(tensor.ByteTensor{1, 0, 1}, 9)
 9
 2
 9
[torch.DoubleTensor of size 3]

maskedCopy
> tensor.zeros(3):maskedCopy(tensor.ByteTensor{1, 0, 1}, tensor.Tensor{7, 8})
 7
 0
 8
[torch.DoubleTensor of size 3]

maskedScatter
> tensor.maskedScatter(tensor.zeros(3), tensor.ByteTensor{1, 0, 1}, tensor.Tensor{7, 8})
 7
 0
 8
[torch.DoubleTensor of size 3]

maskedSelect
> tensor.range(1, 3):maskedSelect(tensor.ByteTensor{1, 0, 1})
 1
 3
[torch.DoubleTensor of size 2]

nonzero
> tensor.nonzero(tensor.Tensor{{0, 5}, {6, 0}})
 1  2
 2  1
[torch.LongTensor of size 2x2]
]=]
