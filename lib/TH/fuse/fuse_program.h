#ifndef TH_FUSE_FUSE_PROGRAM_H
#define TH_FUSE_FUSE_PROGRAM_H

// Compiles the element-wise part of an expression below a node to a call of the backend.

#include <vector>

#include "backend/fused_call.h"
#include "fuse/expression.h"

namespace th {

class FusedProgram {
 public:
  // leaves: the tensors of the nodes that are computed already.
  FusedProgram(const Expression& e, int root, const std::vector<TensorRef>& leaves);

  // Returns true if the program fits into one call.
  bool fits() const { return fits_; }
  // Replaces the leaves: the tensor of each node that had one.
  void rebind(Tensor* const* leaves);
  // Returns true if r shares memory with an input that has a different layout.
  bool overlaps(const Tensor& r) const;
  // Computes the elements of r on a device; null: the CPU. Returns false if the device does not
  // support the expression; then r is unchanged.
  bool run(Tensor* r, int ndim, const int64_t* size, Device* device);
  // Reduces each run of n elements, or all if n is 0, to one element of r, which is contiguous. The
  // reduction must not need a moment.
  bool reduce(Tensor* r, const KernelReduction& reduction, int ndim, const int64_t* size, int64_t n,
              Device* device);

 private:
  struct Step {
    int node;
    bool mask;  // the result of a predicate, a ByteTensor
    FusedStep call;
    int last_use = 0;
  };
  int leaf(int node);
  int step_of(const Expression& e, int node, bool mask);
  void place_buffers();
  bool run_call(Tensor* r, const KernelReduction* reduction, int ndim, const int64_t* size,
                int64_t n, Device* device);

  const std::vector<TensorRef>& values_;  // used during construction only
  DType dtype_;
  std::vector<Step> steps_;
  std::vector<Tensor*> operands_;
  std::vector<int> nodes_;  // of the operands
  int buffers_ = 0;
  bool fits_ = true;
};

}  // namespace th

#endif
