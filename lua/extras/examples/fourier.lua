return [=[
fft
> tensor.fft(tensor.Tensor{{1, 0}, {2, 0}, {3, 0}, {4, 0}})
 10   0
 -2   2
 -2   0
 -2  -2
[torch.DoubleTensor of size 4x2]

ifft
> tensor.ifft(tensor.Tensor{{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}})
 1  0
 2  0
 3  0
 4  0
[torch.DoubleTensor of size 4x2]

rfft
> tensor.rfft(tensor.Tensor{1, 2, 3, 4})
 10.0000   0.0000
 -2.0000   2.0000
 -2.0000   0.0000
[torch.DoubleTensor of size 3x2]
> tensor.rfft(tensor.Tensor{1, 2, 3, 4}, 2, 1, 'ortho')
 2.1213  0.0000
-0.7071  0.0000
[torch.DoubleTensor of size 2x2]

irfft
> tensor.irfft(tensor.Tensor{{10, 0}, {-2, 2}, {-2, 0}})
 1
 2
 3
 4
[torch.DoubleTensor of size 4]
> tensor.irfft(tensor.Tensor{{6, 0}, {-1.5, 0}}, 3)
 1.0000
 2.5000
 2.5000
[torch.DoubleTensor of size 3]

hfft
> tensor.hfft(tensor.Tensor{{1, 0}, {2, 0}, {3, 0}})
 8
-2
 0
-2
[torch.DoubleTensor of size 4]

ihfft
> tensor.ihfft(tensor.Tensor{15, -4, 0, -1, 0, -4})
 1.0000 -0.0000
 2.0000 -0.0000
 3.0000 -0.0000
 4.0000  0.0000
[torch.DoubleTensor of size 4x2]

fft2
> tensor.fft2(tensor.ones(2, 3, 2)):select(3, 1)
 6  0  0
 0  0  0
[torch.DoubleTensor of size 2x3]

ifft2
> tensor.ifft2(tensor.ones(2, 3, 2)):select(3, 1)
 1  0  0
 0  0  0
[torch.DoubleTensor of size 2x3]

rfft2
> tensor.rfft2(tensor.Tensor{{1, 2}, {3, 4}}):select(3, 1)
 10  -2
 -4   0
[torch.DoubleTensor of size 2x2]

irfft2
> tensor.irfft2(tensor.rfft2(tensor.Tensor{{1, 2}, {3, 4}}))
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

fftn
> tensor.fftn(tensor.ones(2, 3, 2), {1}):select(3, 1)
 2  2  2
 0  0  0
[torch.DoubleTensor of size 2x3]

ifftn
> tensor.ifftn(tensor.ones(2, 3, 2), {1}):select(3, 1)
 1  1  1
 0  0  0
[torch.DoubleTensor of size 2x3]

rfftn
> tensor.rfftn(tensor.Tensor{{1, 2}, {3, 4}}, {2, 4}, {1, 2}):size()
[2 x 3 x 2]

irfftn
> tensor.irfftn(tensor.rfftn(tensor.Tensor{{1, 2}, {3, 4}}))
 1  2
 3  4
[torch.DoubleTensor of size 2x2]

fftfreq
> tensor.fftfreq(5)
 0.0000
 0.2000
 0.4000
-0.4000
-0.2000
[torch.DoubleTensor of size 5]

rfftfreq
> tensor.rfftfreq(8, 0.5)
 0.0000
 0.2500
 0.5000
 0.7500
 1.0000
[torch.DoubleTensor of size 5]

fftshift
> tensor.fftshift(tensor.fftfreq(4))
-0.5000
-0.2500
 0.0000
 0.2500
[torch.DoubleTensor of size 4]
> tensor.fftshift(tensor.Tensor{{1, 2}, {3, 4}}, {1})
 3  4
 1  2
[torch.DoubleTensor of size 2x2]

ifftshift
> tensor.ifftshift(tensor.Tensor{-2, -1, 0, 1})
 0
 1
-2
-1
[torch.DoubleTensor of size 4]

stft
> tensor.stft(tensor.ones(8), tensor.hannWindow(4), 2):select(3, 1)
 2  2  2  2  2
-1 -1 -1 -1 -1
 0  0  0  0  0
[torch.DoubleTensor of size 3x5]

istft
> window = tensor.hannWindow(4)
> tensor.istft(tensor.stft(tensor.range(1, 8), window, 2), window, 2)
 1
 2
 3
 4
 5
 6
 7
 8
[torch.DoubleTensor of size 8]

fftConvolve
> tensor.fftConvolve(tensor.Tensor{1, 2, 3}, tensor.Tensor{1, 1}):round()
 1
 3
 5
 3
[torch.DoubleTensor of size 4]
> tensor.fftConvolve(tensor.Tensor{1, 2, 3}, tensor.Tensor{1, 1}, 'valid'):round()
 3
 5
[torch.DoubleTensor of size 2]

hannWindow
> tensor.hannWindow(4)
 0.0000
 0.5000
 1.0000
 0.5000
[torch.DoubleTensor of size 4]

hammingWindow
> tensor.hammingWindow(3, false)
 0.0800
 1.0000
 0.0800
[torch.DoubleTensor of size 3]

blackmanWindow
> tensor.blackmanWindow(4)
-1.3878e-17
 3.4000e-01
 1.0000e+00
 3.4000e-01
[torch.DoubleTensor of size 4]

bartlettWindow
> tensor.bartlettWindow(5, false)
 0.0000
 0.5000
 1.0000
 0.5000
 0.0000
[torch.DoubleTensor of size 5]

kaiserWindow
> tensor.kaiserWindow(5, 8, false)
 0.0023
 0.3690
 1.0000
 0.3690
 0.0023
[torch.DoubleTensor of size 5]

complex
> tensor.complex(tensor.Tensor{1, 2}, tensor.Tensor{3, 4})
 1  3
 2  4
[torch.DoubleTensor of size 2x2]

polar
> tensor.polar(tensor.Tensor{2}, tensor.Tensor{0})
 2  0
[torch.DoubleTensor of size 1x2]

complexAbs
> tensor.complexAbs(tensor.Tensor{{3, 4}, {0, -2}})
 5
 2
[torch.DoubleTensor of size 2]

complexAngle
> tensor.complexAngle(tensor.Tensor{{1, 0}, {0, 2}})
 0.0000
 1.5708
[torch.DoubleTensor of size 2]

complexConj
> tensor.complexConj(tensor.Tensor{{3, 4}})
 3 -4
[torch.DoubleTensor of size 1x2]

complexMul
> tensor.complexMul(tensor.Tensor{{1, 2}}, tensor.Tensor{{3, 4}})
 -5  10
[torch.DoubleTensor of size 1x2]

complexDiv
> tensor.complexDiv(tensor.Tensor{{-5, 10}}, tensor.Tensor{{3, 4}})
 1  2
[torch.DoubleTensor of size 1x2]
]=]
