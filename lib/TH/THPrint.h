#ifndef TH_PRINT_INC
#define TH_PRINT_INC

/* The printed form of tensors: the text that `print` shows in Lua. Large tensors are summarized.
   Indices in the text count from 1, as in Lua. doc/tensors.md describes the form. */

#include <stdio.h>

#include "THTensor.h"

typedef struct THPrintOptions {
  int64_t threshold; /* Tensors with more elements are summarized. */
  int64_t edgeItems; /* The number of indices at both ends of a summarized dimension. */
  int64_t lineWidth; /* The number of columns of a line. */
  int precision;     /* The number of digits after the decimal point, 0 to 17. */
  /* If not 0, as in Torch7: integers with ten digits and more have exponents; numbers are not
     aligned if a NaN is among them; each number of a vector has a line; the first index of slices
     varies fastest. */
  int torch7Integers, torch7NonFinite, torch7Vectors, torch7Slices;
} THPrintOptions;

/* Sets the defaults: those of require 'tensor', or of require 'torch' if torch7 is not 0. */
TH_API void THPrintOptions_init(THPrintOptions* self, int torch7);

#define TH_GENERIC_FILE "generic/THPrint.h"
#include "THGenerateEveryType.h"

#endif
