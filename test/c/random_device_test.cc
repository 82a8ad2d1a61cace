// Random numbers on the software device: those of a Philox generator on the CPU, whatever the
// layout, and whenever and in whatever order kernels run.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "amount.h"
#include "base/error.h"
#include "functors/philox.h"
#include "on_soft_device.h"
#include "random/generator.h"
#include "random/generator_state.h"

namespace {

using namespace core;
namespace ops = th::ops;
using th::Generator;
using th::GeneratorKind;
using List = std::vector<double>;

Generator philox(uint64_t seed) {
  Generator g;
  g.kind = GeneratorKind::philox;
  th::seed(g, seed);
  return g;
}

struct Fill {
  const char* name;
  bool floating;  // only
  std::function<void(Tensor*, Generator*)> run;
};

const Fill kFills[] = {
    {"random", false, [](Tensor* t, Generator* g) { ops::random(t, g); }},
    {"cappedRandom", false, [](Tensor* t, Generator* g) { ops::cappedRandom(t, g, 100); }},
    {"clampedRandom", false, [](Tensor* t, Generator* g) { ops::clampedRandom(t, g, 5, 90); }},
    {"of a whole word", false,
     [](Tensor* t, Generator* g) { ops::clampedRandom(t, g, 1, int64_t{1} << 32); }},
    {"wide", false,
     [](Tensor* t, Generator* g) { ops::clampedRandom(t, g, -7, int64_t{1} << 40); }},
    {"of two words", false,
     [](Tensor* t, Generator* g) { ops::clampedRandom(t, g, INT64_MIN, INT64_MAX); }},
    {"geometric", false, [](Tensor* t, Generator* g) { ops::geometric(t, g, 0.3); }},
    {"bernoulli", false, [](Tensor* t, Generator* g) { ops::bernoulli(t, g, 0.4); }},
    {"uniform", true, [](Tensor* t, Generator* g) { ops::uniform(t, g, -2, 3); }},
    {"normal", true, [](Tensor* t, Generator* g) { ops::normal(t, g, 1, 2); }},
    {"exponential", true, [](Tensor* t, Generator* g) { ops::exponential(t, g, 1.5); }},
    {"cauchy", true, [](Tensor* t, Generator* g) { ops::cauchy(t, g, 1, 2); }},
    {"logNormal", true, [](Tensor* t, Generator* g) { ops::logNormal(t, g, 0, 0.5); }}};

bool is_defined(const Fill& fill, DType type) { return !fill.floating || !th::is_integral(type); }

void expect_same(const Tensor& expected, const Tensor& got, const std::string& what) {
  ASSERT_EQ(shape(expected), shape(got)) << what;
  double rounding = got.dtype == DType::BFloat16 ? 0x1p-7
                    : got.dtype == DType::Half   ? 0x1p-10
                    : got.dtype == DType::Float  ? 0x1p-22
                                                 : 1e-13;
  List a = values(expected), b = values(got);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ASSERT_FALSE(th::is_integral(got.dtype)) << what << " at " << i << ": " << a[i] << " " << b[i];
    ASSERT_NEAR(a[i], b[i], rounding * std::fabs(a[i]) + 1e-14) << what << " at " << i;
  }
}

void expect_same_state(const Generator& a, const Generator& b) {
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.normal_kept, b.normal_kept);
  EXPECT_EQ(a.normal_x, b.normal_x);
}

class RandomDevice : public OnSoftDevice {};
INSTANTIATE_TEST_SUITE_P(Settings, RandomDevice, testing::ValuesIn(kSettings), setting_name);

