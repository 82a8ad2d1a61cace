#ifndef TH_SIMT_SHIM_SIMT_SHIM_H
#define TH_SIMT_SHIM_SIMT_SHIM_H

// CUDA C++ for the CPU: what kernels use of it. Its macros and global names are for kernel files
// only. Blocks run one after another, and the threads of a block one after another, in ascending or
// descending order, until each ends or waits for others.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simt/queue.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
// One kernel runs at a time, one block at a time.
#define __shared__ static

namespace th::simt {

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
  unsigned x, y, z;
};

struct Grid {
  dim3 blocks, threads;
  size_t shared;
};

// The block that is running.
struct Running {
  bool descending;
  bool flat;         // threadIdx.x alone tells the threads apart
  unsigned threads;  // of the block
  unsigned fresh;    // threads that have not started
  unsigned ready;    // threads that waited and may go on
  unsigned thread;   // that is running now
};
extern Running running;
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

void set_thread_index(unsigned thread);
bool next_block();

// Starts the next thread on the caller's stack. False: there is something else to do than start
// threads, or nothing.
inline bool next_thread() {
  Running& r = running;
  do {
    if (r.ready) return false;
    if (r.fresh) {
      r.thread = r.descending ? r.fresh - 1 : r.threads - r.fresh;
      --r.fresh;
      if (r.flat) {
        threadIdx.x = r.thread;
      } else {
        set_thread_index(r.thread);
      }
      return true;
    }
  } while (next_block());
  return false;
}

// Runs all threads of a grid; body runs threads while next_thread(). Throws DeviceFailure.
void run_grid(const char* kernel, const Grid& grid, void (*body)(const void*), const void* values);

// Queues run_grid() with a copy of the values, so many of so many bytes each. body gets an array of
// pointers to them.
void enqueue_grid(Queue& queue, const char* kernel, const Grid& grid, void (*body)(const void*),
                  const void* const* values, const size_t* bytes, size_t count);

// kernel<<<blocks, threads, shared, queue>>>(arguments...). As little as can be is made anew for
// each kernel: there are thousands.
template <auto kernel>
class Launch {
 public:
  Launch(Queue& queue, const char* name, dim3 blocks, dim3 threads, size_t shared)
      : queue_(queue), name_(name), grid_{blocks, threads, shared} {}
  template <class... A>
  void operator()(A&&... arguments) const {
    enqueue(kernel, arguments...);
  }

 private:
  template <class... P>
  void enqueue(void (*)(P...), std::common_type_t<P>... arguments) const {
    static_assert((std::is_trivially_copyable_v<P> && ...),
                  "the arguments of a kernel are trivially copyable");
    static_assert((size_t{0} + ... + sizeof(P)) <= 4096,
                  "the arguments of a kernel take at most 4096 bytes");
    const void* const values[] = {&arguments...};
    constexpr size_t bytes[] = {sizeof(P)...};
    enqueue_grid(queue_, name_, grid_, &run_threads<P...>, values, bytes, sizeof...(P));
  }
  template <class... P>
  static void run_threads(const void* values) {
    run_with<P...>(static_cast<const void* const*>(values), std::index_sequence_for<P...>());
  }
  template <class... P, size_t... K>
  static void run_with(const void* const* values, std::index_sequence<K...>) {
    while (next_thread()) kernel(*static_cast<const P*>(values[K])...);
  }

  Queue& queue_;
  const char* name_;
  Grid grid_;
};

// The block's bytes of dynamic shared memory.
void* dynamic_shared();

// Threads that wait for one another must do so in the same line of the source; the lanes of a warp
// also with the same mask.

// A barrier of the block; returns whether all threads' predicates hold.
bool block_barrier(bool predicate, int line);
// A barrier of the warp's lanes in the mask; returns the value of lane `source`.
uint64_t warp_shuffle(unsigned mask, uint64_t value, int source, int line);
int lane();

template <class T>
T exchange(T* place, T value) {
  T old = *place;
  *place = value;
  return old;
}

template <class T>
T shuffle(unsigned mask, T value, int source, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  static_assert(std::is_trivially_copyable_v<T>, "shuffles move bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = warp_shuffle(mask, bits, source, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace th::simt

using th::simt::blockDim;
using th::simt::blockIdx;
using th::simt::dim3;
using th::simt::gridDim;
using th::simt::threadIdx;
using th::simt::warpSize;

#define TH_LAUNCH(queue, kernel, blocks, threads, shared, ...) \
  ::th::simt::Launch<TH_UNPACK kernel>(queue, #kernel, blocks, threads, shared)(__VA_ARGS__)
#define TH_UNPACK(...) (__VA_ARGS__)

#define TH_DYNAMIC_SHARED(Type, name) Type* name = static_cast<Type*>(::th::simt::dynamic_shared())

// ---- barriers, and what the lanes of a warp do together

inline void __syncthreads(int line = __builtin_LINE()) { th::simt::block_barrier(true, line); }
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
  return th::simt::block_barrier(predicate != 0, line);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                 int line = __builtin_LINE()) {
  int self = th::simt::lane(), first = self & ~(width - 1);
  int source = self - static_cast<int>(delta);
  return th::simt::shuffle(mask, value, source < first ? self : source, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                   int line = __builtin_LINE()) {
  int self = th::simt::lane(), last = self | (width - 1);
  int source = self + static_cast<int>(delta);
  return th::simt::shuffle(mask, value, source > last ? self : source, line);
}
// ---- atomic functions: plain ones, since threads take turns only where they wait

inline unsigned atomicCAS(unsigned* place, unsigned compare, unsigned value) {
  return th::simt::exchange(place, *place == compare ? value : *place);
}
inline int atomicMax(int* place, int value) {
  return th::simt::exchange(place, *place < value ? value : *place);
}
inline int atomicMin(int* place, int value) {
  return th::simt::exchange(place, value < *place ? value : *place);
}

#endif
