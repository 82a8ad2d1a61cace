// Tensors of random numbers.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/distributions.h"
#include "ops/filling.h"
#include "ops/rules.h"
#include "ops/scalars.h"
#include "random/generator.h"
#include "tensor/convert.h"

namespace th {

int64_t largest_exact(DType type) {
  return dispatch(type, [](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Half>) {
      return int64_t{1} << 11;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return int64_t{1} << 8;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(std::numeric_limits<T>::max());
    } else {
      return int64_t{1} << std::numeric_limits<T>::digits;
    }
  });
}

void set_filled(Shapes& s, Tensor*& r, int ndim, const int64_t* size) {
  if (!has_shape(*r, ndim, size)) {
    s.set(r, ndim, size, Layout::in_place);
  } else if (!is_contiguous(*r)) {
    s.set(r, ndim, size, Layout::contiguous);
  }
}

void fill_by(Op op, Tensor* r, Generator* g, Distribution distribution, double a, double b) {
  RandomCall call = {};
  call.distribution = distribution;
  call.a = a;
  call.b = b;
  fill_random(op, r, g, call);
}

void fill_random(Op op, Tensor* r, Generator* g, RandomCall& call) {
  if (r->numel() == 0) return;
  call.dtype = r->dtype;
  call.generator = g;
  call.n = r->numel();
  run(op, device_of({r}), [&](Operands& at) -> const RandomCall& {
    call.out = at.overwrite(r);
    return call;
  });
}

namespace {

// Integers counted from first on; range 0 stands for 2^64.
void fill_integers(Op op, Tensor* r, Generator* g, int64_t first, uint64_t range) {
  RandomCall call = {};
  call.distribution = Distribution::integer;
  call.first = first;
  call.range = range;
  fill_random(op, r, g, call);
}
void fill_between(Op op, Tensor* r, Generator* g, int64_t min, int64_t max) {
  fill_integers(op, r, g, min, static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1);
}

// Raises an error if an integer type, or one of 16 bits, does not hold all integers from min to
// max. By Torch7's rule they are converted.
void check_holds(DType type, int64_t min, int64_t max) {
  if (current_rules.torch7 || type == DType::Long) return;
  if (type == DType::Half || type == DType::BFloat16) {
    int64_t most = largest_exact(type);
    if (min >= -most && max <= most) return;
  } else if (!is_integral(type) ||
             (holds(type, static_cast<double>(min)) && holds(type, static_cast<double>(max)))) {
    return;
  }
  fail("%sTensor does not hold all integers from %lld to %lld", name_with_article(type),
       as_long(min), as_long(max));
}

// Writes the integers from TH_INDEX_BASE on in the order of random keys of 64 bits. r is a vector
// and not empty.
void permute_by_keys(Tensor* r, Generator* g) {
  TensorRef keys(tensor_new_sized(DType::Long, 1, r->size));
  TensorRef sorted(tensor_new(DType::Long)), order(tensor_new(DType::Long));
  place_result(device_of({r}), keys.get());
  ops::clampedRandom(keys.get(), g, INT64_MIN, INT64_MAX);
  ops::sort(sorted.get(), order.get(), keys.get(), 0, false);
  ops::copy(r, order.get());
}

void check_range(int64_t low, int64_t high) {
  if (high > low) return;
  fail("low must be less than high, got low = %lld and high = %lld; sizes follow", as_long(low),
       as_long(high));
}

void set_filled(Shapes& s, Tensor*& r) {
  if (!is_contiguous(*r)) s.set(r, *r, Layout::contiguous);
}
void set_filled(Shapes& s, Tensor*& r, Sizes sizes) { set_filled(s, r, sizes.ndim, sizes.size); }

}  // namespace

// ---- integers -----------------------------------------------------------------------------------

void shapes(args::random& a, Shapes& s) { set_filled(s, a.self); }
void calls(args::random& a) {
  // One word for each element, as in Torch7: the wider types get 32 random bits.
  uint64_t range = static_cast<uint64_t>(largest_exact(a.self->dtype)) + 1;
  fill_integers(Op::random, a.self, a.gen, 0, std::min(range, uint64_t{1} << 32));
}

void shapes(args::cappedRandom& a, Shapes& s) {
  if (a.max < 1) s.fail(a.max, "max must be positive, got %lld", as_long(a.max));
  check_holds(a.self->dtype, 1, a.max);
  set_filled(s, a.self);
}
void calls(args::cappedRandom& a) { fill_between(Op::cappedRandom, a.self, a.gen, 1, a.max); }

void shapes(args::clampedRandom& a, Shapes& s) {
  if (a.max < a.min) {
    s.fail(a.max, "max must not be less than min, got %lld and %lld", as_long(a.max),
           as_long(a.min));
  }
  check_holds(a.self->dtype, a.min, a.max);
  set_filled(s, a.self);
}
void calls(args::clampedRandom& a) { fill_between(Op::clampedRandom, a.self, a.gen, a.min, a.max); }

void shapes(args::randint& a, Shapes& s) {
  check_range(a.low, a.high);
  check_holds(a.r_->dtype, a.low, a.high - 1);
  set_filled(s, a.r_, a.size);
}
void calls(args::randint& a) { fill_between(Op::randint, a.r_, a.gen, a.low, a.high - 1); }

