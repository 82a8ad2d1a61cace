// Kernels whose arithmetic consists of additions, multiplications and divisions. Compiled with the
// options of the CUDA plugin; scripts/check-cuda-code inspects the result. limits.txt has limits
// for some of them.

#include "functors/distributions.h"
#include "simt/kernels/element_kernel.h"

namespace th {
namespace {

template <class T, template <class> class F, class... In>
void* packed() {
  using C = typename Numeric<T>::Compute;
  constexpr int width = 16 / sizeof(T);
  return reinterpret_cast<void*>(&packed_kernel<F<C>, T, width, C, In...>);
}

template <class T>
struct Kernels {
  void* kernels[5] = {packed<T, functor::cadd, T, T>(), packed<T, functor::csub, T, T>(),
                      packed<T, functor::lerp, T, T>(), packed<T, functor::cremainder, T, T>(),
                      packed<T, functor::addcmul, T, T, T>()};
};

template <class T>
struct PairKernels {
  template <class F>
  static void* packed() {
    return reinterpret_cast<void*>(&packed_kernel<F, Pair<T>, 4, Pair<T>, Pair<T>, Pair<T>>);
  }
  void* kernels[3] = {packed<PairSum<T>>(), packed<PairDifference<T>>(), packed<PairProduct<T>>()};
};

template <class To>
struct Conversion {
  using C = typename Numeric<To>::Compute;
  __device__ C operator()(C x) const { return x; }
};

__global__ void uniform(const uint32_t* words, double a, double b, double* to) {
  to[threadIdx.x] = uniform_of(words[threadIdx.x] * 0x1p-32, a, b);
}

}  // namespace

struct Inspected {
  Kernels<float> of_floats;
  Kernels<double> of_doubles;
  Kernels<Half> of_halves;
  Kernels<BFloat16> of_bfloats;
  PairKernels<Half> of_half_pairs;
  PairKernels<BFloat16> of_bfloat_pairs;
  void* of_bytes[2] = {packed<uint8_t, functor::cadd, uint8_t, uint8_t>(),
                       packed<uint8_t, functor::where, uint8_t, uint8_t, uint8_t>()};
  void* selection = packed<float, functor::where, uint8_t, float, float>();
  // Packs of 128 bytes, which only promise an alignment of 16.
  void* conversion =
      reinterpret_cast<void*>(&packed_kernel<Conversion<double>, double, 16, double, uint8_t>);
  void* random = reinterpret_cast<void*>(&uniform);
};
Inspected inspected() { return {}; }

}  // namespace th
