"""Cases of gradients.py: element-wise operations, reductions, order, views, indices, products."""

import math

import torch
import torch.nn.functional as F

from gradient_line import INF, NAN, case, index, positive, real, unit

L = torch.linalg

# ---- one operand

for name, domain, function in [
        ("abs", real, torch.abs), ("neg", real, torch.neg), ("square", real, torch.square),
        ("cinv", positive, torch.reciprocal), ("sqrt", positive, torch.sqrt),
        ("rsqrt", positive, torch.rsqrt), ("exp", real, torch.exp), ("expm1", real, torch.expm1),
        ("log", positive, torch.log), ("log1p", positive, torch.log1p),
        ("log2", positive, torch.log2), ("log10", positive, torch.log10), ("sin", real, torch.sin),
        ("cos", real, torch.cos), ("tan", unit, torch.tan), ("asin", unit, torch.asin),
        ("acos", unit, torch.acos), ("atan", real, torch.atan), ("sinh", real, torch.sinh),
        ("cosh", real, torch.cosh), ("tanh", real, torch.tanh), ("asinh", real, torch.asinh),
        ("acosh", lambda *s: 1 + positive(*s), torch.acosh), ("atanh", unit, torch.atanh),
        ("sinc", real, torch.sinc), ("sigmoid", real, torch.sigmoid), ("erf", real, torch.erf),
        ("erfc", real, torch.erfc), ("erfinv", unit, torch.erfinv),
        ("digamma", positive, torch.digamma), ("i0", real, torch.special.i0),
        ("i1", real, torch.special.i1), ("relu", real, F.relu), ("gelu", real, F.gelu),
        ("silu", real, F.silu), ("softplus", real, F.softplus), ("lgamma", positive, torch.lgamma),
        ("frac", real, torch.frac)]:
    case(name, "a:%s()" % name, function, domain(2, 3))
for name, function in [("add", torch.add), ("csub", torch.sub), ("mul", torch.mul),
                       ("div", torch.div), ("fmod", torch.fmod),
                       ("remainder", torch.remainder), ("pow", torch.pow),
                       ("cmax", lambda x, v: x.clamp(min=v)), ("cmin", lambda x, v: x.clamp(max=v)),
                       ("copysign", torch.copysign)]:
    row = {"csub": "sub", "cmax": "cmaxValue", "cmin": "cminValue", "copysign": "copysignValue"}
    case(row.get(name, name), "a:%s(0.7)" % name, lambda x: function(x, 0.7), positive(2, 3))
case("pow", "a:pow(3)", lambda x: x ** 3, real(2, 3))
case("tpow", "tensor.pow(1.7, a)", lambda x: 1.7 ** x, real(2, 3))
case("polygamma", "a:polygamma(2)", lambda x: torch.polygamma(2, x), positive(2, 3))
case("lshift", "a:lshift(2)", lambda x: x * 4, real(2, 3))
case("rshift", "a:rshift(2)", lambda x: x / 4, real(2, 3))
case("ldexpValue", "a:ldexp(3)", lambda x: x * 8, real(2, 3))
case("clamp", "a:clamp(-0.5, 0.5)", lambda x: x.clamp(-0.5, 0.5), real(3, 4))
case("clampMin", "a:clamp(-0.5)", lambda x: x.clamp(min=-0.5), real(3, 4))
case("clampMax", "a:clampMax(0.5)", lambda x: x.clamp(max=0.5), real(3, 4))
case("leakyRelu", "a:leakyRelu(0.2)", lambda x: F.leaky_relu(x, 0.2), real(3, 4))
case("elu", "a:elu(1.5)", lambda x: F.elu(x, 1.5), real(3, 4))
case("clampTensors", "tensor.clamp(a, b, c)", torch.clamp, real(2, 3), real(2, 3, number=1) - 1,
     real(2, 3, number=2) + 1)
case("frexp", "(tensor.frexp(a))", lambda x: torch.frexp(x)[0], real(2, 3))
case("cbrt", "a:cbrt()", lambda x: x.sign() * x.abs() ** (1 / 3), real(2, 3))
case("exp2", "a:exp2()", torch.exp2, real(2, 3))
case("deg2rad", "a:deg2rad()", torch.deg2rad, real(2, 3))
case("rad2deg", "a:rad2deg()", torch.rad2deg, real(2, 3))
case("logit", "tensor.logit(a:abs():mul(0.5))", lambda x: torch.logit(x.abs() * 0.5), real(2, 3))
case("heaviside", "tensor.heaviside(T{-1, 0, 2}, a)",
     lambda v: torch.where(torch.tensor([False, True, False]), v, torch.tensor([0., 0., 1.])),
     real(3))
