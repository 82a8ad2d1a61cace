// Reductions of two operands: dot products, comparisons, distances.

#include "simt/kernels/reduction.h"

namespace th {

template <class T>
void reduce_pairs(Queue& queue, Reducer reducer, Transform transform, const ReducePlan& plan) {
  if (transform == Transform::product) {
    return run_reduction<Value<Sum<WideOf<T>>>, Source<T, Transform::product>>(queue, plan);
  }
  if (transform == Transform::unequal) {
    return run_reduction<Value<Sum<uint64_t>>, Source<T, Transform::unequal>>(queue, plan);
  }
  if constexpr (!std::is_integral_v<T>) {
    using S = Source<T, Transform::difference>;
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
        return;  // not used for distances
    }
  }
}

#define TH_TYPE(Name, real, accreal, kind, ...)                                        \
  template void reduce_pairs<ElementOf<DType::Name>::Type>(Queue&, Reducer, Transform, \
                                                           const ReducePlan&);
#include "THTypes.def"
#undef TH_TYPE

}  // namespace th
