// Files in the memory of a CharStorage.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "io/file.h"

namespace th {

namespace {

class MemoryFile : public File {
 public:
  MemoryFile(StorageRef storage, const char* mode) : File(mode), storage_(std::move(storage)) {
    if (!storage_) storage_.reset(storage_new(DType::Char, 1));
    if (storage_->size == 0 || bytes()[storage_->size - 1] != '\0') {
      fail_argument(1, "a CharStorage that ends in 0 is expected");
    }
    size_ = storage_->size - 1;
  }

  Storage* storage() {
    check_open();
    storage_resize_now(storage_.get(), static_cast<ptrdiff_t>(size_ + 1));
    return storage_.get();
  }

  bool is_open() const override { return storage_ != nullptr; }
  void synchronize() override {}
  bool seek(size_t position) override {
    if (position > size_) return false;
    at_ = position;
    return true;
  }
  bool seek_end() override { return seek(size_); }
  size_t position() override { return at_; }
  size_t find_position() override { return is_open() ? at_ : kUnknown; }
  void close() override { storage_.reset(); }
  size_t available() override { return size_ - at_; }

 protected:
  size_t read_bytes(void* to, size_t count) override {
    count = std::min(count, size_ - at_);
    if (count) std::memmove(to, bytes() + at_, count);
    at_ += count;
    return count;
  }
  size_t write_bytes(const void* from, size_t count) override {
    const char* first = bytes();
    size_t end = at_ + count, capacity = storage_->size - 1;
    if (end > capacity) {
      // The source may be in this storage, which is reallocated.
      auto* source = static_cast<const char*>(from);
      bool own = source >= first && source < first + storage_->size;
      storage_resize_now(storage_.get(), static_cast<ptrdiff_t>(std::max(end, capacity * 2) + 1));
      if (own) from = bytes() + (source - first);
    }
    if (count) std::memmove(bytes() + at_, from, count);
    at_ = end;
    if (end > size_) {
      size_ = end;
      bytes()[size_] = '\0';
    }
    return count;
  }
  int next_byte() override { return at_ < size_ ? static_cast<unsigned char>(bytes()[at_++]) : -1; }
  void put_back(int) override { --at_; }

 private:
  // The program may have resized the storage to fewer bytes.
  char* bytes() {
    if (storage_->size <= static_cast<ptrdiff_t>(size_)) {
      fail("the file's storage was resized to %td bytes", storage_->size);
    }
    return static_cast<char*>(storage_->cpu(Access::write));
  }

  StorageRef storage_;
  size_t size_ = 0, at_ = 0;  // the storage may have more capacity
};

}  // namespace

File* open_memory_file(Storage* storage, const char* mode) {
  storage_retain(storage);
  StorageRef held(storage);
  return new MemoryFile(std::move(held), mode);
}

Storage* storage_of_file(File& file) {
  auto* memory = dynamic_cast<MemoryFile*>(&file);
  if (!memory) fail_argument(1, "a file in memory is expected");
  return memory->storage();
}

}  // namespace th
