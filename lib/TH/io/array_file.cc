#include "io/array_file.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "io/file_format.h"
#include "io/replace_file.h"
#include "ops/ops.h"

namespace th {

namespace {

struct Format {
  const char* extension;
  std::unique_ptr<ArrayReader> (*open)(const char* filename);
  std::unique_ptr<ArrayWriter> (*create)();
};
const Format kFormats[] = {
    {"npy", open_npy, create_npy},
    {"npz", open_npz, create_npz},
    {"safetensors", open_safetensors, create_safetensors},
};

const Format& format_of(const char* filename, const char* chosen) {
  const std::string extension = chosen ? chosen : extension_of(filename);
  for (const Format& format : kFormats) {
    if (extension == format.extension) return format;
  }
  fail("%s: files with names in .npy, .npz and .safetensors are expected", filename);
}

// The number of elements to move for about this number of bytes.
int64_t elements_in(int64_t bytes, int64_t item) { return std::max<int64_t>(bytes / item, 1); }

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

template <class F>
auto ArrayReader::named(const F& f) const {
  return with_file_name(filename_, f);
}

std::unique_ptr<ArrayReader> ArrayReader::open(const char* filename, const char* extension) {
  const Format& format = format_of(filename, extension);
  return with_file_name(filename, [&] {
    std::unique_ptr<ArrayReader> reader = format.open(filename);
    reader->filename_ = filename;
    return reader;
  });
}

void ArrayReader::add(StoredArray array) {
  if (!positions_.emplace(array.name, arrays_.size()).second) {
    fail("two arrays are named %s", array.name.c_str());
  }
  arrays_.push_back(std::move(array));
}

int64_t ArrayReader::find(const std::string& name) const {
  auto found = positions_.find(name);
  return found == positions_.end() ? -1 : static_cast<int64_t>(found->second);
}

const StoredArray& ArrayReader::array(size_t k) {
  StoredArray& array = arrays_.at(k);
  if (!array.type) named([&] { describe(array); });
  return array;
}

StorageRef ArrayReader::map(const StoredArray&) { return nullptr; }

void ArrayReader::begin(size_t k, bool map) {
  const StoredArray& array = this->array(k);
  storage_.reset();
  at_ = k;
  done_ = 0;
  named([&] {
    storage_ = map ? this->map(array) : nullptr;
    if (storage_) {
      done_ = array.count;
      return;
    }
    storage_.reset(storage_new(array.type->stored, std::max<int64_t>(array.count, 1)));
    if (array.count == 0) {
      // The storage of an empty tensor has one element.
      std::memset(storage_->cpu(Access::overwrite), 0, static_cast<size_t>(array.item()));
      return;
    }
    start(array);
  });
}

int64_t ArrayReader::run(int64_t bytes) {
  const StoredArray& array = arrays_.at(at_);
  if (!storage_ || done_ == array.count) return 0;
  const int64_t count = std::min(elements_in(bytes, array.item()), array.count - done_);
  const int64_t got = named([&] { return read_elements(array, storage_.get(), done_, count); });
  done_ += got;
  return got * array.item();
}

TensorRef ArrayReader::finish() {
  const StoredArray& array = arrays_.at(at_);
  if (!storage_ || done_ != array.count) fail("the array has not been read");
  StorageRef storage = std::move(storage_);
  return named([&] { return tensor_of(array, storage.get()); });
}

TensorRef ArrayReader::read(size_t k, bool map) {
  begin(k, map);
  while (run(std::numeric_limits<int64_t>::max())) {
  }
  return finish();
}

// ---- writing ------------------------------------------------------------------------------------

template <class F>
auto ArrayWriter::named(const F& f) const {
  return with_file_name(filename_, [&]() -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      if (!replacement_ || replacement_->path() == filename_) throw;
      // Messages about the temporary file are about the file.
      std::string text = error.what();
      const std::string& path = replacement_->path();
      for (size_t at = 0; (at = text.find(path, at)) != std::string::npos;) {
        text.replace(at, path.size(), filename_);
        at += filename_.size();
      }
      fail("%s", text.c_str());
    }
  });
}

std::unique_ptr<ArrayWriter> ArrayWriter::create(const char* filename, const char* extension) {
  std::unique_ptr<ArrayWriter> writer = format_of(filename, extension).create();
  writer->filename_ = filename;
  return writer;
}

ArrayWriter::ArrayWriter() = default;
ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::check_open() const {
  if (is_committed_) fail("the file has been written");
  if (has_failed_) fail("the file could not be written: use a new writer");
}

void ArrayWriter::add(const std::string& name, Tensor* t) {
  named([&] {
    check_open();
    t->check_storage();  // making a view would extend the storage
    Item item = {name, contiguous(t)};
    // A separate view, whose sizes do not change.
    item.tensor = TensorRef(tensor_new_view(item.tensor.get()));
    check(item);
    if (!names_.insert(name).second) fail("two tensors are named %s", name.c_str());
    items_.push_back(std::move(item));
  });
}

void ArrayWriter::set_metadata(const std::string& key, const std::string& value) {
  named([&] {
    check_metadata(key, value);
    metadata_[key] = value;
  });
}
void ArrayWriter::check_metadata(const std::string&, const std::string&) const {
  fail("only .safetensors files have metadata");
}

void ArrayWriter::compress() {
  named([&] { check_compress(); });
  compressed_ = true;
}
void ArrayWriter::check_compress() const { fail("only .npz files can be compressed"); }

int64_t ArrayWriter::begin() {
  return named([&] {
    check_open();
    if (replacement_) fail("the file is being written");
    for (const Item& item : items_) item.tensor->check_storage();
    replacement_ = std::make_unique<Replacement>(filename_.c_str());
    start(replacement_->path().c_str());
    for (const Item& item : items_) {
      bytes_ += item.tensor->numel() * static_cast<int64_t>(item_size(item.tensor->dtype));
    }
    return bytes_;
  });
}

bool ArrayWriter::report(double fraction) {
  const auto done = static_cast<int64_t>(fraction * static_cast<double>(bytes_));
  const int64_t more = std::min(done, bytes_) - reported_;
  if (more <= 0) return true;
  reported_ += more;
  return report_(more);
}

int64_t ArrayWriter::run(int64_t bytes) {
  if (!replacement_) fail("%s: the file is not being written", filename_.c_str());
  while (at_ < items_.size() && done_ == items_[at_].tensor->numel()) {
    ++at_;
    done_ = 0;
  }
  if (at_ == items_.size()) return 0;
  const Item& item = items_[at_];
  const auto size = static_cast<int64_t>(item_size(item.tensor->dtype));
  const int64_t count = std::min(elements_in(bytes, size), item.tensor->numel() - done_);
  const int64_t written = named([&] {
    item.tensor->check_storage();
    return write_elements(item, done_, count);
  });
  done_ += written;
  return written * size;
}

void ArrayWriter::commit(Sync sync) {
  if (!replacement_) fail("%s: the file is not being written", filename_.c_str());
  named([&] {
    close();
    replacement_->commit(sync);
    replacement_.reset();
    is_committed_ = true;
  });
}

void ArrayWriter::write() {
  try {
    begin();
    while (run(std::numeric_limits<int64_t>::max())) {
    }
    commit();
  } catch (...) {
    has_failed_ = replacement_ != nullptr;
    throw;
  }
}

}  // namespace th
