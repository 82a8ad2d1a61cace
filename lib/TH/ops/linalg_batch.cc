// Linear algebra functions of NumPy and PyTorch, for matrices and batches of matrices.

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/linalg.h"
#include "tensor/views.h"

namespace th::direct {

using linalg::Determinants;
using linalg::Matrices;
using linalg::Part;

namespace {

double epsilon(DType type) {
  return type == DType::Float ? std::numeric_limits<float>::epsilon()
                              : std::numeric_limits<double>::epsilon();
}

// Singular values below this fraction of the largest one count as 0, by default.
double default_rcond(const Tensor& t) {
  int64_t rows = t.size[t.nDimension - 2], cols = t.size[t.nDimension - 1];
  return static_cast<double>(std::max(rows, cols)) * epsilon(t.dtype);
}

char* pointer_or_null(Operands& at, const TensorRef& t) { return t ? at.write(t.get()) : nullptr; }

struct Wanted {
  TensorRef sign, logarithm, value, value_logarithm;
};

void determinants(Op op, Device* device, Tensor* t, const Wanted& wanted) {
  // det(A) = det(A'), so no transposed copy is needed.
  Columns factors(op, turned(t).get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at);
    Workspace<int> pivots(m.count * m.rows), info(m.count);
    Workspace<bool> finite(m.count);
    std::fill(finite.data(), finite.data() + m.count, true);
    for (int64_t k = 0; (k = find_not_finite(m, Part::all, k)) >= 0; ++k) {
      finite[k] = false;
      Matrices one = m;
      one.data += k * m.step * static_cast<int64_t>(item_size(m.dtype));
      one.count = 1;
      fill_identity(one);
    }
    linalg::lu(m, true, pivots.data(), info.data());
    lu_determinant(
        m, pivots.data(), finite.data(),
        {pointer_or_null(at, wanted.sign), pointer_or_null(at, wanted.logarithm),
         pointer_or_null(at, wanted.value), pointer_or_null(at, wanted.value_logarithm)});
  });
}

// Views of a and b with equal batch dimensions.
struct Pair {
  TensorRef a, b;
};
Pair expand_batches(Op op, Tensor* a, Tensor* b) {
  int ndim = 0;
  int64_t batch[kMaxDims];
  if (!broadcast_sizes(a->nDimension - 2, a->size, b->nDimension - 2, b->size, &ndim, batch)) {
    fail("%s: the batches of A %s and of B %s do not go together", name(op), shape_text(*a).c_str(),
         shape_text(*b).c_str());
  }
  auto expanded = [&](Tensor* t) {
    int64_t size[kMaxDims];
    std::copy(batch, batch + ndim, size);
    std::copy(t->size + t->nDimension - 2, t->size + t->nDimension, size + ndim);
    TensorRef view(tensor_new(t->dtype));
    expand(view.get(), t, {ndim + 2, size});
    return view;
  };
  return {expanded(a), expanded(b)};
}

// Returns true if b is one vector for each matrix of a.
bool is_vector(const Tensor& a, const Tensor& b) {
  if (b.nDimension == 1) return true;
  return b.nDimension == a.nDimension - 1 && std::equal(b.size, b.size + b.nDimension, a.size);
}

// Returns a, and b as matrices with as many rows, expanded to the same batch.
Pair equations(Op op, Tensor* a, Tensor* b, bool vector) {
  check_types(op, a->dtype, {b});
  TensorRef right(tensor_new_view(b));
  if (vector) unsqueeze1d(right.get(), b, -1);
  check_matrices(op, {3, "B"}, *right);
  if (right->size[right->nDimension - 2] != a->size[a->nDimension - 2]) {
    fail("%s: A %s and B %s should have equally many rows", name(op), shape_text(*a).c_str(),
         shape_text(*b).c_str());
  }
  return expand_batches(op, a, right.get());
}

TensorRef without_last(TensorRef t) {
  select(t.get(), t.get(), -1, 0);
  return t;
}

struct Singular {
  Columns u, vt;
  TensorRef values;
};

