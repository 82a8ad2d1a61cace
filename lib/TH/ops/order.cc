// Operations based on sorting: elements by rank, most frequent and distinct elements.

#include <algorithm>
#include <limits>

#include "ops/formula_operations.h"
#include "ops/sort.h"

namespace th {
namespace {

struct Sorted {
  TensorRef values, indices;
};

Sorted sorted(Tensor* t, int64_t dim) {
  Sorted s = {empty(t->dtype), empty(DType::Long)};
  ops::sort(s.values.get(), s.indices.get(), t, dim, false);
  return s;
}

// Wraps the dimension. Throws if its size is 0.
template <class Arguments>
void check_dim_with_elements(Arguments& a, const Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  if (a.t->size[a.dimension] > 0) return;
  s.fail(a.t, "dimension %lld of %s has no element", shown(a.dimension), shape_text(*a.t).c_str());
}

// Sets the shapes of values and indices: size 1 in the dimension, or without it. A vector stays a
// vector.
template <class Arguments>
void set_one_each(Arguments& a, Shapes& s) {
  int64_t size[kMaxDims];
  int ndim = a.t->nDimension;
  std::copy(a.t->size, a.t->size + ndim, size);
  size[a.dimension] = 1;
  if (!a.keepdim && ndim > 1) {
    std::copy(size + a.dimension + 1, size + ndim, size + a.dimension);
    --ndim;
  }
  s.set(a.values_, ndim, size);
  s.set(a.indices_, ndim, size);
}

// Returns 1 for each element that differs from the one before it, along a dimension of sorted
// values.
TensorRef starts_of_runs(const TensorRef& values, int64_t dim) {
  int64_t n = values->size[dim];
  TensorRef starts = filled_like(values, DType::Byte, 1);
  if (n < 2) return starts;
  TensorRef later = narrowed(values, dim, 1, n - 1), earlier = narrowed(values, dim, 0, n - 1);
  TensorRef differ =
      made(DType::Byte, [&](Tensor* r) { ops::neTensor(r, later.get(), earlier.get()); });
  ops::copy(narrowed(starts, dim, 1, n - 1).get(), differ.get());
  return starts;
}

// Returns the number of the run of each element, from TH_INDEX_BASE.
TensorRef runs_of(const TensorRef& starts, int64_t dim) {
  TensorRef ones = in_type(starts.get(), DType::Long);
  TensorRef runs = made(DType::Long, [&](Tensor* r) { ops::cumsum(r, ones.get(), dim); });
  if (TH_INDEX_BASE != 1) ops::add(runs.get(), runs.get(), TH_INDEX_BASE - 1);
  return runs;
}

// Returns the lengths of `count` runs.
TensorRef lengths_of(const TensorRef& runs, int64_t count) {
  TensorRef ones = filled_like(runs, DType::Long, 1);
  TensorRef lengths = filled(*runs, DType::Long, 1, &count, 0);
  ops::scatterAdd(lengths.get(), 0, runs.get(), ones.get());
  return lengths;
}

// Returns the numbers of the rows of a matrix, in their order.
TensorRef numbers_of_rows(const TensorRef& matrix) {
  return runs_of(filled(*matrix, DType::Byte, 1, matrix->size, 1), 0);
}

// Returns the order of the sorted rows of a matrix. Sorts by the last column first, because sorting
// is stable.
TensorRef order_of_rows(const TensorRef& matrix) {
  TensorRef order = numbers_of_rows(matrix);
  for (int64_t column = matrix->size[1]; column-- > 0;) {
    TensorRef keys = made(matrix->dtype, [&](Tensor* r) {
      ops::indexSelect(r, selected(matrix, 1, column).get(), 0, order.get());
    });
    Sorted s = sorted(keys.get(), 0);
    order = made(DType::Long, [&](Tensor* r) { ops::gather(r, order.get(), 0, s.indices.get()); });
  }
  return order;
}

// Returns 1 for each row of a sorted matrix that differs from the row before it.
TensorRef starts_of_equal_rows(const TensorRef& rows) {
  int64_t n = rows->size[0];
  TensorRef starts = filled(*rows, DType::Byte, 1, rows->size, 1);
  if (n < 2) return starts;
  TensorRef later = narrowed(starts, 0, 1, n - 1);
  if (rows->size[1] == 0) {
    ops::zero(later.get());
    return starts;
  }
  TensorRef differ = made(DType::Byte, [&](Tensor* r) {
    ops::neTensor(r, narrowed(rows, 0, 1, n - 1).get(), narrowed(rows, 0, 0, n - 1).get());
  });
  TensorRef any = empty(DType::Byte), where = empty(DType::Long);
  ops::max(any.get(), where.get(), differ.get(), 1, false);
  ops::copy(later.get(), any.get());
  return starts;
}

// The runs of equal elements of a vector.
struct Runs {
  TensorRef starts, numbers, values, lengths;
  explicit Runs(const TensorRef& t)
      : starts(starts_of_runs(t, 0)),
        numbers(runs_of(starts, 0)),
        values(made(t->dtype, [&](Tensor* r) { ops::maskedSelect(r, t.get(), starts.get()); })),
        lengths(lengths_of(numbers, values->size[0])) {}
};

// Returns a copy of the first elements of a vector: a view would keep the memory of all of them.
TensorRef first_of(const TensorRef& t, int64_t count) {
  return clone(narrowed(t, 0, 0, count).get());
}

// The results of unique for few distinct values, without sorting all elements. values is null if
// they are too many, or if t is on a device.
struct FewValues {
  TensorRef values, inverse, counts, firsts;

