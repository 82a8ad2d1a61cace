// Operations based on sorting: elements by rank, most frequent and distinct elements.

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "ops/composed.h"

namespace th {

namespace {

struct Sorted {
  TensorRef values, indices;
};

Sorted sorted(Tensor* t, int64_t dim, bool descending) {
  Sorted s = {empty(t->dtype), empty(DType::Long)};
  ops::sort(s.values.get(), s.indices.get(), t, dim, descending);
  return s;
}

// Returns count elements of the sorted order, starting with `first`. t is not empty.
Sorted sorted_range(Op op, Tensor* t, int dim, bool descending, int64_t first, int64_t count) {
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  size[dim] = count;
  Sorted s = {TensorRef(tensor_new_sized(t->dtype, t->nDimension, size)),
              TensorRef(tensor_new_sized(DType::Long, t->nDimension, size))};
  if (s.values->numel() == 0) return s;
  run(op, device_of({t}), [&](Operands& at) {
    constexpr auto index_item = static_cast<int64_t>(sizeof(int64_t));
    auto item = static_cast<int64_t>(item_size(t->dtype));
    Placed in = at.read(t);
    SortCall call;
    call.dtype = t->dtype;
    call.descending = descending;
    call.n = t->size[dim];
    call.first = first;
    call.count = count;
    call.value_step = s.values->stride[dim] * item;
    call.index_step = s.indices->stride[dim] * index_item;
    call.in_step = in.tensor->stride[dim] * item;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(t->nDimension, t->size, dim);
    call.plan.add(at.overwrite(s.values.get()), item, s.values->stride);
    call.plan.add(at.overwrite(s.indices.get()), index_item, s.indices->stride);
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.plan();
    return call;
  });
  return s;
}

void check_values_and_indices(const char* name, const Tensor* values, const Tensor* indices,
                              const Tensor& t) {
  check_result(name, 1, *values, t.dtype);
  check_result(name, 2, *indices, DType::Long);
  if (values == indices) fail_argument(2, "%s: values and indices must be two tensors", name);
}

// Without keepdim the dimension, which has size 1, is removed.
void deliver_both(Tensor* values, Tensor* indices, const Sorted& from, int dim, bool keepdim) {
  if (keepdim) return deliver({{values, from.values.get()}, {indices, from.indices.get()}});
  TensorRef value = without(from.values, dim), index = without(from.indices, dim);
  deliver({{values, value.get()}, {indices, index.get()}});
}

// Returns the dimension from 0. Throws if its size is 0.
int dim_with_elements(const char* name, const Tensor& t, int64_t dim, int t_argument,
                      int dim_argument) {
  int d = wrap_dim(t, dim, dim_argument);
  if (t.size[d] == 0) {
    fail_argument(t_argument, "%s: dimension %d of %s has no element", name, d + 1,
                  shape_text(t).c_str());
  }
  return d;
}

// Returns 1 for each element that differs from the one before it, along a dimension of sorted
// values.
TensorRef starts_of_runs(const TensorRef& values, int dim) {
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
TensorRef runs_of(const TensorRef& starts, int dim) {
  TensorRef ones = in_type(starts.get(), DType::Long);
  TensorRef runs = made(DType::Long, [&](Tensor* r) { ops::cumsum(r, ones.get(), dim); });
  if (TH_INDEX_BASE != 1) ops::add(runs.get(), runs.get(), TH_INDEX_BASE - 1);
  return runs;
}

}  // namespace

namespace direct {

void kthvalue(Tensor* values, Tensor* indices, Tensor* t, int64_t k, int64_t dim, bool keepdim) {
  check_values_and_indices("kthvalue", values, indices, *t);
  int d = dim_with_elements("kthvalue", *t, dim, 3, 5);
  if (k < 1 || k > t->size[d]) {
    fail_argument(4, "kthvalue: k is %lld, dimension %d of %s has %lld elements",
                  static_cast<long long>(k), d + 1, shape_text(*t).c_str(),
                  static_cast<long long>(t->size[d]));
  }
  deliver_both(values, indices, sorted_range(Op::kthvalue, t, d, false, k - 1, 1), d, keepdim);
}

void median(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  check_values_and_indices("median", values, indices, *t);
  int d = dim_with_elements("median", *t, dim, 3, 4);
  int64_t middle = (t->size[d] - 1) / 2;
  deliver_both(values, indices, sorted_range(Op::median, t, d, false, middle, 1), d, keepdim);
}

Scalar medianall(Tensor* t) {
  int64_t n = t->numel();
  if (n == 0) {
    fail_argument(1, "median: a tensor of size %s has no element", shape_text(*t).c_str());
  }
  Sorted middle = sorted_range(Op::medianall, flattened(t).get(), 0, false, (n - 1) / 2, 1);
  return sumall(middle.values.get());
}

void mode(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  check_values_and_indices("mode", values, indices, *t);
  int d = dim_with_elements("mode", *t, dim, 3, 4);
  Sorted s = sorted(t, d, false);
  TensorRef runs = runs_of(starts_of_runs(s.values, d), d);
  // counts: the length of each run, at the position given by its number.
  TensorRef ones = filled_like(runs, DType::Long, 1), counts = filled_like(runs, DType::Long, 0);
  scatterAdd(counts.get(), d, runs.get(), ones.get());
  // Find the first of the longest runs, which has the smallest value, and its last element.
  TensorRef most = empty(DType::Long), longest = empty(DType::Long);
  max(most.get(), longest.get(), counts.get(), d, true);
  TensorRef ends = made(DType::Long, [&](Tensor* r) { cumsum(r, counts.get(), d); });
  TensorRef last = made(DType::Long, [&](Tensor* r) { gather(r, ends.get(), d, longest.get()); });
  if (TH_INDEX_BASE != 1) add(last.get(), last.get(), TH_INDEX_BASE - 1);
  auto found = [&](const TensorRef& from) {
    TensorRef r = made(from->dtype, [&](Tensor* to) { gather(to, from.get(), d, last.get()); });
    return keepdim ? std::move(r) : without(r, d);
  };
  TensorRef value = found(s.values), index = found(s.indices);
  deliver({{values, value.get()}, {indices, index.get()}});
}

void topk(Tensor* values, Tensor* indices, Tensor* t, int64_t k, int64_t dim, bool largest, bool) {
  check_values_and_indices("topk", values, indices, *t);
  int d = wrap_dim(*t, dim, 5);
  if (k < 1 || k > t->size[d]) {
    fail_argument(4, "topk: k is %lld, dimension %d of %s has %lld elements",
                  static_cast<long long>(k), d + 1, shape_text(*t).c_str(),
                  static_cast<long long>(t->size[d]));
  }
  deliver_both(values, indices, sorted_range(Op::topk, t, d, largest, 0, k), d, true);
}

void argsort(Tensor* indices, Tensor* t, int64_t dim, bool descending) {
  check_result("argsort", 1, *indices, DType::Long);
  int d = wrap_dim(*t, dim, 3);
  deliver(indices, sorted(t, d, descending).indices.get());
}

namespace {

void check_unique_results(const Tensor* values, const Tensor* inverse, const Tensor* counts,
                          const Tensor& t) {
  check_result("unique", 1, *values, t.dtype);
  check_result("unique", 2, *inverse, DType::Long);
  check_result("unique", 3, *counts, DType::Long);
  if (inverse == values || counts == values || counts == inverse) {
    fail_argument(2, "unique: values, inverse and counts must be three tensors");
  }
}

// Returns the lengths of `count` runs.
TensorRef lengths_of(const TensorRef& runs, int64_t count) {
  TensorRef ones = filled_like(runs, DType::Long, 1);
  TensorRef lengths = filled(*runs, DType::Long, 1, &count, 0);
  scatterAdd(lengths.get(), 0, runs.get(), ones.get());
  return lengths;
}

// Returns the order of the sorted rows of a matrix. Sorts by the last column first, because sorting
// is stable.
TensorRef order_of_rows(const TensorRef& matrix) {
  TensorRef order = filled(*matrix, DType::Long, 1, matrix->size, 1);
  cumsum(order.get(), order.get(), 0);
  if (TH_INDEX_BASE != 1) add(order.get(), order.get(), TH_INDEX_BASE - 1);
  for (int64_t column = matrix->size[1]; column-- > 0;) {
    TensorRef keys = made(matrix->dtype, [&](Tensor* r) {
      indexSelect(r, selected(matrix, 1, column).get(), 0, order.get());
    });
    Sorted s = sorted(keys.get(), 0, false);
    order = made(DType::Long, [&](Tensor* r) { gather(r, order.get(), 0, s.indices.get()); });
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
    zero(later.get());
    return starts;
  }
  TensorRef differ = made(DType::Byte, [&](Tensor* r) {
    neTensor(r, narrowed(rows, 0, 1, n - 1).get(), narrowed(rows, 0, 0, n - 1).get());
  });
  TensorRef any = empty(DType::Byte), where = empty(DType::Long);
  max(any.get(), where.get(), differ.get(), 1, false);
  copy(later.get(), any.get());
  return starts;
}

}  // namespace

void unique(Tensor* values, Tensor* inverse, Tensor* counts, Tensor* t) {
  check_unique_results(values, inverse, counts, *t);
  TensorRef flat = flattened(t);
  TensorRef back(tensor_new_sized(DType::Long, t->nDimension, t->size));
  if (t->numel() == 0) {
    TensorRef none = made(DType::Long, [&](Tensor* r) { resize_as(r, *flat); });
    return deliver({{values, flat.get()}, {inverse, back.get()}, {counts, none.get()}});
  }
  Sorted s = sorted(flat.get(), 0, false);
  TensorRef starts = starts_of_runs(s.values, 0);
  TensorRef runs = runs_of(starts, 0);
  TensorRef distinct =
      made(t->dtype, [&](Tensor* r) { maskedSelect(r, s.values.get(), starts.get()); });
  TensorRef in_order = made(DType::Long, [&](Tensor* r) { resize_as(r, *runs); });
  scatter(in_order.get(), 0, s.indices.get(), runs.get());
  set_geometry(in_order.get(), t->nDimension, t->size, nullptr);
  copy(back.get(), in_order.get());
  TensorRef lengths = lengths_of(runs, distinct->size[0]);
  deliver({{values, distinct.get()}, {inverse, back.get()}, {counts, lengths.get()}});
}

void uniqueDim(Tensor* values, Tensor* inverse, Tensor* counts, Tensor* t, int64_t dim) {
  check_unique_results(values, inverse, counts, *t);
  int d = wrap_dim(*t, dim, 5);
  int64_t n = t->size[d];
  if (n == 0) {
    TensorRef same = clone(t);
    TensorRef none(tensor_new_sized(DType::Long, 1, &n));
    return deliver({{values, same.get()}, {inverse, none.get()}, {counts, none.get()}});
  }
  TensorRef front = empty(t->dtype);
  movedim(front.get(), t, d, 0);
  const int64_t size[] = {n, t->numel() / n};
  TensorRef matrix = reshaped(front.get(), 2, size);
  TensorRef order = order_of_rows(matrix);
  TensorRef rows = made(t->dtype, [&](Tensor* r) { indexSelect(r, matrix.get(), 0, order.get()); });
  TensorRef starts = starts_of_equal_rows(rows);
  TensorRef runs = runs_of(starts, 0);
  TensorRef firsts =
      made(DType::Long, [&](Tensor* r) { maskedSelect(r, order.get(), starts.get()); });
  TensorRef distinct = made(t->dtype, [&](Tensor* r) { indexSelect(r, t, d, firsts.get()); });
  TensorRef back = filled_like(runs, DType::Long, 0);
  scatter(back.get(), 0, order.get(), runs.get());
  TensorRef lengths = lengths_of(runs, firsts->size[0]);
  deliver({{values, distinct.get()}, {inverse, back.get()}, {counts, lengths.get()}});
}

}  // namespace direct
}  // namespace th
