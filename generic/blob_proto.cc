// Caffe's wire format for blobs: conversion from and to Lua strings.

#include "io/blob_proto.h"

#include <vector>

#include "bindings.h"
#include "blobs.h"
#include "luaT.h"

namespace bind {

namespace {

using th::Blob;
using th::BlobProto;
using th::Bytes;

Bytes check_bytes(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) luaT_typerror(L, index, "string");
  Bytes bytes;
  bytes.data = lua_tolstring(L, index, &bytes.size);
  return bytes;
}

// Pushes an empty ByteStorage as output buffer. This may run finalizers, so blobs are read after
// it.
Storage* push_byte_storage(lua_State* L, const char* function) {
  Storage* storage = nullptr;
  protect(L, function, [&] { storage = th::storage_new(DType::Byte); });
  push_storage(L, state_of(L), storage);
  return storage;
}

// Pushes the contents of the storage as a string, and frees the storage's memory at once.
int return_bytes(lua_State* L, const char* function, Storage* storage) {
  const char* data = nullptr;
  protect(L, function, [&] { data = static_cast<const char*>(storage->cpu(th::Access::read)); });
  lua_pushlstring(L, data ? data : "", static_cast<size_t>(storage->size));
  protect(L, function, [&] { th::storage_resize(storage, 0); });
  return 1;
}

// from_proto(bytes [, reshape])
int from_proto(lua_State* L) {
  Blob* blob = check_blob(L, 1);
  Bytes bytes = check_bytes(L, 2);
  bool reshape = lua_isnoneornil(L, 3) || lua_toboolean(L, 3);
  protect(L, "fromProto", [&] { BlobProto(bytes).read_into(*blob, reshape); });
  collect_under_pressure(L, state_of(L));
  return return_self(L);
}

// to_proto([diff])
int to_proto(lua_State* L) {
  check_blob(L, 1);
  bool with_diff = lua_toboolean(L, 2);
  Storage* storage = push_byte_storage(L, "toProto");
  Blob* blob = check_blob(L, 1);
  protect(L, "toProto", [&] { th::write_blob_proto(*blob, with_diff, storage); });
  return return_bytes(L, "toProto", storage);
}

// Pushes a blob parsed from the bytes, with their element type.
void push_blob_of(lua_State* L, const char* function, Bytes bytes) {
  bool doubles = false;
  protect(L, function, [&] { doubles = BlobProto(bytes).holds_doubles(); });
  Blob* blob = push_new_blob(L, doubles ? DType::Double : DType::Float);
  protect(L, function, [&] { BlobProto(bytes).read_into(*blob, true); });
}

int blob_from_proto(lua_State* L) {
  push_blob_of(L, "blobFromProto", check_bytes(L, 1));
  return 1;
}

// Returns a table of all blobs of a BlobProtoVector. All are checked before any is created.
int blobs_from_proto(lua_State* L) {
  const char* function = "blobsFromProto";
  Bytes vector = check_bytes(L, 1), proto;
  int64_t count = 0;
  protect(L, function, [&] { count = th::check_blob_protos(vector); });
  lua_newtable(L);
  for (int64_t i = 0; i < count; ++i) {
    protect(L, function, [&] { th::next_blob_proto(&vector, &proto); });
    push_blob_of(L, function, proto);
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
  return 1;
}

// blobs_to_proto(blobs [, diff])
int blobs_to_proto(lua_State* L) {
  check_kind(L, 1, LUA_TTABLE);
  bool with_diff = lua_toboolean(L, 2);
  size_t count = compat_rawlen(L, 1);
  auto** blobs = static_cast<Blob**>(lua_newuserdata(L, count * sizeof(Blob*)));
  Storage* storage = push_byte_storage(L, "blobsToProto");
  for (size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, static_cast<int>(i + 1));
    blobs[i] = to_blob(L, lua_gettop(L));
    if (!blobs[i]) {
      return raise_error(L, "blobsToProto: a blob is expected at position %d of the table, got %s",
                         static_cast<int>(i + 1), shown_type(L, lua_gettop(L)));
    }
    lua_pop(L, 1);
  }
  protect(L, "blobsToProto", [&] {
    // When memory is short, finalizers run and may change the table or free its blobs.
    std::vector<th::BlobRef> held(count);
    for (size_t i = 0; i < count; ++i) {
      blobs[i]->retain();
      held[i].reset(blobs[i]);
    }
    th::write_blob_protos(blobs, static_cast<int64_t>(count), with_diff, storage);
  });
  return return_bytes(L, "blobsToProto", storage);
}

int is_vector(lua_State* L) {
  lua_pushboolean(L, th::is_blob_proto_vector(check_bytes(L, 1)));
  return 1;
}

const Method methods[] = {{"fromProto", guarded<from_proto, 3>}, {"toProto", guarded<to_proto, 2>}};
const Method functions[] = {{"blobFromProto", guarded<blob_from_proto, 1>},
                            {"blobsFromProto", guarded<blobs_from_proto, 1>},
                            {"blobsToProto", guarded<blobs_to_proto, 2>},
                            {"_isblobvector", guarded<is_vector>}};

}  // namespace

void register_blob_proto_methods(lua_State* L, int metatable) {
  set_functions(L, methods, metatable);
}
void register_blob_proto_functions(lua_State* L, int module) {
  set_functions(L, functions, module);
}

bool equals_proto_shape(lua_State* L, const Blob& blob, int index) {
  Bytes bytes = check_bytes(L, index);
  bool equal = false;
  protect(L, "shapeEquals", [&] { equal = BlobProto(bytes).equals_shape(blob); });
  return equal;
}

}  // namespace bind
