// NumPy's .npy files: one array each. The header is the text of a Python dictionary.

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "io/ascii.h"
#include "io/array_file.h"
#include "io/disk_arrays.h"

namespace th {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr int64_t kLongestHeader = 1 << 20;  // NumPy writes headers of about a hundred bytes

// The header, read from the left to the right.
struct Cursor {
  const char *at, *end;

  bool skip(char c) {
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }
  void skip_blanks() {
    while (at < end && is_ascii_space(*at)) ++at;
  }
  // Moves behind the next `c`, and returns its position. Returns null if the header has no `c`.
  const char* until(char c) {
    auto* found = static_cast<const char*>(std::memchr(at, c, static_cast<size_t>(end - at)));
    if (found) at = found + 1;
    return found;
  }
};

// Finds the value of a key. Returns false if the header has no such key.
bool find_value(const std::string& text, const std::string& key, Cursor* value) {
  for (const char* quote : {"'", "\""}) {
    const std::string quoted = quote + key + quote;
    for (size_t at = 0; (at = text.find(quoted, at)) != std::string::npos; ++at) {
      *value = {text.data() + at + quoted.size(), text.data() + text.size()};
      value->skip_blanks();
      if (value->skip(':')) {
        value->skip_blanks();
        return true;
      }
    }
  }
  return false;
}

// Parses the sizes between parentheses, such as (2, 3) or (5,) or (2L,).
bool parse_sizes(Cursor text, std::vector<int64_t>* sizes) {
  if (!text.skip('(')) return false;
  for (;;) {
    text.skip_blanks();
    if (text.skip(')')) return true;
    if (text.skip(',')) continue;
    int64_t size = 0;
    auto [end, failure] = std::from_chars(text.at, text.end, size);
    if (failure != std::errc() || size < 0 || size > kMostStoredBytes) return false;
    text.at = end;
    text.skip('L');
    text.skip_blanks();
    if (text.at == text.end || (*text.at != ',' && *text.at != ')')) return false;
    sizes->push_back(size);
  }
}

[[noreturn]] void fail_of_type(const std::string& type) {
  const size_t letter = type.find_first_not_of("<>=|");
  const char c = letter == std::string::npos ? '\0' : type[letter];
  fail(
      "elements of type '%s' cannot be read; readable types are bool, integers of 8 to 64 bits, "
      "floats of 16 to 64 bits%s",
      type.c_str(),
      c == 'c'   ? "; complex numbers: save a.real and a.imag"
      : c == 'O' ? "; objects are code in such a file, which is not run"
                 : "");
}

std::string shortened(const std::string& text, size_t size) { return text.substr(0, size); }

void parse_type(const std::string& text, StoredArray* array) {
  Cursor value;
  if (!find_value(text, "descr", &value)) {
    fail("the header has no descr: %s", shortened(text, 100).c_str());
  }
  if (value.at < value.end && *value.at == '[') {
    fail("structured arrays cannot be read: save each field separately");
  }
  const char quote = value.at < value.end ? *value.at : '\0';
  const char* begin = value.at + 1;
  const char* end = quote == '\'' || quote == '"' ? (++value.at, value.until(quote)) : nullptr;
  if (!end) fail("the header has no descr: %s", shortened(text, 100).c_str());
  const std::string name(begin, end);
  const bool has_order = !name.empty() && std::strchr("<>=|", name[0]);
  array->type = stored_type_of_npy(name.substr(has_order ? 1 : 0));
  if (!array->type) fail_of_type(name);
  array->swapped = name[0] == '>';
}

void parse_header(const std::string& text, StoredArray* array) {
  parse_type(text, array);
  Cursor order, shape;
  std::vector<int64_t> sizes;
  bool complete = find_value(text, "fortran_order", &order) && find_value(text, "shape", &shape) &&
                  parse_sizes(shape, &sizes);
  const std::string rest = complete ? std::string(order.at, order.end) : "";
  const bool by_columns = rest.compare(0, 4, "True") == 0;
  if (!by_columns && rest.compare(0, 5, "False") != 0) {
    fail("the header has no fortran_order and shape: %s", shortened(text, 200).c_str());
  }
  array->by_columns = by_columns && sizes.size() > 1;
  array->set_sizes(std::move(sizes));
}

int64_t number_of(const std::string& bytes, size_t first, size_t count) {
  int64_t number = 0;
  for (size_t k = count; k-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[first + k]);
  return number;
}

}  // namespace

