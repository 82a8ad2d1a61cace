#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/rules.h"
#include "tensor/checked.h"

namespace th::direct {

void catArray(Tensor* r, TensorList inputs, int64_t dim) {
  // Parts go to where they belong, whatever pairs in the caller's eyes.
  RulesScope own({Pairing::torch7, current_rules.torch7});
  if (inputs.count < 1) fail_argument(2, "cat: at least one tensor is needed");
  int ndim = 0;
  bool aliases = false;
  for (int k = 0; k < inputs.count; ++k) {
    Tensor* t = inputs.tensors[k];
    if (t->dtype != r->dtype) {
      fail_argument(2, "cat: a %sTensor cannot be put into a %sTensor", name(t->dtype),
                    name(r->dtype));
    }
    ndim = std::max(ndim, t->nDimension);
    aliases = aliases || t == r || (t->storage && t->storage == r->storage);
  }
  if (ndim == 0) {
    resize(r, 0, nullptr);
    return;
  }
  // Counting from the back, vectors may also be joined along a new last dimension.
  int64_t wanted = dim < 0 ? dim + ndim : dim;
  if (wanted < 0 || wanted >= kMaxDims) wrap_dim(ndim, dim, 4);
  int d = static_cast<int>(wanted);
  int result_ndim = std::max(ndim, d + 1);
  auto size_of = [](const Tensor* t, int e) { return e < t->nDimension ? t->size[e] : 1; };

  int64_t size[kMaxDims];
  const Tensor* first = nullptr;
  for (int k = 0; k < inputs.count; ++k) {
    const Tensor* t = inputs.tensors[k];
    if (t->nDimension == 0) continue;  // Torch7's empty tensor adds nothing
    if (!first) {
      first = t;
      for (int e = 0; e < result_ndim; ++e) size[e] = size_of(t, e);
      continue;
    }
    for (int e = 0; e < result_ndim; ++e) {
      if (e != d && size_of(t, e) != size[e]) {
        fail_argument(2, "cat: sizes %s and %s differ outside dimension %lld",
                      shape_text(*first).c_str(), shape_text(*t).c_str(), shown(d));
      }
    }
    size[d] = checked_add(size[d], size_of(t, d), "cat: a size");
  }
  if (aliases) {
    TensorRef temporary(tensor_new(r->dtype));
    catArray(temporary.get(), inputs, dim);
    resize(r, result_ndim, size);
    copy(r, temporary.get());
    return;
  }
  resize(r, result_ndim, size);
  int64_t offset = 0;
  TensorRef part(tensor_new(r->dtype));
  for (int k = 0; k < inputs.count; ++k) {
    Tensor* t = inputs.tensors[k];
    if (t->nDimension == 0) continue;
    narrow(part.get(), r, d, offset, size_of(t, d));
    copy(part.get(), t);
    offset += size_of(t, d);
  }
}

void cat(Tensor* r, Tensor* a, Tensor* b, int64_t dim) {
  Tensor* both[] = {a, b};
  catArray(r, TensorList(both, 2), dim);
}

}  // namespace th::direct