case("nanToNum", "a:nanToNum()", torch.nan_to_num, [1.5, NAN, INF, -INF])


def lstm_cell(gates, state):
    i, f, x, o = gates.chunk(4, 1)
    c = f.sigmoid() * state + i.sigmoid() * x.tanh()
    return torch.cat([o.sigmoid() * c.tanh(), c], 1)


case("lstmCell", "tensor.cat({ tensor.lstmCell(a, b) }, 2)", lstm_cell, real(2, 12),
     real(2, 3, number=1))


def lstm(gates, weight, output, state):
    steps = []
    for step in gates:
        both = lstm_cell(step + output @ weight.T, state)
        output, state = both.chunk(2, 1)
        steps.append(both)
    return torch.stack(steps)


case("lstm", "tensor.cat({ tensor.lstm(a, b, c, d) }, 3)", lstm, real(3, 2, 8),
     real(8, 2, number=1), real(2, 2, number=2), real(2, 2, number=3))
CHARS = "tensor.CharTensor{{3, -5, 100}, {127, 0, -8}}"
WEIGHT = torch.tensor([[3, -5, 100], [127, 0, -8]], dtype=torch.float64)
case("dequantizeRows", "tensor.dequantizeRows(%s, a)" % CHARS, lambda s: WEIGHT * s[:, None],
     real(2))
case("quantizedLinear", "tensor.quantizedLinear(a, %s, tensor.FloatTensor{0.25, 0.5})" % CHARS,
     lambda x: x @ WEIGHT.T * torch.tensor([0.25, 0.5]), real(2, 3))
case("dropout", "tensor.dropout(a, 0)", lambda x: F.dropout(x, 0), real(2, 3))

# ---- two operands, which broadcast

for name, domain, function in [
        ("cmul", real, torch.mul), ("cdiv", positive, torch.div), ("cpow", positive, torch.pow),
        ("cfmod", positive, torch.fmod), ("cremainder", positive, torch.remainder),
        ("cmax", real, torch.maximum), ("cmin", real, torch.minimum), ("fmax", real, torch.fmax),
        ("fmin", real, torch.fmin), ("xlogy", positive, torch.xlogy), ("atan2", real, torch.atan2),
        ("hypot", real, torch.hypot), ("logaddexp", real, torch.logaddexp),
        ("add", real, torch.add), ("csub", real, torch.sub)]:
    row = "cadd" if name == "add" else name
    case(row, "tensor.%s(a, b)" % name, function, domain(2, 3), domain(3, number=1))
    case(row, "tensor.%s(a, b)" % name, function, domain(2, 1), domain(2, 3, number=1))
for name, function in [("clshift", lambda x: x * 4), ("crshift", lambda x: x / 4),
                       ("ldexp", lambda x: x * 4)]:
    case(name, "tensor.%s(a, T(2, 3):fill(2))" % name, function, real(2, 3))
case("copysign", "tensor.copysign(a, T{ 1, -1, 1 })",
     lambda x: torch.copysign(x, torch.tensor([1.0, -1, 1]).double()), real(2, 3))
case("nextafter", "tensor.nextafter(a, T(2, 3):fill(5))", lambda x: x + 0, real(2, 3))
for name, function in [("igamma", torch.igamma), ("igammac", torch.igammac)]:
    case(name, "tensor.%s(T{ 0.5, 1.5, 2 }, a)" % name,
         lambda x: function(torch.tensor([0.5, 1.5, 2]).double(), x), positive(2, 3))
MASK = torch.tensor([[1, 0, 1], [0, 0, 1]]).bool()
BYTES = "Byte{ { 1, 0, 1 }, { 0, 0, 1 } }"
case("where", "tensor.where(%s, a, b)" % BYTES, lambda x, y: torch.where(MASK, x, y), real(2, 3),
     real(3))
case("lerp", "tensor.lerp(a, b, 0.3)", lambda x, y: torch.lerp(x, y, 0.3), real(2, 3), real(3))
case("lerpTensor", "tensor.lerp(a, b, c)", torch.lerp, real(2, 3), real(3), positive(2, 3, number=2))
case("addcmul", "tensor.addcmul(a, 0.5, b, c)", lambda x, y, z: torch.addcmul(x, y, z, value=0.5),
     real(2, 3), real(3, number=1), real(2, 3, number=2))
