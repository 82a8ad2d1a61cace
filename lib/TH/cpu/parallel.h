#ifndef TH_CPU_PARALLEL_H
#define TH_CPU_PARALLEL_H

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "backend/grain.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

int num_threads() noexcept;   // 1 in the child of a process that had started threads
void set_num_threads(int n);  // of TH's loops and of BLAS; throws where n < 1
void infer_num_threads();

// How many threads, of 2 or more, the calling thread's next parallel region can have: fewer where
// they cannot be started.
int form_team(int wanted) noexcept;
// At most so many in each team of the calling thread, 0 for any number. Returns what held before.
int limit_team(int most) noexcept;

// Calls f(begin, end) on disjoint ranges that cover [0, n), each at least grain long, in parallel.
// f must not throw and must give the same result however the range is cut. Does not nest.
template <class F>
void parallel_for(int64_t n, int64_t grain, const F& f) {
  int64_t parts = grain > 0 ? n / grain : n;
  int threads = num_threads();
  if (parts < 2 || threads < 2 || omp_in_parallel()) {
    if (n > 0) f(int64_t{0}, n);
    return;
  }
  parts = form_team(static_cast<int>(parts > threads ? threads : parts));
  if (parts < 2) {
    f(int64_t{0}, n);
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (int64_t part = 0; part < parts; ++part) {
    f(n * part / parts, n * (part + 1) / parts);
  }
}

}  // namespace TH_VISIBLE

#endif
