#include "cpu/lapack.h"

#include <cstddef>

#include "cpu/blas_library.h"

namespace th::lapack {

namespace {

// How Fortran is called: all arguments by address, then the lengths of those that are text.
template <int letters>
struct Fortran {
  template <class... A>
  static int call(void (*routine)(), A... arguments) {
    int info = 0;
    if constexpr (letters == 0) {
      reinterpret_cast<void (*)(A..., int*)>(routine)(arguments..., &info);
    } else if constexpr (letters == 1) {
      reinterpret_cast<void (*)(A..., int*, size_t)>(routine)(arguments..., &info, 1);
    } else if constexpr (letters == 2) {
      reinterpret_cast<void (*)(A..., int*, size_t, size_t)>(routine)(arguments..., &info, 1, 1);
    } else {
      reinterpret_cast<void (*)(A..., int*, size_t, size_t, size_t)>(routine)(arguments..., &info,
                                                                              1, 1, 1);
    }
    return info;
  }
};

}  // namespace

OneThread::OneThread(int threads) : blas::OneThread(threads, kUnchecked, blas::lapack_library()) {}

#define UNPACK(...) __VA_ARGS__
#define DEFINE_FLOAT(name, parameters, arguments, letters)                            \
  int name parameters {                                                               \
    return Fortran<letters>::call(blas::lapack_routines().s##name, UNPACK arguments); \
  }
#define DEFINE_DOUBLE(name, parameters, arguments, letters)                           \
  int name parameters {                                                               \
    return Fortran<letters>::call(blas::lapack_routines().d##name, UNPACK arguments); \
  }
TH_LAPACK_ROUTINES(DEFINE_FLOAT, float)
TH_LAPACK_ROUTINES(DEFINE_DOUBLE, double)

}  // namespace th::lapack
