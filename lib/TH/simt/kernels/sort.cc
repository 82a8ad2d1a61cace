// Sorting. Elements are mapped to unsigned keys of the same order, the keys are sorted together
// with the positions in the row, and the elements are restored from the keys. Short rows are sorted
// in the shared memory of a block. If few elements of a long row are requested, only those are
// sorted.

#include "simt/launch.h"
#include "simt/packed_lines.h"
#include "simt/radix_select.h"
#include "simt/sort_pairs.h"
#include "functors/sort_key.h"

namespace th {

namespace {

// Elements that a block sorts at a time, and the maximum length of a short row.
constexpr int kSlots = 1024;

// Rows of n elements. All arrays are contiguous and do not overlap.
struct SortRows {
  bool descending;
  int64_t rows, n;
  const char* in;
  char* values;
  int64_t* indices;
  int64_t index_base;
};

template <class T, class Key>
__global__ void make_keys(const T* in, Key* keys, uint32_t* numbers, int64_t total, int64_t n,
                          Key flip) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total;
       i += step) {
    keys[i] = static_cast<Key>(SortKey<T>::key(in[i]) ^ flip);
    numbers[i] = static_cast<uint32_t>(i % n);
  }
}

// Restores the elements from their sorted keys. Fetches zeros and NaNs by their positions, because
// keys do not distinguish 0 and -0, nor different NaNs.
template <class T, class Key>
__global__ void restore(const T* in, const Key* keys, const uint32_t* numbers, T* values,
                        int64_t* indices, int64_t total, int64_t n, int64_t base, Key flip) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total;
       i += step) {
    const int64_t number = numbers[i];
    const Key key = static_cast<Key>(keys[i] ^ flip);
    values[i] = SortKey<T>::is_key_of_one(key) ? SortKey<T>::element(key) : in[i / n * n + number];
    indices[i] = number + base;
  }
}

// Bitonic sort (Batcher 1968) of rows of up to `slots` elements, a power of two that divides
// kSlots. The positions break ties, so the sort is stable.
template <class T, class Key>
__global__ void sort_short(const T* in, T* values, int64_t* indices, int64_t rows, int n, int slots,
                           Key flip, int64_t base) {
  __shared__ Key keys[kSlots];
  __shared__ uint32_t numbers[kSlots];
  int rows_at_once = kSlots / slots;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows_at_once; first < rows;
       first += static_cast<int64_t>(gridDim.x) * rows_at_once) {
    for (int i = static_cast<int>(threadIdx.x); i < kSlots; i += kThreads) {
      int64_t row = first + i / slots;
      int number = i % slots;
      bool is_there = row < rows && number < n;
      keys[i] = is_there ? static_cast<Key>(SortKey<T>::key(in[row * n + number]) ^ flip)
                         : static_cast<Key>(~Key(0));
      numbers[i] = static_cast<uint32_t>(number);
    }
    for (int size = 2; size <= slots; size *= 2) {
      for (int distance = size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        for (int k = static_cast<int>(threadIdx.x); k < kSlots / 2; k += kThreads) {
          int a = 2 * k - k % distance, b = a + distance;
          bool ascending = (a % slots & size) == 0;
          Key key_a = keys[a], key_b = keys[b];
          uint32_t number_a = numbers[a], number_b = numbers[b];
          bool in_order = key_a < key_b || (key_a == key_b && number_a < number_b);
          if (in_order != ascending) {
            keys[a] = key_b;
            keys[b] = key_a;
            numbers[a] = number_b;
            numbers[b] = number_a;
          }
        }
      }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kSlots; i += kThreads) {
      int64_t row = first + i / slots;
      int rank = i % slots;
      if (row < rows && rank < n) {
        values[row * n + rank] = in[row * n + numbers[i]];
        indices[row * n + rank] = numbers[i] + base;
      }
    }
    __syncthreads();
  }
}

template <class T>
void sort_short_rows(Queue& queue, const SortRows& call) {
  using Key = typename SortKey<T>::Key;
  int slots = 1;
  while (slots < call.n) slots *= 2;
  int64_t at_once = kSlots / slots;
  unsigned blocks = at_most(queue, (call.rows + at_once - 1) / at_once);
  Key flip = call.descending ? static_cast<Key>(~Key(0)) : Key(0);
  TH_LAUNCH(queue, (sort_short<T, Key>), blocks, kThreads, 0, reinterpret_cast<const T*>(call.in),
            reinterpret_cast<T*>(call.values), call.indices, call.rows, static_cast<int>(call.n),
            slots, flip, call.index_base);
}

template <class T>
void sort_long_rows(Queue& queue, const SortRows& call) {
  using Key = typename SortKey<T>::Key;
  int64_t total = call.rows * call.n;
  auto count = static_cast<size_t>(total);
  Scratch keys(queue, count * sizeof(Key)), other_keys(queue, count * sizeof(Key));
  Scratch numbers(queue, count * sizeof(uint32_t)), others(queue, count * sizeof(uint32_t));
  PairBuffers<Key> pairs = {call.rows,
                            call.n,
                            8 * sizeof(Key),
                            keys.as<Key>(),
                            numbers.as<uint32_t>(),
                            other_keys.as<Key>(),
                            others.as<uint32_t>()};
  Key flip = call.descending ? static_cast<Key>(~Key(0)) : Key(0);
  unsigned blocks = blocks_for(queue, total);
  TH_LAUNCH(queue, (make_keys<T, Key>), blocks, kThreads, 0, reinterpret_cast<const T*>(call.in),
            pairs.keys, pairs.values, total, call.n, flip);
  sort_pairs(queue, &pairs);
  TH_LAUNCH(queue, (restore<T, Key>), blocks, kThreads, 0, reinterpret_cast<const T*>(call.in),
            pairs.keys, pairs.values, reinterpret_cast<T*>(call.values), call.indices, total,
            call.n, call.index_base, flip);
}

