#include "simt/shim/simt_shim.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include "simt/shim/fiber.h"
#include "simt/shim/sanitizer.h"
#include "simt/shim/thread_order.h"

namespace th {

namespace {
std::atomic<ThreadOrder> chosen_order{ThreadOrder::ascending};
}  // namespace
ThreadOrder thread_order() { return chosen_order; }
void set_thread_order(ThreadOrder order) { chosen_order = order; }

namespace {
const void* never() { return nullptr; }
std::atomic<const void* (*)()> stop_sign{never};
}  // namespace

}  // namespace th

// libTH passes the address that signals a request to stop kernels (base/interrupt.h).
extern "C" __attribute__((visibility("default"))) void th_look_for_stop(const void* (*sign)()) {
  th::stop_sign = sign;
}

namespace th::simt {

Running running;
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace {

constexpr unsigned kMostThreads = 1024;
constexpr size_t kMostShared = 48 * 1024;  // available on every CUDA device without opt-in
constexpr unsigned kLanes = 32;
constexpr uint64_t kGarbage = 0xA5A5A5A5A5A5A5A5u;

enum class Barrier : uint8_t { none, block, shuffle };

struct Waiting {
  Barrier at;  // none: the thread does not wait
  int line;
  unsigned mask;
  int source;
  uint64_t value, result;
  Fiber* fiber;  // null: the thread is not suspended
};

// Unwinds the stacks of waiting threads when a launch is aborted.
struct Aborted {};

struct Launcher {
  const char* kernel;
  void (*body)(const void*);
  const void* values;
  size_t shared_bytes;
  uint64_t blocks, next_block;
  const void* stop_sign;  // value at the launch

  unsigned waiting;     // number of threads at a barrier
  unsigned at_barrier;  // number of threads at __syncthreads
  int barrier_line;
  bool barriers_differ, all_hold;           // for the threads at __syncthreads
  unsigned arrived[kMostThreads / kLanes];  // for each warp, the lanes at a shuffle
  Waiting threads[kMostThreads];
  unsigned ready[kMostThreads];  // ring buffer with running.ready threads
  unsigned first_ready;

  bool is_aborting;
  std::exception_ptr error;

  Fiber* caller = nullptr;  // null: no kernel is running
  Fiber* current = nullptr;
  std::vector<std::unique_ptr<Fiber>> workers;
  std::vector<Fiber*> idle;
  alignas(256) char shared[kMostShared];
};

// Never destroyed.
Launcher& launcher() {
  static auto* all = new Launcher();
  return *all;
}

// ---- switching between stacks

void go_to(Launcher& l, Fiber* fiber) {
  Fiber* self = l.current;
  l.current = fiber;
  Fiber::switch_to(*self, *fiber);
}

void push_ready(Launcher& l, unsigned thread) {
  l.ready[(l.first_ready + running.ready) % kMostThreads] = thread;
  ++running.ready;
}

unsigned pop_ready(Launcher& l) {
  unsigned thread = l.ready[l.first_ready];
  l.first_ready = (l.first_ready + 1) % kMostThreads;
  --running.ready;
  return thread;
}

// A worker runs threads until none can be started on its stack. Then it is idle.
void work() {
  Launcher& l = launcher();
  for (;;) {
    try {
      l.body(l.values);
    } catch (const Aborted&) {
    } catch (...) {
      if (!l.error) l.error = std::current_exception();
      l.is_aborting = true;
    }
    l.idle.push_back(l.current);
    go_to(l, running.ready && !l.is_aborting ? l.threads[pop_ready(l)].fiber : l.caller);
  }
}

Fiber* idle_worker(Launcher& l) {
  if (l.idle.empty()) {
    // Reserve now, so that a worker can become idle without allocating memory.
    l.idle.reserve(l.workers.size() + 1);
    l.workers.push_back(std::make_unique<Fiber>(&work));
    return l.workers.back().get();
  }
  Fiber* worker = l.idle.back();
  l.idle.pop_back();
  return worker;
}

// Suspends the running thread until its turn among the ready threads.
void wait_for_turn(Launcher& l) {
  unsigned self = running.thread;
  if (running.ready && l.ready[l.first_ready] == self) {
    pop_ready(l);
    return;
  }
  Fiber* next = running.ready   ? l.threads[pop_ready(l)].fiber
                : running.fresh ? idle_worker(l)  // may throw: the thread is not suspended yet
                                : l.caller;
  l.threads[self].fiber = l.current;
  go_to(l, next);
  l.threads[self].fiber = nullptr;
  if (l.is_aborting) throw Aborted();
  running.thread = self;
  set_thread_index(self);
}

unsigned in_order(unsigned k, unsigned count) { return running.descending ? count - 1 - k : k; }

void arrive(Launcher& l, Barrier barrier, int line) {
  Waiting& self = l.threads[running.thread];
  self.at = barrier;
  self.line = line;
  ++l.waiting;
}

void leave(Launcher& l, unsigned thread, uint64_t result) {
  l.threads[thread].at = Barrier::none;
  l.threads[thread].result = result;
  --l.waiting;
  push_ready(l, thread);
}

// ---- errors

// Reports that all remaining threads wait for ended threads, or at different barriers.
void fail_divergent(Launcher& l) {
  char text[160];
  size_t used = 0;
  auto add = [&](const char* format, auto... values) {
    if (used >= sizeof(text)) return;
    int length = std::snprintf(text + used, sizeof(text) - used, format, values...);
    used += static_cast<size_t>(length);
  };
  unsigned ended = running.threads - l.waiting;
  if (ended) add("%u of %u threads ended", ended, running.threads);
  bool reported[kMostThreads] = {};
  for (unsigned t = 0; t < running.threads; ++t) {
    const Waiting& one = l.threads[t];
    if (one.at == Barrier::none || reported[t]) continue;
    unsigned alike = 0;
    for (unsigned u = t; u < running.threads; ++u) {
      if (l.threads[u].at != one.at || l.threads[u].line != one.line) continue;
      reported[u] = true;
      ++alike;
    }
    add("%s%u wait at %s of line %d", used ? ", " : "", alike,
        one.at == Barrier::block ? "__syncthreads" : "a shuffle", one.line);
  }
  fail(kDeviceFailed, "kernel %s: divergent barrier in block (%u, %u, %u): %s", l.kernel,
       blockIdx.x, blockIdx.y, blockIdx.z, text);
}

void unwind_all(Launcher& l) {
  l.is_aborting = true;
  for (Waiting& thread : l.threads) {
    if (thread.fiber) go_to(l, thread.fiber);
    thread.at = Barrier::none;
  }
  std::fill(std::begin(l.arrived), std::end(l.arrived), 0u);
}

void check_grid(const char* kernel, const Grid& grid) {
  const dim3 &b = grid.blocks, &t = grid.threads;
  uint64_t threads = uint64_t{t.x} * t.y * t.z;
  if (threads == 0 || threads > kMostThreads || t.z > 64) {
    fail(kDeviceFailed, "kernel %s: a block has 1 to %u threads, got (%u, %u, %u)", kernel,
         kMostThreads, t.x, t.y, t.z);
  }
  if (uint64_t{b.x} * b.y * b.z == 0 || b.x > 0x7fffffffu || b.y > 65535 || b.z > 65535) {
    fail(kDeviceFailed,
         "kernel %s: a grid has 1 to (2147483647, 65535, 65535) blocks, got (%u, %u, %u)", kernel,
         b.x, b.y, b.z);
  }
  if (grid.shared > kMostShared) {
    fail(kDeviceFailed, "kernel %s: a block has at most %zu bytes of shared memory, got %zu",
         kernel, kMostShared, grid.shared);
  }
}

}  // namespace

void set_thread_index(unsigned thread) {
  threadIdx.x = thread % blockDim.x;
  threadIdx.y = thread / blockDim.x % blockDim.y;
  threadIdx.z = thread / blockDim.x / blockDim.y;
}

// Called when no thread can be started and none is ready.
bool next_block() {
  Launcher& l = launcher();
  if (l.waiting || l.next_block == l.blocks) return false;
  constexpr uint64_t blocks_between_looks = 1024;
  if (l.next_block % blocks_between_looks == 0 && stop_sign.load()() != l.stop_sign) {
    fail(kDeviceFailed, "kernel %s: interrupted", l.kernel);
  }
  uint64_t block = running.descending ? l.blocks - 1 - l.next_block : l.next_block;
  ++l.next_block;
  blockIdx.x = static_cast<unsigned>(block % gridDim.x);
  blockIdx.y = static_cast<unsigned>(block / gridDim.x % gridDim.y);
  blockIdx.z = static_cast<unsigned>(block / gridDim.x / gridDim.y);
  running.fresh = running.threads;
  if (l.shared_bytes) std::memset(l.shared, 0xA5, l.shared_bytes);
  return true;
}

void run_grid(const char* kernel, const Grid& grid, void (*body)(const void*), const void* values) {
  Launcher& l = launcher();
  check_grid(kernel, grid);
  if (l.caller) fail(kDeviceFailed, "kernel %s: launched from within a kernel", kernel);
  l.kernel = kernel;
  l.body = body;
  l.values = values;
  l.shared_bytes = grid.shared;
  l.blocks = uint64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
  l.next_block = 0;
  l.stop_sign = stop_sign.load()();
  l.waiting = l.at_barrier = 0;
  l.is_aborting = false;
  l.error = nullptr;
  running = {};
  running.descending = thread_order() == ThreadOrder::descending;
  running.flat = grid.threads.y == 1 && grid.threads.z == 1;
  running.threads = grid.threads.x * grid.threads.y * grid.threads.z;
  threadIdx = {};
  blockDim = grid.threads;
  gridDim = grid.blocks;

  unpoison(l.shared, kMostShared);
  poison(l.shared + grid.shared, kMostShared - grid.shared);
  Fiber caller;
  l.caller = l.current = &caller;
  try {
    go_to(l, idle_worker(l));
    if (l.error) std::rethrow_exception(l.error);
    if (l.waiting) fail_divergent(l);
  } catch (...) {
    unwind_all(l);
    l.caller = l.current = nullptr;
    l.error = nullptr;
    throw;
  }
  l.caller = l.current = nullptr;
}

void enqueue_grid(Queue& queue, const char* kernel, const Grid& grid, void (*body)(const void*),
                  const void* const* values, const size_t* bytes, size_t count) {
  using Unit = std::max_align_t;
  auto units = [](size_t n) { return (n + sizeof(Unit) - 1) / sizeof(Unit); };
  size_t all = units(count * sizeof(void*));
  for (size_t k = 0; k < count; ++k) all += units(bytes[k]);
  std::shared_ptr<Unit[]> block(new Unit[all]);
  auto** copies = reinterpret_cast<const void**>(block.get());
  Unit* to = block.get() + units(count * sizeof(void*));
  for (size_t k = 0; k < count; ++k) {
    copies[k] = std::memcpy(to, values[k], bytes[k]);
    to += units(bytes[k]);
  }
  queue.enqueue([=] { run_grid(kernel, grid, body, block.get()); });
}

void* dynamic_shared() { return launcher().shared; }

int lane() { return static_cast<int>(running.thread % kLanes); }

bool block_barrier(bool predicate, int line) {
  if (running.threads == 1) return predicate;
  Launcher& l = launcher();
  unsigned self = running.thread;
  arrive(l, Barrier::block, line);
  if (l.at_barrier++ == 0) {
    l.barrier_line = line;
    l.barriers_differ = false;
    l.all_hold = true;
  }
  if (line != l.barrier_line) l.barriers_differ = true;
  if (!predicate) l.all_hold = false;
  if (l.at_barrier == running.threads && !l.barriers_differ) {
    l.at_barrier = 0;
    for (unsigned k = 0; k < running.threads; ++k) {
      leave(l, in_order(k, running.threads), l.all_hold);
    }
  }
  wait_for_turn(l);
  return l.threads[self].result != 0;
}

uint64_t warp_shuffle(unsigned mask, uint64_t value, int source, int line) {
  Launcher& l = launcher();
  unsigned self = running.thread, warp = self / kLanes, first = warp * kLanes;
  unsigned lanes = std::min(kLanes, running.threads - first);
  unsigned needed = mask & (lanes == kLanes ? 0xffffffffu : (1u << lanes) - 1);
  unsigned own = 1u << (self - first);
  if (!(mask & own)) {
    fail(kDeviceFailed, "kernel %s: line %d: lane %u is not in its own mask %08x", l.kernel, line,
         self - first, mask);
  }
  arrive(l, Barrier::shuffle, line);
  l.threads[self].mask = mask;
  l.threads[self].value = value;
  l.threads[self].source = source;
  l.arrived[warp] |= own;
  Waiting* warp_threads = l.threads + first;
  bool complete = (l.arrived[warp] & needed) == needed;
  for (unsigned k = 0; complete && k < lanes; ++k) {
    const Waiting& other = warp_threads[k];
    if (needed >> k & 1) complete = other.line == line && other.mask == mask;
  }
  if (complete) {
    l.arrived[warp] &= ~needed;
    for (unsigned k = 0; k < lanes; ++k) {
      unsigned to = in_order(k, lanes);
      if (!(needed >> to & 1)) continue;
      auto from = static_cast<unsigned>(warp_threads[to].source);
      // The value of a lane that does not participate is undefined.
      bool known = from < lanes && (needed >> from & 1);
      leave(l, first + to, known ? warp_threads[from].value : kGarbage);
    }
  }
  wait_for_turn(l);
  return l.threads[self].result;
}

}  // namespace th::simt
