#ifndef TH_SIMT_LONG_PRODUCT_H
#define TH_SIMT_LONG_PRODUCT_H

#include <optional>

#include "simt/queue.h"

namespace th {

// A product without a sum over batches: the sum of b products of m x k by k x n matrices is one
// product of m x bk by bk x n matrices. Factors that cannot be read in this shape are copied.
// The copies live as long as this object.
class LongProduct {
 public:
  LongProduct(Queue& queue, const ProductCall& call);
  const ProductCall& call() const { return call_; }

 private:
  struct Strides {
    int64_t batch, depth;  // depth: along the sums
    int64_t lane, lanes;   // along the rows of a or the columns of b
  };
  bool merge(Strides* strides) const;
  char* copy(Queue& queue, const char* data, const Strides& from, const Strides& to,
             std::optional<Scratch>* scratch) const;

  ProductCall call_;
  std::optional<Scratch> a_, b_;
};

}  // namespace th

#endif
