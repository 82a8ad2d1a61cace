#ifndef TH_GRAD_MATRICES_H
#define TH_GRAD_MATRICES_H

// Helpers of the rules of linear algebra. All of them accept batches of matrices.

#include "grad/functions.h"

namespace th::grad {

// The vectors as matrices of one column, or of one row.
inline Var as_columns(const Var& v) { return unsqueeze1d(v, int64_t{-1}); }
inline Var as_rows(const Var& v) { return unsqueeze1d(v, int64_t{v->nDimension - 1}); }

inline int64_t rows_of(const Var& x) { return x->size[x->nDimension - 2]; }
inline int64_t columns_of(const Var& x) { return x->size[x->nDimension - 1]; }

// The product of three matrices, in the order that takes fewer operations.
Var product(const Var& a, const Var& b, const Var& c);

// The identity matrix, of the type and on the device of the square matrix x; in the shape of x.
Var identity_like(const Var& x);

// x with zeros outside of one triangle. Its diagonal is multiplied by `diagonal`.
Var triangle(const Var& x, bool lower, double diagonal);

// The gradient of a symmetric matrix of which an operation reads one triangle, from the gradient of
// all its elements: an element off the diagonal stands for two.
Var in_triangle(const Var& g, bool lower);

// v with the shape of the batch of t: a number for each matrix, as a matrix of one element.
Var for_each_matrix(const Var& v, const Var& t);

// All matrices of x along one dimension.
Var as_batch(const Var& x);

// a = u * diag(s) * v', for each matrix of a batch.
struct Svd {
  Var u, s, v;
};
Svd svd_of(const Var& a);

// The solution x of a * x = b, for a triangular matrix a.
Var solve_triangular(const Var& a, bool lower, const Var& b);

// The gradient of a batch of matrices, from that of their LU factors, the results of btrifact.
Var lu_slope(const Var& g, const Var& lu, const Var& pivots);

// Adds a gradient to a sum, which may be empty.
inline void add_to(Var* sum, const Var& g) { *sum = *sum ? *sum + g : g; }

inline bool is_letter(char option, char capital) {
  return option == capital || option == capital - 'A' + 'a';
}

}  // namespace th::grad

#endif
