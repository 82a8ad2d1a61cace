#ifndef TH_LAPACK_INC
#define TH_LAPACK_INC

/* LAPACK for Float and Double: column-major matrices in memory of the caller. Runs on 1 thread. */

#include "THGeneral.h"

#define THLapack_(NAME) TH_CONCAT_4(TH, Real, Lapack_, NAME)

/* Raise an error if LAPACK's info is not 0. Negative: an invalid argument. Positive: the failure
   described by fmt, a printf format for func, info and further arguments. The arguments are (fmt,
   func, info, ...) and (fmt, cleanup, func, info, ...). cleanup runs before the error. */
#define THLapackCheck(fmt, func, ...) THLapackCheckWithCleanup(fmt, {}, func, __VA_ARGS__)
#define THLapackCheckWithCleanup(fmt, cleanup, func, ...)             \
  if (TH_LAPACK_INFO(__VA_ARGS__, 0) < 0) {                           \
    cleanup THError("Lapack Error in %s : Illegal Argument %d", func, \
                    -(TH_LAPACK_INFO(__VA_ARGS__, 0)));               \
  } else if (TH_LAPACK_INFO(__VA_ARGS__, 0) > 0) {                    \
    cleanup THError(fmt, func, __VA_ARGS__);                          \
  }
#define TH_LAPACK_INFO(info, ...) (info)

#define TH_GENERIC_FILE "generic/THLapack.h"
#include "THGenerateFloatTypes.h"

#endif
