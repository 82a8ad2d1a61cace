#ifndef TH_BASE_ERROR_H
#define TH_BASE_ERROR_H

#include <cstdarg>
#include <cstdint>
#include <exception>

#include "base/visibility.h"

namespace th TH_VISIBLE {

// The exception that is converted to an error at the C boundary. The text is stored inline, so that
// copying cannot fail.
class Error : public std::exception {
 public:
  static constexpr int kLength = 512;

  Error(int argument, const char* format, va_list values) noexcept;
  const char* what() const noexcept override { return text_; }
  // Position of the invalid C argument, from 1; 0: none.
  int argument() const noexcept { return argument_; }

 private:
  int argument_;
  char text_[kLength];
};

// The error of an operation that ran out of memory of a device after it had written a part of its
// results. Garbage has been collected since, so the operation may succeed if it is repeated.
class InterruptedError : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
[[noreturn]] void fail_argument(int argument, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
[[noreturn]] void fail_interrupted(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Converts a dimension, index or position that counts from 0 (or from the end) to the base that
// messages of the calling thread use: 1, or 0 in C functions.
long long shown(int64_t number) noexcept;
// Converts a number for %lld in messages.
inline long long as_long(int64_t number) { return static_cast<long long>(number); }

}  // namespace TH_VISIBLE

namespace th {

extern __thread int64_t shown_base __attribute__((tls_model("initial-exec")));

// While an object of this class lives, messages of the thread count from `base`: 0 for C callers.
class CountFrom {
 public:
  explicit CountFrom(int64_t base) noexcept : before_(shown_base) { shown_base = base; }
  ~CountFrom() { shown_base = before_; }
  CountFrom(const CountFrom&) = delete;
  CountFrom& operator=(const CountFrom&) = delete;

 private:
  int64_t before_;
};

}  // namespace th

#endif
