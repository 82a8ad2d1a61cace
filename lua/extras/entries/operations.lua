-- Help texts for operations of the Lua module: a section of entries.lua.

return {'operations of the Lua module',
   {'full', [=[
tensor.full([result,] sizes..., value [, class])]=],
      'Returns a tensor of the given shape filled with `value`. The last argument may name the ' ..
      "class: 'torch.FloatTensor'. In C: `resize` and `fill`."},
   {'meshgrid', [=[
tensor.meshgrid(x, y, ... [, order])
tensor.meshgrid({x, y, ...} [, order])]=],
      'Returns for each vector a tensor with its coordinate at each grid point, as a view ' ..
      'without copying. Order "ij" (the default) has `x` along dimension 1, "xy" along ' ..
      'dimension 2. In C: `newExpand`.'},
   {'broadcastTensors', [=[
tensor.broadcastTensors(a, b, ...)
tensor.broadcastTensors({a, b, ...})]=],
      'Returns views of the tensors expanded to their common shape, by the rules of NumPy. ' ..
      'In C: `newExpand`.'},
   {'trilIndices', 'tensor.trilIndices(rows [, columns [, diagonal = 0]])',
      'Returns the row and the column numbers of the elements that `tril` keeps, as ' ..
      'LongTensors. In C: `tril` and `nonzero`.'},
   {'triuIndices', 'tensor.triuIndices(rows [, columns [, diagonal = 0]])',
      'Returns the row and the column numbers of the elements that `triu` keeps, as ' ..
      'LongTensors. In C: `triu` and `nonzero`.'},
   {'unravelIndex', 'tensor.unravelIndex(positions, shape)',
      'Converts positions in a tensor of a given shape, which count its elements in order from ' ..
      '1, to subscripts. Returns a LongTensor for each dimension: for the shape {2, 3}, ' ..
      'position 4 is row 2, column 1. In C: `remainder` and `floorDivide`.'},
   {'ravelMultiIndex', 'tensor.ravelMultiIndex({i, j, ...}, shape)',
      'Converts subscripts, a LongTensor or a number for each dimension, to positions, a ' ..
      'LongTensor. They count the elements in order from 1: `(i - 1) * shape[2] + j` for a ' ..
      'matrix. It is the inverse of `unravelIndex`. In C: `mul` and `add`.'},
   {'repeatTensor', [=[
tensor.repeatTensor([result,] t, times...)
t:repeatTensor(times...)
result:repeatTensor(t, times...)]=],
      'Returns a copy of `t` repeated along each dimension: an [a x b] matrix and (2, 3) give ' ..
      '[2a x 3b]. More numbers than dimensions add dimensions in front. It is `tile` with a ' ..
      'number for each dimension. In C: `repeat`.'},
   {'split', [=[
tensor.split([list,] t, size [, dimension = 1])
t:split([list,] size [, dimension = 1])
tensor.split([list,] t, {sizes...} [, dimension = 1])]=],
      'Returns a table of views of `size` indices each along a dimension. The last view may ' ..
      'be smaller. A dimension of size 0 gives one view. With a table, the views have these ' ..
      'sizes. In C: `narrow`.'},
   {'chunk', [=[
tensor.chunk([list,] t, n [, dimension = 1])
t:chunk([list,] n [, dimension = 1])]=],
      'Returns a table of at most `n` views of equal size along a dimension. The last view ' ..
      'may be smaller. A dimension of size 0 gives `n` views. In C: `narrow`.'},
   {'tensorSplit', [=[
tensor.tensorSplit(t, n [, dimension = 1])
t:tensorSplit({i, j, ...} [, dimension = 1])]=],
      'Returns a table of `n` views whose sizes differ by at most 1. With a table of indices, ' ..
      'the views begin at 1 and at each index: `t:tensorSplit{3, 5}` has `t[{{1, 2}}]`, ' ..
      '`t[{{3, 4}}]` and the rest. In C: `narrow`.'},
   {'hsplit', [=[
tensor.hsplit(t, n)
t:hsplit({i, j, ...})]=],
      'Splits along dimension 2, or a vector along dimension 1, like `tensorSplit`. `n` ' ..
      'parts have equal sizes. In C: `narrow`.'},
   {'vsplit', [=[
tensor.vsplit(t, n)
t:vsplit({i, j, ...})]=],
      'Splits along dimension 1, like `hsplit`. In C: `narrow`.'},
   {'dsplit', [=[
tensor.dsplit(t, n)
t:dsplit({i, j, ...})]=],
      'Splits along dimension 3, like `hsplit`. In C: `narrow`.'},
   {'unbind', [=[
tensor.unbind(t [, dimension = 1])
t:unbind([dimension = 1])]=],
      'Returns a table of the slices of a dimension, without that dimension. Slices of a ' ..
      'vector are numbers. In C: `select`.'},
   {'einsum', 'tensor.einsum(equation, tensors...)',
      'Computes sums of products in Einstein notation. In "ij,jk->ik" each letter names a ' ..
      'dimension; the function sums over letters that the result does not have. ' ..
      'In C: `transpose`, `newView`, `cmul`, `addmm`, `baddbmm` and `sum`.'},
   {'vecdot', 'tensor.vecdot(a, b [, dimension = -1])',
      'Returns the dot products of vectors along a dimension. The shapes broadcast. In C: ' ..
      '`cmul` and `sum`.'},
   {'tensordot', [=[
tensor.tensordot([result,] a, b [, n = 2])
tensor.tensordot([result,] a, b, {dimensions of a}, {dimensions of b})]=],
      'Computes the sum of products over the last `n` dimensions of `a` and the first `n` of ' ..
      '`b`, or over the listed dimensions. In C: `transpose`, `newView` and `addmm`.'},
}
