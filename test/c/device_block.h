#ifndef TEST_DEVICE_BLOCK_H
#define TEST_DEVICE_BLOCK_H

#include "memory/device.h"

// A block of a device for as long as the object lives; later work may take it over.
class DeviceBlock {
 public:
  DeviceBlock(th::Device& device, size_t bytes) : device_(device), block_(device.allocate(bytes)) {}
  ~DeviceBlock() { device_.release(block_); }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  char* get() const { return static_cast<char*>(block_); }

 private:
  th::Device& device_;
  void* block_;
};

#endif
