#ifndef TH_SIMT_DEVICE_LAPACK_H
#define TH_SIMT_DEVICE_LAPACK_H

// LAPACK's routines, and transforms, on memory of a device: by cuSOLVER, cuBLAS and cuFFT in cuda/,
// by the CPU's code in soft/. Each function queues its work. All sizes are at least 1, and all
// elements are finite. Pivots and info are memory of the device, for each matrix as in LAPACK.

#include "backend/fourier_call.h"
#include "backend/linalg_call.h"
#include "simt/queue.h"

namespace th::device_lapack {

// Throws kDeviceUnsupported if the library of the routines is missing.
void open(Queue& queue);

// a is square.
void getrf(Queue& queue, const Matrices& a, int* pivots, int* info);
void getrs(Queue& queue, char trans, const Matrices& lu, const int* pivots, const Matrices& b);
// The other triangle is undefined.
void potrf(Queue& queue, const Matrices& a, Part part, int* info);
// Replaces b by the solution of a x = b, or of a' x = b. The diagonal of a has no 0.
void trsm(Queue& queue, Part part, char trans, char diag, const Matrices& a, const Matrices& b);
// tau: min(rows, cols) for each matrix.
void geqrf(Queue& queue, const Matrices& a, char* tau);
// rows >= cols >= reflectors >= 1; tau: `reflectors` for each matrix.
void orgqr(Queue& queue, const Matrices& a, int reflectors, const char* tau);
void ormqr(Queue& queue, char side, char trans, const Matrices& a, int reflectors, const char* tau,
           const Matrices& c);
// The vectors replace a, which is destroyed without them.
void syevd(Queue& queue, const Matrices& a, Part part, bool vectors, char* values, int* info);
// Values of each matrix: the real parts, then the imaginary parts. Destroys a. v.data may be null.
void geev(Queue& queue, const Matrices& a, char* values, const Matrices& v, int* info);
// a has at least as many rows as columns, and is destroyed. all: u is square, else it has the shape
// of a. u.data may be null: no vectors.
void gesvd(Queue& queue, const Matrices& a, bool all, const Matrices& u, char* values,
           const Matrices& vt, int* info);

}  // namespace th::device_lapack

namespace th::device_fourier {

// Throws kDeviceUnsupported if the library of transforms is missing.
void open(Queue& queue);

// Contiguous transforms, one after the other, of n > 1 elements without a scale. Complex elements
// are pairs of a real and an imaginary part. complex_to_real destroys `from`. Complex transforms
// may be in place.
struct Transforms {
  DType dtype;
  FourierKind kind;
  bool inverse;
  int64_t n, count;
  char *to, *from;
};
void transform(Queue& queue, const Transforms& transforms);

}  // namespace th::device_fourier

#endif
