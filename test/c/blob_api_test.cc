// Blobs through the C interface; blob_api_test.c has what a C program does.

#include <gtest/gtest.h>

#include <string>

#include "TH.h"

extern "C" {
int use_Float_shapes(void);
int use_Float_memory(void);
int use_Float_arithmetic(void);
int use_Float_protos(void);
int use_Float_fields(void);
int use_Double_shapes(void);
int use_Double_memory(void);
int use_Double_arithmetic(void);
int use_Double_protos(void);
int use_Double_fields(void);
}

namespace {

TEST(BlobApi, Shapes) {
  EXPECT_EQ(use_Float_shapes(), 0);
  EXPECT_EQ(use_Double_shapes(), 0);
}
TEST(BlobApi, Memory) {
  EXPECT_EQ(use_Float_memory(), 0);
  EXPECT_EQ(use_Double_memory(), 0);
}
TEST(BlobApi, Arithmetic) {
  EXPECT_EQ(use_Float_arithmetic(), 0);
  EXPECT_EQ(use_Double_arithmetic(), 0);
}
TEST(BlobApi, Protos) {
  EXPECT_EQ(use_Float_protos(), 0);
  EXPECT_EQ(use_Double_protos(), 0);
}
TEST(BlobApi, DataFields) {
  EXPECT_EQ(use_Float_fields(), 0);
  EXPECT_EQ(use_Double_fields(), 0);
}

// The message of the error that body(blob) raises.
std::string error_of(void (*body)(void*), THFloatBlob* blob) {
  char message[300] = "no error";
  EXPECT_EQ(THTry(body, blob, message, sizeof(message)), -1);
  return message;
}

TEST(BlobApi, ErrorsSayWhatIsWrong) {
  THFloatBlob* blob = THFloatBlob_newWithShape4d(1, 2, 3, 4);
  auto fails = [&](void (*body)(void*), const char* part) {
    std::string message = error_of(body, blob);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
#define CALL(...)                              \
  [](void* data) {                             \
    auto* b = static_cast<THFloatBlob*>(data); \
    __VA_ARGS__;                               \
  }
  fails(CALL(THFloatBlob_reshape4d(b, 1, -2, 3, 4)), "reshape4d: size -2 of axis 1 is negative");
  fails(CALL(THFloatBlob_newWithShape4d(-1, 2, 3, 4); (void)b), "newWithShape4d: size -1 of axis");
  fails(CALL(THFloatBlob_shape(b, 4)), "shape: axis 4 is out of range of a blob of 4 axes");
  fails(CALL(THFloatBlob_countFrom(b, 5)), "countFrom: invalid range of axes, 5 to 3, of a blob");
  fails(CALL(THFloatBlob_dataAt(b, 0, 2, 0, 0)), "dataAt: index 2 is out of range of axis 1");
  fails(CALL(THFloatBlob_update(b)), "update: the data of the FloatBlob were never written");
  fails(CALL(THFloatBlob_fromProto(b, "abc", 3, 1)), "fromProto: ");
  fails(CALL(THFloatBlob_fromProto(b, nullptr, 3, 1)), "fromProto: 3 bytes are expected, got NULL");
  fails(CALL(THFloatBlob_setCpuData(b, nullptr)), "setCpuData: memory is expected, got NULL");
  fails(CALL(THFloatBlob_newWithShapeNd(33, nullptr); (void)b), "at most 32 axes, got 33");
  fails(CALL(THFloatBlob_newWithShapeNd(3, nullptr); (void)b), "sizes of 3 axes are expected, got");
  fails(CALL(THFloatBlob_reshapeNd(b, 2, nullptr)), "the sizes of 2 axes are expected, got NULL");
  fails(CALL(THFloatBlob_reshape(b, nullptr)), "sizes are expected, got NULL");
  THFloatBlob_reshape4d(blob, 1, 1, 1, 1);
  const int64_t two[] = {2, 2};
  THFloatBlob_reshapeNd(blob, 2, two);
  fails(CALL(THFloatBlob_dataAt(b, 1, 1, 1, 0)), "an index of 0 is expected for each axis");
  THFloatBlob_free(blob);
}

TEST(BlobApi, NothingLeaks) {
  int64_t before, after;
  THMemoryUsage(nullptr, &before);
  use_Float_memory();
  use_Double_protos();
  THMemoryUsage(nullptr, &after);
  EXPECT_EQ(before, after);
}

}  // namespace
