#ifndef TH_CPU_LINALG_H
#define TH_CPU_LINALG_H

// Helpers of the calls of backend/linalg_call.h on the CPU. info: for each matrix, 0 or LAPACK's
// info. They throw only if memory runs out or a work space exceeds LAPACK's integers.

#include <climits>

#include "backend/linalg_call.h"

namespace th::linalg {

// Returns the first matrix, starting with `first`, that contains NaN or infinity; -1: none.
int64_t find_not_finite(const Matrices& a, Part part = Part::all, int64_t first = 0);
void clear(const Matrices& a);
void fill_identity(const Matrices& a);
void clear_outside(const Matrices& a, Part part);  // set elements outside of the triangle to 0
void mirror(const Matrices& a, Part part);         // copy the transposed triangle to the other side

// LU factorization; pivots has count x rows elements, from 1. With exponents, the
// factors are those of matrix k times 2^exponents[k]: matrices of more than a few rows are
// scaled if their elements are so large or small that products may overflow.
void lu(const Matrices& a, bool pivot, int* pivots, int* info, int* exponents = nullptr);

// Returns true if gesdd can compute vectors of matrices whose smaller side is n: the size of its
// work space must fit into int.
inline bool has_divide_and_conquer(int n) { return 4.0 * n * n + 7.0 * n < INT_MAX; }

// Computes the singular values in descending order. all: u and vt are square, else they have
// min(rows, cols) vectors. If u.data is null, no vectors are computed. Uses divide and conquer; if
// that does not converge or its work space is too large, or if slow is set, QR iteration.
void svd(const Matrices& a, bool all, const Matrices& u, char* values, const Matrices& vt,
         int* info, bool slow = false);

}  // namespace th::linalg

#endif
