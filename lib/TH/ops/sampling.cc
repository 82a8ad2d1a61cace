// Random numbers of distributions that are sampled by rejection, composed of uniform and normal
// numbers. All compute in doubles.

#include <cmath>
#include <vector>

#include "functors/distributions.h"
#include "ops/elementwise.h"
#include "ops/filling.h"
#include "ops/formula_operations.h"
#include "ops/scalars.h"

namespace th {

void copy_numbers(Tensor* r, Tensor* numbers) {
  if (is_integral(r->dtype) && numbers->numel() > 0) {
    const double most = ops::maxall(numbers).to_double();
    if (!holds(r->dtype, most)) {
      fail("%sTensor does not hold %.14g", name_with_article(r->dtype), most);
    }
  }
  ops::copy(r, numbers);
}

namespace {

using namespace formulas;

using Parameters = std::vector<Var>;

struct Proposal {
  Var value, accepted;
};

Var uniform_numbers(const Var& like, Generator* g) {
  Var r = filled(like, 0);
  ops::uniform(r.get(), g, 0, 1);
  return r;
}
Var normal_numbers(const Var& like, Generator* g) {
  Var r = filled(like, 0);
  ops::normal(r.get(), g, 0, 1);
  return r;
}

bool any(const Var& mask) { return ops::logicalany(mask.get()); }

// Draws a value for each element of the parameters, which are vectors. propose(parameters) is
// called again for the elements whose value it has not accepted.
template <class F>
Var draw_by_rejection(Parameters parameters, const F& propose) {
  constexpr int kMostRounds = 1000;
  Var result, pending;
  for (int round = 0; round < kMostRounds; ++round) {
    const Proposal proposal = propose(parameters);
    if (!pending) {
      result = proposal.value;
    } else {
      ops::indexCopy(result.get(), 0, pending.get(), proposal.value.get());
    }
    const Var rejected = logicalNot(proposal.accepted);
    if (!any(rejected)) return result;
    const Var positions = flat(nonzero(rejected));
    pending = pending ? indexSelect(pending, int64_t{0}, positions) : positions;
    for (Var& p : parameters) p = indexSelect(p, int64_t{0}, positions);
  }
  fail("no number was accepted in %d rounds", kMostRounds);
}

// ---- gamma --------------------------------------------------------------------------------------

// The logarithms of gamma distributed numbers. Marsaglia and Tsang, A simple method for generating
// gamma variables (2000). For a shape below 1, the number of shape + 1 times u^(1 / shape).
Var log_gamma_numbers(const Var& shape, Generator* g) {
  const Var is_small = ltValue(shape, Scalar(1));
  const Var at_least_one = where(is_small, shape + 1, shape);
  Var result = draw_by_rejection({at_least_one - 1.0 / 3}, [&](const Parameters& p) -> Proposal {
    const Var& d = p[0];
    const Var x = normal_numbers(d, g), u = uniform_numbers(d, g);
    const Var root = x / sqrt(d * 9) + 1, valid = gtValue(root, Scalar(0));
    const Var v = where(valid, root * root * root, filled(root, 1)), log_v = log(v);
    const Var limit = x * x * 0.5 + d * (1 - v + log_v);
    return {log(d) + log_v, logicalAnd(valid, ltTensor(log(u), limit))};
  });
  if (!any(is_small)) return result;
  const Var shrunk = result + log(uniform_numbers(shape, g)) / shape;
  return where(is_small, shrunk, result);
}

// ---- Poisson ------------------------------------------------------------------------------------

// Distributions with a mean below this are inverted; others use rejection.
constexpr double kSmallMean = 10;
constexpr int kMostSteps = 200;

// Counts the probabilities p(0), p(1) ... whose sum is below a uniform number. The parameters are
// vectors. first(parameters) returns p(0); next(p, parameters, k) returns p(k), where p is p(k -
// 1). On the CPU, parts are computed that stay in the cache.
template <class F, class G>
Var invert(const Parameters& parameters, Generator* g, const F& first, const G& next) {
  constexpr int64_t kPart = 1 << 15;
  const Var u = uniform_numbers(parameters[0], g), result = filled(u, 0);
  const int64_t n = u->numel(), most = device_of({u.get()}) ? n : kPart;
  for (int64_t begin = 0; begin < n; begin += most) {
    const int64_t size = std::min(most, n - begin);
    Parameters own;
    for (const Var& p : parameters) own.push_back(part(p, 0, begin, size));
    const Var limit = part(u, 0, begin, size), count = part(result, 0, begin, size);
    Var p = first(own), sum = p;
    for (int k = 1; k < kMostSteps; ++k) {
      const Var beyond = gtTensor(limit, sum);
      if (!any(beyond)) break;
      ops::cadd(count.get(), count.get(), Scalar(1.0), as(beyond, DType::Double).get());
      p = next(p, own, k);
      sum = sum + p;
    }
  }
  return result;
}

// The parts of Hormann's rejection methods: the transformed rejection method for Poisson (1993) and
// for binomial (1993) distributed numbers. us: the distance from the nearer end.
struct Hat {
  Var u, v, us, accepted;
  Hat(const Var& like, const Var& limit, Generator* g)
      : u(uniform_numbers(like, g) - 0.5),
        v(uniform_numbers(like, g)),
        us(0.5 - abs(u)),
        accepted(logicalAnd(geValue(us, Scalar(0.07)), leTensor(v, limit))) {}
};

// One of two results for each element, of which those that are not needed are not computed.
template <class F, class G>
Var choose(const Var& is_small, const F& small, const G& large) {
  if (!any(is_small)) return large();
  if (!any(logicalNot(is_small))) return small();
  const Var s = small();
  return where(is_small, s, large());
}

// From this mean on, densities follow from Stirling's series, because differences of logarithms of
// the gamma function have no correct digit in the end. The first term left out, 1 / (12 k), is less
// than 1e-7.
constexpr double kLargeMean = 1 << 20;
// Returns k log(k / mean) + mean - k. Both terms of Stirling's series that grow are in it.
Var deviance(const Var& k, const Var& mean) {
  const Var x = (mean - k) / k;
  return k * (x - log1p(x));
}

// The logarithm of the Poisson density at k.
Var log_density(const Var& k, const Var& mean) {
  return choose(
      ltValue(mean, Scalar(kLargeMean)), [&] { return k * log(mean) - mean - lgamma(k + 1); },
      [&] { return log(k * (2 * kPi)) * -0.5 - deviance(k, mean); });
}

Var large_poisson(const Var& rates, Generator* g) {
  return draw_by_rejection({rates}, [&](const Parameters& p) -> Proposal {
    const Var &rate = p[0], b = sqrt(rate) * 2.53 + 0.931, a = b * 0.02483 - 0.059;
    const Var log_alpha = log(1.1328 / (b - 3.4) + 1.1239);
    const Hat hat(rate, 0.9277 - 3.6224 / (b - 2), g);
    const Var k = floor((a * 2 / hat.us + b) * hat.u + rate + 0.43);
    const Var size = log(hat.v) + log_alpha - log(a / (hat.us * hat.us) + b);
    const Var inside = logicalAnd(geValue(k, Scalar(0)), leTensor(size, log_density(k, rate)));
    return {k, logicalOr(hat.accepted, inside)};
  });
}

Var poisson_numbers(const Var& rates, Generator* g) {
  const Var is_small = ltValue(rates, Scalar(kSmallMean));
  return choose(
      is_small,
      [&] {
        return invert(
            {cminValue(rates, Scalar(kSmallMean))}, g,
            [](const Parameters& rate) { return exp(-rate[0]); },
            [](const Var& p, const Parameters& rate, int k) { return p * rate[0] / double(k); });
      },
      [&] { return large_poisson(cmaxValue(rates, Scalar(kSmallMean)), g); });
}

// ---- binomial -----------------------------------------------------------------------------------

// p is at most 0.5, and n * p at least kSmallMean.
Var large_binomial(const Var& counts, const Var& probabilities, Generator* g) {
  return draw_by_rejection({counts, probabilities}, [&](const Parameters& x) -> Proposal {
    const Var &n = x[0], &p = x[1], q = 1 - p, deviation = sqrt(n * p * q);
    const Var b = deviation * 2.53 + 1.15, a = b * 0.0248 + p * 0.01 - 0.0873;
    const Var alpha = deviation * (5.1 / b + 2.83), m = floor((n + 1) * p);
    const Hat hat(n, 0.92 - 4.2 / b, g);
    const Var drawn = floor((a * 2 / hat.us + b) * hat.u + n * p + 0.5);
    const Var valid = logicalAnd(geValue(drawn, Scalar(0)), leTensor(drawn, n));
    const Var k = where(valid, drawn, m);
    const Var size = log(hat.v * alpha / (a / (hat.us * hat.us) + b));
    // Relative to the density of m. Up to a factor, the density is the product of those of k and
    // n - k.
    const Var hits = n * p, misses = n * q;
    const Var density = log_density(k, hits) - log_density(m, hits) + log_density(n - k, misses) -
                        log_density(n - m, misses);
    return {k, logicalAnd(valid, logicalOr(hat.accepted, leTensor(size, density)))};
  });
}

Var binomial_numbers(const Var& n, const Var& probability, Generator* g) {
  const Var is_flipped = gtValue(probability, Scalar(0.5));
  const Var p = where(is_flipped, 1 - probability, probability);
  const Var is_small = ltValue(n * p, Scalar(kSmallMean));
  const Var k = choose(
      is_small,
      [&] {
        // The numbers of elements that are not small are not used.
        const Var few = where(is_small, n, filled(n, 0)), odds = p / (1 - p);
        return invert(
            {few, odds, p}, g, [](const Parameters& x) { return exp(x[0] * log1p(-x[2])); },
            [](const Var& previous, const Parameters& x, int i) {
              return previous * x[1] * cmaxValue(x[0] - double(i - 1), Scalar(0)) / double(i);
            });
      },
      [&] {
        const Var many = where(is_small, filled(n, 4 * kSmallMean), n);
        return large_binomial(many, where(is_small, filled(p, 0.5), p), g);
      });
  return where(is_flipped, n - k, k);
}

// ---- parameters and results ---------------------------------------------------------------------

void copy_numbers(Tensor* r, const Var& numbers) { copy_numbers(r, with_shape(numbers, *r).get()); }

// A parameter for each element of r, as a vector.
Var constant(Tensor* r, double x) {
  const int64_t n = r->numel();
  TensorRef values(tensor_new_sized(DType::Double, 1, &n));
  place_result(device_of({r}), values.get());
  ops::fill(values.get(), x);
  return Var(std::move(values));
}
Var parameter(Tensor* t) { return flat(as(ref(t), DType::Double)); }

void check_positive(const Shapes& s, const double& x, const char* name) {
  if (x > 0 && std::isfinite(x)) return;
  s.fail(x, "%s must be positive and finite, got %g", name, x);
}
// Checks the elements of a parameter against the range from low to high.
void check_elements(const Shapes& s, Tensor* const& t, double low, bool open, double high,
                    const char* expected) {
  if (t->numel() == 0) return;
  const double least = ops::minall(t).to_double(), most = ops::maxall(t).to_double();
  if ((open ? least > low : least >= low) && most <= high) return;
  s.fail(t, "%s are expected, got values from %g to %g", expected, least, most);
}
void check_positive_elements(const Shapes& s, Tensor* const& t) {
  check_elements(s, t, 0, true, 1.7976931348623157e308, "positive finite numbers");
}

// Sets the result for parameters that broadcast.
void set_paired(Shapes& s, Tensor*& r, Tensor* a, Tensor* b) {
  Tensor* const both[] = {a, b};
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(both, 2, nullptr, &ndim, size);
  s.set(r, ndim, size);
}

constexpr double kMostTrials = 9007199254740992.0;  // 2^53

}  // namespace

void shapes(args::gamma& a, Shapes& s) {
  check_positive(s, a.shape, "the shape");
  check_positive(s, a.scale, "the scale");
}
void calls(args::gamma& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, exp(log_gamma_numbers(constant(a.self, a.shape), a.gen)) * a.scale);
}

