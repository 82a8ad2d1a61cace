// Elements chosen by masks of 0 and 1, and the places of those that are not 0.

#include <cstring>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/buffer.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Elements are counted by blocks, so that each block knows where its results go.
constexpr int64_t kBlock = 32768;

// Calls f(block, begin, end) for the blocks of n elements, in parallel, or for all as one where
// what is written may be one place in memory.
template <class F>
void for_blocks(int64_t n, bool in_order, const F& f) {
  if (in_order) return f(int64_t{0}, int64_t{0}, n);
  parallel_for((n + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) f(b, b * kBlock, std::min(n, (b + 1) * kBlock));
  });
}

// How many elements before each block, and in all, count(data, stride, n) counts.
class BlockCounts {
 public:
  template <class F>
  BlockCounts(const Iterator& elements, int operand, const F& count)
      : blocks_((elements.numel() + kBlock - 1) / kBlock), before_(blocks_ + 1) {
    for_blocks(elements.numel(), false, [&](int64_t b, int64_t begin, int64_t end) {
      int64_t counted = 0;
      elements.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        counted += count(at[operand], stride[operand], n);
      });
      before_[b] = counted;
    });
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks_; ++b) {
      int64_t counted = before_[b];
      before_[b] = sum;
      sum += counted;
    }
    before_[blocks_] = sum;
  }
  int64_t before(int64_t block) const { return before_[block]; }
  // The same by the number of an element, the first of a block or the one after the last.
  int64_t before_element(int64_t element) const {
    return before_[(element + kBlock - 1) / kBlock];
  }
  int64_t total() const { return before_[blocks_]; }

 private:
  int64_t blocks_;
  Buffer<int64_t> before_;
};

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
  bool broadcasts = t.nDimension > 0 && mask->nDimension > 0 &&
                    broadcast_sizes(t.nDimension, t.size, mask->nDimension, mask->size, &ndim,
                                    size) &&
                    ndim == t.nDimension && std::equal(size, size + ndim, t.size);
  if (!broadcasts && mask->numel() != t.numel()) {
    fail("inconsistent tensor size, expected %s %s and mask %s to have the same number of "
         "elements, but got %lld and %lld elements respectively", what, shape_text(t).c_str(),
         shape_text(*mask).c_str(), static_cast<long long>(t.numel()),
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
  if (bad.total() > 0) fail("Mask tensor can take 0 and 1 values only");
}

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

template <class T>
bool is_nonzero(T x) {
  if constexpr (IsReduced<T>::value) {
    return (x.x & 0x7fff) != 0;
  } else {
    return x != 0;
  }
}

template <class T>
int64_t count_nonzero(const char* at, int64_t stride, int64_t n) {
  int64_t found = 0;
  if (stride == sizeof(T)) {
    const T* x = reinterpret_cast<const T*>(at);
#pragma omp simd reduction(+ : found)
    for (int64_t i = 0; i < n; ++i) found += is_nonzero(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      found += is_nonzero(*reinterpret_cast<const T*>(at + i * stride));
    }
  }
  return found;
}

// Writes the indices of elements, whose numbers in order it is given, as rows of a matrix.
class Subscripts {
 public:
  Subscripts(const Tensor& t, const Tensor& rows, int64_t* data)
      : ndim_(t.nDimension), size_(t.size), rows_(rows), data_(data) {}

  void write(int64_t row, int64_t element) {
    int64_t width = size_[ndim_ - 1];
    if (element - line_ >= width || line_ < 0) {
      int64_t rest = element / width;
      line_ = rest * width;
      for (int d = ndim_ - 2; d >= 0; --d) {
        outer_[d] = rest % size_[d] + TH_INDEX_BASE;
        rest /= size_[d];
      }
    }
    int64_t* to = data_ + row * rows_.stride[0];
    for (int d = 0; d < ndim_ - 1; ++d) to[d * rows_.stride[1]] = outer_[d];
    to[(ndim_ - 1) * rows_.stride[1]] = element - line_ + TH_INDEX_BASE;
  }

 private:
  int ndim_;
  const int64_t* size_;
  const Tensor& rows_;
  int64_t* data_;
  int64_t line_ = -1;  // number of the first element of the line last written from
  int64_t outer_[kMaxDims];
};

}  // namespace

namespace ops {

void maskedFill(Tensor* r, Tensor* mask, Scalar value) {
  TensorRef seen = mask_for("tensor", *r, mask, 2);
  check_mask(*seen);
  if (r->numel() == 0) return;
  if (share_storage(*r, *seen)) seen = clone(seen.get());
  Iterator iterator = walk(*r, r->data(Access::write), *seen);
  int64_t grain = has_shared_elements(*r) ? iterator.numel() : Grain::cheap;
  // The element, as item_size bytes.
  uint64_t bits = 0;
  dispatch(r->dtype, [&](auto zero) {
    auto element = convert<decltype(zero)>(value);
    std::memcpy(&bits, &element, sizeof(element));
  });
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
  check_mask(*seen);
  if (r->numel() == 0) return;
  if (share_storage(*r, *seen)) seen = clone(seen.get());
  Iterator iterator = walk(*r, r->data(Access::read), *seen);
  BlockCounts ones(iterator, 1, count_ones);
  if (ones.total() > src->numel()) {
    fail_argument(3, "maskedCopy: the mask has %lld ones, but the source of size %s has only %lld "
                  "elements", static_cast<long long>(ones.total()), shape_text(*src).c_str(),
                  static_cast<long long>(src->numel()));
  }
  if (ones.total() == 0) return;
  TensorRef source = share_storage(*r, *src) ? clone(src) : contiguous(src);
  const char* from = source->data(Access::read);
  iterator = walk(*r, r->data(Access::write), *seen);
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_blocks(iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin,
                                                              int64_t end) {
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
  check_mask(*seen);
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
  Iterator iterator = walk(*t, t->data(Access::read), *seen);
  BlockCounts ones(iterator, 1, count_ones);
  int64_t total = ones.total();
  resize(r, 1, &total);
  if (total == 0) return;
  char* to = r->data(access_for_result(*r));
  int64_t step = r->stride[0];
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_blocks(iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin,
                                                              int64_t end) {
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

void nonzero(Tensor* r, Tensor* t) {
  check_index_type("nonzero", *r, 1);
  int64_t size[] = {0, t->nDimension};
  if (t->numel() == 0) {
    resize(r, 2, size);
    return;
  }
  if (needs_temporary(*r, *t)) {
    TensorRef result(tensor_new(r->dtype));
    nonzero(result.get(), t);
    deliver(r, result.get());
    return;
  }
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    Iterator iterator(t->nDimension, t->size);
    iterator.add(t->data(Access::read), sizeof(T), t->stride);
    iterator.plan(true);
    BlockCounts found(iterator, 0, count_nonzero<T>);
    size[0] = found.total();
    resize(r, 2, size);
    if (size[0] == 0) return;
    auto* data = r->data_as<int64_t>(access_for_result(*r));
    for_blocks(iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin,
                                                              int64_t end) {
      Subscripts subscripts(*t, *r, data);
      int64_t row = found.before(block), element = begin;
      iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          if (is_nonzero(*reinterpret_cast<const T*>(at[0] + i * stride[0]))) {
            subscripts.write(row++, element + i);
          }
        }
        element += n;
      });
    });
  });
}

}  // namespace ops
}  // namespace th
