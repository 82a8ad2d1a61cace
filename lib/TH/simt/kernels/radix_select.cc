// Selection of the first elements of a row's sorted order, or of one element, without sorting the
// row. The key of the last selected element is found digit by digit: the number of keys with each
// digit shows which digit it has. All counts are integers, so results do not depend on the order of
// threads.

#include "simt/radix_select.h"

#include <algorithm>

#include "functors/sort_key.h"
#include "simt/block_scan.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
static_assert(kDigits == kThreads, "each thread has one digit");
constexpr int kItems = 8;  // elements per thread and step when elements are written
// Rows up to this length are selected by one block, so that one launch suffices.
constexpr int64_t kShortRow = 32768;
constexpr int64_t kLeastPart = 8192;

// The key of the last selected element, as far as it is known, and the element's rank among those
// whose keys have the same known digits. In the end: its rank among equal elements.
template <class Key>
struct Target {
  Key key;
  uint32_t rank;
};

// Rows of one type, divided into parts of at most `part` elements.
template <class T>
struct Rows {
  using Key = typename SortKey<T>::Key;
  const T* in;
  int64_t rows, n, parts, part;
  Key flip;  // all bits if the order is descending

  __device__ Key key(int64_t row, int64_t i) const {
    return static_cast<Key>(SortKey<T>::key(in[row * n + i]) ^ flip);
  }
  __device__ int64_t begin(int64_t k) const { return k % parts * part; }
  __device__ int64_t end(int64_t k) const { return begin(k) + part < n ? begin(k) + part : n; }
};

// The selected elements.
template <class T>
struct Selected {
  T* elements;
  uint32_t* numbers;
  int64_t count, last;  // last: the rank of the last one
};

// Two numbers below 2^32, which a scan adds separately.
struct Pair {
  using A = uint64_t;
  static __device__ A init() { return 0; }
  static __device__ A combine(A a, A b) { return a + b; }
  static __device__ A make(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }
};
struct Count {
  using A = uint32_t;
  static __device__ A init() { return 0; }
  static __device__ A combine(A a, A b) { return a + b; }
};

// Counts the digits at `shift` of those keys whose higher digits are the target's.
template <class T, class Key>
__device__ void count_digits(const Rows<T>& of, int64_t row, int64_t begin, int64_t end, Key target,
                             int shift, unsigned* counts) {
  unsigned same = 0, last = 0;  // equal digits in sequence need one atomic function
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    Key key = of.key(row, i);
    // A shift by all bits of a type is undefined, hence two.
    if ((key >> shift >> kDigitBits) != (target >> shift >> kDigitBits)) continue;
    unsigned digit = static_cast<unsigned>(key >> shift) % kDigits;
    if (digit != last) {
      if (same) atomicAdd(counts + last, same);
      last = digit;
      same = 0;
    }
    ++same;
  }
  if (same) atomicAdd(counts + last, same);
}

// Adds the target's digit at `shift`. All threads of the block must call it, and wait before they
// use the target.
template <class Key>
__device__ void choose_digit(uint32_t count, int shift, Target<Key>* target) {
  uint32_t rank = target->rank, total;
  uint32_t before = block_exclusive_scan<Count>(count, &total);
  if (rank < before || rank - before >= count) return;
  target->key = static_cast<Key>(target->key | static_cast<Key>(Key(threadIdx.x) << shift));
  target->rank = rank - before;
}

