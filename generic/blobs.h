#ifndef TENSOR_GENERIC_BLOBS_H
#define TENSOR_GENERIC_BLOBS_H

// What the files of the blob classes share.

#include "blob/blob.h"
#include "state.h"

namespace bind {

// Raises an argument error where there is no blob at index.
th::Blob* check_blob(lua_State* L, int index);
// The blob at index, or null.
th::Blob* to_blob(lua_State* L, int index);
// Pushes a userdata with a new blob, without axes, in it.
th::Blob* push_new_blob(lua_State* L, DType type);

// Of the wire format: methods of both classes, and functions of the module.
void register_blob_proto_methods(lua_State* L, int metatable);
void register_blob_proto_functions(lua_State* L, int module);
// Whether the string at index is a BlobProto of the blob's shape.
bool equals_proto_shape(lua_State* L, const th::Blob& blob, int index);

}  // namespace bind

#endif
