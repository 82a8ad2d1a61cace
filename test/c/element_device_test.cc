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
