#ifndef TH_OPS_FORMULA_OPERATIONS_H
#define TH_OPS_FORMULA_OPERATIONS_H

// Helpers for operations that are formulas of other operations.

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"
#include "ops/formulas.h"

namespace th {
namespace {

using formulas::Var;

inline Var ref(Tensor* t) { return Var::share(t); }
inline Var filled(const Var& like, DType type, int ndim, const int64_t* size, Scalar value) {
  return Var(filled(*like, type, ndim, size, value));
}
inline Var filled(const Var& like, Scalar value) {
  return filled(like, like->dtype, like->nDimension, like->size, value);
}
inline Var as(const Var& t, DType type) { return Var(in_type(t.get(), type)); }
inline Var flat(const Var& t) { return Var(flattened(t.get())); }
inline Var with_shape(const Var& t, int ndim, const int64_t* size) {
  return Var(reshaped(t.get(), ndim, size));
}
inline Var with_shape(const Var& t, const Tensor& like) {
  return with_shape(t, like.nDimension, like.size);
}
// Returns `size` indices of a dimension as a view.
inline Var part(const Var& t, int64_t dim, int64_t first, int64_t size) {
  return formulas::narrow(t, dim, first, size);
}
inline Var sorted_along(const Var& t, int64_t dim) {
  TensorRef values = empty(t->dtype), indices = empty(DType::Long);
  ops::sort(values.get(), indices.get(), t.get(), dim, false);
  return Var(std::move(values));
}
// Returns the integer that all elements are, or -1 if they differ.
inline int64_t common_element(const Var& t) {
  if (t->numel() == 0) return -1;
  const int64_t least = ops::minall(t.get()).i;
  return ops::maxall(t.get()).i == least ? least : -1;
}
// Returns the elements along dimension d as the rows of a matrix.
inline Var rows_along(const Var& t, int64_t d) {
  const int64_t n = t->size[d], size[] = {t->numel() / n, n};
  return with_shape(formulas::movedim(t, d, int64_t{-1}), 2, size);
}
// The numbers first, first + 1, ... as a LongTensor on the device of like.
inline Var counting(const Var& like, int64_t first, int64_t n) {
  const Var ones = filled(like, DType::Long, 1, &n, 1);
  return n == 0 ? ones : formulas::add(formulas::cumsum(ones, int64_t{0}), Scalar(first - 1));
}
inline Var transposed(const Var& t) { return formulas::transpose(t, int64_t{-2}, int64_t{-1}); }

// Makes a new tensor, which is not part of an operand, the result.
inline void give(Shapes& s, Tensor*& r, Var value) { s.set_value(r, value.release()); }

// Checks the dimension and returns it.
template <class A>
int own_dim(A& a, const Shapes& s) {
  const int d = s.dim(a.dimension, *a.t);
  a.dimension = d;
  return d;
}
template <class A>
int dim_with_elements(A& a, const Shapes& s) {
  const int d = own_dim(a, s);
  if (a.t->size[d] > 0) return d;
  s.fail(a.t, "dimension %lld of %s has no elements", shown(d), shape_text(*a.t).c_str());
}
template <class A>
void check_elements(const A& a, const Shapes& s) {
  if (a.t->numel() > 0) return;
  s.fail(a.t, "a tensor of size %s has no elements", shape_text(*a.t).c_str());
}

}  // namespace
}  // namespace th

#endif
