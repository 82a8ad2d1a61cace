// Access to single elements with an index for each position.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/formula_operations.h"
#include "tensor/checked.h"

namespace th {

namespace {

// Returns true if index has as many dimensions as t, and is not larger in any. Dimension `except`
// may be larger.
bool fits_in(const Tensor& index, const Tensor& t, int64_t except = -1) {
  bool fits = index.nDimension == t.nDimension;
  for (int d = 0; fits && d < t.nDimension; ++d) {
    fits = index.size[d] <= t.size[d] || d == except;
  }
  return fits;
}

template <class Arguments>
void check_fits(const Arguments& a, const Tensor& t, const Shapes& s) {
  if (fits_in(*a.index, t, a.dim)) return;
  s.fail(a.index, "indices of size %s do not fit a tensor of size %s along dimension %lld",
         shape_text(*a.index).c_str(), shape_text(t).c_str(), shown(a.dim));
}

// The shapes of the operations that write to the positions of an index.
template <class Arguments>
void check_index(Arguments& a, const Shapes& s) {
  a.dim = s.dim(a.dim, *a.tensor);
  check_fits(a, *a.tensor, s);
}
template <class Arguments>
void check_index_and_source(Arguments& a, const Shapes& s) {
  check_index(a, s);
  if (fits_in(*a.index, *a.src)) return;
  s.fail(a.src, "indices of size %s do not fit a source of size %s", shape_text(*a.index).c_str(),
         shape_text(*a.src).c_str());
}

template <class Arguments>
void scatter_from(const Arguments& a, ScatterAction action) {
  scatter_by(indices_of(a, *a.tensor, IndexShape::full), action, a.tensor, a.src, 0);
}

}  // namespace

void shapes(args::gather& a, Shapes& s) {
  a.dim = s.dim(a.dim, *a.src);
  check_fits(a, *a.src, s);
  check_indices(indices_of(a, *a.src, IndexShape::full), *a.src, *a.tensor);
  s.set(a.tensor, *a.index);
}
void calls(args::gather& a) { gather_by(indices_of(a, *a.src, IndexShape::full), a.tensor, a.src); }

void shapes(args::scatter& a, Shapes& s) { check_index_and_source(a, s); }
void calls(args::scatter& a) { scatter_from(a, ScatterAction::move); }

void shapes(args::scatterAdd& a, Shapes& s) { check_index_and_source(a, s); }
void calls(args::scatterAdd& a) { scatter_from(a, ScatterAction::add); }

void shapes(args::scatterFill& a, Shapes& s) { check_index(a, s); }
void calls(args::scatterFill& a) {
  scatter_by(indices_of(a, *a.tensor, IndexShape::full), ScatterAction::fill, a.tensor, nullptr,
             a.val);
}

// ---- reductions to the positions of an index ----------------------------------------------------

void shapes(args::scatterProd& a, Shapes& s) { check_index_and_source(a, s); }
void calls(args::scatterProd& a) { scatter_from(a, ScatterAction::multiply); }
void shapes(args::scatterMax& a, Shapes& s) { check_index_and_source(a, s); }
void calls(args::scatterMax& a) { scatter_from(a, ScatterAction::larger); }
void shapes(args::scatterMin& a, Shapes& s) { check_index_and_source(a, s); }
void calls(args::scatterMin& a) { scatter_from(a, ScatterAction::smaller); }

namespace {

struct IndexReduction {
  const char* name;
  // The value without any element; an infinity stands for the limit of an integer type.
  double neutral;
  void (*run)(Tensor* r, int64_t dim, Tensor* index, Tensor* src);
};
constexpr IndexReduction kIndexReductions[] = {{"sum", 0, &ops::scatterAdd},
                                               {"mean", 0, &ops::scatterAdd},
                                               {"prod", 1, &ops::scatterProd},
                                               {"amax", -HUGE_VAL, &ops::scatterMax},
                                               {"amin", HUGE_VAL, &ops::scatterMin}};

const IndexReduction* find_index_reduction(const char* name) {
  for (const IndexReduction& r : kIndexReductions) {
    if (!std::strcmp(name, r.name)) return &r;
  }
  return nullptr;
}

template <class A>
void check_reduction(const A& a, const Shapes& s) {
  if (find_index_reduction(a.reduce)) return;
  s.fail(a.reduce, "'sum', 'mean', 'prod', 'amax' or 'amin' is expected, got '%s'", a.reduce);
}

Scalar neutral_of(const IndexReduction& reduction, DType type) {
  if (!is_integral(type) || std::isfinite(reduction.neutral)) return reduction.neutral;
  return dispatch(type, [&](auto zero) -> Scalar {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      return static_cast<int64_t>(reduction.neutral < 0 ? Limits::lowest() : Limits::max());
    } else {
      return 0;
    }
  });
}

// The type in which sums and products of elements are computed. Means of integers fit into their
// type, but the sums may not.
DType type_of_reduction(const char* name, DType type) {
  if (!std::strcmp(name, "amax") || !std::strcmp(name, "amin")) return type;
  return is_integral(type) && !std::strcmp(name, "mean") ? DType::Long : compute_type(type);
}

// index: of the shape of src.
void reduce_by_index(Tensor* r, int64_t dim, Tensor* index, Tensor* src, const char* name,
                     bool include_self) {
  const DType type = type_of_reduction(name, r->dtype);
  if (type != r->dtype) {
    TensorRef wide = in_type(r, type), source = in_type(src, type);
    reduce_by_index(wide.get(), dim, index, source.get(), name, include_self);
    return ops::copy(r, wide.get());
  }
  const IndexReduction& reduction = *find_index_reduction(name);
  if (!include_self) ops::scatterFill(r, dim, index, neutral_of(reduction, r->dtype));
  reduction.run(r, dim, index, src);
  if (std::strcmp(name, "mean")) return;
  // Elements to which no index points keep their values: they are divided by 1.
  const Var ones = filled(ref(src), 1), counts = filled(ref(r), include_self ? 1 : 0);
  ops::scatterAdd(counts.get(), dim, index, ones.get());
  const Var divisors = formulas::cmaxValue(counts, Scalar(1));
  if (is_integral(r->dtype)) {
    ops::floorDivide(r, r, divisors.get());
  } else {
    ops::cdiv(r, r, divisors.get());
  }
}

}  // namespace

