#ifndef TH_CPU_LINALG_H
#define TH_CPU_LINALG_H

// Linear algebra on batches of matrices in host memory, by LAPACK, for Float and Double. Failures
// are reported as LAPACK's info, one for each matrix; 0 is success. Throws only if memory runs out
// or a work space exceeds LAPACK's integers.

#include <climits>
#include <cstdint>

#include "tensor/dtype.h"

namespace th::linalg {

// Element (i, j) of matrix k is data[k * step + i + j * ld]; step and ld are in elements.
struct Matrices {
  DType dtype;
  char* data;
  int64_t count, step;
  int rows, cols, ld;
};

// The part of a matrix that an operation reads, with LAPACK's letters. Triangles include the
// diagonal.
enum class Part : char { all = 'A', upper = 'U', lower = 'L' };

// Returns the first matrix, starting with `first`, that contains NaN or infinity; -1: none.
int64_t find_not_finite(const Matrices& a, Part part = Part::all, int64_t first = 0);
void clear(const Matrices& a);
void fill_identity(const Matrices& a);
void clear_outside(const Matrices& a, Part part);  // set elements outside of the triangle to 0
void mirror(const Matrices& a, Part part);         // copy the transposed triangle to the other side

// ---- LU: pivots has count x rows elements, from 1
void lu(const Matrices& a, bool pivot, int* pivots, int* info);
void lu_solve(const Matrices& lu, char trans, int* pivots, const Matrices& b);
// Returns the position of the first pivot that is not a valid row; -1: none.
int64_t find_wrong_pivot(const int* pivots, const Matrices& lu);
// Writes, like LAPACK's info, the position of the first 0 on the diagonal of each U.
void find_zero_pivots(const Matrices& lu, int* info);
void lu_invert(const Matrices& lu, int* pivots, int* info);
// Results for each matrix, unless null: sign and logarithm of the absolute value of the
// determinant, the determinant, and its logarithm. All are NaN for matrices that are not finite.
struct Determinants {
  char *sign, *logarithm, *value, *value_logarithm;
};
void lu_determinant(const Matrices& lu, const int* pivots, const bool* finite,
                    const Determinants& results);

// ---- Cholesky
void cholesky(const Matrices& a, char uplo, int* info);
void cholesky_invert(const Matrices& a, char uplo, int* info);
// For a single matrix; returns its rank.
int cholesky_pivoted(const Matrices& a, char uplo, double tolerance, int* pivots);

// ---- triangular systems and least squares: b has max(equations, unknowns) rows
void triangular_solve(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                      int* info);
void least_squares(const Matrices& a, const Matrices& b, int* info);
// By singular values; those up to rcond times the largest count as 0.
void least_squares_by_svd(const Matrices& a, const Matrices& b, char* values, double rcond,
                          int64_t* rank, int* info);
// Computes the sums of squares of b's columns, starting with row `first`.
void column_squares(const Matrices& b, int first, char* sums);

// ---- QR, for a single matrix
void qr(const Matrices& a, char* tau);
void make_q(const Matrices& a, int reflectors, char* tau);
void multiply_by_q(const Matrices& a, char side, char trans, int reflectors, char* tau,
                   const Matrices& c);

// ---- eigenvalues and singular values
// Computes the eigenvalues in ascending order, count x rows. If vectors is set, a is replaced by
// the eigenvectors.
void eigen_symmetric(const Matrices& a, bool vectors, char uplo, char* values, int* info);
// For a single matrix: real parts of the eigenvalues, then imaginary parts. If v.data is null, no
// vectors are computed.
void eigen(const Matrices& a, char* values, const Matrices& v, int* info);
// Computes the singular values in descending order; destroys a. all: u and vt are square, else they
// have min(rows, cols) vectors. If u.data is null, no vectors are computed. Uses divide and
// conquer; if that does not converge, or if slow is set, QR iteration.
void svd(const Matrices& a, bool all, const Matrices& u, char* values, const Matrices& vt,
         int* info, bool slow = false);
// Counts the values of each matrix that exceed limit, or rcond times the largest value.
void count_above(DType dtype, const char* values, int64_t count, int n, double limit, double rcond,
                 int64_t* above);
// r = v * diag(1 / s) * u' for u and vt. Values up to rcond times the largest contribute 0.
void multiply_pseudoinverse(const Matrices& u, const char* values, const Matrices& vt, double rcond,
                            const Matrices& r);

}  // namespace th::linalg

#endif
