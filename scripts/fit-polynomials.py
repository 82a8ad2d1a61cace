#!/usr/bin/env python3
"""Computes the polynomials of vector_math.h and vector_special.h in lib/TH/cpu/kernels, and those
of the Bessel functions in lib/TH/functors/special.h. Prints the coefficients, lowest degree first,
and the largest weighted error. Coefficients of float polynomials are rounded to float, except exact
ones such as 0.5. Needs mpmath. Arguments: the names of polynomials; default: all."""

import sys

import mpmath as mp

mp.mp.dps = 50
GRID, ROUNDS = 600, 8
TINY = mp.mpf('1e-18')
LOG2 = mp.log(2)


def extremes_of(error, wanted):
    """Indices of local extremes of alternating signs, at most so many."""
    found = []
    for i in range(GRID + 1):
        before = i == 0 or abs(error[i]) >= abs(error[i - 1]) or error[i] * error[i - 1] < 0
        behind = i == GRID or abs(error[i]) > abs(error[i + 1]) or error[i] * error[i + 1] < 0
        if not (before and behind):
            continue
        if not found or error[found[-1]] * error[i] <= 0:
            found.append(i)
        elif abs(error[i]) > abs(error[found[-1]]):
            found[-1] = i
    while len(found) > wanted:
        found.pop(0 if abs(error[found[0]]) < abs(error[found[-1]]) else -1)
    return found


def fit(f, weight, low, high, degree):
    """Remez' exchange: the polynomial p of least |weight (f - p)|."""
    middle, half = (low + high) / 2, (high - low) / 2
    count = degree + 2
    points = [middle - half * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]
    grid = [middle - half * mp.cos(mp.pi * k / GRID) for k in range(GRID + 1)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    for _ in range(ROUNDS):
        matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                matrix[i, j] = x**j
            matrix[i, degree + 1] = (-1)**i / (weight(x) + mp.mpf('1e-12'))
            right[i] = f(x)
        try:
            solution = mp.lu_solve(matrix, right)
        except ZeroDivisionError:  # converged
            break
        terms = [solution[j] for j in range(degree + 1)]
        error = [w * (y - mp.polyval(terms[::-1], x)) for w, y, x in zip(weights, values, grid)]
        chosen = extremes_of(error, count)
        if len(chosen) < count:
            break
        points = [grid[i] for i in chosen]
    return terms, max(abs(e) for e in error)


def near_0(f, series, limit='1e-8'):
    """f, but the beginning of its series where f loses its digits."""
    return lambda x: series(x) if abs(x) < mp.mpf(limit) else f(x)


def of_square(f, series):
    """(f(x) / x - 1) / x^2 as a function of x^2, for an odd f."""
    return near_0(lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, series)


def erfc_by_u(u):
    a = 3 * (1 + u) / (1 - u)
    return mp.exp(a * a) * mp.erfc(a) / (1 - u)


def erfinv_by_w(w):
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def erfinv_rest(t):
    # The limit of the quotient at 0 is that near 0.
    w = max(t + mp.mpf('2.5'), mp.mpf('1e-12'))
    return (erfinv_by_w(w) - mp.sqrt(mp.pi) / 2) / w


def atanh_rest(z):
    return 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2


def lgamma_rest(t):
    # lgamma(1.5 + t) without its zeros at 1 and 2
    return mp.loggamma(mp.mpf('1.5') + t) / (t * t - mp.mpf('0.25'))


def bessel(order):
    """I(x) / (x / 2)^order as a function of (x / 2)^2."""
    return lambda q: mp.besseli(order, 2 * mp.sqrt(q)) / mp.sqrt(q)**order


def far_bessel(order):
    """I(x) sqrt(x) / e^x as a function of 16 / x - 1."""
    def scaled(x):
        return mp.besseli(order, x) * mp.sqrt(x) * mp.exp(-x)
    return lambda y: scaled(16 / (y + 1))


R = LOG2 / 2 * mp.mpf('1.001')
S = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1))**2 * mp.mpf('1.0001')
THIRD = mp.mpf(1) / 3 + mp.mpf('1e-6')
U = mp.mpf('7.2') / mp.mpf('13.2')
exp_rest = near_0(lambda r: (mp.expm1(r) - r) / r**2, lambda r: mp.mpf(1) / 2 + r / 6)
square = of_square


def by_x(x):
    return abs(x) + TINY


