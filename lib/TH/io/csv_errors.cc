// Errors of the CSV reader, which name the line and the column.

#include <algorithm>

#include "base/error.h"
#include "io/csv.h"

namespace th {

void CsvReader::fail_at(const char* p, const char* end, const char* what) {
  constexpr ptrdiff_t kShown = 40;
  const char* name = column_ < names_.size() ? names_[column_].c_str() : "";
  fail("line %lld, column %zu%s%.60s%s: '%.*s' %s", static_cast<long long>(line_), column_ + 1,
       *name ? " (" : "", name, *name ? ")" : "", static_cast<int>(std::min(end - p, kShown)), p,
       what);
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

}  // namespace th
