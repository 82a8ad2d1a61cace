#ifndef TH_CPU_KERNELS_RANDOM_VECTORS_H
#define TH_CPU_KERNELS_RANDOM_VECTORS_H

#include <cstdint>

namespace th {
namespace TH_ISA {

// These use the vector functions of the C library, which round differently from the scalar ones
// that define the random streams. Their relative error is below kVectorError.
constexpr double kVectorError = 0x1p-46;

// Two values for each pair of words.
void normal_vectors(const uint32_t* word, int64_t pairs, double* out);
// log(1 - u)
void log_vectors(const uint32_t* word, int64_t n, double* out);

}  // namespace TH_ISA
}  // namespace th

#endif
