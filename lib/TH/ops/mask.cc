// Elements chosen by masks of 0 and 1.

#include <cstring>
#include <string>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/block_counts.h"
#include "ops/elementwise.h"
#include "ops/index_on_device.h"
#include "tensor/convert.h"

namespace th {

namespace {

int64_t count_ones(const char* at, int64_t stride, int64_t n) {
  const auto* mask = reinterpret_cast<const uint8_t*>(at);
  int64_t ones = 0;
  if (stride == 1) {
#pragma omp simd reduction(+ : ones)
    for (int64_t i = 0; i < n; ++i) ones += mask[i];
  } else {
    for (int64_t i = 0; i < n; ++i) ones += mask[i * stride];
  }
  return ones;
}

// The mask as seen in t's sizes: expanded, or with its elements paired in order.
TensorRef mask_for(const char* what, const Tensor& t, Tensor* mask, int argument) {
  if (mask->dtype != DType::Byte) {
    fail_argument(argument, "the mask must be a ByteTensor, not a %sTensor", name(mask->dtype));
  }
  int ndim;
  int64_t size[kMaxDims], stride[kMaxDims];
  bool broadcasts =
      t.nDimension > 0 && mask->nDimension > 0 &&
      broadcast_sizes(t.nDimension, t.size, mask->nDimension, mask->size, &ndim, size) &&
      ndim == t.nDimension && std::equal(size, size + ndim, t.size);
  if (!broadcasts && mask->numel() != t.numel()) {
    fail(
        "inconsistent tensor size, expected %s %s and mask %s to have the same number of "
        "elements, but got %lld and %lld elements respectively",
        what, shape_text(t).c_str(), shape_text(*mask).c_str(), static_cast<long long>(t.numel()),
        static_cast<long long>(mask->numel()));
  }
  TensorRef seen(tensor_new(DType::Byte));
  if (broadcasts) {
    broadcast_strides(*mask, ndim, size, stride);
    set_storage(seen.get(), mask->storage, mask->storageOffset, ndim, size, stride);
  } else if (t.numel() > 0) {
    TensorRef whole = contiguous(mask);
    set_storage(seen.get(), whole->storage, whole->storageOffset, t.nDimension, t.size, nullptr);
  }
  return seen;
}

constexpr char kMessage[] = "Mask tensor can take 0 and 1 values only";

void check_mask(const Tensor& mask) {
  if (mask.numel() == 0) return;
  Iterator iterator(mask.nDimension, mask.size);
  iterator.add(mask.data(Access::read), 1, mask.stride);
  iterator.plan(false);
  BlockCounts bad(iterator, 0, [](const char* at, int64_t stride, int64_t n) {
    const auto* value = reinterpret_cast<const uint8_t*>(at);
    uint8_t all = 0;
    for (int64_t i = 0; i < n; ++i) all |= value[i * stride];
    return static_cast<int64_t>(all > 1);
  });
  if (bad.total() > 0) fail("%s", kMessage);
}

// A mask's values are 0 and 1: checked at once where they are on the host or the operation runs
// there; otherwise by the kernel.
class MaskCheck {
 public:
  MaskCheck(const Tensor& mask, Device* device) : done_(!device || on_host(mask)) {
    if (done_) check_mask(mask);
  }
  // What the kernel has to report, or 0.
  uint32_t number_on(Device& device) const {
    return done_ ? 0 : device_check(device, 0, "%s", kMessage);
  }
  // Where the CPU runs the operation after all.
  void on_cpu(const Tensor& mask) const {
    if (!done_) check_mask(mask);
  }

