#ifndef TH_GENERIC_FILE

// BLAS functions for all integer and floating-point types, by the CPU's calls of matrix products
// and element-wise operations. If alpha is 0, its operands are not read, as in the reference BLAS.

#include "TH.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/cpu_backend.h"
#include "functors/functors.h"
#include "generic/array_call.h"

namespace th {
namespace {

bool is_transposed(char letter, int argument) {
  switch (letter) {
    case 'n':
    case 'N':
      return false;
    case 't':
    case 'T':
    case 'c':
    case 'C':
      return true;
    default:
      fail_argument(argument, "'n', 't' or 'c' is expected, got '%c'", letter);
  }
}

void check_step(int64_t step, int argument) {
  if (step == 0) fail_argument(argument, "the increment is 0");
}

// Returns the first element of a vector. With a negative increment, the vector starts at its end.
template <class T>
T* first_of(T* x, int64_t n, int64_t step) {
  return step < 0 ? x + (1 - n) * step : x;
}

// A vector as an operand of a product: the memory itself, or a copy if the increment is not
// positive.
template <class T>
class Line {
 public:
  Line(T* x, int64_t n, int64_t step) : data_(first_of(x, n, step)), step_(step) {
    if (step > 0) return;
    copy_.resize(n);
    for (int64_t i = 0; i < n; ++i) copy_[i] = data_[i * step];
  }
  T* data() { return copy_.empty() ? data_ : copy_.data(); }
  int64_t step() const { return copy_.empty() ? step_ : 1; }
  void put_back() const {
    for (size_t i = 0; i < copy_.size(); ++i) data_[static_cast<int64_t>(i) * step_] = copy_[i];
  }

