#ifndef TH_IO_BLOB_PROTO_FIELDS_H
#define TH_IO_BLOB_PROTO_FIELDS_H

#include <cstddef>
#include <cstdint>

namespace th {

// Field numbers of Caffe's messages.
struct BlobField {
  enum : uint32_t {
    num = 1,
    channels = 2,
    height = 3,
    width = 4,
    data = 5,
    diff = 6,
    shape = 7,
    double_data = 8,
    double_diff = 9
  };
};
struct ShapeField {
  enum : uint32_t { dim = 1 };
};
struct VectorField {
  enum : uint32_t { blobs = 1 };
};

// The size limit of a message in Protocol Buffers.
constexpr size_t kMostProtoBytes = INT32_MAX;

}  // namespace th

#endif
