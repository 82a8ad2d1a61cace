// Reductions of two operands: dot products, comparisons, distances.

#include "simt/kernels/reduction.h"

namespace th {

namespace {

// Reduces the differences of pairs if the reducer is compiled for floating-point types only and has
// the same parameter for all elements. Distances use no other reducer.
template <template <class> class Functor, class Types, class T>
void reduce_differences(Queue& queue, const ReducePlan& plan) {
  if constexpr (std::is_same_v<Types, FloatingTypes> && !Functor<T>::Each) {
    run_reduction<Value<Functor<T>>, Source<T, Transform::difference>>(queue, plan);
  }
}

}  // namespace

template <class T>
void reduce_pairs(Queue& queue, Reducer reducer, Transform transform, const ReducePlan& plan) {
  if (transform == Transform::product) {
    return run_reduction<Value<Sum<WideOf<T>>>, Source<T, Transform::product>>(queue, plan);
  }
  if (transform == Transform::unequal) {
    return run_reduction<Value<Sum<uint64_t>>, Source<T, Transform::unequal>>(queue, plan);
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (reducer) {
#define TH_REDUCER(name, Functor, types, cost) \
  case Reducer::name:                          \
    return reduce_differences<Functor, types, T>(queue, plan);
#include "functors/reducers.def"
    }
  }
}

#define TH_TYPE(Name, real, accreal, kind, ...)                                        \
  template void reduce_pairs<ElementOf<DType::Name>::Type>(Queue&, Reducer, Transform, \
                                                           const ReducePlan&);
#include "THTypes.def"
#undef TH_TYPE

}  // namespace th