case("addcdiv", "tensor.addcdiv(a, 0.5, b, c)", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5),
     real(2, 3), real(3, number=1), positive(2, 3, number=2))
case("fuse", "tensor.fuse('exp(a) * b', { a, b })", lambda x, y: torch.exp(x) * y,
     real(2, 3), real(3))

# ---- reductions

for name, function in [
        ("sum", torch.sum), ("prod", None), ("mean", torch.mean), ("min", torch.amin),
        ("max", torch.amax), ("var", torch.var), ("std", torch.std),
        ("nansum", torch.nansum), ("nanmean", torch.nanmean), ("logsumexp", torch.logsumexp),
        ("norm", lambda x, d, keepdim: L.vector_norm(x, 2, d, keepdim))]:
    number = ", 2" if name == "norm" else ""
    x = real(2, 3, 4).clone()
    if "nan" in name:
        x[0, 1, 2] = NAN
    if name == "prod":
        every, one, both = torch.prod, (lambda t: torch.prod(t, 1, True)), (
            lambda t: torch.prod(torch.prod(t, 2, True), 0, True))
    else:
        every = (lambda t: torch.logsumexp(t, (0, 1, 2))) if name == "logsumexp" else (
            lambda t: function(t, (0, 1, 2), keepdim=False))
        one = lambda t: function(t, 1, keepdim=True)
        both = lambda t: function(t, (0, 2), keepdim=True)
    case(name + "all", "a:%s()" % name, every, x)
    keep = ", true" if "nan" in name or name == "logsumexp" else ""
    case(name, "(tensor.%s(a%s, 2%s))" % (name, number, keep), one, x)
    case(name + "Dims", "tensor.%s(a%s, { 1, 3 }%s)" % (name, number, keep), both, x)
for name, function in [
        ("nanprod", lambda x, d: torch.where(x.isnan(), 1, x).prod(d)),
        ("nanmin", lambda x, d: torch.where(x.isnan(), INF, x).amin(d)),
        ("nanmax", lambda x, d: torch.where(x.isnan(), -INF, x).amax(d)),
        ("nanvar", lambda x, d: torch.stack([t[~t.isnan()].var() for t in x.movedim(d, -1).reshape(
            -1, x.shape[d])]).reshape(x.sum(d).shape)),
        ("nanstd", lambda x, d: torch.stack([t[~t.isnan()].std() for t in x.movedim(d, -1).reshape(
            -1, x.shape[d])]).reshape(x.sum(d).shape))]:
    x = real(2, 3, 4).clone()
    x[1, 1, 2] = NAN
    case(name + "all", "a:%s()" % name, lambda t: function(t.reshape(-1), 0), x)
    case(name, "tensor.%s(a, 2)" % name, lambda t: function(t, 1), x)
    case(name + "Dims", "tensor.%s(a, { 1, 3 })" % name,
         lambda t: function(t.transpose(0, 1).reshape(3, 8), 1), x)
for p in ("0", "1", "3", "0.5", "math.huge"):
    number = INF if p == "math.huge" else float(p)
    case("normall", "a:norm(%s)" % p, lambda t: L.vector_norm(t, number), real(2, 3))
    case("norm", "tensor.norm(a, %s, 2, true)" % p, lambda t: L.vector_norm(t, number, 1, True),
         real(2, 3))
    if number > 0:
        case("dist", "tensor.dist(a, b, %s)" % p, lambda x, y: torch.dist(x, y, number),
             real(2, 3), real(2, 3, number=1))
        case("cdist", "tensor.cdist(a, b, %s)" % p, lambda x, y: torch.cdist(x, y, number),
             real(2, 3), real(4, 3, number=1))
case("cdist", "tensor.cdist(a, b)", torch.cdist, real(2, 3), real(4, 3, number=1))
case("trace", "a:trace()", torch.trace, real(3, 4))
case("traceDiagonal", "a:trace(1)", lambda t: t.diagonal(1, -2, -1).sum(-1), real(2, 3, 4))
case("nancumsum", "a:nancumsum()", lambda t: t.nan_to_num(0).cumsum(0), [1.5, NAN, -2, 3])
case("nancumprod", "a:nancumprod()", lambda t: t.nan_to_num(1).cumprod(0), [1.5, NAN, -2, 3])
case("cumsumInitial", "a:cumsum(2, true)",
     lambda t: torch.cat([torch.zeros(2, 1), t], 1).cumsum(1), real(2, 3))
case("cumprodInitial", "a:cumprod(2, true)",
     lambda t: torch.cat([torch.ones(2, 1), t], 1).cumprod(1), real(2, 3))
