#include "backend/device_assertions.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>
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

// Number of the thread, argument, name of the operation (empty: none), text.
using Check = std::tuple<uint32_t, int, std::string, std::string>;

struct Assertions {
  std::mutex mutex;
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

}  // namespace

uint32_t number_of_check(int argument, const char* text) {
  const char* op = current_op();
  Assertions& all = assertions();
  std::lock_guard<std::mutex> lock(all.mutex);
  uint32_t thread = thread_number(all);
  all.by_number.reserve(kMostChecks);  // so that the insertions below fail together or not at all
  auto [entry, is_new] = all.numbers.try_emplace(Check(thread, argument, op ? op : "", text), 0);
  if (!is_new) return entry->second;
  all.last = all.last % (kMostNumbers - 1) + 1;  // 0 means that no check failed
  entry->second = all.last * kAssertions + thread;
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
  int argument = 0;
  std::string text = "a value on the device is not as it must be: %lld";
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
      const std::string& op = std::get<2>(failed);
      argument = std::get<1>(failed);
      text = std::get<3>(failed);
      // The caller names the running operation, but not an earlier one.
      const bool is_running = current_op() && op == current_op();
      if (!op.empty() && !is_running) text = op + ": " + text;
    }
  }
  fail_assertion(names_argument ? argument : 0, text, found.value);
}

void fail_assertion(int argument, const std::string& text, int64_t value) {
  std::string message = text;
  size_t entry = message.find("%lld");
  if (entry != std::string::npos) message.replace(entry, 4, std::to_string(value));
  fail_argument(argument, "%s", message.c_str());
}

}  // namespace th
