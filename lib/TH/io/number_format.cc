#include "io/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace th {

namespace {

// The number of decimal digits before the point: at most 0 for values below 1, and 1 for zero.
double digits_of(double value) { return value == 0 ? 1 : std::floor(std::log10(value)) + 1; }

}  // namespace

std::string NumberFormat::text(const PrintedNumber& number) const {
  char text[400] = "nan";  // C libraries differ in how they print the sign of NaN.
  char *end = text + 3, *const limit = text + sizeof(text);
  const double value = scale == 1 ? number.value : number.value / scale;
  if (!std::isnan(value)) {
    if (is_exact && letter != 'e') {
      end = std::to_chars(text, limit, number.exact).ptr;
    } else if (letter == 'd') {
      end = std::to_chars(text, limit, static_cast<int64_t>(value)).ptr;
    } else {
      const auto form = letter == 'e' ? std::chars_format::scientific : std::chars_format::fixed;
      end = std::to_chars(text, limit, value, form, precision).ptr;
    }
  }
  const auto size = static_cast<size_t>(end - text), columns = static_cast<size_t>(width);
  std::string padded(size < columns ? columns - size : 0, ' ');
  return padded.append(text, size);
}

void NumberSummary::add(double value) {
  const double size = std::fabs(value);
  const bool is_number = std::isfinite(value);
  if (is_number || options_.torch7NonFinite) {
    if (size < min_) min_ = size;
    if (size > max_) max_ = size;
  }
  has_nan_ = has_nan_ || std::isnan(value);
  if (!is_number) {
    finite_ = false;
  } else if (integral_ && value != std::floor(value)) {
    integral_ = false;
  }
}

// The format if min_ and max_ are known.
NumberFormat NumberSummary::of_numbers() const {
  const int precision = options_.precision;
  const double first = digits_of(min_), last = digits_of(max_);
  // printf writes exponents from 100 on with three digits. Torch7 adds no column for infinity among
  // integers.
  const bool huge = last > 100 && !(integral_ && std::isinf(last));
  const bool long_exponent = options_.torch7Integers
                                 ? !integral_ && std::max(std::fabs(first), std::fabs(last)) > 99
                                 : huge || first < -98 || last < -98;
  NumberFormat format;
  format.is_exact = is_exact_;
  format.letter = 'e';
  format.width = 7 + precision + (long_exponent ? 1 : 0);
  format.precision = precision;
  if (integral_) {
    const bool plain = !options_.torch7Integers && last <= 19;
    if (last <= 9 || plain) {
      format.letter = plain ? 'f' : 'd';
      format.width = static_cast<int>(last) + 1;
      format.precision = 0;
    }
  } else if (last - first <= 4) {
    if (last >= 0 && last <= 5) {
      format.letter = 'f';
      format.width = (last == 0 ? 1 : static_cast<int>(last)) + 2 + precision;
    } else if (last > -306) {
      // For smaller numbers the scale would be denormal, and the division inexact.
      format.letter = 'f';
      format.width = 3 + precision;
      format.scale = std::pow(10.0, last - 1);
    }
  }
  return format;
}

NumberFormat NumberSummary::format() const {
  constexpr int kNonFinite = 4;  // columns of "-inf"
  NumberFormat format;
  if (finite_ || (options_.torch7NonFinite && !has_nan_)) return of_numbers();
  if (options_.torch7NonFinite) {
    format.precision = 6;
  } else if (std::isinf(min_)) {
    format.width = kNonFinite;
  } else {
    format = of_numbers();
    format.width = std::max(format.width, kNonFinite);
    if (format.letter == 'd') format.letter = 'f';
  }
  return format;
}

}  // namespace th
