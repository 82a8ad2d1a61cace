// Matrix products against naive loops: every element type, layout, shape, factor and aliasing, and
// the same bits for any number of threads.

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/ops.h"
#include "tensor/convert.h"

using namespace th;

namespace {

using Sizes64 = std::vector<int64_t>;

TensorRef make(DType type, const Sizes64& size) {
  return TensorRef(tensor_new_sized(type, static_cast<int>(size.size()), size.data()));
}

enum Layout { plain, transposed, offset, strided, expanded, kLayouts };

// A tensor of these sizes lying in memory in one of the ways there are.
TensorRef make(DType type, Sizes64 size, Layout layout) {
  size_t last = size.size() - 1;
  TensorRef view(tensor_new(type));
  if (layout == transposed && last > 0) {
    std::swap(size[last], size[last - 1]);
    TensorRef t = make(type, size);
    ops::transpose(view.get(), t.get(), -1, -2);
  } else if (layout == offset) {
    Sizes64 wider = size;
    for (int64_t& s : wider) s += 3;
    TensorRef t = make(type, wider);
    ops::zero(t.get());
    ops::set(view.get(), t.get());
    for (size_t d = 0; d <= last; ++d) ops::narrow(view.get(), view.get(), d, 2, size[d]);
  } else if (layout == strided) {
    Sizes64 wider = size;
    wider.push_back(2);
    TensorRef t = make(type, wider);
    ops::select(view.get(), t.get(), -1, 1);
  } else if (layout == expanded) {
    Sizes64 narrower = size;
    narrower[0] = 1;
    TensorRef t = make(type, narrower);
    ops::expand(view.get(), t.get(), {static_cast<int>(size.size()), size.data()});
  } else {
    return make(type, size);
  }
  return view;
}

template <class F>
void for_each_element(Tensor* t, const F& f) {
  char* data = t->data(Access::write);
  int64_t index[3] = {};
  for (int64_t i = 0; i < t->numel(); ++i) {
    int64_t rest = i, place = 0;
    for (int d = t->nDimension - 1; d >= 0; --d) {
      index[d] = rest % t->size[d];
      rest /= t->size[d];
      place += index[d] * t->stride[d];
    }
    f(data + place * static_cast<int64_t>(item_size(t->dtype)), i);
  }
}

// Small integers, whose products every type holds exactly, or numbers that overflow.
void fill_random(Tensor* t, std::mt19937& engine, bool small = true) {
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element(t, [&](char* p, int64_t) {
      int64_t bits = static_cast<int64_t>(engine()) << 32 | engine();
      T value;
      if constexpr (std::is_integral_v<T>) {
        value = small ? static_cast<T>(bits % 5 - 2) : static_cast<T>(bits);
      } else {
        value = small ? convert<T>(static_cast<double>(bits % 5 - 2))
                      : convert<T>(static_cast<double>(bits) / 9e18);
      }
      std::memcpy(p, &value, sizeof value);
    });
  });
}

// The elements in order: exact for integers (as their wrapped bits), double otherwise.
struct Values {
  Sizes64 size;
  std::vector<int64_t> i;
  std::vector<double> d;
};

Values values(Tensor* t) {
  Values v;
  v.size.assign(t->size, t->size + t->nDimension);
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element(t, [&](char* p, int64_t) {
      T value;
      std::memcpy(&value, p, sizeof value);
      if constexpr (std::is_integral_v<T>) {
        v.i.push_back(value);
      } else {
        v.d.push_back(load(value));
      }
    });
  });
  return v;
}

struct Dims {
  int64_t batches, m, n, k;
};

