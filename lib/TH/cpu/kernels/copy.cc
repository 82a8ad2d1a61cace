#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"

namespace th {
namespace {

template <class To, class From>
void copy_loop(char* const* data, const int64_t* stride, int64_t n, const Scalar*) {
  constexpr int64_t to = sizeof(To), from = sizeof(From);
  if constexpr (std::is_same_v<To, From>) {
    if (stride[0] == to && stride[1] == from) {
      std::memmove(data[0], data[1], n * sizeof(To));
      return;
    }
  }
  if (stride[0] == to && stride[1] == 0) {
    To value = convert<To>(*reinterpret_cast<const From*>(data[1]));
    To* out = reinterpret_cast<To*>(data[0]);
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else if (stride[0] == to && stride[1] == from) {
    To* out = reinterpret_cast<To*>(data[0]);
    const From* in = reinterpret_cast<const From*>(data[1]);
    if constexpr (std::is_same_v<To, float>) {
      load_block<From, To>(data[1], from, n, out);
    } else if constexpr (std::is_same_v<From, float>) {
      store_block<To, From>(data[0], to, n, in);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i]);
    }
  } else {
    // In locals: as far as the compiler knows, the elements written may be the strides.
    char* out = data[0];
    const char* in = data[1];
    const int64_t step = stride[0], in_step = stride[1];
    for (int64_t i = 0; i < n; ++i, out += step, in += in_step) {
      *reinterpret_cast<To*>(out) = convert<To>(*reinterpret_cast<const From*>(in));
    }
  }
}

}  // namespace

namespace TH_ISA {

#define TH_ROW(To)                                                              \
  {                                                                             \
    &copy_loop<To, uint8_t>, &copy_loop<To, int8_t>, &copy_loop<To, int16_t>,   \
        &copy_loop<To, int32_t>, &copy_loop<To, int64_t>, &copy_loop<To, Half>, \
        &copy_loop<To, BFloat16>, &copy_loop<To, float>, &copy_loop<To, double> \
  }
extern const CopyKernels copy_kernels;
const CopyKernels copy_kernels = {{TH_ROW(uint8_t), TH_ROW(int8_t), TH_ROW(int16_t),
                                   TH_ROW(int32_t), TH_ROW(int64_t), TH_ROW(Half), TH_ROW(BFloat16),
                                   TH_ROW(float), TH_ROW(double)}};

}  // namespace TH_ISA
}  // namespace th