// Writes the selected elements from begin to end. before: the numbers of elements of the row before
// begin whose keys are less than the target's, and equal.
template <class T, class Key>
__device__ void write_part(const Rows<T>& of, const Selected<T>& to, int64_t row, int64_t begin,
                           int64_t end, Target<Key> target, uint64_t before) {
  const bool all = to.count > 1;  // not the target only
  const int64_t less = to.last - target.rank;
  for (int64_t tile = begin; tile < end; tile += kThreads * kItems) {
    int64_t first = tile + threadIdx.x * kItems;
    uint32_t is_less = 0, is_equal = 0;
    uint64_t own = 0, total;
    for (int k = 0; k < kItems && first + k < end; ++k) {
      Key key = of.key(row, first + k);
      is_less |= static_cast<uint32_t>(key < target.key) << k;
      is_equal |= static_cast<uint32_t>(key == target.key) << k;
      own += Pair::make(key < target.key, key == target.key);
    }
    uint64_t running = before + block_exclusive_scan<Pair>(own, &total);
    before += total;
    if (own == 0) continue;
    for (int k = 0; k < kItems; ++k) {
      auto lesser = static_cast<uint32_t>(running >> 32), equal = static_cast<uint32_t>(running);
      int64_t slot = -1;
      if (is_less >> k & 1) {
        if (all) slot = lesser;
        running += Pair::make(1, 0);
      } else if (is_equal >> k & 1) {
        if (all ? equal <= target.rank : equal == target.rank) slot = all ? less + equal : 0;
        running += Pair::make(0, 1);
      }
      if (slot < 0) continue;
      to.elements[row * to.count + slot] = of.in[row * of.n + first + k];
      to.numbers[row * to.count + slot] = static_cast<uint32_t>(first + k);
    }
  }
}

// One block for each row.
template <class T, class Key>
__global__ void select_in_block(Rows<T> of, Selected<T> to) {
  __shared__ unsigned counts[kDigits];
  __shared__ Target<Key> target;
  for (int64_t row = blockIdx.x; row < of.rows; row += gridDim.x) {
    if (threadIdx.x == 0) target = {0, static_cast<uint32_t>(to.last)};
    for (int shift = 8 * sizeof(Key) - kDigitBits; shift >= 0; shift -= kDigitBits) {
      counts[threadIdx.x] = 0;
      __syncthreads();
      count_digits<T, Key>(of, row, 0, of.n, target.key, shift, counts);
      __syncthreads();
      choose_digit(counts[threadIdx.x], shift, &target);
      __syncthreads();
    }
    write_part(of, to, row, 0, of.n, target, 0);
    __syncthreads();
  }
}

// ---- rows of several parts, one block each ------------------------------------------------------

template <class Key>
__global__ void start(Target<Key>* targets, unsigned* counts, int64_t rows, uint32_t rank) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    counts[row * kDigits + threadIdx.x] = 0;
    if (threadIdx.x == 0) targets[row] = {0, rank};
  }
}

// counts: of each row and digit.
template <class T, class Key>
__global__ void count_parts(Rows<T> of, const Target<Key>* targets, int shift, unsigned* counts) {
  __shared__ unsigned of_part[kDigits];
  for (int64_t k = blockIdx.x; k < of.rows * of.parts; k += gridDim.x) {
    int64_t row = k / of.parts;
    of_part[threadIdx.x] = 0;
    __syncthreads();
    count_digits(of, row, of.begin(k), of.end(k), targets[row].key, shift, of_part);
    __syncthreads();
    unsigned count = of_part[threadIdx.x];
    if (count) atomicAdd(counts + row * kDigits + threadIdx.x, count);
  }
}

// Also sets the counts to 0.
template <class Key>
__global__ void choose_digits(Target<Key>* targets, int64_t rows, int shift, unsigned* counts) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    unsigned* count = counts + row * kDigits + threadIdx.x;
    choose_digit(*count, shift, targets + row);
    *count = 0;
  }
}

// before[part]: the numbers of elements of the part that are less than the target, and equal.
template <class T, class Key>
__global__ void compare_parts(Rows<T> of, const Target<Key>* targets, uint64_t* before) {
  for (int64_t k = blockIdx.x; k < of.rows * of.parts; k += gridDim.x) {
    int64_t row = k / of.parts, end = of.end(k);
    Key target = targets[row].key;
    uint64_t own = 0, total;
    for (int64_t i = of.begin(k) + threadIdx.x; i < end; i += kThreads) {
      Key key = of.key(row, i);
      own += Pair::make(key < target, key == target);
    }
    block_exclusive_scan<Pair>(own, &total);
    if (threadIdx.x == 0) before[k] = total;
  }
}

