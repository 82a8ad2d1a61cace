// Reductions over several dimensions: merges them into the last dimension and reduces that.

#include <algorithm>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "tensor/checked.h"

namespace th {

namespace {

// t with the reduced dimensions merged into its last dimension.
class Merged {
 public:
  Merged(const char* name, Tensor* t, Sizes dims) : ndim_(t->nDimension) {
    bool reduced[kMaxDims] = {};
    if (dims.ndim < 1) fail_argument(3, "%s: no dimension is given", name);
    for (int k = 0; k < dims.ndim; ++k) {
      int d = wrap_dim(*t, dims.size[k], 3);
      if (reduced[d]) fail_argument(3, "%s: dimension %d is given twice", name, d + 1);
      reduced[d] = true;
    }
    int64_t order[kMaxDims], size[kMaxDims];
    int place = 0;
    int64_t n = 1;
    for (int d = 0; d < ndim_; ++d) {
      kept_sizes_[d] = reduced[d] ? 1 : t->size[d];
      if (reduced[d]) {
        n = checked_mul(n, t->size[d], "a size");
        continue;
      }
      size[place] = left_sizes_[place] = t->size[d];
      order[place++] = d;
    }
    left_ = place;
    size[left_] = n;
    for (int d = 0; d < ndim_; ++d) {
      if (reduced[d]) order[place++] = d;
    }
    if (left_ == 0) left_sizes_[0] = 1;
    if (t->numel() == 0) {
      t_ = TensorRef(tensor_new_sized(t->dtype, left_ + 1, size));
      return;
    }
    TensorRef permuted = made(t->dtype, [&](Tensor* v) { views::permute(v, t, {ndim_, order}); });
    int64_t stride[kMaxDims];
    if (!view_strides(*permuted, left_ + 1, size, stride)) {
      permuted = clone(permuted.get());
      if (!view_strides(*permuted, left_ + 1, size, stride)) fail("%s: no view", name);
    }
    t_ = TensorRef(tensor_new(t->dtype));
    set_storage(t_.get(), permuted->storage, permuted->storageOffset, left_ + 1, size, stride);
  }

  Tensor* get() const { return t_.get(); }
  int64_t dim() const { return left_; }
  // Stores result, which has the sizes of the other dimensions, in r. With keepdim the reduced
  // dimensions have size 1.
  void finish(Tensor* r, Tensor* result, bool keepdim) const {
    TensorRef seen(tensor_new(result->dtype));
    int ndim = keepdim ? ndim_ : std::max(left_, 1);
    const int64_t* size = keepdim ? kept_sizes_ : left_sizes_;
    if (result->numel() == 0) return resize(r, ndim, size);
    set_storage(seen.get(), result->storage, result->storageOffset, ndim, size, nullptr);
    deliver(r, seen.get());
  }

 private:
  int ndim_, left_;
  int64_t kept_sizes_[kMaxDims], left_sizes_[kMaxDims];
  TensorRef t_;
};

// Computes r by reduce(result, t, dim).
template <class F>
void reduce_dims(const char* name, Tensor* r, DType type, Tensor* t, Sizes dims, bool keepdim,
                 const F& reduce) {
  check_result(name, 1, *r, type);
  Merged merged(name, t, dims);
  TensorRef result = made(type, [&](Tensor* to) { reduce(to, merged.get(), merged.dim()); });
  merged.finish(r, contiguous(result.get()).get(), keepdim);
}

}  // namespace

namespace direct {

void sumDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("sum", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { sum(to, x, d, false); });
}

void prodDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("prod", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { prod(to, x, d, false); });
}

void meanDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  check_floating("mean", 2, *t);
  reduce_dims("mean", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { mean(to, x, d, false); });
}

void minDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("min", r, t->dtype, t, dims, keepdim, [](Tensor* to, Tensor* x, int64_t d) {
    min(to, empty(DType::Long).get(), x, d, false);
  });
}

void maxDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("max", r, t->dtype, t, dims, keepdim, [](Tensor* to, Tensor* x, int64_t d) {
    max(to, empty(DType::Long).get(), x, d, false);
  });
}

void varDims(Tensor* r, Tensor* t, Sizes dims, bool biased, bool keepdim) {
  check_floating("var", 2, *t);
  reduce_dims("var", r, t->dtype, t, dims, keepdim,
              [&](Tensor* to, Tensor* x, int64_t d) { var(to, x, d, biased, false); });
}

void stdDims(Tensor* r, Tensor* t, Sizes dims, bool biased, bool keepdim) {
  check_floating("std", 2, *t);
  reduce_dims("std", r, t->dtype, t, dims, keepdim,
              [&](Tensor* to, Tensor* x, int64_t d) { std(to, x, d, biased, false); });
}

void normDims(Tensor* r, Tensor* t, Scalar p, Sizes dims, bool keepdim) {
  check_floating("norm", 2, *t);
  reduce_dims("norm", r, t->dtype, t, dims, keepdim,
              [&](Tensor* to, Tensor* x, int64_t d) { norm(to, x, p, d, false); });
}

void logicalAllDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("all", r, DType::Byte, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { logicalAll(to, x, d, false); });
}

void logicalAnyDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("any", r, DType::Byte, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { logicalAny(to, x, d, false); });
}

void nansumDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  reduce_dims("nansum", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { nansum(to, x, d, false); });
}

void nanmeanDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  check_floating("nanmean", 2, *t);
  reduce_dims("nanmean", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { nanmean(to, x, d, false); });
}

void logsumexpDims(Tensor* r, Tensor* t, Sizes dims, bool keepdim) {
  check_floating("logsumexp", 2, *t);
  reduce_dims("logsumexp", r, t->dtype, t, dims, keepdim,
              [](Tensor* to, Tensor* x, int64_t d) { logsumexp(to, x, d, false); });
}

}  // namespace direct
}  // namespace th
