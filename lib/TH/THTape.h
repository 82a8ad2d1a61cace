#ifndef TH_TAPE_INC
#define TH_TAPE_INC

/* Gradients. A tape records the operations of the calling thread that depend on tracked tensors.
   The reverse pass then computes the gradients of the tracked tensors:

     THTape *tape = THTape_new();
     THTape_start(tape);
     THDoubleTensor_track(tape, x);
     ...                                      operations on x; the last one gives the tensor y
     THTape_stop(tape);
     THDoubleTensor_addGradient(tape, y, g);  g: the gradient of y, such as a tensor of ones
     THTape_run(tape);
     THDoubleTensor *dx = THDoubleTensor_gradient(tape, x);
     THTape_free(tape);

   While a tape records, elements of tracked tensors may be written by operations only, not through
   pointers. Functions that return a pointer for writing, replace the memory or write to it without
   an operation, and the loop macros of THTensorApply.h, are errors for tracked tensors. */

#include "THDevice.h"
#include "THTensor.h"

typedef struct THTape THTape;

/* A new tape, which does not record yet. THTape_free stops it. */
TH_API THTape* THTape_new(void);
TH_API void THTape_free(THTape* tape);

/* Start and stop recording operations of the calling thread. Several tapes may record at once. */
TH_API void THTape_start(THTape* tape);
TH_API void THTape_stop(THTape* tape);

/* The reverse pass, which stops and clears the tape. Operations of it are recorded by other tapes,
   so gradients of gradients can be computed. */
TH_API void THTape_run(THTape* tape);

/* Returns the number that the last operation of the thread returned, such as
   THDoubleTensor_sumall, as a tensor with one element through which tapes track it. Returns NULL if
   the number does not depend on tracked tensors. The caller owns a reference. */
TH_API THDoubleTensor* THTape_newNumber(void);

/* Returns the copies that all tapes made of elements that the reverse pass needs, because an
   operation was about to overwrite them. Counts since the start of the process. */
TH_API void THTape_keptCopies(THCopyCount* count);

#define TH_GENERIC_FILE "generic/THTape.h"
#include "THGenerateEveryType.h"

#endif
