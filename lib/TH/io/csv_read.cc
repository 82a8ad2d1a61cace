#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "io/csv.h"
#include "tensor/checked.h"

namespace th {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The powers of ten up to 1e15, which are exact in double.
constexpr double kTens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                            1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr int kExactDigits = 15;  // integers with up to this many digits are exact in double
constexpr int kMostDigits = 19;   // integers with up to this many digits fit into uint64_t

#if __LDBL_MANT_DIG__ == 64
constexpr bool kLongDoubles = true;
#else
constexpr bool kLongDoubles = false;
#endif
constexpr long double kLongTens[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                     1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                     1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L};

// Computes number / 10^behind; both are exact in long double. Returns false if the quotient is
// halfway between two doubles, because it may have been rounded to that, so the final rounding is
// uncertain.
inline bool divide(uint64_t number, int behind, double* value) {
  long double quotient = static_cast<long double>(number) / kLongTens[behind];
  uint64_t mantissa;
  std::memcpy(&mantissa, &quotient, sizeof(mantissa));
  *value = static_cast<double>(quotient);
  return (mantissa & 0x7ff) != 0x400;
}

// Parses a decimal number of few digits without exponent. The divisor is exact, so there is a
// single rounding. Returns the end of the number; null for any other syntax.
inline const char* parse_short(const char* p, const char* end, double* value) {
  bool negative = p != end && *p == '-';
  if (negative) ++p;
  uint64_t number = 0;
  ptrdiff_t digits = 0, behind = 0;
  auto take = [&] {
    const char* first = p;
    for (; p != end; ++p) {
      auto digit = static_cast<unsigned>(*p - '0');
      if (digit > 9) break;
      number = number * 10 + digit;
    }
    digits += p - first;
    return p - first;
  };
  take();
  if (p != end && *p == '.') {
    ++p;
    behind = take();
  }
  double magnitude;
  if (digits == 0 || digits > kMostDigits) return nullptr;
  if (digits <= kExactDigits) {
    magnitude = static_cast<double>(number) / kTens[behind];
  } else if (!kLongDoubles || !divide(number, static_cast<int>(behind), &magnitude)) {
    return nullptr;
  }
  *value = negative ? -magnitude : magnitude;
  return p;
}

// Parses numbers that from_chars rejects as too large or too small: infinity, 0, or a number near
// these.
double parse_extreme(const std::string& text) {
  static locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(text.c_str(), nullptr, c_locale);
}

}  // namespace

// ---- columns ------------------------------------------------------------------------------------

void CsvReader::Column::start(DType type, int64_t expected) {
  storage.reset(storage_new(type, expected));
  data = static_cast<char*>(storage->cpu(Access::overwrite));
  count = 0;
}

void CsvReader::Column::reserve() {
  storage_resize(storage.get(), checked_mul(storage->size, 2, "a column"));
  data = static_cast<char*>(storage->cpu(Access::write));
}

void CsvReader::Column::make_real() {
  StorageRef integers = std::move(storage);
  auto* from = static_cast<const int64_t*>(integers->cpu(Access::read));
  storage.reset(storage_new(DType::Double, integers->size));
  data = static_cast<char*>(storage->cpu(Access::overwrite));
  auto* to = reinterpret_cast<double*>(data);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]);
  kind = CsvKind::real;
}

// Missing values are NaN.
bool CsvReader::Column::has_number() const {
  if (kind != CsvKind::real) return count > 0;
  auto* values = reinterpret_cast<const double*>(data);
  return std::any_of(values, values + count, [](double value) { return value == value; });
}

// ---- boundaries of records and fields
// ------------------------------------------------------------

CsvReader::CsvReader(Storage* bytes, CsvStyle style, int64_t skipped_lines)
    : style_(std::move(style)), skipped_lines_(skipped_lines) {
  if (style_.find_decimal && style_.thousands == '.') style_.decimal = ',';
  const auto* text = static_cast<const char*>(bytes->cpu(Access::read));
  check_csv_text(text, static_cast<size_t>(bytes->size), style_.quote);
  // Commas do not separate columns if they are decimal points, unless those are in quotes.
  if (style_.find_separator && style_.separator == ',' && style_.decimal == ',' &&
      !has_quoted_decimals(text, static_cast<size_t>(bytes->size), style_)) {
    style_.separator = ';';
  }
  check_csv_style(style_);
  storage_retain(bytes);
  bytes_.reset(bytes);
  pin(bytes);
  begin_ = static_cast<const char*>(bytes->cpu(Access::read));
  end_ = begin_ + bytes->size;
  start();
}

