// Operations on sets of elements.

#include <algorithm>

#include "ops/formula_operations.h"
#include "ops/tracer.h"

namespace th {

namespace {

using namespace formulas;

// Returns 1 for each element of t that is among the values, which are integers from `least` to
// `most`, by a table of the integers in between.
Var is_marked(const Var& t, const Var& values, int64_t least, int64_t most) {
  const auto index_of = [&](const Var& x) {
    return flat(as(x, DType::Long)) - Scalar(least) + Scalar(TH_INDEX_BASE);
  };
  const int64_t size = most - least + 1;
  const Var table = filled(t, DType::Byte, 1, &size, 0);
  ops::scatterFill(table.get(), 0, index_of(values).get(), 1);
  const auto marks_of = [&](const Var& x) {
    const Var inside = cmul(geValue(x, Scalar(least)), leValue(x, Scalar(most)));
    const Var nearest = clamp(x, Scalar(least), Scalar(most));
    return cmul(gather(table, int64_t{0}, index_of(nearest)), inside);
  };
  // The indices take 8 bytes for each element, so they are computed for a part that fits into a
  // cache.
  constexpr int64_t kPart = 1 << 17;
  const Var all = flat(t);
  const int64_t n = all->numel();
  if (n <= 4 * kPart || device_of({t.get()})) return with_shape(marks_of(all), *t);
  Var r(filled(*t, DType::Byte, 1, &n, 0));
  for (int64_t first = 0; first < n; first += kPart) {
    const int64_t count = std::min(kPart, n - first);
    ops::copy(part(r, 0, first, count).get(), marks_of(part(all, 0, first, count)).get());
  }
  return with_shape(r, *t);
}

// Returns 1 for each element of t that is among the values, else 0.
Var is_among(const Var& t, const Var& values) {
  if (t->numel() == 0 || values->numel() == 0) {
    return filled(t, DType::Byte, t->nDimension, t->size, 0);
  }
  // Comparing with each of few values takes less time than searching.
  const int64_t count = values->numel();
  const bool few = count <= 4 || (count <= 16 && t->numel() / count >= 50);
  if (few && !device_of({values.get()}) && !tracing()) {
    const Var list = flat(values);
    Var found;
    for (int64_t k = 0; k < list->numel(); ++k) {
      const Var same = eqValue(t, ops::item(part(list, 0, k, 1).get()));
      if (!found) {
        found = same;
      } else {
        ops::cbitor(found.get(), found.get(), same.get());
      }
    }
    return found;
  }
  // Reading the limits from a device takes longer than the search.
  if (is_integral(t->dtype) && !device_of({values.get()}) && !tracing()) {
    const int64_t least = ops::minall(values.get()).i, most = ops::maxall(values.get()).i;
    // The table has no more elements than the operands.
    const int64_t limit = t->numel() + values->numel();
    const auto range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
    if (range < static_cast<uint64_t>(limit)) return is_marked(t, values, least, most);
  }
  const Var in_order = sorted_along(flat(values), 0);
  const Var position = cminValue(searchsorted(in_order, flat(t), false),
                                 Scalar(values->numel() - 1 + TH_INDEX_BASE));
  const Var nearest = indexSelect(in_order, int64_t{0}, position);
  return eqTensor(with_shape(nearest, *t), t);
}

Var distinct(Tensor* t) { return uniqueValues(ref(t)); }

}  // namespace

void shapes(args::uniqueInverse& a, Shapes& s) {
  TensorRef values = empty(a.t->dtype), inverse = empty(DType::Long), counts = empty(DType::Long);
  ops::unique(values.get(), inverse.get(), counts.get(), a.t);
  s.set_value(a.values_, std::move(values));
  s.set_value(a.inverse_, std::move(inverse));
}
void calls(args::uniqueInverse&) {}

void shapes(args::isin& a, Shapes& s) {
  const Var found = is_among(ref(a.t), ref(a.values));
  give(s, a.r_, a.invert ? logicalNot(found) : found);
}
void calls(args::isin&) {}

void shapes(args::isinValue& a, Shapes& s) {
  give(s, a.r_, a.invert ? neValue(ref(a.t), a.value) : eqValue(ref(a.t), a.value));
}
void calls(args::isinValue&) {}

void shapes(args::setUnion& a, Shapes& s) {
  give(s, a.r_, uniqueValues(cat(flat(ref(a.a)), flat(ref(a.b)), int64_t{0})));
}
void calls(args::setUnion&) {}

void shapes(args::setIntersection& a, Shapes& s) {
  const Var values = distinct(a.a);
  give(s, a.r_, maskedSelect(values, is_among(values, ref(a.b))));
}
void calls(args::setIntersection&) {}

void shapes(args::setDifference& a, Shapes& s) {
  const Var values = distinct(a.a);
  give(s, a.r_, maskedSelect(values, logicalNot(is_among(values, ref(a.b)))));
}
void calls(args::setDifference&) {}

}  // namespace th
