// Packs selected elements: counts them per chunk, then writes them at the positions given by the
// counts.

#include <algorithm>

#include "THGeneral.h"
#include "simt/block_scan.h"
#include "simt/offset_calculator.h"
#include "simt/report.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int kScanThreads = 1024;
constexpr int kScanItems = 4;

// Counts of selected elements, to be combined over the threads of a block.
struct Count {
  using A = int;
  static __device__ A init() { return 0; }
  static __device__ A combine(A a, A b) { return a + b; }
};
struct LongCount {
  using A = int64_t;
  static __device__ A init() { return 0; }
  static __device__ A combine(A a, A b) { return a + b; }
};

// Iterates over consecutive elements.
template <int operands, class I>
class Cursor {
 public:
  char* at[operands];

  __device__ Cursor(const StridedOperands<operands, I>& of, I first) : of_(of), i_(first) {
    seek();
  }
  __device__ void next() {
    ++i_;
    if (--left_ == 0) {
      seek();
    } else {
      for (int k = 0; k < operands; ++k) at[k] += of_.offsets.stride[k][0];
    }
  }

 private:
  __device__ void seek() {
    of_.get(i_, at);
    if (of_.offsets.ndim == 0) return;
    const IntDivider<I>& width = of_.offsets.size[0];
    left_ = width.divisor - (i_ - width.quotient(i_) * width.divisor);
  }
  const StridedOperands<operands, I>& of_;
  I i_, left_ = 1;
};

// The bits that are nonzero in a nonzero element. The sign bit of floating-point types is excluded
// because of -0.
uint64_t nonzero_bits(DType type) {
  uint64_t all = ~uint64_t{0} >> (64 - 8 * item_size(type));
  return is_integral(type) ? all : all >> 1;
}

// The first element of this thread in a chunk.
template <class I>
__device__ inline I first_of_thread(int64_t chunk) {
  return static_cast<I>(chunk * kSelectChunk + threadIdx.x * kSelectItems);
}
template <class I>
__device__ inline int count_of_thread(I first, I n) {
  if (first >= n) return 0;
  return n - first < kSelectItems ? static_cast<int>(n - first) : kSelectItems;
}

template <class T, class I>
__global__ void count_chunks(StridedOperands<1, I> operands, I n, T bits, int64_t* before,
                             int64_t chunks, DeviceAssertion* assertion, uint32_t mask_check) {
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    I first = first_of_thread<I>(chunk);
    int own = 0, items = count_of_thread(first, n);
    if (items > 0) {
      Cursor<1, I> cursor(operands, first);
      for (int k = 0; k < items; ++k) {
        T element = *reinterpret_cast<const T*>(cursor.at[0]);
        own += (element & bits) != 0;
        if (mask_check && element > 1) report(assertion, mask_check, static_cast<int64_t>(element));
        if (k + 1 < items) cursor.next();
      }
    }
    int total;
    block_exclusive_scan<Count>(own, &total);
    if (threadIdx.x == 0) before[chunk] = total;
  }
}

// One block computes the number of selected elements before each chunk.
__global__ void __launch_bounds__(kScanThreads)
    sum_chunks(int64_t* before, int64_t chunks, int64_t limit, DeviceAssertion* assertion,
               uint32_t limit_check) {
  int64_t sum = 0;
  for (int64_t begin = 0; begin < chunks; begin += kScanThreads * kScanItems) {
    int64_t first = begin + threadIdx.x * kScanItems;
    int64_t own = 0, total;
    for (int64_t c = first; c < first + kScanItems && c < chunks; ++c) own += before[c];
    int64_t running = sum + block_exclusive_scan<LongCount>(own, &total);
    for (int64_t c = first; c < first + kScanItems && c < chunks; ++c) {
      int64_t counted = before[c];
      before[c] = running;
      running += counted;
    }
    sum += total;
  }
  if (threadIdx.x != 0) return;
  before[chunks] = sum;
  if (limit_check && sum > limit) report(assertion, limit_check, sum);
}

