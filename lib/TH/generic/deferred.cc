#include "generic/deferred.h"

#include <omp.h>

#include <cstdio>
#include <mutex>

namespace th {

std::atomic<uint64_t> deferred_error{0};

namespace {

std::mutex mutex;
uint64_t last_number = 0;
int kept_argument = 0;
char kept_message[Error::kLength];

thread_local uint64_t failed = 0;

[[noreturn]] void fail_with(int argument, const char* message) {
  if (argument) fail_argument(argument, "%s", message);
  fail("%s", message);
}

}  // namespace

int region_level() noexcept { return omp_get_level(); }

void defer_error(int argument, const char* message) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  if (deferred_error.load() == 0) {
    kept_argument = argument;
    std::snprintf(kept_message, sizeof(kept_message), "%s (in an OpenMP region)", message);
    deferred_error.store(++last_number);
  }
  failed = deferred_error.load();
}

bool thread_has_failed() noexcept { return failed != 0 && failed == deferred_error.load(); }

bool take_deferred(int* argument, char* message, size_t length) noexcept {
  if (region_level() > 0) return false;
  std::lock_guard<std::mutex> lock(mutex);
  if (deferred_error.load() == 0) return false;
  *argument = kept_argument;
  std::snprintf(message, length, "%s", kept_message);
  deferred_error.store(0);
  return true;
}

void throw_deferred() {
  int argument;
  char message[Error::kLength];
  if (take_deferred(&argument, message, sizeof(message))) fail_with(argument, message);
}

}  // namespace th