// Goes to the beginning of the table.
void CsvReader::start() {
  at_ = begin_;
  line_ = 1;
  plain_ = style_.decimal == '.' && !style_.thousands;
  comment_ = style_.comment ? style_.comment : '\n';
  other_separator_ = separates_by_runs() ? '\t' : style_.separator;
  std::fill(std::begin(ends_field_), std::end(ends_field_), false);
  for (char c : {style_.separator, other_separator_, '\n', '\r', comment_}) {
    ends_field_[static_cast<unsigned char>(c)] = true;
  }
  for (const std::string& text : style_.missing) {
    double value;
    field_ = text;
    if (parse_real(&value) && value == value) plain_ = false;
  }
  if (end_ - begin_ >= 3 && std::memcmp(begin_, "\xef\xbb\xbf", 3) == 0) at_ += 3;
  for (int64_t k = 0; k < skipped_lines_ && at_ != end_; ++k) at_ = end_of_line(at_), ++line_;
}

CsvReader::~CsvReader() { unpin(bytes_.get()); }

// Returns the position after the line that contains p.
const char* CsvReader::end_of_line(const char* p) const {
  while (p != end_ && *p != '\n' && *p != '\r') ++p;
  if (p != end_ && *p == '\r' && p + 1 != end_ && p[1] == '\n') ++p;
  return p == end_ ? p : p + 1;
}

// Skips lines of blanks and comments. Returns false at the end.
bool CsvReader::skip_to_record() {
  while (at_ != end_) {
    if (separates_by_runs()) at_ = skip_run(at_);
    const char* p = skip_blanks(at_);
    if (p != end_ && *p != '\n' && *p != '\r' && *p != comment_) return true;
    at_ = end_of_line(p);
    ++line_;
  }
  return false;
}

const char* CsvReader::skip_blanks(const char* p) const {
  while (p != end_ && is_blank(*p) && !is_separator(*p)) ++p;
  return p;
}

const char* CsvReader::skip_run(const char* p) const {
  while (p != end_ && is_separator(*p)) ++p;
  return p;
}

// A field ends at a separator, a comment or the end of the line. Inside quotes these do not count.
const char* CsvReader::end_of_field(const char* p) {
  const char* start = p;
  p = skip_blanks(p);
  if (style_.quote && p != end_ && *p == style_.quote) {
    int64_t line = line_;
    for (++p;; ++p) {
      if (p == end_) {
        line_ = line;
        const char* shown = start;
        while (!ends_field(shown)) ++shown;
        fail_at(start, shown, "begins with a quotation mark and does not end with one");
      }
      if (*p == '\n') ++line_;
      if (*p != style_.quote) continue;
      if (p + 1 == end_ || p[1] != style_.quote) break;
      ++p;
    }
    ++p;
  }
  while (!ends_field(p)) ++p;
  return p;
}

void CsvReader::unquote(const char* p, const char* end) {
  const char *first = p, *last = end;
  while (first != last && is_blank(*first)) ++first;
  while (first != last && is_blank(last[-1])) --last;
  bool quoted =
      style_.quote && last - first >= 2 && *first == style_.quote && last[-1] == style_.quote;
  if (!quoted) {
    field_.assign(p, end);
    return;
  }
  field_.clear();
  for (++first, --last; first != last; ++first) {
    field_.push_back(*first);
    if (*first == style_.quote && first + 1 != last && first[1] == style_.quote) ++first;
  }
}

// ---- fields -------------------------------------------------------------------------------------

void CsvReader::trim() {
  field_.erase(field_.find_last_not_of(" \t") + 1);
  field_.erase(0, field_.find_first_not_of(" \t"));
}

bool CsvReader::is_missing() const {
  for (const std::string& text : style_.missing) {
    if (field_ == text) return true;
  }
  return false;
}

bool CsvReader::parse_integer(int64_t* value, bool accepts_minus_zero) {
  if (style_.thousands) remove_thousands(&field_, style_.thousands);
  const char *p = field_.data(), *end = p + field_.size();
  if (p != end && *p == '+' && p + 1 != end && p[1] != '-') ++p;
  auto result = std::from_chars(p, end, *value);
  return result.ec == std::errc() && result.ptr == end &&
         (accepts_minus_zero || *value != 0 || *p != '-');
}

