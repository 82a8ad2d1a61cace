"""Cases of gradients.py: linear algebra, Fourier transforms, complex numbers."""

import torch
import torch.nn.functional as F

from gradient_line import case, definite, matrices, positive, real

L = torch.linalg

# ---- linear algebra. Where an operation reads one triangle, the function is symmetric.

def halves(t):
    return (t + t.mT) / 2


M, D, RIGHT = matrices(3, 3), definite(3, 3), real(3, 2, number=1)
MANY = matrices(2, 3, 3)
case("getri", "tensor.inverse(a)", L.inv, M)
case("det", "tensor.det(a)", L.det, M)
case("det", "tensor.det(a)", L.det, MANY)
case("logdet", "tensor.logdet(a)", torch.logdet, D)
case("logdet", "tensor.logdet(a)", torch.logdet, torch.stack([D, D @ D]))
case("slogdet", "(select(2, tensor.slogdet(a)))", lambda t: L.slogdet(t)[1], M)
case("slogdet", "(select(2, tensor.slogdet(a)))", lambda t: L.slogdet(t)[1], MANY)
case("solve", "tensor.solve(a, b)", L.solve, M, RIGHT)
case("solve", "tensor.solve(a, b)", L.solve, MANY, real(2, 3, 2, number=1))
case("gesv", "(tensor.gesv(b, a))", L.solve, M, RIGHT)
case("trtrs", "(tensor.trtrs(b, a, 'U'))", lambda a, b: L.solve_triangular(a.triu(), b, upper=True),
     M, RIGHT)
case("gels", "(tensor.gels(b, a))", lambda a, b: L.lstsq(a, b)[0], real(4, 2), real(4, 2, number=3))
case("lstsq", "(tensor.lstsq(a, b))", lambda a, b: L.lstsq(a, b)[0], real(4, 2),
     real(4, 2, number=3))
case("pinverse", "tensor.pinverse(a)", L.pinv, real(4, 3))
case("pinverse", "tensor.pinverse(a)", L.pinv, real(2, 3, 4))
SYMMETRIC = "(a + a:transpose(1, 2)) / 2"
case("potrf", "tensor.potrf(%s, 'U')" % SYMMETRIC, lambda t: L.cholesky(halves(t)).mT, D)
case("cholesky", "tensor.cholesky(%s)" % SYMMETRIC, lambda t: L.cholesky(halves(t)), D)
case("cholesky", "tensor.cholesky((a + a:transpose(2, 3)) / 2)", lambda t: L.cholesky(halves(t)),
     torch.stack([D, D @ D]))
case("potri", "tensor.potri(tensor.potrf(%s, 'L'), 'L')" % SYMMETRIC, lambda t: L.inv(halves(t)), D)
case("potrs", "tensor.potrs(b, tensor.potrf(%s, 'L'), 'L')" % SYMMETRIC,
     lambda a, b: L.solve(halves(a), b), D, RIGHT)
ORDER = [1, 2, 0]
PIVOTED = (definite(3, 3) + torch.diag(torch.tensor([0.0, 60, 30])))
case("pstrf", "(tensor.pstrf(%s, 'L'))" % SYMMETRIC,
     lambda t: L.cholesky(halves(t)[ORDER][:, ORDER]), PIVOTED)
case("syev", "(tensor.symeig(%s, 'V', 'U'))" % SYMMETRIC, lambda t: L.eigvalsh(halves(t)), D)
case("syev", "(function() local e, v = tensor.symeig(%s, 'V', 'U') return tensor.cmul(v, v) end)()"
     % SYMMETRIC, lambda t: L.eigh(halves(t))[1] ** 2, D)
case("eigh", "(tensor.eigh(%s))" % SYMMETRIC, lambda t: L.eigvalsh(halves(t)), D)
case("eigvalsh", "tensor.eigvalsh(%s)" % SYMMETRIC, lambda t: L.eigvalsh(halves(t)), D)
case("eigh", "(function() local e, v = tensor.eigh((a + a:transpose(2, 3)) / 2) "
     "return tensor.cmul(v, v) end)()", lambda t: L.eigh(halves(t))[1] ** 2,
     torch.stack([D, D @ D]))
