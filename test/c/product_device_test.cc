// Matrix products on the software device against the CPU's: the same operands, built twice, of
// every type, layout, shape, factor, aliasing and current device.

#include <cmath>
#include <limits>
#include <functional>

#include "test_device.h"
#include "backend/device_list.h"
#include "base/error.h"
#include "base/op_scope.h"
#include "matrix_tensors.h"
#include "memory/stats.h"
#include "soft/soft_device.h"

namespace {

using Operands = std::vector<TensorRef>;
using Build = std::function<Operands(std::mt19937&)>;
using Op = std::function<void(const Operands&)>;

// Bits select the operands whose current device is the device; the first is the result.
constexpr unsigned kAll = ~0u;

class ProductOnDevice : public ::testing::TestWithParam<std::tuple<DType, bool>> {
 protected:
  void SetUp() override {
    bool lazy = std::get<1>(GetParam());
    set_soft_mode(lazy ? SoftMode::lazy : SoftMode::eager);
    set_thread_order(lazy ? ThreadOrder::descending : ThreadOrder::ascending);
    std::string problem;
    device = test_device::find(&problem);
    if (!device) GTEST_SKIP() << problem;
    reset_device_stats();
  }
  void TearDown() override {
    set_soft_mode(SoftMode::eager);
    set_thread_order(ThreadOrder::ascending);
  }
  DType type() const { return std::get<0>(GetParam()); }

  Operands build(const Build& make_operands) {
    std::mt19937 engine(11);
    return make_operands(engine);
  }

  // Runs op on the CPU and on the device; all operands must be the same then.
  void expect_same(const Build& make_operands, const Op& op, int64_t terms, const std::string& what,
                   unsigned on_device = kAll) {
    Operands on_cpu = build(make_operands), there = build(make_operands);
    for (size_t k = 0; k < there.size(); ++k) {
      ensure_storage(there[k].get());
      if (on_device >> k & 1) storage_to(there[k]->storage, device);
    }
    op(on_cpu);
    {
      OpScope scope(what.c_str());
      op(there);
    }
    EXPECT_EQ(there[0]->storage->current_device(), device) << what;
    EXPECT_TRUE(device_stats().fallbacks.empty()) << what;
    for (size_t k = 0; k < there.size(); ++k) {
      expect_values(values(there[k].get()), values(on_cpu[k].get()), type(), terms,
                    what + ", operand " + std::to_string(k));
    }
  }

  TensorRef random(const Sizes64& size, Layout layout, std::mt19937& engine, bool small = true) {
    TensorRef t = make(type(), size, layout);
    fill_random(t.get(), engine, small);
    return t;
  }

  Device* device = nullptr;
};

const double kFactors[][2] = {{1, 1}, {0, 1}, {0, 3}, {2, -1}, {1, 0}, {-3, 2}, {0, 0}};

TEST_P(ProductOnDevice, Matrices) {
  const Dims shapes[] = {{1, 1, 1, 1}, {1, 2, 3, 4}, {1, 1, 5, 7}, {1, 6, 1, 5},   {1, 5, 7, 1},
                         {1, 0, 3, 2}, {1, 3, 0, 2}, {1, 3, 2, 0}, {1, 67, 35, 31}};
  int round = 0;
  for (const Dims& s : shapes) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        if (left_out(la + lb, 5) || (s.m > 60 && la != lb)) continue;
        const double* factor = kFactors[round++ % 7];
        Layout lr = Layout(round % expanded), lt = Layout((la + lb) % kLayouts);
        std::string what = "layouts " + std::to_string(la) + std::to_string(lb) +
                           std::to_string(lr) + ", shape " + std::to_string(s.m) + " " +
                           std::to_string(s.n) + " " + std::to_string(s.k);
        Build operands = [&](std::mt19937& engine) {
          Operands all;
          all.push_back(random({s.m, s.n}, lr, engine));
          all.push_back(random({s.m, s.n}, lt, engine));
          all.push_back(random({s.m, s.k}, Layout(la), engine));
          all.push_back(random({s.k, s.n}, Layout(lb), engine));
          return all;
        };
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::addmm(o[0].get(), factor[0], o[1].get(), factor[1], o[2].get(), o[3].get());
            },
            s.k, "addmm " + what);
        expect_same(
            operands, [&](const Operands& o) { ops::mm(o[0].get(), o[2].get(), o[3].get()); }, s.k,
            "mm " + what);
        if (lt == expanded) continue;
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::addmm(o[0].get(), factor[0], o[0].get(), factor[1], o[2].get(), o[3].get());
            },
            s.k, "addmm in place " + what);
      }
    }
  }
}

