#ifndef TH_SIMT_SHIM_SIMT_SHIM_H
#define TH_SIMT_SHIM_SIMT_SHIM_H

// CUDA C++ for the CPU: what kernels use of it. Its macros and global names are for kernel files
// only. Blocks run one after another, and the threads of a block one after another, in ascending or
// descending order, until each ends or waits for others.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/queue.h"
#include "simt/shim/simt_types.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// One kernel runs at a time, one block at a time.
#define __shared__ static

namespace th::simt {

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

template <auto kernel, class... P>
void run_threads(const void* values) {
  const auto& arguments = *static_cast<const std::tuple<P...>*>(values);
  while (next_thread()) std::apply(kernel, arguments);
}

// kernel<<<blocks, threads, shared, queue>>>(arguments...).
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
  template <class... P, class... A>
  void enqueue(void (*)(P...), A&... arguments) const {
    static_assert(sizeof...(P) == sizeof...(A), "a kernel is launched with all of its arguments");
    static_assert((std::is_trivially_copyable_v<P> && ...),
                  "the arguments of a kernel are trivially copyable");
    static_assert((size_t{0} + ... + sizeof(P)) <= 4096,
                  "the arguments of a kernel take at most 4096 bytes");
    queue_.enqueue(
        [name = name_, grid = grid_, values = std::tuple<P...>(static_cast<P>(arguments)...)] {
          run_grid(name, grid, &run_threads<kernel, P...>, &values);
        });
  }

  Queue& queue_;
  const char* name_;
  Grid grid_;
};

// The block's bytes of dynamic shared memory.
void* dynamic_shared();

// What a thread takes part in with others of its block or warp. Of all that wait for one another
// the operation, its place in the source and the mask must be the same.
enum class Meeting : uint8_t { none, syncthreads, syncwarp, shuffle, ballot };

// Waits for the block; returns how many threads had a predicate that is not 0.
int meet_block(bool predicate, int line);
// Waits for the warp's lanes in the mask. A shuffle returns the value of lane `source`, a ballot
// the lanes whose value is not 0.
uint64_t meet_warp(Meeting meeting, unsigned mask, uint64_t value, int source, int line);
int lane();

template <class T>
T shuffle(unsigned mask, T value, int source, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 4 or 8 bytes");
  static_assert(std::is_trivially_copyable_v<T>, "shuffles move bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = meet_warp(Meeting::shuffle, mask, bits, source, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

[[noreturn]] void trap();

}  // namespace th::simt

using th::simt::blockDim;
using th::simt::blockIdx;
using th::simt::gridDim;
using th::simt::threadIdx;
using th::simt::warpSize;

#define TH_LAUNCH(queue, kernel, blocks, threads, shared, ...) \
  ::th::simt::Launch<TH_UNPACK kernel>(queue, #kernel, blocks, threads, shared)(__VA_ARGS__)
#define TH_UNPACK(...) (__VA_ARGS__)

#define TH_DYNAMIC_SHARED(Type, name) Type* name = static_cast<Type*>(::th::simt::dynamic_shared())

// ---- barriers, and what the lanes of a warp do together

inline void __syncthreads(int line = __builtin_LINE()) { th::simt::meet_block(false, line); }
inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
  return th::simt::meet_block(predicate != 0, line);
}
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
  return th::simt::meet_block(predicate != 0, line) != 0;
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
  return th::simt::meet_block(predicate == 0, line) == 0;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  th::simt::meet_warp(th::simt::Meeting::syncwarp, mask, 0, 0, line);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              int line = __builtin_LINE()) {
  int first = th::simt::lane() & ~(width - 1);
  return th::simt::shuffle(mask, value, first + (source & (width - 1)), line);
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

inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<unsigned>(
      th::simt::meet_warp(th::simt::Meeting::ballot, mask, predicate != 0, 0, line));
}
inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate == 0, line) == 0;
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
[[noreturn]] inline void __trap() { th::simt::trap(); }

#include "simt/shim/simt_functions.h"

#endif
