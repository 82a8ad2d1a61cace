#ifndef TH_BACKEND_RANDOM_CALL_H
#define TH_BACKEND_RANDOM_CALL_H

#include "functors/philox_place.h"
#include "tensor/dtype.h"

namespace th {

struct Generator;

enum class Distribution : int {
  integer,      // from first on, range of them; 0 stands for 2^64
  uniform,      // on [a, b)
  normal,       // mean a, deviation b
  log_normal,   // exp of these
  exponential,  // rate a
  cauchy,       // median a, scale b
  geometric,    // probability a
  bernoulli,    // probability a
  permutation   // of the integers from TH_INDEX_BASE on; by the CPU only
};

// out[i] for i < n, contiguous. An element takes the next word, on a device from place on, on the
// CPU the generator's; of a normal distribution every two take two words, and an integer of more
// than 32 bits takes two: place is even then.
struct RandomCall {
  Distribution distribution;
  DType dtype;
  double a, b;
  int64_t first;
  uint64_t range;
  PhiloxPlace place;
  // Whether out[0] is first_value, and takes no word: the normal value left over by the last fill.
  bool has_first;
  double first_value;
  Generator* generator;
  int64_t n;
  char* out;
};

// out[i] is 1 with probability p[i], else 0; out may be p. p_dtype: Float or Double.
struct BernoulliCall {
  DType dtype;
  DType p_dtype;
  PhiloxPlace place;
  Generator* generator;  // as above
  int64_t n;
  const char* p;
  char* out;
  uint32_t check;  // told i + 1 where p[i] is no probability; 0: they were checked
};

// For each row of p, samples indices of its categories with their probabilities; all contiguous.
struct MultinomialCall {
  DType dtype;
  bool with_replacement;
  int64_t rows, categories, samples;
  PhiloxPlace place;  // a word for each sample
  Generator* generator;
  const char* p;
  int64_t* out;  // null: the CPU only checks the rows, and throws
  int64_t index_base;
  // Told the number of the row, from 1 on, in which a probability is negative or not finite, their
  // sum is 0 or not finite, less than samples are possible. 0: they were checked.
  uint32_t check_value, check_sum, check_possible;
};

// Walker's tables of n categories with the probabilities p: category i is q[i] of its own, and else
// alias[i], counted from 0. The probabilities were checked. All contiguous.
struct AliasSetupCall {
  DType dtype;
  int64_t n;
  const char* p;
  int64_t* alias;
  char* q;
};

// n categories drawn by such tables of that many.
struct AliasDrawCall {
  DType dtype;
  int64_t categories, n;
  const int64_t* alias;
  const char* q;
  Generator* generator;
  int64_t* out;
  int64_t index_base;
};

}  // namespace th

#endif