case("cumulativeTrapezoid", "a:cumulativeTrapezoid(0.5)",
     lambda t: torch.cumulative_trapezoid(t, dx=0.5), real(2, 4))
case("diffWith", "a:diff(1, 2, b, c)", lambda t, x, y: t.diff(1, 1, x, y), real(2, 3),
     real(2, 1, number=1), real(2, 2, number=2))
case("matrixTranspose", "a:matrixTranspose():clone()", lambda t: t.mT.clone(), real(2, 3, 4))
case("softmax", "a:softmax(1)", lambda t: t.softmax(0), real(2, 3))
case("logSoftmax", "a:logSoftmax()", lambda t: t.log_softmax(1), real(2, 3))
case("item", "a:item()", lambda t: t.reshape([]) + 0, real(1, 1))
for name, options in [("varCorrection varCorrectionDims", "var"),
                      ("stdCorrection stdCorrectionDims", "std")]:
    one, several = name.split()
    case(one, "tensor.%s(a, 2, 1.5)" % options,
         lambda t: getattr(torch, options)(t, 1, correction=1.5, keepdim=True), real(2, 3, 4))
    case(several, "tensor.%s(a, { 1, 3 }, 1.5)" % options,
         lambda t: getattr(torch, options)(t, (0, 2), correction=1.5, keepdim=True),
         real(2, 3, 4))

# ---- order

case("sort", "(a:sort(2, true))", lambda t: t.sort(1, True)[0], real(3, 4))
case("kthvalueall", "a:kthvalue(4)", lambda t: t.reshape(-1).kthvalue(4)[0], real(3, 4))
case("kthvalue", "(a:kthvalue(3, 2))", lambda t: t.kthvalue(3, 1, True)[0], real(3, 4))
case("medianall", "a:median()", torch.median, real(3, 3))
case("median", "(a:median(1))", lambda t: t.median(0, True)[0], real(3, 4))
case("nanmedian", "(a:nanmedian(2))", lambda t: t.nanmedian(1, True)[0],
     [[3, NAN, 1, 2], [NAN, 5, 4, 6]])
case("modeall", "a:view(-1):mode()", lambda t: t.mode()[0], [3, 1, 2])
case("mode", "(a:mode(2))", lambda t: t.mode(1, True)[0], [[3, 1, 2], [4, 6, 5]])
case("topk", "(a:topk(2, 2, true, true))", lambda t: t.topk(2, 1)[0], real(3, 4))
for row, code in [("unique", "(tensor.unique(a))"), ("uniqueAll", "(tensor.uniqueAll(a))"),
                  ("uniqueCounts", "(tensor.uniqueCounts(a))"),
                  ("uniqueInverse", "(tensor.uniqueInverse(a))"),
                  ("uniqueValues", "tensor.uniqueValues(a)")]:
    case(row, code, lambda t: t.sort()[0], [3, 1, 2])
case("uniqueConsecutive", "(tensor.uniqueConsecutive(a))", lambda t: t + 0, [3, 1, 2])
case("uniqueConsecutiveDim", "(tensor.uniqueConsecutive(a, 2))", lambda t: t + 0,
     [[3, 1], [1, 2], [2, 4]])
case("uniqueDim", "(tensor.unique(a, 1))", lambda t: t[[1, 2, 0]], [[3, 1], [1, 2], [2, 4]])
case("setUnion", "tensor.union(a, b)", lambda x, y: torch.cat([x, y]).sort()[0], [3, 1, 2], [5, 4])
case("setIntersection", "tensor.intersect(a, T{ 1, 3 })", lambda t: t[[1, 0]], [3, 1, 2])
case("setDifference", "tensor.setDifference(a, T{ 1 })", lambda t: t[[2, 0]], [3, 1, 2])

# ---- cumulative results and statistics

for name, function in [("cumsum", torch.cumsum), ("cumprod", torch.cumprod),
                       ("logcumsumexp", torch.logcumsumexp)]:
    case(name, "a:%s(2)" % name, lambda t: function(t, 1), real(2, 4))
    case(name, "a:%s(1)" % name, lambda t: function(t, 0), real(3, 4))
for name, function in [("cummax", torch.cummax), ("cummin", torch.cummin)]:
    case(name, "(a:%s(2))" % name, lambda t: function(t, 1)[0], real(3, 4))
case("bincountWeights", "tensor.bincount(Long{ 2, 1, 4, 2 }, a)",
     lambda t: torch.zeros(4, dtype=t.dtype).index_add(0, index(2, 1, 4, 2), t), real(4))
