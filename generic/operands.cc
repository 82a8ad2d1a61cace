#include "operands.h"

namespace bind {

OperandGuard::OperandGuard(lua_State* L, State* state) : state_(state), outer_(state->operands) {
  if (!lua_checkstack(L, 10)) throw std::bad_alloc();
  try {
    for (int i = 1, top = lua_gettop(L); i <= top; ++i) {
      add(L, i);
      if (!lua_istable(L, i)) continue;
      int elements = static_cast<int>(compat_rawlen(L, i));
      for (int k = 1; k <= elements; ++k) {
        lua_rawgeti(L, i, k);
        add(L, top + 1);
        lua_settop(L, top);
      }
    }
  } catch (...) {
    release();
    throw;
  }
  state_->operands = this;
}

OperandGuard::~OperandGuard() {
  state_->operands = outer_;
  release();
}

void OperandGuard::add(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA) return;
  Object object = object_at(L, state_, index);
  if (object.is_tensor()) {
    add_storage(object.tensor()->storage);
    tensors_.push_back(object.tensor());
    th::pin(object.tensor());
  } else if (object.is_storage()) {
    add_storage(object.storage());
  } else if (th::Blob* blob = to_blob(L, index)) {
    blobs_.emplace_back();
    blob->retain();
    blobs_.back().reset(blob);
    add_storage(blob->storage(th::Blob::Part::data));
    add_storage(blob->storage(th::Blob::Part::diff));
  } else if (!object.is_generator()) {
    return;
  }
  userdata_.push_back(lua_touserdata(L, index));
}

void OperandGuard::add_storage(Storage* storage) {
  if (!storage) return;
  storages_.push_back(storage);
  th::storage_retain(storage);
  th::pin(storage);
}

void OperandGuard::release() noexcept {
  for (Tensor* t : tensors_) th::unpin(t);
  for (Storage* s : storages_) {
    th::unpin(s);
    th::storage_free(s);
  }
}

bool OperandGuard::holds(const void* object) const {
  auto in = [object](const auto& list) {
    for (const void* held : list) {
      if (held == object) return true;
    }
    return false;
  };
  for (const OperandGuard* o = this; o; o = o->outer_) {
    if (in(o->userdata_) || in(o->storages_)) return true;
  }
  return false;
}

bool holds_object(const OperandGuard* operands, const void* userdata) {
  return operands->holds(userdata);
}

void check_unheld(lua_State* L, const OperandGuard* operands, const char* function,
                  const Storage* storage) {
  if (!operands->holds(storage)) return;
  raise_error(L, "%s: this %sStorage is in use by an operation, which a finalizer has interrupted",
              function, th::name(storage->dtype));
}

}  // namespace bind
