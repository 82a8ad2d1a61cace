#include "ops/rows.h"

#include <cstddef>

namespace th {

namespace {

using namespace row_flag;

constexpr bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr const char* kind_names[] = {
    "out",         "inout",   "view",  "in",       "like",     "list",  "element",  "number",
    "accumulator", "float64", "int64", "int32",    "dim",      "index", "flag",     "option",
    "text",        "sizes",   "dims",  "int_list", "dim_list", "each",  "generator"};

constexpr int8_t element_type_of(const char* type) {
  switch (type[0]) {
    case 'T':
      return kOwnType;
    case 'M':
      return kMaskType;
    case 'W':
      return kWideType;
    case 'A':
      return kAnyType;
    case 'B':
      return static_cast<int8_t>(DType::Byte);
    case 'C':
      return static_cast<int8_t>(DType::Char);
    case 'I':
      return static_cast<int8_t>(DType::Int);
    case 'L':
      return static_cast<int8_t>(DType::Long);
    case 'F':
      return static_cast<int8_t>(DType::Float);
    case 'D':
      return static_cast<int8_t>(DType::Double);
    default:
      return kNoTensor;
  }
}

constexpr Parameter parameter(const char* kind, size_t offset, const char* type, const char* name,
                              const char* by_default) {
  Parameter p = {{ParameterKind::out, element_type_of(type), static_cast<uint16_t>(offset)},
                 type,
                 name,
                 by_default,
                 ""};
  const char* values = kind;  // "option_UL"
  while (*values && *values != '_') ++values;
  if (*values && same(values + 1, "list")) values = "";  // int_list, dim_list
  if (*values) {
    p.kind = ParameterKind::option;
    p.values = values + 1;
    return p;
  }
  int k = 0;
  while (!same(kind, kind_names[k])) ++k;
  p.kind = static_cast<ParameterKind>(k);
  return p;
}

#define TH_PARAMETER_(kind, type, core, name, expression, value, ...) \
  parameter(#kind, offsetof(Arguments, name), #type, #name, #value)

struct TensorFields {
  Field list[kMaxParameters];
  int count;
};

template <int n>
constexpr TensorFields tensors_of(const Parameter (&list)[n]) {
  TensorFields tensors = {};
  for (const Parameter& p : list) {
    if (p.is_tensor() || p.kind == ParameterKind::list) tensors.list[tensors.count++] = p;
  }
  return tensors;
}

template <int n>
constexpr int lists_of(const Parameter (&list)[n]) {
  int lists = 0;
  for (const Parameter& p : list) lists += p.is_list_of_numbers();
  return lists;
}

// The parameters of each row. A struct of its own allows offsetof of the arguments.
#define TH_OP(name_, lua, types, returned_, parameters, ...)           \
  struct name_##_row {                                                 \
    using Arguments = args::name_;                                     \
    static_assert(sizeof(Arguments) <= kMostArgumentBytes);            \
    static constexpr Parameter list[] = {                              \
        TH_PARAMETERS(TH_PARAMETER_, TH_COMMA, TH_UNWRAP parameters)}; \
    static_assert(lists_of(list) <= kMaxLists);                        \
    static constexpr TensorFields tensors = tensors_of(list);          \
  };
#include "THOps.def"

struct copy_row {
  using Arguments = args::copy;
  static constexpr Parameter list[] = {
      TH_PARAMETERS(TH_PARAMETER_, TH_COMMA, inout(Any, r), in(Any, src))};
  static constexpr TensorFields tensors = tensors_of(list);
};

template <int n>
constexpr uint32_t kinds_of(const Parameter (&list)[n]) {
  uint32_t kinds = 0;
  for (const Parameter& p : list) kinds |= uint32_t{1} << static_cast<int>(p.kind);
  return kinds;
}

template <class T>
struct ReturnedBy {
  static constexpr Returned value = Returned::number;
};
template <>
struct ReturnedBy<void> {
  static constexpr Returned value = Returned::nothing;
};
template <>
struct ReturnedBy<bool> {
  static constexpr Returned value = Returned::boolean;
};

#define TH_OFFSET_void(name) 0
#define TH_OFFSET_int(name) offsetof(args::name, returned)
#define TH_OFFSET_int64_t(name) TH_OFFSET_int(name)
#define TH_OFFSET_double(name) TH_OFFSET_int(name)
#define TH_OFFSET_real(name) TH_OFFSET_int(name)
#define TH_OFFSET_accreal(name) TH_OFFSET_int(name)

#define TH_OP(name, lua, types, returned, parameters, flags, derivative, ...) \
  {Op::name,                                                                  \
   #name,                                                                     \
   TH_FAMILY,                                                                 \
   #types,                                                                    \
   type_set::types::words,                                                    \
   type_set::types::bits,                                                     \
   flags,                                                                     \
   ReturnedBy<TH_RETURNED_##returned>::value,                                 \
   TH_OFFSET_##returned(name),                                                \
   sizeof(args::name),                                                        \
   __VA_ARGS__,                                                               \
   name##_row::list,                                                          \
   sizeof(name##_row::list) / sizeof(Parameter),                              \
   kinds_of(name##_row::list),                                                \
   {name##_row::tensors.list, name##_row::tensors.count}},
constexpr OpRow rows[] = {
#include "THOps.def"
    {Op::copy,
     "copy",
     "whole tensors",
     "ALL",
     type_set::ALL::words,
     type_set::ALL::bits,
     none,
     Returned::nothing,
     0,
     sizeof(args::copy),
     "Copies all elements of `src`, converted to the type of `r`.",
     copy_row::list,
     2,
     kinds_of(copy_row::list),
     {copy_row::tensors.list, 2}},
};

}  // namespace

const OpRow& row_of(Op op) noexcept { return rows[static_cast<int>(op)]; }

}  // namespace th