void shapes(args::randintTo& a, Shapes& s) {
  check_range(0, a.high);
  check_holds(a.r_->dtype, 0, a.high - 1);
  set_filled(s, a.r_, a.size);
}
void calls(args::randintTo& a) { fill_between(Op::randintTo, a.r_, a.gen, 0, a.high - 1); }

void shapes(args::randperm& a, Shapes& s) {
  if (a.n < 0) s.fail(a.n, "n must not be negative, got %lld", as_long(a.n));
  if (a.n > largest_exact(a.r_->dtype)) {
    s.fail(a.n, "%sTensor does not hold all integers up to %lld", name_with_article(a.r_->dtype),
           as_long(a.n));
  }
  set_filled(s, a.r_, 1, &a.n);
}
void calls(args::randperm& a) {
  if (a.n == 0) return;
  // MT19937 permutes on the CPU as Torch7 did. Devices use words of Philox.
  bool is_philox = a.gen->kind == GeneratorKind::philox || device_of({a.r_});
  if (is_philox) return permute_by_keys(a.r_, a.gen);
  fill_by(Op::randperm, a.r_, a.gen, Distribution::permutation, 0);
}

// ---- distributions ------------------------------------------------------------------------------

void shapes(args::uniform& a, Shapes& s) {
  // Torch7 takes any bounds, in any order.
  if (!current_rules.torch7 && !(a.a <= a.b)) {
    s.fail(a.b, "the lower bound %g is above the upper bound %g", a.a, a.b);
  }
  if (!current_rules.torch7 && !std::isfinite(a.b - a.a)) {
    s.fail(a.b, "the distance from %g to %g is not finite", a.a, a.b);
  }
  set_filled(s, a.self);
}
void calls(args::uniform& a) {
  fill_by(Op::uniform, a.self, a.gen, Distribution::uniform, a.a, a.b);
}

void shapes(args::normal& a, Shapes& s) {
  check_deviation(a.stdv, s.number_of(&a.stdv));
  set_filled(s, a.self);
}
void calls(args::normal& a) {
  fill_by(Op::normal, a.self, a.gen, Distribution::normal, a.mean, a.stdv);
}

void shapes(args::exponential& a, Shapes& s) {
  check_lambda(a.lambda, s.number_of(&a.lambda));
  set_filled(s, a.self);
}
void calls(args::exponential& a) {
  fill_by(Op::exponential, a.self, a.gen, Distribution::exponential, a.lambda);
}

void shapes(args::cauchy& a, Shapes& s) {
  if (!current_rules.torch7 && !(a.sigma > 0)) {
    s.fail(a.sigma, "sigma must be positive, got %g", a.sigma);
  }
  set_filled(s, a.self);
}
void calls(args::cauchy& a) {
  fill_by(Op::cauchy, a.self, a.gen, Distribution::cauchy, a.median, a.sigma);
}

void shapes(args::logNormal& a, Shapes& s) {
  check_deviation(a.stdv, s.number_of(&a.stdv));
  set_filled(s, a.self);
}
void calls(args::logNormal& a) {
  fill_by(Op::logNormal, a.self, a.gen, Distribution::log_normal, a.mean, a.stdv);
}

void shapes(args::geometric& a, Shapes& s) {
  check_geometric(a.p, s.number_of(&a.p));
  set_filled(s, a.self);
}
void calls(args::geometric& a) {
  Tensor* r = a.self;
  const auto largest = static_cast<double>(geometric_of(unit_of(UINT32_MAX), a.p));
  if (!is_integral(r->dtype) || holds(r->dtype, largest) || current_rules.torch7) {
    return fill_by(Op::geometric, r, a.gen, Distribution::geometric, a.p);
  }
  TensorRef numbers(tensor_new_sized(DType::Double, r->nDimension, r->size));
  place_result(device_of({r}), numbers.get());
  fill_by(Op::geometric, numbers.get(), a.gen, Distribution::geometric, a.p);
  copy_numbers(r, numbers.get());
}

void shapes(args::bernoulli& a, Shapes& s) {
  check_bernoulli(a.p, s.number_of(&a.p));
  set_filled(s, a.self);
}
void calls(args::bernoulli& a) {
  fill_by(Op::bernoulli, a.self, a.gen, Distribution::bernoulli, a.p);
}

void shapes(args::rand& a, Shapes& s) { set_filled(s, a.r_, a.size); }
void calls(args::rand& a) { fill_by(Op::rand, a.r_, a.gen, Distribution::uniform, 0, 1); }

void shapes(args::randn& a, Shapes& s) { set_filled(s, a.r_, a.size); }
void calls(args::randn& a) { fill_by(Op::randn, a.r_, a.gen, Distribution::normal, 0, 1); }

void shapes(args::randLike& a, Shapes& s) {
  set_filled(s, a.r_, a.input->nDimension, a.input->size);
}
void calls(args::randLike& a) {
  place_result(device_of({a.input}), a.r_);
  fill_by(Op::randLike, a.r_, a.gen, Distribution::uniform, 0, 1);
}

void shapes(args::randnLike& a, Shapes& s) {
  set_filled(s, a.r_, a.input->nDimension, a.input->size);
}
void calls(args::randnLike& a) {
  place_result(device_of({a.input}), a.r_);
  fill_by(Op::randnLike, a.r_, a.gen, Distribution::normal, 0, 1);
}

}  // namespace th
