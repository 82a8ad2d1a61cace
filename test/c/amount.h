#ifndef TENSOR_TEST_AMOUNT_H
#define TENSOR_TEST_AMOUNT_H

// How many cases there are.

#include <cstdint>

// Of cases with numbers that count up, sanitizers see every third: what they look for does not
// depend on having every layout with every element type. Longer lists say their own steps; one that
// has no divisor in common with the lengths of the loops meets everything with everything else.
inline bool left_out(int64_t number, [[maybe_unused]] int64_t step = 1,
                     [[maybe_unused]] int64_t step_of_sanitizers = 3) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return number % step_of_sanitizers != 0;
#else
  return number % step != 0;
#endif
}

#endif
