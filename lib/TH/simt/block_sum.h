#ifndef TH_SIMT_BLOCK_SUM_H
#define TH_SIMT_BLOCK_SUM_H

#include "functors/reducers.h"
#include "simt/block_scan.h"
#include "tensor/convert.h"

namespace th {
namespace {

template <class T>
__device__ double element(const T* t, int64_t i) {
  return static_cast<double>(load(t[i]));
}

// The sum over the threads of a block. All of them must call it.
__device__ inline double block_sum(double own) {
  double total;
  block_exclusive_scan<Sum<double>>(own, &total);
  return total;
}

}  // namespace
}  // namespace th

#endif
