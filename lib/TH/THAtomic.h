#ifndef TH_ATOMIC_INC
#define TH_ATOMIC_INC

/* Atomic operations on integers. All accesses are sequentially consistent. */

#include "THGeneral.h"

TH_API void THAtomicSet(int volatile* a, int newvalue);
TH_API int THAtomicGet(int volatile* a);
/* Adds value and returns the previous value. */
TH_API int THAtomicAdd(int volatile* a, int value);
/* If *a equals oldvalue, sets it to newvalue and returns 1. Otherwise returns 0 and changes
   nothing. */
TH_API int THAtomicCompareAndSwap(int volatile* a, int oldvalue, int newvalue);

/* Reference counts. The decrement returns 1 if the count reaches 0, else 0. */
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
