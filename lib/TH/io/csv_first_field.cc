// Columns of numbers that begin with a field that is not one.

#include "io/csv.h"

#include "base/error.h"

namespace th {

// Returns true if the first field of a column of text is the only one that is not a number, and at
// least two are numbers. Then at_ is that field. Most columns of text end the loop early.
bool CsvReader::is_first_field_bad(const Column& column) {
  int64_t numbers = 0, first = -1;
  const auto* ranges = reinterpret_cast<const int64_t*>(column.data);
  for (int64_t row = 0; row < rows_; ++row) {
    unquote(begin_ + ranges[2 * row], begin_ + ranges[2 * row + 1]);
    trim();
    double value;
    if (is_missing()) continue;
    if (parse_real(&value)) {
      ++numbers;
    } else if (first < 0) {
      first = row;
    } else {
      return false;
    }
  }
  if (numbers < 2) return false;
  at_ = begin_ + ranges[2 * first];
  return true;
}

// A bad field makes its column text if it is the first one. Raises the error for it, or makes the
// column numeric if the style requests NaN. Returns true if the columns have to be read again.
bool CsvReader::find_bad_first_fields() {
  if (style_.invalid == CsvInvalid::text) return false;
  bool found = false;
  const char* end = at_;
  for (column_ = 0; column_ < columns_; ++column_) {
    Column& column = fields_[column_];
    if (!column.found_text || !is_first_field_bad(column)) continue;
    if (style_.invalid == CsvInvalid::error) {
      fail_at_earlier(at_, column_,
                      "is not a number, but the values below it are: the options missing, invalid "
                      "and types say how to read it");
    }
    column.kind = CsvKind::real;
    column.fixed = found = true;
    column.found_text = false;
  }
  at_ = end;
  return found;
}

}  // namespace th
