#include "backend/device_words.h"

#include <cmath>

#include "functors/philox.h"
#include "random/generator.h"

namespace th {

namespace {

// Words of n normal values. A value kept by the last pair comes first.
void take_normals(RandomCall* call) {
  Generator& g = *call->generator;
  int64_t n = call->n;
  // The stream of a Philox generator continues from fill to fill. The streams derived from MT19937
  // begin with each fill.
  bool continues = g.kind == GeneratorKind::philox;
  if (continues && g.normal_kept) {
    double z = g.normal() * call->b + call->a;
    call->has_first = true;
    call->first_value = call->distribution == Distribution::log_normal ? std::exp(z) : z;
    --n;
  }
  if (n == 0) return;
  int64_t pairs = n / 2 + n % 2;
  g.begin_pair();
  call->position = g.take(2 * static_cast<uint64_t>(pairs));
  if (!continues) return;
  PhiloxPosition last = call->position;
  last.offset += 2 * static_cast<uint64_t>(pairs - 1);
  uint32_t x = philox_word(last);
  ++last.offset;
  g.set_pair(x, philox_word(last));
  g.normal_kept = n % 2 != 0;
}

}  // namespace

void take_words(RandomCall* call) {
  switch (call->distribution) {
    case Distribution::permutation:  // unsupported on devices
      return;
    case Distribution::normal:
    case Distribution::log_normal:
      return take_normals(call);
    default:
      break;
  }
  bool takes_two = call->distribution == Distribution::integer &&
                   (call->range == 0 || call->range > uint64_t{1} << 32);
  if (takes_two) call->generator->begin_pair();
  call->position = call->generator->take(static_cast<uint64_t>(call->n) * (takes_two ? 2 : 1));
}

void take_words(BernoulliCall* call) {
  call->position = call->generator->take(static_cast<uint64_t>(call->n));
}

void take_words(MultinomialCall* call) {
  call->position = call->generator->take(static_cast<uint64_t>(call->rows) *
                                         static_cast<uint64_t>(call->samples));
}

void take_words(AliasDrawCall* call) {
  call->position = call->generator->take(2 * static_cast<uint64_t>(call->n));
}

}  // namespace th
