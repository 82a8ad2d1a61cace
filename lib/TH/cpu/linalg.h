#ifndef TH_CPU_LINALG_H
#define TH_CPU_LINALG_H

// Linear algebra on batches of matrices in host memory, by LAPACK; Float and Double. What fails
// says so by LAPACK's info, one for each matrix: 0 where all went well. Throws only where there is
// no memory, or a work space would be larger than LAPACK can be told.

#include <climits>
#include <cstdint>

#include "tensor/dtype.h"

namespace th::linalg {

// Element (i, j) of matrix k is data[k * step + i + j * ld], counted in elements.
struct Matrices {
  DType dtype;
  char* data;
  int64_t count, step;
  int rows, cols, ld;
};

// The part of a matrix that an operation reads; U and L as in LAPACK, with the diagonal.
enum class Part : char { all = 'A', upper = 'U', lower = 'L' };

// The first matrix, from that one on, with an element that is NaN or infinite; -1: there is none.
int64_t find_not_finite(const Matrices& a, Part part = Part::all, int64_t first = 0);
void clear(const Matrices& a);
void fill_identity(const Matrices& a);
void clear_outside(const Matrices& a, Part part);  // 0 beside the triangle
void mirror(const Matrices& a, Part part);         // the triangle's transpose beside it

// ---- LU: pivots are count x rows, from 1
void lu(const Matrices& a, bool pivot, int* pivots, int* info);
void lu_solve(const Matrices& lu, char trans, int* pivots, const Matrices& b);
// The first of the pivots that is no row; -1: there is none.
int64_t find_wrong_pivot(const int* pivots, const Matrices& lu);
// As LAPACK's info, the first element 0 on each diagonal of U.
void find_zero_pivots(const Matrices& lu, int* info);
void lu_invert(const Matrices& lu, int* pivots, int* info);
// Of each matrix's determinant, unless null: the sign, the logarithm of the absolute value, the
// determinant itself, and its logarithm. All are NaN of matrices that are not finite.
struct Determinants {
  char *sign, *logarithm, *value, *value_logarithm;
};
void lu_determinant(const Matrices& lu, const int* pivots, const bool* finite,
                    const Determinants& results);

// ---- Cholesky
void cholesky(const Matrices& a, char uplo, int* info);
void cholesky_invert(const Matrices& a, char uplo, int* info);
// Of one matrix; returns its rank.
int cholesky_pivoted(const Matrices& a, char uplo, double tolerance, int* pivots);

// ---- triangles, least squares: b's rows hold the larger of the equations and the unknowns
void triangular_solve(const Matrices& a, char uplo, char trans, char diag, const Matrices& b,
                      int* info);
void least_squares(const Matrices& a, const Matrices& b, int* info);
// By singular values, of which those up to rcond times the largest count as 0.
void least_squares_by_svd(const Matrices& a, const Matrices& b, char* values, double rcond,
                          int64_t* rank, int* info);
// Sums of squares of b's columns from row first on.
void column_squares(const Matrices& b, int first, char* sums);

// ---- QR, of one matrix
void qr(const Matrices& a, char* tau);
void make_q(const Matrices& a, int reflectors, char* tau);
void multiply_by_q(const Matrices& a, char side, char trans, int reflectors, char* tau,
                   const Matrices& c);

// ---- eigenvalues and singular values
// Ascending values, count x rows; a becomes the vectors where they are wanted.
void eigen_symmetric(const Matrices& a, bool vectors, char uplo, char* values, int* info);
// Of one matrix: real parts of the values, then imaginary ones. Without vectors v.data is null.
void eigen(const Matrices& a, char* values, const Matrices& v, int* info);
// Descending values; a is used up. all: u and vt are square; else of min(rows, cols) vectors.
// Without vectors u.data is null. By divide and conquer, and where that does not converge, or the
// matrices are to be `slow`, by QR steps.
void svd(const Matrices& a, bool all, const Matrices& u, char* values, const Matrices& vt,
         int* info, bool slow = false);
// How many of each matrix's n values are above limit, or above rcond times the largest.
void count_above(DType dtype, const char* values, int64_t count, int n, double limit, double rcond,
                 int64_t* above);
// r = v diag(1 / s) u' of u and vt; of values up to rcond times the largest nothing is taken.
void multiply_pseudoinverse(const Matrices& u, const char* values, const Matrices& vt, double rcond,
                            const Matrices& r);

}  // namespace th::linalg

#endif
