// Selection by masks, and of nonzero elements. The selected elements of each chunk are counted
// first, so that each chunk knows where to write its results.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "THGeneral.h"
#include "backend/cpu_backend.h"
#include "cpu/kernels/positions.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Minimum number of chunks per thread.
constexpr int64_t kTask = 16;

template <class T>
bool is_nonzero(T x) {
  if constexpr (IsReduced<T>::value) {
    return (x.x & 0x7fff) != 0;
  } else {
    return x != 0;
  }
}

// The number of nonzero bytes, counted in bytes that do not overflow.
int64_t count_bytes(const uint8_t* x, int64_t n) {
  constexpr int64_t kLanes = 64, kMostRows = UINT8_MAX;
  int64_t found = 0;
  while (n >= kLanes) {
    const int64_t rows = std::min(n / kLanes, kMostRows);
    uint8_t lane[kLanes] = {};
    for (int64_t row = 0; row < rows; ++row, x += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) lane[j] = static_cast<uint8_t>(lane[j] + (x[j] != 0));
    }
    for (const uint8_t part : lane) found += part;
    n -= rows * kLanes;
  }
  for (int64_t i = 0; i < n; ++i) found += x[i] != 0;
  return found;
}

template <class T>
int64_t count_run(const char* at, int64_t stride, int64_t n) {
  int64_t found = 0;
  if (stride == sizeof(T)) {
    if (sizeof(T) == 1) return count_bytes(reinterpret_cast<const uint8_t*>(at), n);
    const T* x = reinterpret_cast<const T*>(at);
#pragma omp simd reduction(+ : found)
    for (int64_t i = 0; i < n; ++i) found += is_nonzero(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      found += is_nonzero(*reinterpret_cast<const T*>(at + i * stride));
    }
  }
  return found;
}

template <class T>
void count(const CountCall& call) {
  int64_t n = call.plan.numel, chunks = select_chunks(n);
  parallel_for(chunks, kTask, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      int64_t found = 0;
      for_each_run(call.plan, c * kSelectChunk, std::min(n, (c + 1) * kSelectChunk),
                   [&](char* const* at, const int64_t* stride, int64_t m) {
                     found += count_run<T>(at[0], stride[0], m);
                   });
      call.before[c] = found;
    }
  });
  int64_t sum = 0;
  for (int64_t c = 0; c < chunks; ++c) {
    int64_t found = call.before[c];
    call.before[c] = sum;
    sum += found;
  }
  call.before[chunks] = sum;
}

// Calls f(first chunk, begin, end, chunk after the last) for ranges of elements, in parallel. If
// results may share memory, calls f once for all elements.
template <class F>
void for_chunks(const LoopPlan& plan, const F& f) {
  int64_t n = plan.numel, chunks = select_chunks(n);
  if (plan.shared_output) return f(int64_t{0}, int64_t{0}, n, chunks);
  parallel_for(chunks, kTask, [&](int64_t first, int64_t last) {
    f(first, first * kSelectChunk, std::min(n, last * kSelectChunk), last);
  });
}

// ---- positions of selected elements -------------------------------------------------------------

constexpr int64_t kBlock = 256;  // elements tested at a time

// Returns n bytes that are nonzero for selected elements. Contiguous bytes are returned as they
// are.
template <class T>
const uint8_t* marks_of(const char* at, int64_t stride, int64_t n, uint8_t* marks) {
  if (std::is_same_v<T, uint8_t> && stride == 1) return reinterpret_cast<const uint8_t*>(at);
  if (stride == sizeof(T)) {
    const T* x = reinterpret_cast<const T*>(at);
    for (int64_t i = 0; i < n; ++i) marks[i] = is_nonzero(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      marks[i] = is_nonzero(*reinterpret_cast<const T*>(at + i * stride));
    }
  }
  return marks;
}

inline bool has_mark(const uint8_t* marks, int64_t n) {
  uint8_t any = 0;
  for (int64_t i = 0; i < n; ++i) any |= marks[i];
  return any != 0;
}

// Calls f(first, positions, count) for the selected elements first + positions[k]. `left` limits
// them to the number counted before, because another thread may change the mask meanwhile.
template <class T, class F>
void for_chosen(const char* at, int64_t stride, int64_t n, int64_t* left, const F& f) {
  uint8_t own[kBlock];
  int32_t positions[kBlock + kPositionsAtOnce];
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = std::min(kBlock, n - i);
    const uint8_t* marks = marks_of<T>(at + i * stride, stride, m, own);
    if (!has_mark(marks, m)) continue;
    const int64_t count = std::min(positions_of(marks, m, positions), *left);
    *left -= count;
    f(i, positions, count);
  }
}

// True for the positions of all elements of a block.
inline bool are_all(const int32_t* positions, int64_t n) { return positions[n - 1] == n - 1; }

// to[k * to_step] = from[positions[k] * from_step]; steps in bytes.
template <class T>
void collect(char* to, int64_t to_step, const char* from, int64_t from_step,
             const int32_t* positions, int64_t n) {
  if (to_step == sizeof(T) && from_step == sizeof(T) && n > 0 && are_all(positions, n)) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t k = 0; k < n; ++k) {
    *reinterpret_cast<T*>(to + k * to_step) =
        *reinterpret_cast<const T*>(from + positions[k] * from_step);
  }
}

