return [=[
tensorSplit
> #tensor.range(1, 7):tensorSplit(3)
3
> tensor.range(1, 7):tensorSplit({3, 5})[2]
 3
 4
[torch.DoubleTensor of size 2]

hsplit
> tensor.Tensor{{1, 2, 3, 4}}:hsplit(2)[2]
 3  4
[torch.DoubleTensor of size 1x2]

vsplit
> tensor.Tensor{{1, 2}, {3, 4}}:vsplit(2)[1]
 1  2
[torch.DoubleTensor of size 1x2]

dsplit
> #tensor.zeros(2, 2, 4):dsplit(2)
2

unbind
> tensor.Tensor{{1, 2}, {3, 4}}:unbind()[2]
 3
 4
[torch.DoubleTensor of size 2]

broadcastTensors
> tensor.broadcastTensors(tensor.Tensor{{1}, {2}}, tensor.Tensor{3, 4})
 1  1
 2  2
[torch.DoubleTensor of size 2x2]
 3  4
 3  4
[torch.DoubleTensor of size 2x2]

trilIndices
> tensor.trilIndices(2)
 1
 2
 2
[torch.LongTensor of size 3]
 1
 1
 2
[torch.LongTensor of size 3]

triuIndices
> tensor.triuIndices(2)
 1
 1
 2
[torch.LongTensor of size 3]
 1
 2
 2
[torch.LongTensor of size 3]

unravelIndex
> tensor.unravelIndex(tensor.LongTensor{1, 6}, {2, 3})
 1
 2
[torch.LongTensor of size 2]
 1
 3
[torch.LongTensor of size 2]

ravelMultiIndex
> tensor.ravelMultiIndex({tensor.LongTensor{1, 2}, tensor.LongTensor{1, 3}}, {2, 3})
 1
 6
[torch.LongTensor of size 2]

diagonal
> tensor.Tensor{{1, 2}, {3, 4}}:diagonal()
 1
 4
[torch.DoubleTensor of size 2]

atleast1d
> tensor.Tensor{1, 2}:atleast1d()
 1
 2
[torch.DoubleTensor of size 2]

atleast2d
> tensor.Tensor{1, 2}:atleast2d()
 1  2
[torch.DoubleTensor of size 1x2]

atleast3d
> tensor.Tensor{1, 2}:atleast3d():size()
[1 x 2 x 1]

dstack
> tensor.dstack{tensor.Tensor{1, 2}, tensor.Tensor{3, 4}}:size()
[1 x 2 x 2]

columnStack
> tensor.columnStack{tensor.Tensor{1, 2}, tensor.Tensor{3, 4}}
 1  3
 2  4
[torch.DoubleTensor of size 2x2]

blockDiag
> tensor.blockDiag{tensor.Tensor{{1, 2}}, tensor.Tensor{{3}, {4}}}
 1  2  0
 0  0  3
 0  0  4
[torch.DoubleTensor of size 3x3]

diagEmbed
> tensor.diagEmbed(tensor.Tensor{1, 2})
 1  0
 0  2
[torch.DoubleTensor of size 2x2]

repeatInterleave
> tensor.repeatInterleave(tensor.Tensor{1, 2}, 2)
 1
 1
 2
 2
[torch.DoubleTensor of size 4]
> tensor.repeatInterleave(tensor.Tensor{1, 2}, tensor.LongTensor{1, 3}, 1)
 1
 2
 2
 2
[torch.DoubleTensor of size 4]

packbits
> tensor.packbits(tensor.ByteTensor{0, 0, 0, 0, 0, 1, 0, 1})
 5
[torch.ByteTensor of size 1]

unpackbits
> tensor.unpackbits(tensor.ByteTensor{5})
 0
 0
 0
 0
 0
 1
 0
 1
[torch.ByteTensor of size 8]

nancumsum
> tensor.nancumsum(tensor.Tensor{1, 0 / 0, 2})
 1
 1
 3
[torch.DoubleTensor of size 3]

nancumprod
> tensor.nancumprod(tensor.Tensor{2, 0 / 0, 3})
 2
 2
 6
[torch.DoubleTensor of size 3]

cumulativeTrapezoid
> tensor.cumulativeTrapezoid(tensor.Tensor{1, 2, 4})
 1.5000
 4.5000
[torch.DoubleTensor of size 2]

cartesianProd
> tensor.cartesianProd{tensor.Tensor{1, 2}, tensor.Tensor{3, 4}}
 1  3
 1  4
 2  3
 2  4
[torch.DoubleTensor of size 4x2]

combinations
> tensor.combinations(tensor.Tensor{1, 2, 3}, 2)
 1  2
 1  3
 2  3
[torch.DoubleTensor of size 3x2]

indexReduce
> tensor.Tensor{1, 2, 3}:indexReduce(1, tensor.LongTensor{1, 1}, tensor.Tensor{5, 4}, 'amax')
 5
 2
 3
[torch.DoubleTensor of size 3]

scatterReduce
> tensor.Tensor{1, 2, 3}:scatterReduce(1, tensor.LongTensor{1, 1}, tensor.Tensor{5, 4}, 'sum')
 10
  2
  3
[torch.DoubleTensor of size 3]
]=]
