#ifndef TENSOR_TEST_AMOUNT_H
#define TENSOR_TEST_AMOUNT_H

// How many cases there are.

#include <cstdint>
#include <cstdlib>

// What sanitizers and emulators have: TH_TEST_FEW in the environment.
inline bool few_cases() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  static const bool few = std::getenv("TH_TEST_FEW") != nullptr;
  return few;
#endif
}

// Of cases with numbers that count up, these see every third: what they look for does not depend on
// having every layout with every element type. Longer lists say their own steps; one that has no
// divisor in common with the lengths of the loops meets everything with everything else.
inline bool left_out(int64_t number, int64_t step = 1, int64_t step_of_few = 3) {
  return number % (few_cases() ? step_of_few : step) != 0;
}

#endif
