#ifndef TH_ATOMIC_INC
#define TH_ATOMIC_INC

/* Numbers that threads share. All accesses are sequentially consistent. */

#include "THGeneral.h"

TH_API void THAtomicSet(int volatile* a, int newvalue);
TH_API int THAtomicGet(int volatile* a);
/* Adds, and returns what was there before. */
TH_API int THAtomicAdd(int volatile* a, int value);
/* Puts newvalue in the place of oldvalue; 1 where that was there, else 0, and nothing changes. */
TH_API int THAtomicCompareAndSwap(int volatile* a, int oldvalue, int newvalue);

/* Reference counts. The decrement returns 1 where none is left. */
TH_API void THAtomicIncrementRef(int volatile* a);
TH_API int THAtomicDecrementRef(int volatile* a);

TH_API void THAtomicSetLong(int64_t volatile* a, int64_t newvalue);
TH_API int64_t THAtomicGetLong(int64_t volatile* a);
TH_API int64_t THAtomicAddLong(int64_t volatile* a, int64_t value);
TH_API int64_t THAtomicCompareAndSwapLong(int64_t volatile* a, int64_t oldvalue, int64_t newvalue);

TH_API void THAtomicSetPtrdiff(ptrdiff_t volatile* a, ptrdiff_t newvalue);
TH_API ptrdiff_t THAtomicGetPtrdiff(ptrdiff_t volatile* a);
TH_API ptrdiff_t THAtomicAddPtrdiff(ptrdiff_t volatile* a, ptrdiff_t value);
TH_API ptrdiff_t THAtomicCompareAndSwapPtrdiff(ptrdiff_t volatile* a, ptrdiff_t oldvalue,
                                               ptrdiff_t newvalue);

#endif
