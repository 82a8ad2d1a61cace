#ifndef TH_BACKEND_DEVICE_WORDS_H
#define TH_BACKEND_DEVICE_WORDS_H

#include "backend/calls.h"

namespace th {

// Reserves the random words of a call for a device and sets their place in the call. The generator
// changes as if the CPU had used as many words of Philox.
void take_words(RandomCall* call);
void take_words(BernoulliCall* call);
void take_words(MultinomialCall* call);
void take_words(AliasDrawCall* call);

}  // namespace th

#endif
