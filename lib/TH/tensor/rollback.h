#ifndef TH_TENSOR_ROLLBACK_H
#define TH_TENSOR_ROLLBACK_H

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Saves sizes, strides, offsets and storage sizes of the results of a call. Memory is allocated
// lazily, after a result got its new sizes. If the allocation fails, restore() gives the result its
// old sizes back. Overwritten elements are not restored.
class Rollback {
 public:
  static constexpr int kMost = 8;

  Rollback() noexcept : count_(0) {}
  // Saves the first kMost tensors; others are ignored. Each must live until the call has returned.
  void remember(Tensor* t) noexcept;
  void restore() noexcept;

 private:
  struct Before {
    Tensor* tensor;
    Storage* storage;
    ptrdiff_t offset, elements;
    int ndim;
    int64_t geometry[2 * kMaxDims];
  };
  static bool is_unchanged(const Before& before) noexcept;
  static void restore(const Before& before) noexcept;

  Before before_[kMost];  // uninitialized, to save time
  int count_;
};

inline void Rollback::remember(Tensor* t) noexcept {
  if (count_ == kMost) return;
  Before& before = before_[count_++];
  before.tensor = t;
  before.storage = t->storage;
  before.offset = t->storageOffset;
  before.elements = t->storage ? t->storage->size : 0;
  before.ndim = t->nDimension;
  for (int d = 0; d < t->nDimension; ++d) {
    before.geometry[2 * d] = t->size[d];
    before.geometry[2 * d + 1] = t->stride[d];
  }
}

}  // namespace TH_VISIBLE

#endif
