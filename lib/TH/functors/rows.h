#ifndef TH_FUNCTORS_ROWS_H
#define TH_FUNCTORS_ROWS_H

// The element-wise rows of THOps.def at compile time: derived from the parameters of a row and its
// functor.

#include <cstdint>

#include "THParameters.h"
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
  fits_numbers = 1 << 6,
  raises = 1 << 7,
  null_tensors = 1 << 8,
  varies = 1 << 9,
  in_place_view = 1 << 10,
};
}  // namespace row_flag

// The parameter types and the result type of F::operator().
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

constexpr int kMaxInputs = 3;   // inputs of a functor, and tensors of a row
constexpr int kMaxNumbers = 2;  // numbers of a row

struct ElementRow {
  uint32_t flags = 0;
  int tensors = 0;  // number of tensor arguments, without the result
  int numbers = 0;
  bool is_byte[kMaxInputs] = {};  // tensor arguments that are ByteTensors for every type of the row
  int inputs = 0;                 // number of arguments of the functor
  // The source of each argument of the functor: k for tensor k, -1 - k for number k.
  int source[kMaxInputs] = {};

  constexpr bool has(uint32_t flag) const { return (flags & flag) != 0; }
  // Returns true if the functor takes exactly the tensors, in their order.
  constexpr bool in_order() const { return inputs == tensors && !has(row_flag::swapped); }
};

// kinds: the kind and type of each parameter, "out:T in:T element:None ", the result first.
constexpr ElementRow make_element_row(const char* kinds, int inputs, uint32_t flags) {
  ElementRow row;
  row.flags = flags;
  row.inputs = inputs;
  int source[kMaxInputs + kMaxNumbers] = {};
  auto next = [](const char* p) {
    while (*p != ' ') ++p;
    return p + 1;
  };
  for (const char* p = next(kinds); *p; p = next(p)) {
    const char* type = p;
    while (*type != ':') ++type;
    ++type;
    if (*type == 'N') {  // None: a number
      source[row.tensors + row.numbers] = -1 - row.numbers;
      ++row.numbers;
    } else {
      source[row.tensors + row.numbers] = row.tensors;
      row.is_byte[row.tensors++] = *type == 'B';
    }
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

// Checks that a functor of compute type C has the parameters and the result of the row.
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

// "out:T in:T element:None " for the parameters of a row.
#define TH_KINDS(parameters) TH_PARAMETERS(TH_KIND_TEXT_, TH_NO_SEPARATOR, TH_UNWRAP parameters)
#define TH_KIND_TEXT_(kind, type, ...) #kind ":" #type " "
#define TH_NO_SEPARATOR()

// The ElementRow of the columns of a row. Used in namespaces th and row_flag.
#define TH_ELEMENT_ROW(parameters, Functor, flags) \
  make_element_row(TH_KINDS(parameters), Operator<functor::Functor<float>>::inputs, flags)

}  // namespace th

#endif
