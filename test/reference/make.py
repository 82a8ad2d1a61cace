#!/usr/bin/python3
"""Writes test/data/reference.txt: figures that the Lua tests compare with.

Run by hand, with python3-numpy and python3-mpmath: test/reference/make.py > test/data/reference.txt
A line is a name, a tab, and numbers (%.17g, inf, nan) separated by blanks.
"""

import mpmath
import numpy as np

mpmath.mp.prec = 300
INF, NAN = float("inf"), float("nan")


def text(value):
    value = float(value)
    if value != value:
        return "nan"
    return "%.17g" % value


def line(name, values):
    print(name + "\t" + " ".join(text(v) for v in np.asarray(values, dtype=object).ravel()))


# ---- functions of one number: correctly rounded from 300 bits ----

def rounded(value, kind):
    """An mpmath number as the nearest of the type, subnormals and overflow included."""
    bits, smallest, largest = ((53, -1074, np.finfo(np.float64).max) if kind == "Double"
                               else (24, -149, np.finfo(np.float32).max))
    if value == 0:
        return 0.0
    exponent = int(mpmath.floor(mpmath.log(abs(value), 2)))
    if abs(value) < mpmath.mpf(2) ** exponent:
        exponent -= 1
    unit = max(exponent - bits + 1, smallest)
    scaled = mpmath.nint(value / mpmath.mpf(2) ** unit)
    result = scaled * mpmath.mpf(2) ** unit
    if abs(result) > float(largest):
        return INF if value > 0 else -INF
    return float(result)


FUNCTIONS = {
    "exp": mpmath.exp, "expm1": mpmath.expm1, "log": mpmath.log, "log1p": mpmath.log1p,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2), "log10": mpmath.log10,
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "asin": mpmath.asin,
    "acos": mpmath.acos, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "erf": mpmath.erf,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))),
    "sqrt": mpmath.sqrt, "rsqrt": lambda x: 1 / mpmath.sqrt(x), "cinv": lambda x: 1 / x,
}
# From, to, and single points of the domain.
DOMAIN = {
    "exp": (-80, 80, [-87.3, 88.7, 1e-10, -1e-300, 200, -800]),
    "expm1": (-30, 80, [1e-10, -1e-12, 3e-300, 0.5, 88, -100]),
    "log": (0.001, 30, [1, 0.999999, 1.000001, 1e-38, 1e-44, 5e-324, 1e-310, 3e38, 1e300]),
    "log1p": (-0.99, 30, [1e-10, -1e-15, 1e-40, 3e38]),
    "log2": (0.001, 30, [1, 2, 4, 0.5, 1024, 1e-40, 5e-324, 3e38]),
    "log10": (0.001, 30, [1, 10, 1000, 0.1, 1e-40, 5e-324, 3e38]),
    "sin": (-20, 20, [3.14159, 1e5, 1e10, -1e22, 1e-300, 1e-40]),
    "cos": (-20, 20, [1.5707963, 1e5, 1e10, -1e22, 1e-300]),
    "tan": (-20, 20, [1.5707, 1e5, -1e10, 1e-300, 1e-40]),
    "asin": (-1, 1, [1, -1, 1e-10, 0.9999999, 1e-310]),
    "acos": (-1, 1, [1, -1, 1e-10, 0.9999999]),
    "atan": (-20, 20, [1e10, -1e300, 1e-10, 1e-310]),
    "sinh": (-40, 40, [1e-10, 88, -300, 1e-300]),
    "cosh": (-40, 40, [1e-10, 88, -300]),
    "tanh": (-12, 12, [1e-10, 30, -300, 1e-310]),
    "sigmoid": (-20, 20, [1e-10, 40, -40, 100]),
    "erf": (-4, 4, [1e-10, 6, -30, 1e-310]),
    "lgamma": (0.05, 40, [1, 2, 3, 1e-10, 170.5, 1e5, 1e30]),
    "sqrt": (0.001, 30, [2, 4, 1e-310, 1e-40, 3e38, 1e300]),
    "rsqrt": (0.001, 30, [2, 4, 3e38, 1e-30]),
    "cinv": (0.001, 30, [-3, 2, 4, 1e37, -1e-30]),
}
# The C standard's and IEEE 754's results for nan, inf, -inf, 0, -0 and arguments outside of the
# domain.
SPECIAL = {
    "exp": {NAN: NAN, INF: INF, -INF: 0.0, 0.0: 1, 1e5: INF, -1e5: 0.0},
    "expm1": {NAN: NAN, INF: INF, -INF: -1, 0.0: 0.0, 1e5: INF, -1e5: -1},
    "log": {NAN: NAN, INF: INF, -INF: NAN, 0.0: -INF, -1.0: NAN, 1.0: 0.0},
    "log1p": {NAN: NAN, INF: INF, -INF: NAN, 0.0: 0.0, -1.0: -INF, -2.0: NAN},
    "log2": {NAN: NAN, INF: INF, -INF: NAN, 0.0: -INF, -1.0: NAN, 8.0: 3},
    "log10": {NAN: NAN, INF: INF, -INF: NAN, 0.0: -INF, -1.0: NAN, 1.0: 0.0},
    "sin": {NAN: NAN, INF: NAN, -INF: NAN, 0.0: 0.0},
    "cos": {NAN: NAN, INF: NAN, -INF: NAN, 0.0: 1},
    "tan": {NAN: NAN, INF: NAN, -INF: NAN, 0.0: 0.0},
    "asin": {NAN: NAN, INF: NAN, -INF: NAN, 0.0: 0.0, 2.0: NAN, -1.5: NAN},
    "acos": {NAN: NAN, INF: NAN, -INF: NAN, 1.0: 0.0, 2.0: NAN, -1.5: NAN},
    "atan": {NAN: NAN, 0.0: 0.0},
    "sinh": {NAN: NAN, INF: INF, -INF: -INF, 0.0: 0.0, 1e5: INF, -1e5: -INF},
    "cosh": {NAN: NAN, INF: INF, -INF: INF, 0.0: 1, 1e5: INF},
    "tanh": {NAN: NAN, INF: 1, -INF: -1, 0.0: 0.0, 1e5: 1, -1e5: -1},
    "sigmoid": {NAN: NAN, INF: 1, -INF: 0.0, 0.0: 0.5, 1e5: 1, -1e5: 0.0},
    "erf": {NAN: NAN, INF: 1, -INF: -1, 0.0: 0.0, 1e5: 1, -1e5: -1},
    "lgamma": {NAN: NAN, INF: INF, -INF: INF, 0.0: INF, -1.0: INF, -2.0: INF, 1.0: 0.0, 2.0: 0.0},
    "sqrt": {NAN: NAN, INF: INF, -INF: NAN, 0.0: 0.0, -1.0: NAN},
    "rsqrt": {NAN: NAN, INF: 0.0, -INF: NAN, 0.0: INF, -1.0: NAN},
    "cinv": {NAN: NAN, INF: 0.0, -INF: -0.0, 0.0: INF},
}
# Odd functions, and those that keep the sign of zero.
SIGNED_ZERO = "expm1 log1p sin tan asin atan sinh tanh erf sqrt".split()


