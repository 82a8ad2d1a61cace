#ifndef TH_OPS_CALL_H
#define TH_OPS_CALL_H

// The one entry for all operations. call(arguments)
//   1. checks tensors, element types and the shapes of operands by the row of the operation,
//   2. asks the operation for the shapes of its results: shapes(arguments, shapes),
//   3. resizes the results, and makes temporaries for those that overlap operands or themselves,
//   4. runs the operation: calls(arguments),
//   5. copies the temporaries to the results, and reports the call to the tracers.
// If a step throws, every result has the shape and the storage that it had before. Its elements may
// have been overwritten from step 4 on.

#include <cstdarg>

#include "base/error.h"
#include "ops/arguments.h"

namespace th TH_VISIBLE {

struct OpRow;
struct Parameter;

// Requirements of kernels for a result, and for its overlap with operands.
enum class Layout : uint8_t {
  any,         // any strides; no memory in common with an operand
  contiguous,  // contiguous; no memory in common with an operand
  in_place,    // any strides; may be one of the operands, but not overlap one otherwise
  separate,    // contiguous; not in memory with elements, which stay if calls() throws
  columns,     // the same, but each matrix in the last two dimensions is column-major
};

// Collects the shapes of the results of one call.
class Shapes {
 public:
  Shapes(const OpRow& row, void* arguments) noexcept
      : row_(row), arguments_(static_cast<char*>(arguments)) {}
  ~Shapes() {
    if (to_free_ || (to_restore_ && !finished_)) release();
  }
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;

  // ---- for shapes(arguments, shapes). r, t, dim, field: fields of the arguments.

  // Sets the shape of a result. While calls() runs, r is the result or a temporary of this shape.
  // An inout tensor whose elements are all replaced may be set in the same way. leading: see
  // set_columns. With Layout::columns, a given result of this shape becomes column-major, too,
  // unless it is an operand or not contiguous.
  void set(Tensor*& r, int ndim, const int64_t* size, Layout layout = Layout::any,
           int64_t leading = 0);
  void set(Tensor*& r, const Tensor& like, Layout layout = Layout::any);
  // The same for the only result of an operation with these operands. It is written in place,
  // unless it is an operand of another shape. Does nothing if the result has this shape and shares
  // no memory with other tensors.
  void set_in_place(Tensor*& r, int ndim, const int64_t* size, Tensor* const* operands, int count);
  // Sets a temporary of the type of r, which is copied to r in the end. It is computed already,
  // because its shape depends on the elements, or calls() writes it in place of r.
  void set_value(Tensor*& r, TensorRef value);
  // Like set, but r is the result or its temporary on return, so that shapes() can write it: for
  // shapes that are known only after a kernel has counted elements. May be called again for r.
  void resize(Tensor*& r, int ndim, const int64_t* size, Layout layout = Layout::any);

  // Returns the dimension of t, from 0. Throws if it is out of range.
  int dim(const int64_t& dim, const Tensor& t) const { return this->dim(dim, t.nDimension); }
  int dim(const int64_t& dim, int ndim, const char* owner = "tensor") const {
    const int64_t d = dim < 0 ? dim + ndim : dim;
    if (d >= 0 && d < ndim) return static_cast<int>(d);
    return wrap_dim(ndim, dim, number_of(&dim), owner);  // throws
  }
  // Throws an error about one argument. The message does not begin with the operation's name.
  template <class T>
  [[noreturn]] __attribute__((format(printf, 3, 4))) void fail(const T& field, const char* format,
                                                               ...) const {
    va_list values;
    va_start(values, format);
    Error error(number_of(&field), format, values);
    va_end(values);
    throw error;
  }
  int number_of(const void* field) const noexcept;  // see argument_number

  // ---- for call(), defined next to it
  inline void commit();
  inline void finish();

 private:
  static constexpr int kMostResults = 5, kMostCopies = 8;
  struct Result {
    Tensor** field;
    Tensor* tensor;     // the result
    Tensor* temporary;  // null: the kernels write the result itself
    Layout layout;
    bool ready;  // by set_value or resize
    bool resized;
    int64_t leading;
    bool shares;  // may share memory with operands
    int ndim;
    int64_t size[kMaxDims];
    // Before it was resized.
    Storage* storage;
    ptrdiff_t elements;
    int ndim_before;
    int64_t geometry[2 * kMaxDims];
  };
  struct Copy {
    Tensor** field;
    Tensor *operand, *copy;
  };

  Result& add(Tensor*& r);
  bool is_set(const Tensor* r) const;
  bool is_operand(const Tensor& r) const;
  bool shares_operand(const Tensor& r) const;
  bool overlaps_operand(const Tensor& r) const;
  void prepare(Result* result);
  void resize_result(Result* result, int ndim, const int64_t* size);
  void resize_early(Result* result);
  void place_empty(Tensor* r) const;
  void copy_operands_of(Tensor* inout);
  void release() noexcept;
  static void restore_geometry(const Result& result) noexcept;
  static void undo(const Result& result) noexcept;
  template <class F>
  bool any_operand(const F& test) const;

  const OpRow& row_;
  char* arguments_;
  int count_ = 0, copy_count_ = 0;
  bool to_restore_ = false;  // results were resized
  bool to_free_ = false;     // there are temporaries or copies
  bool finished_ = false;
  Result results_[kMostResults];  // uninitialized, to save time
  Copy copies_[kMostCopies];
};

// The position of a parameter in the C function, from 1. field: the parameter's field.
int argument_number(const OpRow& row, const void* arguments, const void* field) noexcept;
int argument_number(Op op, const void* arguments, const void* field) noexcept;
template <class Arguments, class T>
int argument_number(const Arguments& arguments, const T& field) noexcept {
  return argument_number(Arguments::op, &arguments, &field);
}

// Runs an operation. arguments: the struct of its arguments (see arguments.h).
void call(Op op, void* arguments);
template <class Arguments>
void call(Arguments& arguments) {
  call(Arguments::op, &arguments);
}

}  // namespace TH_VISIBLE

#endif
