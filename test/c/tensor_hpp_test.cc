// tensor.hpp: ownership, and errors as exceptions.

#include "tensor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <string>

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

TEST(TensorHpp, ThrowErrorsRestoresTheHandlersBefore) {
  Tensor<double> a{2};
  std::string caught;
  const auto keep = [](int, const char* message, void* to) {
    *static_cast<std::string*>(to) = message;
    throw 1;
  };
  THSetArgErrorHandler(keep, &caught);
  {
    const tensor::ThrowErrors errors;
    { const tensor::ThrowErrors inner; }
    EXPECT_THROW(THDoubleTensor_get1d(a, 7), tensor::Error);
  }
  EXPECT_THROW(THDoubleTensor_get1d(a, 7), int);
  EXPECT_NE(caught, "");
  {
    const tensor::ThrowErrors errors;
    THSetArgErrorHandler(keep, &caught);  // stays
  }
  EXPECT_THROW(THDoubleTensor_get1d(a, 7), int);
  THSetArgErrorHandler(nullptr, nullptr);
  void* data;
  EXPECT_EQ(THGetErrorHandler(&data), nullptr);
}

TEST(TensorHpp, LoadsAndSaves) {
  const tensor::ThrowErrors errors;
  const std::string name = "/tmp/th_tensor_hpp_" + std::to_string(getpid());
  Tensor<float> a{2, 3};
  THFloatTensor_fill(a, 2);
  tensor::save(name + ".npy", a);
  EXPECT_EQ(THDoubleTensor_sumall(tensor::load<double>(name + ".npy")), 12);
  EXPECT_EQ(tensor::Reader(name + ".npy").read<float>(0, true).size(1), 3);
  tensor::save_csv(name + ".csv", a, {"a", "b", "c"});
  EXPECT_EQ(tensor::load_csv<int>(name + ".csv").size(1), 3);
  EXPECT_THROW(tensor::save_csv(name + ".csv", a, {"a", "b"}), tensor::Error);
  {
    tensor::Writer writer(name + ".safetensors");
    writer.add("a", a);
    writer.commit();
  }
  const tensor::Reader reader(name + ".safetensors");
  EXPECT_EQ(reader.count(), 1);
  EXPECT_EQ(reader.name(0), "a");
  EXPECT_EQ(reader.type(0), THTypeFloat);
  EXPECT_EQ(THLongTensor_sumall(reader.read<int64_t>("a")), 12);
  try {
    reader.read<float>("b");
    FAIL() << "an error is expected";
  } catch (const tensor::Error& error) {
    EXPECT_STREQ(error.what(), "the file has no tensor 'b'");
  }
  for (const char* extension : {".npy", ".csv", ".safetensors"}) {
    EXPECT_EQ(unlink((name + extension).c_str()), 0);
  }
}

TEST(TensorHpp, IsWrittenToStreams) {
  Tensor<double> a{1, 2};
  THDoubleTensor_fill(a, 0.5);
  std::ostringstream stream;
  stream << a << 7;
  EXPECT_EQ(stream.str(), " 0.5000  0.5000\n[torch.DoubleTensor of size 1x2]\n7");
  THPrintOptions options;
  THPrintOptions_init(&options, 0);
  options.precision = 1;
  EXPECT_EQ(tensor::to_string(a, &options), " 0.5  0.5\n[torch.DoubleTensor of size 1x2]\n");
}

}  // namespace