bool CsvReader::parse_real(double* value) {
  if (style_.thousands) remove_thousands(&field_, style_.thousands);
  if (style_.decimal != '.') {
    for (char& c : field_) c = c == style_.decimal ? '.' : c == '.' ? style_.decimal : c;
  }
  const char *p = field_.data(), *end = p + field_.size();
  if (p != end && *p == '+' && p + 1 != end && p[1] != '-') ++p;
  auto result = std::from_chars(p, end, *value);
  if (result.ptr != end || result.ptr == p) return false;
  if (result.ec == std::errc::result_out_of_range) *value = parse_extreme(field_);
  return result.ec == std::errc() || result.ec == std::errc::result_out_of_range;
}

// The slow path: numbers in quotes, with leading blanks or plus signs, missing values, and text.
const char* CsvReader::read_slowly(Column& column, Column& target, const char* p) {
  const int64_t line = line_;
  const char* end = end_of_field(p);
  auto fail_here = [&](const char* what) {
    line_ = line;  // a field may have line breaks
    fail_at(p, end, what);
  };
  if (column.kind == CsvKind::none) return end;
  if (column.kind == CsvKind::text) {
    target.add<int64_t>(p - begin_);
    target.add<int64_t>(end - begin_);
    return end;
  }
  unquote(p, end);
  trim();
  int64_t integer;
  double real = kNaN;
  bool missing = is_missing();
  if (column.kind != CsvKind::real) {
    if (!missing && parse_integer(&integer, column.fixed)) {
      target.add(integer);
      return end;
    }
    if (column.fixed) fail_here("is not an integer");
  }
  if (!missing && !parse_real(&real)) {
    const bool among_numbers = column.fixed || target.has_number();
    if (!among_numbers || (style_.invalid == CsvInvalid::text && !column.fixed)) {
      // The previous rows have to be read again, as text.
      column.kind = CsvKind::none;
      again_ = true;
      return end;
    }
    if (style_.invalid != CsvInvalid::nan) {
      const bool has_options = has_other_number_style(field_);
      fail_here(has_options    ? "is not a number: the options decimal and thousands say how to "
                                 "read it"
                : together_    ? "is not a number: the options missing and invalid say how to read "
                                 "it, and columns = true reads text"
                : column.fixed ? "is not a number"
                               : "is not a number, but values above it are: the options missing, "
                                 "invalid and types say how to read it");
    }
    real = kNaN;
  }
  if (column.kind != CsvKind::real) target.make_real();
  target.add(real);
  return end;
}

// The fast path: a number that ends where its field ends.
inline const char* CsvReader::read_field(Column& column, Column& target, const char* p) {
  if (!plain_) return read_slowly(column, target, p);
  if (column.kind == CsvKind::real) {
    double value;
    const char* end = parse_short(p, end_, &value);
    if (end && ends_field(end)) {
      target.add(value);
      return end;
    }
    auto result = std::from_chars(p, end_, value);
    if (result.ec == std::errc() && ends_field(result.ptr)) {
      // "nan" may be a missing value or text, so use the slow path.
      if (value == value) {
        target.add(value);
        return result.ptr;
      }
    }
  } else if (column.kind == CsvKind::integer) {
    int64_t value;
    auto result = std::from_chars(p, end_, value);
    if (result.ec == std::errc() && ends_field(result.ptr) && !(value == 0 && *p == '-')) {
      target.add(value);
      return result.ptr;
    }
  }
  return read_slowly(column, target, p);
}

// ---- records ------------------------------------------------------------------------------------

void CsvReader::read_head(Head head) {
  const char* first = read_first_record(head);
  CsvStyle other = style_;
  const auto size = static_cast<size_t>(end_ - first);
  if (!style_.find_separator || !find_csv_separator(first, size, &other)) return;
  std::swap(style_, other);
  start();
  read_first_record(head);
  if (columns_ > 1) return;
  std::swap(style_, other);
  start();
  read_first_record(head);
}

