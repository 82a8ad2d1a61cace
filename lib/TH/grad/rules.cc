#include "grad/rule.h"

#include <cstddef>

#include "grad/functions.h"

namespace th::grad {

namespace {

using namespace row_flag;

template <class T, class C>
auto argument_value(C& context, int parameter, size_t offset) {
  if constexpr (std::is_same_v<T, Tensor*>) {
    return context.value(parameter);
  } else if constexpr (std::is_same_v<C, Uses>) {
    return T();
  } else {
    return *reinterpret_cast<const T*>(static_cast<const char*>(context.arguments()) + offset);
  }
}

// The number of each parameter, as a constant Index::<name>, and its value, as <name>.
#define TH_INDEX_(kind, type, core, name, ...) name
#define TH_VALUE_(kind, type, core, name, ...) \
  [[maybe_unused]] const auto name = argument_value<core>(context, Index::name, offsetof(A, name))

// The words of the column `derivative`.
#define grad(parameter, ...) \
  if (context.wants(Index::parameter)) context.give(Index::parameter, __VA_ARGS__);
#define rule(f) context.run(f, 0);
#define operand_rule(f) context.run(f, 1);
#define constant context.set(Derivative::constant);
#define composed context.set(Derivative::composed);
#define shares context.set(Derivative::shares);
#define unsupported context.set(Derivative::unsupported);

#define TH_OP(name_, lua, types, returned_, parameters, flags, derivative, ...) \
  struct name_##_rule {                                                         \
    using A = args::name_;                                                      \
    static constexpr bool is_element_wise = ((flags)&element_wise) != 0;        \
    struct Index {                                                              \
      enum : int { TH_PARAMETERS(TH_INDEX_, TH_COMMA, TH_UNWRAP parameters) };  \
    };                                                                          \
    template <class C>                                                          \
    static void run(C& context) {                                               \
      TH_PARAMETERS(TH_VALUE_, TH_SEMICOLON, TH_UNWRAP parameters);             \
      [[maybe_unused]] const auto g = context.gradient();                       \
      [[maybe_unused]] const auto returned = context.returned();                \
      derivative                                                                \
    }                                                                           \
  };
#include "THOps.def"

struct copy_rule {
  static constexpr bool is_element_wise = false;
  template <class C>
  static void run(C& context) {
    context.give(1, context.gradient());
  }
};

#undef grad
#undef rule
#undef operand_rule
#undef constant
#undef composed
#undef shares
#undef unsupported

template <class Row>
RowRule make_rule() {
  Uses uses;
  Row::run(uses);
  RowRule rule = {uses.derivative, uses.has_formula, {}, &Row::template run<Backward>, nullptr};
  if constexpr (Row::is_element_wise) rule.fuse = &Row::template run<Fusion>;
  for (int k = 0; k < kMaxParameters; ++k) rule.read[k] = uses.read[k];
  return rule;
}

}  // namespace

const RowRule& rule_of(Op op) {
  static const RowRule rules[] = {
#define TH_OP(name, ...) make_rule<name##_rule>(),
#include "THOps.def"
      make_rule<copy_rule>(),
  };
  return rules[static_cast<int>(op)];
}

}  // namespace th::grad
