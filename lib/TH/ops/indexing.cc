#include "ops/indexing.h"

#include <atomic>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"

namespace th {

void check_same_type(const char* op, const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype) {
    fail("%s: a %sTensor and a %sTensor do not go together: convert one of them", op, name(a.dtype),
         name(b.dtype));
  }
}

void check_index_type(const char* op, const Tensor& index, int argument) {
  if (index.dtype != DType::Long) {
    fail_argument(argument, "%s: the indices must be a LongTensor, not a %sTensor", op,
                  name(index.dtype));
  }
}

void check_indices(const char* op, const Tensor& index, int64_t size, int dim, int argument) {
  if (index.numel() == 0) return;
  auto is_bad = [size](int64_t value) {
    return static_cast<uint64_t>(value) - TH_INDEX_BASE >= static_cast<uint64_t>(size);
  };
  Iterator iterator(index.nDimension, index.size);
  iterator.add(index.data(Access::read), sizeof(int64_t), index.stride);
  iterator.plan(true);
  std::atomic<bool> found{false};
  parallel_for(iterator.numel(), Grain::cheap, [&](int64_t begin, int64_t end) {
    uint64_t largest = 0;
    iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      const char* p = at[0];
      const int64_t step = stride[0];
      for (int64_t i = 0; i < n; ++i, p += step) {
        uint64_t position = *reinterpret_cast<const uint64_t*>(p) - TH_INDEX_BASE;
        largest = position > largest ? position : largest;
      }
    });
    bool bad = largest >= static_cast<uint64_t>(size);
    if (bad) found = true;
  });
  if (!found) return;
  iterator.for_each_run(
      0, iterator.numel(), [&](char* const* at, const int64_t* stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          int64_t value = *reinterpret_cast<const int64_t*>(at[0] + i * stride[0]);
          if (is_bad(value)) {
            fail_argument(argument, "%s: index %lld is out of range of dimension %d of size %lld",
                          op, static_cast<long long>(value), dim + 1, static_cast<long long>(size));
          }
        }
      });
}

IndexCheck::IndexCheck(const char* op, const Tensor& index, int64_t size, int dim, int argument,
                       Device* device)
    : op_(op), size_(size), dim_(dim), argument_(argument), done_(!device || on_host(index)) {
  if (done_) check_indices(op, index, size, dim, argument);
}

uint32_t IndexCheck::number_on(Device& device) const {
  if (done_) return 0;
  return device_check(device, argument_,
                      "%s: index %%lld is out of range of dimension %d of size %lld", op_, dim_ + 1,
                      static_cast<long long>(size_));
}

void IndexCheck::on_cpu(const Tensor& index) const {
  if (!done_) check_indices(op_, index, size_, dim_, argument_);
}

bool has_shared_elements(const Tensor& t) {
  // In the order of their strides, each dimension must clear what the smaller ones span.
  int order[kMaxDims];
  int count = 0;
  for (int d = 0; d < t.nDimension; ++d) {
    if (t.size[d] == 0) return false;
    if (t.size[d] > 1) order[count++] = d;
  }
  std::sort(order, order + count, [&](int a, int b) { return t.stride[a] < t.stride[b]; });
  int64_t span = 0;
  for (int i = 0; i < count; ++i) {
    int d = order[i];
    if (t.stride[d] <= span) return true;
    span += (t.size[d] - 1) * t.stride[d];
  }
  return false;
}

TensorRef kept_from(const Tensor& r, Tensor* operand) {
  if (share_storage(r, *operand)) return clone(operand);
  tensor_retain(operand);
  return TensorRef(operand);
}

void deliver(Tensor* r, Tensor* result) {
  resize_as(r, *result);
  ops::copy(r, result);
}

}  // namespace th
