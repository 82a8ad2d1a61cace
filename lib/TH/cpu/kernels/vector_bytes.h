#ifndef TH_CPU_KERNELS_VECTOR_BYTES_H
#define TH_CPU_KERNELS_VECTOR_BYTES_H

namespace th {
namespace {

// Size of the widest SIMD register of the instruction set that is compiled for.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

}  // namespace
}  // namespace th

#endif
