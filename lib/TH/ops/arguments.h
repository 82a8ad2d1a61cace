#ifndef TH_OPS_ARGUMENTS_H
#define TH_OPS_ARGUMENTS_H

// The arguments of each operation as a struct, args::<name>: a field for each parameter of its row
// in THOps.def. If the operation returns a number or a boolean, the field `returned` follows. copy
// has no row in THOps.def.

#include "THParameters.h"
#include "base/op.h"
#include "tensor/tensor.h"
#include "tensor/views.h"

namespace th TH_VISIBLE {

struct Generator;

struct TensorList {
  Tensor** tensors = nullptr;
  int count = 0;
  TensorList() = default;
  TensorList(Tensor** t, int n) : tensors(t), count(n) {}
};

#define TH_FIELD_(kind, type, core, name, ...) core name
#define TH_NAME_(kind, type, core, name, ...) name
#define TH_CORE_PARAMETERS(parameters) TH_PARAMETERS(TH_FIELD_, TH_COMMA, TH_UNWRAP parameters)
#define TH_NAMES(parameters) TH_PARAMETERS(TH_NAME_, TH_COMMA, TH_UNWRAP parameters)

// The type that the core returns for a result column of THOps.def.
#define TH_RETURNED_void void
#define TH_RETURNED_int bool
#define TH_RETURNED_int64_t Scalar
#define TH_RETURNED_double Scalar
#define TH_RETURNED_real Scalar
#define TH_RETURNED_accreal Scalar

#define TH_RETURNED_FIELD_void
#define TH_RETURNED_FIELD_int bool returned = false;
#define TH_RETURNED_FIELD_int64_t Scalar returned{};
#define TH_RETURNED_FIELD_double Scalar returned{};
#define TH_RETURNED_FIELD_real Scalar returned{};
#define TH_RETURNED_FIELD_accreal Scalar returned{};

namespace args {
#define TH_OP(name_, lua, types, returned_, parameters, ...)      \
  struct name_ {                                                  \
    static constexpr Op op = Op::name_;                           \
    TH_PARAMETERS(TH_FIELD_, TH_SEMICOLON, TH_UNWRAP parameters); \
    TH_RETURNED_FIELD_##returned_                                 \
  };
#include "THOps.def"
struct copy {
  static constexpr Op op = Op::copy;
  Tensor* r;
  Tensor* src;
};
}  // namespace args

}  // namespace TH_VISIBLE

#endif
