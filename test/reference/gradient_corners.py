"""Cases of gradients.py where a function is not differentiable, or a formula may give NaN."""

import torch

from gradient_line import INF, NAN, case

L = torch.linalg

for name, function in [("abs", torch.abs), ("relu", torch.relu), ("sqrt", torch.sqrt),
                       ("frac", torch.frac), ("square", torch.square), ("sinc", torch.sinc),
                       ("log1p", torch.log1p), ("i1", torch.special.i1), ("gelu", torch.nn.GELU()),
                       ("softplus", torch.nn.Softplus()), ("sigmoid", torch.sigmoid)]:
    case(name, "a:%s()" % name, function, [0, -0.0, 4] if name == "sqrt" else [0, 2, 40])
case("sign", "tensor.sign(a) + a", lambda t: t.sign() + t, [-2, 0, 3])
case("floor round ceil", "tensor.floor(a) + tensor.round(a) + tensor.ceil(a) + a",
     lambda t: t.floor() + t.round() + t.ceil() + t, [1, 2.25])

# ---- extreme values

for name in ("max", "min"):
    all_of = getattr(torch, name)
    case(name + "all", "a:%s()" % name, all_of, [3, 1, 3, 1])
    case(name, "(a:%s(2))" % name, lambda t: all_of(t, 1, True)[0], [[3, 1, 3], [1, 3, 1]])
    case(name + "Dims", "a:%s({ 1, 2 })" % name, lambda t: getattr(torch, "a" + name)(
        t, (0, 1), True), [[3, 1, 3], [1, 3, 1]])
case("medianall", "a:median()", torch.median, [3, 3, 1, 7, 3])
case("median", "(a:median(1))", lambda t: t.median(0, True)[0], [5, 1, 3, 7])
case("sort", "(a:sort())", lambda t: t.sort(stable=True)[0], [2, 1, 2, 1])
case("sort", "(a:sort(1, true))", lambda t: t.sort(stable=True, descending=True)[0], [2, 1, 2, 1])
case("cummax", "(a:cummax())", lambda t: t.cummax(0)[0], [1, 3, 3, 2])
case("cummin", "(a:cummin())", lambda t: t.cummin(0)[0], [3, 1, 1, 2])
for name, function in [("cmax", torch.maximum), ("cmin", torch.minimum), ("fmax", torch.fmax),
                       ("fmin", torch.fmin)]:
    case(name, "tensor.%s(a, b)" % name, function, [1, 2, 3], [2, 2, 2])
case("fmax fmin", "tensor.fmax(a, b) + tensor.fmin(b, a) * 2",
     lambda x, y: torch.fmax(x, y) + torch.fmin(y, x) * 2, [NAN, 2, 3], [2, NAN, 2])
case("cmaxValue", "tensor.cmax(a, 2)", lambda t: t.clamp(min=2), [1, 2, 3])
case("cminValue", "tensor.cmin(a, 2)", lambda t: t.clamp(max=2), [1, 2, 3])
case("clamp", "a:clamp(1, 3)", lambda t: t.clamp(1, 3), [0, 1, 2, 3, 4])
case("clamp", "a:clamp(1, 3)", lambda t: t.clamp(1, 3), [NAN, INF, -INF])
case("clampTensors", "tensor.clamp(a, T{ 1, 1, 1 }, T{ 3, 3, 3 })",
     lambda t: t.clamp(torch.ones(3).double(), torch.full((3,), 3.0).double()), [1, 3, 4])

# ---- products, powers, norms

for zeros in ([2, 0, 3], [0, 0, 3], [0, 5, 4]):
    case("prodall", "a:prod()", torch.prod, zeros)
    case("cumprod", "a:cumprod()", lambda t: t.cumprod(0), zeros)
case("prod", "a:prod(1)", lambda t: t.prod(0, True), [[2, 5], [0, 4], [3, 0]])
case("cumprod", "a:cumprod(2)", lambda t: t.cumprod(1), [[0, 2], [3, 0]])
for p in ("0", "1", "2", "3", "0.5", "-1"):
    case("pow", "a:pow(%s)" % p, lambda t: t ** float(p), [0, 2])
for base in ("0", "1"):
    case("tpow", "tensor.pow(%s, a)" % base, lambda t: float(base) ** t, [0, 2])
