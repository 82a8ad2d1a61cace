#ifndef TH_CPU_KERNELS_EXPONENTIALS_H
#define TH_CPU_KERNELS_EXPONENTIALS_H

#include "cpu/kernels/element_loop.h"

namespace th {
namespace {

// The number of elements of whole blocks of vectors, at least n.
inline int64_t padded_to_lanes(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Replaces n elements by their exponentials. x has space for padded_to_lanes(n) of them.
template <class T>
inline void exponentials(T* x, int64_t n) {
  const T* const in[] = {x};
  const functor::exp<T> exp(nullptr);
  compute_block(exp, in, x, padded_to_lanes(n), std::make_index_sequence<1>());
}

}  // namespace
}  // namespace th

#endif
