// The rows of THOps.def's element-wise families, as calls of the one element-wise operation.

#include <cstdio>
#include <cstring>

#include "cpu/element_kernels.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "tensor/convert.h"

namespace th {

namespace {

void run(Op op, const char* name, const Loop* loops, ElementKernel kernel, const Scalar* params,
         int param_count, int64_t grain, Tensor* r, std::initializer_list<Tensor*> inputs) {
  Tensor* const* in = inputs.begin();
  Loop loop = loops[static_cast<int>(in[0]->dtype)];
  elementwise({op, name, loop, params, grain, kernel, param_count}, r, in,
              static_cast<int>(inputs.size()));
}

void check_result_type(const char* name, const Tensor* r, const Tensor* t) {
  if (r->dtype != t->dtype) {
    fail("%s: the result of a %sTensor cannot be a %sTensor", name, th::name(t->dtype),
         th::name(r->dtype));
  }
}

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

enum class Divides { no, yes };
constexpr Divides divides(const char* name) {
  const char* const names[] = {"div",   "fmod",       "remainder", "cdiv",
                               "cfmod", "cremainder", "addcdiv"};
  for (const char* candidate : names) {
    const char *a = candidate, *b = name;
    while (*a && *a == *b) ++a, ++b;
    if (*a == *b) return Divides::yes;
  }
  return Divides::no;
}

// The powers that are one operation, and exact: vector versions of pow are not.
bool simple_power(const char* name, Tensor* r, Tensor* t, const Scalar& value) {
  if (std::strcmp(name, "pow") || is_integral(t->dtype)) return false;
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

}  // namespace

namespace ops {

#define TH_UNARY(name, types, cost, doc)                                                        \
  void name(Tensor* r, Tensor* t) {                                                             \
    check_result_type(#name, r, t);                                                             \
    run(Op::name, #name, unary_kernels().name, ElementKernel::name, nullptr, 0, Grain::cost, r, \
        {t});                                                                                   \
  }
#define TH_SCALAR(name, lua, types, cost, doc)                                                 \
  void name(Tensor* r, Tensor* t, Scalar value) {                                              \
    check_result_type(#name, r, t);                                                            \
    if (simple_power(#name, r, t, value)) return;                                              \
    if (divides(#name) == Divides::yes) check_divisor(#name, t, value);                        \
    run(Op::name, #name, value_kernels().name, ElementKernel::name, &value, 1, Grain::cost, r, \
        {t});                                                                                  \
  }
#define TH_BINARY(name, lua, types, cost, doc)                                                   \
  void name(Tensor* r, Tensor* a, Tensor* b) {                                                   \
    check_result_type(#name, r, a);                                                              \
    if (divides(#name) == Divides::yes) check_divisor(#name, Op::name, a, b);                    \
    run(Op::name, #name, binary_kernels().name, ElementKernel::name, nullptr, 0, Grain::cost, r, \
        {a, b});                                                                                 \
  }
#define TH_SCALED(name, lua, types, cost, doc)                                                  \
  void name(Tensor* r, Tensor* t, Scalar value, Tensor* b) {                                    \
    check_result_type(#name, r, t);                                                             \
    run(Op::name, #name, binary_kernels().name, ElementKernel::name, &value, 1, Grain::cost, r, \
        {t, b});                                                                                \
  }
#define TH_TERNARY(name, types, cost, doc)                                                       \
  void name(Tensor* r, Tensor* t, Scalar value, Tensor* a, Tensor* b) {                          \
    check_result_type(#name, r, t);                                                              \
    if (divides(#name) == Divides::yes) check_divisor(#name, Op::name, t, b);                    \
    run(Op::name, #name, ternary_kernels().name, ElementKernel::name, &value, 1, Grain::cost, r, \
        {t, a, b});                                                                              \
  }
#define TH_COMPARE(name, doc)                                                                     \
  void name##Value(Tensor* r, Tensor* t, Scalar value) {                                          \
    bool same = r->dtype == t->dtype;                                                             \
    if (r->dtype != DType::Byte) check_result_type(#name, r, t);                                  \
    const CompareLoops& loops = compare_kernels().name;                                           \
    run(Op::name##Value, #name, same ? loops.value_to_same : loops.value_to_byte,                 \
        same ? ElementKernel::name##_value_to_same : ElementKernel::name##_value_to_byte, &value, \
        1, Grain::cheap, r, {t});                                                                 \
  }                                                                                               \
  void name##Tensor(Tensor* r, Tensor* a, Tensor* b) {                                            \
    bool same = r->dtype == a->dtype;                                                             \
    if (r->dtype != DType::Byte) check_result_type(#name, r, a);                                  \
    const CompareLoops& loops = compare_kernels().name;                                           \
    run(Op::name##Tensor, #name, same ? loops.tensor_to_same : loops.tensor_to_byte,              \
        same ? ElementKernel::name##_tensor_to_same : ElementKernel::name##_tensor_to_byte,       \
        nullptr, 0, Grain::cheap, r, {a, b});                                                     \
  }
#include "THOps.def"

void tpow(Tensor* r, Scalar value, Tensor* t) {
  check_result_type("pow", r, t);
  run(Op::tpow, "pow", value_kernels().tpow, ElementKernel::tpow, &value, 1, Grain::costly, r, {t});
}

void clamp(Tensor* r, Tensor* t, Scalar min, Scalar max) {
  check_result_type("clamp", r, t);
  Scalar bounds[] = {min, max};
  run(Op::clamp, "clamp", value_kernels().clamp, ElementKernel::clamp, bounds, 2, Grain::cheap, r,
      {t});
}

void lerp(Tensor* r, Tensor* a, Tensor* b, Scalar weight) {
  check_result_type("lerp", r, a);
  run(Op::lerp, "lerp", binary_kernels().lerp, ElementKernel::lerp, &weight, 1, Grain::cheap, r,
      {a, b});
}

}  // namespace ops
}  // namespace th
