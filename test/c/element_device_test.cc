// Element-wise operations on a device against the CPU, with the layouts between which its kernels
// choose: rows of packs, with and without alignment, and operands with one element per row.

#include "device_compare.h"
#include "ops/ops.h"

namespace {

using namespace device_compare;
namespace ops = th::ops;

using ElementDevice = OnDevice;
INSTANTIATE_ON_DEVICE(ElementDevice);

constexpr int64_t kRows = 5;

// Distances of rows and columns, and of the first element from the start of the memory.
struct Place {
  int64_t row, column, offset;
};

TensorRef placed(DType type, int64_t columns, const Place& at, int64_t first) {
  const int64_t size[] = {kRows, columns}, stride[] = {at.row, at.column};
  const int64_t elements = at.offset + (kRows - 1) * at.row + (columns - 1) * at.column + 1;
  TensorRef t = filled(type, {elements + 3}, Layout::contiguous,
                       [&](int64_t i) { return static_cast<double>((i + first) * 7 % 100); });
  th::set_storage(t.get(), t->storage, at.offset, 2, size, stride);
  return t;
}

TEST_P(ElementDevice, RowsOfPacks) {
  for (DType type : {DType::Byte, DType::Short, DType::Half, DType::Float, DType::Double}) {
    for (int64_t n : {16, 30, 48}) {
      const Place results[] = {{n, 1, 0}, {n + 16, 1, 16}, {n + 16, 1, 1}, {n + 1, 1, 0}};
      const Place inputs[] = {{n, 1, 0}, {0, 1, 0}, {0, 1, 3},       {1, 0, 0},
                              {3, 0, 1}, {0, 0, 2}, {n + 32, 1, 16}, {1, kRows, 0}};
      for (const Place& to : results) {
        for (const Place& from : inputs) {
          TensorRef r = placed(type, n, to, 0), a = placed(type, n, {n, 1, 0}, 1);
          TensorRef b = placed(type, n, from, 2);
          compare({r, a, b}, [](const std::vector<Tensor*>& t) { ops::cadd(t[0], t[1], 2, t[2]); });
          compare({r, a, b},
                  [](const std::vector<Tensor*>& t) { ops::addcmul(t[0], t[2], 1, t[1], t[2]); });
          compare({r, b}, [](const std::vector<Tensor*>& t) { ops::neg(t[0], t[1]); });
          if (HasFatalFailure()) FAIL() << th::name(type) << " " << n << " " << from.row;
        }
      }
    }
  }
}

// Rows that are not contiguous, with fewer and more elements than a segment of 128, and with too
// few for segments.
TEST_P(ElementDevice, Segments) {
  for (DType type : {DType::Byte, DType::Half, DType::Double}) {
    for (int64_t n : {63, 64, 97, 128, 129, 300}) {
      const Place results[] = {{n, 1, 1}, {3 * n, 3, 2}, {1, kRows, 0}, {2 * n, 2, 0}};
      const Place inputs[] = {{n, 1, 1}, {0, 1, 0}, {1, 0, 0}, {2 * n + 1, 2, 3}, {1, kRows, 0}};
      for (const Place& to : results) {
        for (const Place& from : inputs) {
          TensorRef r = placed(type, n, to, 0), a = placed(type, n, {1, kRows, 0}, 1);
          TensorRef b = placed(type, n, from, 2);
          compare({r, a, b}, [](const std::vector<Tensor*>& t) { ops::cadd(t[0], t[1], 2, t[2]); });
          compare({r, b}, [](const std::vector<Tensor*>& t) { ops::add(t[0], t[1], 3); });
          compare({r, b}, [](const std::vector<Tensor*>& t) { ops::cadd(t[0], t[0], 1, t[1]); });
          TensorRef less = placed(DType::Byte, n, to, 0);
          compare({less, a, b},
                  [](const std::vector<Tensor*>& t) { ops::ltTensor(t[0], t[1], t[2]); });
          if (HasFatalFailure()) FAIL() << th::name(type) << " " << n << " " << from.row;
        }
      }
    }
  }
}

// Numbers of every exponent, by their bits. NaN, whose bits depend on the device, cannot result.
TensorRef all_bits(DType type, int64_t rows, int64_t columns, uint32_t factor) {
  const uint32_t infinity = type == DType::Half ? 0x7c00 : 0x7f80;
  TensorRef t = make(type, {rows, columns});
  auto* bits = reinterpret_cast<uint16_t*>(t->data(th::Access::overwrite));
  for (int64_t i = 0; i < rows * columns; ++i) {
    uint32_t number = static_cast<uint32_t>(i) * factor;
    if ((number & infinity) == infinity) number ^= 0x4000;
    bits[i] = static_cast<uint16_t>(number);
  }
  return t;
}

// GPUs compute on pairs of elements if rows consist of pairs, and the factor is 1.
TEST_P(ElementDevice, Pairs) {
  for (DType type : {DType::Half, DType::BFloat16}) {
    for (const Shape& size :
         {Shape{1, 1 << 16}, Shape{1, 999}, Shape{1, 1002}, Shape{1, 1}, Shape{40, 16}}) {
      TensorRef r = make(type, size), a = all_bits(type, size[0], size[1], 1);
      TensorRef b = all_bits(type, size[0], size[1], 40503), row = all_bits(type, 1, size[1], 77);
      const int64_t stride[] = {0, 1};
      th::set_storage(row.get(), row->storage, 0, 2, size.data(), stride);
      for (const TensorRef* other : {&b, &row}) {
        for (double factor : {1.0, -1.0, 0.3}) {
          compare({r, a, *other},
                  [=](const std::vector<Tensor*>& t) { ops::cadd(t[0], t[1], factor, t[2]); });
          compare({r, a, *other},
                  [=](const std::vector<Tensor*>& t) { ops::csub(t[0], t[1], factor, t[2]); });
        }
        compare({r, a, *other}, [](const std::vector<Tensor*>& t) { ops::cmul(t[0], t[1], t[2]); });
      }
      compare({r, a}, [](const std::vector<Tensor*>& t) { ops::mul(t[0], t[1], 0.7); });
      if (HasFatalFailure()) FAIL() << th::name(type) << " " << size[0] << " x " << size[1];
    }
  }
}

// The mask, a ByteTensor, has other packs than the elements.
TEST_P(ElementDevice, Masks) {
  for (const Place& at : {Place{16, 1, 0}, Place{0, 1, 0}, Place{1, 0, 0}, Place{17, 1, 1}}) {
    TensorRef mask = placed(DType::Byte, 16, at, 0), r = placed(DType::Float, 16, {16, 1, 0}, 0);
    TensorRef a = placed(DType::Float, 16, {16, 1, 0}, 4), b = placed(DType::Float, 16, at, 9);
    compare({r, mask, a, b},
            [](const std::vector<Tensor*>& t) { ops::where(t[0], t[1], t[2], t[3]); });
    TensorRef less = placed(DType::Byte, 16, {17, 1, 1}, 0);
    compare({less, a, b}, [](const std::vector<Tensor*>& t) { ops::ltTensor(t[0], t[1], t[2]); });
  }
}

}  // namespace
