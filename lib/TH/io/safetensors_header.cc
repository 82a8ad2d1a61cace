// The headers of .safetensors files, in JSON, by nlohmann/json. If it was missing at build time,
// the functions raise errors.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/stored_array.h"

#ifdef TH_HAVE_JSON
#include <nlohmann/json.hpp>
#endif

namespace th {

#ifdef TH_HAVE_JSON

namespace {

using Json = nlohmann::json;

constexpr int64_t kLengthSize = 8;
constexpr int64_t kLongestHeader = 100000000;  // the limit of the format
constexpr const char* kMetadata = "__metadata__";

// A number of a list, which is valid if it is a whole number from 0 to kMostStoredBytes.
struct Number {
  int64_t value = 0;
  bool valid = false;
  std::string text() const { return valid ? std::to_string(value) : "an invalid number"; }
};

// Builds the arrays while the header is parsed, so that it needs no tree of all values. Values that
// do not belong to the format are ignored, unless they take the place of others.
class Header : public nlohmann::json_sax<Json> {
 public:
  Header(int64_t base, int64_t size, Metadata* metadata)
      : base_(base), size_(size), metadata_(metadata) {}

  std::vector<StoredArray> arrays;
  std::string failure = "it is another value";

  bool null() override { return value(Number()); }
  bool boolean(bool) override { return value(Number()); }
  bool number_integer(number_integer_t number) override { return value({number, false}); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<uint64_t>(kMostStoredBytes)) return value(Number());
    return value({static_cast<int64_t>(number), true});
  }
  bool number_float(number_float_t, const string_t&) override { return value(Number()); }
  bool binary(binary_t&) override { return value(Number()); }
  bool string(string_t& text) override {
    if (depth_ == 2 && part_ == Part::metadata) {
      (*metadata_)[key_] = text;
      return true;
    }
    if (depth_ == 2 && part_ == Part::entry && key_ == "dtype") {
      type_ = text;
      return true;
    }
    return value(Number());
  }
  bool start_object(size_t) override {
    if (depth_ == 1) {
      part_ = name_ == kMetadata ? Part::metadata : Part::entry;
      type_.clear();
      shape_ = offsets_ = List();
    } else if (depth_ > 1) {
      start_list();
      if (list_) list_->valid = false;
    }
    ++depth_;
    return true;
  }
  bool end_object() override {
    if (--depth_ == 1 && part_ == Part::entry) end_entry();
    if (depth_ <= 2) list_ = nullptr;
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == 0) return false;
    if (depth_ == 1) fail_of_entry();
    start_list();
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (--depth_ <= 2) list_ = nullptr;
    return true;
  }
  bool key(string_t& text) override {
    (depth_ == 1 ? name_ : key_) = text;
    return true;
  }
  bool parse_error(size_t, const std::string&, const Json::exception& error) override {
    failure = std::string(error.what()).substr(0, 200);
    return false;
  }

 private:
  enum class Part { entry, metadata };
  struct List {
    bool present = false, valid = true;
    std::vector<Number> numbers;
  };

  [[noreturn]] void fail_of_entry() {
    if (name_ == kMetadata) fail("the metadata is not a table of strings");
    fail("tensor %s: dtype, shape and data_offsets are expected", name_.c_str());
  }

  [[noreturn]] void fail_of_metadata() {
    fail("the value of %s in the metadata is not a string", key_.c_str());
  }

  // A list or table begins, which may be the value of a key of an entry, or be inside of one.
  void start_list() {
    if (depth_ == 2 && part_ == Part::entry) {
      list_ = key_ == "shape" ? &shape_ : key_ == "data_offsets" ? &offsets_ : nullptr;
      if (list_) {
        *list_ = List();
        list_->present = true;
      }
    } else if (depth_ == 2) {
      fail_of_metadata();
    } else if (list_) {
      list_->valid = false;
    }
  }

  bool value(Number number) {
    if (depth_ == 0) return false;
    if (depth_ == 1) fail_of_entry();
    if (depth_ == 2 && part_ == Part::metadata) fail_of_metadata();
    if (depth_ == 2 && part_ == Part::entry) {
      // The value is not a list.
      if (key_ == "shape") shape_ = List();
      if (key_ == "data_offsets") offsets_ = List();
    }
    if (depth_ == 3 && list_) {
      constexpr size_t kMost = 1000;
      if (list_->numbers.size() == kMost) {
        fail("tensor %s: %s has more than %zu numbers", name_.c_str(), key_.c_str(), kMost);
      }
      list_->numbers.push_back(number);
      list_->valid = list_->valid && (number.valid || list_ == &offsets_);
    }
    return true;
  }

  void set_sizes(StoredArray* array) {
    std::vector<int64_t> sizes;
    for (const Number& number : shape_.numbers) sizes.push_back(number.value);
    try {
      array->set_sizes(std::move(sizes));
    } catch (const Error& error) {
      fail("tensor %s: %s", name_.c_str(), error.what());
    }
  }

