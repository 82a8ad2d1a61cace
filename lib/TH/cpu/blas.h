#ifndef TH_CPU_BLAS_H
#define TH_CPU_BLAS_H

#include <cstdint>

namespace th::blas {

void set_num_threads(int n);
const char* description();  // name, version, threading and kernel in use

}  // namespace th::blas

#endif
