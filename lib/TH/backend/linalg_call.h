#ifndef TH_BACKEND_LINALG_CALL_H
#define TH_BACKEND_LINALG_CALL_H

// Linear algebra on batches of column-major matrices of type Float or Double.
//
// info is a result of one int for each matrix. 0: success. Positive: the failure, as described at
// each routine. -k: operand k contains NaN or infinity, where 1 is a, 2 is b and 3 is tau. Then
// nothing has been computed.

#include <cstdint>
#include <limits>

#include "tensor/dtype.h"

namespace th {

// Element (i, j) of matrix k is data[k * step + i + j * ld]; step and ld are in elements.
struct Matrices {
  DType dtype;
  char* data;
  int64_t count, step;
  int rows, cols, ld;
};

// The part of a matrix that a routine reads, with LAPACK's letters. Triangles include the diagonal.
enum class Part : char { all = 'A', upper = 'U', lower = 'L' };

// ---- factorizations and inverses

enum class Factorization {
  lu,                // L and U in one matrix, with row exchanges; info: the first i with U(i,i) = 0
  lu_unpivoted,      // the same without row exchanges; undefined after the first U(i,i) = 0
  inverse,           // info: as for lu
  cholesky,          // of a triangle; the other one becomes 0. info: the order of the first
                     // leading minor that is not positive
  cholesky_pivoted,  // the same with row and column exchanges; info: rank + 1 if it is too small
  cholesky_inverse,  // the inverse, from a Cholesky factor; info: the first i with A(i,i) = 0
  qr,                // R, and below it the reflectors of Q, with the scales tau
  q,                 // the columns of Q, from the results of qr
};

// Replaces each matrix a. cholesky_pivoted supports one matrix only.
struct FactorCall {
  Factorization kind;
  Part part = Part::all;
  double tolerance = 0;  // of cholesky_pivoted; see pstrf of LAPACK
  Matrices a = {};
  int* pivots = nullptr;  // a.rows for each matrix, from 1: a result of lu and cholesky_pivoted
  int reflectors = 0;     // the number of elements of tau for each matrix
  char* tau = nullptr;    // a result of qr, an operand of q
  int* info = nullptr;
};

// ---- systems of equations

enum class Solver {
  general,        // replaces a by L and U; info: the first i with U(i,i) = 0
  lu,             // a and pivots are results of Factorization::lu; info: likewise, or a.rows + i if
                  // pivot i is not the number of a row
  triangular,     // info: the first i with A(i,i) = 0
  cholesky,       // a is a Cholesky factor; info: likewise
  least_squares,  // replaces a by its QR or LQ factors; info: the first i with R(i,i) = 0
  least_squares_by_svd,  // destroys a; info: the number of superdiagonals that did not become 0
  multiply_by_q,         // b becomes Q * b or b * Q; a and tau are results of qr
};

// Replaces the right sides b. For least squares, a column of b has max(a.rows, a.cols) elements,
// of which the first b.rows are read and the first a.cols are the solution. multiply_by_q supports
// one matrix only.
struct SolveCall {
  Solver kind;
  Part part = Part::all;         // of triangular and cholesky
  char trans = 'N', diag = 'N';  // 'T' for the transposed a or Q; 'U': a has a unit diagonal
  char side = 'L';               // of multiply_by_q; 'R': b * Q
  Matrices a = {}, b = {};
  int* pivots = nullptr;
  int reflectors = 0;
  char* tau = nullptr;
  // For least_squares_by_svd:
  double rcond = 0;          // singular values up to rcond times the largest one count as 0
  char* values = nullptr;    // the singular values
  int64_t* ranks = nullptr;  // the number of those that do not count as 0
  char* sums = nullptr;      // sums of squares of the residuals, if a has more rows than columns
  int* info = nullptr;
};

// The rcond of least squares. As in LAPACK, one that is not between 0 and 1 stands for the rounding
// error.
inline double valid_rcond(const SolveCall& call) {
  if (call.rcond > 0 && call.rcond < 1) return call.rcond;
  return call.a.dtype == DType::Float ? std::numeric_limits<float>::epsilon() / 2
                                      : std::numeric_limits<double>::epsilon() / 2;
}

// ---- eigenvalues, singular values, determinants

// Eigenvalues. If part is a triangle, the matrices are symmetric: the values are ascending, and if
// `vectors` is set, the eigenvectors replace a. info: the number of off-diagonal elements that did
// not become 0. If part is `all`, the matrices are destroyed: the values of each are all real
// parts, then all imaginary parts, and if `vectors` is set, v becomes the eigenvectors. info: the
// number of eigenvalues that were not found.
struct EigenCall {
  Part part = Part::all;
  bool vectors = false;
  Matrices a = {}, v = {};
  char* values = nullptr;
  int* info = nullptr;
};

// Singular values, descending. Destroys a. info: the number of superdiagonals that did not become
// 0. If a has no rows or no columns, u and vt become identity matrices.
struct SvdCall {
  Matrices a = {}, u = {}, vt = {};  // u.data may be null: no vectors
  bool all = false;                  // u and vt are square, else min(rows, cols) vectors
  char* values = nullptr;
  double limit = 0, rcond = 0;  // values up to limit, or rcond times the largest one, count as 0
  int64_t* ranks = nullptr;     // unless null: the number of values that do not count as 0
  Matrices inverse = {};        // unless data is null: the pseudoinverse. Destroys u
  int* info = nullptr;
};

// The singular values and ranks of least squares without right sides.
inline SvdCall values_of(const SolveCall& call) {
  SvdCall svd;
  svd.a = call.a;
  svd.values = call.values;
  svd.rcond = valid_rcond(call);
  svd.ranks = call.ranks;
  svd.info = call.info;
  return svd;
}

// Determinants by LU factorization; destroys a. Results, unless null: the sign and the logarithm of
// the absolute value, the determinant, and its logarithm. They are NaN for a matrix that contains
// NaN or infinity.
struct DeterminantCall {
  Matrices a = {};
  char *sign = nullptr, *logarithm = nullptr, *value = nullptr, *value_logarithm = nullptr;
};

}  // namespace th

#endif