 private:
  bool done_;
};

template <class T>
void fill_run(T* to, int64_t stride, const char* mask, int64_t mask_stride, int64_t n, T element) {
  if (stride == sizeof(T) && mask_stride == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = mask[i] ? element : to[i];
    return;
  }
  char* at = reinterpret_cast<char*>(to);
  for (int64_t i = 0; i < n; ++i) {
    if (mask[i * mask_stride]) *reinterpret_cast<T*>(at + i * stride) = element;
  }
}

// A walk in the order of t's elements over t and its mask, operands 0 and 1.
Iterator walk(const Tensor& t, char* data, const Tensor& mask) {
  Iterator iterator(t.nDimension, t.size);
  iterator.add(data, item_size(t.dtype), t.stride);
  iterator.add(mask.data(Access::read), 1, mask.stride);
  iterator.plan(true);
  return iterator;
}

int64_t count_all_ones(const Tensor& mask) {
  Iterator iterator(mask.nDimension, mask.size);
  iterator.add(mask.data(Access::read), 1, mask.stride);
  iterator.plan(false);
  return BlockCounts(iterator, 0, count_ones).total();
}

// What follows the number of ones where a source has not enough elements.
std::string too_many(const Tensor& src) {
  return "ones, but the source of size " + shape_text(src) + " has only " +
         std::to_string(src.numel()) + " elements";
}

void check_count(int64_t ones, const Tensor& src) {
  if (ones > src.numel()) {
    fail_argument(3, "maskedCopy: the mask has %lld %s", static_cast<long long>(ones),
                  too_many(src).c_str());
  }
}

bool masked_copy_done_on(Device& device, Tensor* r, Tensor* mask, Tensor* src,
                         const MaskCheck& check) {
  uint32_t count_check = 0;
  if (on_host(*mask)) {
    check_count(count_all_ones(*mask), *src);
  } else {
    count_check =
        device_check(device, 3, "maskedCopy: the mask has %%lld %s", too_many(*src).c_str());
  }
  TensorRef source = share_storage(*r, *src) ? clone(src) : contiguous(src);
  return masked_copy_on(device, r, mask, source.get(), check.number_on(device), count_check);
}

}  // namespace

namespace ops {

void maskedFill(Tensor* r, Tensor* mask, Scalar value) {
  TensorRef seen = mask_for("tensor", *r, mask, 2);
  Device* device = device_of({r, mask});
  MaskCheck check(*seen, device);
  if (r->numel() == 0) return;
  if (share_storage(*r, *seen)) seen = clone(seen.get());
  if (device && masked_fill_on(*device, r, seen.get(), value, check.number_on(*device))) return;
  check.on_cpu(*seen);
  Iterator iterator = walk(*r, r->data(Access::write), *seen);
  int64_t grain = has_shared_elements(*r) ? iterator.numel() : Grain::cheap;
  uint64_t bits = element_bits(r->dtype, value);
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T element;
    std::memcpy(&element, &bits, sizeof(element));
    parallel_for(iterator.numel(), grain, [&](int64_t begin, int64_t end) {
      iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        fill_run(reinterpret_cast<T*>(at[0]), stride[0], at[1], stride[1], n, element);
      });
    });
  });
}

void maskedCopy(Tensor* r, Tensor* mask, Tensor* src) {
  check_same_type("maskedCopy", *r, *src);
  TensorRef seen = mask_for("tensor", *r, mask, 2);
  Device* device = device_of({r, mask, src});
  MaskCheck check(*seen, device);
  if (r->numel() == 0) return;
  if (share_storage(*r, *seen)) seen = clone(seen.get());
  if (device && masked_copy_done_on(*device, r, seen.get(), src, check)) return;
  check.on_cpu(*seen);
  Iterator iterator = walk(*r, r->data(Access::read), *seen);
  BlockCounts ones(iterator, 1, count_ones);
  check_count(ones.total(), *src);
  if (ones.total() == 0) return;
  TensorRef source = share_storage(*r, *src) ? clone(src) : contiguous(src);
  const char* from = source->data(Access::read);
  iterator = walk(*r, r->data(Access::write), *seen);
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_blocks(
        iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin, int64_t end) {
          const T* next = reinterpret_cast<const T*>(from) + ones.before(block);
          const T* last = reinterpret_cast<const T*>(from) + ones.before_element(end);
          iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
            // Without a branch on the mask, which no processor could foresee.
            for (int64_t i = 0; i < n && next != last; ++i) {
              T* to = reinterpret_cast<T*>(at[0] + i * stride[0]);
              T old = *to, candidate = *next;
              char chosen = at[1][i * stride[1]];
              *to = chosen ? candidate : old;
              next += chosen;
            }
          });
        });
  });
}

void maskedSelect(Tensor* r, Tensor* t, Tensor* mask) {
  check_same_type("maskedSelect", *r, *t);
  TensorRef seen = mask_for("src", *t, mask, 3);
  Device* device = device_of({r, t, mask});
  MaskCheck check(*seen, device);
  if (needs_temporary(*r, *t, *seen)) {
    TensorRef result(tensor_new(r->dtype));
    maskedSelect(result.get(), t, mask);
    deliver(r, result.get());
    return;
  }
  int64_t none = 0;
  if (t->numel() == 0) {
    resize(r, 1, &none);
    return;
  }
  if (device) {
    int64_t known = on_host(*seen) ? count_all_ones(*seen) : -1;
    if (masked_select_on(*device, r, t, seen.get(), known, check.number_on(*device))) return;
  }
  check.on_cpu(*seen);
  Iterator iterator = walk(*t, t->data(Access::read), *seen);
  BlockCounts ones(iterator, 1, count_ones);
  int64_t total = ones.total();
  resize(r, 1, &total);
  if (total == 0) return;
  char* to = r->data(access_for_result(*r));
  int64_t step = r->stride[0];
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_blocks(
        iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin, int64_t end) {
          T* data = reinterpret_cast<T*>(to);
          int64_t next = ones.before(block), last = ones.before_element(end);
          iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
            // What is not chosen is written over by what is.
            for (int64_t i = 0; i < n && next != last; ++i) {
              data[next * step] = *reinterpret_cast<const T*>(at[0] + i * stride[0]);
              next += at[1][i * stride[1]];
            }
          });
        });
  });
}

}  // namespace ops
}  // namespace th
