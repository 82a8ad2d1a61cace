#include "base/op_scope.h"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace th {

namespace {

std::mutex counts_mutex;
std::map<std::string, int64_t>& counts() {
  static auto* counts = new std::map<std::string, int64_t>;
  return *counts;
}
std::atomic<bool> warns{false};

// Fast thread-local variables, since every operation reads them.
#define TH_QUICK_TLS thread_local __attribute__((tls_model("initial-exec")))
TH_QUICK_TLS const char* the_op = nullptr;
TH_QUICK_TLS bool noted = false;

}  // namespace

const char* current_op() noexcept { return the_op; }

OpScope::OpScope(const char* name) noexcept : outermost_(!the_op) {
  if (!outermost_) return;
  the_op = name;
  noted = false;
}
OpScope::~OpScope() {
  if (outermost_) the_op = nullptr;
}

void note_use_on_host() {
  if (!the_op || noted) return;
  noted = true;
  std::lock_guard<std::mutex> lock(counts_mutex);
  int64_t count = ++counts()[the_op];
  if (count == 1 && warns) std::fprintf(stderr, "tensor: %s runs on the CPU\n", the_op);
}

AllowHostAccess::AllowHostAccess() noexcept : noted_before_(noted) { noted = true; }
AllowHostAccess::~AllowHostAccess() { noted = noted_before_; }

void warn_of_fallbacks(bool warn) noexcept { warns = warn; }

std::map<std::string, int64_t> fallbacks() {
  std::lock_guard<std::mutex> lock(counts_mutex);
  return counts();
}

void reset_fallbacks() {
  std::lock_guard<std::mutex> lock(counts_mutex);
  counts().clear();
}

}  // namespace th
