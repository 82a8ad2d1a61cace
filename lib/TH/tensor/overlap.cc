#include "tensor/overlap.h"

namespace th {

bool spans_overlap(const Tensor& r, const Tensor& operand) {
  if (r.numel() == 0 || operand.numel() == 0 || same_view(r, operand)) return false;
  ByteRange a = r.bytes(), b = operand.bytes();
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace th
