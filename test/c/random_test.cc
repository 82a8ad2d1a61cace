// The streams of random numbers are Torch7's, for every type, layout and number of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "THRandom.h"
#include "THTensorRandom.h"
#include "base/error.h"
#include "cpu/parallel.h"
#include "elements.h"
#include "ops/ops.h"
#include "random/generator.h"
#include "random/generator_state.h"

#ifndef TEST_DATA_DIR
#define TEST_DATA_DIR "test/data"
#endif

namespace {

using namespace elements;
using th::Generator;

template <class F>
Values repeat(int n, const F& f) {
  Values out;
  for (int i = 0; i < n; ++i) out.push_back(static_cast<double>(f()));
  return out;
}

class Streams : public testing::Test {
 protected:
  static Values of_file(const std::string& name) {
    std::ifstream file(TEST_DATA_DIR "/random-streams.txt");
    EXPECT_TRUE(file) << "no " TEST_DATA_DIR "/random-streams.txt";
    std::string line;
    while (std::getline(file, line)) {
      size_t tab = line.find('\t');
      if (line[0] == '#' || line.substr(0, tab) != name) continue;
      std::istringstream words(line.substr(tab + 1));
      Values out;
      std::string word;
      while (words >> word) out.push_back(std::strtod(word.c_str(), nullptr));
      return out;
    }
    ADD_FAILURE() << "no line " << name;
    return {};
  }

  void SetUp() override { th::seed(g, 123); }
  THGenerator* c() { return reinterpret_cast<THGenerator*>(&g); }

  void expect(const std::string& name, const Values& got) {
    Values wanted = of_file(name);
    ASSERT_FALSE(wanted.empty());
    EXPECT_EQ(got, wanted) << name;
    th::seed(g, 123);
  }
  template <class F>
  void expect_filled(const std::string& name, DType type, int64_t n, const F& fill) {
    TensorRef t = make(type, {n});
    fill(t.get());
    expect(name, values(t));
  }

