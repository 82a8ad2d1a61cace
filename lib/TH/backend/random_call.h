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

// Fills out[0] ... out[n - 1], contiguous. Each element uses one word of the generator. On a device
// the words start at position; TableDevice sets position and first_value. Normal distributions use
// two words for each two elements, and integers of more than 32 bits use two words each; in both
// cases position is even.
struct RandomCall {
  Distribution distribution;
  DType dtype;
  double a, b;
  int64_t first;
  uint64_t range;
  PhiloxPosition position;
  // If has_first, out[0] is first_value, the second normal value of the last fill, and uses no
  // word.
  bool has_first;
  double first_value;
  Generator* generator;
  int64_t n;
  char* out;
};

// out[i] = 1 with probability p[i], else 0. out may be p. p_dtype: Float or Double.
struct BernoulliCall {
  DType dtype;
  DType p_dtype;
  PhiloxPosition position;
  Generator* generator;  // as above
  int64_t n;
  const char* p;
  char* out;
  uint32_t check;  // reports i + 1 if p[i] is not a probability; 0: already checked
};

// Samples category indices for each row of probabilities p. All arrays are contiguous.
struct MultinomialCall {
  DType dtype;
  bool with_replacement;
  int64_t rows, categories, samples;
  PhiloxPosition position;  // one word for each sample
  Generator* generator;
  const char* p;
  int64_t* out;
  int64_t index_base;
  // Numbers of checks. A device reports the number of the row, from 1, in which a probability is
  // negative or not finite; their sum is 0 or not finite; fewer than `samples` categories are
  // possible. The CPU raises an error before it draws.
  uint32_t check_value, check_sum, check_possible;
  int p_argument, samples_argument;  // positions of these parameters, for the errors of the CPU
};

// Builds the tables of Walker's alias method for n categories with probabilities p: draw category i
// with probability q[i], else alias[i], which counts from 0. The probabilities have been checked.
// All arrays are contiguous.
struct AliasSetupCall {
  DType dtype;
  int64_t n;
  const char* p;
  int64_t* alias;
  char* q;
  bool torch7;  // with its results: the first category is never an alias
};

// Draws n samples with such tables of `categories` entries.
struct AliasDrawCall {
  DType dtype;
  int64_t categories, n;
  PhiloxPosition position;  // two words for each sample
  const int64_t* alias;
  const char* q;
  Generator* generator;
  int64_t* out;
  int64_t index_base;
  int64_t step;  // from an alias to what is drawn for it; -1 for Torch7's results
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_RANDOM_OPS(X)          \
  X(random, RandomCall)           \
  X(bernoulli, BernoulliCall)     \
  X(multinomial, MultinomialCall) \
  X(alias_setup, AliasSetupCall)  \
  X(alias_draw, AliasDrawCall)

#endif