// beta t + alpha a b by the definition; sum: over the batches.
Values naive(DType type, const Sizes64& size, double beta, const Values* t, double alpha,
             const Values& a, const Values& b, Dims s, bool sum) {
  Values r;
  r.size = size;
  int64_t results = sum ? 1 : s.batches;
  for (int64_t batch = 0; batch < results; ++batch) {
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        uint64_t whole = 0;
        double real = 0;
        for (int64_t p = sum ? 0 : batch; p < (sum ? s.batches : batch + 1); ++p) {
          for (int64_t k = 0; k < s.k; ++k) {
            size_t x = (p * s.m + i) * s.k + k, y = (p * s.k + k) * s.n + j;
            if (is_integral(type)) {
              whole += static_cast<uint64_t>(a.i[x]) * static_cast<uint64_t>(b.i[y]);
            } else {
              real += a.d[x] * b.d[y];
            }
          }
        }
        size_t at = (batch * s.m + i) * s.n + j;
        if (is_integral(type)) {
          uint64_t value = static_cast<uint64_t>(static_cast<int64_t>(alpha)) * whole;
          if (t && beta != 0) {
            value += static_cast<uint64_t>(static_cast<int64_t>(beta)) *
                     static_cast<uint64_t>(t->i[at]);
          }
          dispatch(type, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_integral_v<T>) r.i.push_back(static_cast<T>(value));
          });
        } else {
          r.d.push_back(alpha * real + (t && beta != 0 ? beta * t->d[at] : 0));
        }
      }
    }
  }
  return r;
}

double tolerance(DType type, int64_t terms) {
  double epsilon = type == DType::Half       ? 1.0 / 1024
                   : type == DType::BFloat16 ? 1.0 / 128
                   : type == DType::Float    ? 1.2e-7 * static_cast<double>(terms + 4)
                                             : 2.3e-16 * static_cast<double>(terms + 4);
  return epsilon;
}

void expect_values(const Values& got, const Values& wanted, DType type, int64_t terms,
                   const std::string& what) {
  ASSERT_EQ(got.size, wanted.size) << what;
  ASSERT_EQ(got.i, wanted.i) << what;
  ASSERT_EQ(got.d.size(), wanted.d.size()) << what;
  for (size_t k = 0; k < got.d.size(); ++k) {
    double bound = tolerance(type, terms) * (1 + std::fabs(wanted.d[k]));
    ASSERT_NEAR(got.d[k], wanted.d[k], bound) << what << ", element " << k;
  }
}

class Matrix : public ::testing::TestWithParam<DType> {
 protected:
  DType type() const { return GetParam(); }
  std::mt19937 engine{7};
};
class IntegerMatrix : public Matrix {};
class FloatMatrix : public Matrix {};

const double kFactors[][2] = {{1, 1}, {0, 1}, {0, 3}, {2, -1}, {1, 0}, {-3, 2}};

