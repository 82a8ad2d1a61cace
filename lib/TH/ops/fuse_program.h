#ifndef TH_OPS_FUSE_PROGRAM_H
#define TH_OPS_FUSE_PROGRAM_H

// The element-wise part of an expression below a node, as a call of the backend.

#include <vector>

#include "backend/fused_call.h"
#include "ops/expression.h"

namespace th {

// How a reduction is made of what its elements are, where it is known to calls.
struct FusedReduction {
  bool known;
  Reducer reducer;
  Finish finish;
};
FusedReduction fused_reduction(int index);

class FusedProgram {
 public:
  // leaves: the values of nodes that have one already.
  FusedProgram(const Expression& e, int root, const std::vector<TensorRef>& leaves);

  // Whether a call has room for it.
  bool fits() const { return fits_; }
  // The same of other leaves: those of the nodes, where they have one.
  void rebind(Tensor* const* leaves);
  // Whether r shares memory in another layout with what is read.
  bool overlaps(const Tensor& r) const;
  void run(Tensor* r, int ndim, const int64_t* size);
  // r, contiguous: of each n elements, or, where that is 0, of all.
  void reduce(Tensor* r, const FusedReduction& reduction, int ndim, const int64_t* size, int64_t n);

 private:
  struct Step {
    int node;
    bool mask;  // its result, a predicate's, is a ByteTensor
    FusedStep call;
    int last_use = 0;
  };
  int leaf(int node);
  int step_of(const Expression& e, int node, bool mask);
  void place_buffers();
  void run_call(Tensor* r, const FusedReduction* reduction, int ndim, const int64_t* size,
                int64_t n);

  const std::vector<TensorRef>& values_;  // while it is made
  DType dtype_;
  std::vector<Step> steps_;
  std::vector<Tensor*> operands_;
  std::vector<int> nodes_;  // of the operands
  int buffers_ = 0;
  bool fits_ = true;
};

}  // namespace th

#endif
