// The dot product: blocks by index, whose sums are added in a fixed tree.

#include <algorithm>

#include "cpu/parallel.h"
#include "cpu/product_kernels.h"
#include "memory/error.h"
#include "ops/ops.h"
#include "ops/reduce_on_device.h"

namespace th::ops {

namespace {

constexpr int64_t kMaxBlocks = 256;

// The sums of the blocks; n is at least 1.
template <class Sum, class Dot>
Sum sum_of_blocks(int64_t n, const Dot& dot) {
  // A multiple of the kernel's lanes and its buffers.
  int64_t length = std::max(Grain::cheap, (n / kMaxBlocks / 256 + 1) * 256);
  int64_t blocks = (n + length - 1) / length;
  Sum sums[kMaxBlocks];
  if (blocks == 1) {
    dot(0, n, sums);
    return sums[0];
  }
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      dot(k * length, std::min(length, n - k * length), sums + k);
    }
  });
  while (blocks > 1) {
    int64_t half = (blocks + 1) / 2;
    for (int64_t k = 0; k < blocks / 2; ++k) sums[k] += sums[k + half];
    blocks = half;
  }
  return sums[0];
}

// t's elements, in order.
TensorRef as_vector(Tensor* t) {
  if (t->nDimension == 1) {
    tensor_retain(t);
    return TensorRef(t);
  }
  TensorRef whole = contiguous(t);
  TensorRef vector(tensor_new(t->dtype));
  int64_t n = t->numel();
  set_storage(vector.get(), whole->storage, whole->storageOffset, 1, &n, nullptr);
  return vector;
}

}  // namespace

Scalar dot(Tensor* a, Tensor* b) {
  if (a->dtype != b->dtype) {
    fail("dot: a %sTensor and a %sTensor do not go together", name(a->dtype), name(b->dtype));
  }
  int64_t n = a->numel();
  if (n != b->numel()) {
    fail(
        "inconsistent tensor size, expected tensor %s and src %s to have the same number of "
        "elements, but got %lld and %lld elements respectively",
        shape_text(*a).c_str(), shape_text(*b).c_str(), static_cast<long long>(n),
        static_cast<long long>(b->numel()));
  }
  bool integral = is_integral(a->dtype);
  if (n == 0) return integral ? Scalar(0) : Scalar(0.0);
  if (Device* device = device_of({a, b})) {
    Partial sum;
    if (reduce_all_on(*device, {Reducer::sum}, Pairing::product, *as_vector(a), as_vector(b).get(),
                      &sum)) {
      return integral ? Scalar(sum.value.i) : Scalar(sum.value.d);
    }
  }
  TensorRef copies[2];
  const char* data[2];
  int64_t stride[2];
  int64_t item = static_cast<int64_t>(item_size(a->dtype));
  Tensor* operands[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    Tensor* t = operands[k];
    bool is_vector = t->nDimension == 1;
    if (!is_vector && !is_contiguous(*t)) {
      copies[k] = clone(t);
      t = copies[k].get();
    }
    data[k] = t->data(Access::read);
    stride[k] = is_vector ? t->stride[0] * item : item;
  }
  auto kernel = product_kernels().dot[static_cast<int>(a->dtype)];
  auto block = [&](int64_t first, int64_t count, void* sum) {
    kernel(data[0] + first * stride[0], stride[0], data[1] + first * stride[1], stride[1], count,
           sum);
  };
  // Wrapping, like all arithmetic on integers: sums of unsigned numbers.
  if (integral) return Scalar(static_cast<int64_t>(sum_of_blocks<uint64_t>(n, block)));
  return Scalar(sum_of_blocks<double>(n, block));
}

}  // namespace th::ops
