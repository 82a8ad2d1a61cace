#ifndef TH_SIMT_KERNELS_EQUAL_INDICES_H
#define TH_SIMT_KERNELS_EQUAL_INDICES_H

// Many equal indices of a scatter, divided into pieces for one block each.

#include <cstdint>

#include "simt/launch.h"

namespace th {
namespace {

// Sorted entries with equal keys.
template <class I>
struct Piece {
  I first, end;
  uint32_t followers;  // the number of pieces of this key, in its first piece; else 0
};

// The pieces of all keys that have more than `few` entries. The order of the keys varies.
template <class I>
struct Pieces {
  I few, length;
  unsigned* count;
  Piece<I>* list;  // null: there are none

  // Adds the entries from first to end.
  __device__ void add(I first, I end) const {
    auto number = static_cast<unsigned>((end - first + length - 1) / length);
    unsigned at = atomicAdd(count, number);
    for (unsigned k = 0; k < number; ++k) {
      I begin = first + k * length;
      list[at + k] = {begin, end - begin < length ? end : begin + length, k == 0 ? number : 0};
    }
  }
};

// The memory of the pieces of n entries: their list, and a total of each for each position that
// shares the indices.
template <class I>
class PieceMemory {
 public:
  int64_t few;   // up to this number, equal indices are not divided
  int64_t most;  // maximum number of pieces
  // combines: false if there are no pieces, because only one of equal indices matters.
  PieceMemory(Queue& queue, int64_t n, int64_t common_to, size_t item, bool combines)
      : few(few_of(n, common_to)),
        most(combines && n > few ? n / few + n / (few * kPieceLength) : 0),
        memory_(queue, most ? bytes(common_to, item) : 0) {}

  Pieces<I> pieces() const {
    if (most == 0) return {};
    auto* list = reinterpret_cast<Piece<I>*>(memory_.as<char>() + kHeader);
    return {static_cast<I>(few), static_cast<I>(few * kPieceLength), memory_.as<unsigned>(), list};
  }
  template <class T>
  T* totals() const {
    return reinterpret_cast<T*>(memory_.as<char>() + kHeader + list_bytes());
  }

 private:
  static constexpr int64_t kPieceLength = 4;  // in units of `few`
  static constexpr size_t kHeader = 16;       // the count; a multiple of every alignment

  // Positions that share the indices are tasks of their own, so pieces can be longer.
  static int64_t few_of(int64_t n, int64_t common_to) {
    constexpr int64_t least = 1024;
    int64_t few = least;
    while (few * 8 < least * common_to && few < n) few *= 2;
    return few;
  }
  size_t list_bytes() const {
    return (sizeof(Piece<I>) * static_cast<size_t>(most) + kHeader - 1) / kHeader * kHeader;
  }
  size_t bytes(int64_t common_to, size_t item) const {
    return kHeader + list_bytes() + item * static_cast<size_t>(most * common_to);
  }

  Scratch memory_;
};

// Returns the combination of elements source(0) ... source(n - 1), n > 0. Its order depends on n
// only. All threads of the block must call it.
template <class T, class Action, class I, class Source>
__device__ T combine_in_block(I n, const Source& source) {
  __shared__ T shared[kThreads];
  I thread = threadIdx.x;
  if (thread < n) {
    T own = *source(thread);
    for (I k = thread + kThreads; k < n; k += kThreads) Action::run(&own, source(k));
    shared[thread] = own;
  }
  for (I half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half && thread + half < n) Action::run(&shared[thread], &shared[thread + half]);
  }
  __syncthreads();
  T total = shared[0];
  // The next call writes the shared array.
  __syncthreads();
  return total;
}

}  // namespace
}  // namespace th

#endif
