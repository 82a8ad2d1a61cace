// Scans of long rows of integers by CUB.

#include <cub/device/device_scan.cuh>

#include "cuda/with_scratch.h"
#include "simt/scan_row.h"

namespace th {

namespace {

// In 64 bits, because int would overflow.
template <class T>
struct Add {
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};
template <class T>
struct Multiply {
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};

template <class T, class F>
void scan(Queue& queue, const T* in, T* out, const F& f, int64_t n) {
  with_scratch(queue, [&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, in, out, f, n, queue.stream());
  });
}

template <class T>
void scan(Queue& queue, bool product, const T* in, T* out, int64_t n) {
  product ? scan(queue, in, out, Multiply<T>(), n) : scan(queue, in, out, Add<T>(), n);
}

}  // namespace

void scan_row(Queue& queue, bool product, const uint8_t* in, uint8_t* out, int64_t n) {
  scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint16_t* in, uint16_t* out, int64_t n) {
  scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint32_t* in, uint32_t* out, int64_t n) {
  scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint64_t* in, uint64_t* out, int64_t n) {
  scan(queue, product, in, out, n);
}

}  // namespace th