template <class T>
void distribute(char* to, int64_t to_step, const T* from, const int32_t* positions, int64_t n) {
  if (to_step == sizeof(T) && n > 0 && are_all(positions, n)) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t k = 0; k < n; ++k) *reinterpret_cast<T*>(to + positions[k] * to_step) = from[k];
}

// ---- masks -------------------------------------------------------------------------------------

template <class T>
void masked_select(const MaskedSelectCall& call) {
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t after) {
    char* to = call.out + call.before[chunk] * call.step;
    int64_t left = call.before[after] - call.before[chunk];
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for_chosen<uint8_t>(
          at[0], stride[0], n, &left, [&](int64_t first, const int32_t* positions, int64_t count) {
            collect<T>(to, call.step, at[1] + first * stride[1], stride[1], positions, count);
            to += count * call.step;
          });
    });
  });
}

template <class T>
void masked_copy(const MaskedCopyCall& call) {
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t after) {
    int64_t left = call.before[after] - call.before[chunk];
    const T* from = reinterpret_cast<const T*>(call.from) + call.before[chunk];
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for_chosen<uint8_t>(
          at[0], stride[0], n, &left, [&](int64_t first, const int32_t* positions, int64_t count) {
            distribute(at[1] + first * stride[1], stride[1], from, positions, count);
            from += count;
          });
    });
  });
}

// chosen ? a : b for a mask of 0 or 1, without a branch or a masked store, which some processors
// execute slowly.
template <class T>
T pick(char chosen, T a, T b) {
  T all = static_cast<T>(-static_cast<T>(chosen));
  return static_cast<T>((a & all) | (b & ~all));
}

template <class T>
void fill_run(T* to, int64_t stride, const char* mask, int64_t mask_stride, int64_t n, T element) {
  if (stride == sizeof(T) && mask_stride == 1) {
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t end = std::min(n, first + kBlock);
      if (!has_mark(reinterpret_cast<const uint8_t*>(mask) + first, end - first)) continue;
#pragma omp simd
      for (int64_t i = first; i < end; ++i) to[i] = pick(mask[i], element, to[i]);
    }
    return;
  }
  char* at = reinterpret_cast<char*>(to);
  for (int64_t i = 0; i < n; ++i) {
    if (mask[i * mask_stride]) *reinterpret_cast<T*>(at + i * stride) = element;
  }
}

template <class T>
void masked_fill(const MaskedFillCall& call) {
  T element = static_cast<T>(call.value);
  auto work = [&](int64_t begin, int64_t end) {
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      fill_run(reinterpret_cast<T*>(at[0]), stride[0], at[1], stride[1], n, element);
    });
  };
  if (call.plan.shared_output) return work(0, call.plan.numel);
  parallel_for(call.plan.numel, Grain::cheap, work);
}

// Converts positions of elements to subscripts and writes them as rows of a matrix.
class Subscripts {
 public:
  explicit Subscripts(const NonzeroCall& call) : call_(call) {}

  // Writes elements first + positions[k], starting with row `row`.
  void write(int64_t row, int64_t first, const int32_t* positions, int64_t count) {
    if (call_.ndim == 1 && call_.row_step == sizeof(int64_t)) {
      auto* to = reinterpret_cast<int64_t*>(call_.out) + row;
      for (int64_t k = 0; k < count; ++k) to[k] = first + TH_INDEX_BASE + positions[k];
      return;
    }
    for (int64_t k = 0; k < count; ++k) write(row + k, first + positions[k]);
  }

 private:
  void write(int64_t row, int64_t element) {
    int64_t width = call_.size[call_.ndim - 1];
    if (element - line_ >= width || line_ < 0) {
      int64_t rest = element / width;
      line_ = rest * width;
      for (int d = call_.ndim - 2; d >= 0; --d) {
        outer_[d] = rest % call_.size[d] + TH_INDEX_BASE;
        rest /= call_.size[d];
      }
    }
    char* to = call_.out + row * call_.row_step;
    for (int d = 0; d < call_.ndim - 1; ++d) put(to + d * call_.column_step, outer_[d]);
    put(to + (call_.ndim - 1) * call_.column_step, element - line_ + TH_INDEX_BASE);
  }

  static void put(char* to, int64_t index) { *reinterpret_cast<int64_t*>(to) = index; }

  const NonzeroCall& call_;
  int64_t line_ = -1;  // position of the first element of the last line written
  int64_t outer_[kMaxDims];
};

template <class T>
void nonzero(const NonzeroCall& call) {
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t after) {
    Subscripts subscripts(call);
    int64_t row = call.before[chunk], left = call.before[after] - row, element = begin;
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for_chosen<T>(at[0], stride[0], n, &left,
                    [&](int64_t first, const int32_t* positions, int64_t count) {
                      subscripts.write(row, element + first, positions, count);
                      row += count;
                    });
      element += n;
    });
  });
}

}  // namespace

namespace TH_ISA {

void run_count(const CountCall& call) {
  dispatch(call.dtype, [&](auto zero) { count<decltype(zero)>(call); });
}

void run_masked_select(const MaskedSelectCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) { masked_select<decltype(item)>(call); });
}

void run_masked_copy(const MaskedCopyCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) { masked_copy<decltype(item)>(call); });
}

void run_masked_fill(const MaskedFillCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) { masked_fill<decltype(item)>(call); });
}

void run_nonzero(const NonzeroCall& call) {
  dispatch(call.dtype, [&](auto zero) { nonzero<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th
