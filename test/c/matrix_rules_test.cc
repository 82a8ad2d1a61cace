// Guarantees of matrix products beyond their values: the same bits for any number of threads,
// results that share memory with operands, addends that broadcast, and errors.

#include <cmath>
#include <algorithm>
#include <omp.h>

#include <limits>

#include "amount.h"
#include "base/error.h"
#include "cpu/parallel.h"
#include "matrix_tensors.h"
#include "ops/ops.h"

namespace {

class MatrixRules : public Matrix {};
class IntegerMatrix : public Matrix {};
class FloatMatrix : public Matrix {};

// Results whose batches lie between their rows, or all in one place.
TEST_P(MatrixRules, ResultsWithUnusualBatches) {
  Dims s = {3, 4, 5, 2};
  TensorRef a = make(type(), {3, 4, 2}), b = make(type(), {3, 2, 5});
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  Values wanted =
      naive(type(), {3, 4, 5}, 0, nullptr, 1, values(a.get()), values(b.get()), s, false);
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

TEST_P(MatrixRules, Aliasing) {
  Dims s = {1, 6, 6, 6};
  for (int which = 0; which < 6; ++which) {
    TensorRef a = make(type(), {6, 6}), b = make(type(), {6, 6}), t = make(type(), {6, 6});
    for (Tensor* x : {a.get(), b.get(), t.get()}) fill_random(x, engine);
    Values va = values(a.get()), vb = values(b.get()), vt = values(t.get());
    TensorRef other(tensor_new(type()));
    Tensor* r = nullptr;
    switch (which) {
      case 0:
        r = a.get();
        break;
      case 1:
        r = b.get();
        break;
      case 2:
        ops::set(other.get(), a.get());
        r = other.get();
        break;
      case 3:
        ops::t(other.get(), b.get());
        r = other.get();
        break;
      case 4:
        ops::t(other.get(), t.get());
        r = other.get();
        break;
      default:
        ops::set(other.get(), t.get());
        r = other.get();
        break;
    }
    ops::addmm(r, 2, t.get(), 3, a.get(), b.get());
    expect_values(values(r), naive(type(), {6, 6}, 2, &vt, 3, va, vb, s, false), type(), 6,
                  "case " + std::to_string(which));
  }
  // r is an operand and gets another size.
  TensorRef a = make(type(), {2, 3}), b = make(type(), {3, 5});
  fill_random(a.get(), engine);
  fill_random(b.get(), engine);
  Values wanted =
      naive(type(), {2, 5}, 0, nullptr, 1, values(a.get()), values(b.get()), {1, 2, 5, 3}, false);
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

TEST_P(MatrixRules, AddendsBroadcast) {
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
      Values wanted =
          naive(type(), {4, 5}, 2, &vt, 1, values(a.get()), values(b.get()), {1, 4, 5, 3}, false);
      Tensor* result = in_place ? t.get() : r.get();
      ops::addmm(result, 2, t.get(), 1, a.get(), b.get());
      expect_values(values(result), wanted, type(), 3, "t of size " + shape_text(*t));
    }
  }
}

TEST_P(IntegerMatrix, WrapsAndCuts) {
  for (const Dims& s : {Dims{1, 5, 6, 7}, Dims{1, 37, 65, 300}, Dims{1, 130, 129, 128}}) {
    TensorRef a = make(type(), {s.m, s.k}), b = make(type(), {s.k, s.n}), r(tensor_new(type()));
    TensorRef t = make(type(), {s.m, s.n});
    for (Tensor* x : {a.get(), b.get(), t.get()}) fill_random(x, engine, false);
    Values vt = values(t.get());
    ops::addmm(r.get(), 77, t.get(), -103, a.get(), b.get());
    expect_values(
        values(r.get()),
        naive(type(), {s.m, s.n}, 77, &vt, -103, values(a.get()), values(b.get()), s, false),
        type(), 0, "wrapping");
  }
}

std::vector<char> bytes(Tensor* t) {
  TensorRef flat = clone(t);
  const char* data = flat->data(Access::read);
  return std::vector<char>(data, data + flat->numel() * item_size(flat->dtype));
}

TEST_P(MatrixRules, SameBitsForAnyNumberOfThreads) {
  struct Case {
    Dims s;
    bool turned;
  };
  const Case cases[] = {
      {{1, 65, 67, 129}, false},  {{1, 100, 100, 100}, true}, {{1, 200, 130, 450}, false},
      {{1, 1, 1000, 700}, false}, {{1, 1000, 1, 700}, true},  {{1, 1500, 3, 100}, false},
      {{1, 3, 1500, 100}, true},  {{1, 700, 700, 1}, false},  {{1, 17, 19, 5000}, false},
      {{40, 24, 24, 24}, true},   {{2, 150, 150, 60}, false}, {{1, 300, 300, 300}, true}};
  int before = num_threads();
  int round = 0;
  for (const Case& c : cases) {
    if (left_out(round++, 3)) continue;
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
      Values wanted =
          naive(type(), {s.m, s.n}, 0, nullptr, alpha, values(a.get()), values(b.get()), s, false);
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

INSTANTIATE_TEST_SUITE_P(Integers, MatrixRules, kIntegers, type_name);
INSTANTIATE_TEST_SUITE_P(Floats, MatrixRules, kFloats, type_name);
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
  expect_error([&] { ops::mm(R, m23.get(), m23.get()); },
               "size mismatch, m1: [2 x 3], m2: [2 x 3]");
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
