#include "cpu/random_words.h"

#include "cpu/parallel.h"
#include "random/generator.h"

namespace th {

void random_words(Generator& g, uint32_t* out, int64_t n) {
  if (g.kind != GeneratorKind::philox) return g.words(out, n);
  const uint64_t key = g.initial_seed, first = g.offset;
  parallel_for(n, Grain::cheap, [=](int64_t begin, int64_t end) {
    philox_words(key, first + static_cast<uint64_t>(begin), out + begin, end - begin);
  });
  g.offset += static_cast<uint64_t>(n);
}

}  // namespace th
