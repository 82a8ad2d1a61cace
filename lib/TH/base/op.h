#ifndef TH_BASE_OP_H
#define TH_BASE_OP_H

#include <cstdint>

#include "base/element_op.h"
#include "base/visibility.h"

namespace th TH_VISIBLE {

// All operations: the rows of THOps.def, and copy, which has no row.
enum class Op : uint16_t {
#define TH_OP(name, ...) name,
#include "THOps.def"
  copy,
};

#define TH_ELEMENT(name, ...) static_assert(int(Op::name) == int(ElementOp::name), #name);
#include "THOps/elementwise.def"

inline Op op_of(ElementOp op) noexcept { return static_cast<Op>(op); }
// op: an element-wise operation.
inline ElementOp element_op(Op op) noexcept { return static_cast<ElementOp>(op); }

const char* name(Op op) noexcept;
// Returns the name in Lua, or the C name if there is none.
const char* lua_name(Op op) noexcept;

}  // namespace TH_VISIBLE

#endif