const char* CsvReader::read_first_record(Head head) {
  first_record_ = nullptr;
  columns_ = 0;
  names_.clear();
  fields_.clear();
  if (!skip_to_record()) fail("there is no line in it");
  const char* const first = first_record_ = at_;
  first_line_ = line_;
  bool numbers = true;
  for (const char* p = at_;;) {
    const char* end = end_of_field(p);
    unquote(p, end);
    trim();
    names_.push_back(field_);
    double value;
    numbers = numbers && (is_missing() || parse_real(&value));
    column_ = ++columns_;
    p = end;
    if (!skip_separator(&p)) {
      at_ = end_of_line(p);
      ++line_;
      break;
    }
  }
  column_ = 0;
  if (head == Head::yes || (head == Head::found_out && !numbers)) {
    first_record_ = at_;
    first_line_ = line_;
  } else {
    names_.clear();
  }
  return first;
}

void CsvReader::begin(const std::vector<CsvKind>& kinds, bool together, int64_t most_rows) {
  if (!first_record_ || kinds.size() != columns_)
    fail("%zu types for %zu columns", kinds.size(), columns_);
  together_ = together;
  most_rows_ = most_rows;
  at_ = first_record_;
  line_ = first_line_;
  rows_ = 0;
  again_ = false;
  // Assume that records are about as long as the first one. Each record contains at least its
  // separators.
  int64_t left = end_ - at_, length = std::max<int64_t>(end_of_line(at_) - at_, 1);
  auto count = static_cast<int64_t>(columns_);
  int64_t expected = std::min(left / length + left / length / 16 + 1, left / count + 1);
  expected = std::min(expected, most_rows) + 1;
  std::vector<Column> fields(columns_);
  DType type = DType::Double;
  for (size_t k = 0; k < columns_; ++k) {
    Column& field = fields[k];
    field.fixed = kinds[k] != CsvKind::any;
    field.kind = field.fixed ? kinds[k] : CsvKind::integer;
    bool is_real = field.kind == CsvKind::real;
    if (together && field.kind == CsvKind::integer) type = DType::Long;
    if (together || field.kind == CsvKind::none) continue;
    field.start(is_real ? DType::Double : DType::Long,
                field.kind == CsvKind::text ? 2 * expected : expected);
  }
  if (together) all_.start(type, expected * count);
  fields_.swap(fields);
}

const char* CsvReader::read_record() {
  const char* p = at_;
  for (column_ = 0; column_ < columns_; ++column_) {
    Column& column = fields_[column_];
    p = read_field(column, together_ ? all_ : column, p);
    bool more = skip_separator(&p);
    if (more != (column_ + 1 < columns_)) {
      size_t count = column_ + 1;
      for (; more; ++count, more = skip_separator(&p)) p = end_of_field(p);
      fail("line %lld has %zu fields, and %zu are expected", as_long(line_), count, columns_);
    }
  }
  ++line_;
  return p == end_ ? p : end_of_line(p);
}

bool CsvReader::run(int64_t bytes) {
  if (!first_record_ || fields_.size() != columns_) fail("the columns have no types yet");
  const char* stop = end_ - at_ > bytes ? at_ + bytes : end_;
  while (rows_ < most_rows_) {
    if (!skip_to_record()) break;
    if (at_ >= stop) return false;
    at_ = read_record();
    ++rows_;
  }
  if (!again_ && !find_bad_first_fields()) return true;
  // Start again, with the columns that are not numeric as text.
  std::vector<CsvKind> kinds;
  std::vector<bool> found_text;
  for (Column& field : fields_) {
    bool became_text = !field.fixed && field.kind == CsvKind::none;
    found_text.push_back(became_text || field.found_text);
    kinds.push_back(became_text ? CsvKind::text : field.fixed ? field.kind : CsvKind::any);
  }
  begin(kinds, together_, most_rows_);
  for (size_t k = 0; k < columns_; ++k) fields_[k].found_text = found_text[k];
  return false;
}

StorageRef CsvReader::numbers(size_t column) {
  Column& field = together_ ? all_ : fields_.at(column);
  if (!field.storage) fail("nothing was read of column %zu", column + 1);
  at_ = end_;  // stop reading, since the storage is given away
  // Keep at least one element, because an empty storage cannot have a tensor.
  storage_resize(field.storage.get(), std::max<int64_t>(field.count, 1));
  return std::move(field.storage);
}

const std::string& CsvReader::text(size_t column, int64_t row) {
  auto* range = reinterpret_cast<const int64_t*>(fields_.at(column).data) + 2 * row;
  unquote(begin_ + range[0], begin_ + range[1]);
  return field_;
}

}  // namespace th
