// Writes and additions to elements selected by indices. Indices may repeat. If there are many
// positions, one thread processes all indices of a position. Otherwise the indices are sorted, and
// one thread processes all equal ones, if they are few. So the result is bit-identical to
// processing them in order. Many equal indices are divided into pieces, which are combined by a
// tree that depends on their number only: such results are the same in each run.

#include <algorithm>

#include "simt/kernels/equal_indices.h"
#include "simt/kernels/index_elements.h"
#include "simt/sort_pairs.h"
#include "functors/index_actions.h"

namespace th {
namespace {

// This many positions keep a device busy; this few indices are processed by one thread.
constexpr int64_t kManyPositions = 32768;
constexpr int64_t kFewIndices = 32;

// The parameters of a ScatterCall that kernels need besides the positions.
struct Scatter {
  IndexedDim dim;
  int64_t length;
  int64_t step[3];

  Scatter(const Queue& queue, const ScatterCall& call)
      : dim{call.size, call.check, queue.assertion()},
        length(call.length),
        step{call.step[0], call.step[1], call.step[2]} {}
  // Returns index j of a position, from 0; dim.size if it is out of range.
  __device__ int64_t index_at(char* const* at, int64_t j) const {
    return dim.index_at(at[1] + j * step[1]);
  }
};

template <class T, class Action, class I>
__global__ void scatter_by_position(Scatter s, StridedOperands<3, I> positions, I n) {
  for (I p = blockIdx.x * I(blockDim.x) + threadIdx.x; p < n; p += I(gridDim.x) * blockDim.x) {
    char* at[3];
    positions.get(p, at);
    for (int64_t j = 0; j < s.length; ++j) {
      int64_t index = s.index_at(at, j);
      if (index == s.dim.size) continue;
      Action::run(reinterpret_cast<T*>(at[0] + index * s.step[0]),
                  reinterpret_cast<const T*>(at[2] + j * s.step[2]));
    }
  }
}

// Numbers all indices of all positions so that neighbouring threads read neighbouring indices.
// Along the dimension the order is kept.
template <class I>
struct Entries {
  I positions, length;
  bool along_dimension;
  __device__ I position(I entry) const {
    return along_dimension ? entry / length : entry % positions;
  }
  __device__ I along(I entry) const { return along_dimension ? entry % length : entry / positions; }
};

template <class I>
Entries<I> entries_of(const ScatterCall& call, bool common) {
  int64_t inner = call.plan.ndim ? call.plan.stride[1][0] : 0;
  return {static_cast<I>(common ? 1 : call.plan.numel), static_cast<I>(call.length),
          common || call.step[1] < inner};
}

// All writes store the same value, so their order does not matter.
template <class T, class I>
__global__ void fill_chosen(Scatter s, StridedOperands<2, I> positions, Entries<I> entries, I n,
                            T value) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    char* at[2];
    positions.get(entries.position(i), at);
    int64_t index = s.index_at(at, static_cast<int64_t>(entries.along(i)));
    if (index < s.dim.size) *reinterpret_cast<T*>(at[0] + index * s.step[0]) = value;
  }
}

// The key of an entry is its destination, or the number of destinations if the index is out of
// range.
template <class I>
__global__ void make_keys(Scatter s, StridedOperands<2, I> positions, Entries<I> entries, I n,
                          I* keys, uint32_t* numbers, unsigned* pieces) {
  if (pieces && blockIdx.x == 0 && threadIdx.x == 0) *pieces = 0;
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    I position = entries.position(i);
    char* at[2];
    positions.get(position, at);
    int64_t index = s.index_at(at, static_cast<int64_t>(entries.along(i)));
    I size = static_cast<I>(s.dim.size);
    keys[i] =
        index < s.dim.size ? position * size + static_cast<I>(index) : entries.positions * size;
    numbers[i] = static_cast<uint32_t>(i);
  }
}

