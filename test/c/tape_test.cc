// The C interface of gradients.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "TH.h"

namespace {

THDoubleTensor* vector_of(std::initializer_list<double> values) {
  THDoubleTensor* t = THDoubleTensor_newWithSize1d(values.size());
  int64_t k = 0;
  for (double value : values) THDoubleTensor_set1d(t, k++, value);
  return t;
}

struct Tape : testing::Test {
  THTape* tape = THTape_new();
  THDoubleTensor* x = vector_of({1, 2, 3});
  ~Tape() override {
    THTape_free(tape);
    THDoubleTensor_free(x);
  }

  // Records f(x) with x tracked, runs the reverse pass from the tensor that f returns, and compares
  // the gradient of x.
  void expect(const std::function<THDoubleTensor*()>& f, std::initializer_list<double> gradient) {
    THTape_start(tape);
    THDoubleTensor_track(tape, x);
    THDoubleTensor* y = f();
    THTape_stop(tape);
    EXPECT_EQ(THDoubleTensor_isTracked(tape, y), 1);
    THDoubleTensor* ones = THDoubleTensor_new();
    THDoubleTensor_onesLike(ones, y);
    THDoubleTensor_addGradient(tape, y, ones);
    THTape_run(tape);
    THDoubleTensor* dx = THDoubleTensor_gradient(tape, x);
    ASSERT_EQ(THDoubleTensor_nElement(dx), static_cast<ptrdiff_t>(gradient.size()));
    int64_t k = 0;
    for (double g : gradient) EXPECT_DOUBLE_EQ(THDoubleTensor_get1d(dx, k++), g);
    THDoubleTensor_free(dx);
    THDoubleTensor_free(ones);
    THDoubleTensor_free(y);
  }
};

TEST_F(Tape, ResultsInPlaceAndViews) {
  expect(
      [&] {
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_mul(y, x, 2);
        THDoubleTensor* first = THDoubleTensor_newNarrow(y, 0, 0, 1);
        THDoubleTensor_fill(first, 7);
        THDoubleTensor_free(first);
        THDoubleTensor_cmul(y, y, x);
        return y;
      },
      {7, 8, 12});
  THCopyCount count;
  THTape_keptCopies(&count);
  EXPECT_GT(count.copies, 0);
  EXPECT_GE(count.bytes, 8 * count.copies);
}

TEST_F(Tape, ReturnedNumbers) {
  expect(
      [&] {
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_cmul(y, x, x);
        EXPECT_EQ(THDoubleTensor_sumall(y), 14);
        THDoubleTensor_free(y);
        return THTape_newNumber();
      },
      {2, 4, 6});
}

TEST_F(Tape, GradientsOfGradients) {
  THTape* inner = THTape_new();
  expect(
      [&] {
        THTape_start(inner);
        THDoubleTensor_track(inner, x);
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_pow(y, x, 3);
        THTape_stop(inner);
        THDoubleTensor* ones = THDoubleTensor_new();
        THDoubleTensor_onesLike(ones, y);
        THDoubleTensor_addGradient(inner, y, ones);
        THTape_run(inner);
        THDoubleTensor_free(ones);
        THDoubleTensor_free(y);
        return THDoubleTensor_gradient(inner, x);
      },
      {6, 12, 18});
  THTape_free(inner);
}

TEST_F(Tape, NothingIsTrackedWithoutATape) {
  THDoubleTensor* y = THDoubleTensor_new();
  THDoubleTensor_track(tape, x);
  THDoubleTensor_exp(y, x);
  EXPECT_EQ(THDoubleTensor_isTracked(tape, x), 1);
  EXPECT_EQ(THDoubleTensor_isTracked(tape, y), 0);
  EXPECT_EQ(THTape_newNumber(), nullptr);
  THDoubleTensor_free(y);
}

// A NULL operand stands for the result, the old elements of which the tape would not find.
TEST_F(Tape, RefusesNullOperands) {
  THDoubleTensor* a = THDoubleTensor_newWithSize2d(1, 1);
  THDoubleTensor_fill(a, 4);
  THTape_start(tape);
  THDoubleTensor_track(tape, a);
  char message[200];
  auto invert = [](void* t) { THDoubleTensor_getri(static_cast<THDoubleTensor*>(t), nullptr); };
  EXPECT_NE(THTry(invert, a, message, sizeof(message)), 0);
  EXPECT_NE(std::string(message).find("'a' is NULL"), std::string::npos) << message;
  THTape_stop(tape);
  THDoubleTensor_free(a);
}

TEST_F(Tape, RecordsSingleElements) {
  expect(
      [&] {
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_mul(y, x, 2);
        THDoubleTensor_set1d(y, 1, 5);
        THDoubleStorage* s = THDoubleTensor_storage(y);
        THDoubleStorage_set(s, 2, THDoubleTensor_get1d(x, 0));
        EXPECT_EQ(THDoubleTensor_get1d(y, 2), 1);
        return y;
      },
      {2, 0, 0});
}

// Runs calls that must fail, and looks for `expected` in their messages.
void expect_errors(const std::vector<std::function<void()>>& calls, const std::string& expected) {
  for (size_t k = 0; k < calls.size(); ++k) {
    char message[300] = "";
    const auto run = [](void* f) { (*static_cast<const std::function<void()>*>(f))(); };
    auto* call = const_cast<std::function<void()>*>(&calls[k]);
    EXPECT_NE(THTry(run, call, message, sizeof(message)), 0) << k;
    EXPECT_NE(std::string(message).find(expected), std::string::npos) << k << ": " << message;
  }
}

double other_block[] = {7, 8, 9};

// The tape does not see accesses other than operations.
TEST_F(Tape, RefusesOtherAccesses) {
  THDoubleStorage* other = THDoubleStorage_newWithSize(3);
  THFile* file = THMemoryFile_new("rw");
  for (double value : other_block) THFile_writeDoubleScalar(file, value);
  THFile_seek(file, 0);
  THTape_start(tape);
  THDoubleTensor_track(tape, x);
  THDoubleTensor* y = THDoubleTensor_new();
  THDoubleTensor_exp(y, x);
  THDoubleStorage* s = THDoubleTensor_storage(y);
  expect_errors(
      {[=] { THDoubleTensor_data(y); }, [=] { THDoubleStorage_data(s); },
       [=] { THDoubleStorage_mutableCpuData(s); }, [=] { THDoubleStorage_overwriteCpuData(s); },
       [=] { THDoubleStorage_mutableGpuData(s); }, [=] { THDoubleStorage_overwriteGpuData(s); },
       [=] { THDoubleStorage_setCpuData(s, other_block); },
       [=] { THDoubleStorage_setGpuData(s, other_block); },
       [=] { THDoubleStorage_clearFlag(s, TH_STORAGE_FREEMEM); },
       [=] { THDoubleTensor_toDLPack(y); }, [=] { THDoubleTensor_toDLPackOn(y, "cpu"); },
       [=] { THDoubleTensor_toDLPackUnversioned(y); },
       [=] { THDoubleTensor_toDLPackUnversionedOn(y, "cpu"); },
       [=] { TH_TENSOR_APPLY(double, y, *y_data = 0;) },
       [=] { TH_TENSOR_DIM_APPLY(double, y, 0, *y_data = 0;) }},
      "exposes elements that the gradient depends on");
  expect_errors(
      {[=] { THDoubleStorage_rawCopy(s, other_block); }, [=] { THDoubleStorage_swap(s, other); },
       [=] { THDoubleStorage_swap(other, s); }, [=] { THFile_readDouble(file, s); }},
      "writes elements that the gradient depends on");
  expect_errors({[=] { THDoubleStorage_mutableGpuData(s); }},
                "THDoubleStorage_mutableGpuData: exposes elements");
  // A constant may be accessed, but cannot become a result later.
  THDoubleTensor* constant = vector_of({1, 2, 3});
  THDoubleTensor_data(constant)[0] = 4;
  EXPECT_EQ(THDoubleTensor_get1d(constant, 0), 4);
  THTape_stop(tape);
  EXPECT_NE(THDoubleTensor_data(y), nullptr);
  THDoubleTensor_free(constant);
  THDoubleTensor_free(y);
  THDoubleStorage_free(other);
  THFile_free(file);
}

// No pointer is left after a loop. The tape copies the elements that it needs before the loop.
TEST_F(Tape, LoopsOverConstants) {
  expect(
      [&] {
        THDoubleTensor* c = vector_of({4, 5, 6});
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_cmul(y, x, c);
        TH_TENSOR_APPLY(double, c, *c_data = 1;)
        THDoubleTensor_cmul(c, y, c);
        THDoubleTensor_free(y);
        return c;
      },
      {4, 5, 6});
}

TEST_F(Tape, RefusesPointersToBlobs) {
  const int64_t shape[] = {3};
  THDoubleBlob* blob = THDoubleBlob_newWithShapeNd(1, shape);
  THDoubleTensor* data = THDoubleBlob_newData(blob);
  THDoubleTensor_fill(data, 1);
  THByteStorage* proto = THByteStorage_new();
  THDoubleBlob_toProto(blob, 0, proto);
  THTape_start(tape);
  THDoubleTensor_track(tape, data);
  expect_errors(
      {[=] { THDoubleBlob_mutableCpuData(blob); }, [=] { THDoubleBlob_mutableGpuData(blob); },
       [=] { THDoubleBlob_setCpuData(blob, other_block); },
       [=] { THDoubleBlob_fromProto(blob, proto->data, static_cast<size_t>(proto->size), 0); }},
      "elements that the gradient depends on");
  THTape_stop(tape);
  THByteStorage_free(proto);
  THDoubleTensor_free(data);
  THDoubleBlob_free(blob);
}

// The elements after it are others, on which the argument has no influence.
TEST_F(Tape, ShrinkingDropsGradients) {
  expect(
      [&] {
        THDoubleTensor* y = THDoubleTensor_new();
        THDoubleTensor_mul(y, x, 2);
        THDoubleStorage* s = THDoubleTensor_storage(y);
        for (ptrdiff_t size : {20, 15, 3}) THDoubleStorage_resize(s, size);
        THDoubleStorage_resize(s, 1);
        THDoubleStorage_resize(s, 3);
        THDoubleTensor_mul(y, y, 5);
        return y;
      },
      {10, 0, 0});
}

}  // namespace
