// NumPy's .npz files: archives of .npy files.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/array_file.h"
#include "io/zip.h"

namespace th {

namespace {

constexpr char kSuffix[] = ".npy";
constexpr size_t kSuffixSize = sizeof(kSuffix) - 1;

std::string without_suffix(const std::string& name) {
  const bool has = name.size() >= kSuffixSize &&
                   name.compare(name.size() - kSuffixSize, kSuffixSize, kSuffix) == 0;
  return has ? name.substr(0, name.size() - kSuffixSize) : name;
}

class NpzReader : public ArrayReader {
 public:
  explicit NpzReader(const char* filename) : archive_(filename) {
    for (size_t k = 0; k < archive_.members().size(); ++k) {
      const std::string& name = archive_.members()[k].name;
      if (!name.empty() && name.back() == '/') continue;  // a folder
      StoredArray array;
      array.name = without_suffix(name);
      add(std::move(array));
      places_.push_back(k);
    }
  }

 protected:
  void describe(StoredArray& array) override {
    const size_t k = position(array);
    StoredArray described = array;
    of_array(array, [&] {
      read_npy_header([&](int64_t at, int64_t count) { return bytes(k, at, count); },
                      archive_.members()[k].size, &described);
    });
    array = std::move(described);
  }

  void start(const StoredArray& array) override {
    of_array(array,
             [&] { archive_.begin(position(array), array.begin, array.count * array.item()); });
  }
  int64_t read_elements(const StoredArray& array, Storage* to, int64_t first,
                        int64_t count) override {
    of_array(array, [&] { archive_.read(to, first, count, array.swapped); });
    return count;
  }

 private:
  // The position of an array in the archive.
  size_t position(const StoredArray& array) const { return places_[&array - arrays_.data()]; }

  std::string bytes(size_t k, int64_t at, int64_t count) {
    StorageRef storage(storage_new(DType::Char, count));
    archive_.begin(k, at, count);
    archive_.read(storage.get(), 0, count, false);
    return {static_cast<const char*>(storage->cpu(Access::read)), static_cast<size_t>(count)};
  }

  template <class F>
  void of_array(const StoredArray& array, const F& f) {
    try {
      f();
    } catch (const Error& error) {
      fail("array %s: %s", array.name.c_str(), error.what());
    }
  }

  ZipReader archive_;
  std::vector<size_t> places_;
};

class NpzWriter : public ArrayWriter {
 protected:
  void check(const Item& item) const override {
    if (item.name.empty() || item.name.find('\0') != std::string::npos) {
      fail("invalid array name: %s", item.name.c_str());
    }
  }
  void check_compress() const override {}

  void start(const char* path) override {
    path_ = path;
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.name < b.name; });
    for (const Item& item : items_) {
      const Tensor& t = *item.tensor;
      StorageRef storage;
      if (t.storage) {
        storage_retain(t.storage);
        storage.reset(t.storage);
      } else {
        storage.reset(storage_new(t.dtype, 0));
      }
      archive_.add((item.name + kSuffix).c_str(), npy_header(t), storage.get(),
                   t.numel() ? t.storageOffset : 0, t.numel());
    }
  }
  int64_t write_elements(const Item& item, int64_t, int64_t) override {
    write_all();
    return item.tensor->numel();
  }
  void close() override { write_all(); }

 private:
  // libzip writes all members in one call.
  void write_all() {
    if (written_) return;
    ZipWriter::Report forward;
    if (report_) forward = [this](double fraction) { return report(fraction); };
    archive_.write(path_.c_str(), compressed_, forward);
    written_ = true;
  }

  ZipWriter archive_;
  std::string path_;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<ArrayReader> open_npz(const char* filename) {
  return std::make_unique<NpzReader>(filename);
}
std::unique_ptr<ArrayWriter> create_npz() { return std::make_unique<NpzWriter>(); }

}  // namespace th
