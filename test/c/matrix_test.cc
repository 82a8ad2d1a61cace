// Matrix products against naive loops: every element type, layout, shape, factor and aliasing.

#include <cmath>
#include "matrix_tensors.h"
#include "ops/ops.h"

namespace {

const double kFactors[][2] = {{1, 1}, {0, 1}, {0, 3}, {2, -1}, {1, 0}, {-3, 2}};

TEST_P(Matrix, EveryLayoutShapeAndFactor) {
  int round = 0;
  const Dims shapes[] = {{1, 1, 1, 1},  {1, 2, 3, 4}, {1, 4, 4, 4},     {1, 1, 5, 7},
                         {1, 6, 1, 5},  {1, 5, 7, 1}, {1, 17, 33, 9},   {1, 0, 3, 2},
                         {1, 3, 0, 2},  {1, 3, 2, 0}, {1, 40, 35, 131}, {1, 7, 16, 16},
                         {1, 14, 3, 11}};
  for (const Dims& s : shapes) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        for (int lr = 0; lr < expanded; ++lr) {
          if (left_out(round++)) continue;
          const double* factor = kFactors[(la * 5 + lb * 2 + lr) % 6];
          TensorRef a = make(type(), {s.m, s.k}, Layout(la));
          TensorRef b = make(type(), {s.k, s.n}, Layout(lb));
          TensorRef r = make(type(), {s.m, s.n}, Layout(lr));
          TensorRef t = make(type(), {s.m, s.n}, Layout((la + lb) % kLayouts));
          for (Tensor* x : {a.get(), b.get(), r.get(), t.get()}) fill_random(x, engine);
          Values va = values(a.get()), vb = values(b.get()), vt = values(t.get());
          Values wanted = naive(type(), {s.m, s.n}, factor[0], &vt, factor[1], va, vb, s, false);
          std::string what = "layouts " + std::to_string(la) + std::to_string(lb) +
                             std::to_string(lr) + " of " + shape_text(*a) + shape_text(*b);
          ops::addmm(r.get(), factor[0], t.get(), factor[1], a.get(), b.get());
          expect_values(values(r.get()), wanted, type(), s.k, what);
          expect_values(values(t.get()), vt, type(), 0, what + ": t is kept");
          // In place, then without an addend.
          if (lr == (la + lb) % kLayouts) {
            ops::addmm(t.get(), factor[0], t.get(), factor[1], a.get(), b.get());
            expect_values(values(t.get()), wanted, type(), s.k, what + " in place");
          }
          ops::mm(r.get(), a.get(), b.get());
          wanted = naive(type(), {s.m, s.n}, 0, nullptr, 1, va, vb, s, false);
          expect_values(values(r.get()), wanted, type(), s.k, what + " mm");
        }
      }
    }
  }
}

TEST_P(Matrix, VectorsAndOuterProducts) {
  const int64_t shapes[][2] = {{1, 1}, {3, 5}, {16, 16}, {70, 33}, {0, 4}, {4, 0}};
  for (auto& size : shapes) {
    int64_t m = size[0], n = size[1];
    for (int lm = 0; lm < kLayouts; ++lm) {
      for (int lv = 0; lv < kLayouts; ++lv) {
        const double* factor = kFactors[(lm + lv) % 6];
        TensorRef mat = make(type(), {m, n}, Layout(lm)), vec = make(type(), {n}, Layout(lv));
        TensorRef left = make(type(), {m}, Layout(lv)), t = make(type(), {m}, plain);
        TensorRef r = make(type(), {m}, Layout(lv % expanded));
        TensorRef addend = make(type(), {m, n}, plain);
        for (Tensor* x : {mat.get(), vec.get(), left.get(), t.get(), addend.get()}) {
          fill_random(x, engine);
        }
        Values vmat = values(mat.get()), vvec = values(vec.get()), vt = values(t.get());
        std::string what = "layouts " + std::to_string(lm) + std::to_string(lv) + shape_text(*mat);
        ops::addmv(r.get(), factor[0], t.get(), factor[1], mat.get(), vec.get());
        expect_values(
            values(r.get()),
            naive(type(), {m}, factor[0], &vt, factor[1], vmat, vvec, {1, m, 1, n}, false), type(),
            n, what + " addmv");
        ops::mv(r.get(), mat.get(), vec.get());
        expect_values(values(r.get()),
                      naive(type(), {m}, 0, nullptr, 1, vmat, vvec, {1, m, 1, n}, false), type(), n,
                      what + " mv");
        TensorRef outer = make(type(), {m, n}, Layout(lm % expanded));
        Values vleft = values(left.get()), vaddend = values(addend.get());
        ops::addr(outer.get(), factor[0], addend.get(), factor[1], left.get(), vec.get());
        expect_values(
            values(outer.get()),
            naive(type(), {m, n}, factor[0], &vaddend, factor[1], vleft, vvec, {1, m, n, 1}, false),
            type(), 1, what + " addr");
        ops::ger(outer.get(), left.get(), vec.get());
        expect_values(values(outer.get()),
                      naive(type(), {m, n}, 0, nullptr, 1, vleft, vvec, {1, m, n, 1}, false),
                      type(), 1, what + " ger");
      }
    }
  }
}