  Generator g;
};

TEST_F(Streams, Scalars) {
  expect("torch.random()", repeat(20, [&] { return THRandom_random(c()); }));
  expect("torch.random(5,8)", repeat(20, [&] { return THRandom_random(c()) % 4 + 5; }));
  expect("torch.uniform(-2,3)", repeat(20, [&] { return THRandom_uniform(c(), -2, 3); }));
  expect("torch.normal()", repeat(20, [&] { return THRandom_normal(c(), 0, 1); }));
  expect("torch.exponential(1)", repeat(20, [&] { return THRandom_exponential(c(), 1); }));
  expect("torch.cauchy(0,1)", repeat(20, [&] { return THRandom_cauchy(c(), 0, 1); }));
  expect("torch.logNormal(1,2)", repeat(20, [&] { return THRandom_logNormal(c(), 1, 2); }));
  expect("torch.geometric(0.9)", repeat(20, [&] { return THRandom_geometric(c(), 0.9); }));
  expect("torch.bernoulli()", repeat(20, [&] { return THRandom_bernoulli(c(), 0.5); }));
  repeat(619, [&] { return THRandom_random(c()); });
  expect("random() number 620..640 (state refresh)",
         repeat(21, [&] { return THRandom_random(c()); }));
}

TEST_F(Streams, NormalKeepsTheSecondOfAPair) {
  for (int i = 0; i < 3; ++i) THRandom_random(c());
  THRandom_normal(c(), 0, 1);
  Values after;
  after.push_back(THRandom_normal(c(), 0, 1));
  after.push_back(static_cast<double>(THRandom_random(c())));
  after.push_back(THRandom_uniform(c(), 0, 1));
  after.push_back(THRandom_normal(c(), 0, 1));
  expect("generator-after", after);
  Values mixed;
  mixed.push_back(THRandom_normal(c(), 0, 1));
  mixed.push_back(static_cast<double>(THRandom_random(c())));
  mixed.push_back(THRandom_normal(c(), 0, 1));
  mixed.push_back(THRandom_normal(c(), 0, 1));
  expect("mixed: normal cached value across calls", mixed);
}

TEST_F(Streams, Seeds) {
  const std::map<std::string, unsigned long> seeds = {
      {"seed 1", 1ul}, {"seed 2^31", 1ul << 31}, {"seed 2^32", 1ul << 32}, {"seed -1", ~0ul}};
  for (const auto& [name, seed] : seeds) {
    THRandom_manualSeed(c(), seed);
    Values got = {static_cast<double>(static_cast<long>(THRandom_initialSeed(c())))};
    for (int i = 0; i < 5; ++i) got.push_back(static_cast<double>(THRandom_random(c())));
    expect(name, got);
  }
}

TEST_F(Streams, Tensors) {
  const DType types[] = {DType::Byte, DType::Char,  DType::Short, DType::Int,
                         DType::Long, DType::Float, DType::Double};
  for (DType type : types) {
    std::string prefix = std::string(th::name(type)) + "Tensor(10):";
    expect_filled(prefix + "geometric(0.3)", type, 10,
                  [&](Tensor* t) { th::ops::geometric(t, &g, 0.3); });
    expect_filled(prefix + "bernoulli()", type, 10,
                  [&](Tensor* t) { th::ops::bernoulli(t, &g, 0.5); });
    if (type == DType::Byte) {
      expect_filled(prefix + "random()", type, 10, [&](Tensor* t) { th::ops::random(t, &g); });
      continue;
    }
    expect_filled(prefix + "random(100)", type, 10,
                  [&](Tensor* t) { th::ops::cappedRandom(t, &g, 100); });
    if (th::is_integral(type)) continue;
    expect_filled(prefix + "uniform()", type, 10,
                  [&](Tensor* t) { th::ops::uniform(t, &g, 0, 1); });
    expect_filled(prefix + "normal()", type, 10, [&](Tensor* t) { th::ops::normal(t, &g, 0, 1); });
    expect_filled(prefix + "exponential(1)", type, 10,
                  [&](Tensor* t) { th::ops::exponential(t, &g, 1); });
    expect_filled(prefix + "cauchy(0,1)", type, 10,
                  [&](Tensor* t) { th::ops::cauchy(t, &g, 0, 1); });
  }
  expect_filled("torch.logNormal(1,2)", DType::Double, 20,
                [&](Tensor* t) { th::ops::logNormal(t, &g, 1, 2); });
  expect_filled("torch.random(5,8)", DType::Int, 20,
                [&](Tensor* t) { th::ops::clampedRandom(t, &g, 5, 8); });
  expect_filled("torch.random()", DType::Double, 20, [&](Tensor* t) { th::ops::random(t, &g); });
}

TEST_F(Streams, MakingTensors) {
  TensorRef t(th::tensor_new(DType::Double));
  int64_t sizes[] = {5, 6, 16};
  th::ops::rand(t.get(), &g, {1, sizes});
  expect("rand(5)", values(t));
  th::ops::randn(t.get(), &g, {1, sizes + 1});
  expect("randn(6)", values(t));
  th::ops::randn(t.get(), &g, {1, sizes + 2});
  expect("randn(16)", values(t));
  th::ops::randperm(t.get(), &g, 1);
  expect("randperm(1)", values(t));
  TensorRef f(th::tensor_new(DType::Float));
  th::ops::randperm(f.get(), &g, 10);
  expect("float default: randperm(10)", values(f));
  th::ops::randperm(f.get(), &g, 0);
  EXPECT_EQ(th::shape_text(*f), "[0]");
}

TEST_F(Streams, Draws) {
  TensorRef p = tensor_of(DType::Double, {6}, {0, 0.2, 0.4, 0.6, 0.8, 1});
  expect_filled("bernoulli(tensor)", DType::Double, 6,
                [&](Tensor* t) { th::ops::bernoulli_DoubleTensor(t, &g, p.get()); });
  TensorRef drawn(th::tensor_new(DType::Long));
  p = tensor_of(DType::Double, {5}, {0.1, 0.2, 0.3, 0.25, 0.15});
  th::ops::multinomial(drawn.get(), &g, p.get(), 50, true);
  expect("multinomial 50 with replacement", values(drawn));
  p = tensor_of(DType::Float, {5}, {0.1, 0.2, 0.3, 0.25, 0.15});
  th::ops::multinomial(drawn.get(), &g, p.get(), 5, false);
  expect("multinomial float 5 without replacement", values(drawn));
  Values ramp;
  for (int i = 1; i <= 60; ++i) ramp.push_back(i / 1830.);
  p = tensor_of(DType::Double, {60}, ramp);
  th::ops::multinomial(drawn.get(), &g, p.get(), 50, false);
  expect("multinomial 50 without replacement of 60", values(drawn));
  p = tensor_of(DType::Double, {2, 2}, {0.1, 0.9, 0.5, 0.5});
  th::ops::multinomial(drawn.get(), &g, p.get(), 10, true);
  EXPECT_EQ(th::shape_text(*drawn), "[2 x 10]");
  expect("multinomial 2 rows x 10 with replacement", values(drawn));
}

TEST_F(Streams, LongFillsEqualScalarsOfEveryLayoutAndThreadCount) {
  constexpr int64_t n = 70003, m = 3;
  Values wanted = repeat(n * m, [&] { return g.normal(); });
  double next = g.unit();
  int threads = th::num_threads();
  for (int count : {1, 2, 5}) {
    th::set_num_threads(count);
    th::seed(g, 123);
    TensorRef t = make(DType::Double, {n, m});
    th::ops::normal(t.get(), &g, 0, 1);
    EXPECT_EQ(values(t), wanted) << count << " threads";
    EXPECT_EQ(g.unit(), next);
    th::seed(g, 123);
    TensorRef turned = make(DType::Double, {m, n});
    th::ops::t(turned.get(), turned.get());
    th::ops::normal(turned.get(), &g, 0, 1);
    EXPECT_EQ(values(turned), wanted) << count << " threads, transposed";
    EXPECT_EQ(g.unit(), next);
  }
  th::set_num_threads(threads);
}

TEST_F(Streams, OddFillsPassTheKeptNormalOn) {
  Values wanted = repeat(12, [&] { return g.normal(); });
  th::seed(g, 123);
  Values got;
  for (int64_t n : {3, 1, 5, 2, 1}) {
    TensorRef t = make(DType::Double, {n});
    th::ops::normal(t.get(), &g, 0, 1);
    for (double x : values(t)) got.push_back(x);
  }
  EXPECT_EQ(got, wanted);
}

TEST_F(Streams, OfZerosAreRefused) {
  TensorRef state(th::tensor_new(DType::Byte));
  auto* bytes = reinterpret_cast<THByteTensor*>(state.get());
  THByteTensor_getRNGState(c(), bytes);
  char message[200] = "";
  struct Call {
    THGenerator* generator;
    THByteTensor* bytes;
  } call = {c(), bytes};
  auto set_state = [](void* data) {
    THByteTensor_setRNGState(static_cast<Call*>(data)->generator, static_cast<Call*>(data)->bytes);
  };
  unsigned char* words = THByteTensor_data(bytes) + 24;
  std::memset(words, 0, 624 * 8);
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(THTry(set_state, &call, message, sizeof(message)), -1);
    EXPECT_NE(std::strstr(message, "not the state of a generator"), nullptr) << message;
    words[0] = 1;  // one of the 31 bits that are not used
  }
  words[8] = 1;
  EXPECT_EQ(THTry(set_state, &call, message, sizeof(message)), 0) << message;
  THRandom_manualSeed(c(), 123);
}

