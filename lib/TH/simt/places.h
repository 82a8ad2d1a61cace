#ifndef TH_SIMT_PLACES_H
#define TH_SIMT_PLACES_H

// How kernels find the elements of a LoopPlan, and elements that are only moved.

#include <algorithm>
#include <cstdint>

#include "simt/kernels/offsets.h"
#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {
namespace {

// n / divisor; 32-bit numbers stay below 2^31.
template <class I>
struct Quotient {
  I divisor;
  Quotient() = default;
  explicit Quotient(int64_t d) : divisor(static_cast<I>(d)) {}
  __device__ I quotient(I n) const { return n / divisor; }
};
template <>
struct Quotient<uint32_t> : Divider {
  Quotient() = default;
  explicit Quotient(int64_t d) : Divider(static_cast<uint32_t>(d)) {}
};

// Where the elements of a plan's first N operands lie. I: uint32_t where their number allows it.
template <int N, class I>
struct Places {
  int ndim;
  Quotient<I> size[kDeviceDims];
  int64_t stride[N][kDeviceDims];
  char* data[N];

  explicit Places(const LoopPlan& plan) : ndim(plan.ndim) {
    for (int d = 0; d < ndim; ++d) size[d] = Quotient<I>(plan.size[d]);
    for (int k = 0; k < N; ++k) {
      data[k] = plan.data[k];
      std::copy(plan.stride[k], plan.stride[k] + ndim, stride[k]);
    }
  }

  __device__ void get(I i, char* (&at)[N]) const {
    for (int k = 0; k < N; ++k) at[k] = data[k];
    for (int d = 0; d < ndim; ++d) {
      I next = d + 1 < ndim ? size[d].quotient(i) : 0;
      I index = i - next * size[d].divisor;
      for (int k = 0; k < N; ++k) at[k] += index * stride[k][d];
      i = next;
    }
  }
};

// The same for elements one after the other.
template <int N, class I>
class Cursor {
 public:
  __device__ Cursor(const Places<N, I>& places, I first) : places_(places), i_(first) { seek(); }
  __device__ void next() {
    ++i_;
    if (--left_ == 0) {
      seek();
    } else {
      for (int k = 0; k < N; ++k) at[k] += places_.stride[k][0];
    }
  }
  char* at[N];

 private:
  __device__ void seek() {
    places_.get(i_, at);
    if (places_.ndim == 0) return;
    I width = places_.size[0].divisor;
    left_ = width - (i_ - places_.size[0].quotient(i_) * width);
  }
  const Places<N, I>& places_;
  I i_, left_ = 1;
};

// Numbers below this are counted in 32 bits, with room for a grid's stride.
constexpr int64_t kMost32 = int64_t{1} << 31;

struct alignas(16) Bytes16 {
  uint64_t low, high;
};

// f(T()) for an unsigned type of as many bytes, up to 8: for what only moves elements.
template <class F>
void dispatch_bytes(size_t bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    default:
      return f(uint64_t());
  }
}
// Up to 16.
template <class F>
void dispatch_wide(size_t bytes, const F& f) {
  if (bytes == sizeof(Bytes16)) return f(Bytes16());
  dispatch_bytes(bytes, f);
}

// f(uint32_t()) or f(uint64_t()), for counting so far.
template <class F>
void dispatch_count(int64_t most, const F& f) {
  if (most < kMost32) {
    f(uint32_t());
  } else {
    f(uint64_t());
  }
}

// Moves of single elements become moves of up to 16 bytes where operands 0 and 2 lie side by side,
// whatever operand 1, an index, says: it is the same for all of these, and steps are the distances
// that it moves them by. Returns the new size of an element.
inline size_t widen(LoopPlan* plan, size_t item, const int64_t* steps, int count) {
  if (plan->ndim == 0 || plan->stride[1][0] != 0) return item;
  for (size_t bytes = sizeof(Bytes16); bytes > item; bytes /= 2) {
    auto wide = static_cast<int64_t>(bytes);
    bool fits = plan->size[0] * static_cast<int64_t>(item) % wide == 0;
    for (int k : {0, 2}) {
      fits = fits && plan->stride[k][0] == static_cast<int64_t>(item) &&
             reinterpret_cast<uintptr_t>(plan->data[k]) % bytes == 0;
      for (int d = 1; d < plan->ndim; ++d) fits = fits && plan->stride[k][d] % wide == 0;
    }
    for (int s = 0; s < count; ++s) fits = fits && steps[s] % wide == 0;
    if (!fits) continue;
    int64_t merged = wide / static_cast<int64_t>(item);
    plan->size[0] /= merged;
    plan->numel /= merged;
    plan->stride[0][0] = plan->stride[2][0] = wide;
    return bytes;
  }
  return item;
}

}  // namespace
}  // namespace th

#endif
