#ifndef TH_TENSOR_TYPE_SETS_H
#define TH_TENSOR_TYPE_SETS_H

// Sets of element types, tables indexed by type, and dispatch by type or by element size.

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// Returns true if word is one of words, which are separated by single spaces.
constexpr bool has_word(const char* words, const char* word) {
  while (true) {
    const char* w = word;
    while (*words && *words != ' ' && *words == *w) ++words, ++w;
    if ((!*words || *words == ' ') && !*w) return true;
    while (*words && *words != ' ') ++words;
    if (!*words) return false;
    ++words;
  }
}

// The sets of THTypeSets.def.
namespace type_set {
constexpr bool has_member(const char* members, DType type) {
  switch (type) {
#define TH_TYPE(Name, real, accreal, kind, ...) \
  case DType::Name:                             \
    return has_word(members, #Name) || has_word(members, #kind);
#include "THTypes.def"
#undef TH_TYPE
  }
  return false;
}
// One bit for each type. Evaluated at compile time only.
constexpr uint32_t bits_of(const char* members) {
  uint32_t bits = 0;
  for (int k = 0; k < kDTypes; ++k) {
    if (has_member(members, static_cast<DType>(k))) bits |= uint32_t{1} << k;
  }
  return bits;
}
#define TH_TYPE_SET(NAME, members, in_words)                                                  \
  struct NAME {                                                                               \
    static constexpr const char* words = in_words;                                            \
    static constexpr uint32_t bits = bits_of(members);                                        \
    static constexpr bool contains(DType type) { return bits >> static_cast<int>(type) & 1; } \
  };
#include "THTypeSets.def"
#undef TH_TYPE_SET
}  // namespace type_set

using AllTypes = type_set::ALL;
using IntegralTypes = type_set::INTEGRAL;
using FloatingTypes = type_set::FLOATING;
using BlasTypes = type_set::REAL;  // types that BLAS and LAPACK support

template <class Set>
constexpr DType first_type() {
  int type = 0;
  while (!Set::contains(static_cast<DType>(type))) ++type;
  return static_cast<DType>(type);
}

// A table with one entry for each element type.
template <class Entry>
struct TypeTable {
  Entry entry[kDTypes];
  constexpr const Entry& operator[](int type) const { return entry[type]; }
  constexpr const Entry& operator[](DType type) const { return entry[static_cast<int>(type)]; }
};

// Builds a table of pointers: maker(ElementType()) for each type of the set, null for the others.
//
//   for_types<IntegralTypes>([](auto zero) { return &kernel<decltype(zero)>; })
template <class Set, class Maker>
constexpr auto for_types(Maker maker) {
  using First = typename ElementOf<first_type<Set>()>::Type;
  TypeTable<decltype(maker(First()))> table = {};
#define TH_TYPE(Name, real, accreal, kind, ...)                                                  \
  if constexpr (Set::contains(DType::Name)) {                                                    \
    table.entry[static_cast<int>(DType::Name)] = maker(typename ElementOf<DType::Name>::Type()); \
  }
#include "THTypes.def"
#undef TH_TYPE
  return table;
}

// Calls f(ElementType()) for a type of the set. Other types are ignored; callers have rejected
// them.
template <class Set, class F>
void dispatch_types(DType type, const F& f) {
  dispatch(type, [&](auto zero) {
    if constexpr (Set::contains(DTypeOf<decltype(zero)>::value)) f(zero);
  });
}

struct alignas(16) Bytes16 {
  uint64_t low, high;
};

// Calls f(T()) for an unsigned type T of that size, up to `most` bytes. For code that only moves
// elements.
template <size_t most = 8, class F>
void dispatch_size(size_t bytes, const F& f) {
  static_assert(most == 8 || most == 16, "elements have up to 8 bytes, two of them 16");
  switch (bytes) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      if constexpr (most == 16) f(Bytes16());
  }
}

}  // namespace th

#endif