TEST_P(ProductOnDevice, Vectors) {
  const int64_t shapes[][2] = {{1, 1}, {3, 5}, {70, 33}, {0, 4}, {4, 0}};
  int round = 0;
  for (auto& size : shapes) {
    int64_t m = size[0], n = size[1];
    for (int lm = 0; lm < kLayouts; ++lm) {
      for (int lv = 0; lv < kLayouts; ++lv) {
        if (left_out(lm + lv, 5)) continue;
        if ((n == 0 || m == 0) && (lm == expanded || lv == expanded)) continue;
        const double* factor = kFactors[round++ % 7];
        std::string what = "layouts " + std::to_string(lm) + std::to_string(lv);
        Build operands = [&](std::mt19937& engine) {
          Operands all;
          all.push_back(random({m}, Layout(lv % expanded), engine));
          all.push_back(random({m, n}, Layout(lm), engine));
          all.push_back(random({n}, Layout(lv), engine));
          all.push_back(random({m, n}, Layout(lm % expanded), engine));
          all.push_back(random({m}, Layout(lv), engine));
          return all;
        };
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::addmv(o[0].get(), factor[0], o[4].get(), factor[1], o[1].get(), o[2].get());
            },
            n, "addmv " + what);
        expect_same(
            operands, [&](const Operands& o) { ops::mv(o[0].get(), o[1].get(), o[2].get()); }, n,
            "mv " + what);
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::addr(o[3].get(), factor[0], o[1].get(), factor[1], o[4].get(), o[2].get());
            },
            1, "addr " + what);
        expect_same(
            operands, [&](const Operands& o) { ops::ger(o[3].get(), o[4].get(), o[2].get()); }, 1,
            "ger " + what);
      }
    }
  }
}

TEST_P(ProductOnDevice, Batches) {
  const Dims shapes[] = {{1, 3, 4, 5}, {4, 3, 5, 2}, {3, 1, 4, 6},
                         {0, 3, 4, 2}, {3, 2, 4, 0}, {70, 2, 3, 4}};
  int round = 0;
  for (const Dims& s : shapes) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        if (left_out(la + lb, 5) || (s.batches > 60 && la != lb)) continue;
        if (s.batches == 0 && (la == expanded || lb == expanded)) continue;
        const double* factor = kFactors[round++ % 7];
        std::string what = "layouts " + std::to_string(la) + std::to_string(lb) + ", " +
                           std::to_string(s.batches) + " batches";
        Build operands = [&](std::mt19937& engine) {
          Operands all;
          all.push_back(random({s.batches, s.m, s.n}, Layout(la % expanded), engine));
          all.push_back(random({s.batches, s.m, s.k}, Layout(la), engine));
          all.push_back(random({s.batches, s.k, s.n}, Layout(lb), engine));
          all.push_back(random({s.m, s.n}, Layout(lb % expanded), engine));
          return all;
        };
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::baddbmm(o[0].get(), factor[0], o[0].get(), factor[1], o[1].get(), o[2].get());
            },
            s.k, "baddbmm " + what);
        expect_same(
            operands, [&](const Operands& o) { ops::bmm(o[0].get(), o[1].get(), o[2].get()); }, s.k,
            "bmm " + what);
        expect_same(
            operands,
            [&](const Operands& o) {
              ops::addbmm(o[3].get(), factor[0], o[3].get(), factor[1], o[1].get(), o[2].get());
            },
            s.k * s.batches, "addbmm " + what);
      }
    }
  }
}

TEST_P(ProductOnDevice, Aliases) {
  // Every operand, and overlapping parts of one storage.
  Build squares = [&](std::mt19937& engine) {
    Operands all;
    TensorRef whole = random({6, 5}, plain, engine);
    const int64_t firsts[][2] = {{1, 0}, {1, 1}, {0, 0}};
    for (auto& first : firsts) {
      all.emplace_back(tensor_new(type()));
      ops::narrow(all.back().get(), whole.get(), 0, first[0], 4);
      ops::narrow(all.back().get(), all.back().get(), 1, first[1], 4);
    }
    return all;
  };
  for (int r = 0; r < 3; ++r) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        std::string what = std::to_string(r) + std::to_string(a) + std::to_string(b);
        expect_same(
            squares, [&](const Operands& o) { ops::mm(o[r].get(), o[a].get(), o[b].get()); }, 4,
            "mm " + what);
        expect_same(
            squares,
            [&](const Operands& o) {
              ops::addmm(o[r].get(), 2, o[a].get(), 1, o[b].get(), o[b].get());
            },
            4, "addmm " + what);
      }
    }
  }
  Build batches = [&](std::mt19937& engine) {
    Operands all;
    all.push_back(random({3, 4, 4}, plain, engine));
    all.push_back(random({4, 4}, plain, engine));
    return all;
  };
  expect_same(
      batches, [](const Operands& o) { ops::bmm(o[0].get(), o[0].get(), o[0].get()); }, 4, "bmm");
  expect_same(
      batches,
      [](const Operands& o) { ops::addbmm(o[0].get(), 2, o[1].get(), 1, o[0].get(), o[0].get()); },
      12, "addbmm");
}

