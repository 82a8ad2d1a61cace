// Masks that change between the count of what they choose and the choice.

#include <gtest/gtest.h>

#include "backend/select_call.h"
#include "backend/cpu_backend.h"

namespace {

using th::DType;

constexpr int64_t kCount = 6, kCounted = 2;

struct Chosen {
  uint8_t mask[kCount] = {1, 1, 0, 1, 1, 1};
  int64_t element[kCount] = {1, 2, 3, 4, 5, 6};
  const int64_t before[2] = {0, kCounted};
  int64_t out[kCount] = {};

  th::LoopPlan plan(bool with_mask, bool with_elements) {
    int64_t size[] = {kCount}, stride[] = {1};
    th::LoopPlan plan(1, size);
    if (with_mask) plan.add(reinterpret_cast<char*>(mask), 1, stride);
    if (with_elements) plan.add(reinterpret_cast<char*>(element), 8, stride);
    plan.plan(true);
    return plan;
  }
  char* data() { return reinterpret_cast<char*>(out); }
};

TEST(Select, NoMoreThanWasCounted) {
  Chosen c;
  th::run_on_cpu(th::MaskedSelectCall{DType::Long, c.before, c.data(), 8, c.plan(true, true)});
  EXPECT_EQ(1, c.out[0]);
  EXPECT_EQ(2, c.out[1]);
  for (int k = kCounted; k < kCount; ++k) EXPECT_EQ(0, c.out[k]);
}

TEST(Select, CopyOfNoMoreThanWasCounted) {
  Chosen c;
  const int64_t from[] = {-1, -2};
  th::run_on_cpu(th::MaskedCopyCall{DType::Long, c.before, reinterpret_cast<const char*>(from),
                                    kCounted, c.plan(true, true)});
  const int64_t expected[] = {-1, -2, 3, 4, 5, 6};
  for (int k = 0; k < kCount; ++k) EXPECT_EQ(expected[k], c.element[k]);
}

TEST(Select, SubscriptsOfNoMoreThanWasCounted) {
  Chosen c;
  th::run_on_cpu(
      th::NonzeroCall{DType::Long, c.before, c.data(), 8, 8, 1, {kCount}, c.plan(false, true)});
  EXPECT_EQ(1, c.out[1] - c.out[0]);
  for (int k = kCounted; k < kCount; ++k) EXPECT_EQ(0, c.out[k]);
}

}  // namespace
