#ifndef TH_OPS_DIRECT_H
#define TH_OPS_DIRECT_H

// Operations that are not divided into shapes and calls: each resizes its results itself.

#include "ops/ops.h"

namespace th TH_VISIBLE {
namespace direct {

using namespace views;
using ops::copy, ops::cumsum, ops::max, ops::maxall, ops::minall, ops::sumall;

#define TH_ELEMENT(name, ...) using ops::name;
#include "THOps/elementwise.def"

// ---- fused expressions (fuse.cc)
void fuse(Tensor* r, const char* expression, TensorList operands);

using ops::equal;
using ops::allclose;
using ops::nanToNum;
using ops::isSameSizeAs;
#define TH_OP(name, ...) using ops::name;
#include "THOps/creation.def"
#include "THOps/arranging.def"
#undef TH_OP



}  // namespace direct
}  // namespace TH_VISIBLE

#endif
