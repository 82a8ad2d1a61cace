// NumPy's .npy files: one array each. The header is the text of a Python dictionary.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <set>
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

// Parses the sizes of a tuple: (), (5,), (2, 3) or (2L,). Returns false for anything else. Fails
// for negative numbers and those beyond 64 bits.
bool parse_sizes(Cursor* text, std::vector<int64_t>* sizes) {
  const char* begin = text->at;
  if (!text->skip('(')) return false;
  for (bool after_comma = true;; after_comma = text->skip(',')) {
    text->skip_blanks();
    if (text->skip(')')) return after_comma || sizes->size() > 1;  // (5) is a number
    int64_t size = 0;
    auto [end, failure] = std::from_chars(text->at, text->end, size);
    if (!after_comma || failure == std::errc::invalid_argument) return false;
    if (failure != std::errc() || size < 0) {
      fail("the shape contains an invalid size: %.100s)",
           std::string(begin, std::find(end, text->end, ')')).c_str());
    }
    text->at = end;
    text->skip('L');
    text->skip_blanks();
    sizes->push_back(size);
  }
}

// Parses a string in quotes. Returns false for anything else.
bool parse_string(Cursor* text, std::string* value) {
  const char quote = text->at < text->end ? *text->at : '\0';
  if (quote != '\'' && quote != '"') return false;
  const char* begin = ++text->at;
  const char* end = text->until(quote);
  if (end) value->assign(begin, end);
  return end;
}

bool parse_bool(Cursor* text, bool* value) {
  std::string word;
  while (text->at < text->end && std::isalpha(static_cast<unsigned char>(*text->at))) {
    word += *text->at++;
  }
  *value = word == "True";
  return *value || word == "False";
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

void set_type(const std::string& name, StoredArray* array) {
  const bool has_order = !name.empty() && std::strchr("<>=|", name[0]);
  array->type = stored_type_of_npy(name.substr(has_order ? 1 : 0));
  if (!array->type) fail_of_type(name);
  array->swapped = name[0] == '>';
}

// Parses the dictionary with the keys descr, fortran_order and shape, each once, in any order.
void parse_header(const std::string& text, StoredArray* array) {
  Cursor at{text.data(), text.data() + text.size()};
  std::set<std::string> keys;
  std::string key, type;
  std::vector<int64_t> sizes;
  bool by_columns = false, is_valid = at.skip('{');
  at.skip_blanks();
  while (is_valid && !at.skip('}')) {
    is_valid = parse_string(&at, &key) && keys.insert(key).second;
    at.skip_blanks();
    is_valid = is_valid && at.skip(':');
    at.skip_blanks();
    if (key == "descr" && is_valid && at.at < at.end && *at.at == '[') {
      fail("structured arrays cannot be read: save each field separately");
    }
    is_valid = is_valid && ((key == "descr" && parse_string(&at, &type)) ||
                            (key == "fortran_order" && parse_bool(&at, &by_columns)) ||
                            (key == "shape" && parse_sizes(&at, &sizes)));
    at.skip_blanks();
    is_valid = is_valid && (at.skip(',') || (at.at < at.end && *at.at == '}'));
    at.skip_blanks();
  }
  if (!is_valid || keys.size() != 3) {
    fail("the header is not a dictionary of descr, fortran_order and shape: %s",
         text.substr(0, 200).c_str());
  }
  set_type(type, array);
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
         as_long(array->begin), as_long(size));
  }
  if (length > kLongestHeader) {
    fail("the header has %lld bytes; at most %lld are read", as_long(length),
         as_long(kLongestHeader));
  }
  parse_header(read(first, length), array);
  if (array->bytes() > size - array->begin) {
    fail(
        "%lld elements of %lld bytes from byte %lld on should end at byte %lld of %lld: the file "
        "is cut off or damaged",
        as_long(array->count), as_long(array->item()), as_long(array->begin + 1),
        as_long(array->begin + array->bytes()), as_long(size));
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
  StorageRef map(const StoredArray& array) override {
    if (array.count == 0) return nullptr;
    if (array.swapped || array.is_converted()) {
      fail("cannot be mapped: the layout of the elements differs from that in memory");
    }
    if (array.begin % array.item() != 0) {
      fail("cannot be mapped: elements of %lld bytes begin at byte %lld", as_long(array.item()),
           as_long(array.begin));
    }
    return mapped(array);
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
