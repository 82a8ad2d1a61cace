#include "cpu/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "base/cores.h"
#include "base/error.h"
#include "tensor/limits.h"
#include "cpu/blas.h"

namespace th {

namespace {

std::atomic<int> threads{0};

// Only the thread that forks exists in the child process.
std::atomic<bool> any_started{false}, is_lost{false};
const int fork_is_watched =
    pthread_atfork(nullptr, nullptr, [] { is_lost = any_started.load(std::memory_order_relaxed); });

constexpr int kMostCores = CPU_SETSIZE;
thread_local int most_at_once = 0;  // 0: no limit
thread_local bool is_running = false;
thread_local int index_in_loop = 0;

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// The number of processor cores that this process may use.
// A thread that waits keeps its core for a short time, then lets other threads run first; after
// kNanoseconds it should sleep. If there are fewer cores than threads, it should sleep at once.
class Patience {
 public:
  explicit Patience(bool has_core) : has_core_(has_core) {}
  bool ends() {
    if (!has_core_) return true;
    pause_briefly();
    if (++turns_ % 16 != 0) return false;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t time = int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
    if (turns_ == 16) start_ = time;
    if (time - start_ > kNanoseconds / 20) sched_yield();
    return time - start_ > kNanoseconds;
  }

 private:
  // Longer than what a program does between two loops, as it takes 50 us to wake a thread.
  static constexpr int64_t kNanoseconds = 1000000;
  bool has_core_;
  int64_t turns_ = 0, start_ = 0;
};

// The threads that help a caller, for one loop at a time.
class Workers {
 public:
  // Returns false if another thread's loop is running, so that the caller must run its own.
  bool run(const ParallelLoop& loop, int team) {
    if (is_taken_.exchange(true, std::memory_order_acquire)) return false;
    team = static_cast<int>(std::min<int64_t>(team, loop.most));
    team = std::min(team, start(team - 1) + 1);
    if (team > 1) {
      prepare(loop, team);
      gate_.fetch_add(kOpen, std::memory_order_release);
      wake();
      take_parts(0);
      gate_.fetch_sub(kOpen, std::memory_order_relaxed);
      wait_for_begun_parts();
    }
    is_taken_.store(false, std::memory_order_release);
    if (team < 2) loop.run(loop.f, 0, loop.n);
    return true;
  }

 private:
  static constexpr int kMost = kMostCores;
  // gate_ is kOpen while there is a loop, plus kInside for each thread that may use its fields.
  static constexpr uint32_t kOpen = 1, kInside = 2;

  struct alignas(64) Part {
    std::atomic<bool> is_begun;
  };

  static void help(int index);
  void prepare(const ParallelLoop& loop, int team) {
    loop_ = loop;
    team_ = team;
    for (int k = 0; k < team; ++k) part_[k].is_begun.store(false, std::memory_order_relaxed);
  }

  // Runs the parts that no thread has begun, from that of this thread on.
  void take_parts(int index) {
    is_running = true;
    index_in_loop = index;
    for (int k = 0; k < team_; ++k) {
      const int part = (index + k) % team_;
      if (part_[part].is_begun.exchange(true, std::memory_order_relaxed)) continue;
      const int64_t each = loop_.n / team_, rest = loop_.n % team_;
      loop_.run(loop_.f, each * part + std::min<int64_t>(part, rest),
                each * (part + 1) + std::min<int64_t>(part + 1, rest));
    }
    is_running = false;
    index_in_loop = 0;
  }

  void wait_for_begun_parts() {
    Patience patience(have_cores_.load(std::memory_order_relaxed));
    while (gate_.load(std::memory_order_acquire) >= kInside) {
      if (patience.ends()) sched_yield();
    }
  }

  void wake() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
    pthread_mutex_lock(&mutex_);
    pthread_mutex_unlock(&mutex_);
    pthread_cond_broadcast(&loop_began_);
  }

  // Returns the number of the next loop, after one began that is not number `seen`.
  uint32_t wait_for_loop(uint32_t seen) {
    uint32_t epoch;
    Patience patience(have_cores_.load(std::memory_order_relaxed));
    while ((epoch = epoch_.load(std::memory_order_acquire)) == seen) {
      if (!patience.ends()) continue;
      pthread_mutex_lock(&mutex_);
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      while (epoch_.load(std::memory_order_seq_cst) == seen) {
        pthread_cond_wait(&loop_began_, &mutex_);
      }
      sleeping_.fetch_sub(1, std::memory_order_relaxed);
      pthread_mutex_unlock(&mutex_);
    }
    return epoch;
  }

  void work(int index) {
    omp_set_num_threads(1);  // BLAS libraries start no threads in a part of a loop
    for (uint32_t seen = 0;;) {
      seen = wait_for_loop(seen);
      if (gate_.fetch_add(kInside, std::memory_order_acquire) & kOpen) {
        if (index < team_) take_parts(index);
      }
      gate_.fetch_sub(kInside, std::memory_order_release);
    }
  }

  // Starts threads until there are `wanted`, or no more can be started. Returns how many there are.
  int start(int wanted) {
    wanted = std::min(wanted, kMost - 1);
    if (started_ >= wanted) return wanted;
    any_started = true;
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    auto body = [](void* index) -> void* {
      help(static_cast<int>(reinterpret_cast<intptr_t>(index)));
      return nullptr;
    };
    pthread_t thread;
    while (started_ < wanted &&
           pthread_create(&thread, nullptr, body,
                          reinterpret_cast<void*>(intptr_t{started_ + 1})) == 0) {
      pthread_detach(thread);
      ++started_;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    have_cores_.store(started_ < available_cores(), std::memory_order_relaxed);
    return std::min(started_, wanted);
  }

  std::atomic<bool> is_taken_{false}, have_cores_{true};
  int started_ = 0;
  // The loop. The caller writes it while the gate is closed and no thread is inside.
  ParallelLoop loop_ = {};
  int team_ = 0;
  Part part_[kMost] = {};
  std::atomic<uint32_t> gate_{0};
  // The number of loops begun, on which idle threads wait.
  alignas(64) std::atomic<uint32_t> epoch_{0};
  std::atomic<int> sleeping_{0};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t loop_began_ = PTHREAD_COND_INITIALIZER;
};
Workers workers;
void Workers::help(int index) { workers.work(index); }

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

bool in_parallel() noexcept { return is_running || omp_in_parallel(); }
int thread_index() noexcept { return index_in_loop; }

void run_in_parallel(const ParallelLoop& loop) noexcept {
  int team = num_threads();
  if (most_at_once) team = std::min(team, most_at_once);
  if (team < 2 || !workers.run(loop, team)) loop.run(loop.f, 0, loop.n);
}

int limit_team(int most) noexcept {
  int before = most_at_once;
  most_at_once = most;
  return before;
}

void set_num_threads(int n) {
  if (n < 1 || n > kMaxThreads) {
    fail_argument(1, "the number of threads must be from 1 to %d, got %d", kMaxThreads, n);
  }
  threads.store(n);
  omp_set_num_threads(n);
  blas::set_num_threads(n);
}

void infer_num_threads() { threads.store(omp_get_max_threads()); }

}  // namespace th
