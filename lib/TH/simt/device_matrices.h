#ifndef TH_SIMT_DEVICE_MATRICES_H
#define TH_SIMT_DEVICE_MATRICES_H

// Kernels on batches of matrices, for simt/linalg_*.cc. Each function queues its kernels. Matrices
// may be empty.

#include "backend/linalg_call.h"
#include "simt/queue.h"

namespace th::device_matrices {

// Checks of the operands of a call. info becomes 0 for all matrices. The first check that fails
// writes the info of the matrices that fail it; later checks write nothing.
class OperandChecks {
 public:
  OperandChecks(Queue& queue, int64_t count, int* info);
  // Elements of the part are finite; else info is -operand.
  void finite(const Matrices& a, int operand, Part part = Part::all);
  // Pivots are numbers of rows; else info is rows + the first one that is not.
  void pivots(const Matrices& lu, const int* pivots);
  // No element on the diagonal is 0; else info is the number of the first one, from 1. except:
  // null, or a number for each matrix; only those with 0 are checked.
  void diagonal(const Matrices& a, const int* except = nullptr);
  // Waits for the checks. After that, the operation can still be repeated if memory runs out.
  bool passed();

 private:
  Queue& queue_;
  int* info_;
  int stage_ = 0;
  Scratch failed_;  // an int: the number of the check that failed; 0: none
};

// Matrices in temporary memory, without space between the columns.
class TemporaryMatrices {
 public:
  TemporaryMatrices(Queue& queue, DType dtype, int64_t count, int rows, int cols);
  const Matrices& get() const { return matrices_; }

 private:
  Scratch memory_;
  Matrices matrices_;
};

// A block of each matrix.
inline Matrices block_of(Matrices a, int row, int column, int rows, int columns) {
  a.data += (row + int64_t{column} * a.ld) * static_cast<int64_t>(item_size(a.dtype));
  a.rows = rows;
  a.cols = columns;
  return a;
}
inline Matrices first_rows(const Matrices& a, int rows) { return block_of(a, 0, 0, rows, a.cols); }
inline Matrices without_rows(const Matrices& a, int rows) {
  return block_of(a, rows, 0, a.rows - rows, a.cols);
}
// The scales of the reflectors in a as matrices with one column.
inline Matrices reflector_scales(const Matrices& a, char* tau, int reflectors) {
  return {a.dtype, tau, a.count, reflectors, reflectors, 1, reflectors > 0 ? reflectors : 1};
}

// where: null, or a number for each matrix; those with 0 do not change.
void fill(Queue& queue, const Matrices& a, double value, const int* where = nullptr);
void set_identity(Queue& queue, const Matrices& a, const int* where = nullptr);
void clear_outside(Queue& queue, const Matrices& a, Part part);  // set elements to 0
void mirror(Queue& queue, const Matrices& a, Part part);  // copy the triangle to the other side
// Copies the part of the matrices `from`, or of their transposes, to `to`. Other elements become 0.
void copy(Queue& queue, const Matrices& to, const Matrices& from, bool transpose = false,
          Part part = Part::all);
// c = alpha * a * b + beta * c, where a and b may be transposed.
void multiply(Queue& queue, const Matrices& a, bool transpose_a, const Matrices& b,
              bool transpose_b, const Matrices& c, double alpha = 1, double beta = 0);
// Divides row i (column i) of each matrix by value i of its list of n values. It becomes 0 if the
// value is at most rcond times the first one.
void divide_rows(Queue& queue, const Matrices& a, const char* values, int n, double rcond);
void divide_columns(Queue& queue, const Matrices& a, const char* values, int n, double rcond);
// The sums of squares of the columns.
void column_squares(Queue& queue, const Matrices& a, char* sums);
// Counts those of each list of n values that exceed limit, and rcond times the first one.
void count_above(Queue& queue, const Matrices& a, const char* values, int n, double limit,
                 double rcond, int64_t* counts);
// is_zero: for each matrix, 1 if all of its elements are 0, else 0.
void find_zero_matrices(Queue& queue, const Matrices& a, int* is_zero);
// Factors the columns of a panel, without row exchanges: a.cols columns from column `first` on of
// matrices with n rows, from row `first` on. Writes the first pivot 0 to an info that is 0.
void eliminate_panel(Queue& queue, const Matrices& a, int first, int n, int* pivots, int* info);
// The results of a call from its factors. bad: not 0 for matrices that were not finite.
void determinants(Queue& queue, const DeterminantCall& call, const int* pivots, const int* bad);

}  // namespace th::device_matrices

#endif
