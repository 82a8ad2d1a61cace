#ifndef TENSOR_TEST_AMOUNT_H
#define TENSOR_TEST_AMOUNT_H

// Selects some of many cases.

#include <cstdint>

// Returns true except for every step-th number. Nested loops over types, shapes and layouts number
// their cases and test every step-th one. If step has no divisor in common with the lengths of the
// loops, each pair of a type, a shape and a layout occurs in some case.
inline bool left_out(int64_t number, int64_t step = 7) { return number % step != 0; }

#endif
