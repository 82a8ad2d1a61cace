// Indices on a device: what they choose, and what becomes of bad ones.

#include "device_compare.h"
#include "ops/ops.h"

namespace {

using namespace device_compare;

class IndexDevice : public OnDevice {};
INSTANTIATE_ON_DEVICE(IndexDevice);

int64_t counting(int64_t i) { return i % 99 + 1; }

// Indices from 1 to size, many of them repeated.
TensorRef some_indices(const Shape& shape, int64_t size, Layout layout = Layout::contiguous) {
  return filled(DType::Long, shape, layout,
                [=](int64_t i) { return (i * 7 + i * i * 3) % size + 1; });
}

const Shape kShape = {5, 9, 16};

void for_all(const std::function<void(DType, Layout, Layout, int dim)>& test) {
  int round = 0;
  for (DType type : kTypes) {
    for (Layout a : kLayouts) {
      for (Layout b : kLayouts) {
        for (int dim = 0; dim < 3; ++dim) {
          if (left_out(round++)) continue;
          SCOPED_TRACE(std::string(th::name(type)) + " dimension " + std::to_string(dim) +
                       " layouts " + std::to_string(static_cast<int>(a)) +
                       std::to_string(static_cast<int>(b)));
          test(type, a, b, dim);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(IndexDevice, Select) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    Shape size = kShape;
    size[dim] = 23;
    auto select = [dim](const std::vector<Tensor*>& t) {
      th::ops::indexSelect(t[0], t[1], dim, t[2]);
    };
    compare({make_laid_out(type, size, b), filled(type, kShape, a, counting),
             some_indices({23}, kShape[dim], b)},
            select);
    compare({TensorRef(th::tensor_new(type)), filled(type, kShape, a, counting),
             some_indices({23}, kShape[dim], b)},
            select, {false, true, false});
  });
}

// Few indices and many: each way of the kernels to keep them in order.
TEST_P(IndexDevice, CopyAddFill) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    for (int64_t count : {11, 50}) {
      Shape size = kShape;
      size[dim] = count;
      TensorRef t = filled(type, kShape, a, counting), src = filled(type, size, b, counting),
                index = some_indices({count}, kShape[dim], b);
      auto copy = [dim](const auto& p) { th::ops::indexCopy(p[0], dim, p[1], p[2]); };
      auto add = [dim](const auto& p) { th::ops::indexAdd(p[0], dim, p[1], p[2]); };
      auto fill = [dim](const auto& p) { th::ops::indexFill(p[0], dim, p[1], 5); };
      compare({t, index, src}, copy);
      compare({t, index, src}, add);
      compare({t, index}, fill);
      compare({t, index, src}, add, {true, false, false});
    }
  });
}

TEST_P(IndexDevice, GatherAndScatter) {
  for_all([](DType type, Layout a, Layout b, int dim) {
    for (int64_t length : {7, 40}) {
      Shape size = {4, 9, 13};
      size[dim] = length;
      TensorRef index = some_indices(size, kShape[dim], b), t = filled(type, kShape, a, counting);
      auto gather = [dim](const auto& p) { th::ops::gather(p[0], p[1], dim, p[2]); };
      compare({make_laid_out(type, size, a), t, index}, gather);
      Shape src_size = size;
      src_size[2] += 1;
      TensorRef src = filled(type, src_size, a, counting);
      auto scatter = [dim](const auto& p) { th::ops::scatter(p[0], dim, p[1], p[2]); };
      auto add = [dim](const auto& p) { th::ops::scatterAdd(p[0], dim, p[1], p[2]); };
      auto fill = [dim](const auto& p) { th::ops::scatterFill(p[0], dim, p[1], 7); };
      compare({t, index, src}, scatter);
      compare({t, index, src}, add);
      compare({t, index}, fill);
      compare({t, index, src}, scatter, {true, false, true});
    }
  });
}

// Sums of floats depend on their order, which is that of the indices if few of them are equal.
TEST_P(IndexDevice, SumsAreThoseOfTheCpu) {
  for (DType type : {DType::Half, DType::BFloat16, DType::Float, DType::Double, DType::Char}) {
    for (const Shape& rest : {Shape{}, Shape{1}, Shape{70}, Shape{2, 3}}) {
      const int64_t n = th::is_integral(type) ? 3000 : 1000;
      Shape size = {n}, result = {10};
      size.insert(size.end(), rest.begin(), rest.end());
      result.insert(result.end(), rest.begin(), rest.end());
      auto element = [=](int64_t i) { return th::is_integral(type) ? i % 50 : 1. / (i + 1); };
      TensorRef src = filled(type, size, Layout::contiguous, element),
                t = filled(type, result, Layout::contiguous, element);
      compare({t, some_indices({n}, 10), src},
              [](const auto& p) { th::ops::indexAdd(p[0], 0, p[1], p[2]); });
      compare({t, some_indices(size, 10), src},
              [](const auto& p) { th::ops::scatterAdd(p[0], 0, p[1], p[2]); });
    }
  }
}