TEST(Generators, NeedTheNameOfTheirKind) {
  char message[200] = "";
  auto make = [](void*) { THGenerator_newOfKind(nullptr); };
  EXPECT_EQ(THTry(make, nullptr, message, sizeof(message)), -1);
  EXPECT_NE(std::strstr(message, "unknown generator 'NULL'"), nullptr) << message;
  THGenerator* generator = THGenerator_new();
  auto set_kind = [](void* data) { THGenerator_setKind(static_cast<THGenerator*>(data), nullptr); };
  EXPECT_EQ(THTry(set_kind, generator, message, sizeof(message)), -1);
  EXPECT_STREQ(THGenerator_kind(generator), "mt19937");
  THGenerator_free(generator);
}

TEST_F(Streams, StateIsTorch7s) {
  std::ifstream file(TEST_DATA_DIR "/rng-state-123.bin", std::ios::binary);
  std::string saved((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(saved.size(), 5048u);
  TensorRef state(th::tensor_new(DType::Byte));
  auto* bytes = reinterpret_cast<THByteTensor*>(state.get());
  THByteTensor_getRNGState(c(), bytes);
  ASSERT_EQ(th::shape_text(*state), "[5048]");
  EXPECT_EQ(std::memcmp(state->data(th::Access::read), saved.data(), saved.size()), 0);
  THRandom_manualSeed(c(), 7);
  THByteTensor_setRNGState(c(), bytes);
  EXPECT_EQ(THRandom_initialSeed(c()), 123u);
  expect("torch.random()", repeat(20, [&] { return THRandom_random(c()); }));
}

TEST_F(Streams, StateRoundTrip) {
  TensorRef state(th::tensor_new(DType::Byte));
  THRandom_normal(c(), 0, 1);
  th::generator_state(g, state.get());
  Values got = {THRandom_normal(c(), 0, 1), static_cast<double>(THRandom_random(c()))};
  th::set_generator_state(g, state.get());
  got.push_back(THRandom_normal(c(), 0, 1));
  got.push_back(static_cast<double>(THRandom_random(c())));
  got.push_back(static_cast<double>(state->numel()));
  expect("get/setRNGState round trip", got);
  // At every place in a block of words.
  for (int used : {1, 2, 623, 624, 625, 1000}) {
    th::seed(g, 5);
    repeat(used, [&] { return g.word(); });
    th::generator_state(g, state.get());
    Values wanted = repeat(1300, [&] { return g.word(); });
    Generator other;
    th::seed(other, 1);
    th::set_generator_state(other, state.get());
    EXPECT_EQ(repeat(1300, [&] { return other.word(); }), wanted) << used;
  }
}

TEST_F(Streams, HostileStatesAreRefused) {
  TensorRef good(th::tensor_new(DType::Byte));
  repeat(10, [&] { return g.word(); });
  th::generator_state(g, good.get());
  auto refused = [&](int at, std::vector<uint8_t> bytes) {
    TensorRef bad = th::clone(good.get());
    std::memcpy(bad->data(th::Access::write) + at, bytes.data(), bytes.size());
    Generator before = g;
    EXPECT_THROW(th::set_generator_state(g, bad.get()), th::Error) << at;
    EXPECT_EQ(std::memcmp(before.state, g.state, sizeof(g.state)), 0);
    EXPECT_EQ(before.used, g.used);
  };
  refused(8, {0, 0, 0, 0});  // left
  refused(8, {255, 255, 255, 255});
  refused(8, {1, 0, 0, 0});      // does not go with next
  refused(12, {0});              // seeded
  refused(16, {0, 0, 0, 0, 1});  // next
  refused(16, {255, 255, 255, 255, 255, 255, 255, 255});
  refused(24 + 4, {1});  // a word of more than 32 bits
  refused(5040, {2});    // the flag of the kept value
  TensorRef narrow = make(DType::Byte, {5047}), floats = make(DType::Float, {5048});
  th::ops::zero(narrow.get());
  EXPECT_THROW(th::set_generator_state(g, narrow.get()), th::Error);
  EXPECT_THROW(th::set_generator_state(g, floats.get()), th::Error);
  EXPECT_NO_THROW(th::set_generator_state(g, good.get()));
}

TEST_F(Streams, GeneratorsAreCopiedAndSeededBySystem) {
  THGenerator* a = THGenerator_new();
  THGenerator* b = THGenerator_new();
  EXPECT_EQ(THGenerator_isValid(a), 1);
  EXPECT_EQ(THGenerator_isValid(nullptr), 0);
  EXPECT_NE(THRandom_initialSeed(a), THRandom_initialSeed(b));
  unsigned long seed = THRandom_seed(a);
  EXPECT_EQ(THRandom_initialSeed(a), seed);
  EXPECT_EQ(static_cast<unsigned long>(static_cast<double>(seed)), seed);
  EXPECT_EQ(THGenerator_copy(b, a), b);
  for (int i = 0; i < 700; ++i) EXPECT_EQ(THRandom_random(a), THRandom_random(b));
  THGenerator_free(a);
  THGenerator_free(b);
}

TEST_F(Streams, WideRanges) {
  TensorRef t = make(DType::Long, {4000});
  th::ops::clampedRandom(t.get(), &g, INT64_MIN, INT64_MAX);
  Values all = values(t);
  EXPECT_LT(*std::min_element(all.begin(), all.end()), -9e18);
  EXPECT_GT(*std::max_element(all.begin(), all.end()), 9e18);
  th::ops::clampedRandom(t.get(), &g, -(int64_t{1} << 40), int64_t{1} << 40);
  const auto* data = t->data_as<int64_t>(th::Access::read);
  for (int i = 0; i < 4000; ++i) ASSERT_LE(std::llabs(data[i]), int64_t{1} << 40);
  th::seed(g, 123);
  th::ops::clampedRandom(t.get(), &g, 0, 4294967295);
  EXPECT_EQ(t->data_as<int64_t>(th::Access::read)[0], 2991312382);
}

TEST_F(Streams, ReducedFloatsAreRounded) {
  for (DType type : {DType::Half, DType::BFloat16}) {
    TensorRef t = make(type, {1000}), d = make(DType::Double, {1000});
    th::seed(g, 123);
    th::ops::uniform(t.get(), &g, -2, 3);
    th::seed(g, 123);
    th::ops::uniform(d.get(), &g, -2, 3);
    TensorRef rounded = make(type, {1000});
    th::ops::copy(rounded.get(), d.get());
    EXPECT_EQ(values(t), values(rounded));
  }
}

TEST_F(Streams, ProbabilitiesInAnyShape) {
  TensorRef row = tensor_of(DType::Float, {1, 3}, {0, 1, 0});
  TensorRef t = make(DType::Int, {2, 3});
  th::ops::bernoulli_FloatTensor(t.get(), &g, row.get());
  EXPECT_EQ(values(t), (Values{0, 1, 0, 0, 1, 0}));
  TensorRef six = tensor_of(DType::Float, {6}, {1, 0, 1, 1, 0, 0});
  th::ops::bernoulli_FloatTensor(t.get(), &g, six.get());
  EXPECT_EQ(values(t), values(six));
  TensorRef own = tensor_of(DType::Double, {2, 2}, {0, 1, 1, 0});
  TensorRef turned(th::tensor_new_view(own.get()));
  th::ops::t(turned.get(), turned.get());
  th::ops::bernoulli_DoubleTensor(own.get(), &g, turned.get());
  EXPECT_EQ(values(own), (Values{0, 1, 1, 0}));
}

TEST_F(Streams, MultinomialNeverDrawsTheImpossible) {
  TensorRef drawn(th::tensor_new(DType::Long));
  TensorRef p = tensor_of(DType::Double, {6}, {0, 1, 0, 1e-300, 1e-12, 0});
  for (int i = 0; i < 50; ++i) {
    th::ops::multinomial(drawn.get(), &g, p.get(), 3, false);
    Values got = values(drawn);
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, (Values{2, 4, 5}));
  }
  EXPECT_THROW(th::ops::multinomial(drawn.get(), &g, p.get(), 4, false), th::Error);
  // Each of many once, in strided rows of the result.
  Values ones(2 * 300, 1.);
  p = tensor_of(DType::Float, {2, 300}, ones);
  th::ops::multinomial(drawn.get(), &g, p.get(), 300, false);
  Values got = values(drawn);
  for (int row = 0; row < 2; ++row) {
    std::sort(got.begin() + row * 300, got.begin() + (row + 1) * 300);
    for (int i = 0; i < 300; ++i) ASSERT_EQ(got[row * 300 + i], i + 1);
  }
}

TEST_F(Streams, BadArgumentsAreErrorsAndDrawNothing) {
  TensorRef f = make(DType::Float, {4}), i = make(DType::Int, {4}), l = make(DType::Long, {4});
  Tensor *t = f.get(), *drawn = l.get();
  double nan = std::nan("");
  auto refused = [&](const std::function<void()>& call, int argument) {
    try {
      call();
      ADD_FAILURE() << "no error for argument " << argument;
    } catch (const th::Error& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
    }
  };
  refused([&] { th::ops::normal(t, &g, 0, 0); }, 4);
  refused([&] { th::ops::normal(t, &g, 0, nan); }, 4);
  refused([&] { th::ops::logNormal(t, &g, 0, -1); }, 4);
  refused([&] { th::ops::exponential(t, &g, 0); }, 3);
  refused([&] { th::ops::geometric(t, &g, 0); }, 3);
  refused([&] { th::ops::geometric(t, &g, 1); }, 3);
  refused([&] { th::ops::bernoulli(t, &g, 1.5); }, 3);
  refused([&] { th::ops::bernoulli(t, &g, nan); }, 3);
  refused([&] { th::ops::cappedRandom(t, &g, 0); }, 3);
  refused([&] { th::ops::clampedRandom(t, &g, 3, 2); }, 4);
  refused([&] { th::ops::randperm(t, &g, -1); }, 3);
  refused([&] { th::ops::uniform(i.get(), &g, 0, 1); }, 0);
  TensorRef byte = make(DType::Byte, {1});
  refused([&] { th::ops::randperm(byte.get(), &g, 256); }, 3);
  TensorRef bad = tensor_of(DType::Float, {4}, {0.5, 0.5, -0.1, 0.5});
  refused([&] { th::ops::bernoulli_FloatTensor(t, &g, bad.get()); }, 3);
  refused([&] { th::ops::multinomial(drawn, &g, bad.get(), 1, true); }, 3);
  TensorRef zeros = tensor_of(DType::Float, {4}, {0, 0, 0, 0});
  refused([&] { th::ops::multinomial(drawn, &g, zeros.get(), 1, true); }, 3);
  TensorRef infinite = tensor_of(DType::Float, {2}, {1, INFINITY});
  refused([&] { th::ops::multinomial(drawn, &g, infinite.get(), 1, true); }, 3);
  TensorRef not_number = tensor_of(DType::Float, {2}, {1, nan});
  refused([&] { th::ops::multinomial(drawn, &g, not_number.get(), 1, true); }, 3);
  TensorRef cube = tensor_of(DType::Float, {1, 1, 2}, {1, 1});
  refused([&] { th::ops::multinomial(drawn, &g, cube.get(), 1, true); }, 3);
  TensorRef fair = tensor_of(DType::Float, {2}, {1, 1});
  refused([&] { th::ops::multinomial(drawn, &g, fair.get(), 0, true); }, 4);
  refused([&] { th::ops::multinomial(drawn, &g, fair.get(), 3, false); }, 4);
  EXPECT_EQ(g.word(), 2991312382u);
}

TEST_F(Streams, EmptyTensorsDrawNothing) {
  for (std::vector<int64_t> size : {std::vector<int64_t>{}, {0}, {3, 0}}) {
    TensorRef t = make(DType::Double, size);
    th::ops::uniform(t.get(), &g, 0, 1);
    th::ops::normal(t.get(), &g, 0, 1);
    th::ops::cappedRandom(t.get(), &g, 9);
    th::ops::bernoulli_DoubleTensor(t.get(), &g, t.get());
  }
  EXPECT_EQ(g.word(), 2991312382u);
}

}  // namespace
