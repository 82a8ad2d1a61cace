#ifndef TH_BASE_ELEMENT_OP_H
#define TH_BASE_ELEMENT_OP_H

#include <cstdint>

namespace th {

// The element-wise operations, which kernels know by name. Their numbers are those of Op. Code that
// includes only this file is not compiled again when the table gets a row of another kind.
enum class ElementOp : uint16_t {
#define TH_ELEMENT(name, ...) name,
#include "THOps/elementwise.def"
};

constexpr int kElementOps = 0
#define TH_ELEMENT(name, ...) +1
#include "THOps/elementwise.def"
    ;

}  // namespace th

#endif
