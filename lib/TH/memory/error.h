#ifndef TH_MEMORY_ERROR_H
#define TH_MEMORY_ERROR_H

#include <cstdarg>
#include <cstdint>
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
  // Found by a device in an operation before this one, which the text names.
  bool is_late() const noexcept { return late_; }
  void set_late() noexcept { late_ = true; }

 private:
  int argument_;
  bool late_ = false;
  char text_[kLength];
};

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void fail_argument(int argument, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// How messages of the calling thread count a dimension, an index or a position that was given from
// 0, or from the end: from 1, and from 0 for C.
long long shown(int64_t given) noexcept;

}  // namespace TH_VISIBLE

namespace th {

extern __thread int64_t shown_base __attribute__((tls_model("initial-exec")));

// While one lives, messages are for C.
class CountFromZero {
 public:
  CountFromZero() noexcept : before_(shown_base) { shown_base = 0; }
  ~CountFromZero() { shown_base = before_; }
  CountFromZero(const CountFromZero&) = delete;
  CountFromZero& operator=(const CountFromZero&) = delete;

 private:
  int64_t before_;
};

}  // namespace th

#endif
