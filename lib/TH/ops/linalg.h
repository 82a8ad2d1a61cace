#ifndef TH_OPS_LINALG_H
#define TH_OPS_LINALG_H

// Helpers shared by the operations on LAPACK. LAPACK works in place on column-major matrices: each
// operand is copied once, to a result or to a temporary.

#include "backend/linalg_call.h"
#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// ---- for shapes(). field: the tensor or option in the arguments. name: that of the operand in
// messages.
void check_matrix(const Shapes& s, Tensor* const& field, const char* name = "A");
void check_square_matrix(const Shapes& s, Tensor* const& field, const char* name = "A");
// Accept batches of matrices, too.
void check_matrices(const Shapes& s, Tensor* const& field, const char* name = "A");
void check_square_matrices(const Shapes& s, Tensor* const& field, const char* name = "A");
// Throws if LAPACK's integers cannot hold a size.
void check_size(int64_t size);
// Checks right sides for a matrix with that many rows: a vector or a matrix.
void check_right_sides(const Shapes& s, Tensor* const& field, int64_t rows);
// Makes the option a capital letter. Throws if it is not one of `letters`.
void check_letter(const Shapes& s, char& field, const char* letters);

// Sets a result with the shape of t, which has matrices, by columns.
inline void set_columns_like(Shapes& s, Tensor*& r, const Tensor& t) {
  s.set(r, t.nDimension, t.size, Layout::columns);
}

// A shape: that of t without the last n dimensions, then others. Without any dimension it gets one
// of size 1.
struct BatchShape {
  BatchShape(const Tensor& t, int n, std::initializer_list<int64_t> others);
  int ndim;
  int64_t size[kMaxDims];
};
inline void set_batch(Shapes& s, Tensor*& r, const Tensor& t, int n,
                      std::initializer_list<int64_t> others) {
  BatchShape shape(t, n, others);
  s.set(r, shape.ndim, shape.size, Layout::separate);
}

// ---- temporaries and views. Temporaries live on `device` (null: the CPU).
TensorRef new_temporary(Device* device, DType type, const BatchShape& shape);
TensorRef new_columns(Device* device, DType type, const BatchShape& shape, int64_t leading = 0);
// Copies t to r, whose memory has no elements of other tensors.
void copy_to_new(Device* device, Tensor* r, Tensor* t);
TensorRef copy_by_columns(Device* device, Tensor* t);
TensorRef copy_by_rows(Device* device, Tensor* t);
TensorRef transposed(Tensor* t);  // the last two dimensions
// Views of the first n rows or columns. n may be up to the number of rows that have space.
TensorRef first_rows(Tensor* t, int64_t n);
TensorRef first_columns(Tensor* t, int64_t n);

// ---- matrices in calls, for reading and writing
// t has the strides of Layout::columns.
Matrices matrices(Operands& at, Tensor* t);
// The transposes of the matrices of t, which is contiguous.
Matrices transposed_matrices(Operands& at, Tensor* t);
// Matrices with one column of n elements each; t is contiguous.
Matrices column_matrices(Operands& at, Tensor* t, int64_t n);
template <class T>
T* overwrite_as(Operands& at, Tensor* t) {
  return reinterpret_cast<T*>(at.overwrite(t));
}

// ---- calls
// The meaning of a positive info.
enum class Failure {
  none,  // not an error
  singular,
  wrong_pivot,  // or singular
  zero_diagonal,
  rank,
  indefinite,
  low_rank,
  eigenvalues,
  off_diagonals,
  singular_values
};
// Throws if a call has reported a failure. a, b: the operands' names in messages.
void check_info(const Operands& at, const int* info, const Matrices& matrices, Failure failure,
                const char* a = "A", const char* b = "B");

// Memory for the info of a call.
class Info {
 public:
  int* allocate(Operands& at, const Matrices& matrices) {
    if (!at.device() && matrices.count <= kFew) return few_;
    const auto bytes = static_cast<size_t>(matrices.count) * sizeof(int);
    return reinterpret_cast<int*>(at.scratch(bytes ? bytes : sizeof(int)));
  }

 private:
  static constexpr int kFew = 16;
  int few_[kFew];  // avoids an allocation
};

// Runs the call returned by build(Operands&), and throws if it fails.
template <class Build>
void run_lapack(Op op, Device* device, Failure failure, const Build& build, const char* a = "A",
                const char* b = "B") {
  run_steps(op, device, [&](Operands& at) {
    auto call = build(at);
    Info info;
    call.info = info.allocate(at, call.a);
    if (!at.run(call)) return false;
    check_info(at, call.info, call.a, failure, a, b);
    return true;
  });
}

}  // namespace th

#endif
