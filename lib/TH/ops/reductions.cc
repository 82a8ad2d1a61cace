// All forms of the reductions of THOps.def: of all elements, of one dimension and of several
// dimensions, which are merged into one.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/reduction_methods.h"
#include "ops/rows.h"
#include "tensor/checked.h"

namespace th {

namespace {

// ---- the arguments of a form --------------------------------------------------------------------

template <class A>
constexpr Op op_of(const A&) {
  return A::op;
}

// The result, and the indices or null.
template <class A, class = void>
struct Results {
  static Tensor*& values(A& a) { return a.r_; }
  static Tensor* indices(A&) { return nullptr; }
  static void set_indices(A&, Shapes&, int, const int64_t*) {}
};
template <class A>
struct Results<A, std::void_t<decltype(A::indices_)>> {
  static Tensor*& values(A& a) { return a.values_; }
  static Tensor* indices(A& a) { return a.indices_; }
  static void set_indices(A& a, Shapes& s, int ndim, const int64_t* size) {
    if (a.indices_) s.set(a.indices_, ndim, size, Layout::contiguous);
  }
};

// finish, or its biased form if the arguments request that.
template <class A>
Finish finish_of(Finish finish, const A&, long) {
  return finish;
}
template <class A>
auto finish_of(Finish finish, const A& a, int) -> decltype(a.biased, Finish()) {
  if (!a.biased) return finish;
  return finish == Finish::variance ? Finish::biased_variance : Finish::biased_deviation;
}

// ---- all elements -------------------------------------------------------------------------------

template <class A, class Method>
void shapes_of_all(A& a, Shapes& s, const Method& method) {
  if (a.t->numel() > 0 || method.reduces_empty(*a.t)) return;
  s.fail(a.t, "a tensor of size %s has no elements", shape_text(*a.t).c_str());
}

template <class A, class Method>
void calls_of_all(A& a, const Method& method) {
  a.returned = method.all(a.t);
}

// ---- one dimension ------------------------------------------------------------------------------

template <class A, class Method>
void shapes_of_one(A& a, Shapes& s, const Method& method) {
  const Tensor& t = *a.t;
  const int d = s.dim(a.dimension, t);
  if (t.size[d] == 0 && !method.reduces_empty(t)) {
    s.fail(a.t, "dimension %lld of %s has no elements", shown(d), shape_text(t).c_str());
  }
  a.dimension = d;
  int64_t size[kMaxDims];
  int ndim = 0;
  for (int k = 0; k < t.nDimension; ++k) {
    if (k != d) {
      size[ndim++] = t.size[k];
    } else if (a.keepdim || t.nDimension == 1) {
      size[ndim++] = 1;
    }
  }
  s.set(Results<A>::values(a), ndim, size, Layout::contiguous);
  Results<A>::set_indices(a, s, ndim, size);
}

template <class A, class Method>
void calls_of_one(A& a, const Method& method) {
  Tensor* r = Results<A>::values(a);
  if constexpr (std::is_same_v<KernelMethod, Method>) {
    method.along(r, a.t, static_cast<int>(a.dimension), Results<A>::indices(a));
  } else if (r->numel() > 0) {
    method.along(r, a.t, static_cast<int>(a.dimension));
  }
}

// ---- several dimensions -------------------------------------------------------------------------

// The dimensions of a tensor, divided into reduced ones and others.
struct Division {
  bool reduced[kMaxDims] = {};
  int64_t n = 1;  // number of elements of a reduction

