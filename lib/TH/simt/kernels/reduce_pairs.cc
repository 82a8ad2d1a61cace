// Reductions of two operands: dot products, comparisons, distances.

#include "simt/kernels/reduction.h"

namespace th {

template <class T>
void reduce_pairs(Queue& queue, Reducer reducer, Pairing pairing, const ReducePlan& plan) {
  if (pairing == Pairing::product) {
    return run_reduction<Value<Sum<WideOf<T>>>, Source<T, Pairing::product>>(queue, plan);
  }
  if (pairing == Pairing::unequal) {
    return run_reduction<Value<Sum<uint64_t>>, Source<T, Pairing::unequal>>(queue, plan);
  }
  if constexpr (!std::is_integral_v<T>) {
    using S = Source<T, Pairing::difference>;
    switch (reducer) {
      case Reducer::nonzero:
        return run_reduction<Value<NonZero<T>>, S>(queue, plan);
      case Reducer::abs_sum:
        return run_reduction<Value<AbsSum<T>>, S>(queue, plan);
      case Reducer::abs_min:
        return run_reduction<Value<AbsMin<T>>, S>(queue, plan);
      case Reducer::abs_max:
        return run_reduction<Value<AbsMax<T>>, S>(queue, plan);
      case Reducer::squares:
        return run_reduction<Value<Squares<T>>, S>(queue, plan);
      case Reducer::powers:
        return run_reduction<Value<Powers<T>>, S>(queue, plan);
      default:
        return;  // of no distance
    }
  }
}

#define TH_TYPE(Name, real, accreal, kind, ...)                                           \
  template void reduce_pairs<ElementOf<DType::Name>::Type>(Queue&, Reducer, Pairing, \
                                                           const ReducePlan&);
#include "THTypes.def"
#undef TH_TYPE

}  // namespace th
