#include "backend/op.h"

namespace th {

const char* name(Op op) noexcept {
  static const char* const names[] = {
#define TH_OP(name, ...) #name,
#include "THOps.def"
      "copy",
  };
  return names[static_cast<int>(op)];
}

}  // namespace th
