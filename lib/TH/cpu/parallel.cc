#include "cpu/parallel.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <new>

#include "base/error.h"
#include "cpu/blas.h"

namespace th {

namespace {

std::atomic<int> threads{0};

// OpenMP's threads do not exist in a child process, where OpenMP would wait for them forever.
std::atomic<bool> any_started{false}, is_lost{false};
const int fork_is_watched =
    pthread_atfork(nullptr, nullptr, [] { is_lost = any_started.load(std::memory_order_relaxed); });

// OpenMP ends the process if it cannot start a thread. So we first try to start threads that do
// nothing. Returns how many could be started.
int try_threads(int size) noexcept {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  auto wait = [](void* at) -> void* {
    pthread_mutex_lock(static_cast<pthread_mutex_t*>(at));
    pthread_mutex_unlock(static_cast<pthread_mutex_t*>(at));
    return nullptr;
  };
  std::unique_ptr<pthread_t[]> started(new (std::nothrow) pthread_t[static_cast<size_t>(size)]);
  if (!started) return 0;
  int count = 0;
  pthread_mutex_lock(&gate);
  while (count < size && pthread_create(&started[count], nullptr, wait, &gate) == 0) ++count;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < count; ++i) pthread_join(started[i], nullptr);
  return count;
}

// Returns true if there is address space for the stacks of `count` threads.
bool has_stack_space(int count) noexcept {
  pthread_attr_t attributes;
  size_t stack = 0;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_getstacksize(&attributes, &stack);
  pthread_attr_destroy(&attributes);
  size_t bytes = static_cast<size_t>(count) * (stack + (size_t{1} << 20));
  void* block = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, bytes);
  return true;
}

// The size of the calling thread's team, including itself. OpenMP ends threads that the next region
// does not need and restarts them later.
thread_local int team = 1, largest_team = 1;
thread_local int most_at_once = 0;  // 0: no limit

}  // namespace

int num_threads() noexcept {
  if (is_lost.load(std::memory_order_relaxed)) return 1;
  int n = threads.load(std::memory_order_relaxed);
  if (n == 0) {
    n = omp_get_max_threads();
    threads.store(n, std::memory_order_relaxed);
  }
  return n;
}

int form_team(int size) noexcept {
  if (most_at_once && size > most_at_once) size = most_at_once;
  if (size > largest_team) {
    any_started = true;
    size = 1 + try_threads(size - 1);
    if (size > largest_team) largest_team = size;
  } else if (size > team && !has_stack_space(size - team)) {
    size = team;
  }
  team = size;
  return size;
}

int limit_team(int most) noexcept {
  int before = most_at_once;
  most_at_once = most;
  return before;
}

void set_num_threads(int n) {
  if (n < 1) fail_argument(1, "the number of threads must be at least 1, got %d", n);
  threads.store(n);
  omp_set_num_threads(n);
  blas::set_num_threads(n);
}

void infer_num_threads() { threads.store(omp_get_max_threads()); }

}  // namespace th
