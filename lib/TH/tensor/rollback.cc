#include "tensor/rollback.h"

#include <exception>
#include <utility>

namespace th {

bool Rollback::is_unchanged(const Before& before) noexcept {
  const Tensor& t = *before.tensor;
  bool same = t.storageOffset == before.offset && t.nDimension == before.ndim;
  for (int d = 0; same && d < before.ndim; ++d) {
    same = t.size[d] == before.geometry[2 * d] && t.stride[d] == before.geometry[2 * d + 1];
  }
  return same;
}

void Rollback::restore(const Before& before) noexcept {
  Tensor* t = before.tensor;
  // Finalizers, which may run if memory is short, may have replaced the storage.
  if (before.storage && t->storage != before.storage) return;
  // A tensor of unchanged shape may have got its first storage.
  if (!before.storage && before.ndim > 0 && is_unchanged(before)) return;
  if (Storage* s = t->storage) {
    try {
      if (s->size > before.elements) storage_resize(s, before.elements);
    } catch (const std::exception&) {
      // The storage is in use elsewhere, so it stays larger.
    }
    if (s->size < before.elements) return;
    if (!before.storage) storage_free(std::exchange(t->storage, nullptr));
  }
  // Other threads may be reading operands.
  if (is_unchanged(before)) return;
  t->storageOffset = before.offset;
  t->nDimension = before.ndim;
  for (int d = 0; d < before.ndim; ++d) {
    t->size[d] = before.geometry[2 * d];
    t->stride[d] = before.geometry[2 * d + 1];
  }
}

void Rollback::restore() noexcept {
  for (int k = count_ - 1; k >= 0; --k) restore(before_[k]);
}

}  // namespace th
