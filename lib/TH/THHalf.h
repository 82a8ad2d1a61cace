#ifndef TH_HALF_H
#define TH_HALF_H

/* The 16-bit floating-point types: IEEE 754 binary16 and bfloat16 (the upper half of binary32).
   Arithmetic converts to float, computes in float, and rounds the result to nearest even. */

#include "THGeneral.h"

typedef struct THHalf {
  unsigned short x;
} THHalf;

typedef struct THBFloat16 {
  unsigned short x;
} THBFloat16;

#define TH_HALF_BITS_TO_LITERAL(n) \
  { n }
#define TH_HALF_ZERO 0x0U
#define TH_HALF_INF 0x7C00U

TH_API THHalf TH_float2half(float f);
TH_API float TH_half2float(THHalf h);
TH_API void TH_float2halfbits(float* src, unsigned short* dest);
TH_API void TH_halfbits2float(unsigned short* src, float* dest);
TH_API THBFloat16 TH_float2bfloat16(float f);
TH_API float TH_bfloat162float(THBFloat16 b);

#endif
