#include "backend/findings.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/op.h"
#include "memory/error.h"
#include "memory/stats.h"

namespace th {
namespace {

// A program has few different checks, unless their texts name sizes that always change: then the
// oldest are given up.
constexpr size_t kMostChecks = 4096;
// Numbers are those of texts times kFindings, plus that of the thread.
constexpr uint32_t kMostNumbers = UINT32_MAX / kFindings;

using Check = std::tuple<uint32_t, int, std::string>;  // number of the thread, argument, text

struct Findings {
  std::mutex mutex;
  std::map<Check, uint32_t> numbers;
  std::vector<std::map<Check, uint32_t>::iterator> by_number;  // of texts - 1, modulo its size
  uint32_t last = 0;
  int threads[kFindings] = {};  // that have the number
  DeviceFinding kept[kFindings] = {};

  DeviceFinding* kept_for_caller();
};
Findings& findings() {
  static auto* all = new Findings;
  return *all;
}

// A number below kFindings for as long as the thread lives: of its own, unless there are more
// threads.
class ThreadNumber {
 public:
  uint32_t get(Findings& all) {
    if (number_ < kFindings) return number_;
    int* fewest = std::min_element(all.threads, all.threads + kFindings);
    ++*fewest;
    number_ = static_cast<uint32_t>(fewest - all.threads);
    return number_;
  }
  bool is(uint32_t number) const { return number == number_; }
  ~ThreadNumber() {
    if (number_ == kFindings) return;
    Findings& all = findings();
    std::lock_guard<std::mutex> lock(all.mutex);
    --all.threads[number_];
  }

 private:
  uint32_t number_ = kFindings;
};
thread_local ThreadNumber thread_number;

DeviceFinding* Findings::kept_for_caller() {
  for (uint32_t k = 0; k < kFindings; ++k) {
    if (kept[k].check && (thread_number.is(k) || threads[k] == 0)) return &kept[k];
  }
  return nullptr;
}

}  // namespace

uint32_t number_of_check(int argument, const char* text) {
  // Whoever is told of it may be in another operation.
  std::string named;
  const char* op = current_op();
  if (op) {
    named = op + (": " + std::string(past_operation(text)));
    text = named.c_str();
  }
  Findings& all = findings();
  std::lock_guard<std::mutex> lock(all.mutex);
  uint32_t thread = thread_number.get(all);
  auto [place, is_new] = all.numbers.try_emplace(Check(thread, argument, text), 0);
  if (!is_new) return place->second;
  all.last = all.last % (kMostNumbers - 1) + 1;  // 0 stands for nothing found
  place->second = all.last * kFindings + thread;
  size_t slot = (all.last - 1) % kMostChecks;
  if (slot == all.by_number.size()) {
    all.by_number.push_back(place);
  } else {
    all.numbers.erase(all.by_number[slot]);
    all.by_number[slot] = place;
  }
  return place->second;
}

void raise_findings(const DeviceTable& table, void* device, bool names_argument) {
  Findings& all = findings();
  int argument = 0;
  std::string text = "a value on the device is not as it must be: %lld";
  DeviceFinding found;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    for (table.finding(device, &found); found.check; table.finding(device, &found)) {
      DeviceFinding& kept = all.kept[found.check % kFindings];
      if (!kept.check) kept = found;
    }
    DeviceFinding* mine = all.kept_for_caller();
    if (!mine) return;
    found = std::exchange(*mine, DeviceFinding{0, 0});
    names_argument &= thread_number.is(found.check % kFindings);
    size_t slot = (found.check / kFindings - 1) % kMostChecks;
    if (slot < all.by_number.size() && all.by_number[slot]->second == found.check) {
      argument = std::get<1>(all.by_number[slot]->first);
      text = std::get<2>(all.by_number[slot]->first);
    }
  }
  try {
    fail_finding(names_argument ? argument : 0, text, found.value);
  } catch (Error& error) {
    error.set_late();
    throw;
  }
}

void fail_finding(int argument, const std::string& text, int64_t value) {
  std::string told = text;
  size_t place = told.find("%lld");
  if (place != std::string::npos) told.replace(place, 4, std::to_string(value));
  fail_argument(argument, "%s", told.c_str());
}

}  // namespace th