case("histogramWeights", "tensor.histogram(T{ 0.5, 1.5, 0.2 }, T{ 0, 1, 2 }, a)",
     lambda t: torch.zeros(2, dtype=t.dtype).index_add(0, torch.tensor([0, 1, 0]), t), real(3))
case("crossDim", "tensor.cross(a, b)", lambda x, y: torch.cross(x, y, 1), real(2, 3),
     real(2, 3, number=1))
case("renorm", "tensor.renorm(a, 2, 1, 1.5)", lambda t: torch.renorm(t, 2, 0, 1.5), real(3, 4))
case("match", "tensor.match(a, b)", lambda x, y: ((x[:, None] - y[None]) ** 2).sum(2), real(2, 3),
     real(4, 3, number=1))
case("quantileall", "a:quantile(0.3)", lambda t: t.quantile(0.3), real(3, 4))
case("quantile", "a:quantile(0.3, 2)", lambda t: t.quantile(0.3, 1), real(3, 4))
Q = torch.tensor([0.1, 0.6], dtype=torch.float64)
case("quantilesall", "a:quantile(T{ 0.1, 0.6 })", lambda t: t.quantile(Q), real(3, 4))
case("quantiles", "a:quantile(T{ 0.1, 0.6 }, 2)", lambda t: t.quantile(Q, 1), real(3, 4))
for method in ("lower", "higher", "midpoint", "nearest"):
    case("quantileallMethod", "a:quantile(0.3, '%s')" % method,
         lambda t: t.quantile(0.3, interpolation=method), real(3, 4))
    case("quantileMethod", "a:quantile(0.3, 2, false, '%s')" % method,
         lambda t: t.quantile(0.3, 1, interpolation=method), real(3, 4))
    case("quantilesMethod", "a:quantile(T{ 0.1, 0.6 }, 2, false, '%s')" % method,
         lambda t: t.quantile(Q, 1, interpolation=method), real(3, 4))
case("nanquantileall", "a:nanquantile(0.3)", lambda t: t.nanquantile(0.3), [3, NAN, 1, 2.5, 7])
case("nanquantile", "a:nanquantile(0.3, 2)", lambda t: t.nanquantile(0.3, 1),
     [[3, NAN, 1, 2.5], [7, 4, 5.5, 1]])
case("cov", "tensor.cov(a)", torch.cov, real(3, 4))
case("corrcoef", "tensor.corrcoef(a)", torch.corrcoef, real(3, 4))
case("covCounts", "tensor.cov(a, Long{ 1, 3, 2, 1 })",
     lambda t: torch.cov(t, fweights=torch.tensor([1, 3, 2, 1])), real(3, 4))
case("covWeights", "tensor.covWeights(a, T{ 0.5, 1, 2, 1.5 })", lambda t: torch.cov(
    t, aweights=torch.tensor([0.5, 1, 2, 1.5]).double()), real(3, 4))
X = torch.tensor([0.5, 1, 3, 3.5], dtype=torch.float64)
case("trapezoid", "tensor.trapezoid(a, 0.5)", lambda t: torch.trapezoid(t, dx=0.5), real(3, 4))
case("trapezoidAt", "tensor.trapezoid(a, b)", torch.trapezoid, real(3, 4), X)
case("slope", "tensor.slope(a, 0.5)", lambda t: torch.gradient(t, spacing=0.5, dim=1)[0],
     real(3, 4))
case("slopeAt", "tensor.slope(a, T{ 0.5, 1, 3, 3.5 })",
     lambda t: torch.gradient(t, spacing=(X,), dim=1)[0], real(3, 4))
case("interp", "tensor.interp(a, T{ 0, 1, 3 }, b)",
     lambda t, v: torch.stack([v[0] + t[0] * (v[1] - v[0]), v[1] + (t[1] - 1) / 2 * (v[2] - v[1])]),
     [0.3, 1.5], [2, 5, 1])
case("unwrap", "tensor.unwrap(a)", lambda t: t - 2 * math.pi * torch.tensor([0.0, 1, 0, 1]).double(), [0.5, 6, 1, 5])

# ---- views and arranged copies

