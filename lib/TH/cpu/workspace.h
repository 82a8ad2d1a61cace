#ifndef TH_CPU_WORKSPACE_H
#define TH_CPU_WORKSPACE_H

#include <cstddef>
#include <cstdint>

#include "memory/heap.h"
#include "tensor/checked.h"

namespace th {
namespace {

// Uninitialized host memory for n items, freed at the end of the scope.
template <class T>
class Workspace {
 public:
  explicit Workspace(int64_t n) {
    if (n <= 0) return;
    const int64_t bytes = checked_mul(n, sizeof(T), "the memory that the operation needs");
    data_ = static_cast<T*>(heap_allocate(static_cast<size_t>(bytes)));
  }
  ~Workspace() {
    if (data_) heap_free(data_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  T* data() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
};

}  // namespace
}  // namespace th

#endif