case("geev", "(tensor.eig(a, 'V')):select(2, 1):sort()", lambda t: L.eigvals(t).real.sort()[0], D)
case("gesvd", "(function() local u, s, v = tensor.svd(a) return tensor.cmul(u, u) * 2 + "
     "tensor.cmul(v, v):narrow(1, 1, 1):expandAs(u) + s:view(1, 3):expandAs(u) end)()",
     lambda t: (lambda u, s, v: u * u * 2 + (v * v)[:, 0] + s)(*L.svd(t, full_matrices=False)),
     real(4, 3))
case("svdvals", "tensor.svdvals(a)", L.svdvals, real(2, 3, 4))
case("qr", "(tensor.mm(tensor.qr(a)))", lambda t: (lambda q, r: q @ r)(*L.qr(t)), real(4, 3))
case("qr", "(function() local q, r = tensor.qr(a) return tensor.cmul(q, q) end)()",
     lambda t: L.qr(t)[0] ** 2, real(4, 3))
case("qr", "(function() local q, r = tensor.qr(a) return tensor.cmul(r, r) end)()",
     lambda t: L.qr(t)[1] ** 2, real(2, 4, 3))
case("ormqr", "(function() local m, tau = tensor.geqrf(T{ { 1, 2 }, { 3, 1 }, { 0, 2 } }) "
     "return tensor.ormqr(m, tau, a) end)()", lambda t: L.qr(
         torch.tensor([[1.0, 2], [3, 1], [0, 2]]).double(), "complete")[0] @ t, real(3, 2))
case("qrComplete", "(function() local q, r = tensor.qr(a, true) return tensor.cat(q, r, 2) end)()",
     lambda t: torch.cat(L.qr(t, "complete"), 1), real(3, 4))
case("orgqr", "tensor.orgqr(a, b)", L.householder_product, real(4, 3), positive(3, number=1))
case("ormqr", "tensor.ormqr(a, b, c, 'R', 'T')",
     lambda a, b, c: torch.ormqr(a, b, c, left=False, transpose=True), real(4, 3),
     positive(3, number=1), real(2, 4, number=2))
case("btrifact btrisolve", "(function() local lu, pivots = tensor.btrifact(a) "
     "return tensor.btrisolve(b, lu, pivots) end)()", lambda a, b: L.solve(a, b), MANY,
     real(2, 3, 1, number=1))
case("lu", "(function() local p, l, u = tensor.lu(a) return tensor.cat(l, u, 1) end)()",
     lambda t: torch.cat(L.lu(t)[1:], 0), M)
case("lu", "(function() local p, l, u = tensor.lu(a) return tensor.cat(l, u, 1) end)()",
     lambda t: torch.cat(L.lu(t)[1:], 0), real(5, 3))
case("lu", "(function() local p, l, u = tensor.lu(a) return tensor.cat(l, u, 3) end)()",
     lambda t: torch.cat(L.lu(t)[1:], 2), real(2, 3, 5))
case("matrixPower", "tensor.matrixPower(a, 3)", lambda t: L.matrix_power(t, 3), M)
case("matrixPower", "tensor.matrixPower(a, -2)", lambda t: L.matrix_power(t, -2), M)
case("matrixExp", "tensor.matrixExp(a)", torch.matrix_exp, real(3, 3))
case("matrixNorm", "tensor.matrixNorm(a)", L.matrix_norm, real(3, 4))
for p in ("1", "-1", "2", "-2", "math.huge", "-math.huge"):
    order = float(p.replace("math.huge", "inf"))
    case("matrixNormOrder", "tensor.matrixNorm(a, %s)" % p, lambda t: L.matrix_norm(t, order),
         real(2, 3, 4))
    # PyTorch's own `cond` has no gradient for these norms.
    case("condOrder", "tensor.cond(a, %s)" % p,
         lambda t: L.matrix_norm(t, order) * L.matrix_norm(L.inv(t), order), M)
