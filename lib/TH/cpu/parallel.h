#ifndef TH_CPU_PARALLEL_H
#define TH_CPU_PARALLEL_H

// Loops in parts, one for each thread. A thread that has run its part takes those that others have
// not begun, and the caller waits for begun parts only. So a thread that gets no processor core
// delays nothing, which a parallel region of OpenMP would wait for.

#include <cstdint>

#include "backend/grain.h"
#include "base/visibility.h"

namespace th TH_VISIBLE {

int num_threads() noexcept;   // 1 in a child process of one that had started threads
void set_num_threads(int n);  // for TH's loops and BLAS; throws unless n is from 1 to 4096
void infer_num_threads();

// Limits the number of threads per loop for the calling thread; 0: no limit. Returns the old limit.
int limit_team(int most) noexcept;
// Returns true in a thread that runs a part of a loop, and in a parallel region of OpenMP. A loop
// runs in the calling thread then.
bool in_parallel() noexcept;
// In a part of a loop: a number from 0 to num_threads() - 1, which no other thread of the loop has.
int thread_index() noexcept;

// A loop over [0, n), which can be divided into up to `most` parts.
struct ParallelLoop {
  void (*run)(const void* f, int64_t begin, int64_t end);
  const void* f;
  int64_t n, most;
};
void run_in_parallel(const ParallelLoop& loop) noexcept;

// Calls f(begin, end) in parallel on disjoint ranges that cover [0, n), each with at least grain
// elements. f must not throw, and its result must not depend on how the range is divided.
template <class F>
void parallel_for(int64_t n, int64_t grain, const F& f) {
  const int64_t most = grain > 0 ? n / grain : n;
  if (most < 2 || num_threads() < 2 || in_parallel()) {
    if (n > 0) f(int64_t{0}, n);
    return;
  }
  auto run = [](const void* function, int64_t begin, int64_t end) {
    (*static_cast<const F*>(function))(begin, end);
  };
  run_in_parallel({run, &f, n, most});
}

}  // namespace TH_VISIBLE

#endif
