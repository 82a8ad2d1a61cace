#ifndef TH_OPS_LINALG_H
#define TH_OPS_LINALG_H

// Helpers shared by the operations on LAPACK. They work on copies of their operands and write the
// results when nothing can fail any more. They run on the CPU, also for tensors on a device.

#include <initializer_list>

#include "cpu/linalg.h"
#include "cpu/workspace.h"
#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// A batch of column-major matrices in host memory, from the last two dimensions of a tensor.
class Columns {
 public:
  Columns() = default;
  // Allocates uninitialized matrices; the batch dimensions are those of `like`, without its last
  // two.
  Columns(Op op, const Tensor& like, int64_t rows, int64_t cols);
  // Copies t. Each column has space for at least `room` rows.
  Columns(Op op, Tensor* t, int64_t room = 0);

  bool empty() const { return tensor_->numel() == 0; }
  // Views of the first n rows, or columns, with the strides of the whole; turned(): transposed.
  TensorRef rows(int64_t n) const;
  TensorRef cols(int64_t n) const;
  TensorRef whole() const { return rows(rows_); }
  TensorRef turned() const;
  linalg::Matrices open(Operands& at) const { return open(at, rows_); }
  linalg::Matrices open(Operands& at, int64_t rows) const;

 private:
  void allocate(Op op, const Tensor& like, int64_t rows, int64_t cols, int64_t room);
  TensorRef tensor_;  // includes the unused rows
  int64_t rows_ = 0, cols_ = 0, room_ = 1, count_ = 0;
};

// Runs f(Operands&) on the CPU; unsupported on devices.
template <class F>
void run_lapack(Op op, Device* device, const F& f) {
  run_steps(op, device, [&](Operands& at) {
    if (at.device()) return false;
    f(at);
    return true;
  });
}

// ---- checks; Named: an argument's position and its name in messages
struct Named {
  int argument;
  const char* name;
};
void check_types(Op op, DType type, std::initializer_list<const Tensor*> tensors);
void check_distinct(Op op, std::initializer_list<const Tensor*> results);
void check_matrix(Op op, Named named, const Tensor& t);
void check_square(Op op, Named named, const Tensor& t);
void check_matrices(Op op, Named named, const Tensor& t);         // at least two dimensions
void check_square_matrices(Op op, Named named, const Tensor& t);  // likewise
char check_letter(Op op, int argument, char letter, const char* letters);
// Returns the right-hand side for a matrix with that many rows. A vector becomes a one-column
// matrix.
TensorRef right_side(Op op, Named named, Tensor* b, int64_t rows);
void check_finite(Op op, const char* name, const linalg::Matrices& a,
                  linalg::Part part = linalg::Part::all);

enum class Failure {
  singular,
  zero_diagonal,
  rank,
  indefinite,
  eigenvalues,
  off_diagonals,
  values
};
// Throws if one of LAPACK's info values is not 0.
void check_info(Op op, Failure failure, const int* info, int64_t count = 1);

// ---- results; they are placed on `device` (null: the CPU)
// Stores made in r, with made's strides: a tensor without storage takes over made's storage. If r
// has the right size already, it keeps its layout if it is source (from which made was computed) or
// not contiguous.
void give(Device* device, Tensor* r, const TensorRef& made, const Tensor* source = nullptr);
// Stores made in r, contiguous unless r has the right size already; then r keeps its layout.
void give_contiguous(Device* device, Tensor* r, const TensorRef& made);

TensorRef turned(Tensor* t);  // a view with the last two dimensions swapped
TensorRef new_tensor(DType type, std::initializer_list<int64_t> size);
// Returns a new tensor: the dimensions of t without the last n, then `further`. Without any
// dimension it gets one of size 1.
TensorRef new_batch(DType type, const Tensor& t, int n, std::initializer_list<int64_t> further);

}  // namespace th

#endif