TEST_P(Matrix, EveryLayoutShapeAndFactor) {
  const Dims shapes[] = {{1, 1, 1, 1},  {1, 2, 3, 4},  {1, 4, 4, 4},   {1, 1, 5, 7}, {1, 6, 1, 5},
                         {1, 5, 7, 1},  {1, 17, 33, 9}, {1, 0, 3, 2},  {1, 3, 0, 2}, {1, 3, 2, 0},
                         {1, 40, 35, 131}};
  for (const Dims& s : shapes) {
    for (int la = 0; la < kLayouts; ++la) {
      for (int lb = 0; lb < kLayouts; ++lb) {
        for (int lr = 0; lr < expanded; ++lr) {
          const double* factor = kFactors[(la * 5 + lb * 2 + lr) % 6];
          TensorRef a = make(type(), {s.m, s.k}, Layout(la));
          TensorRef b = make(type(), {s.k, s.n}, Layout(lb));
          TensorRef r = make(type(), {s.m, s.n}, Layout(lr));
          TensorRef t = make(type(), {s.m, s.n}, Layout((la + lb) % kLayouts));
          for (Tensor* x : {a.get(), b.get(), r.get(), t.get()}) fill_random(x, engine);
          Values va = values(a.get()), vb = values(b.get()), vt = values(t.get());
          Values wanted =
              naive(type(), {s.m, s.n}, factor[0], &vt, factor[1], va, vb, s, false);
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
        TensorRef r = make(type(), {m}, Layout(lv % expanded)), addend = make(type(), {m, n}, plain);
        for (Tensor* x : {mat.get(), vec.get(), left.get(), t.get(), addend.get()}) {
          fill_random(x, engine);
        }
        Values vmat = values(mat.get()), vvec = values(vec.get()), vt = values(t.get());
        std::string what = "layouts " + std::to_string(lm) + std::to_string(lv) + shape_text(*mat);
        ops::addmv(r.get(), factor[0], t.get(), factor[1], mat.get(), vec.get());
        expect_values(values(r.get()),
                      naive(type(), {m}, factor[0], &vt, factor[1], vmat, vvec, {1, m, 1, n}, false),
                      type(), n, what + " addmv");
        ops::mv(r.get(), mat.get(), vec.get());
        expect_values(values(r.get()),
                      naive(type(), {m}, 0, nullptr, 1, vmat, vvec, {1, m, 1, n}, false), type(), n,
                      what + " mv");
        TensorRef outer = make(type(), {m, n}, Layout(lm % expanded));
        Values vleft = values(left.get()), vaddend = values(addend.get());
        ops::addr(outer.get(), factor[0], addend.get(), factor[1], left.get(), vec.get());
        expect_values(values(outer.get()),
                      naive(type(), {m, n}, factor[0], &vaddend, factor[1], vleft, vvec,
                            {1, m, n, 1}, false),
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
                         {0, 2, 2, 2}, {3, 0, 2, 2}, {3, 2, 2, 0}, {3, 4, 5, 1}};
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
        expect_values(values(r.get()),
                      naive(type(), {s.batches, s.m, s.n}, factor[0], &vt, factor[1], va, vb, s,
                            false),
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

// Results whose batches lie between their rows, or all in one place.
TEST_P(Matrix, ResultsWithUnusualBatches) {
  Dims s = {3, 4, 5, 2};
  TensorRef a = make(type(), {3, 4, 2}), b = make(type(), {3, 2, 5});
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  Values wanted = naive(type(), {3, 4, 5}, 0, nullptr, 1, values(a.get()), values(b.get()), s,
                        false);
  TensorRef base = make(type(), {4, 3, 5}), r(tensor_new(type()));
  ops::transpose(r.get(), base.get(), 0, 1);
  ops::bmm(r.get(), a.get(), b.get());
  expect_values(values(r.get()), wanted, type(), 2, "interleaved");
  base = make(type(), {4, 5, 3});
  int64_t order[] = {2, 0, 1};
  ops::permute(r.get(), base.get(), {3, order});
  ops::bmm(r.get(), a.get(), b.get());
  expect_values(values(r.get()), wanted, type(), 2, "batches innermost");
  r = make(type(), {3, 4, 5}, expanded);
  ops::bmm(r.get(), a.get(), b.get());
  Values got = values(r.get());
  for (size_t k = 0; k < 20; ++k) {
    if (is_integral(type())) {
      EXPECT_EQ(got.i[k], wanted.i[40 + k]);
    } else {
      EXPECT_EQ(got.d[k], wanted.d[40 + k]);
    }
  }
}

TEST_P(Matrix, Aliasing) {
  Dims s = {1, 6, 6, 6};
  for (int which = 0; which < 6; ++which) {
    TensorRef a = make(type(), {6, 6}), b = make(type(), {6, 6}), t = make(type(), {6, 6});
    for (Tensor* x : {a.get(), b.get(), t.get()}) fill_random(x, engine);
    Values va = values(a.get()), vb = values(b.get()), vt = values(t.get());
    TensorRef other(tensor_new(type()));
    Tensor* r = nullptr;
    switch (which) {
      case 0: r = a.get(); break;
      case 1: r = b.get(); break;
      case 2: ops::set(other.get(), a.get()); r = other.get(); break;
      case 3: ops::t(other.get(), b.get()); r = other.get(); break;
      case 4: ops::t(other.get(), t.get()); r = other.get(); break;
      default: ops::set(other.get(), t.get()); r = other.get(); break;
    }
    ops::addmm(r, 2, t.get(), 3, a.get(), b.get());
    expect_values(values(r), naive(type(), {6, 6}, 2, &vt, 3, va, vb, s, false), type(), 6,
                  "case " + std::to_string(which));
  }
  // r is an operand and gets another size.
  TensorRef a = make(type(), {2, 3}), b = make(type(), {3, 5});
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  Values wanted = naive(type(), {2, 5}, 0, nullptr, 1, values(a.get()), values(b.get()),
                        {1, 2, 5, 3}, false);
  ops::mm(a.get(), a.get(), b.get());
  expect_values(values(a.get()), wanted, type(), 3, "r = m1, resized");
  // r is a squared matrix.
  TensorRef square = make(type(), {4, 4});
  fill_random(square.get(), engine);
  Values v = values(square.get());
  wanted = naive(type(), {4, 4}, 0, nullptr, 1, v, v, {1, 4, 4, 4}, false);
  ops::mm(square.get(), square.get(), square.get());
  expect_values(values(square.get()), wanted, type(), 4, "r = m1 = m2");
}

TEST_P(Matrix, AddendsBroadcast) {
  const Sizes64 sizes[] = {{5}, {1, 5}, {4, 1}, {1}, {1, 1}};
  TensorRef a = make(type(), {4, 3}), b = make(type(), {3, 5});
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  for (const Sizes64& size : sizes) {
    for (bool in_place : {false, true}) {
      TensorRef t = make(type(), size), whole(tensor_new(type())), r(tensor_new(type()));
      fill_random(t.get(), engine);
      int64_t full[] = {4, 5};
      ops::expand(whole.get(), t.get(), {2, full});
      Values vt = values(whole.get());
      Values wanted = naive(type(), {4, 5}, 2, &vt, 1, values(a.get()), values(b.get()),
                            {1, 4, 5, 3}, false);
      Tensor* result = in_place ? t.get() : r.get();
      ops::addmm(result, 2, t.get(), 1, a.get(), b.get());
      expect_values(values(result), wanted, type(), 3, "t of size " + shape_text(*t));
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

TEST_P(IntegerMatrix, WrapsAndCuts) {
  for (const Dims& s : {Dims{1, 5, 6, 7}, Dims{1, 37, 65, 300}, Dims{1, 130, 129, 128}}) {
    TensorRef a = make(type(), {s.m, s.k}), b = make(type(), {s.k, s.n}), r(tensor_new(type()));
    TensorRef t = make(type(), {s.m, s.n});
    for (Tensor* x : {a.get(), b.get(), t.get()}) fill_random(x, engine, false);
    Values vt = values(t.get());
    ops::addmm(r.get(), 77, t.get(), -103, a.get(), b.get());
    expect_values(values(r.get()),
                  naive(type(), {s.m, s.n}, 77, &vt, -103, values(a.get()), values(b.get()), s,
                        false),
                  type(), 0, "wrapping");
  }
}

std::vector<char> bytes(Tensor* t) {
  TensorRef flat = clone(t);
  const char* data = flat->data(Access::read);
  return std::vector<char>(data, data + flat->numel() * item_size(flat->dtype));
}

TEST_P(Matrix, SameBitsForAnyNumberOfThreads) {
  struct Case {
    Dims s;
    bool turned;
  };
  const Case cases[] = {{{1, 65, 67, 129}, false},  {{1, 100, 100, 100}, true},
                        {{1, 200, 130, 450}, false}, {{1, 1, 1000, 700}, false},
                        {{1, 1000, 1, 700}, true},   {{1, 1500, 3, 100}, false},
                        {{1, 3, 1500, 100}, true},   {{1, 700, 700, 1}, false},
                        {{1, 17, 19, 5000}, false},  {{40, 24, 24, 24}, true},
                        {{2, 150, 150, 60}, false},  {{1, 300, 300, 300}, true}};
  int before = num_threads();
  for (const Case& c : cases) {
    if (c.s.m * c.s.n * c.s.k > 10000000 && is_integral(type())) continue;
    Layout layout = c.turned ? transposed : plain;
    TensorRef a = make(type(), {c.s.batches, c.s.m, c.s.k}, layout);
    TensorRef b = make(type(), {c.s.batches, c.s.k, c.s.n}, layout);
    TensorRef u = make(type(), {100000}, plain);
    for (Tensor* x : {a.get(), b.get(), u.get()}) fill_random(x, engine, false);
    std::vector<char> one, one_sum;
    double one_dot = 0;
    for (int threads : {1, 2, 3, 5}) {
      set_num_threads(threads);
      TensorRef r(tensor_new(type())), sum(tensor_new(type()));
      ops::bmm(r.get(), a.get(), b.get());
      TensorRef zero = make(type(), {c.s.m, c.s.n});
      ops::zero(zero.get());
      ops::addbmm(sum.get(), 1, zero.get(), 1, a.get(), b.get());
      double dot = ops::dot(u.get(), u.get()).to_double();
      if (threads == 1) {
        one = bytes(r.get());
        one_sum = bytes(sum.get());
        one_dot = dot;
      } else {
        EXPECT_EQ(bytes(r.get()), one) << threads << " threads, " << shape_text(*r);
        EXPECT_EQ(bytes(sum.get()), one_sum) << threads << " threads, " << shape_text(*sum);
        EXPECT_EQ(std::memcmp(&dot, &one_dot, sizeof dot), 0) << threads << " threads";
      }
    }
    // A matrix alone is cut as the same matrix among others.
    TensorRef first_a(tensor_new(type())), first_b(tensor_new(type())), r(tensor_new(type()));
    ops::select(first_a.get(), a.get(), 0, 0);
    ops::select(first_b.get(), b.get(), 0, 0);
    ops::mm(r.get(), first_a.get(), first_b.get());
    std::vector<char> alone = bytes(r.get());
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), one.begin()));
  }
  // Inside a parallel region of the caller.
  TensorRef a = make(type(), {120, 130}), b = make(type(), {130, 140}), r(tensor_new(type()));
  fill_random(a.get(), engine, false);
  fill_random(b.get(), engine, false);
  set_num_threads(2);
  ops::mm(r.get(), a.get(), b.get());
  std::vector<char> outside = bytes(r.get()), inside[2];
#pragma omp parallel for num_threads(2)
  for (int k = 0; k < 2; ++k) {
    TensorRef own(tensor_new(type()));
    ops::mm(own.get(), a.get(), b.get());
    inside[k] = bytes(own.get());
  }
  EXPECT_EQ(inside[0], outside);
  EXPECT_EQ(inside[1], outside);
  EXPECT_EQ(omp_get_max_threads(), 2) << "a product changes OpenMP's threads";
  set_num_threads(before);
}

TEST_P(FloatMatrix, BetaZeroIgnoresTheAddend) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Dims& s : {Dims{1, 4, 4, 4}, Dims{1, 4, 1, 4}, Dims{1, 1, 4, 4}, Dims{1, 4, 4, 1},
                        Dims{1, 4, 4, 0}, Dims{1, 150, 150, 10}}) {
    for (double alpha : {1.0, 0.0}) {
      TensorRef a = make(type(), {s.m, s.k}), b = make(type(), {s.k, s.n});
      TensorRef t = make(type(), {s.m, s.n});
      fill_random(a.get(), engine);
      fill_random(b.get(), engine);
      ops::fill(t.get(), nan);
      Values wanted = naive(type(), {s.m, s.n}, 0, nullptr, alpha, values(a.get()),
                            values(b.get()), s, false);
      TensorRef r = clone(t.get());
      ops::addmm(r.get(), 0, t.get(), alpha, a.get(), b.get());
      expect_values(values(r.get()), wanted, type(), s.k, "r and t of NaN");
      ops::addmm(t.get(), 0, t.get(), alpha, a.get(), b.get());
      expect_values(values(t.get()), wanted, type(), s.k, "t of NaN in place");
    }
  }
}

TEST_P(FloatMatrix, ZeroTimesInfinityIsNaN) {
  TensorRef zeros = make(type(), {8}), infinite = make(type(), {8}), r(tensor_new(type()));
  ops::zero(zeros.get());
  ops::fill(infinite.get(), std::numeric_limits<double>::infinity());
  ops::ger(r.get(), zeros.get(), infinite.get());
  for (double x : values(r.get()).d) EXPECT_TRUE(std::isnan(x));
  ops::ger(r.get(), infinite.get(), zeros.get());
  for (double x : values(r.get()).d) EXPECT_TRUE(std::isnan(x));
  EXPECT_TRUE(std::isnan(ops::dot(zeros.get(), infinite.get()).d));
}

std::string type_name(const ::testing::TestParamInfo<DType>& info) { return name(info.param); }

const auto kIntegers = ::testing::Values(DType::Byte, DType::Char, DType::Short, DType::Int,
                                         DType::Long);
const auto kFloats = ::testing::Values(DType::Half, DType::BFloat16, DType::Float, DType::Double);
INSTANTIATE_TEST_SUITE_P(Integers, Matrix, kIntegers, type_name);
INSTANTIATE_TEST_SUITE_P(Floats, Matrix, kFloats, type_name);
INSTANTIATE_TEST_SUITE_P(Types, IntegerMatrix, kIntegers, type_name);
INSTANTIATE_TEST_SUITE_P(Types, FloatMatrix, kFloats, type_name);

template <class F>
void expect_error(const F& f, const char* text) {
  try {
    f();
    ADD_FAILURE() << "no error; wanted: " << text;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos)
        << "got: " << e.what() << "\nwanted: " << text;
  }
}

TEST(MatrixErrors, NameWhatTheyGot) {
  auto f = [](const Sizes64& size) { return make(DType::Float, size); };
  TensorRef r = f({7}), m23 = f({2, 3}), m22 = f({2, 2}), m32 = f({3, 2}), v2 = f({2}), v3 = f({3});
  TensorRef b2 = f({2, 2, 2}), b3 = f({3, 2, 2}), b233 = f({2, 3, 3});
  TensorRef d32 = make(DType::Double, {3, 2}), none(tensor_new(DType::Float));
  Tensor* R = r.get();
  expect_error([&] { ops::mm(R, m23.get(), m23.get()); }, "size mismatch, m1: [2 x 3], m2: [2 x 3]");
  expect_error([&] { ops::mm(R, m23.get(), v3.get()); }, "matrices expected, got 2D, 1D tensors");
  expect_error([&] { ops::mm(R, none.get(), m23.get()); }, "matrices expected, got 0D, 2D");
  expect_error([&] { ops::mm(R, m23.get(), d32.get()); }, "FloatTensor and a DoubleTensor");
  expect_error([&] { ops::addmm(R, 1, v3.get(), 1, m23.get(), m32.get()); },
               "size mismatch, t: [3], m1: [2 x 3], m2: [3 x 2]");
  expect_error([&] { ops::addmm(R, 1, none.get(), 1, m23.get(), m32.get()); },
               "size mismatch, t: [], m1: [2 x 3], m2: [3 x 2]");
  expect_error([&] { ops::addmm(R, 0, b2.get(), 1, m23.get(), m32.get()); }, "size mismatch, t: ");
  expect_error([&] { ops::mv(R, m23.get(), v2.get()); }, "size mismatch, [2 x 3], [2]");
  expect_error([&] { ops::mv(R, v2.get(), m23.get()); }, "matrix and vector expected");
  expect_error([&] { ops::addmv(R, 1, v3.get(), 1, m23.get(), v3.get()); },
               "size mismatch, t: [3], mat: [2 x 3], vec: [3]");
  expect_error([&] { ops::ger(R, m22.get(), v2.get()); }, "vector and vector expected, got 2D, 1D");
  expect_error([&] { ops::addr(R, 1, m22.get(), 1, v3.get(), v2.get()); },
               "size mismatch, t: [2 x 2], vec1: [3], vec2: [2]");
  expect_error([&] { ops::bmm(R, b2.get(), b3.get()); },
               "equal number of batches expected, got 2, 3");
  expect_error([&] { ops::bmm(R, b2.get(), b233.get()); },
               "size mismatch, batch1: [2 x 2 x 2], batch2: [2 x 3 x 3]");
  expect_error([&] { ops::addbmm(R, 1, m22.get(), 1, m22.get(), b2.get()); },
               "3D tensors expected, got 2D, 3D tensors");
  expect_error([&] { ops::dot(v2.get(), v3.get()); },
               "inconsistent tensor size, expected tensor [2] and src [3] to have the same number "
               "of elements, but got 2 and 3 elements respectively");
  expect_error([&] { ops::dot(d32.get(), m32.get()); }, "DoubleTensor and a FloatTensor");
  EXPECT_EQ(r->nDimension, 1) << "an error leaves the result alone";
  EXPECT_EQ(r->size[0], 7);
}

}  // namespace
