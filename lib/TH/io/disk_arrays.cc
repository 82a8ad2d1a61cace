#include "io/disk_arrays.h"

#include "base/error.h"

namespace th {

DiskArrays::DiskArrays(const char* filename) : file_(open_for_seeking(filename)) {
  if (!file_->seek_end()) fail("not a regular file");
  size_ = static_cast<int64_t>(file_->position());
}

void DiskArrays::seek(int64_t position) {
  if (!file_->seek(static_cast<size_t>(position))) {
    fail("cannot seek to byte %lld", as_long(position + 1));
  }
}

// The sizes have been compared with that of the file, so the file has become shorter if it ends.
void DiskArrays::read_all(DType type, void* to, int64_t count) {
  const size_t got = file_->read(type, to, static_cast<size_t>(count));
  if (got != static_cast<size_t>(count)) {
    fail("read error: read %zu blocks instead of %lld, at byte %zu", got, as_long(count),
         file_->position() + 1);
  }
}

ReadBytes DiskArrays::bytes() {
  return [this](int64_t at, int64_t count) {
    std::string text(static_cast<size_t>(count), '\0');
    seek(at);
    read_all(DType::Char, &text[0], count);
    return text;
  };
}

StorageRef DiskArrays::mapped(const StoredArray& array) {
  return file_->map(array.type->stored, array.begin, array.count);
}

void DiskArrays::start(const StoredArray& array) {
  file_->swapped = array.swapped;
  seek(array.begin);
}

int64_t DiskArrays::read_elements(const StoredArray& array, Storage* to, int64_t first,
                                  int64_t count) {
  auto* data = static_cast<char*>(to->cpu(Access::write));
  read_all(array.type->stored, data + first * array.item(), count);
  return count;
}

void DiskArraysWriter::start(const char* path) {
  const std::string text = header();
  file_.reset(open_disk_file(path, "w", false));
  file_->binary = true;
  file_->write_text(text.data(), text.size());
}

int64_t DiskArraysWriter::write_elements(const Item& item, int64_t first, int64_t count) {
  const Tensor& t = *item.tensor;
  const char* data = t.data(Access::read) + first * static_cast<int64_t>(item_size(t.dtype));
  file_->write(t.dtype, data, static_cast<size_t>(count));
  return count;
}

void DiskArraysWriter::close() { file_->close(); }

}  // namespace th
