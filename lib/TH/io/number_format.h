#ifndef TH_IO_NUMBER_FORMAT_H
#define TH_IO_NUMBER_FORMAT_H

// The common format of the numbers of a printed tensor.

#include <cstdint>
#include <limits>
#include <string>

#include "THPrint.h"

namespace th {

// A number that is printed: an element as a double, and exactly if it is a 64-bit integer.
struct PrintedNumber {
  double value;
  int64_t exact;
};

struct NumberFormat {
  char letter = 'f';  // 'd' (a small integer), 'f' or 'e', as for printf
  int width = 0;      // 0: the width depends on the number
  int precision = 0;
  double scale = 1;       // the numbers are divided by it
  bool is_exact = false;  // integers are printed from PrintedNumber::exact

  std::string text(const PrintedNumber& number) const;
};

// Collects what determines the format: range, finiteness, integrality.
class NumberSummary {
 public:
  // is_exact: the numbers are 64-bit integers.
  NumberSummary(const THPrintOptions& options, bool is_exact)
      : options_(options), is_exact_(is_exact) {}
  void add(double value);
  NumberFormat format() const;

 private:
  NumberFormat of_numbers() const;

  const THPrintOptions& options_;
  bool is_exact_;
  bool integral_ = true, finite_ = true, has_nan_ = false;
  double min_ = std::numeric_limits<double>::infinity(), max_ = 0;  // of absolute values
};

}  // namespace th

#endif
