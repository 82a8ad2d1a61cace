#include "THAtomic.h"

#define TH_ATOMIC(Name, type)                                                               \
  void THAtomicSet##Name(type volatile* a, type value) {                                    \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                           \
  }                                                                                         \
  type THAtomicGet##Name(type volatile* a) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
  type THAtomicAdd##Name(type volatile* a, type value) {                                    \
    return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                         \
  type THAtomicCompareAndSwap##Name(type volatile* a, type before, type after) {            \
    return __atomic_compare_exchange_n(a, &before, after, false, __ATOMIC_SEQ_CST,          \
                                       __ATOMIC_SEQ_CST);                                   \
  }

extern "C" {

TH_ATOMIC(, int)
TH_ATOMIC(Long, int64_t)
TH_ATOMIC(Ptrdiff, ptrdiff_t)

void THAtomicIncrementRef(int volatile* a) { THAtomicAdd(a, 1); }
int THAtomicDecrementRef(int volatile* a) { return THAtomicAdd(a, -1) == 1; }
}
