// Masks, nonzero and triangles on a device.

#include "device_compare.h"
#include "ops/ops.h"

namespace {

using namespace device_compare;

class MaskDevice : public OnDevice {};
INSTANTIATE_ON_DEVICE(MaskDevice);

int64_t counting(int64_t i) { return i % 99 + 1; }
int64_t third(int64_t i) { return (i * i + i / 7) % 3 == 0; }

TensorRef made(DType type, const Shape& size, Layout layout = Layout::contiguous) {
  return filled(type, size, layout, counting);
}
TensorRef mask_of(const Shape& size, Layout layout = Layout::contiguous) {
  return filled(DType::Byte, size, layout, third);
}

void fill(const std::vector<Tensor*>& p) { th::ops::maskedFill(p[0], p[1], 5); }
void copy(const std::vector<Tensor*>& p) { th::ops::maskedCopy(p[0], p[1], p[2]); }
void select(const std::vector<Tensor*>& p) { th::ops::maskedSelect(p[0], p[1], p[2]); }
void nonzero(const std::vector<Tensor*>& p) { th::ops::nonzero(p[0], p[1]); }

// All types and layouts; the last shape is of several chunks.
void for_all(const std::function<void(DType, const Shape&, Layout, Layout)>& test) {
  int round = 0;
  for (DType type : kTypes) {
    for (Layout a : kLayouts) {
      for (Layout b : kLayouts) {
        for (const Shape& size : {Shape{1, 1}, Shape{7, 3}, Shape{300, 1}, Shape{61, 83}}) {
          if (left_out(round++, 7)) continue;
          SCOPED_TRACE(std::string(th::name(type)) + " " + std::to_string(size[0]) + " x " +
                       std::to_string(size[1]) + " layouts " + std::to_string(static_cast<int>(a)) +
                       std::to_string(static_cast<int>(b)));
          test(type, size, a, b);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(MaskDevice, FillCopySelect) {
  for_all([](DType type, const Shape& size, Layout a, Layout b) {
    TensorRef t = made(type, size, a), mask = mask_of(size, b), src = made(type, size, b);
    compare({t, mask}, fill);
    compare({t, mask}, fill, {true, false});
    compare({t, mask, src}, copy);
    compare({t, mask, src}, copy, {true, false, false});
    compare({TensorRef(th::tensor_new(type)), t, mask}, select);
    compare({TensorRef(th::tensor_new(type)), t, mask}, select, {false, true, false});
  });
}

TEST_P(MaskDevice, Nonzero) {
  for_all([](DType type, const Shape& size, Layout a, Layout b) {
    TensorRef t = filled(type, size, a, third);
    compare({TensorRef(th::tensor_new(DType::Long)), t}, nonzero);
    int64_t count = 0;
    for (int64_t i = 0; i < t->numel(); ++i) count += third(i);
    compare({make_laid_out(DType::Long, {count, 2}, b), t}, nonzero);
  });
  for (DType type : {DType::Half, DType::BFloat16, DType::Float, DType::Double}) {
    TensorRef t = tensor_of(type, {5}, {-0., NAN, 0, -INFINITY, 6e-8});
    compare({TensorRef(th::tensor_new(DType::Long)), t}, nonzero);
  }
  TensorRef t = filled(DType::Int, {3, 4, 5, 6}, Layout::transposed, third);
  compare({TensorRef(th::tensor_new(DType::Long)), t}, nonzero);
}

TEST_P(MaskDevice, NothingAllAndNone) {
  TensorRef t = made(DType::Float, {5000}), empty = make(DType::Float, {3, 0});
  for (int value : {0, 1}) {
    TensorRef mask =
        filled(DType::Byte, {5000}, Layout::contiguous, [=](int64_t) { return value; });
    compare({t, mask}, fill);
    compare({t, mask, made(DType::Float, {value ? 5000 : 1})}, copy);
    compare({make(DType::Float, {7}), t, mask}, select);
    compare({TensorRef(th::tensor_new(DType::Long)), mask}, nonzero);
  }
  TensorRef no_mask = make(DType::Byte, {3, 0});
  compare({empty, no_mask}, fill);
  compare({empty, no_mask, empty}, copy);
  compare({make(DType::Float, {7}), empty, no_mask}, select);
  compare({make(DType::Long, {7}), empty}, nonzero);
}

TEST_P(MaskDevice, ExpandedMasksAndOthersOfAsManyElements) {
  TensorRef t = made(DType::Short, {40, 6}), row = mask_of({6}), column = mask_of({40, 1}),
            turned = mask_of({6, 40});
  for (const TensorRef* mask : {&row, &column, &turned}) {
    compare({t, *mask}, fill);
    compare({t, *mask, t}, copy);
    compare({TensorRef(th::tensor_new(DType::Short)), t, *mask}, select);
  }
}

TEST_P(MaskDevice, OperandsThatShareMemoryWithTheResult) {
  compare({mask_of({50})}, [](const auto& p) { th::ops::maskedFill(p[0], p[0], 0); });
  compare({mask_of({50})}, [](const auto& p) { th::ops::maskedCopy(p[0], p[0], p[0]); });
  compare({mask_of({50})}, [](const auto& p) { th::ops::maskedSelect(p[0], p[0], p[0]); });
  compare({made(DType::Long, {5, 5})}, [](const auto& p) { th::ops::nonzero(p[0], p[0]); });
}

TEST_P(MaskDevice, Large) {
  constexpr int64_t n = 300000;
  TensorRef t = made(DType::Char, {n}), mask = mask_of({n});
  compare({TensorRef(th::tensor_new(DType::Char)), t, mask}, select);
  compare({t, mask, t}, copy);
  compare({TensorRef(th::tensor_new(DType::Long)), mask}, nonzero);
  if (GetParam().mode == th::SoftMode::eager) return;
  // More chunks than are summed up at once.
  constexpr int64_t more = 9000000;
  TensorRef sparse = make(DType::Byte, {more});
  th::ops::zero(sparse.get());
  for (int64_t i : {int64_t{0}, int64_t{2047}, int64_t{2048}, more / 2, more - 1})
    put(*sparse, i, 1);
  compare({TensorRef(th::tensor_new(DType::Long)), sparse}, nonzero);
}

TEST_P(MaskDevice, BadMasks) {
  for (bool on_host : {true, false}) {
    TensorRef t = made(DType::Float, {20}), mask = mask_of({20}), r = make(DType::Float, {1});
    put(*mask, 7, 2);
    for (const auto& [name, of] :
         std::vector<std::pair<const char*, std::function<void(Tensor*, Tensor*)>>>{
             {"maskedFill", [&](Tensor*x, Tensor*m) { th::ops::maskedFill(x, m, 1); }},
             {"maskedCopy", [&](Tensor*x, Tensor*m) { th::ops::maskedCopy(x, m, x); }},
             // Counts the ones, so it waits for the device.
             {"", [&](Tensor*x, Tensor*m) { th::ops::maskedSelect(r.get(), x, m); }}}) {
      const auto& operation = of;  // C++17 does not capture structured bindings
      std::string wanted = error_of([&] { operation(t.get(), mask.get()); });
      EXPECT_NE(wanted, "no error");
      TensorRef there = twin(t.get()), m = twin(mask.get());
      move_to_device(there);
      if (!on_host) move_to_device(m);
      std::string message = error_of([&] {
        operation(there.get(), m.get());
        if (!on_host) device().synchronize();
      });
      EXPECT_EQ(message, on_host ? wanted : late(name, wanted));
      EXPECT_EQ(error_of([&] { device().synchronize(); }), "no error");
    }
  }
}

TEST_P(MaskDevice, SourcesWithTooFewElements) {
  for (bool on_host : {true, false}) {
    TensorRef t = made(DType::Float, {20}), mask = mask_of({20}), src = made(DType::Float, {2});
    std::string wanted = error_of([&] { th::ops::maskedCopy(t.get(), mask.get(), src.get()); });
    EXPECT_NE(wanted, "no error");
    TensorRef there = twin(t.get());
    move_to_device(there);
    if (!on_host) move_to_device(mask);
    EXPECT_EQ(error_of([&] {
                th::ops::maskedCopy(there.get(), mask.get(), src.get());
                if (!on_host) device().synchronize();
              }),
              on_host ? wanted : late("maskedCopy", wanted));
    EXPECT_EQ(error_of([&] { device().synchronize(); }), "no error");
  }
}

TEST_P(MaskDevice, Triangles) {
  for (DType type : kTypes) {
    for (Layout layout : kLayouts) {
      for (const Shape& size : {Shape{1, 1}, Shape{7, 4}, Shape{4, 7}, Shape{30, 30}}) {
        for (int64_t k : {int64_t{0}, int64_t{1}, int64_t{-2}, int64_t{50}, INT64_MAX, INT64_MIN}) {
          compare({made(type, size, layout)}, [k](const auto& p) { th::ops::tril(p[0], p[0], k); });
          compare({TensorRef(th::tensor_new(type)), made(type, size, layout)},
                  [k](const auto& p) { th::ops::triu(p[0], p[1], k); });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  compare({make(DType::Int, {0, 3})}, [](const auto& p) { th::ops::tril(p[0], p[0], 0); });
}

TEST_P(MaskDevice, EyeAndDiagonals) {
  compare({make(DType::Half, {2, 2})}, [](const auto& p) { th::ops::eye(p[0], 4, 6); });
  for (int64_t k : {0, 2, -1}) {
    compare({TensorRef(th::tensor_new(DType::Int)), made(DType::Int, {5, 6}, Layout::transposed)},
            [k](const auto& p) { th::ops::diag(p[0], p[1], k); });
    compare({TensorRef(th::tensor_new(DType::Int)), made(DType::Int, {5}, Layout::spread)},
            [k](const auto& p) { th::ops::diag(p[0], p[1], k); });
  }
}

}  // namespace
