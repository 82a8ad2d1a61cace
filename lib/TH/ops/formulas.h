#ifndef TH_OPS_FORMULAS_H
#define TH_OPS_FORMULAS_H

// Formulas of tensors, such as `g * cos(t)`: for operations that call others, and for the
// derivatives in THOps.def. Those are compiled three times:
//   with Var, a reference to a tensor: it computes the gradient by calling operations,
//   with Term: it builds an expression that computes the gradient in one pass,
//   with Use: it finds which arguments' elements the formula reads, so that the tape keeps them.
// Each operation of THOps.def whose first parameter is its only result is a function here: without
// that parameter, it returns a new tensor.

#include <type_traits>
#include <utility>

#include "ops/ops.h"
#include "ops/rows.h"
#include "ops/term.h"

namespace th::formulas {

// A tensor; copies share it. Empty: no tensor.
class Var {
 public:
  Var() = default;
  explicit Var(TensorRef t) : t_(t.release()) {}
  static Var share(Tensor* t) { return Var(shared(t)); }
  Var(const Var& other) : t_(other.t_) {
    if (t_) tensor_retain(t_);
  }
  Var(Var&& other) noexcept : t_(std::exchange(other.t_, nullptr)) {}
  Var& operator=(Var other) noexcept {
    std::swap(t_, other.t_);
    return *this;
  }
  ~Var() {
    if (t_) tensor_free(t_);
  }
  TensorRef release() { return TensorRef(std::exchange(t_, nullptr)); }
  Tensor* get() const { return t_; }
  Tensor* operator->() const { return t_; }
  Tensor& operator*() const { return *t_; }
  explicit operator bool() const { return t_ != nullptr; }

 private:
  Tensor* t_ = nullptr;
};

// The parameters whose elements an expression reads: bit k is set for parameter k.
struct Use {
  uint32_t read = 0;
};

template <class... A>
constexpr bool any_use = (std::is_same_v<A, Use> || ...);
template <class... A>
constexpr bool any_term = (std::is_same_v<A, Term> || ...);
// The type of an expression made of values of these types.
template <class... A>
using ValueOf =
    std::conditional_t<any_use<A...>, Use, std::conditional_t<any_term<A...>, Term, Var>>;

template <class A>
constexpr uint32_t read_by(const A& a) {
  if constexpr (std::is_same_v<A, Use>) return a.read;
  return 0;
}
template <class... A>
constexpr Use uses(const A&... a) {
  return {(0u | ... | read_by(a))};
}

inline Tensor* raw(const Var& v) { return v.get(); }
template <class A, std::enable_if_t<!std::is_same_v<A, Var>, int> = 0>
const A& raw(const A& a) {
  return a;
}
template <class A>
const Tensor* tensor_or_null(const A& a) {
  if constexpr (std::is_same_v<A, Var>) return a.get();
  return nullptr;
}

// Calls an operation with a new tensor as its result.
template <class Arguments, class... A>
Var apply(const A&... a) {
  const OpRow& row = row_of(Arguments::op);
  int8_t type = row.parameters[0].element_type;
  if (type == kMaskType) type = static_cast<int8_t>(DType::Byte);
  if (type == kWideType) type = kOwnType;
  const Tensor* operands[] = {tensor_or_null(a)...};
  for (size_t k = 0; type == kOwnType && k < sizeof...(A); ++k) {
    if (operands[k] && row.parameters[k + 1].element_type == kOwnType) {
      type = static_cast<int8_t>(operands[k]->dtype);
    }
  }
  Var result{TensorRef(tensor_new(static_cast<DType>(type)))};
  Arguments arguments{result.get(), raw(a)...};
  call(arguments);
  return result;
}

#define TH_OP(name_, ...)                               \
  template <class... A>                                 \
  ValueOf<A...> name_([[maybe_unused]] const A&... a) { \
    if constexpr (any_use<A...>) {                      \
      return uses(a...);                                \
    } else if constexpr (any_term<A...>) {              \
      return term_of(args::name_::op, a...);            \
    } else {                                            \
      return apply<args::name_>(a...);                  \
    }                                                   \
  }
#include "THOps.def"

template <class A>
constexpr bool is_value =
    std::is_same_v<A, Var> || std::is_same_v<A, Use> || std::is_same_v<A, Term>;
// True for operands of operators that are tensors. None of the operands is a Use.
template <class A>
constexpr bool is_tensor = std::is_same_v<A, Var> || std::is_same_v<A, Term>;
template <class A, class B>
using IfValues = std::enable_if_t<is_value<A> || is_value<B>, int>;

// A factor of 1, as alpha and beta often are, needs no operation.
template <class V>
V scaled(const V& v, const Scalar& factor) {
  return factor.to_double() == 1 ? v : mul(v, factor);
}

template <class A, class B, IfValues<A, B> = 0>
ValueOf<A, B> operator*(const A& a, const B& b) {
  if constexpr (any_use<A, B>) {
    return uses(a, b);
  } else if constexpr (is_tensor<A> && is_tensor<B>) {
    return cmul(a, b);
  } else if constexpr (is_tensor<A>) {
    return scaled(a, Scalar(b));
  } else {
    return scaled(b, Scalar(a));
  }
}
template <class A, class B, IfValues<A, B> = 0>
ValueOf<A, B> operator/(const A& a, const B& b) {
  if constexpr (any_use<A, B>) {
    return uses(a, b);
  } else if constexpr (is_tensor<A> && is_tensor<B>) {
    return cdiv(a, b);
  } else if constexpr (is_tensor<A>) {
    return div(a, Scalar(b));
  } else {
    return tdiv(Scalar(a), b);
  }
}
template <class A, class B, IfValues<A, B> = 0>
ValueOf<A, B> operator+(const A& a, const B& b) {
  if constexpr (any_use<A, B>) {
    return uses(a, b);
  } else if constexpr (is_tensor<A> && is_tensor<B>) {
    return cadd(a, Scalar(1), b);
  } else if constexpr (is_tensor<A>) {
    return add(a, Scalar(b));
  } else {
    return add(b, Scalar(a));
  }
}
template <class A, IfValues<A, A> = 0>
A operator-(const A& a) {
  if constexpr (any_use<A>) {
    return a;
  } else {
    return neg(a);
  }
}
template <class A, class B, IfValues<A, B> = 0>
ValueOf<A, B> operator-(const A& a, const B& b) {
  if constexpr (any_use<A, B>) {
    return uses(a, b);
  } else if constexpr (is_tensor<A> && is_tensor<B>) {
    return csub(a, Scalar(1), b);
  } else if constexpr (is_tensor<A>) {
    return sub(a, Scalar(b));
  } else {
    return add(neg(b), Scalar(a));
  }
}

}  // namespace th::formulas

#endif