  Division() = default;
  // number: of the argument with the dimensions.
  Division(const Tensor& t, Sizes dims, int number) {
    if (dims.ndim < 1) fail_argument(number, "at least one dimension is expected, got none");
    for (int k = 0; k < dims.ndim; ++k) {
      const int d = wrap_dim(t, dims.size[k], number);
      if (reduced[d]) fail_argument(number, "dimension %lld is given twice", shown(d));
      reduced[d] = true;
      n = checked_mul(n, t.size[d], "a size");
    }
  }
};

// Returns t with the reduced dimensions merged into its last dimension: a view if possible. If it
// is not, returns a copy, or null if !may_copy.
TensorRef merge_dims(Tensor* t, const Division& division, bool may_copy) {
  int64_t order[kMaxDims], size[kMaxDims];
  int kept = 0;
  for (int d = 0; d < t->nDimension; ++d) {
    if (division.reduced[d]) continue;
    size[kept] = t->size[d];
    order[kept++] = d;
  }
  size[kept] = division.n;
  if (t->numel() == 0) return TensorRef(tensor_new_sized(t->dtype, kept + 1, size));
  int next = kept;
  for (int d = 0; d < t->nDimension; ++d) {
    if (division.reduced[d]) order[next++] = d;
  }
  TensorRef permuted = made(t->dtype, [&](Tensor* v) {
    views::permute(v, t, {t->nDimension, order});
  });
  int64_t stride[kMaxDims];
  if (!view_strides(*permuted, kept + 1, size, stride)) {
    if (!may_copy) return TensorRef();
    permuted = clone(permuted.get());
    view_strides(*permuted, kept + 1, size, stride);
  }
  return strided_view(*permuted, permuted->storageOffset, kept + 1, size, stride);
}

// Neighbouring reduced dimensions.
struct Group : Division {
  int64_t width = 1;  // number of elements of the dimensions after them
};

// Returns the group that has the most elements.
Group largest_group(const Tensor& t, const Division& division) {
  int best_first = 0, best_end = 0;
  Group group;
  group.n = 0;
  for (int first = 0, end = 0; first < t.nDimension; first = end + 1) {
    int64_t n = 1;
    for (end = first; end < t.nDimension && division.reduced[end]; ++end) n *= t.size[end];
    if (end > first && n > group.n) {
      group.n = n;
      best_first = first;
      best_end = end;
    }
  }
  std::fill(group.reduced + best_first, group.reduced + best_end, true);
  for (int d = best_end; d < t.nDimension; ++d) group.width *= t.size[d];
  return group;
}

// Reduces dimensions that are not neighbours one group after the other, without a copy. Returns
// false if one reduction takes less time, or if the strides do not allow it.
bool reduce_in_steps(Tensor* r, Tensor* t, const Division& division, const KernelMethod& method);

template <class Method>
void reduce_several(Tensor* r, Tensor* t, const Division& division, const Method& method) {
  if constexpr (std::is_same_v<KernelMethod, Method>) {
    if (reduce_in_steps(r, t, division, method)) return;
  }
  TensorRef merged = merge_dims(t, division, true);
  method.along(r, merged.get(), merged->nDimension - 1);
}

bool reduce_in_steps(Tensor* r, Tensor* t, const Division& division, const KernelMethod& method) {
  constexpr int64_t kFewest = 16384;
  if (t->numel() < kFewest || device_of({r, t})) return false;
  const Group group = largest_group(*t, division);
  if (group.n == division.n || !method.has_steps(t->dtype, group.n, group.width)) return false;
  if (merge_dims(t, division, false)) return false;
  TensorRef inner = merge_dims(t, group, false);
  if (!inner) return false;
  const int last = inner->nDimension - 1;
  TensorRef part(tensor_new_sized(method.type_of_steps(t->dtype), last, inner->size));
  method.along(part.get(), inner.get(), last);
  Division rest;
  rest.n = division.n / group.n;
  int kept = 0;
  for (int d = 0; d < t->nDimension; ++d) {
    if (!group.reduced[d]) rest.reduced[kept++] = division.reduced[d];
  }
  reduce_several(r, part.get(), rest, method);
  return true;
}

template <class A, class Method>
void shapes_of_several(A& a, Shapes& s, const Method& method) {
  const Tensor& t = *a.t;
  const Division division(t, a.dims, s.number_of(&a.dims));
  if (division.n == 0 && !method.reduces_empty(t)) {
    s.fail(a.t, "the reduced dimensions of %s have no elements", shape_text(t).c_str());
  }
  int ndim = 0;
  int64_t size[kMaxDims];
  for (int d = 0; d < t.nDimension; ++d) {
    if (a.keepdim || !division.reduced[d]) size[ndim++] = division.reduced[d] ? 1 : t.size[d];
  }
  if (ndim == 0) size[ndim++] = 1;
  s.set(a.r_, ndim, size, Layout::contiguous);
}

template <class A, class Method>
void calls_of_several(A& a, const Method& method) {
  if (a.r_->numel() == 0) return;
  reduce_several(a.r_, a.t, Division(*a.t, a.dims, 0), method);
}

}  // namespace

// ---- the rows -----------------------------------------------------------------------------------

#define TH_OP(...)
#define TH_METHOD_kernel(reducer, finish) \
  KernelMethod(op_of(a), {Reducer::reducer, finish_of(Finish::finish, a, 0)})
#define TH_METHOD_own(Class) Class(a)
#define TH_REDUCTION_FORM(form, by, name, ...)                                      \
  void shapes(args::name& a, Shapes& s) { shapes_of_##form(a, s, TH_METHOD_##by); } \
  void calls(args::name& a) { calls_of_##form(a, TH_METHOD_##by); }
#include "THOps/reductions.def"
#undef TH_OP

namespace {

template <class A>
void reduce_and_keep(Tensor* r, Tensor* t, int64_t dim) {
  A a{};
  Results<A>::values(a) = r;
  a.t = t;
  a.dimension = dim;
  a.keepdim = true;
  call(a);
}

// Adds the rows that one kernel computes, unless the types of operand and result differ.
template <class A, class Types>
struct Adder {
  std::vector<KernelReduction>* all;

  void own() {}
  void kernel(Reducer reducer, Finish finish) {
    if (!Types::contains(DType::Float)) return;
    const bool floating = !Types::contains(DType::Int);
    all->push_back({lua_name(A::op), A::op, reducer, finish, floating, &reduce_and_keep<A>});
  }
};

const std::vector<KernelReduction>& kernel_reductions() {
  // Never destroyed: threads may use it while the process ends.
  static const auto& all = *new std::vector<KernelReduction>([] {
    std::vector<KernelReduction> rows;
#define TH_OP(...)
#define TH_ADD_kernel(reducer, finish) kernel(Reducer::reducer, Finish::finish)
#define TH_ADD_own(Class) own()
#define TH_ADD_one(by, name, types) Adder<args::name, type_set::types>{&rows}.TH_ADD_##by;
#define TH_ADD_all(...)
#define TH_ADD_several(...)
#define TH_REDUCTION_FORM(form, by, name, lua, types, ...) TH_ADD_##form(by, name, types)
#include "THOps/reductions.def"
#undef TH_OP
    return rows;
  }());
  return all;
}

template <class F>
const KernelReduction* find_if(const F& fits) {
  for (const KernelReduction& row : kernel_reductions()) {
    if (fits(row)) return &row;
  }
  return nullptr;
}

}  // namespace

const KernelReduction* find_reduction(const char* name) {
  return find_if([&](const KernelReduction& row) { return !std::strcmp(row.name, name); });
}

const KernelReduction* find_reduction(Op op) {
  return find_if([&](const KernelReduction& row) { return row.op == op; });
}

// ---- others -------------------------------------------------------------------------------------

void shapes(args::trace& a, Shapes& s) {
  if (a.t->nDimension != 2) {
    s.fail(a.t, "a matrix is expected, got size %s", shape_text(*a.t).c_str());
  }
}

void calls(args::trace& a) {
  const Tensor& t = *a.t;
  TensorRef diagonal(tensor_new(t.dtype));
  int64_t size = std::min(t.size[0], t.size[1]);
  int64_t stride = t.stride[0] + t.stride[1];
  if (size > 0) set_storage(diagonal.get(), t.storage, t.storageOffset, 1, &size, &stride);
  a.returned = KernelMethod(a.op, {Reducer::sum}).all(diagonal.get());
}

void shapes(args::dist&, Shapes&) {}

void calls(args::dist& a) {
  Paired pair = paired_views(a.a, a.b);
  const Reduction reduction = norm_of(a.value.to_double());
  const int64_t n = pair.a->numel();
  Partial partial = reduce_all(a.op, reduction, pair.a.get(), Transform::difference, pair.b.get());
  a.returned = finish_all(reduction, partial, n, pair.a->dtype);
  const Norm norm(a);
  if (norm.is_exact(a.returned.to_double(), n)) return;
  const Reduction largest = {Reducer::abs_max};
  partial = reduce_all(a.op, largest, pair.a.get(), Transform::difference, pair.b.get());
  if (partial.value.d == 0) return;
  const TensorRef x = in_type(pair.a.get(), DType::Double),
                  y = in_type(pair.b.get(), DType::Double);
  const auto subtract = [&](Tensor* r) { ops::csub(r, x.get(), 1, y.get()); };
  a.returned = norm.all(made(DType::Double, subtract).get());
}

}  // namespace th