// Known answers published by the authors of Philox.
TEST(Philox, KnownAnswers) {
  struct {
    uint64_t key, stream, block;
    uint32_t word[4];
  } known[] = {{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
               {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
               {0x299f31d0a4093822,
                0x0370734413198a2e,
                0x85a308d3243f6a88,
                {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const auto& k : known) {
    th::PhiloxBlock block = th::philox_block(k.key, k.stream, k.block);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(k.word[i], block.word[i]) << k.block;
  }
}

TEST(Philox, FillsAreTheScalars) {
  for (const Fill& fill : kFills) {
    Generator a = philox(7), b = philox(7);
    TensorRef whole = make(DType::Double, {203});
    fill.run(whole.get(), &a);
    List one_by_one;
    for (int i = 0; i < 203; ++i) {
      TensorRef one = make(DType::Double, {1});
      fill.run(one.get(), &b);
      one_by_one.push_back(get(*one, 0));
    }
    EXPECT_EQ(values(*whole), one_by_one) << fill.name;
    expect_same_state(a, b);
  }
  Generator a = philox(7), b = philox(7);
  TensorRef words = make(DType::Long, {10});
  ops::clampedRandom(words.get(), &a, 0, UINT32_MAX);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get(*words, i), b.word());
  TensorRef normals = make(DType::Double, {9});
  ops::normal(normals.get(), &a, 0, 1);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(get(*normals, i), b.normal());
}

TEST_P(RandomDevice, FillsAreTheCPUs) {
  for (DType type : kAllTypes) {
    for (const Fill& fill : kFills) {
      if (!is_defined(fill, type)) continue;
      // From one seed on: each fill begins where the last one ended.
      Generator here = philox(42), there = philox(42);
      for (int64_t n : {1, 3, 4, 1000, 2, 7}) {
        TensorRef a = make(type, {n}), b = make_there(type, {n});
        fill.run(a.get(), &here);
        fill.run(b.get(), &there);
        ASSERT_TRUE(is_there(*b));
        expect_same(*a, *b, std::string(fill.name) + " " + th::name(type));
        expect_same_state(here, there);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(RandomDevice, LayoutsAreFilledInOrder) {
  for (const Fill& fill : kFills) {
    Generator g = philox(5);
    TensorRef expected = make(DType::Float, {5, 4, 7});
    fill.run(expected.get(), &g);
    for (Layout layout : {Layout::contiguous, Layout::permuted, Layout::spaced}) {
      Generator other = philox(5);
      TensorRef t = make_there(DType::Float, {5, 4, 7}, layout);
      fill.run(t.get(), &other);
      expect_same(*expected, *t, fill.name);
      EXPECT_EQ(other.offset, g.offset);
    }
  }
}

TEST_P(RandomDevice, BetweenOtherElements) {
  Generator here = philox(1), there = philox(1);
  TensorRef a = make(DType::Half, {30}), b = make(DType::Half, {30});
  ops::fill(a.get(), 9);
  ops::fill(b.get(), 9);
  b = sent(std::move(b));
  for (Tensor* whole : {a.get(), b.get()}) {
    TensorRef part(th::tensor_new_view(whole));
    ops::narrow(part.get(), whole, 0, 3, 21);
    ops::uniform(part.get(), whole == a.get() ? &here : &there, 0, 1);
  }
  EXPECT_EQ(values(*a), values(*b));
  EXPECT_EQ(9, get(*b, 2));
  EXPECT_EQ(9, get(*b, 24));
}

TEST_P(RandomDevice, LargeFills) {
  for (const Fill& fill : kFills) {
    Generator here = philox(8), there = philox(8);
    here.offset = there.offset = 6;
    TensorRef a = make(DType::Float, {300001}), b = make_there(DType::Float, {300001});
    fill.run(a.get(), &here);
    fill.run(b.get(), &there);
    expect_same(*a, *b, fill.name);
  }
}

TEST_P(RandomDevice, NothingIsDrawnForNoElements) {
  Generator g = philox(3);
  for (const Fill& fill : kFills) {
    TensorRef t = make_there(DType::Double, {0, 3});
    fill.run(t.get(), &g);
  }
  EXPECT_EQ(0u, g.offset);
}

TEST_P(RandomDevice, MersenneTwistersHaveStreamsOfTheirSeed) {
  Generator g;
  th::seed(g, 11);
  auto draw = [&] {
    TensorRef t = make_there(DType::Double, {7});
    ops::normal(t.get(), &g, 0, 1);
    return values(*t);
  };
  List first = draw(), second = draw();
  EXPECT_NE(first, second);
  uint32_t word = g.word();
  // The first fill is that of a Philox generator.
  Generator p = philox(11);
  TensorRef t = make(DType::Double, {7});
  ops::normal(t.get(), &p, 0, 1);
  const List expected = values(*t);
  for (size_t i = 0; i < expected.size(); ++i) {
    const double tolerance = test_device::tolerance(DType::Double) * std::abs(expected[i]);
    EXPECT_NEAR(first[i], expected[i], tolerance);
  }
  // Fills on devices draw no words on the CPU, and the other way round.
  th::seed(g, 11);
  EXPECT_EQ(word, g.word());
  EXPECT_EQ(first, draw());
  TensorRef state(th::tensor_new(DType::Byte));
  th::generator_state(g, state.get());
  EXPECT_EQ(5048, state->numel());
  EXPECT_EQ(second, draw());
  List third = draw();
  th::set_generator_state(g, state.get());
  EXPECT_EQ(second, draw());
  EXPECT_EQ(third, draw());
}

TEST_P(RandomDevice, Moments) {
  Generator g = philox(17);
  TensorRef t = make_there(DType::Double, {50000});
  auto expect = [&](double mean, double deviation) {
    EXPECT_NEAR(mean, ops::meanall(t.get()).d, 0.02 * std::max(1.0, deviation));
    EXPECT_NEAR(deviation, ops::stdall(t.get(), false).d, 0.05 * deviation);
    t = make_there(DType::Double, {50000});
  };
  ops::uniform(t.get(), &g, 2, 4);
  expect(3, 2 / std::sqrt(12));
  ops::normal(t.get(), &g, 1, 3);
  expect(1, 3);
  ops::exponential(t.get(), &g, 2);
  expect(0.5, 0.5);
  ops::bernoulli(t.get(), &g, 0.3);
  expect(0.3, std::sqrt(0.21));
  ops::geometric(t.get(), &g, 0.5);
  expect(2, std::sqrt(2));
  ops::logNormal(t.get(), &g, 0, 0.5);
  expect(std::exp(0.125), std::sqrt((std::exp(0.25) - 1) * std::exp(0.25)));
}

// The sum over the categories of (observed - expected)^2 / expected.
double chi_square(const List& drawn, const List& probabilities, double first) {
  List count(probabilities.size());
  for (double x : drawn) ++count.at(static_cast<size_t>(x - first));
  double sum = 0, n = static_cast<double>(drawn.size());
  for (size_t i = 0; i < count.size(); ++i) {
    double expected = n * probabilities[i];
    sum += (count[i] - expected) * (count[i] - expected) / expected;
  }
  return sum;
}

TEST_P(RandomDevice, IntegersAreUniform) {
  Generator g = philox(19);
  TensorRef t = make_there(DType::Int, {64000});
  ops::clampedRandom(t.get(), &g, 10, 25);
  // 15 degrees of freedom: 37.7 is exceeded once in 1000 times.
  EXPECT_LT(chi_square(values(*t), List(16, 1 / 16.), 10), 37.7);
}

TEST_P(RandomDevice, Permutations) {
  for (int64_t n : {1, 2, 30, 5000}) {
    for (DType type : {DType::Long, DType::Int, DType::Double, DType::Float}) {
      Generator here = philox(23), there = philox(23);
      TensorRef a = make(type, {n}), b = make_there(type, {n}, Layout::spaced);
      ops::randperm(a.get(), &here, n);
      ops::randperm(b.get(), &there, n);
      EXPECT_EQ(values(*a), values(*b));
      EXPECT_EQ(here.offset, there.offset);
      List sorted = values(*b);
      std::sort(sorted.begin(), sorted.end());
      List counted(static_cast<size_t>(n));
      std::iota(counted.begin(), counted.end(), 1);
      EXPECT_EQ(sorted, counted);
    }
  }
}

TEST_P(RandomDevice, ByProbabilities) {
  int round = 0;
  for (DType type : kAllTypes) {
    for (DType p_type : {DType::Float, DType::Double}) {
      for (Layout layout : kLayouts) {
        if (left_out(round++, 5)) continue;
        TensorRef p = make(p_type, {6, 11}, layout), p_there = make(p_type, {6, 11}, layout);
        for (const auto& t : {p.get(), p_there.get()}) {
          fill(*t, [](int64_t i) { return i % 5 ? noise(i) : i % 2; });
        }
        p_there = sent(std::move(p_there));
        Generator here = philox(29), there = philox(29);
        here.offset = there.offset = 3;
        TensorRef a = make(type, {6, 11}), b = make_there(type, {6, 11}, Layout::permuted);
        auto draw =
            p_type == DType::Float ? ops::bernoulli_FloatTensor : ops::bernoulli_DoubleTensor;
        draw(a.get(), &here, p.get());
        draw(b.get(), &there, p_there.get());
        EXPECT_TRUE(is_there(*b));
        expect_same(*a, *b, th::name(type));
        EXPECT_EQ(here.offset, there.offset);
      }
    }
  }
}

TEST_P(RandomDevice, ByProbabilitiesInPlace) {
  Generator g = philox(31);
  TensorRef p = make(DType::Float, {8});
  fill(*p, [](int64_t i) { return i % 2; });
  p = sent(std::move(p));
  ops::bernoulli_FloatTensor(p.get(), &g, p.get());
  EXPECT_EQ(values(*p), (List{0, 1, 0, 1, 0, 1, 0, 1}));
}

// body's message; empty: it threw nothing.
template <class F>
std::string message_of(const F& body) {
  try {
    body();
    return "";
  } catch (const th::Error& error) {
    return error.what();
  }
}

TEST_P(RandomDevice, BadProbabilitiesAreToldWhenSomeoneWaits) {
  Generator g = philox(1);
  TensorRef p = vector(DType::Double, {0.5, 0.5, 1.5, 0.5}), t = make_there(DType::Float, {4});
  // Still on the host: at once.
  EXPECT_NE("", message_of([&] { ops::bernoulli_DoubleTensor(t.get(), &g, p.get()); }));
  ops::mul(p.get(), p.get(), 1);
  p = sent(std::move(p));
  ops::mul(p.get(), p.get(), 1.0);
  std::string error_text = message_of([&] {
    ops::bernoulli_DoubleTensor(t.get(), &g, p.get());
    device_->synchronize();
  });
  EXPECT_NE(std::string::npos, error_text.find("element 3 of p")) << error_text;
}

TEST_P(RandomDevice, MultinomialIsTheCPUs) {
  int round = 0;
  for (DType type : kRealTypes) {
    for (const Shape& size :
         {Shape{5}, Shape{1}, Shape{3, 6}, Shape{2, 700}, Shape{4, 257}, Shape{2, 20001}}) {
      for (bool replacing : {true, false}) {
        for (Layout layout : {Layout::contiguous, Layout::permuted, Layout::spaced}) {
          if (left_out(round++, 7)) continue;
          TensorRef p = make(type, size, layout), q = make(type, size, layout);
          for (Tensor* t : {p.get(), q.get()}) {
            fill(*t, [](int64_t i) { return i % 4 == 2 ? 0 : std::floor(noise(i) * 16 + 1) / 16; });
          }
          q = sent(std::move(q));
          int64_t samples = replacing ? 50 : std::min<int64_t>((size.back() + 1) / 2, 400);
          Generator here = philox(37), there = philox(37);
          here.offset = there.offset = 5;
          TensorRef a = empty(DType::Long), b = empty(DType::Long);
          ops::multinomial(a.get(), &here, p.get(), samples, replacing);
          ops::multinomial(b.get(), &there, q.get(), samples, replacing);
          EXPECT_TRUE(is_there(*b));
          ASSERT_EQ(shape(*a), shape(*b));
          ASSERT_EQ(values(*a), values(*b)) << th::name(type) << th::shape_text(*p) << replacing;
          EXPECT_EQ(here.offset, there.offset);
        }
      }
    }
  }
}

TEST_P(RandomDevice, DrawsByAliasTablesAreTheCPUs) {
  for (DType type : kRealTypes) {
    for (int64_t categories : {1, 5, 300}) {
      TensorRef p = make(type, {categories}), J = empty(DType::Long), q = empty(type);
      fill(*p, [](int64_t i) { return i % 4 == 2 ? 0.0625 : std::floor(noise(i) * 16 + 1) / 16; });
      ops::multinomialAliasSetup(p.get(), J.get(), q.get());
      TensorRef a = make(DType::Long, {900}), b = make_there(DType::Long, {900});
      Generator here = philox(43), there = philox(43);
      here.offset = there.offset = 3;
      ops::multinomialAliasDraw(a.get(), &here, J.get(), q.get());
      ops::multinomialAliasDraw(b.get(), &there, J.get(), q.get());
      EXPECT_TRUE(is_there(*b));
      ASSERT_EQ(values(*a), values(*b)) << th::name(type) << " " << categories;
      EXPECT_EQ(here.offset, there.offset);
    }
  }
}

TEST_P(RandomDevice, MultinomialDrawsByTheProbabilities) {
  Generator g = philox(41);
  List p = {0.1, 0.2, 0.3, 0.25, 0.15};
  TensorRef t = vector(DType::Double, {1, 2, 3, 2.5, 1.5}), drawn = empty(DType::Long);
  t = sent(std::move(t));
  ops::multinomial(drawn.get(), &g, t.get(), 20000, true);
  // 4 degrees of freedom: 18.5 is exceeded once in 1000 times.
  EXPECT_LT(chi_square(values(*drawn), p, 1), 18.5);
  // Each of many once, and the impossible never.
  TensorRef many = make(DType::Float, {2, 600});
  fill(*many, [](int64_t i) { return i % 3 ? 1 : 0; });
  many = sent(std::move(many));
  ops::multinomial(drawn.get(), &g, many.get(), 400, false);
  List all = values(*drawn);
  for (auto row = all.begin(); row != all.end(); row += 400) {
    std::sort(row, row + 400);
    for (int i = 0; i < 400; ++i) ASSERT_EQ(i / 2 * 3 + i % 2 + 2, row[i]);
  }
}

TEST_P(RandomDevice, MultinomialTellsOfBadRows) {
  Generator g = philox(1);
  auto error_text = [&](std::initializer_list<double> second_row, bool replacing) {
    TensorRef p = make(DType::Float, {2, 3});
    fill(*p, [&](int64_t i) { return i < 3 ? 1 : second_row.begin()[i - 3]; });
    p = sent(std::move(p));
    ops::mul(p.get(), p.get(), 1.0);
    return message_of([&] {
      TensorRef drawn = empty(DType::Long);
      ops::multinomial(drawn.get(), &g, p.get(), 2, replacing);
      device_->synchronize();
    });
  };
  for (bool replacing : {true, false}) {
    EXPECT_EQ("", error_text({1, 0, 2}, replacing));
    std::string text = error_text({1, -1, 2}, replacing);
    EXPECT_NE(std::string::npos, text.find("in row 2 is negative")) << text;
    text = error_text({1, NAN, 2}, replacing);
    EXPECT_NE(std::string::npos, text.find("in row 2 is negative")) << text;
    text = error_text({0, 0, 0}, replacing);
    EXPECT_NE(std::string::npos, text.find("of row 2 sum up")) << text;
  }
  std::string text = error_text({0, 3, 0}, false);
  EXPECT_NE(std::string::npos, text.find("row 2 has fewer")) << text;
}

TEST(PhiloxState, RoundTripAndKinds) {
  Generator g = philox(99);
  g.word();
  g.normal();
  TensorRef state(th::tensor_new(DType::Byte)), twister(th::tensor_new(DType::Byte));
  th::generator_state(g, state.get());
  EXPECT_EQ(40, state->numel());
  List expected = {g.normal(), static_cast<double>(g.word()), g.normal(), g.normal()};
  Generator other;
  th::seed(other, 5);
  th::generator_state(other, twister.get());
  uint32_t word = other.word();
  th::set_generator_state(other, state.get());
  EXPECT_EQ(GeneratorKind::philox, other.kind);
  EXPECT_EQ(99u, other.initial_seed);
  List got = {other.normal(), static_cast<double>(other.word()), other.normal(), other.normal()};
  EXPECT_EQ(expected, got);
  th::set_generator_state(other, twister.get());
  EXPECT_EQ(GeneratorKind::mt19937, other.kind);
  EXPECT_EQ(word, other.word());
  for (int at : {0, 7, 32, 39}) {
    TensorRef bad = th::clone(state.get());
    bad->data_as<uint8_t>(th::Access::write)[at] ^= 0x55;
    EXPECT_THROW(th::set_generator_state(other, bad.get()), th::Error) << at;
  }
  th::set_kind(other, GeneratorKind::philox);
  EXPECT_EQ(5u, other.initial_seed);
  EXPECT_EQ(philox(5).word(), other.word());
  EXPECT_THROW(th::generator_kind("mrg"), th::Error);
}

}  // namespace
