#ifndef TH_BASE_NUMERIC_LOCALE_H
#define TH_BASE_NUMERIC_LOCALE_H

#include <locale.h>

namespace th {

// While an object of this class lives, the calling thread formats and parses numbers in the C
// locale (with a decimal point), whatever locale the program has set.
class NumericLocale {
 public:
  NumericLocale() noexcept : before_(uselocale(of_c())) {}
  ~NumericLocale() { uselocale(before_); }
  NumericLocale(const NumericLocale&) = delete;
  NumericLocale& operator=(const NumericLocale&) = delete;

 private:
  static locale_t of_c() noexcept {
    static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
    return c;
  }
  locale_t before_;
};

}  // namespace th

#endif
