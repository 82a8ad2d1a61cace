#ifndef TH_OPS_REDUCTION_METHODS_H
#define TH_OPS_REDUCTION_METHODS_H

// How the reductions of THOps.def are computed: one class for each method. All forms of a reduction
// use the same class (reductions.cc). A method has
//   reduces_empty(t)   Returns true if t, which has no elements along the dimension, has a result.
//   all(t)             Reduces all elements.
//   along(r, t, d)     Reduces dimension d of t. r is contiguous and shares no memory with t; its
//                      elements are the results in row-major order, whatever its shape is.

#include "ops/reduce.h"

namespace th {

// By one kernel. Integers are converted to doubles if the results of the kernel are finished.
class KernelMethod {
 public:
  KernelMethod(Op op, const Reduction& reduction) : op_(op), reduction_(reduction) {}
  bool reduces_empty(const Tensor& t) const;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d, Tensor* indices = nullptr) const;
  // Returns true if dimensions may be reduced one after the other, and it is faster than one
  // reduction of a copy. n: the elements of the first dimensions to reduce. width: those of the
  // dimensions after them. Means of integers have no steps, because each would round.
  bool has_steps(DType type, int64_t n, int64_t width) const;
  // The element type of all steps but the last, for operands of this type.
  DType type_of_steps(DType type) const;

 protected:
  Op op_;
  Reduction reduction_;
};

// Norms of which the sum of powers overflows, or has lost digits because it is too small, are
// computed again, from elements divided by the largest one: those of all elements, and on the CPU
// those along a dimension.
class Norm : private KernelMethod {
 public:
  template <class Arguments>
  explicit Norm(const Arguments& a) : KernelMethod(Arguments::op, norm_of(a.value.to_double())) {}
  using KernelMethod::reduces_empty;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
  // Returns true if the sum of the n powers of this norm, if it adds powers, neither overflowed nor
  // lost digits because it is too small. Also true for NaN.
  bool is_exact(double norm, int64_t n) const;

 private:
  // The largest norm of n elements of which the sum of powers may have lost digits.
  double least(int64_t n) const;
  bool adds_powers() const { return reduction_.finish != Finish::none; }
};

// By other operations.
class ComposedMethod {
 public:
  template <class Arguments>
  explicit ComposedMethod(const Arguments&) : op_(Arguments::op) {}
  bool reduces_empty(const Tensor&) const { return true; }

 protected:
  Op op_;
};

// The truth of an element is 1 if it is not 0. min: the logical AND, max: the logical OR.
template <Reducer reducer>
class Logical : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  bool all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};
using LogicalAnd = Logical<Reducer::min>;
using LogicalOr = Logical<Reducer::max>;

// Returns true if a reduction that does not leave NaN out is tried first. Without NaN in t, its
// result is the same, and takes one pass. With NaN its result is NaN, and the other is computed.
bool is_tried_first(const Tensor& t);
bool has_nan(Tensor* r);  // also true for infinities of both signs

class NanSum : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};

class NanMean : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};

// In nan_reductions.cc.
class NanProd : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};

class CountNonzero : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};

class NanExtreme : public ComposedMethod {
 public:
  template <class Arguments>
  NanExtreme(const Arguments& a, bool largest) : ComposedMethod(a), largest_(largest) {}
  bool reduces_empty(const Tensor&) const { return false; }
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;

 private:
  bool largest_;
};
struct NanMin : NanExtreme {
  template <class Arguments>
  explicit NanMin(const Arguments& a) : NanExtreme(a, false) {}
};
struct NanMax : NanExtreme {
  template <class Arguments>
  explicit NanMax(const Arguments& a) : NanExtreme(a, true) {}
};

class NanVariance : public ComposedMethod {
 public:
  template <class Arguments>
  NanVariance(const Arguments& a, bool root) : ComposedMethod(a), biased_(a.biased), root_(root) {}
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;

 private:
  bool biased_, root_;
};
struct NanVar : NanVariance {
  template <class Arguments>
  explicit NanVar(const Arguments& a) : NanVariance(a, false) {}
};
struct NanStd : NanVariance {
  template <class Arguments>
  explicit NanStd(const Arguments& a) : NanVariance(a, true) {}
};

// In softmax.cc.
class LogSumExp : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};

// The index of the smallest or largest element. r is a LongTensor.
template <Reducer reducer>
class ExtremeIndex : public ComposedMethod {
 public:
  using ComposedMethod::ComposedMethod;
  bool reduces_empty(const Tensor&) const { return false; }
  Scalar all(Tensor* t) const;
  void along(Tensor* r, Tensor* t, int d) const;
};
using ArgMin = ExtremeIndex<Reducer::min>;
using ArgMax = ExtremeIndex<Reducer::max>;

}  // namespace th

#endif
