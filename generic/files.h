#ifndef TENSOR_GENERIC_FILES_H
#define TENSOR_GENERIC_FILES_H

// Files as arguments of C functions.

#include "io/file.h"
#include "io/replace_file.h"
#include "native.h"
#include "state.h"

namespace bind {

using th::File;

// Raises an argument error if the value at index is not a file.
File* check_file(lua_State* L, int index);

// Returns the option `sync` of save: nil, true or false.
inline th::Sync sync_of(lua_State* L, int index) {
  if (lua_isnoneornil(L, index)) return th::Sync::if_replaced;
  return lua_toboolean(L, index) ? th::Sync::always : th::Sync::never;
}

// Marks a file as in use while it exists, so that a finalizer that runs in between can neither
// close nor use the file.
class InUse {
 public:
  explicit InUse(File& file) : file_(file) {
    if (file.in_use) th::fail("the file is in use");
    file.in_use = true;
  }
  ~InUse() { file_.in_use = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  File& file_;
};

// Prevents resizing and freeing of a storage while it exists.
class Pinned {
 public:
  explicit Pinned(Storage* storage) : storage_(storage) {
    th::storage_retain(storage);
    th::pin(storage);
  }
  ~Pinned() {
    th::unpin(storage_);
    th::storage_free(storage_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  Storage* storage_;
};

template <>
inline const char* Native<Pinned>::key() {
  return "tensor.Pinned";
}

// Calls body with the file at stack position index. body must not call Lua; it may throw.
template <class F>
void with_file(lua_State* L, const char* function, int index, F&& body) {
  File* file = check_file(L, index);
  protect(L, function, [&] {
    InUse in_use(*file);
    body(*file);
  });
}
template <class F>
void with_file(lua_State* L, const char* function, F&& body) {
  with_file(L, function, 1, static_cast<F&&>(body));
}

}  // namespace bind

#endif
