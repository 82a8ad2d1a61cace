#ifndef TENSOR_GENERIC_OPERANDS_H
#define TENSOR_GENERIC_OPERANDS_H

// What an operation works on, while finalizers run in the middle of it.

#include <vector>

#include "blobs.h"
#include "state.h"

namespace bind {

// The objects on the stack of the C function that runs in L, and in tables there. While it lives
// they cannot be freed, nor can their sizes and storages be changed.
class Operands {
 public:
  Operands(lua_State* L, State* state);  // throws std::bad_alloc
  ~Operands();
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  // Whether the userdata, or the storage, is held, by these operands or by those further out.
  bool holds(const void* object) const;

 private:
  void add(lua_State* L, int index);
  void add_storage(Storage* storage);
  void release() noexcept;

  State* state_;
  Operands* outer_;
  std::vector<const void*> userdata_;
  std::vector<Tensor*> tensors_;
  std::vector<Storage*> storages_;
  std::vector<th::BlobRef> blobs_;
};

}  // namespace bind

#endif