// Computes the singular values of the matrices in `used`, and the vectors if `vectors` is set.
void singular_values(Op op, Operands& at, const Columns& used, const Singular& s, bool vectors) {
  Matrices m = used.open(at), none = {};
  check_finite(op, "A", m);
  if (std::min(m.rows, m.cols) == 0) return;
  Workspace<int> info(m.count);
  linalg::svd(m, false, vectors ? s.u.open(at) : none, at.write(s.values.get()),
              vectors ? s.vt.open(at) : none, info.data());
  check_info(op, Failure::values, info.data(), m.count);
}

int64_t smaller_side(const Tensor& t) {
  return std::min(t.size[t.nDimension - 2], t.size[t.nDimension - 1]);
}

}  // namespace

void det(Tensor* r, Tensor* t) {
  check_types(Op::det, t->dtype, {r});
  check_square_matrices(Op::det, {2, "A"}, *t);
  Device* device = device_of({r, t});
  Wanted wanted;
  wanted.value = new_batch(t->dtype, *t, 2, {});
  determinants(Op::det, device, t, wanted);
  give_contiguous(device, r, wanted.value);
}

void logdet(Tensor* r, Tensor* t) {
  check_types(Op::logdet, t->dtype, {r});
  check_square_matrices(Op::logdet, {2, "A"}, *t);
  Device* device = device_of({r, t});
  Wanted wanted;
  wanted.value_logarithm = new_batch(t->dtype, *t, 2, {});
  determinants(Op::logdet, device, t, wanted);
  give_contiguous(device, r, wanted.value_logarithm);
}

void slogdet(Tensor* sign, Tensor* logarithm, Tensor* t) {
  check_types(Op::slogdet, t->dtype, {sign, logarithm});
  check_distinct(Op::slogdet, {sign, logarithm});
  check_square_matrices(Op::slogdet, {3, "A"}, *t);
  Device* device = device_of({sign, logarithm, t});
  Wanted wanted;
  wanted.sign = new_batch(t->dtype, *t, 2, {});
  wanted.logarithm = new_batch(t->dtype, *t, 2, {});
  determinants(Op::slogdet, device, t, wanted);
  give_contiguous(device, sign, wanted.sign);
  give_contiguous(device, logarithm, wanted.logarithm);
}

void solve(Tensor* x, Tensor* a, Tensor* b) {
  Op op = Op::solve;
  check_types(op, a->dtype, {x});
  check_square_matrices(op, {2, "A"}, *a);
  Device* device = device_of({x, a, b});
  bool vector = is_vector(*a, *b);
  Pair pair = equations(op, a, b, vector);
  // Column-major storage of the transpose is row-major storage of a.
  Columns factors(op, turned(pair.a.get()).get()), solution(op, pair.b.get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at), s = solution.open(at);
    check_finite(op, "A", m);
    check_finite(op, "B", s);
    Workspace<int> pivots(m.count * m.rows), info(m.count);
    linalg::lu(m, true, pivots.data(), info.data());
    check_info(op, Failure::singular, info.data(), m.count);
    linalg::lu_solve(m, 'T', pivots.data(), s);
  });
  TensorRef made = solution.whole();
  give_contiguous(device, x, vector ? without_last(std::move(made)) : std::move(made));
}

