// Tensors as DLPack's structs and back, as a C program uses them.

#include <TH.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

// A tensor of another library: elements, and a count of how often they were freed.
template <class Managed>
struct Foreign {
  Managed managed = {};
  std::vector<float> elements = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape[2] = {3, 4}, strides[2] = {4, 1};
  int freed = 0;

  Foreign() {
    DLTensor& t = managed.dl_tensor;
    t.data = elements.data();
    t.device.device_type = kDLCPU;
    t.ndim = 2;
    t.dtype = {kDLFloat, 32, 1};
    t.shape = shape;
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { static_cast<Foreign*>(self->manager_ctx)->freed++; };
  }
};

std::string error_of(const std::function<void()>& body) {
  char message[500] = "";
  auto call = [](void* given) { (*static_cast<const std::function<void()>*>(given))(); };
  int failed = THTry(call, const_cast<std::function<void()>*>(&body), message, sizeof(message));
  EXPECT_TRUE(failed);
  return message;
}

TEST(DLPack, OthersElementsAreFreedWithTheLastTensor) {
  Foreign<DLManagedTensorVersioned> foreign;
  foreign.managed.version = {1, 0};
  THFloatTensor* t = THFloatTensor_fromDLPack(&foreign.managed);
  EXPECT_EQ(THFloatTensor_data(t), foreign.elements.data());
  EXPECT_EQ(THFloatTensor_get2d(t, 2, 1), 9);
  THFloatTensor* row = THFloatTensor_newSelect(t, 0, 1);
  THFloatTensor_free(t);
  EXPECT_EQ(foreign.freed, 0);
  THFloatTensor_fill(row, 7);
  EXPECT_EQ(foreign.elements[4], 7);
  THFloatTensor_free(row);
  EXPECT_EQ(foreign.freed, 1);
}

TEST(DLPack, ThoseWithoutVersionMayBeTransposedAndAtAnOffset) {
  Foreign<DLManagedTensor> foreign;
  DLTensor& view = foreign.managed.dl_tensor;
  int64_t shape[] = {4, 2}, strides[] = {1, 4};
  view.shape = shape;
  view.strides = strides;
  view.byte_offset = 16;
  THFloatTensor* t = THFloatTensor_fromDLPackUnversioned(&foreign.managed);
  EXPECT_EQ(THFloatTensor_get2d(t, 1, 0), 5);
  EXPECT_EQ(THFloatTensor_get2d(t, 1, 1), 9);
  EXPECT_EQ(THFloatTensor_sumall(t), 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11);
  THFloatTensor_free(t);
  EXPECT_EQ(foreign.freed, 1);
}

TEST(DLPack, WithoutElementsNothingIsKept) {
  Foreign<DLManagedTensor> foreign;
  foreign.shape[1] = 0;
  foreign.managed.dl_tensor.data = nullptr;
  THFloatTensor* t = THFloatTensor_fromDLPackUnversioned(&foreign.managed);
  EXPECT_EQ(foreign.freed, 1);
  EXPECT_EQ(THFloatTensor_size(t, 0), 3);
  EXPECT_EQ(THFloatTensor_size(t, 1), 0);
  THFloatTensor_free(t);
  EXPECT_EQ(foreign.freed, 1);
}

TEST(DLPack, WhatIsRefusedStaysTheirs) {
  Foreign<DLManagedTensorVersioned> foreign;
  DLManagedTensorVersioned& managed = foreign.managed;
  managed.version = {2, 0};
  auto import = [&] { THFloatTensor_fromDLPack(&managed); };
  EXPECT_NE(error_of(import).find("version 2.0"), std::string::npos);
  managed.version = {1, 9};
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_NE(error_of(import).find("the elements are read-only"), std::string::npos);
  managed.flags = 0;
  EXPECT_NE(error_of([&] { THIntTensor_fromDLPack(&managed); }).find("an IntTensor is expected"),
            std::string::npos);
  foreign.shape[0] = foreign.shape[1] = int64_t{1} << 40;
  EXPECT_NE(error_of(import).find("too large"), std::string::npos);
  EXPECT_NE(error_of([] { THFloatTensor_fromDLPack(nullptr); }).find("NULL"), std::string::npos);
  EXPECT_EQ(foreign.freed, 0);
}

