#include "base/op_scope.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/fallback_reason.h"

namespace th {

namespace {

std::mutex counts_mutex;
std::map<std::string, int64_t>& counts() {
  static auto* counts = new std::map<std::string, int64_t>;
  return *counts;
}
std::atomic<bool> warns{false};

thread_local bool noted __attribute__((tls_model("initial-exec"))) = false;
thread_local const char* reason __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

void set_fallback_reason(const char* text) noexcept { reason = text; }

__thread const char* executing_op = nullptr;

void OpScope::begin(const char* name) noexcept {
  executing_op = name;
  noted = false;
  reason = nullptr;
}

void note_use_on_host() {
  if (!executing_op || noted) return;
  noted = true;
  std::lock_guard<std::mutex> lock(counts_mutex);
  int64_t count = ++counts()[executing_op];
  if (count > 1 || !warns) return;
  if (reason) {
    std::fprintf(stderr, "tensor: %s runs on the CPU (unsupported: %s)\n", executing_op, reason);
  } else {
    std::fprintf(stderr, "tensor: %s runs on the CPU\n", executing_op);
  }
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
