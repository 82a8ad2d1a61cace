#ifndef TH_RANDOM_INC
#define TH_RANDOM_INC

/* Pseudo-random numbers from the 32-bit Mersenne Twister MT19937 (Matsumoto and Nishimura 1998):
   the same seed gives Torch7's streams; or, on demand, from Philox4x32-10 (Salmon et al. 2011),
   which gives the same numbers on every device. A generator must not be used by two threads at a
   time. */

#include "THGeneral.h"

typedef struct THGenerator THGenerator;

/* The class of generators in Lua. */
#define torch_Generator "torch.Generator"

/* The words of the Mersenne Twister's state, and the distance of those that make a new one. */
#define _MERSENNE_STATE_N 624
#define _MERSENNE_STATE_M 397

/* A new generator, seeded from the system's source of randomness. */
TH_API THGenerator* THGenerator_new(void);
/* kind: "mt19937", which THGenerator_new makes, or "philox". */
TH_API THGenerator* THGenerator_newOfKind(const char* kind);
TH_API const char* THGenerator_kind(THGenerator* gen);
/* Makes gen one of that kind, seeded by its initial seed; nothing happens where it is already. */
TH_API void THGenerator_setKind(THGenerator* gen, const char* kind);
/* Makes self a copy of from and returns self. */
TH_API THGenerator* THGenerator_copy(THGenerator* self, THGenerator* from);
TH_API void THGenerator_free(THGenerator* gen);
/* 1 where gen holds a state that a generator can have. */
TH_API int THGenerator_isValid(THGenerator* gen);

/* Seeds from the system's source of randomness and returns the seed. */
TH_API unsigned long THRandom_seed(THGenerator* gen);
TH_API void THRandom_manualSeed(THGenerator* gen, unsigned long seed);
TH_API unsigned long THRandom_initialSeed(THGenerator* gen);

/* 32 random bits. */
TH_API unsigned long THRandom_random(THGenerator* gen);
/* Uniform on [a, b), by 32 random bits. */
TH_API double THRandom_uniform(THGenerator* gen, double a, double b);
/* Normal, by the method of Box and Muller (1958); every second call uses up a kept value. */
TH_API double THRandom_normal(THGenerator* gen, double mean, double stdv);
/* Density lambda exp(-lambda x). */
TH_API double THRandom_exponential(THGenerator* gen, double lambda);
TH_API double THRandom_cauchy(THGenerator* gen, double median, double sigma);
/* exp of a normal value with this mean and standard deviation. */
TH_API double THRandom_logNormal(THGenerator* gen, double mean, double stdv);
/* floor(log(1 - u) / log(p)) + 1 for a uniform u; 0 < p < 1. */
TH_API int THRandom_geometric(THGenerator* gen, double p);
/* 1 with probability p, else 0; 0 <= p <= 1. */
TH_API int THRandom_bernoulli(THGenerator* gen, double p);

#endif