 private:
  T* data_;
  int64_t step_;
  std::vector<T> copy_;
};
template <class T>
Factor column_of(Line<T>* line, int64_t n) {
  int64_t step = n > 1 ? line->step() : 1;
  return {reinterpret_cast<char*>(line->data()), 0, step, step == 1 ? n : 1};
}

// A column-major matrix, row-major if transposed. across: the number of columns in memory, each of
// at least `shortest` elements.
template <class T>
Factor factor(T* data, int64_t across, int64_t ld, int64_t shortest, bool transposed,
              int argument) {
  // BLAS accepts any leading dimension for a single column, also one that exceeds its integers.
  if (across <= 1) ld = std::max<int64_t>(shortest, 1);
  if (ld < std::max<int64_t>(shortest, 1)) {
    fail_argument(argument, "leading dimension %lld is too small: at least %lld is expected",
                  as_long(ld), std::max<long long>(shortest, 1));
  }
  Factor f = {reinterpret_cast<char*>(data), 0, transposed ? ld : 1, transposed ? 1 : ld};
  // A Factor needs one stride of 1 and the other at least the length of a line. A single line gets
  // stride `across`.
  if (ld == 1) (transposed ? f.col : f.row) = std::max<int64_t>(across, 1);
  if (ld == 1) (transposed ? f.row : f.col) = 1;
  return f;
}

template <class T>
void run_product(DType type, int64_t m, int64_t n, int64_t k, T alpha, Factor a, Factor b, T beta,
                 Factor c) {
  ProductCall call;
  call.dtype = type;
  call.batches = 1;
  call.m = m;
  call.n = n;
  call.k = k;
  call.sum = call.tf32 = false;
  call.alpha = to_scalar(alpha);
  call.beta = to_scalar(beta);
  call.a = a;
  call.b = b;
  call.c = c;
  run_on_cpu(call);
}

template <class T>
void scale(T factor, T* x, int64_t n, int64_t step) {
  for (int64_t i = 0; i < n; ++i)
    x[i * step] = factor == 0 ? T(0) : functor::times(x[i * step], factor);
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THBlas.cc"
#include "THGenerateAllTypes.h"

#else

extern "C" {

#define TH_THIS_TYPE th::DType::Real

void THBlas_(swap)(int64_t n, real* x, int64_t incx, real* y, int64_t incy) {
  th::guard([&] {
    x = th::first_of(x, n, incx);
    y = th::first_of(y, n, incy);
    for (int64_t i = 0; i < n; ++i) std::swap(x[i * incx], y[i * incy]);
  });
}

void THBlas_(scal)(int64_t n, real a, real* x, int64_t incx) {
  th::guard([&] {
    if (incx > 0) th::scale(a, x, n, incx);
  });
}

void THBlas_(copy)(int64_t n, real* x, int64_t incx, real* y, int64_t incy) {
  th::guard([&] {
    x = th::first_of(x, n, incx);
    y = th::first_of(y, n, incy);
    for (int64_t i = 0; i < n; ++i) y[i * incy] = x[i * incx];
  });
}

void THBlas_(axpy)(int64_t n, real a, real* x, int64_t incx, real* y, int64_t incy) {
  th::guard([&] {
    if (n <= 0 || a == 0) return;
    x = th::first_of(x, n, incx);
    y = th::first_of(y, n, incy);
    if (incy == 0) {
      for (int64_t i = 0; i < n; ++i) {
        *y = th::functor::plus(*y, th::functor::times(a, x[i * incx]));
      }
      return;
    }
    th::run_on_arrays<real>(th::ElementOp::cadd, TH_THIS_TYPE, n, {{y, incy}, {y, incy}, {x, incx}},
                            th::to_scalar(a));
  });
}

real THBlas_(dot)(int64_t n, real* x, int64_t incx, real* y, int64_t incy) {
  return th::guard([&] {
    real sum = 0;
    if (n <= 0) return sum;
    th::Line<real> from(x, n, incx), by(y, n, incy);
    th::Factor row = th::factor(from.data(), n, from.step(), 1, false, 3);
    th::Factor column = th::column_of(&by, n);
    th::Factor result = {reinterpret_cast<char*>(&sum), 0, 1, 1};
    th::run_product<real>(TH_THIS_TYPE, 1, 1, n, 1, row, column, 0, result);
    return sum;
  });
}

void THBlas_(gemv)(char trans, int64_t m, int64_t n, real alpha, real* a, int64_t lda, real* x,
                   int64_t incx, real beta, real* y, int64_t incy) {
  th::guard([&] {
    bool transposed = th::is_transposed(trans, 1);
    th::check_step(incx, 8);
    th::check_step(incy, 11);
    int64_t rows = transposed ? n : m, columns = transposed ? m : n;
    if (rows <= 0) return;
    if (columns <= 0 || alpha == 0) return th::scale(beta, th::first_of(y, rows, incy), rows, incy);
    th::Factor matrix = th::factor(a, n, lda, m, transposed, 6);
    th::Line<real> from(x, columns, incx), to(y, rows, incy);
    th::run_product(TH_THIS_TYPE, rows, 1, columns, alpha, matrix, th::column_of(&from, columns),
                    beta, th::column_of(&to, rows));
    to.put_back();
  });
}

void THBlas_(ger)(int64_t m, int64_t n, real alpha, real* x, int64_t incx, real* y, int64_t incy,
                  real* a, int64_t lda) {
  th::guard([&] {
    th::check_step(incx, 5);
    th::check_step(incy, 7);
    if (m <= 0 || n <= 0 || alpha == 0) return;
    th::Line<real> left(x, m, incx), right(y, n, incy);
    th::Factor row = th::column_of(&right, n);
    std::swap(row.row, row.col);
    th::Factor to = th::factor(a, n, lda, m, false, 9);
    th::run_product<real>(TH_THIS_TYPE, m, n, 1, alpha, th::column_of(&left, m), row, 1, to);
  });
}

void THBlas_(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha, real* a,
                   int64_t lda, real* b, int64_t ldb, real beta, real* c, int64_t ldc) {
  th::guard([&] {
    bool transposed_a = th::is_transposed(transa, 1), transposed_b = th::is_transposed(transb, 2);
    if (m <= 0 || n <= 0) return;
    th::Factor to = th::factor(c, n, ldc, m, false, 13);
    if (k <= 0 || alpha == 0) {
      for (int64_t j = 0; j < n; ++j) th::scale(beta, c + j * ldc, m, 1);
      return;
    }
    th::Factor left =
        transposed_a ? th::factor(a, m, lda, k, true, 8) : th::factor(a, k, lda, m, false, 8);
    th::Factor right =
        transposed_b ? th::factor(b, k, ldb, n, true, 10) : th::factor(b, n, ldb, k, false, 10);
    th::run_product(TH_THIS_TYPE, m, n, k, alpha, left, right, beta, to);
  });
}

#undef TH_THIS_TYPE
}

#endif
