#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorConv.h"
#else

/* 2-D convolutions of one image with one kernel, on row-major arrays: r += alpha * convolution. The
   op table has the functions for tensors. The image t is ir x ic, the kernel k is kr x kc, and the
   strides are sr and sc. Number of rows of r (columns likewise): valid: (ir - kr) / sr + 1; full:
   (ir - 1) * sr + kr; Rev, where the kernel is dilated by sr: ir - (kr - 1) * sr. Errors: sizes or
   strides below 1; a kernel larger than the image for valid and Rev. */
TH_API void THTensor_(validXCorr2Dptr)(real* r_, real alpha, real* t_, int64_t ir, int64_t ic,
                                       real* k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv2Dptr)(real* r_, real alpha, real* t_, int64_t ir, int64_t ic,
                                      real* k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(fullXCorr2Dptr)(real* r_, real alpha, real* t_, int64_t ir, int64_t ic,
                                      real* k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv2Dptr)(real* r_, real alpha, real* t_, int64_t ir, int64_t ic,
                                     real* k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(validXCorr2DRevptr)(real* r_, real alpha, real* t_, int64_t ir, int64_t ic,
                                          real* k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);

/* The same for volumes: it x ir x ic, kt x kr x kc, strides st, sr, sc. */
TH_API void THTensor_(validXCorr3Dptr)(real* r_, real alpha, real* t_, int64_t it, int64_t ir,
                                       int64_t ic, real* k_, int64_t kt, int64_t kr, int64_t kc,
                                       int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv3Dptr)(real* r_, real alpha, real* t_, int64_t it, int64_t ir,
                                      int64_t ic, real* k_, int64_t kt, int64_t kr, int64_t kc,
                                      int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullXCorr3Dptr)(real* r_, real alpha, real* t_, int64_t it, int64_t ir,
                                      int64_t ic, real* k_, int64_t kt, int64_t kr, int64_t kc,
                                      int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv3Dptr)(real* r_, real alpha, real* t_, int64_t it, int64_t ir,
                                     int64_t ic, real* k_, int64_t kt, int64_t kr, int64_t kc,
                                     int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validXCorr3DRevptr)(real* r_, real alpha, real* t_, int64_t it, int64_t ir,
                                          int64_t ic, real* k_, int64_t kt, int64_t kr, int64_t kc,
                                          int64_t st, int64_t sr, int64_t sc);

#endif
