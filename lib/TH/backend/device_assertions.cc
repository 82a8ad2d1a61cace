#include "backend/device_assertions.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/op_scope.h"
#include "base/thread_end.h"

namespace th {
namespace {

// Programs usually have few different checks. If their texts contain varying sizes, the oldest are
// dropped.
constexpr size_t kMostChecks = 4096;
// A check's number is the number of its text times kAssertions, plus the number of the thread.
constexpr uint32_t kMostNumbers = UINT32_MAX / kAssertions;

struct Check {
  uint32_t thread;
  CheckText text;
  std::string_view op;  // empty: none

  bool operator<(const Check& other) const { return key() < other.key(); }

 private:
  std::tuple<uint32_t, int, uintptr_t, int64_t, int64_t, uintptr_t, std::string_view> key() const {
    return {thread,     text.argument, reinterpret_cast<uintptr_t>(text.format),
            text.first, text.second,   reinterpret_cast<uintptr_t>(text.word),
            op};
  }
};

struct Assertions {
  std::mutex mutex;
  std::set<std::string> ops;  // the names in the checks
  std::map<Check, uint32_t> numbers;
  std::vector<std::map<Check, uint32_t>::iterator> by_number;  // index: number of the text - 1
  uint32_t last = 0;
  int threads[kAssertions] = {};  // number of threads with each thread number
  DeviceAssertion pending[kAssertions] = {};

  DeviceAssertion* pending_for_caller();
};
Assertions& assertions() {
  static auto* all = new Assertions;
  return *all;
}

// The calling thread's number; kAssertions: none yet. Unique among running threads, unless there
// are more than kAssertions.
thread_local uint32_t own_number = kAssertions;

void release_number() {
  Assertions& all = assertions();
  std::lock_guard<std::mutex> lock(all.mutex);
  --all.threads[own_number];
  own_number = kAssertions;
}
thread_local ThreadEnd number_end = {release_number};

uint32_t thread_number(Assertions& all) {
  if (own_number < kAssertions) return own_number;
  if (!at_thread_end(number_end)) throw std::bad_alloc();
  int* fewest = std::min_element(all.threads, all.threads + kAssertions);
  ++*fewest;
  own_number = static_cast<uint32_t>(fewest - all.threads);
  return own_number;
}

DeviceAssertion* Assertions::pending_for_caller() {
  for (uint32_t k = 0; k < kAssertions; ++k) {
    if (pending[k].check && (k == own_number || threads[k] == 0)) return &pending[k];
  }
  return nullptr;
}

std::string filled(const CheckText& text, int64_t value) {
  std::string message;
  for (const char* c = text.format; *c; ++c) {
    if (*c != '%') {
      message += *c;
      continue;
    }
    switch (*++c) {
      case 'v':
        message += std::to_string(value);
        break;
      case '1':
        message += std::to_string(text.first);
        break;
      case '2':
        message += std::to_string(text.second);
        break;
      default:
        message += text.word;
    }
  }
  return message;
}

}  // namespace

uint32_t number_of_check(const CheckText& text) {
  const char* op = current_op();
  Assertions& all = assertions();
  std::lock_guard<std::mutex> lock(all.mutex);
  Check check = {thread_number(all), text, op ? op : ""};
  const auto known = all.numbers.find(check);
  if (known != all.numbers.end()) return known->second;
  check.op = *all.ops.emplace(check.op).first;
  all.by_number.reserve(kMostChecks);  // so that the insertions below fail together or not at all
  const auto entry = all.numbers.emplace(check, 0).first;
  all.last = all.last % (kMostNumbers - 1) + 1;  // 0 means that no check failed
  entry->second = all.last * kAssertions + check.thread;
  size_t slot = (all.last - 1) % kMostChecks;
  if (slot == all.by_number.size()) {
    all.by_number.push_back(entry);
  } else {
    all.numbers.erase(all.by_number[slot]);
    all.by_number[slot] = entry;
  }
  return entry->second;
}

void raise_assertions(const DeviceTable& table, void* device, bool names_argument) {
  Assertions& all = assertions();
  CheckText text = {0, "a value on the device is not as it must be: %v"};
  std::string op;
  DeviceAssertion found;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    for (table.assertion(device, &found); found.check; table.assertion(device, &found)) {
      DeviceAssertion& pending = all.pending[found.check % kAssertions];
      if (!pending.check) pending = found;
    }
    DeviceAssertion* mine = all.pending_for_caller();
    if (!mine) return;
    found = std::exchange(*mine, DeviceAssertion{0, 0});
    names_argument &= found.check % kAssertions == own_number;
    size_t slot = (found.check / kAssertions - 1) % kMostChecks;
    if (slot < all.by_number.size() && all.by_number[slot]->second == found.check) {
      const Check& failed = all.by_number[slot]->first;
      text = failed.text;
      // The caller names the running operation, but not an earlier one.
      const bool is_running = current_op() && failed.op == current_op();
      if (!failed.op.empty() && !is_running) op = std::string(failed.op) + ": ";
    }
  }
  fail_argument(names_argument ? text.argument : 0, "%s%s", op.c_str(),
                filled(text, found.value).c_str());
}

void fail_check(const CheckText& text, int64_t value) {
  fail_argument(text.argument, "%s", filled(text, value).c_str());
}

}  // namespace th
