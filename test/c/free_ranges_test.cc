// Free ranges against a plain array of the addresses that are free.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "memory/free_ranges.h"

namespace th {
namespace {

class Addresses {
 public:
  explicit Addresses(size_t bytes) : memory_(bytes), free_(bytes, false) {}
  char* at(size_t offset) { return memory_.data() + offset; }
  size_t size() const { return free_.size(); }

  // Changes the addresses from `begin` on. None of them may have been free, or all must.
  void set(const char* begin, size_t bytes, bool free) {
    const auto offset = static_cast<size_t>(begin - memory_.data());
    ASSERT_LE(offset + bytes, free_.size());
    for (size_t k = offset; k < offset + bytes; ++k) {
      ASSERT_NE(free_[k], free);
      free_[k] = free;
    }
  }

  // Returns the offset and size of each maximal range of free addresses.
  std::vector<std::pair<size_t, size_t>> ranges() const {
    std::vector<std::pair<size_t, size_t>> found;
    for (size_t k = 0; k < free_.size(); ++k) {
      if (!free_[k]) continue;
      if (k == 0 || !free_[k - 1]) found.emplace_back(k, 0);
      found.back().second++;
    }
    return found;
  }

 private:
  std::vector<char> memory_;
  std::vector<bool> free_;
};

TEST(FreeRanges, AgreeWithAnArrayOfAddresses) {
  std::mt19937 random(1);
  for (int repetition = 0; repetition < 20; ++repetition) {
    Addresses addresses(200);
    FreeRanges ranges;
    std::vector<std::pair<char*, size_t>> in_use = {{addresses.at(0), addresses.size()}};
    for (int step = 0; step < 300; ++step) {
      const auto known = addresses.ranges();
      size_t largest = 0;
      for (const auto& range : known) largest = std::max(largest, range.second);
      const size_t bytes = 1 + random() % 30;
      switch (random() % 4) {
        case 0:
        case 1: {  // adds a part of what is in use
          if (in_use.empty()) break;
          std::swap(in_use[random() % in_use.size()], in_use.back());
          auto [begin, size] = in_use.back();
          in_use.pop_back();
          const size_t freed = std::min(size, bytes);
          if (size > freed) in_use.emplace_back(begin + freed, size - freed);
          ASSERT_TRUE(ranges.add(begin, freed));
          addresses.set(begin, freed, true);
          break;
        }
        case 2: {
          char* taken = ranges.take(bytes);
          ASSERT_EQ(taken != nullptr, bytes <= largest);
          if (!taken) break;
          size_t smallest = largest, of_taken = 0;
          for (const auto& [offset, size] : known) {
            if (size >= bytes) smallest = std::min(smallest, size);
            if (addresses.at(offset) == taken) of_taken = size;
          }
          ASSERT_EQ(of_taken, smallest);
          addresses.set(taken, bytes, false);
          in_use.emplace_back(taken, bytes);
          break;
        }
        default: {
          const auto [size, taken] = ranges.take_from_largest(bytes);
          ASSERT_EQ(size, std::min(bytes, largest));
          if (size == 0) break;
          addresses.set(taken, size, false);
          in_use.emplace_back(taken, size);
        }
      }
    }
    // All ranges are as large as they can be.
    for (auto rest = addresses.ranges(); !rest.empty(); rest = addresses.ranges()) {
      size_t largest = 0;
      for (const auto& range : rest) largest = std::max(largest, range.second);
      const auto [size, taken] = ranges.take_from_largest(addresses.size());
      ASSERT_EQ(size, largest);
      addresses.set(taken, size, false);
    }
    EXPECT_EQ(ranges.take(1), nullptr);
    EXPECT_EQ(ranges.take_from_largest(1).first, size_t{0});
  }
}

}  // namespace
}  // namespace th
