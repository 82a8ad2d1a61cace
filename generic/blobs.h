#ifndef TENSOR_GENERIC_BLOBS_H
#define TENSOR_GENERIC_BLOBS_H

// Functions shared by the source files of the blob classes.

#include "blob/blob.h"
#include "state.h"

namespace bind {

// Returns the blob at index; raises an argument error if the value is not a blob.
th::Blob* check_blob(lua_State* L, int index);
// Returns the blob at index, or null if the value is not a blob.
th::Blob* to_blob(lua_State* L, int index);
// Pushes a userdata that owns a new blob with 0 axes.
th::Blob* push_new_blob(lua_State* L, DType type);

// Caffe's wire format: methods of both blob classes, and functions of the module.
void register_blob_proto_methods(lua_State* L, int metatable);
void register_blob_proto_functions(lua_State* L, int module);
// Returns true if the string at index is a BlobProto of the same shape as the blob.
bool equals_proto_shape(lua_State* L, const th::Blob& blob, int index);

}  // namespace bind

#endif
