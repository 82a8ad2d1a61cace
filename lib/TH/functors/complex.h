#ifndef TH_FUNCTORS_COMPLEX_H
#define TH_FUNCTORS_COMPLEX_H

#include "tensor/host_device.h"

namespace th {
namespace {

// r = a * b, for complex numbers: a real and an imaginary part.
template <class T>
TH_HD void complex_product(const T* a, const T* b, T* r) {
  const T re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
  r[0] = re;
  r[1] = im;
}

}  // namespace
}  // namespace th

#endif
