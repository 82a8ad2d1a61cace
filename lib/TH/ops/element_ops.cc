// The element-wise rows of THOps.def, as calls of the one element-wise operation.

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "backend/grain.h"
#include "base/error.h"
#include "functors/functors.h"
#include "functors/rows.h"
#include "base/error.h"
#include "ops/direct.h"
#include "ops/element_numbers.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "tensor/convert.h"

namespace th {

namespace {

using namespace row_flag;

// Dividing integers by 0 ends the process on most machines, so it is found before it happens.
void check_divisor(const char* name, const Tensor* t, const Scalar& value) {
  if (!is_integral(t->dtype)) return;
  bool zero = dispatch(t->dtype, [&](auto x) { return load(convert<decltype(x)>(value)) == 0; });
  if (zero) fail("%s: integers cannot be divided by 0, got %sTensor / 0", name, th::name(t->dtype));
}
// The same where the divisor's values are; a device tells when somebody next waits for it.
void check_divisor(const char* name, Op op, const Tensor* t, Tensor* divisor) {
  if (!is_integral(t->dtype) || divisor->dtype != t->dtype || divisor->numel() == 0) return;
  check_values(op, Condition::divisor, 0, divisor, CheckText(0, [&](char* text, size_t room) {
                 std::snprintf(text, room,
                               "%s: integers cannot be divided by 0, which the divisor, a "
                               "%sTensor, contains",
                               name, th::name(divisor->dtype));
               }));
}

// Integers to a negative power are fractions.
void check_exponents(const char* name, Op op, Tensor* exponents) {
  if (!is_integral(exponents->dtype) || exponents->dtype == DType::Byte) return;
  if (exponents->numel() == 0) return;
  check_values(op, Condition::exponent, 0, exponents, CheckText(0, [&](char* text, size_t room) {
                 std::snprintf(text, room,
                               "%s: integers have no negative powers, got exponent %%lld", name);
               }));
}

// The powers that are one operation, and exact: vector versions of pow are not.
bool do_simple_power(Tensor* r, Tensor* t, const Scalar& value) {
  if (is_integral(t->dtype)) return false;
  double exponent = value.to_double();
  if (exponent == 2) {
    ops::cmul(r, t, t);
  } else if (exponent == 1) {
    ops::mul(r, t, 1);
  } else if (exponent == -1) {
    ops::cinv(r, t);
  } else {
    return false;
  }
  return true;
}

// A row as it is called: with the result, then its tensors and numbers in their order.
struct Element {
  Op op;
  const char* name;
  const ElementRow& row;
  bool (*defined)(DType type);
  int64_t grain;

  template <class... Arguments>
  void operator()(Tensor* r, Arguments... arguments) const {
    Tensor* tensors[kMaxInputs];
    Scalar numbers[kMaxNumbers];
    int tensor_count = 0, number_count = 0;
    auto add = [&](auto argument) {
      if constexpr (std::is_same_v<decltype(argument), Tensor*>) {
        tensors[tensor_count++] = argument;
      } else {
        numbers[number_count++] = argument;
      }
    };
    (add(arguments), ...);
    using Last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
    run(r, tensors, numbers, !std::is_same_v<Last, Tensor*>);
  }

 private:
  DType check_types(const Tensor* r, Tensor* const* tensors) const;
  void check_shapes(const Tensor* r, Tensor* const* tensors) const;
  void run(Tensor* r, Tensor* const* tensors, const Scalar* numbers, bool number_is_last) const;
};

// The type of the row's tensors, but those that are always ByteTensors.
DType Element::check_types(const Tensor* r, Tensor* const* tensors) const {
  const Tensor* first = nullptr;
  for (int k = 0; k < row.tensors; ++k) {
    const Tensor* t = tensors[k];
    if (row.is_byte[k]) {
      if (t->dtype == DType::Byte) continue;
      fail("%s: a ByteTensor is expected where a %sTensor is", name, th::name(t->dtype));
    }
    if (!first) first = t;
    if (t->dtype != first->dtype) {
      fail("%s: a %sTensor and a %sTensor do not go together: convert one of them", name,
           th::name(first->dtype), th::name(t->dtype));
    }
  }
  if (!defined(first->dtype)) {
    fail("%s is not defined for a %sTensor", name, th::name(first->dtype));
  }
  bool fits = r->dtype == first->dtype || (row.has(predicate) && r->dtype == DType::Byte);
  if (!fits) {
    fail("%s: the result of a %sTensor cannot be a %sTensor", name, th::name(first->dtype),
         th::name(r->dtype));
  }
  return first->dtype;
}

// Before values are checked: what a device finds in them comes late, and this would not.
void Element::check_shapes(const Tensor* r, Tensor* const* tensors) const {
  bool in_place = std::find(tensors, tensors + row.tensors, r) != tensors + row.tensors;
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(name, tensors, row.tensors, in_place ? r : nullptr, &ndim, size);
}

void Element::run(Tensor* r, Tensor* const* tensors, const Scalar* numbers,
                  bool number_is_last) const {
  const DType dtype = check_types(r, tensors);
  Op fitting = op;
  Scalar fitted[kMaxNumbers];
  if (row.has(fits_numbers | simple_power | divides | raises)) {
    if (row.has(simple_power) && do_simple_power(r, tensors[0], numbers[0])) return;
    if (row.has(fits_numbers)) {
      std::copy(numbers, numbers + row.numbers, fitted);
      fit_numbers(name, dtype, &fitting, fitted);
      numbers = fitted;
    }
    if (row.has(divides) && number_is_last) {
      check_divisor(name, tensors[0], numbers[row.numbers - 1]);
    } else if (is_integral(dtype) &&
               (row.has(divides) || (row.has(raises) && !current_rules.torch7))) {
      Tensor* last = tensors[row.tensors - 1];
      check_shapes(r, tensors);
      if (row.has(divides)) {
        check_divisor(name, op, tensors[0], last);
      } else {
        check_exponents(name, op, last);
      }
      if (!on_host(*last)) wait_for_assertions(device_of({last}), *r);
    }
  }
  elementwise({fitting, name, dtype, numbers, row.numbers, grain}, r, tensors, row.tensors);
}

}  // namespace

namespace direct {

#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...)                   \
  void name(TH_CORE_PARAMETERS(parameters)) {                                                  \
    static constexpr ElementRow row = TH_ELEMENT_ROW(parameters, Functor, flags);              \
    Element{Op::name, #name, row, &type_set::types::contains, Grain::grain}(TH_NAMES(parameters)); \
  }
#include "THOps/elementwise.def"

}  // namespace direct
}  // namespace th