// Replaces the numbers of each part by the sums of all parts of the row before it.
__global__ void sum_parts(uint64_t* before, int64_t rows, int64_t parts) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    uint64_t carry = 0;
    for (int64_t begin = 0; begin < parts; begin += kThreads) {
      int64_t k = begin + threadIdx.x;
      uint64_t own = k < parts ? before[row * parts + k] : 0, total;
      uint64_t sum = carry + block_exclusive_scan<Pair>(own, &total);
      if (k < parts) before[row * parts + k] = sum;
      carry += total;
    }
  }
}

template <class T, class Key>
__global__ void write_parts(Rows<T> of, Selected<T> to, const Target<Key>* targets,
                            const uint64_t* before) {
  for (int64_t k = blockIdx.x; k < of.rows * of.parts; k += gridDim.x) {
    int64_t row = k / of.parts;
    write_part(of, to, row, of.begin(k), of.end(k), targets[row], before[k]);
  }
}

template <class T>
void select_in_parts(Queue& queue, const Rows<T>& of, const Selected<T>& to) {
  using Key = typename SortKey<T>::Key;
  const auto rows = static_cast<size_t>(of.rows), parts = static_cast<size_t>(of.parts);
  Scratch targets_of(queue, rows * sizeof(Target<Key>));
  Scratch counts_of(queue, rows * kDigits * sizeof(unsigned));
  Scratch before_of(queue, rows * parts * sizeof(uint64_t));
  auto* targets = targets_of.as<Target<Key>>();
  auto* counts = counts_of.as<unsigned>();
  auto* before = before_of.as<uint64_t>();
  const unsigned blocks = at_most(queue, of.rows * of.parts), for_rows = at_most(queue, of.rows);
  TH_LAUNCH(queue, (start<Key>), for_rows, kThreads, 0, targets, counts, of.rows,
            static_cast<uint32_t>(to.last));
  for (int shift = 8 * sizeof(Key) - kDigitBits; shift >= 0; shift -= kDigitBits) {
    TH_LAUNCH(queue, (count_parts<T, Key>), blocks, kThreads, 0, of, targets, shift, counts);
    TH_LAUNCH(queue, (choose_digits<Key>), for_rows, kThreads, 0, targets, of.rows, shift, counts);
  }
  TH_LAUNCH(queue, (compare_parts<T, Key>), blocks, kThreads, 0, of, targets, before);
  TH_LAUNCH(queue, (sum_parts), for_rows, kThreads, 0, before, of.rows, of.parts);
  TH_LAUNCH(queue, (write_parts<T, Key>), blocks, kThreads, 0, of, to, targets, before);
}

}  // namespace

void select_rows(Queue& queue, DType dtype, const SelectRows& call) {
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    using Key = typename SortKey<T>::Key;
    Rows<T> of = {reinterpret_cast<const T*>(call.in),
                  call.rows,
                  call.n,
                  1,
                  call.n,
                  call.descending ? static_cast<Key>(~Key(0)) : Key(0)};
    Selected<T> to = {reinterpret_cast<T*>(call.elements), call.numbers, call.count,
                      call.first + call.count - 1};
    if (call.n > kShortRow) {
      int64_t most = std::max<int64_t>(queue.most_blocks() / call.rows, 1);
      of.parts = std::min(most, (call.n + kLeastPart - 1) / kLeastPart);
      of.part = (call.n + of.parts - 1) / of.parts;
    }
    if (of.parts > 1) {
      select_in_parts(queue, of, to);
    } else {
      TH_LAUNCH(queue, (select_in_block<T, Key>), at_most(queue, call.rows), kThreads, 0, of, to);
    }
  });
}

}  // namespace th
