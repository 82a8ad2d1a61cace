// Elements chosen by masks, or by being no zeros: counted by chunks, so that each chunk knows where
// its results go.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "THGeneral.h"
#include "cpu/backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Chunks that are worth a thread.
constexpr int64_t kTask = 16;

template <class T>
bool is_nonzero(T x) {
  if constexpr (IsReduced<T>::value) {
    return (x.x & 0x7fff) != 0;
  } else {
    return x != 0;
  }
}

template <class T>
int64_t count_run(const char* at, int64_t stride, int64_t n) {
  int64_t found = 0;
  if (stride == sizeof(T)) {
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

// f(first chunk, elements [begin, end), chunk after the last), in parallel, or for all as one where
// what is written may be one place in memory.
template <class F>
void for_chunks(const LoopPlan& plan, const F& f) {
  int64_t n = plan.numel, chunks = select_chunks(n);
  if (plan.shared_output) return f(int64_t{0}, int64_t{0}, n, chunks);
  parallel_for(chunks, kTask, [&](int64_t first, int64_t last) {
    f(first, first * kSelectChunk, std::min(n, last * kSelectChunk), last);
  });
}

template <class T>
void masked_select(const MaskedSelectCall& call) {
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t after) {
    int64_t next = call.before[chunk], last = call.before[after];
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      // What is not chosen is written over by what is.
      for (int64_t i = 0; i < n && next != last; ++i) {
        *reinterpret_cast<T*>(call.out + next * call.step) =
            *reinterpret_cast<const T*>(at[1] + i * stride[1]);
        next += at[0][i * stride[0]];
      }
    });
  });
}

// chosen ? a : b for a mask of 0 or 1: neither a branch nor a masked store, which compilers make of
// that and some processors are slow with.
template <class T>
T pick(char chosen, T a, T b) {
  T all = static_cast<T>(-static_cast<T>(chosen));
  return static_cast<T>((a & all) | (b & ~all));
}

template <class T>
void masked_copy(const MaskedCopyCall& call) {
  const T* from = reinterpret_cast<const T*>(call.from);
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t after) {
    const T *next = from + call.before[chunk], *last = from + call.before[after];
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      // Without a branch on the mask, which no processor could foresee.
      for (int64_t i = 0; i < n && next != last; ++i) {
        T* to = reinterpret_cast<T*>(at[1] + i * stride[1]);
        char chosen = at[0][i * stride[0]];
        *to = pick(chosen, *next, *to);
        next += chosen;
      }
    });
  });
}

template <class T>
void fill_run(T* to, int64_t stride, const char* mask, int64_t mask_stride, int64_t n, T element) {
  if (stride == sizeof(T) && mask_stride == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = pick(mask[i], element, to[i]);
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

// Writes the indices of elements, whose numbers in order it is given, as rows of a matrix.
class Subscripts {
 public:
  explicit Subscripts(const NonzeroCall& call) : call_(call) {}

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

 private:
  static void put(char* to, int64_t index) { *reinterpret_cast<int64_t*>(to) = index; }

  const NonzeroCall& call_;
  int64_t line_ = -1;  // number of the first element of the line last written from
  int64_t outer_[kMaxDims];
};

template <class T>
void nonzero(const NonzeroCall& call) {
  for_chunks(call.plan, [&](int64_t chunk, int64_t begin, int64_t end, int64_t) {
    Subscripts subscripts(call);
    int64_t row = call.before[chunk], element = begin;
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        if (is_nonzero(*reinterpret_cast<const T*>(at[0] + i * stride[0]))) {
          subscripts.write(row++, element + i);
        }
      }
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
