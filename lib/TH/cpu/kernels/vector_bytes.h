#ifndef TH_CPU_KERNELS_VECTOR_BYTES_H
#define TH_CPU_KERNELS_VECTOR_BYTES_H

namespace th {
namespace {

// Bytes of the widest vectors of the instruction set that a kernel is compiled for.
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
