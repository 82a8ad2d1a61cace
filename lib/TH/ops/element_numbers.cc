#include "ops/element_numbers.h"

#include <cmath>

#include "base/error.h"
#include "ops/rules.h"
#include "ops/scalars.h"
#include "tensor/convert.h"

namespace th {

namespace {

// A whole number, or NaN, against the values of an integer type.
enum class RangePosition { below, within, above, none };

class Integers {
 public:
  explicit Integers(DType type) : type_(type) {}

  RangePosition position_of(double whole) const {
    if (whole != whole) return RangePosition::none;
    if (holds(type_, whole)) return RangePosition::within;
    return whole < 0 ? RangePosition::below : RangePosition::above;
  }
  Scalar lowest() const { return limit(false); }
  Scalar highest() const { return limit(true); }

 private:
  Scalar limit(bool highest) const {
    return dispatch(type_, [&](auto zero) -> Scalar {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        return static_cast<int64_t>(highest ? Limits::max() : Limits::lowest());
      } else {
        return 0;
      }
    });
  }

  DType type_;
};

// Returns true for an integer that the type holds. Makes any other number a double.
bool is_element(DType type, Scalar* number) {
  if (number->integral && holds(type, *number)) return true;
  *number = number->to_double();
  return false;
}

// x < 2.5 is x < 3, and x > 2.5 is x > 2: `up` is where the number is rounded to. less: whether the
// smallest elements compare true.
void fit_order(const Integers& integers, Op* op, Scalar* number, bool up, bool less) {
  const double whole = up ? std::ceil(number->d) : std::floor(number->d);
  const RangePosition position = integers.position_of(whole);
  if (position == RangePosition::within) {
    *number = static_cast<int64_t>(whole);
    return;
  }
  const bool always = position == (less ? RangePosition::above : RangePosition::below);
  *op = always ? Op::geValue : Op::ltValue;
  *number = integers.lowest();
}

void fit_equality(const Integers& integers, Op* op, Scalar* number, bool equal) {
  const bool whole = std::floor(number->d) == number->d;
  if (whole && integers.position_of(number->d) == RangePosition::within) {
    *number = static_cast<int64_t>(number->d);
    return;
  }
  *op = equal ? Op::ltValue : Op::geValue;
  *number = integers.lowest();
}

[[noreturn]] void fail_bound(DType type, double bound, const char* side) {
  fail("no element of %sTensor is at %s %.14g", name_with_article(type), side, bound);
}

void fit_least(DType type, Scalar* bound) {
  if (is_element(type, bound)) return;
  const Integers integers(type);
  const double whole = std::ceil(bound->d);
  const RangePosition position = integers.position_of(whole);
  if (position == RangePosition::above || position == RangePosition::none)
    fail_bound(type, bound->d, "least");
  *bound =
      position == RangePosition::below ? integers.lowest() : Scalar(static_cast<int64_t>(whole));
}

void fit_most(DType type, Scalar* bound) {
  if (is_element(type, bound)) return;
  const Integers integers(type);
  const double whole = std::floor(bound->d);
  const RangePosition position = integers.position_of(whole);
  if (position == RangePosition::below || position == RangePosition::none)
    fail_bound(type, bound->d, "most");
  *bound =
      position == RangePosition::above ? integers.highest() : Scalar(static_cast<int64_t>(whole));
}

void fit_bounds(DType type, Scalar* bounds) {
  const double least = bounds[0].to_double(), most = bounds[1].to_double();
  fit_least(type, &bounds[0]);
  fit_most(type, &bounds[1]);
  if (least <= most && bounds[0].i > bounds[1].i) {
    fail("the bounds %.14g and %.14g have no integer between them", least, most);
  }
}

// The smaller of `most` and the larger of `least` and x, also if `least` is above `most` or a bound
// is NaN.
void order_bounds(Op* op, Scalar* bounds) {
  const double least = bounds[0].to_double(), most = bounds[1].to_double();
  if (least <= most) return;
  if (least > most) {
    bounds[0] = bounds[1];
  } else {
    *op = Op::clampMax;
    bounds[0] = std::numeric_limits<double>::quiet_NaN();
  }
}

void check_tolerances(const Scalar* tolerances) {
  const double relative = tolerances[0].to_double(), absolute = tolerances[1].to_double();
  if (relative >= 0 && absolute >= 0) return;
  fail("tolerances must not be negative, got %g and %g", relative, absolute);
}

bool is_comparison(Op op) {
  switch (op) {
    case Op::ltValue:
    case Op::leValue:
    case Op::gtValue:
    case Op::geValue:
    case Op::eqValue:
    case Op::neValue:
      return true;
    default:
      return false;
  }
}

void fit_comparison(DType type, Op* op, Scalar* number) {
  if (is_element(type, number)) return;
  const Integers integers(type);
  switch (*op) {
    case Op::ltValue:
      return fit_order(integers, op, number, true, true);
    case Op::leValue:
      return fit_order(integers, op, number, false, true);
    case Op::gtValue:
      return fit_order(integers, op, number, false, false);
    case Op::geValue:
      return fit_order(integers, op, number, true, false);
    default:
      return fit_equality(integers, op, number, *op == Op::eqValue);
  }
}

void fit_integers(DType type, Op* op, Scalar* numbers) {
  if (is_comparison(*op)) return fit_comparison(type, op, numbers);
  switch (*op) {
    case Op::clamp:
      fit_bounds(type, numbers);
      if (!current_rules.torch7) order_bounds(op, numbers);
      return;
    case Op::clampMin:
    case Op::cmaxValue:
      return fit_least(type, numbers);
    case Op::clampMax:
    case Op::cminValue:
      return fit_most(type, numbers);
    case Op::pow:
      if (current_rules.torch7 || numbers[0].to_double() >= 0) return;
      fail("integers have no negative powers, got exponent %.14g", numbers[0].to_double());
    default:
      return;
  }
}

// Rounds the number of a comparison as elements are, so that HalfTensor{0.1}:eq(0.1) is 1.
void round_like_elements(DType type, Scalar* number) {
  if (compute_type(type) == type) return;
  const double given = number->to_double();
  *number =
      dispatch(type, [&](auto zero) -> double { return load(convert<decltype(zero)>(given)); });
}

}  // namespace

void fit_numbers(DType type, Op* op, Scalar* numbers) {
  if (*op == Op::isclose) return check_tolerances(numbers);
  if (is_integral(type)) return fit_integers(type, op, numbers);
  if (current_rules.torch7) return;
  if (is_comparison(*op)) return round_like_elements(type, numbers);
  switch (*op) {
    case Op::remainder:
      *op = Op::remainderExact;
      return;
    case Op::cremainder:
      *op = Op::cremainderExact;
      return;
    case Op::tremainder:
      *op = Op::tremainderExact;
      return;
    case Op::clamp:
      return order_bounds(op, numbers);
    default:
      return;
  }
}

}  // namespace th
