// Running sums and products.

#include <algorithm>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/reduce.h"

namespace th {

namespace {

void run_scan(ScanKernel kernel, Tensor* r, Tensor* t, int dim) {
  auto item = static_cast<int64_t>(item_size(t->dtype));
  int64_t n = t->size[dim];
  // The dimensions that stay; at least one.
  int ndim = 1;
  int64_t size[kMaxDims + 1] = {1};
  int64_t in_stride[kMaxDims + 1] = {0};
  int64_t out_stride[kMaxDims + 1] = {0};
  for (int d = 0; d < t->nDimension; ++d) {
    if (d == dim) continue;
    size[ndim] = t->size[d];
    in_stride[ndim] = t->stride[d];
    out_stride[ndim++] = r->stride[d];
  }
  Iterator iterator(ndim, size);
  iterator.add(r->data(Access::write), item_size(r->dtype), out_stride);
  iterator.add(t->data(Access::read), item_size(t->dtype), in_stride);
  iterator.plan(false);
  int64_t grain = std::max<int64_t>(1, Grain::cheap / n);
  parallel_for(iterator.numel(), grain, [&](int64_t begin, int64_t end) {
    iterator.for_each_run(begin, end, [&](char* const* data, const int64_t* stride, int64_t count) {
      for (int64_t k = 0; k < count; k += kReduceWidth) {
        ScanCall call = {data[1] + k * stride[1],
                         t->stride[dim] * item,
                         stride[1],
                         data[0] + k * stride[0],
                         r->stride[dim] * item,
                         stride[0],
                         n,
                         std::min(kReduceWidth, count - k)};
        kernel(call);
      }
    });
  });
}

void scan(const char* name, const ScanKernel* kernels, Tensor* r, Tensor* t, int64_t dim) {
  check_result(name, 1, *r, t->dtype);
  int d = wrap_dim(*t, dim, 3);
  ScanKernel kernel = kernels[static_cast<int>(t->dtype)];
  if (r != t) resize_as(r, *t);
  if (t->numel() == 0) return;
  if (partly_overlap(*r, *t) || has_repeats(*r)) {
    TensorRef temporary(tensor_new_sized(t->dtype, t->nDimension, t->size));
    run_scan(kernel, temporary.get(), t, d);
    ops::copy(r, temporary.get());
    return;
  }
  run_scan(kernel, r, t, d);
}

}  // namespace

namespace ops {

void cumsum(Tensor* r, Tensor* t, int64_t dim) { scan("cumsum", scan_kernels().sum, r, t, dim); }

void cumprod(Tensor* r, Tensor* t, int64_t dim) { scan("cumprod", scan_kernels().prod, r, t, dim); }

}  // namespace ops
}  // namespace th
