#ifndef TH_CPU_STREAMED_LOOP_H
#define TH_CPU_STREAMED_LOOP_H

// Loops whose operands are larger than the caches. They write to a buffer, which is copied to the
// result by streaming stores: these do not read the cache lines that they write.

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cpu/loops.h"
#include "cpu/kernels/prefetch.h"
#include "cpu/parallel.h"

namespace th {
namespace {

constexpr int64_t kLine = 64;  // bytes of a cache line
#ifdef __SSE2__
constexpr bool kStreams = true;
// Writes a cache line without reading it. Other threads see the bytes after finish_stream().
inline void stream_line(char* to, const char* from) {
  for (int64_t i = 0; i < kLine; i += static_cast<int64_t>(sizeof(__m128i))) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}
inline void finish_stream() { _mm_sfence(); }
#else
constexpr bool kStreams = false;
inline void stream_line(char* to, const char* from) { std::memcpy(to, from, kLine); }
inline void finish_stream() {}
#endif

// Bytes of the largest operand in a part. The operands of this part and the next stay in the L1
// cache.
constexpr int64_t kPart = 4096;
constexpr int64_t kLeastRun = 512;    // Elements.
constexpr int64_t kLongestStep = 16;  // Bytes between elements. Longer steps are not prefetched.
// With fewer bytes of operands, the next operation finds more of them in the caches than a
// streaming store saves.
constexpr int64_t kLeastStreamed = int64_t{48} << 20;
// The result must have at least a kResultPart-th of all bytes, or reading its lines costs little.
constexpr int64_t kResultPart = 8;

// Returns true if the loop reads and writes more than the caches hold, and writes long runs that it
// does not read. Other loops than cheap ones compute while plain stores wait for the memory.
template <int most>
bool is_streamed(const LoopPlanOf<most>& plan, const int64_t* item, int64_t grain) {
  const auto address = [&](int k) { return reinterpret_cast<intptr_t>(plan.data[k]); };
  if (!kStreams || grain < Grain::cheap || plan.inner_stride(0) != item[0] ||
      plan.inner_size() < kLeastRun || address(0) % item[0] != 0) {
    return false;
  }
  int64_t bytes = 0, result = 0;
  intptr_t first = 0, last = 0;  // of the result
  for (int k = 0; k < plan.operands; ++k) {
    intptr_t begin = address(k), end = begin;
    int64_t own = item[k];
    for (int d = 0; d < plan.ndim; ++d) {
      if (plan.stride[k][d]) own *= plan.size[d];
      const int64_t length = (plan.size[d] - 1) * plan.stride[k][d];
      (length < 0 ? begin : end) += length;
    }
    if (k == 0) {
      first = begin;
      last = end;
      result = own;
    } else if (begin <= last && end >= first) {
      return false;
    }
    bytes += own;
  }
  return bytes >= kLeastStreamed && result * kResultPart >= bytes;
}

// Copies to the start of a cache line.
inline void stream_copy(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  for (; i + kLine <= bytes; i += kLine) stream_line(to + i, from + i);
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

// A loop that writes to a buffer. The buffer is streamed to the result.
struct StreamedLoop {
  Loop loop;
  const void* context;
  int operands;
  int64_t item;  // bytes of an element of the result
  bool copies;   // operand 1, without a conversion

  template <int most>
  void run(char* const* data, const int64_t* stride, int64_t n) const {
    alignas(kLine) char buffer[kPart];
    const auto past_line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data[0]) % kLine);
    const int64_t head = past_line ? std::min(n, (kLine - past_line) / item) : 0;
    if (head > 0) loop(data, stride, head, context);
    if (copies && stride[1] == item) {
      return stream_copy(data[0] + head * item, data[1] + head * item, (n - head) * item);
    }
    // Inputs that are loaded ahead, and their bytes for a line of the result.
    const int64_t elements = kLine / item;
    const char* next[most];
    int64_t step[most];
    int ahead = 0;
    int64_t largest = item;
    for (int k = 1; k < operands; ++k) {
      if (stride[k] <= 0 || stride[k] > kLongestStep) continue;
      next[ahead] = data[k] + head * stride[k];
      step[ahead++] = elements * stride[k];
      largest = std::max(largest, stride[k]);
    }
    const int64_t part = kPart / largest / elements * elements;
    for (int64_t i = head; i < n; i += part) {
      const int64_t m = std::min(part, n - i);
      char* at[most];
      at[0] = buffer;
      for (int k = 1; k < operands; ++k) at[k] = data[k] + i * stride[k];
      loop(at, stride, m, context);
      // The loads of the next part take place beside the stores of this one.
      char* const to = data[0] + i * item;
      const int64_t lines = m / elements;
      if (i + part >= n) ahead = 0;
      for (int64_t line = 0; line < lines; ++line) {
        for (int k = 0; k < ahead; ++k) {
          for (int64_t j = 0; j < step[k]; j += kLine) {
            prefetch(next[k], (lines + line) * step[k] + j);
          }
        }
        stream_line(to + line * kLine, buffer + line * kLine);
      }
      const int64_t done = lines * kLine;
      std::memcpy(to + done, buffer + done, static_cast<size_t>(m * item - done));
      for (int k = 0; k < ahead; ++k) next[k] += lines * step[k];
    }
  }
};

template <int most>
void run_streamed(const LoopPlanOf<most>& plan, const StreamedLoop& streamed, int64_t grain) {
  parallel_for(plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_run(plan, begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
      streamed.run<most>(data, stride, n);
    });
    finish_stream();
  });
}

}  // namespace
}  // namespace th

#endif
