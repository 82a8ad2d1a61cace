#ifndef TENSOR_GENERIC_OPERANDS_H
#define TENSOR_GENERIC_OPERANDS_H

// Protects the operands of an operation against finalizers that run in the middle of it.

#include <vector>

#include "blobs.h"
#include "state.h"

namespace bind {

// The objects on the stack of the C function running in L, and in the array parts of tables on that
// stack. While this exists, they cannot be freed, resized or given another storage.
class OperandGuard {
 public:
  OperandGuard(lua_State* L, State* state);  // throws std::bad_alloc
  ~OperandGuard();
  OperandGuard(const OperandGuard&) = delete;
  OperandGuard& operator=(const OperandGuard&) = delete;

  // Returns true if these operands, or those of an interrupted outer operation, contain the
  // userdata or storage.
  bool holds(const void* object) const;

 private:
  void add(lua_State* L, int index);
  void add_storage(Storage* storage);
  void release() noexcept;

  State* state_;
  OperandGuard* outer_;
  std::vector<const void*> userdata_;
  std::vector<Tensor*> tensors_;
  std::vector<Storage*> storages_;
  std::vector<th::BlobRef> blobs_;
};

}  // namespace bind

#endif