void read_npy_header(const ReadBytes& read, int64_t size, StoredArray* array) {
  const std::string start = read(0, std::min<int64_t>(size, 12));
  if (start.size() < 10 || start.compare(0, kMagicSize, kMagic) != 0) {
    fail("not an .npy file: the magic number is missing");
  }
  const int version = static_cast<uint8_t>(start[kMagicSize]);
  const bool is_long = (version == 2 || version == 3) && start.size() == 12;
  if (version != 1 && !is_long) fail("unknown version %d of the format", version);
  const int64_t first = is_long ? 12 : 10, length = number_of(start, 8, is_long ? 4 : 2);
  array->begin = first + length;
  if (array->begin > size) {
    fail("the header should end at byte %lld of %lld: the file is cut off or damaged",
         static_cast<long long>(array->begin), static_cast<long long>(size));
  }
  if (length > kLongestHeader) {
    fail("the header has %lld bytes; at most %lld are read", static_cast<long long>(length),
         static_cast<long long>(kLongestHeader));
  }
  parse_header(read(first, length), array);
  if (array->bytes() > size - array->begin) {
    fail(
        "%lld elements of %lld bytes from byte %lld on should end at byte %lld of %lld: the file "
        "is cut off or damaged",
        static_cast<long long>(array->count), static_cast<long long>(array->item()),
        static_cast<long long>(array->begin + 1),
        static_cast<long long>(array->begin + array->bytes()), static_cast<long long>(size));
  }
}

std::string npy_header(const Tensor& t) {
  std::string shape;
  for (int d = 0; d < t.nDimension; ++d) shape += (d ? ", " : "") + std::to_string(t.size[d]);
  if (t.nDimension == 0) shape = "0";
  if (t.nDimension <= 1) shape += ',';
  std::string text = std::string("{'descr': '") + (item_size(t.dtype) == 1 ? "|" : "<") +
                     stored_type_of(t.dtype).npy + "', 'fortran_order': False, 'shape': (" + shape +
                     "), }";
  // The elements start at a multiple of 64 bytes.
  text.append(63 - (kMagicSize + 4 + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic, kMagicSize);
  header += {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

namespace {

class NpyReader : public DiskArrays {
 public:
  explicit NpyReader(const char* filename) : DiskArrays(filename) {
    StoredArray array;
    read_npy_header(bytes(), size(), &array);
    add(std::move(array));
  }

 protected:
  StorageRef map(const StoredArray& array, ptrdiff_t* first) override {
    if (array.count == 0) return nullptr;
    if (array.swapped || array.is_converted()) {
      fail("cannot be mapped: the layout of the elements differs from that in memory");
    }
    if (array.begin % array.item() != 0) {
      fail("cannot be mapped: elements of %lld bytes begin at byte %lld",
           static_cast<long long>(array.item()), static_cast<long long>(array.begin));
    }
    return mapped(array, first);
  }
};

class NpyWriter : public DiskArraysWriter {
 protected:
  void check(const Item&) const override {
    if (!items_.empty()) fail("an .npy file contains one tensor");
  }
  std::string header() override {
    if (items_.empty()) fail("an .npy file contains a tensor, got none");
    return npy_header(*items_[0].tensor);
  }
};

}  // namespace

std::unique_ptr<ArrayReader> open_npy(const char* filename) {
  return std::make_unique<NpyReader>(filename);
}
std::unique_ptr<ArrayWriter> create_npy() { return std::make_unique<NpyWriter>(); }

}  // namespace th