TEST(DLPack, OursOutlastTheirTensorsInAnyThread) {
  for (bool tensor_first : {true, false}) {
    THFloatTensor* t = THFloatTensor_newWithSize2d(3, 4);
    THFloatTensor_fill(t, 2);
    THFloatTensor* columns = THFloatTensor_newTranspose(t, 0, 1);
    DLManagedTensorVersioned* managed = THFloatTensor_toDLPack(columns);
    DLManagedTensor* old = THFloatTensor_toDLPackUnversioned(columns);
    EXPECT_EQ(managed->version.major, 1u);
    EXPECT_EQ(managed->dl_tensor.data, THFloatTensor_data(t));
    EXPECT_EQ(old->dl_tensor.shape[0], 4);
    EXPECT_EQ(old->dl_tensor.strides[0], 1);
    EXPECT_EQ(old->dl_tensor.strides[1], 4);
    EXPECT_NE(error_of([&] { THFloatTensor_resize1d(t, 1000); }).find("in use"), std::string::npos);
    auto free_tensors = [&] {
      THFloatTensor_free(t);
      THFloatTensor_free(columns);
    };
    if (tensor_first) free_tensors();
    static_cast<float*>(managed->dl_tensor.data)[11] = 5;
    std::thread([&] { managed->deleter(managed); }).join();
    EXPECT_EQ(static_cast<float*>(old->dl_tensor.data)[11], 5);
    old->deleter(old);
    if (!tensor_first) {
      THFloatTensor_resize1d(t, 1000);
      free_tensors();
    }
  }
}

TEST(DLPack, OursComeBack) {
  THLongTensor* t = THLongTensor_newWithSize1d(5);
  THLongTensor_fill(t, 3);
  THLongTensor* back = THLongTensor_fromDLPack(THLongTensor_toDLPack(t));
  EXPECT_EQ(THLongTensor_data(back), THLongTensor_data(t));
  THLongTensor_free(t);
  EXPECT_EQ(THLongTensor_sumall(back), 15);
  THLongTensor_free(back);
  THByteTensor* empty = THByteTensor_new();
  DLManagedTensor* managed = THByteTensor_toDLPackUnversioned(empty);
  EXPECT_EQ(managed->dl_tensor.ndim, 1);
  EXPECT_EQ(managed->dl_tensor.shape[0], 0);
  managed->deleter(managed);
  THByteTensor_free(empty);
}

TEST(DLPack, MemoryOfADevice) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(3, 4);
  THFloatTensor_fill(t, 2);
  THFloatTensor* columns = THFloatTensor_newTranspose(t, 0, 1);
  DLManagedTensorVersioned* managed = THFloatTensor_toDLPackOn(columns, "soft");
  DLManagedTensor* old = THFloatTensor_toDLPackUnversionedOn(t, "soft:1");
  for (const DLTensor& view : {managed->dl_tensor, old->dl_tensor}) {
    EXPECT_EQ(view.device.device_type, kDLExtDev);
    EXPECT_EQ(view.device.device_id, 0);
  }
  EXPECT_EQ(managed->dl_tensor.data, old->dl_tensor.data);
  EXPECT_EQ(managed->dl_tensor.strides[0], 1);
  EXPECT_STREQ(THFloatTensor_device(t), "soft:1");
  THFloatTensor* same = THFloatTensor_fromDLPack(managed);
  THFloatTensor_fill(same, 7);
  EXPECT_EQ(THFloatTensor_sumall(t), 7 * 12);
  THFloatTensor_mul(t, t, 2);
  EXPECT_EQ(THFloatTensor_get2d(same, 3, 2), 14);
  THFloatTensor_free(t);
  THFloatTensor_free(columns);
  old->deleter(old);
  EXPECT_EQ(THFloatTensor_sumall(same), 14 * 12);
  THFloatTensor_free(same);
  EXPECT_EQ(THDeviceStream("soft"), nullptr);
  EXPECT_NE(error_of([] { THDeviceStream("cpu"); }).find("other than the CPU"), std::string::npos);
}

}  // namespace
