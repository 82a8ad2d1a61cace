// Errors of the CSV reader, which name the line and the column.

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/csv.h"

namespace th {

void CsvReader::fail_at(const char* p, const char* end, const char* what) {
  constexpr ptrdiff_t kShown = 40;
  const char* name = column_ < names_.size() ? names_[column_].c_str() : "";
  fail("line %lld, column %zu%s%.60s%s: '%.*s' %s", as_long(line_), column_ + 1, *name ? " (" : "",
       name, *name ? ")" : "", static_cast<int>(std::min(end - p, kShown)), p, what);
}

void CsvReader::fail_at_earlier(const char* p, size_t column, const char* what) {
  line_ = 1;
  for (const char* q = end_of_line(begin_); q <= p && q != end_; q = end_of_line(q)) ++line_;
  column_ = column;
  const int64_t line = line_;
  const char* end = end_of_field(p);
  line_ = line;  // a field may have line breaks
  fail_at(p, end, what);
}

void CsvReader::fail_out_of_range(size_t column, int64_t index, DType type) {
  int64_t row = index;
  if (together_) {  // the elements of a row follow one another
    std::vector<size_t> read;
    for (size_t k = 0; k < columns_; ++k) {
      if (fields_[k].kind != CsvKind::none) read.push_back(k);
    }
    const auto count = static_cast<int64_t>(read.size());
    row = index / count;
    column = read[static_cast<size_t>(index % count)];
  }
  at_ = first_record_;
  line_ = first_line_;
  skip_to_record();
  for (; row > 0; --row) {
    const char* p = at_;
    do p = end_of_field(p);
    while (skip_separator(&p));
    at_ = p == end_ ? p : end_of_line(p);
    ++line_;
    skip_to_record();
  }
  const char* p = at_;
  for (column_ = 0; column_ < column; ++column_) {
    p = end_of_field(p);
    skip_separator(&p);
  }
  const int64_t line = line_;
  const char* end = end_of_field(p);
  line_ = line;  // a field may have line breaks
  fail_at(p, end, (std::string("is out of the range of ") + name(type) + "Tensor").c_str());
}

}  // namespace th
