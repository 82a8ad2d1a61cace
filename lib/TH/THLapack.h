#ifndef TH_LAPACK_INC
#define TH_LAPACK_INC

/* LAPACK, for Float and Double: column-major matrices in memory of the caller, on one thread. */

#include "THGeneral.h"

#define THLapack_(NAME) TH_CONCAT_4(TH, Real, Lapack_, NAME)

/* What LAPACK's info says: an argument that it refuses, or the failure that fmt tells of, a format
   for func, info and what follows. As macros of (fmt, func, info, ...) and
   (fmt, cleanup, func, info, ...), where cleanup is done first. */
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
