#include "THHalf.h"

#include "tensor/convert.h"

extern "C" {
THHalf TH_float2half(float f) { return th::float_to_half(f); }
float TH_half2float(THHalf h) { return th::half_to_float(h); }
void TH_float2halfbits(float* src, unsigned short* dest) { *dest = th::float_to_half(*src).x; }
void TH_halfbits2float(unsigned short* src, float* dest) { *dest = th::half_to_float({*src}); }
THBFloat16 TH_float2bfloat16(float f) { return th::float_to_bfloat16(f); }
float TH_bfloat162float(THBFloat16 b) { return th::bfloat16_to_float(b); }
}
