#ifndef TH_IO_DISK_ARRAYS_H
#define TH_IO_DISK_ARRAYS_H

// The shared parts of .npy and .safetensors files, in which elements follow a header.

#include "io/array_file.h"
#include "io/file.h"

namespace th TH_VISIBLE {

class DiskArrays : public ArrayReader {
 protected:
  // Errors: the file cannot be opened, or is not a regular file.
  explicit DiskArrays(const char* filename);

  int64_t size() const { return size_; }
  ReadBytes bytes();
  StorageRef mapped(const StoredArray& array);

  void start(const StoredArray& array) override;
  int64_t read_elements(const StoredArray& array, Storage* to, int64_t first,
                        int64_t count) override;

 private:
  void seek(int64_t position);
  void read_all(DType type, void* to, int64_t count);

  std::unique_ptr<File> file_;
  int64_t size_ = 0;
};

class DiskArraysWriter : public ArrayWriter {
 protected:
  // May change the order of the items.
  virtual std::string header() = 0;

  void start(const char* path) override;
  int64_t write_elements(const Item& item, int64_t first, int64_t count) override;
  void close() override;

 private:
  std::unique_ptr<File> file_;
};

}  // namespace TH_VISIBLE

#endif
