// Eigenvalues and singular values.

#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/linalg.h"

namespace th::direct {

using linalg::Matrices;
using linalg::Part;

namespace {

// Empties a result that was not requested. If it is also the operand a, it is kept.
void make_empty(Tensor* v, const Tensor* a) {
  if (v != a) resize(v, 0, nullptr);
}

// Eigenvalues of symmetric matrices. vectors: a copy of the matrices, replaced by the eigenvectors.
TensorRef eigenvalues(Op op, Device* device, const Columns& vectors, bool wanted, char uplo) {
  TensorRef matrices = vectors.whole();
  TensorRef values =
      new_batch(matrices->dtype, *matrices, 2, {matrices->size[matrices->nDimension - 1]});
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = vectors.open(at);
    check_finite(op, "A", m, uplo == 'U' ? Part::upper : Part::lower);
    Workspace<int> info(m.count);
    linalg::eigen_symmetric(m, wanted, uplo, at.write(values.get()), info.data());
    check_info(op, Failure::off_diagonals, info.data(), m.count);
  });
  return values;
}

void decompose(Op op, Tensor* u, Tensor* s, Tensor* v, Tensor* work, Tensor* a, char job) {
  check_types(op, a->dtype, {u, s, v, work});
  check_distinct(op, {u, s, v, work});
  job = check_letter(op, work ? 6 : 5, job, "AS");
  check_matrix(op, {work ? 5 : 4, "A"}, *a);
  Device* device = device_of({u, s, v, a});
  int64_t m = a->size[0], n = a->size[1], k = std::min(m, n);
  bool all = job == 'A';
  Columns used(op, a), left(op, *a, m, all ? m : k), right(op, *a, all ? n : k, n);
  TensorRef values = new_tensor(a->dtype, {k});
  run_lapack(op, device, [&](Operands& at) {
    Matrices matrix = used.open(at), columns = left.open(at), rows = right.open(at);
    check_finite(op, "A", matrix);
    if (k == 0) {
      fill_identity(columns);
      fill_identity(rows);
      return;
    }
    int info = 0;
    linalg::svd(matrix, all, columns, at.write(values.get()), rows, &info);
    check_info(op, Failure::values, &info);
  });
  if (work && work != a) give(device, work, Columns(op, a).whole());
  give(device, u, left.whole());
  give_contiguous(device, s, values);
  give_contiguous(device, v, right.turned());
}

}  // namespace

void syev(Tensor* e, Tensor* v, Tensor* a, char job, char uplo) {
  Op op = Op::syev;
  if (!a) a = v;
  check_types(op, a->dtype, {e, v});
  check_distinct(op, {e, v});
  bool wanted = check_letter(op, 4, job, "NV") == 'V';
  uplo = check_letter(op, 5, uplo, "UL");
  check_square(op, {3, "A"}, *a);
  Device* device = device_of({e, v, a});
  Columns vectors(op, a);
  TensorRef values = eigenvalues(op, device, vectors, wanted, uplo);
  give_contiguous(device, e, values);
  if (wanted) {
    give(device, v, vectors.whole(), a);
  } else {
    make_empty(v, a);
  }
}

void eigh(Tensor* e, Tensor* v, Tensor* a, char uplo) {
  Op op = Op::eigh;
  check_types(op, a->dtype, {e, v});
  check_distinct(op, {e, v});
  uplo = check_letter(op, 4, uplo, "UL");
  check_square_matrices(op, {3, "A"}, *a);
  Device* device = device_of({e, v, a});
  // Column-major storage of the transpose is row-major storage of a.
  Columns vectors(op, turned(a).get());
  TensorRef values = eigenvalues(op, device, vectors, true, uplo == 'U' ? 'L' : 'U');
  give_contiguous(device, e, values);
  give_contiguous(device, v, vectors.whole());
}

void geev(Tensor* e, Tensor* v, Tensor* a, char job) {
  Op op = Op::geev;
  check_types(op, a->dtype, {e, v});
  check_distinct(op, {e, v});
  bool wanted = check_letter(op, 4, job, "NV") == 'V';
  check_square(op, {3, "A"}, *a);
  Device* device = device_of({e, v, a});
  int64_t n = a->size[0];
  Columns used(op, a), values(op, *a, n, 2), vectors(op, *a, n, wanted ? n : 0);
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = used.open(at), columns = vectors.open(at);
    check_finite(op, "A", m);
    if (!wanted) columns.data = nullptr;
    int info = 0;
    if (n > 0) linalg::eigen(m, values.open(at).data, columns, &info);
    check_info(op, Failure::eigenvalues, &info);
  });
  give(device, e, values.whole());
  if (wanted) {
    give(device, v, vectors.whole());
  } else {
    make_empty(v, a);
  }
}

void gesvd(Tensor* u, Tensor* s, Tensor* v, Tensor* a, char job) {
  decompose(Op::gesvd, u, s, v, nullptr, a, job);
}

void gesvd2(Tensor* u, Tensor* s, Tensor* v, Tensor* work, Tensor* a, char job) {
  decompose(Op::gesvd2, u, s, v, work, a ? a : work, job);
}

}  // namespace th::direct