# name: (f, weight, from, to, degree for float, for double); 0: none
FITS = {
    'exponential': (exp_rest, by_x, -R, R, 4, 9),
    'exponential, less exact': (exp_rest, lambda r: r * r + TINY, -R, R, 0, 4),
    'sinh': (square(mp.sinh, lambda z: mp.mpf(1) / 6 + z / 120), by_x, TINY, R * R, 2, 5),
    'cosh': (near_0(lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, lambda z: mp.mpf(1) / 2 + z / 24),
             by_x, TINY, R * R, 2, 5),
    'tanh': (square(mp.tanh, lambda z: -mp.mpf(1) / 3 + z * 2 / 15), by_x, TINY,
             mp.mpf('0.3136'), 4, 10),
    'log': (near_0(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3,
                   lambda f: mp.mpf(1) / 3 - f / 4, '1e-12'),
            lambda f: f * f + TINY, -THIRD, THIRD, 7, 0),
    'log by s': (near_0(lambda z: atanh_rest(z) / z, lambda z: mp.mpf(2) / 3 + z * 2 / 5), by_x,
                 TINY, S, 0, 6),
    'log2 by s': (near_0(lambda z: atanh_rest(z) / z / LOG2,
                         lambda z: (mp.mpf(2) / 3 + z * 2 / 5) / LOG2), by_x, TINY, S, 3, 0),
    'log by s, behind s^3': (near_0(lambda z: (atanh_rest(z) - 2 * z / 3) / z**2,
                                    lambda z: mp.mpf(2) / 5 + z * 2 / 7, '1e-12'),
                             lambda z: z * z + TINY, TINY, S, 0, 6),
    'exp2': (near_0(lambda r: (mp.power(2, r) - 1) / r, lambda r: LOG2 + r * LOG2**2 / 2, '1e-20'),
             by_x, mp.mpf('-0.5001'), mp.mpf('0.5001'), 5, 11),
    'atan': (square(mp.atan, lambda z: -mp.mpf(1) / 3 + z / 5), by_x, TINY, mp.mpf('0.2501'), 5,
             11),
    'atan to 1': (square(mp.atan, lambda z: -mp.mpf(1) / 3 + z / 5), by_x, TINY, mp.mpf(1), 8, 0),
    'asin': (square(mp.asin, lambda z: mp.mpf(1) / 6 + z * 3 / 40), by_x, TINY, mp.mpf('0.303'), 5,
             0),
    'tan': (square(mp.tan, lambda z: mp.mpf(1) / 3 + z * 2 / 15), lambda z: z / (1 + z / 3) + TINY,
            TINY, (mp.pi / 4)**2 * mp.mpf('1.001'), 6, 0),
    'erf': (near_0(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
                   lambda z: 2 / mp.sqrt(mp.pi) - 1 - 2 * z / 3 / mp.sqrt(mp.pi)),
            lambda z: mp.sqrt(mp.pi) / 2, TINY, mp.mpf('0.85'), 5, 0),
    'sinc': (square(lambda x: mp.sin(mp.pi * x) / mp.pi,
                    lambda z: -mp.pi**2 / 6 + z * mp.pi**4 / 120), by_x, TINY,
             mp.mpf('0.2501'), 4, 7),
    'lgamma': (lgamma_rest, lambda t: 1 / lgamma_rest(t), mp.mpf('-0.49999999'),
               mp.mpf('0.49999999'), 0, 10),
    'erfinv': (erfinv_rest,
               lambda t: (t + 2.5 + TINY) / erfinv_by_w(t + mp.mpf('2.5') + TINY),
               mp.mpf('-2.5'), mp.mpf('2.5'), 8, 20),
    **{f'I{k}': (bessel(k), lambda q, k=k: 1 / bessel(k)(q), TINY, mp.mpf(16), 0, 15 - k)
       for k in (0, 1)},
    **{f'I{k}, far': (far_bessel(k), lambda y, k=k: 1 / far_bessel(k)(y),
                      mp.mpf(16) / 750 - 1, mp.mpf(1), 0, 23 + k) for k in (0, 1)},
    'erfc': (erfc_by_u, lambda u: 1 / erfc_by_u(u), mp.mpf(-1), U, 0, 9),
}


def main(names):
    for name in names or FITS:
        f, weight, low, high, *degrees = FITS[name]
        for kind, digits, degree in zip(('float', 'double'), (9, 17), degrees):
            if degree:
                terms, error = fit(f, weight, low, high, degree)
                print(f'{name}, {kind}, 2^{float(mp.log(error, 2)):.1f}:',
                      ', '.join(f'{float(c):.{digits}g}' for c in terms), flush=True)


main(sys.argv[1:])
