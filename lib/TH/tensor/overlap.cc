#include "tensor/overlap.h"

namespace th {

bool partly_overlap(const Tensor& r, const Tensor& operand) {
  if (!share_storage(r, operand)) return false;
  if (r.numel() == 0 || operand.numel() == 0 || same_view(r, operand)) return false;
  ByteRange a = r.bytes(), b = operand.bytes();
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace th