void shapes(args::gamma_shapes& a, Shapes& s) {
  check_positive_elements(s, a.shapes);
  s.set(a.self, *a.shapes);
}
void calls(args::gamma_shapes& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, exp(log_gamma_numbers(parameter(a.shapes), a.gen)));
}

namespace {

// x / (x + y) for gamma distributed x and y. If both parameters are tiny, the result is 0 or 1 and
// depends on their quotient; the logarithms of x and y would be infinite.
void draw_beta(Tensor* r, const Var& a, const Var& b, Generator* g) {
  const Var is_tiny = ltValue(cmax(a, b), Scalar(1e-200));
  const auto scaled = [&](const Var& t) { return where(is_tiny, t * 1e100, t); };
  const Var x = log_gamma_numbers(scaled(a), g);
  copy_numbers(r, sigmoid(x - log_gamma_numbers(scaled(b), g)));
}

}  // namespace

void shapes(args::beta& a, Shapes& s) {
  check_positive(s, a.a, "a");
  check_positive(s, a.b, "b");
}
void calls(args::beta& a) {
  if (a.self->numel() == 0) return;
  draw_beta(a.self, constant(a.self, a.a), constant(a.self, a.b), a.gen);
}

void shapes(args::beta_tensors& a, Shapes& s) {
  check_positive_elements(s, a.a);
  check_positive_elements(s, a.b);
  set_paired(s, a.self, a.a, a.b);
}
void calls(args::beta_tensors& a) {
  if (a.self->numel() == 0) return;
  const Paired pair = paired_views(a.a, a.b);
  draw_beta(a.self, parameter(pair.a.get()), parameter(pair.b.get()), a.gen);
}

