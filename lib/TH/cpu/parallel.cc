#include "cpu/parallel.h"

#include <atomic>

#include "cpu/blas.h"
#include "memory/error.h"

namespace th {

namespace {
std::atomic<int> threads{0};
}

int num_threads() noexcept {
  int n = threads.load(std::memory_order_relaxed);
  if (n == 0) {
    n = omp_get_max_threads();
    threads.store(n, std::memory_order_relaxed);
  }
  return n;
}

void set_num_threads(int n) {
  if (n < 1) fail_argument(1, "the number of threads must be at least 1, got %d", n);
  threads.store(n);
  omp_set_num_threads(n);
  blas::set_num_threads(n);
}

void infer_num_threads() { threads.store(omp_get_max_threads()); }

}  // namespace th
