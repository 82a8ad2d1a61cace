// tensor.hpp: ownership, and errors as exceptions.

#include "tensor.hpp"

#include <gtest/gtest.h>

namespace {

using tensor::Tensor;

TEST(TensorHpp, HasTheShapeAndTheElements) {
  Tensor<float> a{2, 3}, r;
  THFloatTensor_fill(a, 2);
  THFloatTensor_cmul(r, a, a);
  EXPECT_EQ(r.dims(), 2);
  EXPECT_EQ(r.size(1), 3);
  EXPECT_EQ(r.numel(), 6);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(r.data()[k], 4);
  EXPECT_EQ(Tensor<double>().numel(), 0);
  EXPECT_EQ((Tensor<int64_t>{0, 4}).size(1), 4);
  EXPECT_EQ((Tensor<THHalf>{5}).numel(), 5);
}

TEST(TensorHpp, CountsReferences) {
  Tensor<double> a{3};
  THDoubleTensor* handle = a;
  EXPECT_EQ(handle->refcount, 1);
  {
    Tensor<double> b = a, c;
    EXPECT_EQ(handle->refcount, 2);
    c = b;
    EXPECT_EQ(handle->refcount, 3);
    EXPECT_EQ(c.get(), handle);
    Tensor<double> d = std::move(c);
    EXPECT_EQ(handle->refcount, 3);
    EXPECT_EQ(c.numel(), 0);  // NOLINT: a moved tensor is a new one
    c = std::move(d);
    EXPECT_EQ(c.get(), handle);
  }
  EXPECT_EQ(handle->refcount, 1);
  THDoubleTensor_fill(a, 1);
  Tensor<double> copy(THDoubleTensor_newClone(a));
  EXPECT_EQ(copy.get()->refcount, 1);
  THDoubleTensor_fill(a, 2);
  EXPECT_EQ(copy.data()[0], 1);
}

TEST(TensorHpp, ThrowsErrors) {
  Tensor<double> a{2, 3}, r{1};
  {
    const tensor::ThrowErrors errors;
    try {
      THDoubleTensor_mm(r, a, a);
      FAIL() << "no error";
    } catch (const tensor::Error& error) {
      EXPECT_STREQ(error.what(), "THDoubleTensor_mm: size mismatch, m1: [2 x 3], m2: [2 x 3]");
    }
    EXPECT_EQ(r.numel(), 1);
    try {
      THDoubleTensor_get1d(a, 7);
      FAIL() << "no error";
    } catch (const tensor::Error& error) {
      EXPECT_NE(std::string(error.what()).find("THDoubleTensor_get1d"), std::string::npos)
          << error.what();
    }
    EXPECT_THROW((Tensor<float>{-1, 2}), tensor::Error);
  }
  // Other handlers are in effect again.
  char message[200] = "";
  void* data = a.get();
  EXPECT_EQ(THTry([](void* t) { THDoubleTensor_get1d(static_cast<THDoubleTensor*>(t), 7); }, data,
                  message, sizeof(message)),
            -1);
  EXPECT_NE(message[0], 0);
}

}  // namespace
