// Scans of long rows of integers on the software device, as one task of the queue.

#include "simt/scan_row.h"

namespace th {

namespace {

template <class T>
void queue_scan(Queue& queue, bool product, const T* in, T* out, int64_t n) {
  queue.enqueue([=] {
    T total = product ? 1 : 0;
    for (int64_t i = 0; i < n; ++i) {
      // 64 bits, because int would overflow.
      const uint64_t a = total, b = in[i];
      out[i] = total = static_cast<T>(product ? a * b : a + b);
    }
  });
}

}  // namespace

void scan_row(Queue& queue, bool product, const uint8_t* in, uint8_t* out, int64_t n) {
  queue_scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint16_t* in, uint16_t* out, int64_t n) {
  queue_scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint32_t* in, uint32_t* out, int64_t n) {
  queue_scan(queue, product, in, out, n);
}
void scan_row(Queue& queue, bool product, const uint64_t* in, uint64_t* out, int64_t n) {
  queue_scan(queue, product, in, out, n);
}

}  // namespace th