for row, code, function in [
        ("narrow", "a:narrow(2, 2, 2)", lambda t: t.narrow(1, 1, 2)),
        ("select", "a:select(1, 2)", lambda t: t[1]),
        ("transpose", "a:transpose(1, 2)", lambda t: t.transpose(0, 1)),
        ("t", "a:t()", torch.t), ("unfold", "a:unfold(2, 2, 1)", lambda t: t.unfold(1, 2, 1)),
        ("view", "a:view(4, -1)", lambda t: t.view(4, -1)),
        ("viewAs", "a:viewAs(T(4, 3))", lambda t: t.view(4, 3)),
        ("permute", "a:permute(2, 1)", lambda t: t.permute(1, 0)),
        ("unflatten", "a:unflatten(2, 2, 2)", lambda t: t.unflatten(1, (2, 2))),
        ("movedim", "a:movedim(1, 2)", lambda t: t.movedim(0, 1)),
        ("movedims", "a:movedim({ 1, 2 }, { 2, 1 })", lambda t: t.movedim((0, 1), (1, 0))),
        ("swapaxes", "a:swapaxes(1, 2)", lambda t: t.swapaxes(0, 1)),
        ("diagonal", "a:diagonal(1)", lambda t: t.diagonal(1)),
        ("atleast1d", "a:atleast1d()", torch.atleast_1d),
        ("atleast2d", "a:atleast2d()", torch.atleast_2d),
        ("atleast3d", "a:atleast3d()", torch.atleast_3d),
        ("unsqueeze1d", "a:unsqueeze(2)", lambda t: t.unsqueeze(1)),
        ("tril", "a:tril(-1)", lambda t: t.tril(-1)), ("triu", "a:triu(1)", lambda t: t.triu(1)),
        ("diag", "tensor.diag(a, 1)", lambda t: torch.diag(t, 1)),
        ("diagEmbed", "tensor.diagEmbed(a, 1)", lambda t: torch.diag_embed(t, 1)),
        ("reshape", "a:t():reshape(2, 6)", lambda t: t.t().reshape(2, 6)),
        ("flip", "a:flip(2)", lambda t: t.flip(1)), ("flipAll", "a:flip()", lambda t: t.flip(0, 1)),
        ("roll", "a:roll(1, 2)", lambda t: t.roll(1, 1)),
        ("rollDims", "a:roll({ 1, -1 }, { 2, 1 })", lambda t: t.roll((1, -1), (1, 0))),
        ("rollAll", "a:roll(5)", lambda t: t.roll(5)), ("rot90", "a:rot90()", torch.rot90),
        ("tile", "a:tile(2, 3)", lambda t: t.tile(2, 3)),
        ("repeat", "a['repeat'](a, 2, 2)", lambda t: t.repeat(2, 2)),
        ("pad", "a:pad({ 1, 0, 2, 1 }, 7)", lambda t: F.pad(t, (2, 1, 1, 0), value=7)),
        ("padMode", "a:pad({ 1, 1, 2, 1 }, 'reflect')",
         lambda t: F.pad(t[None], (2, 1, 1, 1), "reflect")[0]),
        ("padMode", "a:pad({ 1, 1, 2, 1 }, 'edge')",
         lambda t: F.pad(t[None], (2, 1, 1, 1), "replicate")[0]),
        ("padMode", "a:pad({ 1, 1, 2, 1 }, 'wrap')",
         lambda t: F.pad(t[None], (2, 1, 1, 1), "circular")[0]),
        ("diff", "a:diff(2)", lambda t: t.diff(2)), ("flatten", "a:t():flatten()",
                                                      lambda t: t.t().flatten()),
        ("repeatInterleave", "a:repeatInterleave(2, 1)", lambda t: t.repeat_interleave(2, 0)),
        ("repeatInterleaveAll", "a:repeatInterleave(2)", lambda t: t.repeat_interleave(2)),
        ("repeatInterleaveCounts", "a:repeatInterleave(Long{ 2, 0, 3 }, 1)",
         lambda t: t.repeat_interleave(torch.tensor([2, 0, 3]), 0)),
        ("repeatInterleaveCountsAll", "a:view(-1):narrow(1, 1, 3):repeatInterleave(Long{ 2, 0, 3 })",
         lambda t: t.reshape(-1)[:3].repeat_interleave(torch.tensor([2, 0, 3]))),
        ("combinations", "tensor.combinations(a:view(-1):narrow(1, 1, 4))",
         lambda t: torch.combinations(t.reshape(-1)[:4])),
        ("squeeze", "a:view(1, 3, 1, 4):squeeze()", lambda t: t * 1),
        ("squeeze1d", "a:view(3, 1, 4):squeeze(2)", lambda t: t * 1),
        ("expand", "a:view(1, 12):expand(3, 12)", lambda t: t.reshape(1, 12).expand(3, 12)),
        ("expandAs", "a:view(1, 12):expandAs(T(2, 12))",
         lambda t: t.reshape(1, 12).expand(2, 12)),
        ("fftshift", "a:view(-1):fftshift()", lambda t: torch.fft.fftshift(t.reshape(-1))),
        ("fftshiftDims", "a:fftshift({ 1 })", lambda t: torch.fft.fftshift(t, 0)),
        ("ifftshift", "a:view(-1):ifftshift()", lambda t: torch.fft.ifftshift(t.reshape(-1))),
        ("ifftshiftDims", "a:ifftshift({ 1 })", lambda t: torch.fft.ifftshift(t, 0))]:
    case(row, code, function, real(3, 4))
