#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTape.h"
#else

/* Tracks a tensor of floating-point numbers: gradients of its present elements can be computed. The
   elements must not share memory with each other. */
TH_API void THTensor_(track)(THTape* tape, THTensor* self);
/* Returns 1 if the tensor depends on tracked tensors, else 0. */
TH_API int THTensor_(isTracked)(const THTape* tape, const THTensor* self);
/* Adds a gradient of a result: a tensor of the shape of self, or one that broadcasts to it. */
TH_API void THTensor_(addGradient)(THTape* tape, THTensor* self, THTensor* gradient);
/* After the reverse pass: returns the gradient of the elements that self had when it was tracked.
   It is 0 if the results do not depend on them. The caller owns the tensor. */
TH_API THTensor* THTensor_(gradient)(THTape* tape, THTensor* self);

#endif
