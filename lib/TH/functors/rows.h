#ifndef TH_FUNCTORS_ROWS_H
#define TH_FUNCTORS_ROWS_H

// The element-wise rows of THOps.def as the core and its backends see them: known when compiled,
// from a row's C parameters and its functor.

#include <cstdint>

#include "tensor/type_sets.h"

namespace th {

namespace row_flag {
enum : uint32_t {
  none = 0,
  element_wise = 1 << 0,
  vector_math = 1 << 1,
  divides = 1 << 2,
  predicate = 1 << 3,
  swapped = 1 << 4,
  simple_power = 1 << 5,
  random_number = 1 << 6,
  number_of_matrix = 1 << 7,
  element_of_vector = 1 << 8,
  number_of_one = 1 << 9,
  fits_numbers = 1 << 10,
  raises = 1 << 11,
};
}  // namespace row_flag

// What F::operator() takes and gives.
template <class M>
struct OperatorTypes;
template <class F, class R, class... A>
struct OperatorTypes<R (F::*)(A...) const> {
  using Result = R;
  static constexpr int inputs = sizeof...(A);
  template <template <class...> class Target>
  using Apply = Target<A...>;
};
template <class F>
using Operator = OperatorTypes<decltype(&F::operator())>;

constexpr int kMaxInputs = 3;   // of a functor, and tensors of a row
constexpr int kMaxNumbers = 2;  // of a row

struct ElementRow {
  uint32_t flags = 0;
  int tensors = 0;  // arguments of the row, without the result
  int numbers = 0;
  bool is_byte[kMaxInputs] = {};  // tensors that are ByteTensors, whatever the row's type is
  int inputs = 0;                 // arguments of the functor
  // Of each: k for tensor k, -1 - k for number k.
  int source[kMaxInputs] = {};

  constexpr bool has(uint32_t flag) const { return (flags & flag) != 0; }
  // Whether tensor 0, 1, ... are what the functor takes, in this order.
  constexpr bool in_order() const { return inputs == tensors && !has(row_flag::swapped); }
};

// parameters: a row's C parameters as text, the result first.
constexpr ElementRow make_element_row(const char* parameters, int inputs, uint32_t flags) {
  ElementRow row;
  row.flags = flags;
  row.inputs = inputs;
  int source[kMaxInputs + kMaxNumbers] = {};
  const char* p = parameters;
  while (*p && *p != ',') ++p;
  while (*p == ',') {
    do ++p;
    while (*p == ' ');
    if (*p == 'r' || *p == 'd') {  // real, double
      source[row.tensors + row.numbers] = -1 - row.numbers;
      ++row.numbers;
    } else {  // THTensor, THByteTensor
      source[row.tensors + row.numbers] = row.tensors;
      row.is_byte[row.tensors++] = p[2] == 'B';
    }
    while (*p && *p != ',') ++p;
  }
  int taken = 0;
  for (int k = 0; k < row.tensors + row.numbers; ++k) {
    if (source[k] >= 0 || inputs > row.tensors) row.source[taken++] = source[k];
  }
  if (row.has(row_flag::swapped)) {
    int first = row.source[0];
    row.source[0] = row.source[1];
    row.source[1] = first;
  }
  return row;
}

// Whether a functor of compute type C takes and gives what the row has.
template <class C>
struct FitsRow {
  template <class... A>
  struct Arguments {
    static constexpr bool fits(const ElementRow& row) {
      const bool is_compute[] = {std::is_same_v<A, C>...};
      const bool is_byte[] = {std::is_same_v<A, uint8_t>...};
      if (row.inputs != row.tensors && row.inputs != row.tensors + row.numbers) return false;
      for (int k = 0; k < row.inputs; ++k) {
        bool byte = row.source[k] >= 0 && row.is_byte[row.source[k]];
        if (!(byte ? is_byte[k] : is_compute[k])) return false;
      }
      return true;
    }
  };
};
template <class F, class C>
constexpr bool fits_row(const ElementRow& row) {
  using Result = typename Operator<F>::Result;
  bool gives =
      row.has(row_flag::predicate) ? std::is_same_v<Result, uint8_t> : std::is_same_v<Result, C>;
  return gives && Operator<F>::template Apply<FitsRow<C>::template Arguments>::fits(row);
}

// The row of a TH_ELEMENT's columns, for those who use namespaces th and row_flag.
#define TH_ELEMENT_ROW(parameters, Functor, flags) \
  make_element_row(#parameters, Operator<functor::Functor<float>>::inputs, flags)

}  // namespace th

#endif
