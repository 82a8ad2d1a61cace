// .safetensors: named tensors and metadata strings. The file contains the length of the header, the
// header, and the elements.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/array_file.h"
#include "io/disk_arrays.h"

namespace th {

namespace {

// Smaller arrays are read: that is faster, and the number of mappings of a process is limited.
constexpr int64_t kLeastMapped = 1 << 16;

class SafetensorsReader : public DiskArrays {
 public:
  explicit SafetensorsReader(const char* filename) : DiskArrays(filename) {
    for (StoredArray& array : read_safetensors_header(bytes(), size(), &metadata_)) {
      add(std::move(array));
    }
  }

 protected:
  void describe(StoredArray& array) override {
    fail("tensor %s: elements of type %s cannot be read", array.name.c_str(),
         array.unknown_type.c_str());
  }
  StorageRef map(const StoredArray& array) override {
    const bool fits =
        array.bytes() >= kLeastMapped && !array.is_converted() && array.begin % array.item() == 0;
    if (!fits) return nullptr;
    try {
      return mapped(array);
    } catch (const Error&) {
      return nullptr;  // the system limits the number of mappings
    }
  }
};

class SafetensorsWriter : public DiskArraysWriter {
 protected:
  void check(const Item& item) const override {
    if (item.name == "__metadata__") fail("invalid tensor name: %s", item.name.c_str());
  }
  void check_metadata(const std::string&, const std::string&) const override {}

  std::string header() override {
    // Tensors with large elements first: then each starts at a multiple of its element size.
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      const size_t of_a = item_size(a.tensor->dtype), of_b = item_size(b.tensor->dtype);
      return of_a != of_b ? of_a > of_b : a.name < b.name;
    });
    std::vector<NamedTensor> tensors;
    for (const Item& item : items_) tensors.push_back({item.name, *item.tensor});
    return safetensors_header(tensors, metadata_);
  }
};

}  // namespace

std::unique_ptr<ArrayReader> open_safetensors(const char* filename) {
  return std::make_unique<SafetensorsReader>(filename);
}
std::unique_ptr<ArrayWriter> create_safetensors() { return std::make_unique<SafetensorsWriter>(); }

}  // namespace th
