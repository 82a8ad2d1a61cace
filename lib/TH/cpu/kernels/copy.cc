#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"

namespace th {
namespace {

// Converts the first elements and returns their number. The compiler vectorizes most conversions,
// so this function leaves all elements to it.
template <class To, class From>
int64_t convert_vectors(const From*, int64_t, To*) {
  return 0;
}

#if defined(__AVX2__) && !defined(__AVX512DQ__)
// AVX2 has no conversions of 64-bit integers. These functions compute with doubles whose fraction
// contains an integer.

int64_t convert_vectors(const int64_t* in, int64_t n, double* out) {
  // 2^84 + 2^63 + 2^32 * high is exact, and so is its difference from 2^84 + 2^63 + 2^52. The last
  // sum, with 2^52 + low, is the only rounding.
  const __m256i high_base = _mm256_castpd_si256(_mm256_set1_pd(0x1p84 + 0x1p63));
  const __m256i low_base = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
  const __m256d both_bases = _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
    const __m256i low = _mm256_blend_epi32(x, low_base, 0xaa);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(x, 32), high_base);
    const __m256d rest = _mm256_sub_pd(_mm256_castsi256_pd(high), both_bases);
    _mm256_storeu_pd(out + i, _mm256_add_pd(rest, _mm256_castsi256_pd(low)));
  }
  return i;
}

int64_t convert_vectors(const double* in, int64_t n, int64_t* out) {
  const __m256d base = _mm256_set1_pd(0x1.8p52), limit = _mm256_set1_pd(0x1p51);
  const __m256d sign = _mm256_set1_pd(-0.0);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256d x = _mm256_loadu_pd(in + i);
    const __m256d fits = _mm256_cmp_pd(_mm256_andnot_pd(sign, x), limit, _CMP_LT_OQ);
    if (_mm256_movemask_pd(fits) != 15) {
      for (int64_t j = i; j < i + 4; ++j) out[j] = convert<int64_t>(in[j]);
      continue;
    }
    const __m256d whole = _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256i sum = _mm256_castpd_si256(_mm256_add_pd(whole, base));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_sub_epi64(sum, _mm256_castpd_si256(base)));
  }
  return i;
}
#endif

#ifdef __AVX2__
// The instruction returns INT32_MIN for NaN and numbers out of range, as convert() does. The
// compiler does not know this and compares all elements.

inline __m256i to_int32(const float* in) { return _mm256_cvttps_epi32(_mm256_loadu_ps(in)); }

int64_t convert_vectors(const float* in, int64_t n, int32_t* out) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), to_int32(in + i));
  }
  return i;
}

int64_t convert_vectors(const float* in, int64_t n, int8_t* out) {
  const __m256i low = _mm256_set1_epi32(255);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const auto bytes = [=](int64_t k) { return _mm256_and_si256(to_int32(in + k), low); };
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    // Packing works within halves of a register.
    const __m256i front = _mm256_packus_epi32(bytes(i), bytes(i + 8));
    const __m256i back = _mm256_packus_epi32(bytes(i + 16), bytes(i + 24));
    const __m256i all = _mm256_packus_epi16(front, back);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_permutevar8x32_epi32(all, order));
  }
  return i;
}
#endif

// memmove with the instruction that the C library uses for long blocks is slow on some AMD
// processors if the target is at a slightly larger position in its page. Short blocks are copied by
// other instructions.
inline void copy_bytes(char* to, const char* from, int64_t bytes) {
  constexpr int64_t kShort = 2048, kPage = 4096, kNear = 64;
  const auto distance = reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from);
  const uintptr_t in_page = distance % kPage;
  const bool overlaps =
      distance < static_cast<uintptr_t>(bytes) || -distance < static_cast<uintptr_t>(bytes);
  if (bytes <= kShort || in_page == 0 || in_page >= kNear || overlaps) {
    std::memmove(to, from, static_cast<size_t>(bytes));
    return;
  }
  for (int64_t i = 0; i < bytes; i += kShort) {
    std::memmove(to + i, from + i, static_cast<size_t>(bytes - i < kShort ? bytes - i : kShort));
  }
}

template <class To, class From>
void copy_loop(char* const* data, const int64_t* stride, int64_t n, const void*) {
  constexpr int64_t to = sizeof(To), from = sizeof(From);
  if constexpr (std::is_same_v<To, From>) {
    if (stride[0] == to && stride[1] == from) {
      return copy_bytes(data[0], data[1], n * to);
    }
    if (stride[0] == to && stride[1] == -from) {
      To* out = reinterpret_cast<To*>(data[0]);
      const From* in = reinterpret_cast<const From*>(data[1]);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = in[-i];
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
      const int64_t done = convert_vectors(in, n, out);
      store_block<To, From>(data[0] + done * to, to, n - done, in + done);
    } else {
#pragma GCC ivdep
      for (int64_t i = convert_vectors(in, n, out); i < n; ++i) out[i] = convert<To>(in[i]);
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
