// A cuFFT that computes sums at once, in the host's memory.

#include <cufft.h>

#include <complex>
#include <cstring>
#include <vector>

#include "fake_solver.h"

namespace {

FakeSolver state;

struct Plan {
  cufftType type;
  long long n, count;
  cudaStream_t stream;
  bool own_work;
  char* work;
};
std::vector<Plan>& plans() {
  static std::vector<Plan> all;
  return all;
}

constexpr size_t kWorkBytes = 1000;

// from, to: complex numbers, or real ones. direction: the sign of the exponent.
template <class T, class From, class To>
cufftResult transform(cufftHandle handle, const From* from, To* to, double direction,
                      cufftType type) {
  const Plan& plan = plans().at(static_cast<size_t>(handle));
  if (plan.type != type || !plan.stream || !plan.own_work || !plan.work) return CUFFT_INVALID_PLAN;
  if (++state.calls, state.failure) return static_cast<cufftResult>(state.failure);
  std::memset(plan.work, 0x5A, kWorkBytes);
  const long long n = plan.n, half = n / 2 + 1;
  constexpr bool from_real = std::is_same_v<From, T>, to_real = std::is_same_v<To, T>;
  const long long in = to_real ? half : n, out = from_real ? half : n;
  std::vector<std::complex<double>> line(static_cast<size_t>(n));
  for (long long k = 0; k < plan.count; ++k) {
    for (long long j = 0; j < n; ++j) {
      const bool mirrored = j >= in;
      const std::complex<double> x(from[k * in + (mirrored ? n - j : j)]);
      line[static_cast<size_t>(j)] = mirrored ? std::conj(x) : x;
    }
    for (long long i = 0; i < out; ++i) {
      std::complex<double> sum = 0;
      for (long long j = 0; j < n; ++j) {
        sum += line[static_cast<size_t>(j)] *
               std::polar(1.0, direction * 2 * M_PI * static_cast<double>(i * j % n) /
                                   static_cast<double>(n));
      }
      if constexpr (to_real) {
        to[k * out + i] = static_cast<T>(sum.real());
      } else {
        to[k * out + i] = To(sum);
      }
    }
  }
  return CUFFT_SUCCESS;
}

template <class C>
C* as(void* data) {
  return static_cast<C*>(data);
}
using Single = std::complex<float>;
using Twice = std::complex<double>;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

FakeSolver* fake_transforms() { return &state; }

cufftResult cufftCreate(cufftHandle* handle) {
  *handle = static_cast<cufftHandle>(plans().size());
  plans().push_back({});
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  plans().at(static_cast<size_t>(handle)) = {};
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
  plans().at(static_cast<size_t>(handle)).own_work = !automatic;
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* in_embed,
                                long long, long long, long long* out_embed, long long, long long,
                                cufftType type, long long count, size_t* bytes) {
  if (rank != 1 || in_embed || out_embed) return CUFFT_INVALID_VALUE;
  if (*n == 101) return CUFFT_INVALID_SIZE;
  if (state.creation) return static_cast<cufftResult>(state.creation);
  Plan& plan = plans().at(static_cast<size_t>(handle));
  plan.type = type;
  plan.n = *n;
  plan.count = count;
  *bytes = kWorkBytes;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  plans().at(static_cast<size_t>(handle)).stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
  plans().at(static_cast<size_t>(handle)).work = static_cast<char*>(work);
  return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* from, cufftComplex* to, int direction) {
  return transform<float>(plan, as<Single>(from), as<Single>(to), direction, CUFFT_C2C);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleComplex* to,
                         int direction) {
  return transform<double>(plan, as<Twice>(from), as<Twice>(to), direction, CUFFT_Z2Z);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* from, cufftComplex* to) {
  return transform<float>(plan, from, as<Single>(to), -1, CUFFT_R2C);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* from, cufftDoubleComplex* to) {
  return transform<double>(plan, from, as<Twice>(to), -1, CUFFT_D2Z);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* from, cufftReal* to) {
  return transform<float>(plan, as<Single>(from), to, 1, CUFFT_C2R);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleReal* to) {
  return transform<double>(plan, as<Twice>(from), to, 1, CUFFT_Z2D);
}
}
#pragma GCC visibility pop
