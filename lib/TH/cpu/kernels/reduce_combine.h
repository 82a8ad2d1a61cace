#ifndef TH_CPU_KERNELS_REDUCE_COMBINE_H
#define TH_CPU_KERNELS_REDUCE_COMBINE_H

// Combines the partial results of blocks of elements.

#include "backend/grain.h"
#include "functors/reducers.h"
#include "functors/reduction.h"
#include "tensor/dtype.h"

namespace th {
namespace {

constexpr struct {
  Combination combination;
  int64_t grain;
} kReducerRows[] = {
#define TH_REDUCER(name, Functor, types, cost) {Functor<double>::kCombination, Grain::cost},
#include "functors/reducers.def"
};

// The parameters that are common to both reduction calls.
struct ReductionParameters {
  Reducer reducer;
  bool moment, index;
  DType dtype;
  double parameter;

  Combination combination() const { return kReducerRows[static_cast<int>(reducer)].combination; }
  int64_t grain() const { return kReducerRows[static_cast<int>(reducer)].grain; }
  bool has_auxiliary() const { return moment || index; }
  // Returns true if elements must be multiplied strictly in order, as a scalar loop would.
  bool in_order() const { return combination() == Combination::product && !is_integral(dtype); }
};

inline int64_t add_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t multiply_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Returns true if b, which comes later, replaces a. The first NaN replaces any number and is kept.
template <class V>
bool replaces(Combination extreme, V a, V b) {
  if (a != a) return false;
  if (b != b) return true;
  return extreme == Combination::smallest ? b < a : b > a;
}

// Combines a, the result of na elements, with b, the result of the nb elements that follow.
inline void combine(const ReductionParameters& op, Partial* a, int64_t na, const Partial& b,
                    int64_t nb) {
  bool integral = is_integral(op.dtype);
  const Combination combination = op.combination();
  switch (combination) {
    case Combination::product:
      if (integral) {
        a->value.i = multiply_wrapping(a->value.i, b.value.i);
      } else {
        a->value.d *= b.value.d;
      }
      return;
    case Combination::smallest:
    case Combination::largest:
      if (integral ? replaces(combination, a->value.i, b.value.i)
                   : replaces(combination, a->value.d, b.value.d)) {
        a->value = b.value;
        if (op.index) a->aux.index = na + b.aux.index;
      }
      return;
    case Combination::sum:
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
