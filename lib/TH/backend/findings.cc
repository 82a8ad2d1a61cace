#include "backend/findings.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "memory/error.h"

namespace th {
namespace {

using Check = std::pair<int, std::string>;  // argument and text

// A program has few different checks, unless their texts name sizes that always change: then the
// oldest are given up.
constexpr size_t kMostChecks = 4096;

struct Checks {
  std::mutex mutex;
  std::map<Check, uint32_t> numbers;
  std::vector<std::map<Check, uint32_t>::iterator> by_number;  // number - 1, modulo its size
  uint32_t last = 0;
};
Checks& checks() {
  static auto* all = new Checks;
  return *all;
}

}  // namespace

uint32_t number_of_check(int argument, const char* text) {
  Checks& all = checks();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto [place, is_new] = all.numbers.try_emplace(Check(argument, text), 0);
  if (!is_new) return place->second;
  if (++all.last == 0) ++all.last;  // 0 stands for nothing found
  place->second = all.last;
  size_t slot = (all.last - 1) % kMostChecks;
  if (slot == all.by_number.size()) {
    all.by_number.push_back(place);
  } else {
    all.numbers.erase(all.by_number[slot]);
    all.by_number[slot] = place;
  }
  return place->second;
}

void fail_check(uint32_t check, int64_t value) {
  int argument = 0;
  std::string text = "a value on the device is not as it must be: %lld";
  {
    Checks& all = checks();
    std::lock_guard<std::mutex> lock(all.mutex);
    size_t slot = (check - 1) % kMostChecks;
    if (slot < all.by_number.size() && all.by_number[slot]->second == check) {
      argument = all.by_number[slot]->first.first;
      text = all.by_number[slot]->first.second;
    }
  }
  fail_finding(argument, text, value);
}

void fail_finding(int argument, const std::string& text, int64_t value) {
  std::string told = text;
  size_t place = told.find("%lld");
  if (place != std::string::npos) told.replace(place, 4, std::to_string(value));
  fail_argument(argument, "%s", told.c_str());
}

}  // namespace th