void lstsq(Tensor* x, Tensor* residuals, Tensor* rank, Tensor* values, Tensor* a, Tensor* b,
           double rcond) {
  Op op = Op::lstsq;
  check_types(op, a->dtype, {x, residuals, values});
  check_types(op, DType::Long, {rank});
  check_distinct(op, {x, residuals, values});
  check_matrices(op, {5, "A"}, *a);
  Device* device = device_of({x, residuals, rank, values, a, b});
  bool vector = is_vector(*a, *b);
  Pair pair = equations(op, a, b, vector);
  const Tensor& all = *pair.a;
  int64_t m = all.size[all.nDimension - 2], n = all.size[all.nDimension - 1];
  int64_t k = pair.b->size[pair.b->nDimension - 1];
  Columns used(op, pair.a.get()), solution(op, pair.b.get(), n);
  TensorRef ranks = new_batch(DType::Long, all, 2, {});
  TensorRef singular = new_batch(a->dtype, all, 2, {std::min(m, n)});
  TensorRef sums = new_batch(a->dtype, all, 2, {k});
  bool full_rank = m > n;
  if (rcond < 0) rcond = default_rcond(*a);
  run_lapack(op, device, [&](Operands& at) {
    Matrices matrix = used.open(at), s = solution.open(at, std::max(m, n));
    check_finite(op, "A", matrix);
    check_finite(op, "B", solution.open(at));
    auto* list = reinterpret_cast<int64_t*>(at.write(ranks.get()));
    Workspace<int> info(matrix.count);
    if (matrix.count == 0) return;
    if (std::min(m, n) == 0 || k == 0) {
      if (n > 0) linalg::clear(s);  // otherwise B is the residual
      std::fill(list, list + matrix.count, 0);
      full_rank = full_rank && n == 0;
    } else {
      linalg::least_squares_by_svd(matrix, s, at.write(singular.get()), rcond, list, info.data());
      check_info(op, Failure::values, info.data(), matrix.count);
      full_rank =
          full_rank && std::all_of(list, list + matrix.count, [&](int64_t r) { return r == n; });
    }
    if (full_rank) linalg::column_squares(s, static_cast<int>(n), at.write(sums.get()));
  });
  TensorRef made = solution.rows(n);
  give_contiguous(device, x, vector ? without_last(std::move(made)) : std::move(made));
  if (full_rank) {
    give_contiguous(device, residuals, sums);
  } else {
    resize(residuals, 0, nullptr);
  }
  give_contiguous(device, rank, ranks);
  give_contiguous(device, values, singular);
}

void cholesky(Tensor* r, Tensor* t, bool upper) {
  Op op = Op::cholesky;
  check_types(op, t->dtype, {r});
  check_square_matrices(op, {2, "A"}, *t);
  Device* device = device_of({r, t});
  // Column-major storage of the transposes is row-major storage of t.
  Columns factors(op, turned(t).get());
  run_lapack(op, device, [&](Operands& at) {
    Matrices m = factors.open(at);
    Part part = upper ? Part::lower : Part::upper;
    check_finite(op, "A", m, part);
    Workspace<int> info(m.count);
    linalg::cholesky(m, static_cast<char>(part), info.data());
    check_info(op, Failure::indefinite, info.data(), m.count);
    clear_outside(m, part);
  });
  give_contiguous(device, r, factors.turned());
}

void pinverse(Tensor* r, Tensor* t, double rcond) {
  Op op = Op::pinverse;
  check_types(op, t->dtype, {r});
  check_matrices(op, {2, "A"}, *t);
  Device* device = device_of({r, t});
  int64_t m = t->size[t->nDimension - 2], n = t->size[t->nDimension - 1], k = smaller_side(*t);
  if (rcond < 0) rcond = default_rcond(*t);
  Columns used(op, turned(t).get()), inverse(op, *t, m, n);
  Singular s{Columns(op, *t, n, k), Columns(op, *t, k, m), new_batch(t->dtype, *t, 2, {k})};
  run_lapack(op, device, [&](Operands& at) {
    singular_values(op, at, used, s, true);
    if (k == 0) return;
    linalg::multiply_pseudoinverse(s.u.open(at), at.write(s.values.get()), s.vt.open(at), rcond,
                                   inverse.open(at));
  });
  give_contiguous(device, r, inverse.turned());
}

void matrixRank(Tensor* r, Tensor* t, double tolerance) {
  Op op = Op::matrixRank;
  check_types(op, DType::Long, {r});
  check_matrices(op, {2, "A"}, *t);
  Device* device = device_of({r, t});
  int64_t k = smaller_side(*t);
  Columns used(op, turned(t).get());
  Singular s{Columns(), Columns(), new_batch(t->dtype, *t, 2, {k})};
  TensorRef ranks = new_batch(DType::Long, *t, 2, {});
  bool given = tolerance >= 0;
  run_lapack(op, device, [&](Operands& at) {
    singular_values(op, at, used, s, false);
    linalg::count_above(t->dtype, at.write(s.values.get()), used.open(at).count,
                        static_cast<int>(k), given ? tolerance : 0, given ? 0 : default_rcond(*t),
                        reinterpret_cast<int64_t*>(at.write(ranks.get())));
  });
  give_contiguous(device, r, ranks);
}

}  // namespace th::direct
