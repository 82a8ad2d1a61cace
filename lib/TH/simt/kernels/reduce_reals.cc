// Reductions of floating-point elements. As on the CPU, sums of all types are kept in double. Even
// where double is slow it keeps up with memory, and the results differ from the CPU's only by
// rounding errors of double.

#include "simt/kernels/reduction.h"

namespace th {

template <class T>
void reduce_elements(Queue& queue, Reducer reducer, bool index, const ReducePlan& plan) {
  using S = Source<T, Transform::none>;
  switch (reducer) {
    case Reducer::sum:
      return run_reduction<Value<Sum<T>>, S>(queue, plan);
    case Reducer::prod:
      return run_reduction<Value<Prod<T>>, S>(queue, plan);
    case Reducer::min:
      return index ? run_reduction<ArgExtreme<T, false>, S>(queue, plan)
                   : run_reduction<Value<Min<T>>, S>(queue, plan);
    case Reducer::max:
      return index ? run_reduction<ArgExtreme<T, true>, S>(queue, plan)
                   : run_reduction<Value<Max<T>>, S>(queue, plan);
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
    case Reducer::deviation:
      return run_reduction<Value<Deviation<T>>, S>(queue, plan);
  }
}

template void reduce_elements<Half>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<BFloat16>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<float>(Queue&, Reducer, bool, const ReducePlan&);
template void reduce_elements<double>(Queue&, Reducer, bool, const ReducePlan&);

}  // namespace th