void shapes(args::chi2& a, Shapes& s) { check_positive(s, a.degrees, "the degrees of freedom"); }
void calls(args::chi2& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, exp(log_gamma_numbers(constant(a.self, a.degrees / 2), a.gen)) * 2);
}

void shapes(args::chi2_degrees& a, Shapes& s) {
  check_positive_elements(s, a.degrees);
  s.set(a.self, *a.degrees);
}
void calls(args::chi2_degrees& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, exp(log_gamma_numbers(parameter(a.degrees) / 2, a.gen)) * 2);
}

void shapes(args::poisson& a, Shapes& s) {
  if (!(a.rate >= 0 && a.rate <= kMostTrials)) {
    s.fail(a.rate, "the mean is from 0 to 2^53, got %g", a.rate);
  }
}
void calls(args::poisson& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, poisson_numbers(constant(a.self, a.rate), a.gen));
}

void shapes(args::poisson_rates& a, Shapes& s) {
  check_elements(s, a.rates, 0, false, kMostTrials, "means from 0 to 2^53");
  s.set(a.self, *a.rates);
}
void calls(args::poisson_rates& a) {
  if (a.self->numel() == 0) return;
  copy_numbers(a.self, poisson_numbers(parameter(a.rates), a.gen));
}

void shapes(args::binomial& a, Shapes& s) {
  if (a.n < 0) s.fail(a.n, "the number of trials is %lld", as_long(a.n));
  if (!(a.p >= 0 && a.p <= 1)) s.fail(a.p, "p must be >= 0 and <= 1, got %g", a.p);
}
void calls(args::binomial& a) {
  if (a.self->numel() == 0) return;
  const Var n = constant(a.self, static_cast<double>(a.n));
  copy_numbers(a.self, binomial_numbers(n, constant(a.self, a.p), a.gen));
}

void shapes(args::binomial_tensors& a, Shapes& s) {
  check_elements(s, a.counts, 0, false, kMostTrials, "numbers of trials from 0 to 2^53");
  check_elements(s, a.p, 0, false, 1, "probabilities from 0 to 1");
  set_paired(s, a.self, a.counts, a.p);
}
void calls(args::binomial_tensors& a) {
  if (a.self->numel() == 0) return;
  const Paired pair = paired_views(a.counts, a.p);
  copy_numbers(a.self,
               binomial_numbers(floor(parameter(pair.a.get())), parameter(pair.b.get()), a.gen));
}

}  // namespace th
