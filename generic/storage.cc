// The storage classes.

#include "bindings.h"

#include "luaT.h"
#include "ops/ops.h"

namespace bind {

namespace {

th::TensorRef all_of(Storage* storage) { return th::vector_of(storage, 0, storage->size); }

void fill_from_table(lua_State* L, Storage* storage, int index) {
  char* data = nullptr;
  protect(L, storage_class(storage->dtype),
          [&] { data = static_cast<char*>(storage->cpu(th::Access::write)); });
  auto item = static_cast<ptrdiff_t>(th::item_size(storage->dtype));
  for (ptrdiff_t i = 0; i < storage->size; ++i, data += item) {
    lua_rawgeti(L, index, static_cast<int>(i + 1));
    if (lua_type(L, -1) != LUA_TNUMBER) {
      raise_error(L, "a number is expected at position %d of the table, got %s",
                  static_cast<int>(i + 1), luaL_typename(L, -1));
    }
    write_element(storage->dtype, data, lua_tonumber(L, -1));
    lua_pop(L, 1);
  }
}

template <int type>
int construct(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  auto dtype = static_cast<DType>(type);
  int64_t size = 0;
  if (lua_istable(L, 1)) {
    size = static_cast<int64_t>(lua_objlen(L, 1));
  } else if (!lua_isnoneornil(L, 1)) {
    size = check_integer(L, 1);
  }
  collect_under_pressure(L, state);
  Storage* storage = nullptr;
  protect(L, storage_class(dtype),
          [&] { storage = th::storage_new(dtype, static_cast<ptrdiff_t>(size)); });
  push_storage(L, state, storage);
  if (lua_istable(L, 1)) fill_from_table(L, storage, 1);
  return 1;
}

template <int type>
int make_empty(lua_State* L) {
  lua_settop(L, 0);
  return construct<type>(L);
}

// Lua code may call it too, and with anything.
int destroy(lua_State* L) {
  Object object = object_at(L, state_of(L), 1);
  if (!object.is_storage()) return 0;
  th::storage_free(object.storage());
  *static_cast<void**>(lua_touserdata(L, 1)) = nullptr;
  return 0;
}

// The position, from 0, at stack index 2.
ptrdiff_t element(lua_State* L, Storage* storage) {
  double number = lua_tonumber(L, 2);
  if (!(number >= 1 && number < static_cast<double>(storage->size) + 1)) {
    raise_error(L, "index %.14g is out of bounds of a storage of size %td", number, storage->size);
  }
  return static_cast<ptrdiff_t>(number) - 1;
}

int index(lua_State* L) {
  if (lua_type(L, 2) != LUA_TNUMBER) {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    return 1;
  }
  Storage* storage = check_storage(L, state_of(L), 1);
  push_element_of(L, storage, element(L, storage));
  return 1;
}

int newindex(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (lua_type(L, 2) != LUA_TNUMBER) {
    return raise_error(L, "the class %s cannot be indexed", storage_class(storage->dtype));
  }
  if (lua_type(L, 3) != LUA_TNUMBER) {
    return luaL_argerror(L, 3, lua_pushfstring(L, "number expected, got %s", luaL_typename(L, 3)));
  }
  double value = lua_tonumber(L, 3);
  ptrdiff_t position = element(L, storage);
  // Where only a device has the bytes, it writes them too.
  if (th::is_on_device(storage)) {
    protect(L, "indexing",
            [&] { th::ops::fill(th::vector_of(storage, position, 1).get(), value); });
    return 0;
  }
  size_t item = th::item_size(storage->dtype);
  th::ByteRange range = {position * item, (position + 1) * item};
  char* data = nullptr;
  protect(L, "indexing",
          [&] { data = static_cast<char*>(storage->cpu(th::Access::write, range)); });
  write_element(storage->dtype, data + range.begin, value);
  return 0;
}

int size(lua_State* L) {
  lua_pushnumber(L, static_cast<lua_Number>(check_storage(L, state_of(L), 1)->size));
  return 1;
}
int element_size(lua_State* L) {
  lua_pushnumber(L,
                 static_cast<lua_Number>(th::item_size(check_storage(L, state_of(L), 1)->dtype)));
  return 1;
}

int fill(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  double value = luaL_checknumber(L, 2);
  protect(L, "fill", [&] { th::ops::fill(all_of(storage).get(), value); });
  lua_settop(L, 1);
  return 1;
}

int copy(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = check_storage(L, state, 1);
  Storage* source = check_storage(L, state, 2);
  protect(L, "copy", [&] {
    if (storage->size != source->size) {
      th::fail("storages of %td and %td elements differ in size", storage->size, source->size);
    }
    th::ops::copy(all_of(storage).get(), all_of(source).get());
  });
  lua_settop(L, 1);
  return 1;
}

int resize(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = check_storage(L, state, 1);
  int64_t n = check_integer(L, 2);
  protect(L, "resize", [&] { th::storage_resize(storage, static_cast<ptrdiff_t>(n)); });
  collect_under_pressure(L, state);
  lua_settop(L, 1);
  return 1;
}

int retain(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (!count_retain(storage)) return raise_error(L, "retain: too many references");
  th::storage_retain(storage);
  return 0;
}

// As the tensors' free. The memory stays while tensors view it.
int free_reference(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (count_free(storage)) {
    th::storage_free(storage);
  } else if (__atomic_load_n(&storage->refcount, __ATOMIC_ACQUIRE) == 1) {
    protect(L, "free", [&] { th::storage_resize(storage, 0); });
  }
  return 0;
}

int totable(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  const char* data = nullptr;
  protect(L, "totable", [&] { data = static_cast<const char*>(storage->cpu(th::Access::read)); });
  auto item = static_cast<ptrdiff_t>(th::item_size(storage->dtype));
  lua_createtable(L, storage->size < INT32_MAX ? static_cast<int>(storage->size) : 0, 0);
  for (ptrdiff_t i = 0; i < storage->size; ++i) {
    push_element(L, storage->dtype, data + i * item);
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
  return 1;
}

// A Char or Byte storage's bytes as a string; with a string, its bytes become the storage's.
int string(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  if (th::item_size(storage->dtype) != 1) {
    return raise_error(L, "string: a CharStorage or a ByteStorage is expected, got %s",
                       storage_class(storage->dtype));
  }
  if (lua_type(L, 2) == LUA_TSTRING) {
    size_t length;
    const char* text = lua_tolstring(L, 2, &length);
    protect(L, "string", [&] {
      th::storage_resize(storage, static_cast<ptrdiff_t>(length));
      if (length) __builtin_memcpy(storage->cpu(th::Access::overwrite), text, length);
    });
    lua_settop(L, 1);
    return 1;
  }
  const char* data = nullptr;
  protect(L, "string", [&] { data = static_cast<const char*>(storage->cpu(th::Access::read)); });
  lua_pushlstring(L, data, static_cast<size_t>(storage->size));
  return 1;
}

int data_address(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  void* data = nullptr;
  protect(L, "data", [&] { data = storage->cpu(th::Access::write); });
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(data)));
  return 1;
}
int struct_address(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  protect(L, "cdata", [&] { storage->cpu(th::Access::write); });
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(storage)));
  return 1;
}

