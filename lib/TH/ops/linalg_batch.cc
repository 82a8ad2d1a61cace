// Linear algebra functions of NumPy and PyTorch, for matrices and batches of matrices.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/linalg.h"

namespace th {

namespace {

double epsilon(DType type) {
  return type == DType::Float ? std::numeric_limits<float>::epsilon()
                              : std::numeric_limits<double>::epsilon();
}

int64_t smaller_side(const Tensor& t) { return std::min(rows_of(t), columns_of(t)); }

// By default, singular values up to this fraction of the largest one count as 0.
double default_rcond(const Tensor& t) {
  return static_cast<double>(std::max(rows_of(t), columns_of(t))) * epsilon(t.dtype);
}

// Fills those of the results that are not null.
struct Determinants {
  Tensor *sign = nullptr, *logarithm = nullptr, *value = nullptr, *value_logarithm = nullptr;
};
void find_determinants(Op op, Tensor* t, const Determinants& r) {
  Device* device = device_of({r.sign, r.logarithm, r.value, r.value_logarithm, t});
  TensorRef factors = copy_by_rows(device, t);
  run(op, device, [&](Operands& at) {
    auto pointer = [&](Tensor* result) { return result ? at.overwrite(result) : nullptr; };
    DeterminantCall call;
    // det(A) = det(A'), so no transposed copy is needed.
    call.a = transposed_matrices(at, factors.get());
    call.sign = pointer(r.sign);
    call.logarithm = pointer(r.logarithm);
    call.value = pointer(r.value);
    call.value_logarithm = pointer(r.value_logarithm);
    return call;
  });
}

// Returns true if b is one vector for each matrix of a.
bool is_vector(const Tensor& a, const Tensor& b) {
  if (b.nDimension == 1) return true;
  return b.nDimension == a.nDimension - 1 && std::equal(b.size, b.size + b.nDimension, a.size);
}

// Returns b, with vectors as matrices of one column.
TensorRef right_matrices(const Tensor& a, Tensor* b) {
  TensorRef right(tensor_new_view(b));
  if (is_vector(a, *b)) views::unsqueeze1d(right.get(), b, -1);
  return right;
}

void check_right_matrices(const Shapes& s, const Tensor& a, Tensor* const& field) {
  TensorRef right = right_matrices(a, field);
  if (right->nDimension < 2) check_matrices(s, field, "B");
  check_size(columns_of(*right));
  if (rows_of(*right) == rows_of(a)) return;
  s.fail(field, "the numbers of rows differ: A is %s, B is %s", shape_text(a).c_str(),
         shape_text(*right).c_str());
}

// Views of a and of the right sides b with the same batch dimensions.
struct System {
  TensorRef a, b;
};
System system_of(Tensor* a, Tensor* b) {
  TensorRef right = right_matrices(*a, b);
  int ndim = 0;
  int64_t batch[kMaxDims];
  if (!broadcast_sizes(a->nDimension - 2, a->size, right->nDimension - 2, right->size, &ndim,
                       batch)) {
    fail("the batches of A %s and B %s do not broadcast", shape_text(*a).c_str(),
         shape_text(*right).c_str());
  }
  auto expanded = [&](Tensor* t) {
    int64_t size[kMaxDims];
    std::copy(batch, batch + ndim, size);
    std::copy(t->size + t->nDimension - 2, t->size + t->nDimension, size + ndim);
    TensorRef view(tensor_new(t->dtype));
    views::expand(view.get(), t, {ndim + 2, size});
    return view;
  };
  return {expanded(a), expanded(right.get())};
}

// Options and results of a singular value decomposition. Null results are not computed.
struct SvdOptions {
  Tensor *u = nullptr, *vt = nullptr;  // column-major
  Tensor *inverse = nullptr, *ranks = nullptr, *values = nullptr;
  double limit = 0, rcond = 0;
};
void find_singular_values(Op op, Device* device, Tensor* t, const SvdOptions& options) {
  TensorRef work = copy_by_rows(device, t);
  TensorRef temporary;
  if (!options.values) {
    temporary = new_temporary(device, t->dtype, BatchShape(*t, 2, {smaller_side(*t)}));
  }
  Tensor* values = options.values ? options.values : temporary.get();
  run_lapack(op, device, Failure::singular_values, [&](Operands& at) {
    SvdCall call;
    call.a = transposed_matrices(at, work.get());
    call.limit = options.limit;
    call.rcond = options.rcond;
    if (options.u) {
      call.u = matrices(at, options.u);
      call.vt = matrices(at, options.vt);
    }
    call.values = at.overwrite(values);
    if (options.inverse) call.inverse = transposed_matrices(at, options.inverse);
    if (options.ranks) call.ranks = overwrite_as<int64_t>(at, options.ranks);
    return call;
  });
}

}  // namespace

void shapes(args::det& a, Shapes& s) {
  check_square_matrices(s, a.t);
  set_batch(s, a.r_, *a.t, 2, {});
}
void calls(args::det& a) {
  Determinants r;
  r.value = a.r_;
  find_determinants(Op::det, a.t, r);
}

void shapes(args::logdet& a, Shapes& s) {
  check_square_matrices(s, a.t);
  set_batch(s, a.r_, *a.t, 2, {});
}
void calls(args::logdet& a) {
  Determinants r;
  r.value_logarithm = a.r_;
  find_determinants(Op::logdet, a.t, r);
}

void shapes(args::slogdet& a, Shapes& s) {
  check_square_matrices(s, a.t);
  set_batch(s, a.sign, *a.t, 2, {});
  set_batch(s, a.logarithm, *a.t, 2, {});
}
void calls(args::slogdet& a) {
  Determinants r;
  r.sign = a.sign;
  r.logarithm = a.logarithm;
  find_determinants(Op::slogdet, a.t, r);
}

void shapes(args::solve& a, Shapes& s) {
  check_square_matrices(s, a.a);
  check_right_matrices(s, *a.a, a.b);
  System system = system_of(a.a, a.b);
  const bool vector = is_vector(*a.a, *a.b);
  // A column is also contiguous, so that the solution of vectors is computed in the result.
  s.set(a.r_, system.b->nDimension - vector, system.b->size,
        vector ? Layout::separate : Layout::any);
}
void calls(args::solve& a) {
  Device* device = device_of({a.r_, a.a, a.b});
  System system = system_of(a.a, a.b);
  const bool vector = is_vector(*a.a, *a.b);
  // Column-major storage of the transpose is row-major storage of a.
  TensorRef factors = copy_by_rows(device, system.a.get()), temporary;
  if (vector) {
    ops::copy(a.r_, system.b.get());
  } else {
    temporary = copy_by_columns(device, system.b.get());
  }
  run_lapack(Op::solve, device, Failure::singular, [&](Operands& at) {
    SolveCall call;
    call.kind = Solver::general;
    call.trans = 'T';
    call.a = transposed_matrices(at, factors.get());
    call.b = vector ? column_matrices(at, a.r_, call.a.rows) : matrices(at, temporary.get());
    return call;
  });
  if (temporary) ops::copy(a.r_, temporary.get());
}

// The residuals are a result only if A has full rank, so everything is computed here.
void shapes(args::lstsq& a, Shapes& s) {
  check_matrices(s, a.a);
  check_right_matrices(s, *a.a, a.b);
  // LAPACK takes other values for its default.
  if (!(a.rcond < 1)) s.fail(a.rcond, "rcond must be less than 1, got %g", a.rcond);
  System system = system_of(a.a, a.b);
  Device* device = device_of({a.x, a.residuals, a.rank, a.values, a.a, a.b});
  const Tensor& all = *system.a;
  const DType type = all.dtype;
  const int64_t m = rows_of(all), n = columns_of(all), k = columns_of(*system.b);
  TensorRef used = copy_by_columns(device, system.a.get());
  // Each column has space for the right side and for the solution.
  TensorRef space = new_columns(device, type, BatchShape(all, 2, {std::max(m, n), k}));
  TensorRef right = first_rows(space.get(), m), solution = first_rows(space.get(), n);
  copy_to_new(device, right.get(), system.b.get());
  TensorRef ranks = new_temporary(device, DType::Long, BatchShape(all, 2, {}));
  TensorRef values = new_temporary(device, type, BatchShape(all, 2, {std::min(m, n)}));
  TensorRef sums = new_temporary(device, type, BatchShape(all, 2, {k}));
  run_lapack(Op::lstsq, device, Failure::singular_values, [&](Operands& at) {
    SolveCall call;
    call.kind = Solver::least_squares_by_svd;
    call.rcond = a.rcond < 0 ? default_rcond(*a.a) : a.rcond;
    call.a = matrices(at, used.get());
    call.b = matrices(at, space.get());
    call.b.rows = static_cast<int>(m);
    call.values = at.overwrite(values.get());
    call.ranks = overwrite_as<int64_t>(at, ranks.get());
    call.sums = at.overwrite(sums.get());
    return call;
  });
  const bool has_sums = m > n && (ranks->numel() == 0 ||
                                  ops::minall(ranks.get()).to_double() == static_cast<double>(n));
  if (is_vector(*a.a, *a.b)) views::select(solution.get(), solution.get(), -1, 0);
  s.set_value(a.x, std::move(solution));
  if (has_sums) {
    s.set_value(a.residuals, std::move(sums));
  } else {
    s.set(a.residuals, 0, nullptr, Layout::in_place);
  }
  s.set_value(a.rank, std::move(ranks));
  s.set_value(a.values, std::move(values));
}
void calls(args::lstsq&) {}

void shapes(args::cholesky& a, Shapes& s) {
  check_square_matrices(s, a.t);
  s.set(a.r_, *a.t, Layout::separate);
}
void calls(args::cholesky& a) {
  Device* device = device_of({a.r_, a.t});
  ops::copy(a.r_, a.t);
  run_lapack(Op::cholesky, device, Failure::indefinite, [&](Operands& at) {
    FactorCall call;
    call.kind = Factorization::cholesky;
    call.part = a.upper ? Part::lower : Part::upper;  // of the transposes
    call.a = transposed_matrices(at, a.r_);
    return call;
  });
}

void shapes(args::pinverse& a, Shapes& s) {
  check_matrices(s, a.t);
  if (std::isnan(a.rcond)) s.fail(a.rcond, "rcond must be a number, got nan");
  BatchShape shape(*a.t, 2, {columns_of(*a.t), rows_of(*a.t)});
  s.set(a.r_, shape.ndim, shape.size, Layout::separate);
}
void calls(args::pinverse& a) {
  Device* device = device_of({a.r_, a.t});
  const Tensor& t = *a.t;
  const int64_t m = rows_of(t), n = columns_of(t), k = smaller_side(t);
  TensorRef u = new_columns(device, t.dtype, BatchShape(t, 2, {n, k}));
  TensorRef vt = new_columns(device, t.dtype, BatchShape(t, 2, {k, m}));
  SvdOptions options;
  options.u = u.get();
  options.vt = vt.get();
  options.inverse = a.r_;
  options.rcond = a.rcond < 0 ? default_rcond(t) : a.rcond;
  find_singular_values(Op::pinverse, device, a.t, options);
}

void shapes(args::svdvals& a, Shapes& s) {
  check_matrices(s, a.t);
  set_batch(s, a.r_, *a.t, 2, {smaller_side(*a.t)});
}
void calls(args::svdvals& a) {
  SvdOptions options;
  options.values = a.r_;
  find_singular_values(Op::svdvals, device_of({a.r_, a.t}), a.t, options);
}

void shapes(args::matrixRank& a, Shapes& s) {
  check_matrices(s, a.t);
  if (std::isnan(a.tol)) s.fail(a.tol, "tol must be a number, got nan");
  if (std::isnan(a.rtol)) s.fail(a.rtol, "rtol must be a number, got nan");
  set_batch(s, a.r_, *a.t, 2, {});
}
void calls(args::matrixRank& a) {
  Device* device = device_of({a.r_, a.t});
  SvdOptions options;
  options.ranks = a.r_;
  options.limit = std::max(0.0, a.tol);
  options.rcond = a.tol >= 0 || a.rtol >= 0 ? std::max(0.0, a.rtol) : default_rcond(*a.t);
  find_singular_values(Op::matrixRank, device, a.t, options);
}

}  // namespace th
