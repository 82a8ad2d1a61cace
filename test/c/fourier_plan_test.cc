// The tables of Fourier transforms that are kept for the next transform.

#include <gtest/gtest.h>

#include <memory>

#include "cpu/fourier_plan.h"
#include "memory/recycle.h"

namespace th {
namespace {

constexpr int64_t kMebi = int64_t{1} << 20;

class FourierPlans : public testing::Test {
 protected:
  void SetUp() override { recycle_release(); }
  void TearDown() override { recycle_release(); }
};

TEST_F(FourierPlans, SixteenAreKept) {
  const std::weak_ptr<const FourierPlan<float>> first = fourier_plan<float>(1);
  const std::weak_ptr<const FourierPlan<float>> second = fourier_plan<float>(2);
  for (int64_t n = 3; n <= 16; ++n) fourier_plan<float>(n);
  EXPECT_EQ(fourier_plan<float>(1), first.lock());
  fourier_plan<float>(17);
  EXPECT_FALSE(first.expired());
  EXPECT_TRUE(second.expired());
}

TEST_F(FourierPlans, AtMost64MebibytesAreKept) {
  const std::weak_ptr<const FourierPlan<double>> small = fourier_plan<double>(kMebi / 4);
  const std::weak_ptr<const FourierPlan<double>> large = fourier_plan<double>(kMebi);
  EXPECT_FALSE(small.expired());
  EXPECT_GT(large.lock()->bytes, 32 * kMebi);
  const std::weak_ptr<const FourierPlan<double>> larger = fourier_plan<double>(kMebi + kMebi / 2);
  EXPECT_TRUE(small.expired());
  EXPECT_TRUE(large.expired());
  EXPECT_FALSE(larger.expired());
}

TEST_F(FourierPlans, TheNewestIsKeptAlsoIfItIsLarger) {
  const std::weak_ptr<const FourierPlan<double>> plan = fourier_plan<double>(3 * kMebi);
  EXPECT_GT(plan.lock()->bytes, 64 * kMebi);
  fourier_plan<double>(4);
  EXPECT_TRUE(plan.expired());
}

TEST_F(FourierPlans, CountTheirConvolution) {
  const auto plan = fourier_plan<float>(67 * 67);
  ASSERT_NE(plan->convolution, nullptr);
  EXPECT_GT(plan->bytes, plan->convolution->bytes + 67 * 67 * static_cast<int64_t>(sizeof(float)));
}

TEST_F(FourierPlans, AreReleasedUnlessTheyAreInUse) {
  const std::weak_ptr<const FourierPlan<float>> unused = fourier_plan<float>(8);
  const auto used = fourier_plan<double>(67 * 67);
  EXPECT_TRUE(recycle_release());
  EXPECT_FALSE(recycle_release());
  EXPECT_TRUE(unused.expired());
  EXPECT_EQ(used->convolution->convolution, nullptr);
  EXPECT_NE(fourier_plan<double>(67 * 67), used);
}

}  // namespace
}  // namespace th
