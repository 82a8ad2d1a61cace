#include "cpu/iterator.h"
#include "ops/block_counts.h"
#include "ops/elementwise.h"
#include "ops/index_on_device.h"
#include "tensor/convert.h"

namespace th {

namespace {

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

void ops::nonzero(Tensor* r, Tensor* t) {
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
  Device* device = device_of({r, t});
  if (device && nonzero_on(*device, r, t)) return;
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
    for_blocks(
        iterator.numel(), has_shared_elements(*r), [&](int64_t block, int64_t begin, int64_t end) {
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

}  // namespace th