PAIR = (real(2, 3), real(2, 3, number=1))
for row, code, function in [
        ("cat", "tensor.cat(a, b, 2)", lambda x, y: torch.cat([x, y], 1)),
        ("catArray", "tensor.cat({ a, b, a }, 1)", lambda x, y: torch.cat([x, y, x], 0)),
        ("stack", "tensor.stack({ a, b }, 2)", lambda x, y: torch.stack([x, y], 1)),
        ("hstack", "tensor.hstack{ a, b }", lambda x, y: torch.hstack([x, y])),
        ("vstack", "tensor.vstack{ a, b }", lambda x, y: torch.vstack([x, y])),
        ("dstack", "tensor.dstack{ a, b }", lambda x, y: torch.dstack([x, y])),
        ("columnStack", "tensor.columnStack{ a, b }", lambda x, y: torch.column_stack([x, y])),
        ("blockDiag", "tensor.blockDiag{ a, b }", torch.block_diag),
        ("cartesianProd", "tensor.cartesianProd{ a:view(-1), b:view(-1) }",
         lambda x, y: torch.cartesian_prod(x.reshape(-1), y.reshape(-1)))]:
    case(row, code, function, *PAIR)

# ---- indices and masks

AT = "Long{ { 1, 3, 1 }, { 2, 2, 3 } }"
I = index([1, 3, 1], [2, 2, 3])
case("indexSelect", "a:index(1, Long{ 3, 1, 3 })", lambda t: t[index(3, 1, 3)], real(3, 4))
case("gather", "a:gather(2, %s)" % AT, lambda t: t.gather(1, I), real(2, 3))
case("takeAlongDim", "a:takeAlongDim(%s, 2)" % AT, lambda t: t.take_along_dim(I, 1), real(2, 3))
case("takeAlong", "a:takeAlongDim(Long{ 5, 1, 5 })", lambda t: t.take_along_dim(index(5, 1, 5)),
     real(2, 3))
for name, function in [("indexCopy", torch.index_copy), ("indexAdd", torch.index_add)]:
    case(name, "a:clone():%s(1, Long{ 3, 1 }, b)" % name,
         lambda x, y: function(x, 0, index(3, 1), y), real(3, 4), real(2, 4, number=1))
case("indexFill", "a:clone():indexFill(1, Long{ 3, 1 }, 7)",
     lambda t: t.index_fill(0, index(3, 1), 7), real(3, 4))
case("scatter", "a:clone():scatter(2, Long{ { 3, 1 }, { 2, 3 } }, b)",
     lambda x, y: x.scatter(1, index([3, 1], [2, 3]), y), real(2, 3), real(2, 2, number=1))
case("scatterAdd", "a:clone():scatterAdd(2, %s, b)" % AT, lambda x, y: x.scatter_add(1, I, y),
     *PAIR)
case("scatterFill", "a:clone():scatter(2, Long{ { 3, 1 }, { 2, 3 } }, 7)",
     lambda t: t.scatter(1, index([3, 1], [2, 3]), 7), real(2, 3))
for own in [True, False]:
    for name in ["mean", "prod", "amax", "amin"]:
        case("scatterReduce", "a:clone():scatterReduce(2, %s, b, '%s', %s)"
             % (AT, name, str(own).lower()),
             lambda x, y: x.scatter_reduce(1, I, y, name, include_self=own), *PAIR)
        case("indexReduce", "a:clone():indexReduce(1, Long{ 3, 1, 3 }, b, '%s', %s)"
             % (name, str(own).lower()),
             lambda x, y: x.index_reduce(0, index(3, 1, 3), y, name, include_self=own), real(3, 4),
             real(3, 4, number=1))
