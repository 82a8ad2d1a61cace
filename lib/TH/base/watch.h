#ifndef TH_BASE_WATCH_H
#define TH_BASE_WATCH_H

// Observers of all memory accesses of the calling thread, within operations and outside of them.
// Used by the code that records operations to replay them later.

#include <atomic>
#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

class Watcher {
 public:
  // Called for accesses outside of operations.
  virtual void noticed(const char* what) noexcept = 0;

 protected:
  ~Watcher() = default;
};

// The number of watchers of all threads, plus one while the profiler is active. While it is not 0,
// host accesses take the slow path, which notifies watchers.
extern std::atomic<int> watchers;
inline bool watching() noexcept { return watchers.load(std::memory_order_relaxed) != 0; }

// The watcher of the calling thread; null: none.
Watcher* watcher() noexcept;
// Returns the previous watcher.
Watcher* set_watcher(Watcher* watcher) noexcept;
inline void notice(const char* what) noexcept {
  if (!watching()) return;
  if (Watcher* mine = watcher()) mine->noticed(what);
}
inline void notice_use() noexcept {
  notice("reads or writes elements otherwise than by operations");
}

// Disables the watcher within its scope.
class Unwatched {
 public:
  Unwatched() noexcept : before_(set_watcher(nullptr)) {}
  ~Unwatched() { set_watcher(before_); }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  Watcher* before_;
};

// Identifies a new storage: a unique positive number, or 0 if the calling thread is not watched.
uint64_t next_birth() noexcept;
inline uint64_t birth() noexcept { return watching() && watcher() ? next_birth() : 0; }

}  // namespace TH_VISIBLE

#endif
