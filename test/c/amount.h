#ifndef TENSOR_TEST_AMOUNT_H
#define TENSOR_TEST_AMOUNT_H

// How many cases there are.

#include <cstdint>
#include <cstdlib>

// Sanitizer and emulator builds run fewer cases: they set TH_TEST_FEW in the environment.
inline bool few_cases() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  static const bool few = std::getenv("TH_TEST_FEW") != nullptr;
  return few;
#endif
}

// Such builds run every third of numbered cases, because the faults that they find do not depend on
// testing every layout with every element type. Longer lists choose their own step. It must have no
// common divisor with the lengths of the loops, so that all combinations of parameters occur.
inline bool left_out(int64_t number, int64_t step = 1, int64_t step_of_few = 3) {
  return number % (few_cases() ? step_of_few : step) != 0;
}

#endif