TEST_P(ProductOnDevice, OperandsOfTwoHomes) {
  Build operands = [&](std::mt19937& engine) {
    Operands all;
    all.push_back(random({5, 6}, plain, engine));
    all.push_back(random({5, 7}, transposed, engine));
    all.push_back(random({7, 6}, offset, engine));
    return all;
  };
  for (unsigned on_device = 1; on_device < 8; ++on_device) {
    std::string what = "homes " + std::to_string(on_device);
    expect_same(
        operands,
        [](const Operands& o) { ops::addmm(o[0].get(), 2, o[0].get(), 3, o[1].get(), o[2].get()); },
        7, what, on_device);
    expect_same(
        operands,
        [](const Operands& o) {
          // Nothing is added.
          ops::addmm(o[0].get(), 0, o[0].get(), 0, o[1].get(), o[2].get());
        },
        7, what, on_device);
  }
  // A part of a large storage of the CPU: only the part is copied.
  Operands o = build(operands);
  TensorRef large = make(type(), {3000, 700});
  ops::zero(large.get());
  TensorRef part(tensor_new(type()));
  ops::narrow(part.get(), large.get(), 0, 1000, 7);
  ops::narrow(part.get(), part.get(), 1, 5, 6);
  storage_to(o[1]->storage, device);
  device->synchronize();
  reset_device_stats();
  ops::mm(o[0].get(), o[1].get(), part.get());
  EXPECT_LT(device_stats().to_device.bytes, 10000);
  for (double x : values(o[0].get()).d) EXPECT_EQ(x, 0);
}

TEST_P(ProductOnDevice, ResultsAreMadeToSize) {
  expect_same(
      [&](std::mt19937& engine) {
        Operands all;
        all.emplace_back(tensor_new(type()));
        all.push_back(random({9, 4}, plain, engine));
        all.push_back(random({4, 11}, plain, engine));
        return all;
      },
      [](const Operands& o) { ops::mm(o[0].get(), o[1].get(), o[2].get()); }, 4, "mm", 6);
  expect_same(
      [&](std::mt19937& engine) {
        Operands all;
        all.push_back(random({3, 4, 5}, plain, engine));
        all.push_back(random({3, 6, 4}, strided, engine));
        all.push_back(random({3, 4, 11}, transposed, engine));
        all.push_back(random({11}, plain, engine));
        return all;
      },
      [](const Operands& o) {
        // The addend is broadcast.
        ops::addbmm(o[0].get(), 2, o[3].get(), 1, o[1].get(), o[2].get());
      },
      12, "addbmm");
}

TEST_P(ProductOnDevice, LargeNumbersAndSizes) {
  for (Layout layout : {plain, transposed, strided}) {
    expect_same(
        [&](std::mt19937& engine) {
          Operands all;
          all.push_back(random({130, 70}, layout, engine, false));
          all.push_back(random({130, 100}, plain, engine, false));
          all.push_back(random({100, 70}, layout, engine, false));
          return all;
        },
        [](const Operands& o) { ops::addmm(o[0].get(), 3, o[0].get(), 2, o[1].get(), o[2].get()); },
        100, "addmm");
  }
}

TEST_P(ProductOnDevice, SpecialValues) {
  if (is_integral(type())) GTEST_SKIP();
  // beta = 0 hides the values of the result, and 0 times infinity is NaN.
  Build operands = [&](std::mt19937& engine) {
    Operands all;
    all.push_back(random({3, 3}, plain, engine));
    all.push_back(random({3, 2}, plain, engine));
    all.push_back(random({2, 3}, plain, engine));
    ops::fill(all[0].get(), std::nan(""));
    return all;
  };
  expect_same(
      operands, [](const Operands& o) { ops::mm(o[0].get(), o[1].get(), o[2].get()); }, 2, "mm");
  expect_same(
      operands,
      [](const Operands& o) { ops::addmm(o[0].get(), 0, o[0].get(), 0, o[1].get(), o[2].get()); },
      2, "addmm");
  TensorRef zeros = make(type(), {2}), infinite = make(type(), {3}), r(tensor_new(type()));
  ops::zero(zeros.get());
  ops::fill(infinite.get(), std::numeric_limits<double>::infinity());
  storage_to(zeros->storage, device);
  ops::ger(r.get(), zeros.get(), infinite.get());
  for (double x : values(r.get()).d) EXPECT_TRUE(std::isnan(x));
}

TEST_P(ProductOnDevice, ErrorsComeFirst) {
  std::mt19937 engine(3);
  TensorRef r = random({2, 2}, plain, engine), a = random({2, 3}, plain, engine);
  storage_to(r->storage, device);
  storage_to(a->storage, device);
  Values before = values(r.get());
  EXPECT_THROW(ops::mm(r.get(), a.get(), a.get()), Error);
  EXPECT_THROW(ops::addmm(r.get(), 1, a.get(), 1, r.get(), r.get()), Error);
  EXPECT_EQ(values(r.get()).d, before.d);
  EXPECT_EQ(values(r.get()).i, before.i);
}

std::string case_name(const ::testing::TestParamInfo<std::tuple<DType, bool>>& info) {
  return std::string(name(std::get<0>(info.param))) + (std::get<1>(info.param) ? "Lazy" : "Eager");
}
INSTANTIATE_TEST_SUITE_P(Integers, ProductOnDevice,
                         ::testing::Combine(kIntegers, ::testing::Bool()), case_name);
INSTANTIATE_TEST_SUITE_P(Floats, ProductOnDevice, ::testing::Combine(kFloats, ::testing::Bool()),
                         case_name);

}  // namespace