// Returns the first entry after `first` with a different key.
template <class I>
__device__ inline I end_of_equals(const I* keys, I first, I n) {
  I low = first + 1, high = n;
  if (low < n && keys[low] != keys[first]) return low;
  while (low < high) {
    I middle = low + (high - low) / 2;
    if (keys[middle] == keys[first]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The sorted entries of a scatter. common_to: the number of positions if they share the indices,
// else 1.
template <class I>
struct SortedEntries {
  Scatter s;
  StridedOperands<3, I> positions;
  Entries<I> entries;
  I common_to;
  const I* keys;
  const uint32_t* numbers;

  __device__ bool is_valid(I key) const {
    return key < entries.positions * static_cast<I>(s.dim.size);
  }
  // at[0]: the destination of entries with this key; at[2]: the first source.
  __device__ void get(I key, I common, char** at) const {
    I size = static_cast<I>(s.dim.size);
    positions.get(common_to > 1 ? common : key / size, at);
    at[0] += key % size * s.step[0];
  }
  template <class T>
  __device__ const T* source(char* const* at, I entry) const {
    return reinterpret_cast<const T*>(at[2] + entries.along(numbers[entry]) * s.step[2]);
  }
};

// One thread for each entry and, if all positions share the index, for each position.
template <class T, class Action, class I>
__global__ void scatter_sorted(SortedEntries<I> sorted, I n, Pieces<I> pieces) {
  const I* keys = sorted.keys;
  I common_to = sorted.common_to, threads = n * common_to;
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < threads;
       i += I(gridDim.x) * blockDim.x) {
    I first = i / common_to, key = keys[first];
    if (!sorted.is_valid(key)) continue;
    if (first > 0 && keys[first - 1] == key) continue;
    I end = end_of_equals(keys, first, n);
    if (pieces.list && end - first > pieces.few) {
      if (i % common_to == 0) pieces.add(first, end);
      continue;
    }
    char* at[3];
    sorted.get(key, i % common_to, at);
    T* to = reinterpret_cast<T*>(at[0]);
    T element = *to;
    // For moves only the last of equal indices matters.
    I from = std::is_same_v<Action, Move<T>> ? end - 1 : first;
    for (I e = from; e < end; ++e) Action::run(&element, sorted.template source<T>(at, e));
    *to = element;
  }
}

// Combines the sources of each piece, and for each position that shares the indices. One block for
// each.
template <class T, class Action, class I>
__global__ void combine_pieces(SortedEntries<I> sorted, Pieces<I> pieces, T* totals) {
  I common_to = sorted.common_to, tasks = static_cast<I>(*pieces.count) * common_to;
  for (I task = blockIdx.x; task < tasks; task += gridDim.x) {
    Piece<I> piece = pieces.list[task / common_to];
    char* at[3];
    sorted.get(sorted.keys[piece.first], task % common_to, at);
    T total = combine_in_block<T, Action>(piece.end - piece.first, [&](I k) {
      return sorted.template source<T>(at, piece.first + k);
    });
    if (threadIdx.x == 0) totals[task] = total;
  }
}

// Combines the totals of the pieces of equal indices with their destination.
template <class T, class Action, class I>
__global__ void finish_pieces(SortedEntries<I> sorted, Pieces<I> pieces, const T* totals) {
  I common_to = sorted.common_to, tasks = static_cast<I>(*pieces.count) * common_to;
  for (I task = blockIdx.x; task < tasks; task += gridDim.x) {
    Piece<I> piece = pieces.list[task / common_to];
    if (piece.followers == 0) continue;
    char* at[3];
    sorted.get(sorted.keys[piece.first], task % common_to, at);
    T total = combine_in_block<T, Action>(static_cast<I>(piece.followers),
                                          [&](I k) { return totals + task + k * common_to; });
    if (threadIdx.x == 0) Action::run(reinterpret_cast<T*>(at[0]), &total);
  }
}

template <class T, class Action, class I>
void sort_and_scatter(Queue& queue, const ScatterCall& call, bool common) {
  Entries<I> entries = entries_of<I>(call, common);
  int64_t n = static_cast<int64_t>(entries.positions) * call.length;
  if (n > UINT32_MAX) fail_unsupported("more than 2^32 - 1 indices at few positions");
  Scatter s(queue, call);
  auto count = static_cast<size_t>(n);
  Scratch keys(queue, 2 * count * sizeof(I)), numbers(queue, 2 * count * sizeof(uint32_t));
  PairBuffers<I> pairs = {
      1, n, 1, keys.as<I>(), numbers.as<uint32_t>(), keys.as<I>() + n, numbers.as<uint32_t>() + n};
  int64_t common_to = common ? call.plan.numel : 1;
  PieceMemory<I> memory(queue, n, common_to, sizeof(T), !std::is_same_v<Action, Move<T>>);
  const Pieces<I> pieces = memory.pieces();
  TH_LAUNCH(queue, (make_keys<I>), blocks_for(queue, n), kThreads, 0, s,
            StridedOperands<2, I>(call.plan), entries, static_cast<I>(n), pairs.keys, pairs.values,
            pieces.count);
  for (int64_t most = static_cast<int64_t>(entries.positions) * call.size; most > 1; most /= 2) {
    ++pairs.key_bits;
  }
  sort_pairs(queue, &pairs);
  SortedEntries<I> sorted = {s,          StridedOperands<3, I>(call.plan),
                             entries,    static_cast<I>(common_to),
                             pairs.keys, pairs.values};
  TH_LAUNCH(queue, (scatter_sorted<T, Action, I>), blocks_for(queue, n * common_to), kThreads, 0,
            sorted, static_cast<I>(n), pieces);
  if constexpr (!std::is_same_v<Action, Move<T>>) {
    if (!pieces.list) return;
    T* totals = memory.template totals<T>();
    unsigned blocks = at_most(queue, memory.most * common_to);
    TH_LAUNCH(queue, (combine_pieces<T, Action, I>), blocks, kThreads, 0, sorted, pieces, totals);
    TH_LAUNCH(queue, (finish_pieces<T, Action, I>), blocks, kThreads, 0, sorted, pieces, totals);
  }
}

template <class T, class Action>
void scatter_in_order(Queue& queue, const ScatterCall& call) {
  bool common = true;
  for (int d = 0; d < call.plan.ndim; ++d) {
    common = common && call.plan.stride[1][d] == 0;
  }
  int64_t positions = call.plan.numel;
  bool by_position = positions >= kManyPositions || call.length <= kFewIndices;
  // The largest number that is counted to: threads, entries or destinations.
  int64_t most = positions * (by_position ? 1 : std::max(call.length, call.size + 1));
  dispatch_index(call.plan, most, [&](auto count) {
    using I = decltype(count);
    if (!by_position) return sort_and_scatter<T, Action, I>(queue, call, common);
    TH_LAUNCH(queue, (scatter_by_position<T, Action, I>), blocks_for(queue, positions), kThreads, 0,
              Scatter(queue, call), StridedOperands<3, I>(call.plan), static_cast<I>(positions));
  });
}

}  // namespace

void run_scatter(Queue& queue, const ScatterCall& original) {
  ScatterCall call = original;
  int64_t numel = call.plan.numel * call.length;
  if (numel == 0) return;
  if (combines(call.action)) {
    return dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      with_combining_action<T>(
          call.action, [&](auto action) { scatter_in_order<T, decltype(action)>(queue, call); });
    });
  }
  if (call.action == ScatterAction::move) {
    int64_t steps[] = {call.step[0], call.step[2]};
    size_t bytes = widen(&call.plan, item_size(call.dtype), steps, 2);
    return dispatch_size<16>(bytes, [&](auto item) {
      using T = decltype(item);
      scatter_in_order<T, Move<T>>(queue, call);
    });
  }
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    T value = static_cast<T>(call.value);
    dispatch_index(call.plan, numel, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (fill_chosen<T, I>), blocks_for(queue, numel), kThreads, 0,
                Scatter(queue, call), StridedOperands<2, I>(call.plan), entries_of<I>(call, false),
                static_cast<I>(numel), value);
    });
  });
}

}  // namespace th
