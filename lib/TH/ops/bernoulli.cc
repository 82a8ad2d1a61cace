// 0 or 1 by a tensor of probabilities.

#include "cpu/iterator.h"
#include "ops/device_operands.h"
#include "ops/distributions.h"
#include "ops/elementwise.h"
#include "ops/generator.h"
#include "ops/ops.h"
#include "tensor/convert.h"

namespace th {

namespace {

// p as seen in r's sizes.
TensorRef probabilities_for(Tensor* r, Tensor* p) {
  Tensor* shapes[] = {r, p};
  int ndim;
  int64_t size[kMaxDims], stride[kMaxDims];
  bool pairs = !elementwise_shape("bernoulli", shapes, 2, r, &ndim, size);
  TensorRef view;
  if (pairs || partly_overlap(*r, *p)) {
    view = clone(p);
    if (pairs) set_geometry(view.get(), ndim, size, nullptr);
    p = view.get();
  }
  broadcast_strides(*p, ndim, size, stride);
  TensorRef seen(tensor_new(p->dtype));
  set_storage(seen.get(), p->storage, p->storageOffset, ndim, size, stride);
  return seen;
}

template <class P>
void check_probabilities(const Tensor& p) {
  Iterator iterator(p.nDimension, p.size);
  iterator.add(p.data(Access::read), sizeof(P), p.stride);
  iterator.plan(true);
  iterator.for_each_run(0, p.numel(), [](char* const* at, const int64_t* stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      check_bernoulli(*reinterpret_cast<const P*>(at[0] + i * stride[0]), 3);
    }
  });
}

bool draw_on_device(Tensor* r, Generator* g, Tensor* p, bool is_checked) {
  Device* device = device_of({r, p});
  if (!device) return false;
  BernoulliCall call = {};
  TensorRef in_order = packed(*device, p);
  PackedResult out(*device, r);
  call.dtype = r->dtype;
  call.p_dtype = p->dtype;
  call.n = r->numel();
  call.place = g->take(static_cast<uint64_t>(call.n));
  call.p = data_on(*device, *in_order, Access::read);
  call.out = out.data();
  if (!is_checked) {
    call.check = device_check(*device, 3, "bernoulli: element %%lld of p is not from 0 to 1");
  }
  device->run(DeviceOp::bernoulli, &call);
  out.finish();
  return true;
}

template <class P>
void bernoulli_by_tensor(Tensor* r, Generator* g, Tensor* p) {
  TensorRef seen = probabilities_for(r, p);
  int64_t numel = r->numel();
  if (numel == 0) return;
  bool is_checked = !device_of({r, p}) || on_host(*seen);
  if (is_checked) check_probabilities<P>(*seen);
  if (draw_on_device(r, g, seen.get(), is_checked)) return;
  char* from = seen->data(Access::read);
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    Iterator iterator(r->nDimension, r->size);
    iterator.add(r->data(Access::write), sizeof(T), r->stride);
    iterator.add(from, sizeof(P), seen->stride);
    iterator.plan(true);
    iterator.for_each_run(0, numel, [&](char* const* at, const int64_t* stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        P probability = *reinterpret_cast<const P*>(at[1] + i * stride[1]);
        int value = bernoulli_of(g->unit(), probability);
        *reinterpret_cast<T*>(at[0] + i * stride[0]) = convert<T>(value);
      }
    });
  });
}

}  // namespace

namespace ops {

void bernoulli_FloatTensor(Tensor* r, Generator* g, Tensor* p) {
  bernoulli_by_tensor<float>(r, g, p);
}

void bernoulli_DoubleTensor(Tensor* r, Generator* g, Tensor* p) {
  bernoulli_by_tensor<double>(r, g, p);
}

}  // namespace ops
}  // namespace th
