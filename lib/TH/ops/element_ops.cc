// The element-wise rows of THOps.def: one pair of functions works on the descriptors of a row.

#include <algorithm>
#include <cstdio>

#include "backend/grain.h"
#include "base/error.h"
#include "functors/functors.h"
#include "ops/element_numbers.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/rows.h"
#include "tensor/convert.h"

namespace th {

namespace {

using namespace row_flag;

struct ElementOp {
  Op op;
  ElementRow row;
  int64_t grain;
};

// The arguments of one call, and the operation that computes it.
class Element {
 public:
  Element(const ElementOp& element, void* arguments)
      : row_(element.row), call_{element.op, DType::Byte, numbers_, 0, element.grain} {
    const OpRow& row = row_of(element.op);
    int numbers = 0;
    for (const Parameter *p = row.begin() + 1; p != row.end(); ++p) {
      last_is_number_ = p->kind != ParameterKind::in;
      if (!last_is_number_) {
        inputs_[count_++] = argument<Tensor*>(arguments, *p);
      } else if (p->kind == ParameterKind::float64) {
        numbers_[numbers++] = argument<double>(arguments, *p);
      } else {
        numbers_[numbers++] = argument<Scalar>(arguments, *p);
      }
    }
    call_.param_count = numbers;
    call_.dtype = inputs_[row_.is_byte[0] && count_ > 1 ? 1 : 0]->dtype;
  }

  void shapes(Tensor*& r, Shapes* s) {
    const bool same = std::all_of(inputs_ + 1, inputs_ + count_,
                                  [&](const Tensor* t) { return same_size(*inputs_[0], *t); });
    if (same) {
      check_values(*r);
      s->set(r, *inputs_[0], Layout::in_place);
      return;
    }
    const bool in_place = std::find(inputs_, inputs_ + count_, r) != inputs_ + count_;
    int ndim;
    int64_t size[kMaxDims];
    elementwise_shape(nullptr, inputs_, count_, in_place ? r : nullptr, &ndim, size);
    check_values(*r);
    s->set(r, ndim, size, Layout::in_place);
  }

  void run(Tensor* r) {
    if (r->numel() == 0) return;
    choose();
    run_elementwise(call_, r, inputs_, count_);
  }

 private:
  // Chooses the operation and its numbers by their values.
  void choose() {
    if (row_.has(fits_numbers)) fit_numbers(call_.dtype, &call_.op, numbers_);
    if (row_.has(simple_power)) choose_power();
  }
  void choose_power();
  void check_values(const Tensor& r);
  void check_divisors();
  void check_exponents();

  const ElementRow& row_;
  Tensor* inputs_[kMaxInputs];
  int count_ = 0;
  bool last_is_number_ = false;
  Scalar numbers_[kMaxNumbers];
  ElementwiseOp call_;
};

// Powers that are one operation are exact; vectorized pow is not.
void Element::choose_power() {
  if (is_integral(call_.dtype)) return;
  const double exponent = numbers_[0].to_double();
  if (exponent == 2) {
    call_.op = Op::cmul;
    inputs_[count_++] = inputs_[0];
    call_.param_count = 0;
  } else if (exponent == 1) {
    call_.op = Op::mul;
  } else if (exponent == -1) {
    call_.op = Op::cinv;
    call_.param_count = 0;
  } else {
    return;
  }
  call_.grain = Grain::cheap;
}

// Checks numbers, divisors and exponents before the result is resized. The shapes have been
// checked: errors in values on a device are raised later.
void Element::check_values(const Tensor& r) {
  if (!row_.has(fits_numbers | divides | raises)) return;
  if (row_.has(fits_numbers)) {
    Op op = call_.op;
    Scalar numbers[kMaxNumbers];
    std::copy(numbers_, numbers_ + call_.param_count, numbers);
    fit_numbers(call_.dtype, &op, numbers);
  }
  if (!is_integral(call_.dtype)) return;
  const Tensor* last = inputs_[count_ - 1];
  if (row_.has(divides)) {
    check_divisors();
    if (last_is_number_) return;
  } else if (row_.has(raises) && !current_rules.torch7) {
    check_exponents();
  } else {
    return;
  }
  if (!on_host(*last)) wait_for_assertions(device_of({last}), r);
}

// Integer division by 0 ends the process on most machines.
void Element::check_divisors() {
  const char* type = name(call_.dtype);
  if (last_is_number_) {
    const Scalar& divisor = numbers_[call_.param_count - 1];
    const bool zero = dispatch(
        call_.dtype, [&](auto x) { return load(convert<decltype(x)>(divisor)) == 0; });
    if (zero) fail("integers cannot be divided by 0, got %sTensor / 0", type);
    return;
  }
  Tensor* divisor = inputs_[count_ - 1];
  if (divisor->numel() == 0) return;
  th::check_values(call_.op, Condition::divisor, 0, divisor,
                   CheckText(0, [&](char* text, size_t room) {
                     std::snprintf(text, room,
                                   "integers cannot be divided by 0: the %sTensor divisor "
                                   "contains 0",
                                   type);
                   }));
}

// Integers to a negative power are fractions.
void Element::check_exponents() {
  Tensor* exponents = inputs_[count_ - 1];
  if (call_.dtype == DType::Byte || exponents->numel() == 0) return;
  th::check_values(call_.op, Condition::exponent, 0, exponents,
                   CheckText(0, [&](char* text, size_t room) {
                     std::snprintf(text, room,
                                   "integers have no negative powers, got exponent %%lld");
                   }));
}

void element_shapes(const ElementOp& op, void* arguments, Shapes& s) {
  Element(op, arguments).shapes(*static_cast<Tensor**>(arguments), &s);
}

void element_calls(const ElementOp& op, void* arguments) {
  Element(op, arguments).run(*static_cast<Tensor**>(arguments));
}

#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...) \
  constexpr ElementOp name##_element = {                                     \
      Op::name, TH_ELEMENT_ROW(parameters, Functor, flags), Grain::grain};
#include "THOps/elementwise.def"

}  // namespace

#define TH_ELEMENT(name, ...)                                                             \
  void shapes(args::name& a, Shapes& s) { element_shapes(name##_element, &a, s); } \
  void calls(args::name& a) { element_calls(name##_element, &a); }
#include "THOps/elementwise.def"

}  // namespace th