case("nuclearNorm", "tensor.nuclearNorm(a)", lambda t: L.matrix_norm(t, "nuc"), real(3, 4))
case("cond", "tensor.cond(a)", L.cond, M)

# ---- Fourier transforms and complex numbers


def complexes(function):
    """The function of complex numbers as one of pairs."""
    def pairs(*inputs):
        result = function(*[torch.view_as_complex(t.contiguous()) for t in inputs])
        return torch.view_as_real(result.resolve_conj()) if result.is_complex() else result
    return pairs


def from_real(function):
    return lambda t: torch.view_as_real(function(t))


Z, W = real(3, 4, 2), real(3, 4, 2, number=1)
for norm in ("backward", "ortho", "forward"):
    for name in ("fft", "ifft"):
        case(name, "tensor.%s(a, 5, 2, '%s')" % (name, norm),
             complexes(lambda t: getattr(torch.fft, name)(t, 5, 1, norm)), Z)
    case("rfft", "tensor.rfft(a, 5, 2, '%s')" % norm,
         from_real(lambda t: torch.fft.rfft(t, 5, 1, norm)), real(3, 4))
    case("irfft", "tensor.irfft(a, 5, 2, '%s')" % norm,
         complexes(lambda t: torch.fft.irfft(t, 5, 1, norm)), Z)
    case("hfft", "tensor.hfft(a, 5, 2, '%s')" % norm,
         complexes(lambda t: torch.fft.hfft(t, 5, 1, norm)), Z)
    case("ihfft", "tensor.ihfft(a, 5, 2, '%s')" % norm,
         from_real(lambda t: torch.fft.ihfft(t, 5, 1, norm).resolve_conj()), real(3, 4))
for name, wrap, x in [("fft", complexes, Z), ("ifft", complexes, Z), ("rfft", from_real, real(3, 4)),
                      ("irfft", complexes, Z)]:
    function = getattr(torch.fft, name + "n")
    case(name + "2", "tensor.%s2(a)" % name, wrap(getattr(torch.fft, name + "2")), x)
    case(name + "n", "tensor.%sn(a)" % name, wrap(function), x)
    case(name + "nDims", "tensor.%sn(a, { 1 })" % name, wrap(lambda t: function(t, dim=(0,))), x)
    case(name + "nSizes", "tensor.%sn(a, { 2, 5 }, { 1, 2 })" % name,
         wrap(lambda t: function(t, (2, 5), (0, 1))), x)
WINDOW = torch.hann_window(4, dtype=torch.float64)
case("stft", "tensor.stft(a, tensor.hannWindow(4):double(), 2)", from_real(lambda t: torch.stft(
    t, 4, 2, 4, WINDOW, return_complex=True)), real(10))
case("istft", "tensor.istft(a, tensor.hannWindow(4):double(), 2)",
     complexes(lambda t: torch.istft(t, 4, 2, 4, WINDOW)), real(3, 6, 2))
case("fftConvolve", "tensor.fftConvolve(a, b)", lambda x, y: F.conv1d(
    x[None, None], y.flip(0)[None, None], padding=2)[0, 0], real(5), real(3, number=1))
case("complexOf", "tensor.complex(a, b)", lambda x, y: torch.view_as_real(torch.complex(x, y)),
     real(2, 3), real(2, 3, number=1))
case("polar", "tensor.polar(a, b)", lambda x, y: torch.view_as_real(torch.polar(x, y)),
     positive(2, 3), real(2, 3, number=1))
case("complexAbs", "tensor.complexAbs(a)", complexes(torch.abs), Z)
case("complexAngle", "tensor.complexAngle(a)", complexes(torch.angle), Z)
case("complexConj", "tensor.complexConj(a)", complexes(torch.conj), Z)
case("complexMul", "tensor.complexMul(a, b)", complexes(torch.mul), Z, W)
case("complexDiv", "tensor.complexDiv(a, b)", complexes(torch.div), Z, W)