// More than 1024 equal indices are divided into pieces. These sums are exact in every order.
TEST_P(IndexDevice, ManyEqualIndices) {
  for (DType type : {DType::Byte, DType::Long, DType::Float, DType::Double}) {
    for (int64_t n : {1024, 1025, 4097, 20000}) {
      for (const Shape& rest : {Shape{}, Shape{3}, Shape{40}}) {
        if (n == 20000 && rest == Shape{40}) continue;
        Shape size = {n}, result = {5};
        size.insert(size.end(), rest.begin(), rest.end());
        result.insert(result.end(), rest.begin(), rest.end());
        TensorRef t = filled(type, result, Layout::contiguous, counting),
                  src = filled(type, size, Layout::contiguous, [](int64_t i) { return i % 7; });
        // Three of four indices are equal, the others few.
        auto index = [](int64_t i) { return i % 4 ? 2 : i % 5 + 1; };
        compare({t, filled(DType::Long, {n}, Layout::contiguous, index), src},
                [](const auto& p) { th::ops::indexAdd(p[0], 0, p[1], p[2]); });
        compare({t, filled(DType::Long, size, Layout::spread, index), src},
                [](const auto& p) { th::ops::scatterAdd(p[0], 0, p[1], p[2]); });
      }
    }
  }
}

// The order of the additions is the same in each run, and so is the rounding.
TEST_P(IndexDevice, ManyEqualIndicesAreReproducible) {
  constexpr int64_t n = 30000;
  TensorRef t = filled(DType::Float, {2}, Layout::contiguous, [](int64_t) { return 0.; }),
            src = filled(DType::Float, {n}, Layout::contiguous,
                         [](int64_t i) { return 1. / (i + 3); }),
            index = filled(DType::Long, {n}, Layout::contiguous,
                           [](int64_t i) { return i % 3 == 0 ? 1 : 2; });
  double exact[2] = {0, 0};
  for (int64_t i = 0; i < n; ++i) exact[i % 3 == 0 ? 0 : 1] += 1. / (i + 3);
  Values first;
  for (th::ThreadOrder order : {th::ThreadOrder::ascending, th::ThreadOrder::descending}) {
    th::set_thread_order(order);
    TensorRef there = twin(t.get());
    move_to_device(there);
    th::ops::indexAdd(there.get(), 0, index.get(), src.get());
    device().synchronize();
    const Values got = values(*there);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(got[k], exact[k], 1e-6 * exact[k]);
    if (first.empty()) first = got;
    EXPECT_EQ(got, first);
  }
}

TEST_P(IndexDevice, Large) {
  constexpr int64_t n = 70000;
  TensorRef t = filled(DType::Short, {n, 3}, Layout::contiguous, counting),
            index = some_indices({n}, n), at = some_indices({n, 2}, 3);
  compare({TensorRef(th::tensor_new(DType::Short)), t, index},
          [](const auto& p) { th::ops::indexSelect(p[0], p[1], 0, p[2]); });
  compare({t, index, t}, [](const auto& p) { th::ops::indexCopy(p[0], 0, p[1], p[2]); });
  compare({t, at, t}, [](const auto& p) { th::ops::scatterAdd(p[0], 1, p[1], p[2]); });
  // Positions enough for a thread each, though there are many indices.
  TensorRef wide = filled(DType::Char, {3, 33000}, Layout::contiguous, counting),
            many = filled(DType::Char, {40, 33000}, Layout::contiguous, counting);
  compare({wide, some_indices({40}, 3), many},
          [](const auto& p) { th::ops::indexAdd(p[0], 0, p[1], p[2]); });
}