// Calls write(position among the selected elements, position among all elements, operand
// addresses).
template <class T, class I, class Write>
__global__ void write_chosen(StridedOperands<Write::kOperands, I> operands, I n, T bits,
                             const int64_t* before, int64_t chunks, Write write) {
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    I first = first_of_thread<I>(chunk);
    int items = count_of_thread(first, n), own = 0, total;
    uint32_t chosen = 0;
    if (items > 0) {
      Cursor<Write::kOperands, I> cursor(operands, first);
      for (int k = 0; k < items; ++k) {
        bool yes = (*reinterpret_cast<const T*>(cursor.at[0]) & bits) != 0;
        chosen |= static_cast<uint32_t>(yes) << k;
        own += yes;
        if (k + 1 < items) cursor.next();
      }
    }
    int64_t number = before[chunk] + block_exclusive_scan<Count>(own, &total);
    if (own == 0) continue;
    Cursor<Write::kOperands, I> cursor(operands, first);
    for (int k = 0; k < items; ++k) {
      if (chosen >> k & 1) write(number++, first + k, cursor.at);
      if (k + 1 < items) cursor.next();
    }
  }
}

template <class T>
struct WriteElement {
  static constexpr int kOperands = 2;
  char* out;
  int64_t step;
  template <class I>
  __device__ void operator()(int64_t number, I, char* const* at) const {
    *reinterpret_cast<T*>(out + number * step) = *reinterpret_cast<const T*>(at[1]);
  }
};

template <class T>
struct ReadElement {
  static constexpr int kOperands = 2;
  const char* from;
  int64_t limit;
  template <class I>
  __device__ void operator()(int64_t number, I, char* const* at) const {
    if (number < limit) {
      *reinterpret_cast<T*>(at[1]) = reinterpret_cast<const T*>(from)[number];
    }
  }
};

struct WriteSubscripts {
  static constexpr int kOperands = 1;
  char* out;
  int64_t row_step, column_step;
  int ndim;
  int64_t size[kMaxDims];

  explicit WriteSubscripts(const NonzeroCall& call)
      : out(call.out), row_step(call.row_step), column_step(call.column_step), ndim(call.ndim) {
    std::copy(call.size, call.size + ndim, size);
  }
  template <class I>
  __device__ void operator()(int64_t number, I element, char* const*) const {
    char* row = out + number * row_step;
    for (int d = ndim - 1; d >= 0; --d) {
      I width = static_cast<I>(size[d]);
      *reinterpret_cast<int64_t*>(row + d * column_step) =
          static_cast<int64_t>(element % width) + TH_INDEX_BASE;
      element /= width;
    }
  }
};

template <class T, class Write>
void launch_writes(Queue& queue, const LoopPlan& plan, T bits, const int64_t* before, Write write) {
  int64_t chunks = select_chunks(plan.numel);
  if (chunks == 0) return;
  dispatch_index(plan, plan.numel, [&](auto count) {
    using I = decltype(count);
    TH_LAUNCH(queue, (write_chosen<T, I, Write>), at_most(queue, chunks), kSelectThreads, 0,
              StridedOperands<Write::kOperands, I>(plan), static_cast<I>(plan.numel), bits, before,
              chunks, write);
  });
}

}  // namespace

void run_count(Queue& queue, const CountCall& call) {
  int64_t chunks = select_chunks(call.plan.numel);
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    dispatch_index(call.plan, call.plan.numel, [&](auto count) {
      using I = decltype(count);
      if (chunks == 0) return;
      TH_LAUNCH(queue, (count_chunks<T, I>), at_most(queue, chunks), kSelectThreads, 0,
                StridedOperands<1, I>(call.plan), static_cast<I>(call.plan.numel),
                static_cast<T>(nonzero_bits(call.dtype)), call.before, chunks, queue.assertion(),
                call.mask_check);
    });
  });
  TH_LAUNCH(queue, (sum_chunks), 1, kScanThreads, 0, call.before, chunks, call.limit,
            queue.assertion(), call.limit_check);
}

void run_masked_select(Queue& queue, const MaskedSelectCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, uint8_t{0xff}, call.before,
                  WriteElement<T>{call.out, call.step});
  });
}

void run_masked_copy(Queue& queue, const MaskedCopyCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, uint8_t{0xff}, call.before,
                  ReadElement<T>{call.from, call.limit});
  });
}

void run_nonzero(Queue& queue, const NonzeroCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, static_cast<T>(nonzero_bits(call.dtype)), call.before,
                  WriteSubscripts(call));
  });
}

}  // namespace th
