// Concatenation.

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/rules.h"
#include "tensor/checked.h"

namespace th {

namespace {

// Dimensions beyond those of t have size 1.
int64_t size_of(const Tensor& t, int d) { return d < t.nDimension ? t.size[d] : 1; }

// Returns true for a tensor that is left out of a result of ndim dimensions: one without
// dimensions, or an empty vector, which programs start with (in Torch7, it has no dimensions).
bool adds_nothing(const Tensor& t, int ndim) {
  return t.nDimension == 0 || (ndim > 1 && t.nDimension == 1 && t.size[0] == 0);
}

// Sets the shape of the result, and replaces dim by the dimension from 0. field: the argument with
// the (first) input.
void set_joined(Tensor*& r, const TensorList& inputs, const void* field, int64_t* dim, Shapes* s) {
  int ndim = 0;
  for (int k = 0; k < inputs.count; ++k) ndim = std::max(ndim, inputs.tensors[k]->nDimension);
  if (ndim == 0) return s->set(r, 0, nullptr);
  // A dimension behind the last one is allowed: vectors are joined to a matrix.
  const int64_t from_0 = *dim < 0 ? *dim + ndim : *dim;
  const int d = from_0 >= 0 && from_0 < kMaxDims ? static_cast<int>(from_0) : s->dim(*dim, ndim);
  *dim = d;
  const int result_ndim = std::max(ndim, d + 1);
  int64_t size[kMaxDims];
  const Tensor* first = nullptr;
  for (int k = 0; k < inputs.count; ++k) {
    const Tensor& t = *inputs.tensors[k];
    if (adds_nothing(t, ndim)) continue;
    if (!first) {
      first = &t;
      for (int e = 0; e < result_ndim; ++e) size[e] = size_of(t, e);
      continue;
    }
    for (int e = 0; e < result_ndim; ++e) {
      if (e == d || size_of(t, e) == size[e]) continue;
      fail_argument(s->number_of(field), "sizes %s and %s differ outside dimension %lld",
                    shape_text(*first).c_str(), shape_text(t).c_str(), shown(d));
    }
    size[d] = checked_add(size[d], size_of(t, d), "a size");
  }
  s->set(r, result_ndim, size);
}

void join(Tensor* r, const TensorList& inputs, int dim) {
  // A vector pairs in order with the part of the result that it fills.
  RulesScope rules({Pairing::torch7, current_rules.torch7});
  place_result(device_of(inputs.tensors, inputs.count), r);
  int64_t offset = 0;
  TensorRef part(tensor_new(r->dtype));
  for (int k = 0; k < inputs.count; ++k) {
    Tensor* t = inputs.tensors[k];
    if (adds_nothing(*t, r->nDimension)) continue;
    const int64_t size = size_of(*t, dim);
    views::narrow(part.get(), r, dim, offset, size);
    ops::copy(part.get(), t);
    offset += size;
  }
}

template <class Arguments>
void check_some(const Arguments& a, const Shapes& s) {
  if (a.inputs.count < 1) s.fail(a.inputs, "at least one tensor is needed");
}

// Views of the inputs with at least ndim dimensions. A vector becomes a row, or a column if
// as_column; a third dimension is the last one.
class InputViews {
 public:
  InputViews(const TensorList& inputs, int ndim, bool as_column = false) {
    for (int k = 0; k < inputs.count; ++k) {
      views_.push_back(view_of(inputs.tensors[k]));
      Tensor* view = views_.back().get();
      if (view->nDimension == 1) views::unsqueeze1d(view, view, as_column ? 1 : 0);
      if (view->nDimension == 2 && ndim == 3) views::unsqueeze1d(view, view, 2);
      tensors_.push_back(view);
    }
  }
  TensorList list() { return TensorList(tensors_.data(), static_cast<int>(tensors_.size())); }

 private:
  std::vector<TensorRef> views_;
  std::vector<Tensor*> tensors_;
};

}  // namespace

void shapes(args::catArray& a, Shapes& s) {
  check_some(a, s);
  set_joined(a.result, a.inputs, &a.inputs, &a.dimension, &s);
}
void calls(args::catArray& a) { join(a.result, a.inputs, static_cast<int>(a.dimension)); }

void shapes(args::cat& a, Shapes& s) {
  Tensor* both[] = {a.ta, a.tb};
  set_joined(a.r_, TensorList(both, 2), &a.ta, &a.dimension, &s);
}
void calls(args::cat& a) {
  Tensor* both[] = {a.ta, a.tb};
  join(a.r_, TensorList(both, 2), static_cast<int>(a.dimension));
}

void shapes(args::stack& a, Shapes& s) {
  check_some(a, s);
  const Tensor& first = *a.inputs.tensors[0];
  if (first.nDimension == 0) s.fail(a.inputs, "tensors without dimensions cannot be stacked");
  for (int k = 1; k < a.inputs.count; ++k) {
    if (same_size(first, *a.inputs.tensors[k])) continue;
    s.fail(a.inputs, "the sizes %s and %s differ", shape_text(first).c_str(),
           shape_text(*a.inputs.tensors[k]).c_str());
  }
  const int d = s.dim(a.dimension, first.nDimension + 1, "result");
  a.dimension = d;
  int64_t size[kMaxDims + 1];
  std::copy(first.size, first.size + d, size);
  size[d] = a.inputs.count;
  std::copy(first.size + d, first.size + first.nDimension, size + d + 1);
  s.set(a.result, first.nDimension + 1, size);
}
void calls(args::stack& a) {
  place_result(device_of(a.inputs.tensors, a.inputs.count), a.result);
  TensorRef slice(tensor_new(a.result->dtype));
  for (int k = 0; k < a.inputs.count; ++k) {
    views::select(slice.get(), a.result, a.dimension, k);
    ops::copy(slice.get(), a.inputs.tensors[k]);
  }
}

void shapes(args::hstack& a, Shapes& s) {
  check_some(a, s);
  int64_t dim = a.inputs.tensors[0]->nDimension > 1 ? 1 : 0;
  set_joined(a.result, a.inputs, &a.inputs, &dim, &s);
}
void calls(args::hstack& a) {
  join(a.result, a.inputs, a.inputs.tensors[0]->nDimension > 1 ? 1 : 0);
}

void shapes(args::vstack& a, Shapes& s) {
  check_some(a, s);
  int64_t dim = 0;
  set_joined(a.result, InputViews(a.inputs, 2).list(), &a.inputs, &dim, &s);
}
void calls(args::vstack& a) { join(a.result, InputViews(a.inputs, 2).list(), 0); }

void shapes(args::dstack& a, Shapes& s) {
  check_some(a, s);
  int64_t dim = 2;
  set_joined(a.result, InputViews(a.inputs, 3).list(), &a.inputs, &dim, &s);
}
void calls(args::dstack& a) { join(a.result, InputViews(a.inputs, 3).list(), 2); }

void shapes(args::columnStack& a, Shapes& s) {
  check_some(a, s);
  int64_t dim = 1;
  set_joined(a.result, InputViews(a.inputs, 2, true).list(), &a.inputs, &dim, &s);
}
void calls(args::columnStack& a) { join(a.result, InputViews(a.inputs, 2, true).list(), 1); }

}  // namespace th
