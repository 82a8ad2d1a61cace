// Elements written, or added to, where indices say. Indices may repeat, and the result is that of
// taking them in order, bit for bit: a thread does so for each position where positions are many;
// where they are few the indices are sorted, and a thread takes those that are equal.

#include <algorithm>

#include "THGeneral.h"
#include "simt/report.h"
#include "simt/index_sort.h"
#include "simt/places.h"
#include "functors/index_actions.h"

namespace th {
namespace {

// As many positions keep a device busy, and so few indices are no work for a thread.
constexpr int64_t kManyPositions = 32768;
constexpr int64_t kFewIndices = 32;

// Where a valid index leads to, counted from 0; `size` for one that is not.
__device__ inline int64_t checked(const ScatterCall& call, const char* at, DeviceFinding* finding) {
  int64_t index = *reinterpret_cast<const int64_t*>(at);
  uint64_t chosen = static_cast<uint64_t>(index) - TH_INDEX_BASE;
  if (chosen < static_cast<uint64_t>(call.size)) return static_cast<int64_t>(chosen);
  if (call.check) report(finding, call.check, index);
  return call.size;
}

template <class T, class Action, class I>
__global__ void scatter_by_position(ScatterCall call, Places<3, I> places, I n,
                                    DeviceFinding* finding) {
  for (I p = blockIdx.x * I(blockDim.x) + threadIdx.x; p < n; p += I(gridDim.x) * blockDim.x) {
    char* at[3];
    places.get(p, at);
    for (int64_t j = 0; j < call.length; ++j) {
      int64_t chosen = checked(call, at[1] + j * call.step[1], finding);
      if (chosen == call.size) continue;
      Action::run(reinterpret_cast<T*>(at[0] + chosen * call.step[0]),
                  reinterpret_cast<const T*>(at[2] + j * call.step[2]));
    }
  }
}

// All indices of all positions, numbered so that those side by side are read together; along the
// dimension the order is kept.
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

// What is written is the same for all, so order does not matter.
template <class T, class I>
__global__ void fill_chosen(ScatterCall call, Places<2, I> places, Entries<I> entries, I n, T value,
                            DeviceFinding* finding) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    char* at[2];
    places.get(entries.position(i), at);
    int64_t chosen = checked(call, at[1] + entries.along(i) * call.step[1], finding);
    if (chosen < call.size) *reinterpret_cast<T*>(at[0] + chosen * call.step[0]) = value;
  }
}

// The key of an entry is its destination, or, where the index is bad, the number of destinations.
template <class I>
__global__ void make_keys(ScatterCall call, Places<2, I> places, Entries<I> entries, I n, I* keys,
                          I* numbers, DeviceFinding* finding) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    I position = entries.position(i);
    char* at[2];
    places.get(position, at);
    int64_t chosen = checked(call, at[1] + entries.along(i) * call.step[1], finding);
    I size = static_cast<I>(call.size);
    keys[i] = (chosen < call.size ? position : entries.positions) * size +
              (chosen < call.size ? static_cast<I>(chosen) : I(0));
    numbers[i] = i;
  }
}

// The first entry after `first` with another key.
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

// A thread for each entry and, where the index is common to all positions, each of these.
template <class T, class Action, class I>
__global__ void scatter_sorted(ScatterCall call, Places<3, I> places, Entries<I> entries, I n,
                               I common_to, const I* keys, const I* numbers) {
  I size = static_cast<I>(call.size);
  I threads = n * common_to;
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < threads;
       i += I(gridDim.x) * blockDim.x) {
    I first = i / common_to, key = keys[first];
    if (key >= entries.positions * size) continue;
    if (first > 0 && keys[first - 1] == key) continue;
    I end = end_of_equals(keys, first, n);
    char* at[3];
    places.get(common_to > 1 ? i % common_to : key / size, at);
    T* to = reinterpret_cast<T*>(at[0] + key % size * call.step[0]);
    T element = *to;
    // Of elements that replace each other only the last matters.
    I from = std::is_same_v<Action, Move<T>> ? end - 1 : first;
    for (I e = from; e < end; ++e) {
      Action::run(&element,
                  reinterpret_cast<const T*>(at[2] + entries.along(numbers[e]) * call.step[2]));
    }
    *to = element;
  }
}

template <class T, class Action, class I>
void sort_and_scatter(Queue& queue, const ScatterCall& call, bool common) {
  Entries<I> entries = entries_of<I>(call, common);
  int64_t n = static_cast<int64_t>(entries.positions) * call.length;
  Scratch block(queue, 4 * n * sizeof(I));
  I* keys = block.as<I>();
  I *numbers = keys + n, *sorted_keys = keys + 2 * n, *sorted_numbers = keys + 3 * n;
  TH_LAUNCH(queue, (make_keys<I>), blocks_for(queue, n), kThreads, 0, call, Places<2, I>(call.plan),
            entries, static_cast<I>(n), keys, numbers, queue.finding());
  int bits = 1;
  for (int64_t most = static_cast<int64_t>(entries.positions) * call.size; most > 1; most /= 2) {
    ++bits;
  }
  sort_indices(queue, keys, sorted_keys, numbers, sorted_numbers, n, bits);
  int64_t common_to = common ? call.plan.numel : 1;
  TH_LAUNCH(queue, (scatter_sorted<T, Action, I>), blocks_for(queue, n * common_to), kThreads, 0,
            call, Places<3, I>(call.plan), entries, static_cast<I>(n), static_cast<I>(common_to),
            sorted_keys, sorted_numbers);
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
  dispatch_count(most, [&](auto count) {
    using I = decltype(count);
    if (!by_position) return sort_and_scatter<T, Action, I>(queue, call, common);
    TH_LAUNCH(queue, (scatter_by_position<T, Action, I>), blocks_for(queue, positions), kThreads, 0,
              call, Places<3, I>(call.plan), static_cast<I>(positions), queue.finding());
  });
}

}  // namespace

void run_scatter(Queue& queue, const ScatterCall& given) {
  ScatterCall call = given;
  int64_t numel = call.plan.numel * call.length;
  if (numel == 0) return;
  if (call.action == ScatterAction::add) {
    return dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      scatter_in_order<T, Accumulate<T>>(queue, call);
    });
  }
  if (call.action == ScatterAction::move) {
    int64_t steps[] = {call.step[0], call.step[2]};
    size_t bytes = widen(&call.plan, item_size(call.dtype), steps, 2);
    return dispatch_wide(bytes, [&](auto item) {
      using T = decltype(item);
      scatter_in_order<T, Move<T>>(queue, call);
    });
  }
  dispatch_bytes(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    T value = static_cast<T>(call.value);
    dispatch_count(numel, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (fill_chosen<T, I>), blocks_for(queue, numel), kThreads, 0, call,
                Places<2, I>(call.plan), entries_of<I>(call, false), static_cast<I>(numel), value,
                queue.finding());
    });
  });
}

}  // namespace th