  void end_entry() {
    const StoredType* type = stored_type_of_safetensors(type_);
    if (type_.empty() || !shape_.present || !offsets_.present) fail_of_entry();
    if (!shape_.valid) fail("tensor %s: the shape contains an invalid size", name_.c_str());
    if (!offsets_.valid || offsets_.numbers.size() != 2) {
      fail("tensor %s: data_offsets are two numbers, got %zu values", name_.c_str(),
           offsets_.numbers.size());
    }
    StoredArray array;
    array.name = name_;
    array.type = type;
    const Number first = offsets_.numbers[0], last = offsets_.numbers[1];
    if (type) {
      set_sizes(&array);
    } else {
      array.unknown_type = type_;
      if (first.valid && last.valid) array.count = std::max<int64_t>(last.value - first.value, 0);
    }
    if (!first.valid || !last.valid || last.value - first.value != array.bytes()) {
      fail("tensor %s: %lld bytes are expected, and data_offsets are %s and %s", name_.c_str(),
           as_long(array.bytes()), first.text().c_str(), last.text().c_str());
    }
    if (base_ + last.value > size_) {
      fail("tensor %s: it should end at byte %lld of %lld: the file is cut off or damaged",
           name_.c_str(), as_long(base_ + last.value), as_long(size_));
    }
    array.begin = base_ + first.value;
    arrays.push_back(std::move(array));
  }

  const int64_t base_, size_;  // the position of the first element; the size of the file
  Metadata* metadata_;
  int depth_ = 0;
  Part part_ = Part::entry;
  std::string name_, key_, type_;
  List shape_, offsets_;
  List* list_ = nullptr;  // of the value that is being parsed
};

void check_overlap(std::vector<StoredArray>& arrays) {
  std::sort(arrays.begin(), arrays.end(), [](const StoredArray& a, const StoredArray& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.count < b.count;
  });
  for (size_t k = 1; k < arrays.size(); ++k) {
    const StoredArray& before = arrays[k - 1];
    if (arrays[k].begin < before.begin + before.bytes()) {
      fail("tensors %s and %s overlap in the file", before.name.c_str(), arrays[k].name.c_str());
    }
  }
}

std::string quoted(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    fail("%s is not UTF-8, which names and metadata must be", text.c_str());
  }
}

}  // namespace

std::vector<StoredArray> read_safetensors_header(const ReadBytes& read, int64_t size,
                                                 Metadata* metadata) {
  if (size < kLengthSize) fail("not a .safetensors file: the header is missing");
  const std::string bytes = read(0, kLengthSize);
  uint64_t length = 0;
  for (int64_t k = kLengthSize; k-- > 0;) {
    length = length << 8 | static_cast<uint8_t>(bytes[static_cast<size_t>(k)]);
  }
  if (length > kLongestHeader || static_cast<int64_t>(length) > size - kLengthSize) {
    fail("the header should end at byte %.0f of %lld: cut off, or not a .safetensors file",
         static_cast<double>(length) + kLengthSize, as_long(size));
  }
  const int64_t base = kLengthSize + static_cast<int64_t>(length);
  const std::string text = read(kLengthSize, static_cast<int64_t>(length));
  // The parser would stop there.
  if (text.find('\0') != std::string::npos) fail("the header contains a NUL byte");
  Header header(base, size, metadata);
  if (!Json::sax_parse(text.data(), text.data() + text.size(), &header)) {
    fail("the header, bytes 9 to %lld, is not a JSON object: %s", as_long(base),
         header.failure.c_str());
  }
  // Otherwise a small file could request any amount of memory.
  check_overlap(header.arrays);
  return std::move(header.arrays);
}

std::string safetensors_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += std::string("\"") + kMetadata + "\":{";
    const char* comma = "";
    for (const auto& [key, value] : metadata) {
      text += comma + quoted(key) + ":" + quoted(value);
      comma = ",";
    }
    text += "}";
  }
  int64_t at = 0;
  for (const NamedTensor& named : tensors) {
    const Tensor& t = named.tensor;
    std::string shape;
    for (int d = 0; d < t.nDimension; ++d) shape += (d ? "," : "") + std::to_string(t.size[d]);
    const int64_t end = at + t.numel() * static_cast<int64_t>(item_size(t.dtype));
    text += (text.size() > 1 ? "," : "") + quoted(named.name) + ":{\"dtype\":\"" +
            stored_type_of(t.dtype).safetensors + "\",\"shape\":[" +
            (t.nDimension == 0 ? "0" : shape) + "],\"data_offsets\":[" + std::to_string(at) + "," +
            std::to_string(end) + "]}";
    at = end;
  }
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string header;
  for (int k = 0; k < kLengthSize; ++k) {
    header += static_cast<char>(static_cast<uint64_t>(text.size()) >> (8 * k) & 0xff);
  }
  return header + text;
}

#else

namespace {
[[noreturn]] void fail_without() {
  fail(
      "tensor was built without nlohmann/json, which this needs: install nlohmann-json3-dev and "
      "build tensor again");
}
}  // namespace

std::vector<StoredArray> read_safetensors_header(const ReadBytes&, int64_t, Metadata*) {
  fail_without();
}
std::string safetensors_header(const std::vector<NamedTensor>&, const Metadata&) { fail_without(); }

#endif

}  // namespace th