void sort_packed(Queue& queue, DType dtype, const SortRows& rows) {
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (rows.n <= kSlots) {
      sort_short_rows<T>(queue, rows);
    } else {
      sort_long_rows<T>(queue, rows);
    }
  });
}

// Copies the requested range of sorted rows to an operand of the call.
void copy_range(Queue& queue, const SortCall& call, int operand, DType dtype, int64_t step,
                char* sorted) {
  auto item = static_cast<int64_t>(item_size(dtype));
  CopyCall copy = {dtype, dtype, call.plan};
  LoopPlan& plan = copy.plan;
  plan.operands = 2;
  plan.data[0] = call.plan.data[operand];
  plan.data[1] = sorted + call.first * item;
  int64_t before = call.n * item;
  for (int d = 0; d < plan.ndim; ++d) {
    plan.stride[0][d] = call.plan.stride[operand][d];
    plan.stride[1][d] = before;
    before *= plan.size[d];
  }
  plan.size[plan.ndim] = call.count;
  plan.stride[0][plan.ndim] = step;
  plan.stride[1][plan.ndim++] = item;
  plan.numel *= call.count;
  plan.plan();
  run_copy(queue, copy);
}

void sort_and_copy_range(Queue& queue, const SortCall& call, const char* in) {
  auto elements = static_cast<size_t>(call.plan.numel * call.n);
  Scratch values(queue, elements * item_size(call.dtype));
  Scratch indices(queue, elements * sizeof(int64_t));
  sort_packed(queue, call.dtype,
              {call.descending, call.plan.numel, call.n, in, values.as<char>(),
               indices.as<int64_t>(), call.index_base});
  copy_range(queue, call, 0, call.dtype, call.value_step, values.as<char>());
  copy_range(queue, call, 1, DType::Long, call.index_step, indices.as<char>());
}

// Replaces positions among the selected elements of a row by positions in the row.
__global__ void map_indices(const uint32_t* numbers, int64_t* indices, int64_t total, int64_t count,
                            int64_t base) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total;
       i += step) {
    indices[i] = numbers[i / count * count + indices[i]] + base;
  }
}

// Returns true if it is faster to select the requested elements before they are sorted.
bool is_selection(const SortCall& call) {
  return call.n > kSlots && call.count <= call.n / 4 && (call.first == 0 || call.count == 1);
}

void select_and_sort(Queue& queue, const SortCall& call, const char* in) {
  const int64_t rows = call.plan.numel, total = rows * call.count;
  const auto elements = static_cast<size_t>(total);
  Scratch selected(queue, elements * item_size(call.dtype));
  Scratch numbers(queue, elements * sizeof(uint32_t));
  select_rows(queue, call.dtype,
              {call.descending, rows, call.n, call.first, call.count, in, selected.as<char>(),
               numbers.as<uint32_t>()});
  PackedLines values(queue, call.dtype, call.plan, 0, call.value_step, call.count, 1);
  PackedLines indices(queue, DType::Long, call.plan, 1, call.index_step, call.count, 1);
  auto* positions = reinterpret_cast<int64_t*>(indices.data());
  sort_packed(
      queue, call.dtype,
      {call.descending, rows, call.count, selected.as<char>(), values.data(), positions, 0});
  TH_LAUNCH(queue, (map_indices), blocks_for(queue, total), kThreads, 0, numbers.as<uint32_t>(),
            positions, total, call.count, call.index_base);
  values.store();
  indices.store();
}

}  // namespace

void run_sort(Queue& queue, const SortCall& call) {
  if (call.n > UINT32_MAX) fail_unsupported("rows of more than 2^32 - 1 elements");
  check_dimensions(call.plan);
  const LoopPlan& plan = call.plan;
  if (plan.numel * call.n == 0) return;
  PackedLines in(queue, call.dtype, plan, 2, call.in_step, call.n, 1);
  if (call.count < call.n) {
    in.load();
    return is_selection(call) ? select_and_sort(queue, call, in.data())
                              : sort_and_copy_range(queue, call, in.data());
  }
  bool in_place = plan.data[0] == plan.data[2];
  PackedLines values(queue, call.dtype, plan, 0, call.value_step, call.n, 1, in_place);
  PackedLines indices(queue, DType::Long, plan, 1, call.index_step, call.n, 1);
  in.load();
  sort_packed(queue, call.dtype,
              {call.descending, plan.numel, call.n, in.data(), values.data(),
               reinterpret_cast<int64_t*>(indices.data()), call.index_base});
  values.store();
  indices.store();
}

void run_distinct(Queue&, const DistinctCall&) {
  fail_unsupported("distinct values without sorting");
}
void run_distinctValues(Queue&, const DistinctValuesCall&) {
  fail_unsupported("distinct values without positions");
}

}  // namespace th
