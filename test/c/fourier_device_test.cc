// Fourier transforms on a device against the CPU's: lengths, layouts, batches, cropped and padded
// inputs.

#include <cmath>
#include <string>

#include "device_compare.h"
#include "ops/ops.h"

namespace {

using namespace device_compare;
namespace ops = th::ops;

class FourierDevice : public OnDevice {};
INSTANTIATE_ON_DEVICE(FourierDevice);

double noise(int64_t i) { return std::sin(static_cast<double>(i * i + i + 1)); }

using Transform = void (*)(Tensor* r, Tensor* t, int64_t n, int64_t dim, char norm);

// Runs the transform on the CPU and on the device, and compares them.
void check(Transform transform, const TensorRef& t, int64_t n, int64_t dim, char norm) {
  const TensorRef here(th::tensor_new(t->dtype)), there(th::tensor_new(t->dtype));
  const TensorRef moved = twin(t.get());
  move_to_device(moved);
  transform(here.get(), t.get(), n, dim, norm);
  th::reset_device_stats();
  {
    th::OpScope scope("the transform");
    transform(there.get(), moved.get(), n, dim, norm);
  }
  ASSERT_TRUE(th::device_stats().fallbacks.empty());
  ASSERT_EQ(th::shape_text(*there), th::shape_text(*here));
  if (t->numel() > 0) {
    ASSERT_EQ(there->storage->current_device(), &device());
  }
  const Values got = values(there), wanted = values(here);
  const double tolerance = t->dtype == DType::Double  ? 1e-12
                           : t->dtype == DType::Float ? 1e-4
                                                      : 0.2;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], tolerance) << "element " << i << " of " << got.size();
  }
}

TEST_P(FourierDevice, LengthsAndLayouts) {
  int64_t number = 0;
  for (DType type : {DType::Double, DType::Float, DType::Half}) {
    for (int64_t n : {1, 2, 3, 8, 15, 30, 67}) {
      for (Layout layout : kLayouts) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", layout " +
                     std::to_string(static_cast<int>(layout)));
        const char norm = "bof"[number++ % 3];
        const TensorRef real = filled(type, {3, n, 2}, layout, noise);
        const TensorRef complex = filled(type, {3, n, 2, 2}, layout, noise);
        check(ops::fft, complex, 0, 1, norm);
        check(ops::ifft, complex, 0, 0, norm);
        check(ops::rfft, real, 0, 1, norm);
        check(ops::rfft, real, 0, -1, norm);
        check(ops::irfft, complex, n, -1, norm);
        if (n > 1) check(ops::irfft, complex, 0, 1, norm);
      }
    }
  }
}

TEST_P(FourierDevice, OtherSizesThanTheInput) {
  const TensorRef real = filled(DType::Double, {2, 6}, Layout::contiguous, noise);
  const TensorRef complex = filled(DType::Double, {2, 6, 2}, Layout::transposed, noise);
  for (int64_t n : {1, 2, 5, 6, 7, 9, 10, 11, 12, 13, 40}) {
    SCOPED_TRACE(n);
    check(ops::fft, complex, n, -1, 'b');
    check(ops::ifft, complex, n, 0, 'b');
    check(ops::rfft, real, n, -1, 'o');
    check(ops::rfft, real, n, 0, 'f');
    check(ops::irfft, complex, n, -1, 'b');
    check(ops::irfft, complex, n, 0, 'b');
  }
}

// Contiguous rows whose first element is not aligned, and single rows of larger tensors.
TEST_P(FourierDevice, Offsets) {
  for (DType type : {DType::Double, DType::Float}) {
    const TensorRef whole = filled(type, {200}, Layout::contiguous, noise);
    for (int64_t offset : {1, 2}) {
      const TensorRef real(th::tensor_new(type)), complex(th::tensor_new(type));
      const int64_t size[] = {3, 10}, strides[] = {10, 1};
      th::set_storage(real.get(), whole->storage, offset, 2, size, strides);
      const int64_t sizes[] = {3, 10, 2}, complex_strides[] = {20, 2, 1};
      th::set_storage(complex.get(), whole->storage, offset, 3, sizes, complex_strides);
      for (char norm : {'b', 'o'}) {
        check(ops::rfft, real, 0, -1, norm);
        check(ops::fft, complex, 0, -1, norm);
        check(ops::ifft, complex, 0, -1, norm);
        check(ops::irfft, complex, 0, -1, norm);
      }
      TensorRef row(th::tensor_new(type));
      th::set_storage(row.get(), whole->storage, offset, 2, sizes + 1, complex_strides + 1);
      for (int64_t n : {4, 10, 12}) check(ops::fft, row, n, -1, 'b');
    }
  }
}

TEST_P(FourierDevice, EmptyTensors) {
  check(ops::rfft, make(DType::Double, {0, 4}), 0, -1, 'b');
  check(ops::fft, make(DType::Double, {3, 0, 2}), 5, 1, 'b');
}

}  // namespace
