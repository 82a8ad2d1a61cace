#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorConv.h"
#else

/* Convolutions of one plane with one kernel on plain memory, by rows: r += alpha * the result.
   Their sisters that take tensors are in the op table. The image t is ir x ic, the kernel k kr x
   kc, the steps sr and sc. valid: r is (ir - kr) / sr + 1 high; full: (ir - 1) * sr + kr; Rev,
   where the kernel's elements are steps apart: ir - (kr - 1) * sr. Sizes and steps below 1, and a
   kernel that is larger than the image where it must not be, are errors. */
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

/* The same of volumes: it x ir x ic, kt x kr x kc, steps st, sr, sc. */
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
