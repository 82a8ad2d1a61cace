#ifndef TH_MEMORY_WATCH_H
#define TH_MEMORY_WATCH_H

// Who has to know of all that the calling thread does with memory, be it in an operation or beside
// them: what records operations, to do them again later.

#include <atomic>
#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

class Watcher {
 public:
  // What happened beside the operations.
  virtual void noticed(const char* what) noexcept = 0;

 protected:
  ~Watcher() = default;
};

// How many there are, of all threads, and the profiler. Meanwhile the host's memory is asked for by
// the longer way.
extern std::atomic<int> watchers;
inline bool watching() noexcept { return watchers.load(std::memory_order_relaxed) != 0; }

// Of the calling thread; null: none.
Watcher* watcher() noexcept;
// Returns the one before.
Watcher* set_watcher(Watcher* watcher) noexcept;
inline void notice(const char* what) noexcept {
  if (!watching()) return;
  if (Watcher* mine = watcher()) mine->noticed(what);
}
inline void notice_use() noexcept {
  notice("reads or writes elements otherwise than by operations");
}

// Within its scope nothing is noticed.
class Unwatched {
 public:
  Unwatched() noexcept : before_(set_watcher(nullptr)) {}
  ~Unwatched() { set_watcher(before_); }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  Watcher* before_;
};

// When a storage was made: another number above 0 for each, and 0 where its thread is not watched.
uint64_t next_birth() noexcept;
inline uint64_t birth() noexcept { return watching() && watcher() ? next_birth() : 0; }

}  // namespace TH_VISIBLE

#endif
