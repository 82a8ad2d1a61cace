// C functions of generators, scalar random numbers and generator states.

#include "THRandom.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <new>

#include "THTensorRandom.h"

#include "base/error.h"
#include "generic/bridge.h"
#include "memory/heap.h"
#include "ops/distributions.h"
#include "random/generator.h"
#include "random/generator_state.h"
#include "tensor/tensor.h"

namespace {

th::Generator& core(THGenerator* gen) {
  if (!gen) th::fail("a generator is expected, got NULL");
  return *th::from_c<th::Generator*>(gen);
}

}  // namespace

extern "C" {

THGenerator* THGenerator_new(void) { return THGenerator_newOfKind("mt19937"); }

THGenerator* THGenerator_newOfKind(const char* kind) {
  return th::guard([=] {
    th::GeneratorKind its_kind = th::generator_kind(kind);
    auto* gen = new (th::heap_allocate(sizeof(th::Generator))) th::Generator;
    try {
      gen->kind = its_kind;
      th::seed_by_system(*gen);
    } catch (...) {
      th::heap_free(gen);
      throw;
    }
    return reinterpret_cast<THGenerator*>(gen);
  });
}

THGenerator* THGenerator_copy(THGenerator* self, THGenerator* from) {
  return th::guard([=] {
    core(self) = core(from);
    return self;
  });
}

void THGenerator_free(THGenerator* gen) { th::heap_free(gen); }

const char* THGenerator_kind(THGenerator* gen) {
  return th::guard([=] { return th::name(core(gen).kind); });
}

void THGenerator_setKind(THGenerator* gen, const char* kind) {
  th::guard([=] { th::set_kind(core(gen), th::generator_kind(kind)); });
}

int THGenerator_isValid(THGenerator* gen) { return gen != nullptr && core(gen).valid(); }

unsigned long THRandom_seed(THGenerator* gen) {
  return th::guard([=] { return static_cast<unsigned long>(th::seed_by_system(core(gen))); });
}

void THRandom_manualSeed(THGenerator* gen, unsigned long seed) {
  th::guard([=] { th::seed(core(gen), seed); });
}

unsigned long THRandom_initialSeed(THGenerator* gen) {
  return th::guard([=] { return static_cast<unsigned long>(core(gen).initial_seed); });
}

unsigned long THRandom_random(THGenerator* gen) {
  return th::guard([=] { return static_cast<unsigned long>(core(gen).word()); });
}

double THRandom_uniform(THGenerator* gen, double a, double b) {
  return th::guard([=] { return th::uniform_of(core(gen).unit(), a, b); });
}

double THRandom_normal(THGenerator* gen, double mean, double stdv) {
  return th::guard([=] {
    th::check_deviation(stdv, 3);
    return core(gen).normal() * stdv + mean;
  });
}

double THRandom_exponential(THGenerator* gen, double lambda) {
  return th::guard([=] {
    th::check_lambda(lambda, 2);
    return th::exponential_of(core(gen).unit(), lambda);
  });
}

double THRandom_cauchy(THGenerator* gen, double median, double sigma) {
  return th::guard([=] { return th::cauchy_of(core(gen).unit(), median, sigma); });
}

double THRandom_logNormal(THGenerator* gen, double mean, double stdv) {
  return th::guard([=] {
    th::check_deviation(stdv, 3);
    return std::exp(core(gen).normal() * stdv + mean);
  });
}

int THRandom_geometric(THGenerator* gen, double p) {
  return th::guard([=] {
    th::check_geometric(p, 2);
    return static_cast<int>(std::min<int64_t>(th::geometric_of(core(gen).unit(), p), INT_MAX));
  });
}

int THRandom_bernoulli(THGenerator* gen, double p) {
  return th::guard([=] {
    th::check_bernoulli(p, 2);
    return static_cast<int>(th::bernoulli_of(core(gen).unit(), p));
  });
}

void THByteTensor_getRNGState(THGenerator* gen, THByteTensor* self) {
  th::guard([=] { th::generator_state(core(gen), reinterpret_cast<th::Tensor*>(self)); });
}

void THByteTensor_setRNGState(THGenerator* gen, THByteTensor* self) {
  th::guard([=] { th::set_generator_state(core(gen), reinterpret_cast<th::Tensor*>(self)); });
}

}  // extern "C"
