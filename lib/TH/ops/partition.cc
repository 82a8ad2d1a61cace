// Partial sorts.

#include <algorithm>

#include "ops/formula_operations.h"
#include "ops/sort.h"

namespace th {
namespace {

// Returns true if finding element k and masks take less time than sorting, which is fast for bytes
// and for few elements. Rows of matrices need few elements on one side.
bool can_partition(const args::argpartition& a) {
  const int64_t n = a.t->size[a.dimension], side = std::min(a.k, n - a.k + 1);
  const bool is_wide = a.t->dtype == DType::Float || a.t->dtype == DType::Double;
  if (item_size(a.t->dtype) == 1 || device_of({a.ri_, a.t})) return false;
  if (a.t->numel() == n) return n >= (is_wide ? 4096 : 16384);
  return n >= 1000 && side <= n / 256;
}

// Writes the selected indices of each row to r, from column `first` on. Each row has `count`.
void write_selected(const Var& r, int64_t first, int64_t count, const Var& index, const Var& mask) {
  if (count == 0) return;
  const Var to = part(r, int64_t{r->nDimension - 1}, first, count);
  ops::copy(to.get(), with_shape(formulas::maskedSelect(index, mask), *to).get());
}

// Returns false if the k-th element of a row is NaN: NaN is the largest element, but comparisons
// with it are false.
bool partition(const args::argpartition& a) {
  using namespace formulas;
  const int64_t last = a.t->nDimension - 1, n = a.t->size[a.dimension];
  const Var t = transpose(ref(a.t), a.dimension, last);
  TensorRef value = empty(t->dtype), at = empty(DType::Long), numbers = empty(DType::Long);
  ops::kthvalue(value.get(), at.get(), t.get(), a.k, last, true);
  if (ops::countNonzeroall(neTensor(ref(value.get()), ref(value.get())).get()).i > 0) return false;
  ops::range(numbers.get(), int64_t{TH_INDEX_BASE}, n - 1 + TH_INDEX_BASE, int64_t{1});
  const auto like_t = [&](const TensorRef& x) { return Var(expanded(x, *t)); };
  const Var v = like_t(value), i = like_t(at), index = like_t(numbers);
  // Equal elements are in the order of their indices, as in stable sorting. So each row has k - 1
  // elements before the k-th one.
  const Var tie = cbitand(eqTensor(t, v), ltTensor(index, i));
  const Var before = cbitor(ltTensor(t, v), tie);
  const Var after = eqValue(cbitor(before, eqTensor(index, i)), Scalar(0));
  const Var r = transpose(ref(a.ri_), a.dimension, last);
  write_selected(r, 0, a.k - 1, index, before);
  ops::copy(part(r, last, a.k - 1, 1).get(), at.get());
  write_selected(r, a.k, n - a.k, index, after);
  return true;
}

}  // namespace

void shapes(args::argpartition& a, Shapes& s) {
  a.dimension = s.dim(a.dimension, *a.t);
  check_k(a, a.dimension, 1, s);
  s.set(a.ri_, *a.t);
}
void calls(args::argpartition& a) {
  if (!can_partition(a) || !partition(a)) ops::argsort(a.ri_, a.t, a.dimension, false);
}

}  // namespace th
