#ifndef TH_RANDOM_INC
#define TH_RANDOM_INC

/* Pseudo-random numbers from the 32-bit Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) or
   from Philox4x32-10 (Salmon et al. 2011). With MT19937 the same seed gives the same numbers as
   Torch7. With Philox it gives the same numbers on every device. Two threads must not use a
   generator at the same time. */

#include "THGeneral.h"

typedef struct THGenerator THGenerator;

/* The Lua class name of generators. */
#define torch_Generator "torch.Generator"

/* The state size of the Mersenne Twister in words, and the distance of the words that its
   recurrence combines. */
#define _MERSENNE_STATE_N 624
#define _MERSENNE_STATE_M 397

/* Returns a new MT19937 generator, seeded from the system's source of randomness. */
TH_API THGenerator* THGenerator_new(void);
/* kind: "mt19937" or "philox". */
TH_API THGenerator* THGenerator_newOfKind(const char* kind);
TH_API const char* THGenerator_kind(THGenerator* gen);
/* Changes the kind of gen and seeds it with its initial seed. Does nothing if gen is of that kind
   already. */
TH_API void THGenerator_setKind(THGenerator* gen, const char* kind);
/* Copies the state of from to self and returns self. */
TH_API THGenerator* THGenerator_copy(THGenerator* self, THGenerator* from);
TH_API void THGenerator_free(THGenerator* gen);
/* Returns 1 if the state of gen is one that a generator can have. */
TH_API int THGenerator_isValid(THGenerator* gen);

/* Seeds gen from the system's source of randomness and returns the seed. */
TH_API unsigned long THRandom_seed(THGenerator* gen);
TH_API void THRandom_manualSeed(THGenerator* gen, unsigned long seed);
TH_API unsigned long THRandom_initialSeed(THGenerator* gen);

/* Returns 32 random bits. */
TH_API unsigned long THRandom_random(THGenerator* gen);
/* Uniform on [a, b), with 32 random bits of resolution. */
TH_API double THRandom_uniform(THGenerator* gen, double a, double b);
/* Normal distribution by the method of Box and Muller (1958). It computes two values at a time and
   keeps the second for the next call. */
TH_API double THRandom_normal(THGenerator* gen, double mean, double stdv);
/* Density lambda * exp(-lambda * x). */
TH_API double THRandom_exponential(THGenerator* gen, double lambda);
TH_API double THRandom_cauchy(THGenerator* gen, double median, double sigma);
/* exp(y), where y is normal with this mean and standard deviation. */
TH_API double THRandom_logNormal(THGenerator* gen, double mean, double stdv);
/* floor(log(1 - u) / log(p)) + 1 for a uniform u. Requires 0 < p < 1. */
TH_API int THRandom_geometric(THGenerator* gen, double p);
/* 1 with probability p, else 0. Requires 0 <= p <= 1. */
TH_API int THRandom_bernoulli(THGenerator* gen, double p);

#endif
