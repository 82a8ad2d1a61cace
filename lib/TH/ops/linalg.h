#ifndef TH_OPS_LINALG_H
#define TH_OPS_LINALG_H

// What the operations on LAPACK share. Each works in memory of its own: its operands are kept, and
// its results are written once nothing can fail any more. The CPU does them, whatever the device.

#include <initializer_list>

#include "cpu/linalg.h"
#include "cpu/workspace.h"
#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// Matrices in host memory, by columns, one after the other: the last two dimensions of a tensor.
class Columns {
 public:
  Columns() = default;
  // Uninitialized, with the dimensions of like before the last two.
  Columns(Op op, const Tensor& like, int64_t rows, int64_t cols);
  // A copy of t; its columns have room for that many rows.
  Columns(Op op, Tensor* t, int64_t room = 0);

  bool empty() const { return tensor_->numel() == 0; }
  // Of size rows x cols, with what strides the columns have; or with rows and cols exchanged.
  TensorRef rows(int64_t n) const;
  TensorRef cols(int64_t n) const;
  TensorRef whole() const { return rows(rows_); }
  TensorRef turned() const;
  linalg::Matrices open(Operands& at) const { return open(at, rows_); }
  linalg::Matrices open(Operands& at, int64_t rows) const;

 private:
  void allocate(Op op, const Tensor& like, int64_t rows, int64_t cols, int64_t room);
  TensorRef tensor_;  // with all of the room
  int64_t rows_ = 0, cols_ = 0, room_ = 1, count_ = 0;
};

// The CPU does f(Operands&); a device declines.
template <class F>
void run_lapack(Op op, Device* device, const F& f) {
  run_steps(op, device, [&](Operands& at) {
    if (at.device()) return false;
    f(at);
    return true;
  });
}

// ---- checks: of an argument, by its number, and what messages call it
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
// A right-hand side for a matrix of so many rows; a vector as a matrix of one column.
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
// Throws where one of LAPACK's infos is not 0.
void check_info(Op op, Failure failure, const int* info, int64_t count = 1);

// ---- results, which live on the device from then on, unless that is null
// r becomes made, with its strides: a tensor without storage takes made's. Where r has the size
// already it keeps its layout if it is source, which made was computed from, or not contiguous.
void give(Device* device, Tensor* r, const TensorRef& made, const Tensor* source = nullptr);
// r becomes a contiguous tensor, or keeps the layout it has with that size.
void give_contiguous(Device* device, Tensor* r, const TensorRef& made);

TensorRef turned(Tensor* t);  // a view with the last two dimensions exchanged
TensorRef new_tensor(DType type, std::initializer_list<int64_t> size);
// The dimensions of t before the last n, and further ones; none at all become one of size 1.
TensorRef new_batch(DType type, const Tensor& t, int n, std::initializer_list<int64_t> further);

}  // namespace th

#endif
