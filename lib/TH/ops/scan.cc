// Running sums and products.

#include <algorithm>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/device_operands.h"
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

// Columns shorter than this, or as many, are well run along in memory order.
constexpr int64_t kLongColumn = 256;
constexpr int64_t kManyColumns = 8192;

void scan_on_device(Device& device, bool product, Tensor* r, Tensor* t, int dim) {
  DeviceScanCall call = {};
  call.dtype = t->dtype;
  call.product = product;
  call.outer = call.inner = 1;
  call.n = t->size[dim];
  for (int d = 0; d < t->nDimension; ++d) {
    if (d != dim) (d < dim ? call.outer : call.inner) *= t->size[d];
  }
  TensorRef from(tensor_new_view(t)), to(tensor_new_view(r));
  if (call.inner > 1 && call.n >= kLongColumn && call.outer * call.inner < kManyColumns) {
    call.outer *= call.inner;
    call.inner = 1;
    ops::transpose(from.get(), t, dim, t->nDimension - 1);
    ops::transpose(to.get(), r, dim, t->nDimension - 1);
  }
  TensorRef in = packed(device, from.get());
  PackedResult out(device, to.get());
  call.in = data_on(device, *in, Access::read);
  call.out = out.data();
  device.run(DeviceOp::scan, &call);
  out.finish();
}

struct Scan {
  const char* name;
  bool product;
  const TypeTable<ScanKernel>& kernels;
};

void scan(const Scan& op, Tensor* r, Tensor* t, int64_t dim) {
  check_result(op.name, 1, *r, t->dtype);
  int d = wrap_dim(*t, dim, 3);
  ScanKernel kernel = op.kernels[t->dtype];
  if (r != t) resize_as(r, *t);
  if (t->numel() == 0) return;
  Device* device = device_of({r, t});
  TensorRef temporary;
  if (partly_overlap(*r, *t) || has_repeats(*r)) {
    temporary = TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size));
  }
  Tensor* to = temporary ? temporary.get() : r;
  if (device) {
    scan_on_device(*device, op.product, to, t, d);
  } else {
    run_scan(kernel, to, t, d);
  }
  if (temporary) ops::copy(r, to);
}

}  // namespace

namespace ops {

void cumsum(Tensor* r, Tensor* t, int64_t dim) {
  scan({"cumsum", false, scan_kernels().sum}, r, t, dim);
}

void cumprod(Tensor* r, Tensor* t, int64_t dim) {
  scan({"cumprod", true, scan_kernels().prod}, r, t, dim);
}

}  // namespace ops
}  // namespace th
