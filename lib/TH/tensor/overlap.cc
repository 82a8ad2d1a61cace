#include "tensor/overlap.h"

namespace th {

namespace {

uintptr_t address_of(const Storage& s) { return reinterpret_cast<uintptr_t>(s.get_data()); }

}  // namespace

bool blocks_overlap(const Storage& a, const Storage& b) {
  if (!b.memory.shares_host()) return false;
  return address_of(a) < address_of(b) + b.memory.size() &&
         address_of(b) < address_of(a) + a.memory.size();
}

bool spans_overlap(const Tensor& r, const Tensor& operand) {
  if (r.numel() == 0 || operand.numel() == 0 || same_view(r, operand)) return false;
  ByteRange a = r.bytes(), b = operand.bytes();
  if (r.storage != operand.storage) {
    uintptr_t first = address_of(*r.storage), second = address_of(*operand.storage);
    return first + a.begin < second + b.end && second + b.begin < first + a.end;
  }
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace th
