#ifndef TH_OPS_BUFFER_H
#define TH_OPS_BUFFER_H

#include <algorithm>
#include <cstdint>

#include "memory/heap.h"

namespace th {

// Scratch memory for n items, uninitialized, for as long as it is in scope.
template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t n)
      : data_(static_cast<T*>(heap_allocate(std::max<int64_t>(n, 1) * sizeof(T)))) {}
  ~Buffer() { heap_free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  T* data_;
};

}  // namespace th

#endif
