#ifndef TH_CPU_PARALLEL_H
#define TH_CPU_PARALLEL_H

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "backend/grain.h"
#include "base/visibility.h"

namespace th TH_VISIBLE {

int num_threads() noexcept;   // 1 in a child process of one that had started threads
void set_num_threads(int n);  // for TH's loops and BLAS; throws if n < 1
void infer_num_threads();

// Returns how many threads, of `wanted` >= 2, the calling thread's next parallel region can have.
// Fewer if they cannot be started.
int form_team(int size) noexcept;
// Limits the number of threads per region for the calling thread; 0: no limit. Returns the old
// limit.
int limit_team(int most) noexcept;

// Calls f(begin, end) in parallel on disjoint ranges that cover [0, n), each with at least grain
// elements. f must not throw, and its result must not depend on how the range is divided. Must not
// be nested.
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
