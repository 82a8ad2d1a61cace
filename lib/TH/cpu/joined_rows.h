#ifndef TH_CPU_JOINED_ROWS_H
#define TH_CPU_JOINED_ROWS_H

// Loops over short rows, as of tables with few columns. A call of the loop for each row takes
// longer than its elements, so several rows are joined to one run. Operands that are not contiguous
// across the rows are copied to buffers: repeated rows, repeated elements, and rows with gaps.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/loop.h"
#include "backend/loop_plan.h"
#include "cpu/parallel.h"

namespace th {

template <int most>
class JoinedRows {
 public:
  JoinedRows(const LoopPlanOf<most>& plan, const int64_t* item, Loop loop, const void* context)
      : plan_(plan), item_(item), loop_(loop), context_(context) {}

  // Returns true if this class is defined for the plan, and is faster than a call for each row.
  // streamed: such calls would write their results by streaming stores.
  bool applies(bool streamed) {
    if (plan_.ndim < 2 || plan_.size[0] < 2 || plan_.size[1] < kLeastRows) return false;
    if (plan_.size[0] > (streamed ? kMostStreamed : kMostRepeated)) return false;
    bool has_gaps = false;
    int64_t item = 0;
    for (int k = 0; k < plan_.operands; ++k) {
      const int64_t* stride = plan_.stride[k];
      item = std::max(item, item_[k]);
      const bool is_row = stride[0] == item_[k];
      if (is_row && stride[1] == plan_.size[0] * item_[k]) continue;
      if (buffers_ == kMostBuffers || !(is_row || (k > 0 && stride[0] == 0))) return false;
      // A constant, as for a fill, is used as it is by a call for each row.
      if (stride[0] == 0 && stride[1] == 0) return false;
      has_gaps = has_gaps || !is_repeated(k);
      buffered_[buffers_++] = k;
    }
    // Very short and long rows with gaps, or of a repeated element, take as long to copy as a call.
    return !has_gaps ||
           (plan_.size[0] >= kLeastWithGaps && plan_.size[0] * item <= kMostBytesWithGaps);
  }

  // grain: minimum number of elements per thread.
  void run(int64_t grain) const {
    const int64_t rows = kPart / plan_.size[0];
    const int64_t parts = (plan_.size[1] + rows - 1) / rows;
    const int64_t count = plan_.numel / (plan_.size[0] * plan_.size[1]) * parts;
    parallel_for(count, std::max<int64_t>(1, grain / kPart),
                 [&](int64_t begin, int64_t end) { run_parts(begin, end, rows, parts); });
  }

 private:
  static constexpr int64_t kLeastRows = 8, kMostRepeated = 128, kMostStreamed = 32;
  static constexpr int64_t kLeastWithGaps = 9, kMostBytesWithGaps = 128;
  static constexpr int64_t kPart = 512;  // elements of a run, which stay in the L1 cache
  static constexpr int64_t kItem = 8;    // bytes of the largest element
  static constexpr int64_t kVector = 16;
  static constexpr int kMostBuffers = 4;

  // Repeated rows are written to their buffers only once.
  bool is_repeated(int k) const {
    return k > 0 && plan_.stride[k][0] != 0 && plan_.stride[k][1] == 0;
  }

  void run_parts(int64_t begin, int64_t end, int64_t rows, int64_t parts) const {
    alignas(64) char buffer[kMostBuffers][kPart * kItem + kVector];
    const char* repeated[kMostBuffers] = {};  // the row that fills the buffer
    for (int64_t part = begin; part < end; ++part) {
      char *data[most], *at[most];
      const int64_t first = part % parts * rows, n = std::min(rows, plan_.size[1] - first);
      for (int k = 0; k < plan_.operands; ++k) {
        data[k] = plan_.data[k] + first * plan_.stride[k][1];
      }
      int64_t rest = part / parts;
      for (int d = 2; d < plan_.ndim; ++d) {
        const int64_t i = rest % plan_.size[d];
        for (int k = 0; k < plan_.operands; ++k) data[k] += i * plan_.stride[k][d];
        rest /= plan_.size[d];
      }
      std::copy(data, data + plan_.operands, at);
      for (int b = 0; b < buffers_; ++b) {
        const int k = buffered_[b];
        at[k] = buffer[b];
        if (!is_repeated(k)) {
          if (k > 0) read_rows(k, data[k], n, buffer[b]);
        } else if (repeated[b] != data[k]) {
          // With one part for each position of the other dimensions, no part has more rows.
          repeat(data[k], plan_.size[0] * item_[k], parts > 1 ? rows : n, buffer[b]);
          repeated[b] = data[k];
        }
      }
      loop_(at, item_, n * plan_.size[0], context_);
      if (at[0] != data[0]) write_rows(at[0], n, data[0]);
    }
  }

  // Writes n copies of a row, which has `bytes` bytes.
  static void repeat(const char* row, int64_t bytes, int64_t n, char* out) {
    std::memcpy(out, row, static_cast<size_t>(bytes));
    for (int64_t filled = bytes; filled < n * bytes;) {
      const int64_t next = std::min(filled, n * bytes - filled);
      std::memcpy(out + filled, out, static_cast<size_t>(next));
      filled += next;
    }
  }

  void read_rows(int k, const char* data, int64_t n, char* out) const {
    if (plan_.stride[k][0] != 0) {
      const int64_t bytes = plan_.size[0] * item_[k];
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(out + i * bytes, data + i * plan_.stride[k][1], static_cast<size_t>(bytes));
      }
      return;
    }
    switch (item_[k]) {
      case 1:
        return read_elements<uint8_t>(k, data, n, out);
      case 2:
        return read_elements<uint16_t>(k, data, n, out);
      case 4:
        return read_elements<uint32_t>(k, data, n, out);
      default:
        return read_elements<uint64_t>(k, data, n, out);
    }
  }

  // Writes the element of each row as often as a row has elements. Writes whole vectors: the next
  // row overwrites those that extend past the end of a row.
  template <class T>
  void read_elements(int k, const char* data, int64_t n, char* out) const {
    constexpr int64_t lanes = kVector / sizeof(T);
    const int64_t bytes = plan_.size[0] * static_cast<int64_t>(sizeof(T));
    for (int64_t i = 0; i < n; ++i, out += bytes) {
      T element, vector[lanes];
      std::memcpy(&element, data + i * plan_.stride[k][1], sizeof(T));
      for (T& lane : vector) lane = element;
      for (int64_t at = 0; at < bytes; at += kVector) std::memcpy(out + at, vector, kVector);
    }
  }

  void write_rows(const char* from, int64_t n, char* data) const {
    const int64_t bytes = plan_.size[0] * item_[0];
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(data + i * plan_.stride[0][1], from + i * bytes, static_cast<size_t>(bytes));
    }
  }

  const LoopPlanOf<most>& plan_;
  const int64_t* item_;
  Loop loop_;
  const void* context_;
  int buffers_ = 0;
  int buffered_[kMostBuffers];  // the operands that are copied to buffers
};

}  // namespace th

#endif
