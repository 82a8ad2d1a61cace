// The element-wise rows of THOps.def: one pair of functions works on the description of a row.

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "backend/grain.h"
#include "base/error.h"
#include "functors/functors.h"
#include "functors/rows.h"
#include "ops/element_numbers.h"
#include "ops/element_rows.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "tensor/convert.h"

namespace th {

namespace {

using namespace row_flag;

// A row, and where its arguments are in the struct of arguments. The result comes first.
struct ElementOp {
  Op op;
  ElementRow row;
  int64_t grain;
  uint16_t tensor_at[kMaxInputs], number_at[kMaxNumbers];
  bool has_doubles;  // the numbers are of type double, not Scalar
  bool last_is_number;

  void read_tensors(char* arguments, Tensor** tensors) const {
    for (int k = 0; k < row.tensors; ++k) {
      tensors[k] = *reinterpret_cast<Tensor**>(arguments + tensor_at[k]);
    }
  }
  void read_numbers(char* arguments, Scalar* numbers) const {
    for (int k = 0; k < row.numbers; ++k) {
      char* at = arguments + number_at[k];
      numbers[k] =
          has_doubles ? Scalar(*reinterpret_cast<double*>(at)) : *reinterpret_cast<Scalar*>(at);
    }
  }
  // The type that T stands for.
  DType type(Tensor* const* tensors) const {
    return tensors[row.is_byte[0] && row.tensors > 1 ? 1 : 0]->dtype;
  }
};

// kinds: as in make_element_row. offsets: of the parameters.
constexpr ElementOp element_op(Op op, const ElementRow& row, int64_t grain, const char* kinds,
                               std::initializer_list<size_t> offsets) {
  ElementOp element = {op, row, grain, {}, {}, false, false};
  int tensors = 0, numbers = 0;
  const char* kind = kinds;
  for (size_t offset : offsets) {
    const char* type = kind;
    while (*type != ':') ++type;
    if (kind != kinds) {
      element.last_is_number = type[1] == 'N';
      if (element.last_is_number) {
        element.has_doubles = *kind == 'f';  // float64
        element.number_at[numbers++] = static_cast<uint16_t>(offset);
      } else {
        element.tensor_at[tensors++] = static_cast<uint16_t>(offset);
      }
    }
    kind = type;
    while (*kind++ != ' ') {
    }
  }
  return element;
}

// inputs has space for two.
void choose_power(ElementwiseOp* op, Tensor** inputs, int* count) {
  if (is_integral(op->dtype)) return;
  const Op chosen = op_of_power(op->params[0].to_double());
  if (chosen == Op::pow) return;
  op->op = chosen;
  if (chosen == Op::cmul) inputs[(*count)++] = inputs[0];
  if (chosen != Op::mul) op->param_count = 0;
  op->grain = Grain::cheap;
}

// Integer division by 0 ends the process on most machines.
void check_divisor_number(DType type, const Scalar& divisor) {
  const bool zero =
      dispatch(type, [&](auto x) { return load(convert<decltype(x)>(divisor)) == 0; });
  if (zero) fail("integers cannot be divided by 0, got %sTensor / 0", name(type));
}
void check_divisors(Op op, Tensor* divisor) {
  if (divisor->numel() == 0) return;
  check_values(op, Condition::divisor, 0, divisor,
               {0, "integers cannot be divided by 0: the %sTensor divisor contains 0", 0, 0,
                name(divisor->dtype)});
}

// Integers to a negative power are fractions.
void check_exponents(Op op, Tensor* exponents) {
  if (exponents->dtype == DType::Byte || exponents->numel() == 0) return;
  check_values(op, Condition::exponent, 0, exponents,
               {0, "integers have no negative powers, got exponent %v"});
}

// Checks numbers, divisors and exponents before the result is resized. The shapes have been
// checked, because errors in values on a device are raised later.
void check_element_values(const ElementOp& element, char* arguments, Tensor* const* inputs,
                          const Tensor& r) {
  const ElementRow& row = element.row;
  const DType type = element.type(inputs);
  Scalar numbers[kMaxNumbers];
  element.read_numbers(arguments, numbers);
  const Scalar divisor = element.last_is_number ? numbers[row.numbers - 1] : Scalar(1);
  if (row.has(fits_numbers)) {
    Op op = element.op;
    fit_numbers(type, &op, numbers);
  }
  if (!is_integral(type)) return;
  if (row.has(divides) && element.last_is_number) return check_divisor_number(type, divisor);
  Tensor* last = inputs[row.tensors - 1];
  if (row.has(divides)) {
    check_divisors(element.op, last);
  } else if (row.has(raises) && !current_rules.torch7) {
    check_exponents(element.op, last);
  } else {
    return;
  }
  if (!is_checked_on_host(*last)) wait_for_assertions(device_of({last}), r);
}

void element_shapes(const ElementOp& element, void* struct_of_arguments, Shapes& s) {
  auto* arguments = static_cast<char*>(struct_of_arguments);
  Tensor*& r = *static_cast<Tensor**>(struct_of_arguments);
  Tensor* inputs[kMaxInputs] = {};
  element.read_tensors(arguments, inputs);
  const int count = element.row.tensors;
  int ndim = inputs[0]->nDimension;
  const int64_t* size = inputs[0]->size;
  int64_t paired[kMaxDims];
  bool same = true;
  for (int k = 1; k < count; ++k) same = same && same_size(*inputs[0], *inputs[k]);
  if (!same) {
    const bool in_place = std::find(inputs, inputs + count, r) != inputs + count;
    elementwise_shape(inputs, count, in_place ? r : nullptr, &ndim, paired);
    size = paired;
  }
  if (element.row.has(fits_numbers | divides | raises)) {
    check_element_values(element, arguments, inputs, *r);
  }
  s.set_in_place(r, ndim, size, inputs, count);
}

void element_calls(const ElementOp& element, void* struct_of_arguments) {
  auto* arguments = static_cast<char*>(struct_of_arguments);
  Tensor* r = *static_cast<Tensor**>(struct_of_arguments);
  if (r->numel() == 0) return;
  Tensor* inputs[kMaxInputs];
  Scalar numbers[kMaxNumbers];
  element.read_tensors(arguments, inputs);
  element.read_numbers(arguments, numbers);
  int count = element.row.tensors;
  ElementwiseOp op = {element.op, element.type(inputs), numbers, element.row.numbers,
                      element.grain};
  if (element.row.has(fits_numbers)) fit_numbers(op.dtype, &op.op, numbers);
  if (element.row.has(simple_power)) choose_power(&op, inputs, &count);
  run_elementwise(op, r, inputs, count);
}

// A struct of its own allows offsetof.
#define TH_OFFSET_(kind, type, core, name, ...) offsetof(Arguments, name)
#define TH_ELEMENT(name_, lua, types, parameters, Functor, grain, flags, ...)                      \
  struct name_##_row {                                                                             \
    using Arguments = args::name_;                                                                 \
    static constexpr ElementOp element = element_op(                                               \
        Op::name_, TH_ELEMENT_ROW(parameters, Functor, flags), Grain::grain, TH_KINDS(parameters), \
        {TH_PARAMETERS(TH_OFFSET_, TH_COMMA, TH_UNWRAP parameters)});                              \
  };
#include "THOps/elementwise.def"

}  // namespace

#define TH_ELEMENT(name, ...)                                                           \
  void shapes(args::name& a, Shapes& s) { element_shapes(name##_row::element, &a, s); } \
  void calls(args::name& a) { element_calls(name##_row::element, &a); }
#include "THOps/elementwise.def"

}  // namespace th
