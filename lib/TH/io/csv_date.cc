// Dates in columns of text, by ISO 8601: 2026-11-23, 2026-11-23 10:30, 2026-11-23T10:30:00.5Z and
// 2026-11-23T10:30:00+02:00.

#include <limits>

#include "io/ascii.h"
#include "io/csv.h"

namespace th {

namespace {

// Reads parts of a text. Each function returns false, and does not advance, if the part is missing.
class Parts {
 public:
  explicit Parts(const std::string& text) : at_(text.data()), end_(at_ + text.size()) {
    while (at_ != end_ && is_ascii_space(*at_)) ++at_;
    while (at_ != end_ && is_ascii_space(end_[-1])) --end_;
  }
  bool is_done() const { return at_ == end_; }
  bool skip(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool read_digits(int count, int* number) {
    if (end_ - at_ < count) return false;
    int value = 0;
    for (int k = 0; k < count; ++k) {
      if (at_[k] < '0' || at_[k] > '9') return false;
      value = 10 * value + (at_[k] - '0');
    }
    at_ += count;
    *number = value;
    return true;
  }
  // Reads the digits after a decimal point; there may be none. More than 18 digits do not change
  // the time, and would overflow.
  double read_fraction() {
    constexpr double kMost = 1e18;
    double value = 0, unit = 1;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      if (unit == kMost) continue;
      value = 10 * value + (*at_ - '0');
      unit *= 10;
    }
    return value / unit;
  }

 private:
  const char *at_, *end_;
};

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March, so
// that leap days are last.
int64_t days_of(int year, int month, int day) {
  const int y = month > 2 ? year : year - 1, shifted = (month + 9) % 12;
  const int era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  const int of_year = (153 * shifted + 2) / 5 + day - 1;
  return int64_t{era} * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool read_date(Parts& parts, double* seconds) {
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year, month, day;
  if (!parts.read_digits(4, &year) || !parts.skip('-') || !parts.read_digits(2, &month) ||
      !parts.skip('-') || !parts.read_digits(2, &day) || month < 1 || month > 12) {
    return false;
  }
  const int length = kLengths[month - 1] + (month == 2 && is_leap(year));
  if (day < 1 || day > length) return false;
  *seconds = static_cast<double>(days_of(year, month, day) * 86400);
  return true;
}

bool read_time(Parts& parts, double* seconds) {
  int hour, minute, second = 0;
  double fraction = 0;
  if (!parts.read_digits(2, &hour) || !parts.skip(':') || !parts.read_digits(2, &minute) ||
      hour > 23 || minute > 59) {
    return false;
  }
  if (parts.skip(':')) {
    if (!parts.read_digits(2, &second) || second > 60) return false;
    if (parts.skip('.')) fraction = parts.read_fraction();
  }
  *seconds += hour * 3600 + minute * 60 + second + fraction;
  return true;
}

// A time without a zone is UTC.
bool read_zone(Parts& parts, double* seconds) {
  if (parts.is_done() || parts.skip('Z')) return true;
  const bool east = parts.skip('+');
  int hours, minutes;
  if ((!east && !parts.skip('-')) || !parts.read_digits(2, &hours)) return false;
  parts.skip(':');
  if (!parts.read_digits(2, &minutes) || hours > 23 || minutes > 59) return false;
  *seconds += (east ? -60 : 60) * (hours * 60 + minutes);
  return true;
}

bool parse_date(const std::string& text, double* seconds) {
  Parts parts(text);
  if (!read_date(parts, seconds)) return false;
  if (parts.is_done()) return true;
  return (parts.skip('T') || parts.skip(' ')) && read_time(parts, seconds) &&
         read_zone(parts, seconds) && parts.is_done();
}

}  // namespace

StorageRef CsvReader::dates(size_t column) {
  StorageRef result(storage_new(DType::Double, rows_));
  auto* to = static_cast<double*>(result->cpu(Access::overwrite));
  for (int64_t row = 0; row < rows_; ++row) {
    const std::string& field = text(column, row);
    if (!is_missing() && parse_date(field, &to[row])) continue;
    if (!is_missing() && style_.invalid != CsvInvalid::nan) {
      const auto* ranges = reinterpret_cast<const int64_t*>(fields_.at(column).data);
      fail_at_earlier(begin_ + ranges[2 * row], column,
                      "is not a date, as 2026-11-23 or 2026-11-23T10:30:00");
    }
    to[row] = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

}  // namespace th
