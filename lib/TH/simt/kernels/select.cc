// Chosen elements one after the other: counted by chunks, then written where the counts say.

#include "THGeneral.h"
#include "simt/block_sum.h"
#include "simt/report.h"
#include "simt/places.h"

namespace th {
namespace {

constexpr int kScanThreads = 1024;
constexpr int kScanItems = 4;

// The bits of which one is set where an element is no zero: not the sign of -0.
uint64_t nonzero_bits(DType type) {
  uint64_t all = ~uint64_t{0} >> (64 - 8 * item_size(type));
  return is_integral(type) ? all : all >> 1;
}

// The element as the block's thread has it in its chunk.
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
__global__ void count_chunks(CountCall call, Places<1, I> places, I n, T bits, int64_t chunks,
                             DeviceFinding* finding) {
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    I first = first_of_thread<I>(chunk);
    int own = 0, items = count_of_thread(first, n);
    if (items > 0) {
      Cursor<1, I> cursor(places, first);
      for (int k = 0; k < items; ++k) {
        T element = *reinterpret_cast<const T*>(cursor.at[0]);
        own += (element & bits) != 0;
        if (call.mask_check && element > 1) {
          report(finding, call.mask_check, static_cast<int64_t>(element));
        }
        if (k + 1 < items) cursor.next();
      }
    }
    int total;
    block_sum_before(own, &total);
    if (threadIdx.x == 0) call.before[chunk] = total;
  }
}

// One block sums up what came before each chunk.
__global__ void sum_chunks(CountCall call, int64_t chunks, DeviceFinding* finding) {
  int64_t sum = 0;
  for (int64_t begin = 0; begin < chunks; begin += kScanThreads * kScanItems) {
    int64_t first = begin + threadIdx.x * kScanItems;
    int64_t own = 0, total;
    for (int64_t c = first; c < first + kScanItems && c < chunks; ++c) own += call.before[c];
    int64_t before = sum + block_sum_before(own, &total);
    for (int64_t c = first; c < first + kScanItems && c < chunks; ++c) {
      int64_t counted = call.before[c];
      call.before[c] = before;
      before += counted;
    }
    sum += total;
  }
  if (threadIdx.x != 0) return;
  call.before[chunks] = sum;
  if (call.limit_check && sum > call.limit) report(finding, call.limit_check, sum);
}

// write(the chosen one's number among these, its number among all, where its operands lie)
template <class T, class I, class Write>
__global__ void write_chosen(Places<Write::kOperands, I> places, I n, T bits, const int64_t* before,
                             int64_t chunks, Write write) {
  for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    I first = first_of_thread<I>(chunk);
    int items = count_of_thread(first, n), own = 0, total;
    uint32_t chosen = 0;
    if (items > 0) {
      Cursor<Write::kOperands, I> cursor(places, first);
      for (int k = 0; k < items; ++k) {
        bool yes = (*reinterpret_cast<const T*>(cursor.at[0]) & bits) != 0;
        chosen |= static_cast<uint32_t>(yes) << k;
        own += yes;
        if (k + 1 < items) cursor.next();
      }
    }
    int64_t number = before[chunk] + block_sum_before(own, &total);
    if (own == 0) continue;
    Cursor<Write::kOperands, I> cursor(places, first);
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
  NonzeroCall call;
  template <class I>
  __device__ void operator()(int64_t number, I element, char* const*) const {
    char* row = call.out + number * call.row_step;
    for (int d = call.ndim - 1; d >= 0; --d) {
      I size = static_cast<I>(call.size[d]);
      *reinterpret_cast<int64_t*>(row + d * call.column_step) =
          static_cast<int64_t>(element % size) + TH_INDEX_BASE;
      element /= size;
    }
  }
};

template <class T, class Write>
void launch_writes(Queue& queue, const LoopPlan& plan, T bits, const int64_t* before, Write write) {
  int64_t chunks = select_chunks(plan.numel);
  if (chunks == 0) return;
  int blocks = blocks_for(queue, chunks * kSelectThreads);
  dispatch_count(plan.numel, [&](auto count) {
    using I = decltype(count);
    TH_LAUNCH(queue, (write_chosen<T, I, Write>), blocks, kSelectThreads, 0,
              Places<Write::kOperands, I>(plan), static_cast<I>(plan.numel), bits, before, chunks,
              write);
  });
}

}  // namespace

void run_count(Queue& queue, const CountCall& call) {
  int64_t chunks = select_chunks(call.plan.numel);
  int blocks = blocks_for(queue, chunks * kSelectThreads);
  dispatch_bytes(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    dispatch_count(call.plan.numel, [&](auto count) {
      using I = decltype(count);
      if (chunks == 0) return;
      TH_LAUNCH(queue, (count_chunks<T, I>), blocks, kSelectThreads, 0, call,
                Places<1, I>(call.plan), static_cast<I>(call.plan.numel),
                static_cast<T>(nonzero_bits(call.dtype)), chunks, queue.finding());
    });
  });
  TH_LAUNCH(queue, (sum_chunks), 1, kScanThreads, 0, call, chunks, queue.finding());
}

void run_masked_select(Queue& queue, const MaskedSelectCall& call) {
  dispatch_bytes(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, uint8_t{0xff}, call.before,
                  WriteElement<T>{call.out, call.step});
  });
}

void run_masked_copy(Queue& queue, const MaskedCopyCall& call) {
  dispatch_bytes(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, uint8_t{0xff}, call.before,
                  ReadElement<T>{call.from, call.limit});
  });
}

void run_nonzero(Queue& queue, const NonzeroCall& call) {
  dispatch_bytes(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    launch_writes(queue, call.plan, static_cast<T>(nonzero_bits(call.dtype)), call.before,
                  WriteSubscripts{call});
  });
}

}  // namespace th