TEST_P(Matrix, Batches) {
  const Dims shapes[] = {{1, 2, 3, 4}, {5, 3, 4, 2}, {3, 1, 6, 5}, {4, 6, 1, 5}, {2, 20, 30, 10},
                         {0, 2, 2, 2}, {3, 0, 2, 2}, {3, 2, 2, 0}, {3, 4, 5, 1}, {3, 9, 16, 12}};
  for (const Dims& s : shapes) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        const double* factor = kFactors[(la + lb) % 6];
        if (s.batches == 0 && (la == expanded || lb == expanded)) continue;
        TensorRef a = make(type(), {s.batches, s.m, s.k}, Layout(la));
        TensorRef b = make(type(), {s.batches, s.k, s.n}, Layout(lb));
        TensorRef t = make(type(), {s.batches, s.m, s.n}, plain), t2 = make(type(), {s.m, s.n});
        TensorRef r = make(type(), {s.batches, s.m, s.n}, Layout(la % expanded));
        TensorRef r2 = make(type(), {s.m, s.n}, Layout(lb % expanded));
        for (Tensor* x : {a.get(), b.get(), t.get(), t2.get()}) fill_random(x, engine);
        Values va = values(a.get()), vb = values(b.get());
        Values vt = values(t.get()), vt2 = values(t2.get());
        std::string what = "layouts " + std::to_string(la) + std::to_string(lb) + shape_text(*a);
        ops::baddbmm(r.get(), factor[0], t.get(), factor[1], a.get(), b.get());
        expect_values(
            values(r.get()),
            naive(type(), {s.batches, s.m, s.n}, factor[0], &vt, factor[1], va, vb, s, false),
            type(), s.k, what + " baddbmm");
        ops::bmm(r.get(), a.get(), b.get());
        expect_values(values(r.get()),
                      naive(type(), {s.batches, s.m, s.n}, 0, nullptr, 1, va, vb, s, false), type(),
                      s.k, what + " bmm");
        ops::addbmm(r2.get(), factor[0], t2.get(), factor[1], a.get(), b.get());
        expect_values(values(r2.get()),
                      naive(type(), {s.m, s.n}, factor[0], &vt2, factor[1], va, vb, s, true),
                      type(), s.k * s.batches, what + " addbmm");
      }
    }
  }
}

TEST_P(Matrix, Dot) {
  for (int64_t n : {0, 1, 7, 256, 1000, 100003}) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        if (n > 1000 && la + lb > 2) continue;
        if (n == 0 && (la == expanded || lb == expanded)) continue;
        TensorRef a = make(type(), {n}, Layout(la)), b = make(type(), {n}, Layout(lb));
        bool small = type() == DType::Half || n > 1000;
        fill_random(a.get(), engine, small);
        fill_random(b.get(), engine, small);
        Values va = values(a.get()), vb = values(b.get());
        uint64_t whole = 0;
        double real = 0, magnitude = 0;
        for (int64_t k = 0; k < n; ++k) {
          if (is_integral(type())) {
            whole += static_cast<uint64_t>(va.i[k]) * static_cast<uint64_t>(vb.i[k]);
          } else {
            real += va.d[k] * vb.d[k];
            magnitude += std::fabs(va.d[k] * vb.d[k]);
          }
        }
        Scalar got = ops::dot(a.get(), b.get());
        ASSERT_EQ(got.integral, is_integral(type()));
        if (got.integral) {
          ASSERT_EQ(static_cast<uint64_t>(got.i), whole);
        } else {
          ASSERT_NEAR(got.d, real, 1e-13 * magnitude);
        }
      }
    }
  }
  // Element by element, whatever the shapes.
  TensorRef a = make(type(), {4, 6}, transposed), b = make(type(), {3, 8}, strided);
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  TensorRef flat_a = clone(a.get()), flat_b = clone(b.get());
  EXPECT_EQ(ops::dot(a.get(), b.get()).to_double(),
            ops::dot(flat_a.get(), flat_b.get()).to_double());
}

INSTANTIATE_TEST_SUITE_P(Integers, Matrix, kIntegers, type_name);
INSTANTIATE_TEST_SUITE_P(Floats, Matrix, kFloats, type_name);

}  // namespace
