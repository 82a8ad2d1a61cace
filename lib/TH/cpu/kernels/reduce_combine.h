#ifndef TH_CPU_KERNELS_REDUCE_COMBINE_H
#define TH_CPU_KERNELS_REDUCE_COMBINE_H

// Combines the partial results of blocks of elements.

#include "backend/grain.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {
namespace {

// The parameters that are common to both reduction calls.
struct ReductionParameters {
  Reducer reducer;
  bool moment, index;
  DType dtype;
  double parameter;

  int64_t grain() const { return reducer == Reducer::powers ? Grain::costly : Grain::cheap; }
  bool has_auxiliary() const { return moment || index; }
  // Returns true if elements must be multiplied strictly in order, as a scalar loop would.
  bool in_order() const { return reducer == Reducer::prod && !is_integral(dtype); }
};

inline int64_t add_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t multiply_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Returns true if b, which comes later, replaces a. The first NaN replaces any number and is kept.
template <class V>
bool replaces(Reducer reducer, V a, V b) {
  if (a != a) return false;
  if (b != b) return true;
  return reducer == Reducer::min || reducer == Reducer::abs_min ? b < a : b > a;
}

// Combines a, the result of na elements, with b, the result of the nb elements that follow.
inline void combine(const ReductionParameters& op, Partial* a, int64_t na, const Partial& b,
                    int64_t nb) {
  bool integral = is_integral(op.dtype);
  switch (op.reducer) {
    case Reducer::prod:
      if (integral) {
        a->value.i = multiply_wrapping(a->value.i, b.value.i);
      } else {
        a->value.d *= b.value.d;
      }
      return;
    case Reducer::min:
    case Reducer::max:
    case Reducer::abs_min:
    case Reducer::abs_max:
      if (integral ? replaces(op.reducer, a->value.i, b.value.i)
                   : replaces(op.reducer, a->value.d, b.value.d)) {
        a->value = b.value;
        if (op.index) a->aux.index = na + b.aux.index;
      }
      return;
    default:
      break;
  }
  if (op.moment) {
    auto x = static_cast<double>(na), y = static_cast<double>(nb);
    double apart = b.value.d / y - a->value.d / x;
    a->aux.moment += b.aux.moment + apart * apart * (x * y / (x + y));
  }
  if (integral) {
    a->value.i = add_wrapping(a->value.i, b.value.i);
  } else {
    a->value.d += b.value.d;
  }
}

}  // namespace
}  // namespace th

#endif