def functions():
    random = np.random.RandomState(1)
    for name, f in FUNCTIONS.items():
        low, high, points = DOMAIN[name]
        points = np.concatenate([random.uniform(low, high, 70), np.array(points, dtype=float)])
        for kind, dtype in (("Double", np.float64), ("Float", np.float32)):
            with np.errstate(over="ignore", under="ignore"):
                x = points.astype(dtype)
            # Denormal results of rsqrt and cinv do not occur; zeros and infinities are special.
            x = [float(v) for v in x if np.isfinite(v) and v != 0]
            line("%s %s x" % (name, kind), x)
            line("%s %s y" % (name, kind), [rounded(f(mpmath.mpf(v)), kind) for v in x])
        special = list(SPECIAL[name].items())
        if name in SIGNED_ZERO:
            special.append((-0.0, -0.0))
        elif name in ("cinv", "rsqrt"):
            special.append((-0.0, -INF))
        line("%s special x" % name, [k for k, _ in special])
        line("%s special y" % name, [v for _, v in special])


# ---- functions of two numbers ----

def two_arguments():
    random = np.random.RandomState(2)
    for kind, dtype in (("Double", np.float64), ("Float", np.float32)):
        base = random.uniform(0.01, 20, 60).astype(dtype)
        power = random.uniform(-9, 9, 60).astype(dtype)
        line("cpow %s x" % kind, base)
        line("cpow %s y" % kind, power)
        line("cpow %s z" % kind, [rounded(mpmath.power(mpmath.mpf(float(a)), mpmath.mpf(float(b))),
                                          kind) for a, b in zip(base, power)])
        y, x = (random.uniform(-9, 9, 60).astype(dtype) for _ in range(2))
        line("atan2 %s x" % kind, y)
        line("atan2 %s y" % kind, x)
        line("atan2 %s z" % kind, [rounded(mpmath.atan2(float(a), float(b)), kind)
                                   for a, b in zip(y, x)])
    values = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 7.25]
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        for name, f in (("cpow", np.power), ("cfmod", np.fmod)):
            line("%s grid x" % name, a)
            line("%s grid y" % name, b)
            line("%s grid z" % name, f(a, b))
        line("atan2 grid x", a)
        line("atan2 grid y", b)
        line("atan2 grid z", np.arctan2(a, b))
        finite = np.isfinite(a) & np.isfinite(b) & (b != 0)
        line("cremainder grid x", a[finite])
        line("cremainder grid y", b[finite])
        line("cremainder grid z", np.mod(a[finite], b[finite]))
    a, b = (v.ravel() for v in np.meshgrid([7, -7, 6, -6, 1, -1, 0, 100, -128],
                                           [3, -3, 1, -1, 2, -2, 127, -128]))
    for bits in (8, 16, 32, 64):
        x, y = a.astype("int%d" % bits), b.astype("int%d" % bits)
        with np.errstate(all="ignore"):
            line("cfmod int%d z" % bits, np.fmod(x, y))
            line("cremainder int%d z" % bits, np.mod(x, y))
            quotient = np.array([int(abs(int(p)) // abs(int(q))) * (1 if (p < 0) == (q < 0) else -1)
                                 for p, q in zip(x, y)]).astype("int%d" % bits)
            line("cdiv int%d z" % bits, quotient)
            line("cmul int%d z" % bits, x * y)
    line("integers x", a)
    line("integers y", b)


# ---- whole tensors ----

def tensors():
    random = np.random.RandomState(3)
    m = np.round(random.normal(size=(10, 20)), 3)
    line("matrix", m)
    wide = m.astype(np.longdouble)
    for d in (0, 1):
        suffix = " %d" % (d + 1)
        line("sum" + suffix, wide.sum(d))
        line("prod" + suffix, wide.prod(d))
        line("mean" + suffix, wide.mean(d))
        line("var" + suffix, wide.var(d, ddof=1))
        line("var biased" + suffix, wide.var(d))
        line("std" + suffix, wide.std(d, ddof=1))
        line("max" + suffix, m.max(d))
        line("argmax" + suffix, m.argmax(d) + 1)
        line("min" + suffix, m.min(d))
        line("argmin" + suffix, m.argmin(d) + 1)
        line("cumsum" + suffix, wide.cumsum(d))
        line("cumprod" + suffix, wide.cumprod(d))
        line("sort" + suffix, np.sort(m, d))
        line("argsort" + suffix, np.argsort(m, d, kind="stable") + 1)
        for p in (0, 1, 2, 3, INF):
            values = (abs(m).max(d) if p == INF else (m != 0).sum(d) if p == 0
                      else (abs(wide) ** p).sum(d) ** (np.longdouble(1) / p))
            line("norm %s%s" % (p, suffix), values)
    line("all", [wide.sum(), wide.mean(), wide.var(ddof=1), wide.std(), np.sqrt((wide ** 2).sum())])
    with_nan = np.array([3, NAN, -1, INF, 0.5, NAN, -INF, 3, -0.0, 2])
    line("nan", with_nan)
    line("nan sorted", np.sort(with_nan))
    line("nan order", np.argsort(with_nan, kind="stable") + 1)
    far = 1e8 + random.uniform(-1, 1, 100)
    line("far", far)
    line("far var", [far.astype(np.longdouble).var(ddof=1)])
    a, b = np.round(random.normal(size=(12, 15)), 3), np.round(random.normal(size=(15, 9)), 3)
    line("left", a)
    line("right", b)
    line("product", a.astype(np.longdouble) @ b.astype(np.longdouble))
    line("vector product", a.astype(np.longdouble) @ b[:, 0].astype(np.longdouble))


# ---- conversions ----

def wrapped(value, bits, signed):
    wide = 64 if bits == 64 else 32
    if value != value or abs(value) == INF or not -2.0 ** (wide - 1) <= value < 2.0 ** (wide - 1):
        value = -2 ** (wide - 1)
    value = int(value) % (1 << bits)
    return value - (1 << bits) if signed and value >= 1 << (bits - 1) else value


def to_bfloat16(value):
    bits = int(np.float32(value).view(np.uint32))
    if value != value:
        return NAN
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16 << 16
    return np.array([bits & 0xffffffff], dtype=np.uint32).view(np.float32)[0]


def conversions():
    values = [0, 0.5, -0.5, 0.999, -0.999, 1.5, -1.5, 127, 128, 129.9, -128, -129, 255, 256, 300.7,
              -1, 32767, 32768, -32769, 65535, 65536, 2.0 ** 31 - 1, 2.0 ** 31, -2.0 ** 31,
              -2.0 ** 31 - 1, 2.0 ** 32 + 5, 2.0 ** 53, -2.0 ** 62, 2.0 ** 63, -2.0 ** 63, 1e300,
              INF, -INF, NAN]
    line("numbers", values)
    for name, bits, signed in (("Byte", 8, False), ("Char", 8, True), ("Short", 16, True),
                               ("Int", 32, True), ("Long", 64, True)):
        line("numbers " + name, [wrapped(v, bits, signed) for v in values])
    floats = [1, 1 + 2.0 ** -11, 1 + 2.0 ** -10, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -20,
              2049, 2050, 2051, 65504, 65519, 65520, 65536, -65519.99, -65520, 2.0 ** -14,
              2.0 ** -24, 2.0 ** -25, 2.0 ** -25 + 2.0 ** -40, 3 * 2.0 ** -25, -2.0 ** -26, 0.1,
              1 / 3, 3.14159265, 1e-8, 1e8, 1e38, 3.4e38, 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8,
              1 + 2.0 ** -8 + 2.0 ** -20, 1e-40, 0.0, -0.0, INF, -INF, NAN]
    floats = np.array(floats, dtype=np.float32)
    line("floats", floats)
    with np.errstate(over="ignore"):
        line("floats Half", floats.astype(np.float16))
    line("floats BFloat16", [to_bfloat16(v) for v in floats])
    # 64-bit integers wrap; all of these are multiples of 1024, which doubles hold.
    a = [2 ** 62, 2 ** 62, -2 ** 63, 2 ** 63 - 1024, 2 ** 40, -2 ** 40, 3 * 2 ** 61]
    b = [2 ** 62, 4096, -1024, 2048, 2 ** 40, 2 ** 30, 2 ** 61]
    line("long x", a)
    line("long y", b)
    line("long cadd", [wrapped_integer(x + y) for x, y in zip(a, b)])
    line("long csub", [wrapped_integer(x - y) for x, y in zip(a, b)])
    line("long cmul", [wrapped_integer(x * y) for x, y in zip(a, b)])


def wrapped_integer(value):
    value %= 1 << 64
    return value - (1 << 64) if value >= 1 << 63 else value


# ---- functions whose formulas lose digits ----

def digamma():
    random = np.random.RandomState(4)
    near = [1e-1, 1e-3, 1e-6, 1e-8, 1e-12, 1e-15]
    points = list(random.uniform(-20, 20, 60)) + [s * d for d in near + [1e-30] for s in (1, -1)]
    points += [n + s * d for n in (-1, -2, -3, -7, -100) for d in near for s in (1, -1)]
    points += [1e5, 1e10, -1000.25, -12345.5]
    for kind, dtype in (("Double", np.float64), ("Float", np.float32)):
        x = [float(v) for v in np.array(points).astype(dtype)]
        x = [v for v in x if v > 0 or v != np.floor(v)]
        line("digamma %s x" % kind, x)
        line("digamma %s y" % kind, [rounded(mpmath.digamma(mpmath.mpf(v)), kind) for v in x])


def remainders():
    random = np.random.RandomState(5)
    for kind, dtype in (("Double", np.float64), ("Float", np.float32)):
        most = 300 if kind == "Double" else 37
        x = random.uniform(-1, 1, 150) * 10 ** random.uniform(-most, most, 150)
        y = random.uniform(-1, 1, 150) * 10 ** random.uniform(-most, most, 150)
        # Half of the quotients are of a size that occurs.
        y[:75] = x[:75] * 10 ** random.uniform(-18, 2, 75) * random.choice([-1, 1], 75)
        special = [INF, -INF, NAN, 0.0, -0.0, 5.0, -5.0, 0.1, -1e-20, 1.0, 3.0, -3.0, 6.0]
        a, b = (v.ravel() for v in np.meshgrid(special, special))
        x = np.concatenate([x, a, [-1e20, 1e20, 2.0 ** 80]]).astype(dtype)
        y = np.concatenate([y, b, [501, 501, 3]]).astype(dtype)
        line("remainder %s x" % kind, x)
        line("remainder %s y" % kind, y)
        with np.errstate(all="ignore"):
            line("remainder %s z" % kind, np.remainder(x, y))


print("# Made by test/reference/make.py with NumPy and mpmath: do not edit.")
functions()
two_arguments()
tensors()
conversions()
digamma()
remainders()
