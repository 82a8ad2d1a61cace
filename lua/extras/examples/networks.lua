return [=[
layerNorm
> tensor.layerNorm(tensor.Tensor{{1, 3}, {5, 5}}, {2})
-1.0000  1.0000
 0.0000  0.0000
[torch.DoubleTensor of size 2x2]

rmsNorm
> tensor.rmsNorm(tensor.Tensor{{3, 4}, {1, 1}}, {2}, tensor.Tensor{1, 2})
 0.8485  2.2627
 1.0000  2.0000
[torch.DoubleTensor of size 2x2]

groupNorm
> tensor.groupNorm(tensor.Tensor{{1, 3, 10, 30}}, 2)
-1.0000  1.0000 -1.0000  1.0000
[torch.DoubleTensor of size 1x4]

batchNorm
> mean, variance = tensor.zeros(2), tensor.ones(2)
> tensor.batchNorm(tensor.Tensor{{1, 10}, {3, 30}}, mean, variance, nil, nil, true)
-1.0000 -1.0000
 1.0000  1.0000
[torch.DoubleTensor of size 2x2]
> mean
 0.2000
 2.0000
[torch.DoubleTensor of size 2]
> tensor.batchNorm(tensor.Tensor{{1, 10}, {3, 30}}, mean, variance)
 0.7628  1.7499
 2.6697  6.1247
[torch.DoubleTensor of size 2x2]

embedding
> tensor.embedding(tensor.Tensor{{1, 2}, {3, 4}, {5, 6}}, tensor.LongTensor{3, 1})
 5  6
 1  2
[torch.DoubleTensor of size 2x2]

dropout
> tensor.manualSeed(1)
> tensor.dropout(tensor.ones(8), 0.5)
 2
 0
 0
 0
 2
 2
 2
 0
[torch.DoubleTensor of size 8]

attention
> q, k = tensor.Tensor{{0, 0}, {20, 0}}, tensor.Tensor{{1, 0}, {-1, 0}}
> tensor.attention(q, k, tensor.Tensor{{1}, {3}})
 2.0000
 1.0000
[torch.DoubleTensor of size 2x1]
> tensor.attention(q, k, tensor.Tensor{{1}, {3}}, nil, true)
 1.0000
 1.0000
[torch.DoubleTensor of size 2x1]

lstmCell
> tensor.lstmCell(tensor.Tensor{{0, 0, 1, 2}}, tensor.Tensor{{2}})
 0.7761
[torch.DoubleTensor of size 1x1]
 1.3808
[torch.DoubleTensor of size 1x1]

lstm
> gates = tensor.Tensor{{{0, 0, 1, 2}}, {{1, 0, 0, 1}}}
> tensor.lstm(gates, tensor.Tensor{{1}, {0}, {0}, {0}}, tensor.zeros(1, 1), tensor.zeros(1, 1))
(1,.,.) =
  0.3201
(2,.,.) =
  0.1375
[torch.DoubleTensor of size 2x1x1]
(1,.,.) =
  0.3808
(2,.,.) =
  0.1904
[torch.DoubleTensor of size 2x1x1]

crossEntropy
> logits = tensor.Tensor{{2, 0, 0}, {0, 0, 3}}
> tensor.crossEntropy(logits, tensor.LongTensor{1, 2})
1.6672338613214
> tensor.crossEntropy(logits, tensor.LongTensor{1, 2}, 'none')
 0.2395
 3.0949
[torch.DoubleTensor of size 2]

nll
> logs = tensor.logSoftmax(tensor.Tensor{{2, 0, 0}, {0, 0, 3}})
> tensor.nll(logs, tensor.LongTensor{1, 2}, 'sum')
3.3344677226428

mse
> tensor.mse(tensor.Tensor{1, 2}, tensor.Tensor{1, 4})
2
> tensor.mse(tensor.Tensor{1, 2}, tensor.Tensor{1, 4}, 'none')
 0
 4
[torch.DoubleTensor of size 2]

huber
> tensor.huber(tensor.Tensor{1, 2}, tensor.Tensor{1.5, 4})
0.8125

binaryCrossEntropy
> tensor.binaryCrossEntropy(tensor.Tensor{0, 2}, tensor.Tensor{1, 1})
0.41003759580146
]=]
