#ifndef TH_OPS_ROWS_H
#define TH_OPS_ROWS_H

// The rows of THOps.def at run time: the description of each operation and of its parameters.

#include <cstring>

#include "functors/rows.h"
#include "ops/arguments.h"

namespace th TH_VISIBLE {

// The kinds of parameters; THOps.def describes them.
enum class ParameterKind : uint8_t {
  out,
  inout,
  view,
  in,
  like,
  list,
  element,
  number,
  accumulator,
  float64,
  int64,
  int32,
  dim,
  index,
  flag,
  option,
  text,
  sizes,
  dims,
  int_list,
  dim_list,
  each,
  generator
};

// The element type of a tensor parameter: a DType, or one of these.
enum : int8_t { kNoTensor = -5, kWideType = -4, kAnyType = -3, kMaskType = -2, kOwnType = -1 };

// Returns true if a Wide parameter may have this type, where own is the type that T stands for.
inline bool fits_wide(DType type, DType own) {
  return type == own || (type == DType::Long && is_integral(own));
}

// The field of a parameter in the struct of arguments.
struct Field {
  ParameterKind kind;
  int8_t element_type;
  uint16_t offset;

  constexpr bool is_result() const { return kind <= ParameterKind::view; }
  constexpr bool is_tensor() const { return kind <= ParameterKind::like; }
};

struct Parameter : Field {
  const char* type;  // of a tensor: "T", "Long", ...; else "None"
  const char* name;
  const char* by_default;  // "required": no default value
  const char* values;      // of an option: "UL" or "mean_sum"

  bool is_operand() const { return kind == ParameterKind::in || kind == ParameterKind::like; }
  // A tensor that a call may leave out, in C and in Lua.
  bool may_be_null() const {
    return is_tensor() && (is_hidden() || std::strcmp(by_default, "null") == 0);
  }
  // A result that only the derivative needs.
  bool is_hidden() const { return std::strcmp(by_default, "hidden") == 0; }
  constexpr bool is_list_of_numbers() const {
    return kind >= ParameterKind::sizes && kind <= ParameterKind::each;
  }
};

struct Fields {
  const Field* first;
  int count;

  const Field* begin() const { return first; }
  const Field* end() const { return first + count; }
};

enum class Returned : uint8_t { nothing, number, boolean };

struct OpRow {
  Op op;
  const char* name;
  const char* family;
  const char* types_name;  // the set of element types: "ALL", ...
  const char* types;       // the same in words
  uint32_t type_bits;      // bit k: element type k
  uint32_t flags;          // row_flag
  Returned returned;
  uint16_t returned_offset;
  uint16_t argument_bytes;  // size of the struct of arguments
  const char* doc;
  const Parameter* parameters;
  int count;       // of parameters
  uint32_t kinds;  // bit k: has a parameter of kind k
  Fields tensors;  // the tensors and the list of tensors, for loops in each call

  bool has(ParameterKind kind) const { return kinds >> static_cast<int>(kind) & 1; }

  const Parameter* begin() const { return parameters; }
  const Parameter* end() const { return parameters + count; }
  // The number of a parameter of this row, from 0.
  int number_of(const Parameter& p) const { return static_cast<int>(&p - parameters); }
};

constexpr int kMaxParameters = 12;
constexpr int kMaxLists = 4;             // lists of numbers among the parameters
constexpr int kMostArgumentBytes = 256;  // size of the largest struct of arguments

const OpRow& row_of(Op op) noexcept;

template <class T>
T& argument(void* arguments, const Field& field) {
  return *reinterpret_cast<T*>(static_cast<char*>(arguments) + field.offset);
}

}  // namespace TH_VISIBLE

#endif
