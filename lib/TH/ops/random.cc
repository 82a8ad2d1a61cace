// Tensors of random numbers.

#include "ops/direct.h"
#include "ops/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/distributions.h"
#include "ops/rules.h"
#include "tensor/convert.h"

namespace th {

namespace {

void check_floating(Op op, const Tensor& r) {
  if (is_integral(r.dtype)) fail("%s is not defined for a %sTensor", name(op), name(r.dtype));
}

// Devices' words of n normal values; a value kept by the last pair comes first.
void take_normals(Generator& g, int64_t n, RandomCall* call) {
  // A generator's own stream goes on from fill to fill; the others begin with each.
  bool goes_on = g.kind == GeneratorKind::philox;
  if (goes_on && g.normal_kept) {
    double z = g.normal() * call->b + call->a;
    call->has_first = true;
    call->first_value = call->distribution == Distribution::log_normal ? std::exp(z) : z;
    --n;
  }
  if (n == 0) return;
  int64_t pairs = n / 2 + n % 2;
  g.begin_pair();
  call->position = g.take(2 * static_cast<uint64_t>(pairs));
  if (!goes_on) return;
  PhiloxPosition last = call->position;
  last.offset += 2 * static_cast<uint64_t>(pairs - 1);
  uint32_t x = philox_word(last);
  ++last.offset;
  g.set_pair(x, philox_word(last));
  g.normal_kept = n % 2 != 0;
}

// Which words of which stream a device takes; the generator is left as the same fill on the CPU
// leaves one of Philox.
void take_words(Generator& g, RandomCall* call) {
  if (call->distribution == Distribution::normal ||
      call->distribution == Distribution::log_normal) {
    return take_normals(g, call->n, call);
  }
  bool takes_two = call->distribution == Distribution::integer &&
                   (call->range == 0 || call->range > uint64_t{1} << 32);
  if (takes_two) g.begin_pair();
  call->position = g.take(static_cast<uint64_t>(call->n) * (takes_two ? 2 : 1));
}

void fill_random(Op op, Tensor* r, Generator* g, const RandomCall& filling) {
  if (r->numel() == 0) return;
  Device* device = device_of({r});
  ContiguousResult result(device, r, nullptr);
  run(op, device, [&](Operands& at) {
    RandomCall call = filling;
    call.dtype = r->dtype;
    call.generator = g;
    call.n = r->numel();
    call.out = at.overwrite(result.get());
    if (at.device()) take_words(*g, &call);
    return call;
  });
  result.finish();
}

void fill_by(Op op, Tensor* r, Generator* g, Distribution distribution, double a, double b = 0) {
  RandomCall call = {};
  call.distribution = distribution;
  call.a = a;
  call.b = b;
  fill_random(op, r, g, call);
}

// Integers counted from first on; range 0 stands for 2^64.
void fill_integers(Op op, Tensor* r, Generator* g, int64_t first, uint64_t range) {
  RandomCall call = {};
  call.distribution = Distribution::integer;
  call.first = first;
  call.range = range;
  fill_random(op, r, g, call);
}

// The largest integer up to which an element type has all.
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

// The integers from TH_INDEX_BASE on in the order of random keys, one of 64 bits for each: in no
// order of its own, for devices. r is a vector, and not empty.
void permute_by_keys(Tensor* r, Generator* g) {
  TensorRef keys(tensor_new_sized(DType::Long, 1, r->size));
  TensorRef sorted(tensor_new(DType::Long)), order(tensor_new(DType::Long));
  place_result(device_of({r}), keys.get());
  ops::clampedRandom(keys.get(), g, INT64_MIN, INT64_MAX);
  ops::sort(sorted.get(), order.get(), keys.get(), 0, false);
  ops::copy(r, order.get());
}

}  // namespace

namespace direct {

void random(Tensor* r, Generator* g) {
  // One word for each element, as in Torch7: the wider types get 32 random bits.
  uint64_t range = static_cast<uint64_t>(largest_exact(r->dtype)) + 1;
  fill_integers(Op::random, r, g, 0, std::min(range, uint64_t{1} << 32));
}

void cappedRandom(Tensor* r, Generator* g, int64_t max) {
  if (max < 1) {
    fail_argument(3, "max must be positive, got %lld", static_cast<long long>(max));
  }
  fill_integers(Op::cappedRandom, r, g, 1, static_cast<uint64_t>(max));
}

void clampedRandom(Tensor* r, Generator* g, int64_t min, int64_t max) {
  if (max < min) {
    fail_argument(4, "max must not be less than min, got %lld and %lld",
                  static_cast<long long>(max), static_cast<long long>(min));
  }
  fill_integers(Op::clampedRandom, r, g, min,
                static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1);
}

void uniform(Tensor* r, Generator* g, double a, double b) {
  // Torch7 takes the bounds in any order.
  if (!current_rules.torch7 && !(a <= b)) {
    fail_argument(4, "the lower bound %g is above the upper bound %g", a, b);
  }
  check_floating(Op::uniform, *r);
  fill_by(Op::uniform, r, g, Distribution::uniform, a, b);
}

void normal(Tensor* r, Generator* g, double mean, double deviation) {
  check_deviation(deviation, 4);
  check_floating(Op::normal, *r);
  fill_by(Op::normal, r, g, Distribution::normal, mean, deviation);
}

void exponential(Tensor* r, Generator* g, double lambda) {
  check_lambda(lambda, 3);
  check_floating(Op::exponential, *r);
  fill_by(Op::exponential, r, g, Distribution::exponential, lambda);
}

void cauchy(Tensor* r, Generator* g, double median, double sigma) {
  if (!current_rules.torch7 && !(sigma > 0)) {
    fail_argument(4, "sigma must be positive, got %g", sigma);
  }
  check_floating(Op::cauchy, *r);
  fill_by(Op::cauchy, r, g, Distribution::cauchy, median, sigma);
}

void logNormal(Tensor* r, Generator* g, double mean, double deviation) {
  check_deviation(deviation, 4);
  check_floating(Op::logNormal, *r);
  fill_by(Op::logNormal, r, g, Distribution::log_normal, mean, deviation);
}

void geometric(Tensor* r, Generator* g, double p) {
  check_geometric(p, 3);
  fill_by(Op::geometric, r, g, Distribution::geometric, p);
}

void bernoulli(Tensor* r, Generator* g, double p) {
  check_bernoulli(p, 3);
  fill_by(Op::bernoulli, r, g, Distribution::bernoulli, p);
}

void rand(Tensor* r, Generator* g, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  uniform(r, g, 0, 1);
}

void randn(Tensor* r, Generator* g, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  normal(r, g, 0, 1);
}

void randLike(Tensor* r, Generator* g, Tensor* like) {
  check_floating(Op::randLike, *r);
  resize_as(r, *like);
  uniform(r, g, 0, 1);
}

void randnLike(Tensor* r, Generator* g, Tensor* like) {
  check_floating(Op::randnLike, *r);
  resize_as(r, *like);
  normal(r, g, 0, 1);
}

void randint(Tensor* r, Generator* g, int64_t low, int64_t high, Sizes sizes) {
  if (high <= low) {
    fail("there is no integer from %lld to below %lld", static_cast<long long>(low),
         static_cast<long long>(high));
  }
  resize(r, sizes.ndim, sizes.size);
  clampedRandom(r, g, low, high - 1);
}

void randintTo(Tensor* r, Generator* g, int64_t high, Sizes sizes) {
  randint(r, g, 0, high, sizes);
}

void randperm(Tensor* r, Generator* g, int64_t n) {
  if (n < 0) fail_argument(3, "n must not be negative, got %lld", static_cast<long long>(n));
  if (n > largest_exact(r->dtype)) {
    fail_argument(3, "a %sTensor does not hold all integers up to %lld", name(r->dtype),
                  static_cast<long long>(n));
  }
  resize(r, 1, &n);
  if (n == 0) return;
  if (g->kind == GeneratorKind::philox || device_of({r})) return permute_by_keys(r, g);
  fill_by(Op::randperm, r, g, Distribution::permutation, 0);
}

}  // namespace direct
}  // namespace th
