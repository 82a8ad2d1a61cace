#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "soft/soft_device.h"

namespace th {
namespace {

struct Settings {
  std::atomic<SoftMode> mode{SoftMode::eager};
  std::atomic<int64_t> memory{0};
  char error[128] = "";

  Settings() {
    choose_between("TENSOR_SOFT_MODE", "eager", "lazy",
                   [&](bool second) { mode = second ? SoftMode::lazy : SoftMode::eager; });
    choose_between("TENSOR_SOFT_THREADS", "ascending", "descending", [&](bool second) {
      set_thread_order(second ? ThreadOrder::descending : ThreadOrder::ascending);
    });
    if (const char* text = variable("TENSOR_SOFT_MEMORY")) {
      char* end = nullptr;
      long long bytes = std::strtoll(text, &end, 10);
      if (*end || bytes <= 0) complain("TENSOR_SOFT_MEMORY", "a number of bytes", text);
      memory = *end ? 0 : bytes;
    }
  }

 private:
  static const char* variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? text : nullptr;
  }
  void complain(const char* name, const char* expected, const char* got) {
    std::snprintf(error, sizeof(error), "%s: expected %s, got '%.40s'", name, expected, got);
  }
  template <class Choose>
  void choose_between(const char* name, const char* first, const char* second, Choose choose) {
    const char* text = variable(name);
    if (!text) return;
    bool is_second = std::strcmp(text, second) == 0;
    if (!is_second && std::strcmp(text, first) != 0) {
      char expected[40];
      std::snprintf(expected, sizeof(expected), "%s or %s", first, second);
      complain(name, expected, text);
      return;
    }
    choose(is_second);
  }
};

Settings& settings() {
  static Settings all;
  return all;
}

int64_t machine_memory() {
  static const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

SoftMode soft_mode() { return settings().mode; }
void set_soft_mode(SoftMode mode) { settings().mode = mode; }
int64_t soft_memory() {
  int64_t bytes = settings().memory;
  return bytes > 0 ? bytes : machine_memory();
}
void set_soft_memory(int64_t bytes) { settings().memory = bytes; }
const char* soft_settings_error() { return settings().error; }

}  // namespace th