ROWS, COLUMNS = index(2, 1), index(1, 3)
case("indexPut", "a:clone():indexPut({ Long{ 2, 1 }, Long{ 1, 3 } }, b)",
     lambda x, y: x.index_put((ROWS, COLUMNS), y), real(2, 3), real(2, number=1))
case("indexPut", "a:clone():indexPut({ Long{ 2, 2 }, Long{ 1, 1 } }, b, true)",
     lambda x, y: x.index_put((index(2, 2), index(1, 1)), y, accumulate=True), real(2, 3),
     real(2, number=1))
case("indexPutFill", "a:clone():indexPut({ Long{ 2, 1 }, Long{ 1, 3 } }, 7)",
     lambda t: t.index_put((ROWS, COLUMNS), torch.tensor(7.0).double()), real(2, 3))
case("indexPutMask", "a:clone():indexPut(%s, b)" % BYTES, lambda x, y: x.masked_scatter(MASK, y),
     real(2, 3), real(3, number=1))
case("indexPutMask", "a:clone():indexPut(%s, b, true)" % BYTES,
     lambda x, y: x.index_put((MASK,), y, accumulate=True), real(2, 3), real(3, number=1))
case("indexPutMaskFill", "a:clone():indexPut(%s, 7, true)" % BYTES, lambda t: t + 7 * MASK,
     real(2, 3))
case("indexPutMaskFill", "a:clone():indexPut(%s, 7)" % BYTES, lambda t: t.masked_fill(MASK, 7),
     real(2, 3))
case("maskedFill", "a:clone():maskedFill(%s, 7)" % BYTES, lambda t: t.masked_fill(MASK, 7),
     real(2, 3))
for name in ("maskedCopy", "maskedScatter"):
    case(name, "a:clone():%s(%s, b)" % (name, BYTES), lambda x, y: x.masked_scatter(MASK, y),
         *PAIR)
case("maskedSelect", "a:maskedSelect(%s)" % BYTES, lambda t: t.masked_select(MASK), real(2, 3))

# ---- products

B, V = real(3, 4, number=1), real(3, number=2)
case("dot", "a:dot(b)", torch.dot, real(3), V)
case("mm", "tensor.mm(a, b)", torch.mm, real(2, 3), B)
case("mv", "tensor.mv(a, b)", torch.mv, real(2, 3), V)
case("ger", "tensor.ger(a, b)", torch.ger, real(2), V)
case("outer", "tensor.outer(a, b)", torch.outer, real(2), V)
case("kron", "tensor.kron(a, b)", torch.kron, *PAIR)
BATCHES = (real(2, 2, 3), real(2, 3, 4, number=1))
case("bmm", "tensor.bmm(a, b)", torch.bmm, *BATCHES)
case("matmul", "tensor.matmul(a, b)", torch.matmul, real(2, 2, 3), B)
case("matmul", "tensor.matmul(a, b)", torch.matmul, real(3), real(2, 3, 4, number=1))
for name, factors in [("addmm", (real(2, 3), B)), ("addbmm", BATCHES)]:
    case(name, "tensor.%s(0.5, c, 2, a, b)" % name, lambda x, y, z: getattr(torch, name)(
        z, x, y, beta=0.5, alpha=2), *factors, real(2, 4, number=3))
case("baddbmm", "tensor.baddbmm(0.5, c, 2, a, b)", lambda x, y, z: torch.baddbmm(
    z, x, y, beta=0.5, alpha=2), *BATCHES, real(2, 2, 4, number=3))
case("addmv", "tensor.addmv(0.5, c, 2, a, b)", lambda x, y, z: torch.addmv(
    z, x, y, beta=0.5, alpha=2), real(2, 3), V, real(2, number=3))
case("addr", "tensor.addr(0.5, c, 2, a, b)", lambda x, y, z: torch.addr(
    z, x, y, beta=0.5, alpha=2), real(2), V, real(2, 3, number=3))
for name, function in [
        ("conv2", lambda x, k: F.conv2d(x[None, None], k.flip(0, 1)[None, None])[0, 0]),
        ("xcorr2", lambda x, k: F.conv2d(x[None, None], k[None, None])[0, 0])]:
    case(name, "tensor.%s(a, b)" % name, function, real(4, 5), real(2, 3, number=1))
for name, function in [
        ("conv3", lambda x, k: F.conv3d(x[None, None], k.flip(0, 1, 2)[None, None])[0, 0]),
        ("xcorr3", lambda x, k: F.conv3d(x[None, None], k[None, None])[0, 0])]:
    case(name, "tensor.%s(a, b)" % name, function, real(3, 4, 3), real(2, 2, 2, number=1))
