#ifndef TH_OPS_ON_DEVICE_H
#define TH_OPS_ON_DEVICE_H

// How an operation runs on a device: where its operands live decides, their memory is asked for
// there, and a struct of backend/calls.h is queued.

#include <initializer_list>

#include "backend/calls.h"
#include "memory/device.h"
#include "tensor/tensor.h"

namespace th {

// The device to run on: the home of the first operand that has one; nullptr: the CPU. Null
// operands are skipped.
Device* device_of(std::initializer_list<const Tensor*> operands);
Device* device_of(Tensor* const* operands, int count);

// Where t's first element is on the device, with its memory there; null only without a storage.
// Throws as Tensor::data does.
char* data_on(Device& device, const Tensor& t, Access access);
template <class T>
T* data_on_as(Device& device, const Tensor& t, Access access) {
  return reinterpret_cast<T*>(data_on(device, t, access));
}

// As data_on for writing, where the result lives from now on. access: how, as data_on.
char* result_on(Device& device, Tensor& r, Access access);

// t, or, where t is a small part of a large storage that is at home elsewhere, a copy of that part
// on the device. For operands that are read.
TensorRef brought_to(Device& device, Tensor* t);

// A device block for as long as the object lives; later work may take it over.
class DeviceBlock {
 public:
  DeviceBlock(Device& device, size_t bytes) : device_(device), block_(device.allocate(bytes)) {}
  ~DeviceBlock() { device_.release(block_); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  char* get() const { return static_cast<char*>(block_); }

 private:
  Device& device_;
  void* block_;
};

// Builds a LoopPlan: operands are added in order, then plan() drops dimensions of size 1, orders
// the others by the strides of operand 0, and merges what lies in memory as one.
class LoopPlanBuilder {
 public:
  LoopPlanBuilder(int ndim, const int64_t* size);
  // stride in elements, per dimension of the shape given to the constructor.
  void add(char* data, size_t item, const int64_t* stride);
  // Whether the result fits a LoopPlan. keep_order: the dimensions stay in their order.
  bool plan(LoopPlan* out, bool keep_order = false);

 private:
  int ndim_;
  int operands_ = 0;
  int64_t numel_;
  int64_t size_[kMaxDims];  // innermost first
  int64_t stride_[kPlanOperands][kMaxDims];
  char* data_[kPlanOperands];
};

// Whether elements of t may be one place in memory: devices write such results in no order, so
// they are left to the CPU.
bool has_shared_elements(const Tensor& t);

// A check of values that are on the device: work queued with this number reports there what it
// finds, and the next time someone waits for the device they are told so. A %%lld in the format,
// which leaves %lld in the text, stands for the value found.
uint32_t device_check(Device& device, int argument, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// t on the host if its elements are there without moving anything: small operands that were just
// made are checked there at once.
bool on_host(const Tensor& t);

}  // namespace th

#endif
