#ifndef TH_MEMORY_ERROR_H
#define TH_MEMORY_ERROR_H

#include <cstdarg>
#include <exception>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

// An error on its way to the C boundary. The text lives inside, so that copying cannot fail.
class Error : public std::exception {
 public:
  static constexpr int kLength = 512;

  Error(int argument, const char* format, va_list values) noexcept;
  const char* what() const noexcept override { return text_; }
  // 1-based number of the C argument at fault, 0 where none is.
  int argument() const noexcept { return argument_; }

 private:
  int argument_;
  char text_[kLength];
};

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void fail_argument(int argument, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

}  // namespace TH_VISIBLE

#endif
