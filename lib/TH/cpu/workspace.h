#ifndef TH_CPU_WORKSPACE_H
#define TH_CPU_WORKSPACE_H

#include <cstddef>
#include <cstdint>

#include "memory/heap.h"

namespace th {
namespace {

// Uninitialized host memory for n items, freed at the end of the scope.
template <class T>
class Workspace {
 public:
  explicit Workspace(int64_t n) {
    if (n > 0) data_ = static_cast<T*>(heap_allocate(static_cast<size_t>(n) * sizeof(T)));
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
