// Eigenvalues and singular values.

#include <algorithm>

#include "ops/linalg.h"
#include "ops/tracer.h"

namespace th {

namespace {

// Sets the eigenvectors of a. job 'N': they are not computed, and the result is empty unless it is
// the operand.
void set_vectors(Shapes& s, Tensor*& vectors, const Tensor& a, char job) {
  if (job == 'V') return set_columns_like(s, vectors, a);
  if (vectors != &a) s.set(vectors, 0, nullptr, Layout::in_place);
}

// Computes the eigenvalues of symmetric matrices. work(Operands&) returns a copy of the matrices,
// which the eigenvectors replace.
template <class Matrix>
void find_symmetric(Op op, Device* device, Tensor* values, const EigenCall& options,
                    const Matrix& work) {
  run_lapack(op, device, Failure::off_diagonals, [&](Operands& at) {
    EigenCall call = options;
    call.a = work(at);
    call.values = at.overwrite(values);
    return call;
  });
}

// u, s and v have their sizes. Destroys work, which is column-major.
void decompose(Op op, Device* device, Tensor* u, Tensor* s, Tensor* v, Tensor* work) {
  run_lapack(op, device, Failure::singular_values, [&](Operands& at) {
    SvdCall call;
    call.a = matrices(at, work);
    call.u = matrices(at, u);
    call.vt = transposed_matrices(at, v);
    const int64_t values = s->size[s->nDimension - 1];
    call.all = u->size[u->nDimension - 1] != values || v->size[v->nDimension - 1] != values;
    call.values = at.overwrite(s);
    return call;
  });
}

template <class Arguments>
void set_decomposition(Arguments& a, Shapes& s) {
  check_letter(s, a.job, "AS");
  check_matrices(s, a.a);
  const Tensor& t = *a.a;
  const int64_t m = t.size[t.nDimension - 2], n = t.size[t.nDimension - 1], k = std::min(m, n);
  const bool all = a.job == 'A';
  const BatchShape u(t, 2, {m, all ? m : k});
  s.set(a.u, u.ndim, u.size, Layout::columns);
  set_batch(s, a.s, t, 2, {k});
  set_batch(s, a.v, t, 2, {n, all ? n : k});
}

}  // namespace

// Computes the eigenvalues of symmetric matrices. Returns the transposed vectors, unless `vectors`
// is null.
static TensorRef eigen_of_rows(Tensor* values, Tensor* vectors, Tensor* a, char uplo) {
  Device* device = vectors ? device_of({values, vectors, a}) : device_of({values, a});
  EigenCall options;
  // The matrices are transposed, because `work` is row-major.
  options.part = uplo == 'U' ? Part::lower : Part::upper;
  options.vectors = vectors != nullptr;
  TensorRef work = copy_by_rows(device, a);
  find_symmetric(Op::eigh, device, values, options,
                 [&](Operands& at) { return transposed_matrices(at, work.get()); });
  return work;
}

void shapes(args::syev& a, Shapes& s) {
  if (!a.a) a.a = a.vectors;
  check_letter(s, a.job, "NV");
  check_letter(s, a.uplo, "UL");
  check_square_matrices(s, a.a);
  set_batch(s, a.values, *a.a, 1, {});
  set_vectors(s, a.vectors, *a.a, a.job);
}
void calls(args::syev& a) {
  Device* device = device_of({a.values, a.vectors, a.a});
  EigenCall options;
  options.part = a.uplo == 'U' ? Part::upper : Part::lower;
  options.vectors = a.job == 'V';
  TensorRef temporary;
  if (options.vectors) {
    copy_to_new(device, a.vectors, a.a);
  } else {
    temporary = copy_by_columns(device, a.a);
  }
  Tensor* work = temporary ? temporary.get() : a.vectors;
  find_symmetric(Op::syev, device, a.values, options,
                 [&](Operands& at) { return matrices(at, work); });
}

void shapes(args::eigh& a, Shapes& s) {
  check_letter(s, a.uplo, "UL");
  check_square_matrices(s, a.a);
  set_batch(s, a.values, *a.a, 1, {});
  s.set(a.vectors, *a.a);
}
void calls(args::eigh& a) {
  TensorRef work = eigen_of_rows(a.values, a.vectors, a.a, a.uplo);
  TensorRef vectors = transposed(work.get());
  ops::copy(a.vectors, vectors.get());
}

void shapes(args::eigvalsh& a, Shapes& s) {
  check_letter(s, a.uplo, "UL");
  check_square_matrices(s, a.a);
  set_batch(s, a.values, *a.a, 1, {});
}
void calls(args::eigvalsh& a) {
  // The derivative needs the vectors.
  if (!tracing()) {
    eigen_of_rows(a.values, nullptr, a.a, a.uplo);
    return;
  }
  TensorRef vectors(tensor_new(a.a->dtype));
  ops::eigh(a.values, vectors.get(), a.a, a.uplo);
}

void shapes(args::geev& a, Shapes& s) {
  check_letter(s, a.job, "NV");
  check_square_matrices(s, a.a);
  const BatchShape values(*a.a, 1, {2});
  s.set(a.values, values.ndim, values.size, Layout::columns);
  set_vectors(s, a.vectors, *a.a, a.job);
}
void calls(args::geev& a) {
  Device* device = device_of({a.values, a.vectors, a.a});
  TensorRef work = copy_by_columns(device, a.a);
  run_lapack(Op::geev, device, Failure::eigenvalues, [&](Operands& at) {
    EigenCall call;
    call.vectors = a.job == 'V';
    call.a = matrices(at, work.get());
    if (call.vectors) call.v = matrices(at, a.vectors);
    call.values = at.overwrite(a.values);
    return call;
  });
}

void shapes(args::gesvd& a, Shapes& s) { set_decomposition(a, s); }
void calls(args::gesvd& a) {
  Device* device = device_of({a.u, a.s, a.v, a.a});
  TensorRef work = copy_by_columns(device, a.a);
  decompose(Op::gesvd, device, a.u, a.s, a.v, work.get());
}

void shapes(args::gesvd2& a, Shapes& s) {
  if (!a.a) a.a = a.copy;
  set_decomposition(a, s);
  if (a.copy != a.a) set_columns_like(s, a.copy, *a.a);
}
void calls(args::gesvd2& a) {
  Device* device = device_of({a.u, a.s, a.v, a.a});
  TensorRef work = copy_by_columns(device, a.a);
  if (a.copy != a.a) copy_to_new(device, a.copy, a.a);
  decompose(Op::gesvd2, device, a.u, a.s, a.v, work.get());
}

}  // namespace th
