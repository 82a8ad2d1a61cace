// Histograms with invalid arguments: the result keeps its shape, storage and elements.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tensor.hpp"

namespace {

using tensor::Tensor;

// Runs body, which must raise an error, with a result that is a view of a larger storage.
template <class F>
void expect_unchanged(const char* part, const F& body) {
  const tensor::ThrowErrors errors;
  Tensor<double> whole{3, 4};
  THDoubleTensor_fill(whole, 7);
  Tensor<double> hist(THDoubleTensor_newTranspose(whole, 0, 1));
  THDoubleStorage* storage = hist.get()->storage;
  const double* data = hist.data();
  std::string message;
  try {
    body(hist);
  } catch (const tensor::Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(hist.get()->storage, storage);
  EXPECT_EQ(THDoubleStorage_size(storage), 12);
  EXPECT_EQ(hist.data(), data);
  EXPECT_EQ(hist.dims(), 2);
  EXPECT_EQ(hist.size(0), 4);
  EXPECT_EQ(hist.get()->stride[0], 1);
  EXPECT_EQ(hist.get()->stride[1], 4);
  EXPECT_EQ(THDoubleTensor_sumall(hist), 84);
}

// The number of bins of a larger and of a smaller result.
constexpr int64_t kMany = 100, kFew = 2;

class Histograms : public testing::Test {
 protected:
  Histograms() {
    THDoubleTensor_fill(t_, 0.5);
    THDoubleTensor_fill(nan_, std::nan(""));
    THDoubleTensor_fill(infinite_, 1);
    THDoubleTensor_set2d(infinite_, 1, 1, INFINITY);
  }
  Tensor<double> t_{2, 3}, nan_{2, 3}, infinite_{2, 3}, cube_{1, 2, 3};
};

TEST_F(Histograms, CheckWhatNeedsNoElements) {
  expect_unchanged("at least one bin", [&](auto& r) { THDoubleTensor_histc(r, t_, 0, 0, 1); });
  expect_unchanged("are too many", [&](auto& r) { THDoubleTensor_histc(r, t_, INT64_MAX, 0, 1); });
  expect_unchanged("from 2 to 1 is invalid",
                   [&](auto& r) { THDoubleTensor_histc(r, t_, kMany, 2, 1); });
  expect_unchanged("is invalid", [&](auto& r) { THDoubleTensor_histc(r, t_, kMany, 0, INFINITY); });
  expect_unchanged("at least one bin", [&](auto& r) { THDoubleTensor_bhistc(r, t_, -1, 0, 1); });
  expect_unchanged("a vector or a matrix is expected",
                   [&](auto& r) { THDoubleTensor_bhistc(r, cube_, kMany, 0, 1); });
  expect_unchanged("is invalid", [&](auto& r) { THDoubleTensor_bhistc(r, t_, kMany, NAN, 1); });
}

TEST_F(Histograms, CheckTheRangeOfElements) {
  for (const int64_t bins : {kMany, kFew}) {
    for (THDoubleTensor* t : {nan_.get(), infinite_.get()}) {
      expect_unchanged("is invalid", [&](auto& r) { THDoubleTensor_histc(r, t, bins, 0, 0); });
      expect_unchanged("is invalid", [&](auto& r) { THDoubleTensor_bhistc(r, t, bins, 0, 0); });
    }
  }
}

// The result may be the tensor itself.
TEST_F(Histograms, InPlaceKeepTheirElements) {
  const tensor::ThrowErrors errors;
  EXPECT_THROW(THDoubleTensor_histc(infinite_, infinite_, kMany, 0, 0), tensor::Error);
  EXPECT_EQ(infinite_.numel(), 6);
  EXPECT_EQ(THDoubleTensor_get2d(infinite_, 0, 0), 1);
  THDoubleTensor_histc(t_, t_, kFew, 0, 1);
  ASSERT_EQ(t_.dims(), 1);
  EXPECT_EQ(THDoubleTensor_get1d(t_, 1), 6);
}

TEST_F(Histograms, OfNoElementsAreZero) {
  Tensor<double> none, r;
  THDoubleTensor_histc(r, none, 3, 0, 0);
  EXPECT_EQ(r.numel(), 3);
  EXPECT_EQ(THDoubleTensor_sumall(r), 0);
}

}  // namespace