case("cpow", "tensor.cpow(a, b)", torch.pow, [0, 0, 0, 2, -2], [0, 1, 2, 0, 3])
case("xlogy", "tensor.xlogy(a, b)", torch.xlogy, [0, 0, 2], [0, 3, 4])
case("atan2", "tensor.atan2(a, b)", torch.atan2, [0, 1, 0], [1, 0, -1])
case("logaddexp", "tensor.logaddexp(a, b)", torch.logaddexp, [0, 1000, -INF], [0, 0, 1])
for p in ("1", "2", "3"):
    case("normall", "a:norm(%s)" % p, lambda t: L.vector_norm(t, float(p)), [0, 0])
    case("norm", "a:norm(%s, 2)" % p, lambda t: L.vector_norm(t, float(p), 1, True),
         [[0, 0], [3, 4], [0, 2]])
    case("dist", "tensor.dist(a, b, %s)" % p, lambda x, y: torch.dist(x, y, float(p)), [1, 2],
         [1, 2])
    case("cdist", "tensor.cdist(a, b, %s)" % p, lambda x, y: torch.cdist(x, y, float(p)),
         [[1, 2]], [[1, 2], [1, 3]])
case("normall", "a:norm(math.huge)", lambda t: L.vector_norm(t, INF), [-3, 1, 3])
case("normall", "a:norm(0)", lambda t: L.vector_norm(t, 0), [2, 0])
case("hypot", "tensor.hypot(a, b)", torch.hypot, [3, 0], [4, 2])
case("renorm", "tensor.renorm(a, 2, 1, 1.5)", lambda t: torch.renorm(t, 2, 0, 1.5), [[0, 0], [3, 4]])
case("varall", "a:var()", torch.var, [2, 2, 2])
case("stdall", "a:std()", torch.std, [2, 2, 2])
case("std", "a:std(2)", lambda t: t.std(1, keepdim=True), [[2, 2], [1, 3]])

# ---- NaN and infinities

MASK = torch.tensor([1, 0, 1]).bool()
case("where", "tensor.where(Byte{ 1, 0, 1 }, a, b)", lambda x, y: torch.where(MASK, x, y),
     [1, NAN, 3], [NAN, 2, INF])
case("where", "tensor.where(Byte{ 1, 0, 1 }, a, tensor.sqrt(b))",
     lambda x, y: torch.where(MASK, x, y.sqrt()), [NAN, 3, 2], [1, 4, 9])
case("where", "tensor.where(Byte{ 1, 0, 1 }, a, tensor.log(a))",
     lambda t: torch.where(MASK, t, t.log()), [4, 2, 0])
case("maskedFill", "a:clone():maskedFill(Byte{ 1, 0, 1 }, 5)", lambda t: t.masked_fill(MASK, 5),
     [NAN, 2, INF])
case("nansumall nanmeanall", "a:nansum() + a:nanmean()", lambda t: t.nansum() + t.nanmean(),
     [1, NAN, 3])
case("softmax", "a:softmax()", lambda t: t.softmax(0), [0, 0, -INF])
case("logSoftmax", "a:logSoftmax()", lambda t: t.log_softmax(0), [0, 0, 900])
case("logsumexpall", "a:logsumexp()", lambda t: t.logsumexp(0), [0, 0, -INF])
case("logcumsumexp", "a:logcumsumexp()", lambda t: t.logcumsumexp(0), [-1000, 0, 1000])
case("maxall", "a:max()", torch.max, [1, NAN, 3])
case("remainder", "a % 3", lambda t: t % 3, [4, -1, 3])
case("cremainder", "a % b", torch.remainder, [7, -7, 6], [2, 2, 3])
case("cfmod", "tensor.cfmod(a, b)", torch.fmod, [7, -7, 6], [2, 2, 3])

# ---- repeated elements and matrices of lower rank

case("expand", "a:view(1, 2):expand(3, 2)", lambda t: t.reshape(1, 2).expand(3, 2), [1, 2])
case("indexSelect", "a:index(1, Long{ 2, 2, 1 })", lambda t: t[[1, 1, 0]], [1, 2, 3])
case("cat", "tensor.cat(a, a)", lambda t: torch.cat([t, t]), [1, 2])
case("cmul", "tensor.cmul(a, a)", lambda t: t * t, [1, 2])
case("det", "tensor.det(a)", L.det, [[1, 2, 3], [4, 5, 6], [7, 8, 9.5]])
case("det", "tensor.det(a)", L.det, [[0, 0], [0, 0]])
case("pinverse", "tensor.pinverse(a)", L.pinv, [[1, 2], [2, 4]])
case("syev", "(tensor.symeig((a + a:t()) / 2, 'V')):sum()", lambda t: L.eigvalsh((t + t.T) / 2).sum(),
     [[2, 0], [0, 2]])
case("svdvals", "tensor.svdvals(a):sum()", lambda t: L.svdvals(t).sum(), [[2, 0], [0, 2]])
case("complexAbs", "tensor.complexAbs(a)", lambda t: torch.view_as_complex(t).abs(),
     [[0, 0], [3, 4]])
case("complexAngle", "tensor.complexAngle(a)", lambda t: torch.view_as_complex(t).angle(),
     [[0, 0], [3, 4]])
