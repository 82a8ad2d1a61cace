#ifndef TH_SIMT_SHIM_SIMT_SHIM_H
#define TH_SIMT_SHIM_SIMT_SHIM_H

// CUDA C++ on the CPU: the subset that kernels use. Its macros and global names are for kernel
// files only. Blocks run one after another. The threads of a block run one after another, in
// ascending or descending order, each until it ends or waits for others.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simt/queue.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
// Static, because only one block of one kernel runs at a time.
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

// The running block.
struct Running {
  bool descending;
  bool flat;         // the block is one-dimensional
  unsigned threads;  // of the block
  unsigned fresh;    // number of threads not yet started
  unsigned ready;    // number of threads that waited and may continue
  unsigned thread;   // the running thread
};
extern Running running;
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

void set_thread_index(unsigned thread);
bool next_block();

// Starts the next thread on the caller's stack. Returns false if waiting threads must be continued
// first, or if no thread is left.
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

// Runs all threads of a grid. body must run threads while next_thread(). Throws DeviceFailure.
void run_grid(const char* kernel, const Grid& grid, void (*body)(const void*), const void* values);

// Queues run_grid() with a copy of `count` values of the given sizes in bytes. body receives an
// array of pointers to them.
void enqueue_grid(Queue& queue, const char* kernel, const Grid& grid, void (*body)(const void*),
                  const void* const* values, const size_t* bytes, size_t count);

// Implements kernel<<<blocks, threads, shared, queue>>>(arguments...). As little as possible is
// instantiated per kernel, because there are thousands.
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

// Returns the dynamic shared memory of the block.
void* dynamic_shared();

// Threads that wait for each other must wait in the same source line; the lanes of a warp also with
// the same mask.

// Block barrier. Returns true if the predicates of all threads are true.
bool block_barrier(bool predicate, int line);
// Warp barrier of the lanes in mask. Returns the value of lane `source`.
uint64_t warp_shuffle(unsigned mask, uint64_t value, int source, int line);
int lane();

template <class T>
T exchange(T* address, T value) {
  T old = *address;
  *address = value;
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

// ---- barriers and warp functions

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
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize,
                  int line = __builtin_LINE()) {
  int self = th::simt::lane(), source = self ^ lanes;
  return th::simt::shuffle(mask, value, source > (self | (width - 1)) ? self : source, line);
}
// ---- atomic functions: not atomic, because threads switch only where they wait

inline unsigned atomicCAS(unsigned* address, unsigned compare, unsigned value) {
  return th::simt::exchange(address, *address == compare ? value : *address);
}
inline unsigned atomicAdd(unsigned* address, unsigned value) {
  return th::simt::exchange(address, *address + value);
}
inline int atomicMax(int* address, int value) {
  return th::simt::exchange(address, *address < value ? value : *address);
}
inline int atomicMin(int* address, int value) {
  return th::simt::exchange(address, value < *address ? value : *address);
}

#endif
