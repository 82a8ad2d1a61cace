// Matrix products on the software device: OpenBLAS in the place of cuBLAS.

#include "ops/product.h"

#include <vector>

#include "simt/product_integer.h"
#include "tensor/convert.h"

namespace th {

namespace {

// A factor's matrices one after the other in float, by rows.
class FloatFactor {
 public:
  FloatFactor(const Factor& factor, int64_t batches, int64_t rows, int64_t cols)
      : factor_(factor),
        batches_(batches),
        rows_(rows),
        cols_(cols),
        values_(static_cast<size_t>(batches * rows * cols)) {}

  template <class T>
  void read() {
    each<T>([](T& element, float& value) { value = load(element); });
  }
  template <class T>
  void write() {
    each<T>([](T& element, float& value) { element = convert<T>(value); });
  }
  Factor get() { return {reinterpret_cast<char*>(values_.data()), rows_ * cols_, cols_, 1}; }

 private:
  template <class T, class F>
  void each(const F& f) {
    float* value = values_.data();
    for (int64_t batch = 0; batch < batches_; ++batch) {
      for (int64_t i = 0; i < rows_; ++i) {
        T* row = reinterpret_cast<T*>(factor_.data) + batch * factor_.batch + i * factor_.row;
        for (int64_t j = 0; j < cols_; ++j) f(row[j * factor_.col], *value++);
      }
    }
  }

  Factor factor_;
  int64_t batches_, rows_, cols_;
  std::vector<float> values_;
};

// The 16-bit floats multiply in float; a result is rounded once.
template <class T>
void multiply_in_float(ProductCall call) {
  FloatFactor a(call.a, call.batches, call.m, call.k);
  FloatFactor b(call.b, call.batches, call.k, call.n);
  FloatFactor c(call.c, call.batches, call.m, call.n);
  a.read<T>();
  b.read<T>();
  if (call.beta.d != 0) c.read<T>();
  call.dtype = DType::Float;
  call.a = a.get();
  call.b = b.get();
  call.c = c.get();
  multiply(call);
  c.write<T>();
}

}  // namespace

void run_product(Queue& queue, const ProductCall& call) {
  if (is_integral(call.dtype)) {
    run_integer_product(queue, call);
  } else if (call.dtype == DType::Half) {
    queue.enqueue([call] { multiply_in_float<Half>(call); });
  } else if (call.dtype == DType::BFloat16) {
    queue.enqueue([call] { multiply_in_float<BFloat16>(call); });
  } else {
    queue.enqueue([call] { multiply(call); });
  }
}

}  // namespace th
