#ifndef TH_CUDA_LAPACK_BATCH_H
#define TH_CUDA_LAPACK_BATCH_H

// Batches of small matrices for the functions of cuBLAS and cuSOLVER that compute them together.

#include <algorithm>

#include "cuda/batch_pointers.h"
#include "cuda/solver.h"

namespace th {

// Larger matrices fill the device one by one.
constexpr int kSmallMatrix = 256;
// Maximum number of matrices per call: some kernels use the third grid dimension for them.
constexpr int64_t kMostMatrices = 65535;

inline bool is_small_batch(const Matrices& a) {
  return a.count > 1 && std::max(a.rows, a.cols) <= kSmallMatrix;
}

// The addresses of the matrices, in memory of the device.
template <class T>
class BatchPointers {
 public:
  BatchPointers(Queue& queue, const Matrices& a) : BatchPointers(queue, a.data, a.step, a.count) {}
  // step: in elements.
  BatchPointers(Queue& queue, char* first, int64_t step, int64_t count)
      : pointers_(queue, static_cast<size_t>(count) * sizeof(T*)) {
    write_pointers(queue, pointers_.as<void*>(), first, step * static_cast<int64_t>(sizeof(T)),
                   count);
  }
  T** from(int64_t k) const { return pointers_.as<T*>() + k; }

 private:
  Scratch pointers_;
};

// Calls f(first, n) for parts of a batch, of at most `most` matrices.
template <class F>
void for_parts(int64_t count, const F& f, int64_t most = kMostMatrices) {
  for (int64_t first = 0; first < count; first += most) {
    f(first, static_cast<int>(std::min(most, count - first)));
  }
}

}  // namespace th

#endif