void shapes(args::scatterReduce& a, Shapes& s) {
  check_index_and_source(a, s);
  check_reduction(a, s);
}
void calls(args::scatterReduce& a) {
  // The elements of the source that belong to the index.
  TensorRef source = shared(a.src);
  for (int d = 0; d < a.index->nDimension; ++d) {
    source = narrowed(source, d, 0, a.index->size[d]);
  }
  reduce_by_index(a.tensor, a.dim, a.index, source.get(), a.reduce, a.includeSelf);
}

void shapes(args::indexReduce& a, Shapes& s) {
  const Tensor &t = *a.tensor, &src = *a.src;
  a.dim = s.dim(a.dim, t);
  check_reduction(a, s);
  bool fits = a.index->nDimension == 1 && src.nDimension == t.nDimension;
  for (int d = 0; fits && d < t.nDimension; ++d) {
    fits = src.size[d] == (d == a.dim ? a.index->size[0] : t.size[d]);
  }
  if (fits) return;
  s.fail(a.src, "indices of size %s and a source of size %s do not fit a tensor of size %s",
         shape_text(*a.index).c_str(), shape_text(src).c_str(), shape_text(t).c_str());
}
void calls(args::indexReduce& a) {
  if (a.src->numel() == 0) return;
  int64_t size[kMaxDims];
  std::fill(size, size + a.src->nDimension, 1);
  size[a.dim] = a.index->size[0];
  const Var index = with_shape(ref(a.index), a.src->nDimension, size);
  const Var whole = formulas::expand(index, Sizes{a.src->nDimension, a.src->size});
  reduce_by_index(a.tensor, a.dim, whole.get(), a.src, a.reduce, a.includeSelf);
}

void shapes(args::takeAlongDim& a, Shapes& s) {
  const Tensor &t = *a.t, &index = *a.index;
  a.dimension = s.dim(a.dimension, t);
  int ndim = t.nDimension;
  int64_t from[kMaxDims], by[kMaxDims], size[kMaxDims];
  std::copy(t.size, t.size + ndim, from);
  bool fits = index.nDimension == ndim;
  if (fits) {
    std::copy(index.size, index.size + ndim, by);
    from[a.dimension] = by[a.dimension] = 1;
    fits = broadcast_sizes(ndim, from, ndim, by, &ndim, size);
  }
  if (!fits) {
    s.fail(a.index, "indices of size %s do not fit a tensor of size %s along dimension %lld",
           shape_text(index).c_str(), shape_text(t).c_str(), shown(a.dimension));
  }
  size[a.dimension] = index.size[a.dimension];
  s.set(a.r_, ndim, size);
}
void calls(args::takeAlongDim& a) {
  Tensor* r = a.r_;
  int64_t size[kMaxDims];
  std::copy(r->size, r->size + r->nDimension, size);
  TensorRef indices = view_of(a.index), source = view_of(a.t);
  views::expand(indices.get(), a.index, {r->nDimension, size});
  size[a.dimension] = a.t->size[a.dimension];
  views::expand(source.get(), a.t, {r->nDimension, size});
  ops::gather(r, source.get(), a.dimension, indices.get());
}

void shapes(args::takeAlong& a, Shapes& s) {
  int64_t count = a.index->numel();
  s.set(a.r_, 1, &count);
}
void calls(args::takeAlong& a) {
  int64_t n = a.t->numel(), count = a.index->numel();
  ops::gather(a.r_, reshaped(a.t, 1, &n).get(), 0, reshaped(a.index, 1, &count).get());
}

void shapes(args::oneHot& a, Shapes& s) {
  const Tensor& index = *a.index;
  int ndim = index.nDimension;
  if (ndim == 0) s.fail(a.index, "indices are expected, got a tensor without dimensions");
  int64_t classes = a.n;
  if (index.numel() == 0) {
    if (classes < 1) s.fail(a.index, "the index is empty: the number of classes is required");
  } else {
    const int64_t base = TH_INDEX_BASE;
    int64_t least = ops::minall(a.index).i, greatest = ops::maxall(a.index).i;
    if (classes < 1) {
      classes = checked_add(std::max(greatest, base) - base, 1, "the number of classes");
    }
    if (least < base || greatest - base >= classes) {
      s.fail(a.index, "index %lld is out of range of %lld classes",
             as_long(least < base ? least : greatest), as_long(classes));
    }
  }
  int64_t size[kMaxDims + 1];
  std::copy(index.size, index.size + ndim, size);
  size[ndim] = classes;
  s.set(a.r_, ndim + 1, size, Layout::contiguous);
}
void calls(args::oneHot& a) {
  place_result(device_of({a.index}), a.r_);
  ops::zero(a.r_);
  TensorRef positions(tensor_new(DType::Long));
  views::unsqueeze1d(positions.get(), a.index, a.index->nDimension);
  ops::scatterFill(a.r_, a.index->nDimension, positions.get(), 1);
}

}  // namespace th
