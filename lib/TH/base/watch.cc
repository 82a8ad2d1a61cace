#include "base/watch.h"

namespace th {

std::atomic<int> watchers{0};

namespace {

thread_local Watcher* the_watcher = nullptr;

}  // namespace

Watcher* watcher() noexcept { return the_watcher; }

Watcher* set_watcher(Watcher* watcher) noexcept {
  Watcher* before = the_watcher;
  the_watcher = watcher;
  return before;
}

uint64_t next_birth() noexcept {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

}  // namespace th