  explicit FewValues(Tensor* t) {
    constexpr int64_t kMostValues = 4096, kLeastElements = 256;
    const int64_t n = t->numel(), most = std::min(n / 8, kMostValues);
    if (n < kLeastElements || device_of({t})) return;
    TensorRef each(tensor_new_sized(t->dtype, 1, &most));
    inverse = TensorRef(tensor_new_sized(DType::Long, t->nDimension, t->size));
    counts = TensorRef(tensor_new_sized(DType::Long, 1, &most));
    firsts = TensorRef(tensor_new_sized(DType::Long, 1, &most));
    TensorRef in = contiguous(t);
    int64_t found = -1;
    run(Op::unique, nullptr, [&](Operands& at) {
      DistinctCall call;
      call.dtype = t->dtype;
      call.n = n;
      call.most = most;
      call.index_base = TH_INDEX_BASE;
      call.in = at.read(in.get()).data;
      call.values = at.overwrite(each.get());
      const auto indices = [&](const TensorRef& r) {
        return reinterpret_cast<int64_t*>(at.overwrite(r.get()));
      };
      call.numbers = indices(inverse);
      call.counts = indices(counts);
      call.firsts = indices(firsts);
      call.found = &found;
      return call;
    });
    if (found < 0) {
      inverse = TensorRef();  // Frees its memory before the sort.
      return;
    }
    values = first_of(each, found);
    counts = first_of(counts, found);
    firsts = first_of(firsts, found);
  }
};

// Returns the distinct values without their positions, and the numbers of elements with each of
// them unless counts is null. Null if t is on a device, or has NaN or -0.
TensorRef values_alone(Tensor* t, TensorRef* counts) {
  if (device_of({t})) return {};
  const int64_t n = t->numel();
  const size_t bits = 8 * item_size(t->dtype);
  const int64_t most = bits <= 16 ? std::min(n, int64_t{1} << bits) : n;
  TensorRef in = contiguous(t), values(tensor_new_sized(t->dtype, 1, &most));
  if (counts) *counts = TensorRef(tensor_new_sized(DType::Long, 1, &most));
  int64_t found = -1;
  run(Op::uniqueValues, nullptr, [&](Operands& at) {
    return DistinctValuesCall{
        t->dtype,
        n,
        at.read(in.get()).data,
        at.overwrite(values.get()),
        counts ? reinterpret_cast<int64_t*>(at.overwrite(counts->get())) : nullptr,
        &found};
  });
  if (found < 0) return {};
  if (counts) *counts = first_of(*counts, found);
  return first_of(values, found);
}

// The results of unique, of which those that are null are not computed.
template <class A>
void find_unique(A& a, Shapes& s, Tensor** firsts) {
  Tensor* t = a.t;
  if (t->numel() == 0) {
    const int64_t none = 0;
    s.set(a.values_, 1, &none);
    if (firsts) s.set(*firsts, 1, &none);
    s.set(a.inverse_, *t);
    s.set(a.counts_, 1, &none);
    return;
  }
  FewValues few(t);
  if (few.values) {
    if (firsts) s.set_value(*firsts, std::move(few.firsts));
    s.set_value(a.values_, std::move(few.values));
    s.set_value(a.inverse_, std::move(few.inverse));
    s.set_value(a.counts_, std::move(few.counts));
    return;
  }
  Sorted in_order = sorted(flattened(t).get(), 0);
  Runs runs(in_order.values);
  TensorRef inverse = made(DType::Long, [&](Tensor* r) { resize_as(r, *runs.numbers); });
  ops::scatter(inverse.get(), 0, in_order.indices.get(), runs.numbers.get());
  set_geometry(inverse.get(), t->nDimension, t->size, nullptr);
  if (firsts) {
    // Equal elements keep their order.
    s.set_value(*firsts, made(DType::Long, [&](Tensor* r) {
      ops::maskedSelect(r, in_order.indices.get(), runs.starts.get());
    }));
  }
  s.set_value(a.values_, std::move(runs.values));
  s.set_value(a.inverse_, std::move(inverse));
  s.set_value(a.counts_, std::move(runs.lengths));
}

// Returns the slices of dimension d as the rows of a matrix.
TensorRef matrix_of_slices(Tensor* t, int d) {
  TensorRef front = empty(t->dtype);
  ops::movedim(front.get(), t, d, 0);
  const int64_t size[] = {t->size[d], t->numel() / t->size[d]};
  return reshaped(front.get(), 2, size);
}

// The results of unique along a dimension: the first of the equal slices that follow each other,
// after sorting or in the order of t.
template <class A>
void find_unique_slices(A& a, Shapes& s, bool sort) {
  const int d = s.dim(a.dimension, *a.t);
  const int64_t n = a.t->size[d];
  if (n == 0) {
    s.set_value(a.values_, clone(a.t));
    s.set(a.inverse_, 1, &n);
    s.set(a.counts_, 1, &n);
    return;
  }
  TensorRef rows = matrix_of_slices(a.t, d);
  TensorRef order = sort ? order_of_rows(rows) : numbers_of_rows(rows);
  if (sort) {
    rows = made(a.t->dtype, [&](Tensor* r) { ops::indexSelect(r, rows.get(), 0, order.get()); });
  }
  TensorRef starts = starts_of_equal_rows(rows);
  TensorRef runs = runs_of(starts, 0);
  TensorRef firsts =
      made(DType::Long, [&](Tensor* r) { ops::maskedSelect(r, order.get(), starts.get()); });
  TensorRef inverse = shared(runs.get());
  if (sort) {
    inverse = filled_like(runs, DType::Long, 0);
    ops::scatter(inverse.get(), 0, order.get(), runs.get());
  }
  TensorRef lengths = lengths_of(runs, firsts->size[0]);
  s.set_value(a.values_,
              made(a.t->dtype, [&](Tensor* r) { ops::indexSelect(r, a.t, d, firsts.get()); }));
  s.set_value(a.inverse_, std::move(inverse));
  s.set_value(a.counts_, std::move(lengths));
}

// Gathers to r, which may lack the dimension: size 1 of the index.
void gather_one_each(Tensor* r, const TensorRef& from, int64_t dim, const TensorRef& index) {
  TensorRef to = shared(r);
  if (r->nDimension < from->nDimension) to = unsqueezed(to, dim);
  ops::gather(to.get(), from.get(), dim, index.get());
}

// Returns the element of t, in sorted order, at an index from 0.
Scalar element_of_rank(Op op, Tensor* t, int64_t rank) {
  const int64_t one = 1;
  TensorRef value(tensor_new_sized(t->dtype, 1, &one));
  TensorRef index(tensor_new_sized(DType::Long, 1, &one));
  sort_range(op, value.get(), index.get(), flattened(t).get(), {0, false, rank, 1});
  return ops::item(value.get());
}

}  // namespace

void shapes(args::argsort& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  s.set(a.ri_, *a.t);
}
void calls(args::argsort& a) {
  TensorRef values(tensor_new_sized(a.t->dtype, a.t->nDimension, a.t->size));
  SortRange all = {a.dimension, a.descendingOrder, 0, a.t->size[a.dimension]};
  sort_range(Op::argsort, values.get(), a.ri_, a.t, all);
}

void shapes(args::kthvalue& a, Shapes& s) {
  check_dim_with_elements(a, s);
  check_k(a, a.dimension, 1, s);
  set_one_each(a, s);
}
void calls(args::kthvalue& a) {
  sort_range(Op::kthvalue, a.values_, a.indices_, a.t, {a.dimension, false, a.k - 1, 1});
}

void shapes(args::median& a, Shapes& s) {
  check_dim_with_elements(a, s);
  set_one_each(a, s);
}
void calls(args::median& a) {
  const int64_t middle = (a.t->size[a.dimension] - 1) / 2;
  sort_range(Op::median, a.values_, a.indices_, a.t, {a.dimension, false, middle, 1});
}

void shapes(args::kthvalueall& a, Shapes& s) {
  if (a.k >= 1 && a.k <= a.t->numel()) return;
  s.fail(a.k, "k is %lld; expected from 1 to %lld, the number of elements", as_long(a.k),
         as_long(a.t->numel()));
}
void calls(args::kthvalueall& a) { a.returned = element_of_rank(Op::kthvalueall, a.t, a.k - 1); }

void shapes(args::medianall& a, Shapes& s) { check_elements(a, s); }
void calls(args::medianall& a) {
  a.returned = element_of_rank(Op::medianall, a.t, (a.t->numel() - 1) / 2);
}

void shapes(args::topk& a, Shapes& s) {
  a.dim = s.dim(a.dim, *a.t);
  check_k(a, a.dim, 0, s);
  int64_t size[kMaxDims];
  std::copy(a.t->size, a.t->size + a.t->nDimension, size);
  size[a.dim] = a.k;
  s.set(a.rt_, a.t->nDimension, size);
  s.set(a.ri_, a.t->nDimension, size);
}
void calls(args::topk& a) { sort_range(Op::topk, a.rt_, a.ri_, a.t, {a.dim, a.dir, 0, a.k}); }

void shapes(args::modeall& a, Shapes& s) { check_elements(a, s); }
void calls(args::modeall& a) {
  TensorRef counts, values = values_alone(a.t, &counts);
  if (values) {
    // The first of several largest counts is that of the smallest value.
    TensorRef most = empty(DType::Long), first = empty(DType::Long);
    ops::max(most.get(), first.get(), counts.get(), 0, true);
    const int64_t at = ops::item(first.get()).i - TH_INDEX_BASE;
    a.returned = ops::item(narrowed(values, 0, at, 1).get());
    return;
  }
  TensorRef value = empty(a.t->dtype), index = empty(DType::Long);
  ops::mode(value.get(), index.get(), flattened(a.t).get(), 0, true);
  a.returned = ops::item(value.get());
}

// As the mean, the median of no floating-point elements is NaN.
void shapes(args::nanmedianall& a, Shapes& s) {
  if (is_integral(a.t->dtype)) check_elements(a, s);
}
void calls(args::nanmedianall& a) {
  if (a.t->numel() == 0) {
    a.returned = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  TensorRef value = empty(a.t->dtype), index = empty(DType::Long);
  ops::nanmedian(value.get(), index.get(), flattened(a.t).get(), 0, true);
  a.returned = ops::item(value.get());
}

// Writes the medians of long rows that have different counts of numbers.
static void select_nan_medians(args::nanmedian& a, const Var& count) {
  const Var rows = rows_along(ref(a.t), a.dimension), counts = flat(count);
  const int64_t each = rows->size[0];
  TensorRef values(tensor_new_sized(a.t->dtype, 1, &each));
  TensorRef indices(tensor_new_sized(DType::Long, 1, &each));
  for (int64_t k = 0; k < each; ++k) {
    const int64_t last = std::max<int64_t>(ops::item(part(counts, 0, k, 1).get()).i - 1, 0);
    sort_range(Op::nanmedian, narrowed(values, 0, k, 1).get(), narrowed(indices, 0, k, 1).get(),
               formulas::select(rows, int64_t{0}, k).get(), {0, false, last / 2, 1});
  }
  ops::copy(a.values_, with_shape(Var(std::move(values)), *a.values_).get());
  ops::copy(a.indices_, with_shape(Var(std::move(indices)), *a.indices_).get());
}

void shapes(args::nanmedian& a, Shapes& s) {
  check_dim_with_elements(a, s);
  set_one_each(a, s);
}
void calls(args::nanmedian& a) {
  const int64_t d = a.dimension;
  const Var t = ref(a.t), count = formulas::countNonzero(formulas::eqTensor(t, t), d, true);
  const int64_t common = common_element(count);
  const int64_t middle = std::max<int64_t>(common - 1, 0) / 2;
  const SortRange range = {d, false, middle, 1};
  if (common >= 0) return sort_range(Op::nanmedian, a.values_, a.indices_, a.t, range);
  constexpr int64_t kLongRow = 4096;  // for which selection is faster than sorting
  if (a.t->size[d] >= kLongRow && !device_of({a.t})) return select_nan_medians(a, count);
  Sorted s = sorted(a.t, d);
  // Without a number the first element, which is NaN.
  const Var last = formulas::cmaxValue(count - 1, Scalar(0));
  TensorRef at = shared((formulas::floorDivideValue(last, Scalar(2)) + TH_INDEX_BASE).get());
  gather_one_each(a.values_, s.values, d, at);
  gather_one_each(a.indices_, s.indices, d, at);
}

void shapes(args::mode& a, Shapes& s) {
  check_dim_with_elements(a, s);
  set_one_each(a, s);
}
void calls(args::mode& a) {
  const int64_t d = a.dimension;
  Sorted s = sorted(a.t, d);
  TensorRef runs = runs_of(starts_of_runs(s.values, d), d);
  // counts: the length of each run, at the position given by its number.
  TensorRef ones = filled_like(runs, DType::Long, 1), counts = filled_like(runs, DType::Long, 0);
  ops::scatterAdd(counts.get(), d, runs.get(), ones.get());
  // Find the first of the longest runs, which has the smallest value, and its last element.
  TensorRef most = empty(DType::Long), longest = empty(DType::Long);
  ops::max(most.get(), longest.get(), counts.get(), d, true);
  TensorRef ends = made(DType::Long, [&](Tensor* r) { ops::cumsum(r, counts.get(), d); });
  TensorRef last =
      made(DType::Long, [&](Tensor* r) { ops::gather(r, ends.get(), d, longest.get()); });
  if (TH_INDEX_BASE != 1) ops::add(last.get(), last.get(), TH_INDEX_BASE - 1);
  gather_one_each(a.values_, s.values, d, last);
  gather_one_each(a.indices_, s.indices, d, last);
}

// The number of distinct elements is known only when the elements are sorted.
void shapes(args::unique& a, Shapes& s) { find_unique(a, s, nullptr); }
void calls(args::unique&) {}

void shapes(args::uniqueAll& a, Shapes& s) { find_unique(a, s, &a.first_); }
void calls(args::uniqueAll&) {}

void shapes(args::uniqueValues& a, Shapes& s) {
  if (a.t->numel() == 0) {
    const int64_t none = 0;
    return s.set(a.r_, 1, &none);
  }
  TensorRef alone = values_alone(a.t, nullptr);
  if (alone) return s.set_value(a.r_, std::move(alone));
  const formulas::Var values = sorted_along(flat(ref(a.t)), 0);
  TensorRef starts = starts_of_runs(view_of(values.get()), 0);
  s.set_value(
      a.r_, made(a.t->dtype, [&](Tensor* r) { ops::maskedSelect(r, values.get(), starts.get()); }));
}
void calls(args::uniqueValues&) {}

void shapes(args::uniqueCounts& a, Shapes& s) {
  TensorRef counts = empty(DType::Long), values;
  if (a.t->numel() > 0) values = values_alone(a.t, &counts);
  if (!values) {
    values = empty(a.t->dtype);
    TensorRef inverse = empty(DType::Long);
    ops::unique(values.get(), inverse.get(), counts.get(), a.t);
  }
  s.set_value(a.values_, std::move(values));
  s.set_value(a.counts_, std::move(counts));
}
void calls(args::uniqueCounts&) {}

void shapes(args::uniqueConsecutive& a, Shapes& s) {
  const int64_t none = 0;
  if (a.t->numel() == 0) {
    s.set(a.values_, 1, &none);
    s.set(a.inverse_, *a.t);
    return s.set(a.counts_, 1, &none);
  }
  Runs runs(flattened(a.t));
  s.set_value(a.values_, std::move(runs.values));
  set_geometry(runs.numbers.get(), a.t->nDimension, a.t->size, nullptr);
  s.set_value(a.inverse_, std::move(runs.numbers));
  s.set_value(a.counts_, std::move(runs.lengths));
}
void calls(args::uniqueConsecutive&) {}

void shapes(args::uniqueConsecutiveDim& a, Shapes& s) { find_unique_slices(a, s, false); }
void calls(args::uniqueConsecutiveDim&) {}

void shapes(args::uniqueDim& a, Shapes& s) { find_unique_slices(a, s, true); }
void calls(args::uniqueDim&) {}

}  // namespace th
