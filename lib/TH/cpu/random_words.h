#ifndef TH_CPU_RANDOM_WORDS_H
#define TH_CPU_RANDOM_WORDS_H

#include <cstdint>

namespace th {

struct Generator;

// Writes the next n words of the generator. Philox computes many words in parallel.
void random_words(Generator& g, uint32_t* out, int64_t n);

}  // namespace th

#endif