// Elements side by side are moved together where all places allow it.
TEST_P(IndexDevice, WideMoves) {
  for (int64_t width : {1, 2, 3, 4, 6, 8, 16, 32, 48}) {
    for (int64_t offset : {0, 1, 2, 4, 8}) {
      for (int64_t pitch : {width, width + 1, width + 2, width + 8}) {
        SCOPED_TRACE(std::to_string(width) + " + " + std::to_string(offset) + " in " +
                     std::to_string(pitch));
        TensorRef t = filled(DType::Byte, {offset + 20 * pitch}, Layout::contiguous, counting);
        int64_t size[] = {20, width}, stride[] = {pitch, 1};
        th::set_storage(t.get(), t->storage, offset, 2, size, stride);
        compare({TensorRef(th::tensor_new(DType::Byte)), t, some_indices({9}, 20)},
                [](const auto& p) { th::ops::indexSelect(p[0], p[1], 0, p[2]); });
        for (int64_t count : {9, 60}) {
          TensorRef src = filled(DType::Byte, {count, width}, Layout::contiguous, counting);
          compare({t, some_indices({count}, 20), src},
                  [](const auto& p) { th::ops::indexCopy(p[0], 0, p[1], p[2]); });
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(IndexDevice, SmallAndEmpty) {
  TensorRef t = filled(DType::Float, {4}, Layout::contiguous, counting),
            one = filled(DType::Float, {1}, Layout::contiguous, counting),
            first = filled(DType::Long, {1}, Layout::contiguous, [](int64_t) { return 1; }),
            none = make(DType::Long, {0}), nothing = make(DType::Float, {0});
  auto select = [](const auto& p) { th::ops::indexSelect(p[0], p[1], 0, p[2]); };
  auto gather = [](const auto& p) { th::ops::gather(p[0], p[1], 0, p[2]); };
  auto copy = [](const auto& p) { th::ops::indexCopy(p[0], 0, p[1], p[2]); };
  auto fill = [](const auto& p) { th::ops::indexFill(p[0], 0, p[1], 3); };
  auto scatter = [](const auto& p) { th::ops::scatter(p[0], 0, p[1], p[2]); };
  compare({make(DType::Float, {0}), one, first}, select);
  compare({make(DType::Float, {3}), t, none}, select);
  compare({make(DType::Float, {3}), t, none}, gather);
  compare({one, first, one}, copy);
  compare({t, none, nothing}, copy);
  compare({t, none}, fill);
  compare({t, none, nothing}, scatter);
  compare({one, first, one}, scatter);
  compare({make(DType::Int, {2, 0}), make(DType::Int, {2, 0}), first},
          [](const auto& p) { th::ops::indexSelect(p[0], p[1], 0, p[2]); });
}

TEST_P(IndexDevice, OperandsThatShareMemoryWithTheResult) {
  TensorRef t = filled(DType::Long, {3, 3}, Layout::contiguous, counting),
            index = tensor_of(DType::Long, {2}, {3, 1}),
            own = tensor_of(DType::Long, {3}, {3, 1, 2});
  compare({t, index}, [](const auto& p) { th::ops::indexSelect(p[0], p[0], 0, p[1]); });
  compare({own}, [](const auto& p) {
    th::ops::indexSelect(p[0], p[0], 0, p[0]);
    th::ops::gather(p[0], p[0], 0, p[0]);
    th::ops::scatter(p[0], 0, p[0], p[0]);
  });
  compare({t, tensor_of(DType::Long, {3}, {1, 3, 1})}, [](const auto& p) {
    TensorRef view(th::tensor_new(DType::Long));
    th::ops::t(view.get(), p[0]);
    th::ops::indexAdd(p[0], 0, p[1], view.get());
  });
}

// An expanded source is read on the device. An expanded result falls back to the CPU.
TEST_P(IndexDevice, ExpandedOperands) {
  int64_t sizes[] = {6, 5};
  compare({make(DType::Float, {1}), filled(DType::Float, {1, 5}, Layout::contiguous, counting),
           some_indices({8}, 6), some_indices({8}, 5)},
          [&](const auto& p) {
            TensorRef wide(th::tensor_new(DType::Float)), selected(th::tensor_new(DType::Float));
            th::ops::expand(wide.get(), p[1], {2, sizes});
            th::ops::indexSelect(selected.get(), wide.get(), 0, p[2]);
            th::ops::indexSelect(p[0], selected.get(), 1, p[3]);
          });
  int64_t size = 5;
  TensorRef t = tensor_of(DType::Int, {1}, {0}), index = tensor_of(DType::Long, {3}, {5, 1, 3}),
            src = tensor_of(DType::Int, {3}, {7, 8, 9}), wide(th::tensor_new(DType::Int));
  for (const TensorRef* each : {&t, &index, &src}) move_to_device(*each);
  th::ops::expand(wide.get(), t.get(), {1, &size});
  th::ops::indexAdd(wide.get(), 0, index.get(), src.get());
  EXPECT_EQ(get(*t, 0), 24);
  move_to_device(t);
  th::ops::scatter(wide.get(), 0, index.get(), src.get());
  EXPECT_EQ(get(*t, 0), 9);
}

// Those on the host are found before anything is done.
TEST_P(IndexDevice, BadIndicesOnTheHost) {
  for (int64_t bad : {int64_t{0}, int64_t{-5}, int64_t{5}, INT64_MAX, INT64_MIN}) {
    TensorRef t = filled(DType::Float, {4}, Layout::contiguous, counting),
              r = make(DType::Float, {2}), index = tensor_of(DType::Long, {2}, {1, 1}),
              src = make(DType::Float, {2});
    index->data_as<int64_t>(th::Access::write)[1] = bad;
    th::ops::fill(src.get(), 9);
    TensorRef there = twin(t.get());
    move_to_device(there);
    for (auto operation : std::vector<std::function<void(Tensor*)>>{
             [&](Tensor* x) { th::ops::indexSelect(r.get(), x, 0, index.get()); },
             [&](Tensor* x) { th::ops::gather(r.get(), x, 0, index.get()); },
             [&](Tensor* x) { th::ops::indexCopy(x, 0, index.get(), src.get()); },
             [&](Tensor* x) { th::ops::indexFill(x, 0, index.get(), 1); },
             [&](Tensor* x) { th::ops::scatter(x, 0, index.get(), src.get()); },
             [&](Tensor* x) { th::ops::scatterFill(x, 0, index.get(), 1); },
             [&](Tensor* x) { th::ops::scatterAdd(x, 0, index.get(), src.get()); }}) {
      std::string wanted = error_of([&] { operation(t.get()); });
      EXPECT_NE(wanted, "no error");
      EXPECT_EQ(error_of([&] { operation(there.get()); }), wanted);
    }
    expect_equal(*there, *t);
  }
}

// Invalid indices that only the device knows are skipped, and reported at the next synchronization.
TEST_P(IndexDevice, BadIndicesOnTheDevice) {
  for (int64_t bad : {int64_t{0}, int64_t{-5}, int64_t{5}, INT64_MAX, INT64_MIN}) {
    for (int64_t count : {2, 100}) {
      TensorRef t = filled(DType::Float, {4}, Layout::contiguous, counting),
                r = make(DType::Float, {count}), index = make(DType::Long, {count}),
                src = make(DType::Float, {count});
      th::ops::fill(index.get(), 2);
      index->data_as<int64_t>(th::Access::write)[1] = bad;
      th::ops::fill(src.get(), 9);
      for (const auto& [name, of] :
           std::vector<std::pair<const char*, std::function<void(Tensor*, Tensor*)>>>{
               // r has elements on the host, so these two wait for the device.
               {"", [&](Tensor*x, Tensor*at) { th::ops::indexSelect(r.get(), x, 0, at); }},
               {"", [&](Tensor*x, Tensor*at) { th::ops::gather(r.get(), x, 0, at); }},
               {"indexCopy", [&](Tensor*x, Tensor*at) { th::ops::indexCopy(x, 0, at, src.get()); }},
               {"indexAdd", [&](Tensor*x, Tensor*at) { th::ops::indexAdd(x, 0, at, src.get()); }},
               {"indexFill", [&](Tensor*x, Tensor*at) { th::ops::indexFill(x, 0, at, 1); }},
               {"scatter", [&](Tensor*x, Tensor*at) { th::ops::scatter(x, 0, at, src.get()); }},
               {"scatter", [&](Tensor*x, Tensor*at) { th::ops::scatterFill(x, 0, at, 1); }},
               {"scatterAdd",
                [&](Tensor*x, Tensor*at) { th::ops::scatterAdd(x, 0, at, src.get()); }}}) {
        const auto& operation = of;  // C++17 does not capture structured bindings
        std::string wanted = error_of([&] { operation(t.get(), index.get()); });
        EXPECT_NE(wanted, "no error");
        TensorRef there = twin(t.get()), at = twin(index.get());
        move_to_device(there);
        move_to_device(at);
        EXPECT_EQ(error_of([&] {
                    operation(there.get(), at.get());
                    device().synchronize();
                  }),
                  late(name, wanted));
        EXPECT_EQ(error_of([&] { device().synchronize(); }), "no error");
        // The others have their places.
        EXPECT_EQ(get(*there, 0), 1);
        EXPECT_EQ(get(*there, 3), 4);
      }
    }
  }
}

}  // namespace
