// Matrix products on the software device, instead of cuBLAS: one task of the queue.

#include <algorithm>
#include <vector>

#include "simt/long_product.h"
#include "simt/product_integer.h"
#include "simt/product_to_float.h"
#include "simt/queue.h"
#include "tensor/convert.h"

namespace th {

namespace {

template <class T>
T* element(const Factor& f, int64_t batch, int64_t row, int64_t col) {
  return reinterpret_cast<T*>(f.data) + batch * f.batch + row * f.row + col * f.col;
}

// Sums are accumulated in C and rounded once, to the type R of the result.
template <class T, class C, class R = T>
void multiply(const ProductCall& call) {
  C alpha = static_cast<C>(call.alpha.d), beta = static_cast<C>(call.beta.d);
  std::vector<C> sums(static_cast<size_t>(call.n));
  for (int64_t batch = 0; batch < call.batches; ++batch) {
    for (int64_t i = 0; i < call.m; ++i) {
      std::fill(sums.begin(), sums.end(), C(0));
      // As in BLAS, the factors are not read if alpha is 0.
      for (int64_t k = 0; k < (alpha == 0 ? 0 : call.k); ++k) {
        C factor = static_cast<C>(load(*element<T>(call.a, batch, i, k)));
        const T* b = element<T>(call.b, batch, k, 0);
        C* sum = sums.data();
        for (int64_t j = 0; j < call.n; ++j)
          sum[j] += factor * static_cast<C>(load(b[j * call.b.col]));
      }
      for (int64_t j = 0; j < call.n; ++j) {
        R* c = element<R>(call.c, batch, i, j);
        C value = alpha * sums[static_cast<size_t>(j)];
        if (beta != 0) value += beta * static_cast<C>(load(*c));
        *c = convert<R>(value);
      }
    }
  }
}

// The rule of product_call.h, on which cuBLAS depends.
void check_layouts(const ProductCall& p) {
  if (!has_blas_layout(p.a, p.m, p.k) || !has_blas_layout(p.b, p.k, p.n) ||
      !has_blas_layout(p.c, p.m, p.n)) {
    fail(kDeviceFailed, "a factor of a product has no BLAS layout");
  }
}

}  // namespace

void run_product(Queue& queue, const ProductCall& given) {
  LongProduct product(queue, given);
  const ProductCall& call = product.call();
  if (!is_integral(call.dtype)) check_layouts(call);
  switch (call.dtype) {
    case DType::Half:
      return queue.enqueue([call] { multiply<Half, float>(call); });
    case DType::BFloat16:
      return queue.enqueue([call] { multiply<BFloat16, float>(call); });
    case DType::Float:
      return queue.enqueue([call] { multiply<float, float>(call); });
    case DType::Double:
      return queue.enqueue([call] { multiply<double, double>(call); });
    default:
      return run_integer_product(queue, call);
  }
}

void run_product_to_float(Queue& queue, const ProductCall& given) {
  LongProduct product(queue, given);
  const ProductCall& call = product.call();
  check_layouts(call);
  if (call.dtype == DType::Half) {
    queue.enqueue([call] { multiply<Half, float, float>(call); });
  } else {
    queue.enqueue([call] { multiply<BFloat16, float, float>(call); });
  }
}

}  // namespace th