const luaL_Reg methods[] = {{"size", size},
                            {"__len__", size},
                            {"elementSize", element_size},
                            {"fill", fill},
                            {"copy", copy},
                            {"resize", resize},
                            {"retain", retain},
                            {"free", free_reference},
                            {"totable", totable},
                            {"string", string},
                            {"_address", data_address},
                            {"_struct", struct_address},
                            {nullptr, nullptr}};

using Function = int (*)(lua_State*);
#define TH_TYPE(Name, real, accreal, kind, ...) construct<static_cast<int>(DType::Name)>,
const Function constructors[] = {
#include "THTypes.def"
};
#undef TH_TYPE
#define TH_TYPE(Name, real, accreal, kind, ...) make_empty<static_cast<int>(DType::Name)>,
const Function factories[] = {
#include "THTypes.def"
};
#undef TH_TYPE

void hand_over(void* object) {
  auto* storage = static_cast<Storage*>(object);
  attempt([&] { storage->cpu(th::Access::write); });
}

}  // namespace

void register_storage_classes(lua_State* L, State* state, int module) {
  for (int k = 0; k < th::kDTypes; ++k) {
    const char* name = storage_class(static_cast<DType>(k));
    luaT_newlocalmetatable(L, name, nullptr, constructors[k], destroy, factories[k], module);
    int metatable = lua_gettop(L);
    luaT_sethandover(L, name, hand_over);
    int kind = th::kDTypes + k;
    state->metatable[kind] = lua_topointer(L, metatable);
    lua_pushvalue(L, metatable);
    state->reference[kind] = luaL_ref(L, LUA_REGISTRYINDEX);

    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, destroy, 1);  // directly: objects come and go often
    lua_setfield(L, metatable, "__gc");
    set_functions(L, methods, metatable);
    register_device_methods(L, metatable, true);
    const luaL_Reg access[] = {{"__index", index}, {"__newindex", newindex}};
    for (const luaL_Reg& function : access) {
      lua_pushvalue(L, lua_upvalueindex(1));
      lua_pushvalue(L, metatable);
      lua_pushcclosure(L, function.func, 2);
      lua_setfield(L, metatable, function.name);
    }
    lua_settop(L, metatable - 1);
  }
}

}  // namespace bind
