#ifndef TH_TENSOR_ROLLBACK_H
#define TH_TENSOR_ROLLBACK_H

#include "memory/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Sizes, strides and offsets of a call's results as they were before it, and the sizes of their
// storages. Memory is taken only when it is used, which is after a result got its new sizes: where
// there is none, restore() gives it the old ones. Elements that were written stay written.
class Rollback {
 public:
  static constexpr int kMost = 8;

  Rollback() noexcept : count_(0) {}
  // Of the first kMost; each must live until the call has returned.
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

  Before before_[kMost];  // not even cleared
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
