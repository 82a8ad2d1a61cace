#ifndef TH_TENSOR_DTYPE_H
#define TH_TENSOR_DTYPE_H

#include <cstddef>
#include <cstdint>

#include "THHalf.h"

namespace th {

using Half = THHalf;
using BFloat16 = THBFloat16;

#define TH_TYPE(Name, real, accreal, kind, ...) Name,
enum class DType : uint8_t {
#include "THTypes.def"
};
#undef TH_TYPE

#define TH_TYPE(Name, real, accreal, kind, ...) +1
constexpr int kDTypes = 0
#include "THTypes.def"
    ;
#undef TH_TYPE

enum class Kind : uint8_t { INTEGRAL, REDUCED, FLOATING };

struct DTypeInfo {
  const char* name;               // as in "torch.FloatTensor"
  const char* name_with_article;  // "a Float", "an Int"
  size_t size;                    // bytes
  Kind kind;
};

// A namespace-level constexpr array. A static variable of an inline function would be shared by the
// code of all instruction sets.
#define TH_TYPE(Name, real, accreal, kind, ...) \
  {#Name, #Name[0] == 'I' ? "an " #Name : "a " #Name, sizeof(real), Kind::kind},
constexpr DTypeInfo kDTypeInfos[] = {
#include "THTypes.def"
};
#undef TH_TYPE

inline const DTypeInfo& info(DType type) { return kDTypeInfos[static_cast<int>(type)]; }
// The type in which operations on elements of a type compute. Intermediate results in 16-bit types
// would be rounded after each step.
inline DType compute_type(DType type) {
  return info(type).kind == Kind::REDUCED ? DType::Float : type;
}
inline size_t item_size(DType type) { return info(type).size; }
inline const char* name(DType type) { return info(type).name; }
// For messages: "%sTensor" prints "an IntTensor".
inline const char* name_with_article(DType type) { return info(type).name_with_article; }
inline bool is_integral(DType type) { return info(type).kind == Kind::INTEGRAL; }

// The C++ type of a DType, and back. Char is int8_t on all platforms, also where `char` is
// unsigned.
template <DType type>
struct ElementOf;
template <class T>
struct DTypeOf;
#define TH_ELEMENT(Name, type)                  \
  template <>                                   \
  struct ElementOf<DType::Name> {               \
    using Type = type;                          \
  };                                            \
  template <>                                   \
  struct DTypeOf<type> {                        \
    static constexpr DType value = DType::Name; \
  };
TH_ELEMENT(Byte, uint8_t)
TH_ELEMENT(Char, int8_t)
TH_ELEMENT(Short, int16_t)
TH_ELEMENT(Int, int32_t)
TH_ELEMENT(Long, int64_t)
TH_ELEMENT(Half, Half)
TH_ELEMENT(BFloat16, BFloat16)
TH_ELEMENT(Float, float)
TH_ELEMENT(Double, double)
#undef TH_ELEMENT

// Compute: the type of arithmetic on elements. Accumulate: the type of sums.
template <class T>
struct Numeric {
  using Compute = T;
  using Accumulate = int64_t;
};
template <>
struct Numeric<float> {
  using Compute = float;
  using Accumulate = double;
};
template <>
struct Numeric<double> {
  using Compute = double;
  using Accumulate = double;
};
template <>
struct Numeric<Half> {
  using Compute = float;
  using Accumulate = float;
};
template <>
struct Numeric<BFloat16> {
  using Compute = float;
  using Accumulate = float;
};

// Calls f(ElementType()) for the type. This is the only place where a DType becomes a template
// argument.
template <class F>
decltype(auto) dispatch(DType type, F&& f) {
  switch (type) {
#define TH_TYPE(Name, real, accreal, kind, ...) \
  case DType::Name:                             \
    return f(ElementOf<DType::Name>::Type());
#include "THTypes.def"
#undef TH_TYPE
  }
  __builtin_unreachable();
}

// A number to be converted to an element type. Exact for 64-bit integers and for doubles.
struct Scalar {
  bool integral = false;
  union {
    double d;
    int64_t i;
  };
  Scalar() : d(0) {}
  Scalar(double value) : d(value) {}
  Scalar(float value) : d(value) {}
  constexpr Scalar(int64_t value) : integral(true), i(value) {}
  Scalar(int value) : integral(true), i(value) {}
  double to_double() const { return integral ? static_cast<double>(i) : d; }
};

}  // namespace th

#endif
