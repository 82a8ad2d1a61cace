// From the number of an element to its place.

#include "simt/offset_calculator.h"

#include <gtest/gtest.h>

#include <vector>

namespace th {
namespace {

// Numbers about which divisions go wrong, below limit.
std::vector<int64_t> numbers(int64_t limit) {
  std::vector<int64_t> all;
  for (int bit = 0; bit < 62; ++bit) {
    for (int64_t by : {-1, 0, 1}) all.push_back((int64_t{1} << bit) + by);
    all.push_back((int64_t{1} << bit) / 3 * 2 + 1);
  }
  std::vector<int64_t> below;
  for (int64_t n : all) {
    if (n < limit) below.push_back(n);
  }
  return below;
}

template <class Index>
void expect_quotients(int64_t limit) {
  for (int64_t d : numbers(limit)) {
    if (d == 0) continue;
    IntDivider<Index> divider(d);
    for (int64_t n : numbers(limit)) {
      ASSERT_EQ(divider.quotient(static_cast<Index>(n)), static_cast<Index>(n / d))
          << n << " / " << d;
    }
  }
}

TEST(OffsetCalculator, Divides) {
  expect_quotients<uint32_t>(int64_t{1} << 31);
  expect_quotients<uint64_t>(INT64_MAX);
}

template <class Index>
void expect_offsets() {
  LoopPlan plan = {};
  plan.ndim = 3;
  plan.operands = 2;
  plan.numel = 2 * 3 * 5;
  const int64_t size[] = {5, 2, 3}, stride[2][3] = {{4, 20, 40}, {80, 0, 8}};
  for (int d = 0; d < 3; ++d) {
    plan.size[d] = size[d];
    for (int k = 0; k < 2; ++k) plan.stride[k][d] = stride[k][d];
  }
  OffsetCalculator<2, Index> offsets(plan);
  for (Index i = 0; i < 30; ++i) {
    typename OffsetCalculator<2, Index>::Offset offset[2];
    offsets.get(i, offset);
    for (int k = 0; k < 2; ++k) {
      int64_t expected = i % 5 * stride[k][0] + i / 5 % 2 * stride[k][1] + i / 10 * stride[k][2];
      ASSERT_EQ(offset[k], expected) << i;
    }
  }
}

TEST(OffsetCalculator, FollowsStrides) {
  expect_offsets<uint32_t>();
  expect_offsets<uint64_t>();
}

template <class Plan>
void expect_small_parts() {
  Plan plan = {};
  plan.ndim = 2;
  plan.operands = 1;
  plan.size[0] = 1000;
  plan.size[1] = 5000000;
  plan.numel = plan.size[0] * plan.size[1];
  plan.stride[0][0] = 8;
  plan.stride[0][1] = 8000;
  plan.data[0] = reinterpret_cast<char*>(uintptr_t{1} << 40);  // never read
  int64_t numel = 0, next = 0;
  for_small_parts(plan, [&](const Plan& part) {
    EXPECT_TRUE(fits_32_bits(part));
    EXPECT_EQ(part.data[0] - plan.data[0], next);
    numel += part.numel;
    next += part.numel * 8;
  });
  EXPECT_EQ(numel, plan.numel);
}

TEST(OffsetCalculator, PlansAreCutUntilTheyFitInto32Bits) {
  expect_small_parts<LoopPlan>();
  expect_small_parts<FusedPlan>();
}

}  // namespace
}  // namespace th
