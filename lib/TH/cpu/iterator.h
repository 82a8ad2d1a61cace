#ifndef TH_CPU_ITERATOR_H
#define TH_CPU_ITERATOR_H

#include "cpu/loop.h"
#include "tensor/tensor.h"

namespace th {

// Drops dimensions of size 1, orders the others by the strides of operand 0, and merges what lies
// in memory as one. Sizes and strides are innermost first.
void plan_dimensions(int* ndim, int64_t* size, int operands, int64_t (*stride)[kMaxDims],
                     bool keep_order);

// Walks up to four operands of one shape together: drops dimensions of size 1, orders the rest by
// the output's strides, merges what lies in memory as one, cuts the work over threads, and hands
// runs of the innermost dimension to a loop. Operand 0 is the output.
class Iterator {
 public:
  Iterator(int ndim, const int64_t* size) : ndim_(ndim), numel_(1) {
    for (int d = 0; d < ndim; ++d) {
      size_[ndim - 1 - d] = size[d];
      numel_ *= size[d];
    }
    if (ndim == 0) numel_ = 0;
  }

  // stride in elements, per dimension of the shape given to the constructor.
  void add(char* data, size_t item, const int64_t* stride) {
    for (int d = 0; d < ndim_; ++d) {
      stride_[operands_][ndim_ - 1 - d] = stride[d] * static_cast<int64_t>(item);
    }
    data_[operands_++] = data;
  }

  int64_t numel() const { return numel_; }
  // Runs loop over all elements. grain: elements below which one thread is best.
  void run(Loop loop, const Scalar* params, int64_t grain);
  // As run, on this thread and in the order of the shape's elements.
  void run_in_order(Loop loop, const Scalar* params);

  // f(char* const* data, const int64_t* stride, int64_t n) for runs that cover elements
  // [begin, end) of the walk, in its order. After plan() only.
  template <class F>
  void for_each_run(int64_t begin, int64_t end, const F& f) const;
  void plan(bool keep_order);
  // Bytes from one element of the innermost dimension to the next, after plan().
  int64_t inner_stride(int operand) const { return ndim_ ? stride_[operand][0] : 0; }
  int64_t inner_size() const { return ndim_ ? size_[0] : numel_; }

 private:
  bool output_overlaps() const;
  bool wants_tiles() const;
  void run_tiles(Loop loop, const Scalar* params, int64_t grain);

  int ndim_;
  int operands_ = 0;
  int64_t numel_;
  char* data_[kMaxOperands];
  // Innermost dimension first.
  int64_t size_[kMaxDims];
  int64_t stride_[kMaxOperands][kMaxDims];
};

template <class F>
void Iterator::for_each_run(int64_t begin, int64_t end, const F& f) const {
  char* data[kMaxOperands];
  int64_t inner[kMaxOperands];
  int64_t index[kMaxDims];
  for (int k = 0; k < operands_; ++k) {
    data[k] = data_[k];
    inner[k] = inner_stride(k);
  }
  int64_t rest = begin;
  for (int d = 0; d < ndim_; ++d) {
    index[d] = rest % size_[d];
    rest /= size_[d];
    for (int k = 0; k < operands_; ++k) data[k] += index[d] * stride_[k][d];
  }
  int64_t width = inner_size();
  while (begin < end) {
    int64_t n = width - (ndim_ ? index[0] : 0);
    if (n > end - begin) n = end - begin;
    f(data, inner, n);
    begin += n;
    if (begin >= end) break;
    for (int k = 0; k < operands_; ++k) data[k] -= index[0] * inner[k];
    index[0] = 0;
    for (int d = 1; d < ndim_; ++d) {
      for (int k = 0; k < operands_; ++k) data[k] += stride_[k][d];
      if (++index[d] < size_[d]) break;
      for (int k = 0; k < operands_; ++k) data[k] -= size_[d] * stride_[k][d];
      index[d] = 0;
    }
  }
}

}  // namespace th

#endif
