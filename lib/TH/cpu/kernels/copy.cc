#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"

namespace th {
namespace {

template <class To, class From>
void copy_loop(char* const* data, const int64_t* stride, int64_t n, const void*) {
  constexpr int64_t to = sizeof(To), from = sizeof(From);
  if constexpr (std::is_same_v<To, From>) {
    if (stride[0] == to && stride[1] == from) {
      std::memmove(data[0], data[1], n * sizeof(To));
      return;
    }
    if (stride[0] == to && stride[1] == 2 * from) {
      return take_every_second<Word<sizeof(To)>>(data[1], n, data[0]);
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
    // Local copies, because for the compiler the elements written may alias the strides.
    char* out = data[0];
    const char* in = data[1];
    const int64_t step = stride[0], in_step = stride[1];
    for (int64_t i = 0; i < n; ++i, out += step, in += in_step) {
      *reinterpret_cast<To*>(out) = convert<To>(*reinterpret_cast<const From*>(in));
    }
  }
}

// Converts between a 16-bit type and any type but float, through float, in blocks.
template <class To, class From>
void copy_by_float(char* const* data, const int64_t* stride, int64_t n, const void*) {
  alignas(64) float buffer[kBlock];
  char* const middle = reinterpret_cast<char*>(buffer);
  const int64_t item = stride[1] ? sizeof(float) : 0;
  const int64_t in[] = {sizeof(float), stride[1]};
  const int64_t out[] = {stride[0], item};
  if (stride[1] == 0) {  // one element for all
    char* const from[] = {middle, data[1]};
    char* const to[] = {data[0], middle};
    copy_loop<float, From>(from, in, 1, nullptr);
    copy_loop<To, float>(to, out, n, nullptr);
    return;
  }
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    char* const from[] = {middle, data[1] + i * stride[1]};
    char* const to[] = {data[0] + i * stride[0], middle};
    copy_loop<float, From>(from, in, m, nullptr);
    copy_loop<To, float>(to, out, m, nullptr);
  }
}

// Copies without conversion, and copies between integers of one size, share code between types.
template <class To, class From>
constexpr Loop loop_for() {
  if constexpr (sizeof(To) == sizeof(From) &&
                (std::is_same_v<To, From> ||
                 (std::is_integral_v<To> && std::is_integral_v<From>))) {
    using Bits = std::conditional_t<
        sizeof(To) == 1, int8_t,
        std::conditional_t<sizeof(To) == 2, int16_t,
                           std::conditional_t<sizeof(To) == 4, int32_t, int64_t>>>;
    return &copy_loop<Bits, Bits>;
  } else if constexpr (std::is_same_v<To, float> || std::is_same_v<From, float> ||
                       !(IsReduced<To>::value || IsReduced<From>::value)) {
    return &copy_loop<std::conditional_t<std::is_same_v<To, uint8_t>, int8_t, To>, From>;
  } else {
    return &copy_by_float<To, From>;
  }
}

template <class To>
constexpr void fill_row(Loop (&row)[kDTypes]) {
  auto loops =
      for_types<AllTypes>([](auto zero) -> Loop { return loop_for<To, decltype(zero)>(); });
  for (int from = 0; from < kDTypes; ++from) row[from] = loops[from];
}

constexpr CopyKernels make_table() {
  CopyKernels table = {};
#define TH_TYPE(Name, ...) \
  fill_row<ElementOf<DType::Name>::Type>(table.copy[static_cast<int>(DType::Name)]);
#include "THTypes.def"
#undef TH_TYPE
  return table;
}

}  // namespace

namespace TH_ISA {

extern const CopyKernels copy_kernels;
const CopyKernels copy_kernels = make_table();

}  // namespace TH_ISA
}  // namespace th
