#include "base/thread_end.h"

#include <pthread.h>

#include <utility>

namespace th {
namespace {

__thread ThreadEnd* registered_ends;

void run_ends(void*) {
  while (ThreadEnd* end = registered_ends) {
    registered_ends = end->next;
    end->registered = false;
    end->run();
  }
}

// The thread-specific value of the key only requests the call of run_ends.
struct Key {
  pthread_key_t key = 0;
  bool made = pthread_key_create(&key, run_ends) == 0;
};

}  // namespace

bool at_thread_end(ThreadEnd& end) noexcept {
  if (end.registered) return true;
  static const Key key;
  if (!key.made || pthread_setspecific(key.key, &registered_ends) != 0) return false;
  end.next = std::exchange(registered_ends, &end);
  end.registered = true;
  return true;
}

}  // namespace th
