#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THVector.h"
#else

TH_API void THVector_(fill)(real* x, const real c, const ptrdiff_t n);
TH_API void THVector_(copy)(real* y, const real* x, const ptrdiff_t n);
TH_API void THVector_(cadd)(real* z, const real* x, const real* y, const real c,
                            const ptrdiff_t n); /* z = x + c y */
TH_API void THVector_(adds)(real* y, const real* x, const real c, const ptrdiff_t n);
TH_API void THVector_(cmul)(real* z, const real* x, const real* y, const ptrdiff_t n);
TH_API void THVector_(muls)(real* y, const real* x, const real c, const ptrdiff_t n);
/* Integer division truncates toward 0. An integer divisor of 0 is an error. */
TH_API void THVector_(cdiv)(real* z, const real* x, const real* y, const ptrdiff_t n);
TH_API void THVector_(divs)(real* y, const real* x, const real c, const ptrdiff_t n);
/* Names that Torch7 had before November 2016: y += c x, z = x - y, y *= c and y *= x. */
static inline void THVector_(add)(real* y, const real* x, const real c, const ptrdiff_t n) {
  THVector_(cadd)(y, y, x, c, n);
}
static inline void THVector_(diff)(real* z, const real* x, const real* y, const ptrdiff_t n) {
  THVector_(cadd)(z, x, y, (real)-1, n);
}
static inline void THVector_(scale)(real* y, const real c, const ptrdiff_t n) {
  THVector_(muls)(y, y, c, n);
}
static inline void THVector_(mul)(real* y, const real* x, const ptrdiff_t n) {
  THVector_(cmul)(y, y, x, n);
}
/* Selects the kernels for this CPU. Otherwise the first operation does it. */
TH_API void THVector_(vectorDispatchInit)(void);

#endif
