#ifndef TH_IO_BLOB_PROTO_H
#define TH_IO_BLOB_PROTO_H

// Caffe's BlobProto and BlobProtoVector in the wire format of Protocol Buffers.

#include "blob/blob.h"

namespace th TH_VISIBLE {

struct Bytes {
  const char* data;
  size_t size;
};

// Values of a BlobProto: what of the fields of floats and of doubles counts.
struct ProtoValues {
  uint32_t field;
  int64_t count;
  bool doubles;
};

// One BlobProto, read to its last byte and found well-formed. Refers to the bytes.
class BlobProto {
 public:
  // Throws where the bytes are none. Takes no memory.
  BlobProto(const char* function, Bytes bytes);

  bool holds_doubles() const { return data_.doubles; }
  bool equals_shape(const Blob& blob) const;
  // Sets the blob's shape and elements; without reshape the shape must be the blob's. The diff is
  // left alone where the proto has none. The blob is unchanged when it throws.
  void read_into(Blob& blob, bool reshape) const;

 private:
  std::string shape_text() const;
  void read_fields();
  void read_shape(Bytes bytes);
  void add_dimension(int64_t size);
  void check_values(const char* what, const ProtoValues& values, int64_t count) const;
  void copy_values(const ProtoValues& values, DType type, char* out) const;

  const char* function_;
  Bytes bytes_;
  bool legacy_ = false;
  int axes_ = 0;
  int64_t shape_[kMaxBlobAxes];
  int64_t four_[4] = {0, 0, 0, 0};
  ProtoValues data_, diff_;
};

// The next BlobProto of a BlobProtoVector, which is taken off the bytes; false at the end.
bool next_blob_proto(const char* function, Bytes* vector, Bytes* proto);
// How many there are; throws unless all of them are well-formed.
int64_t check_blob_protos(const char* function, Bytes vector);
// Whether the bytes begin as a BlobProtoVector does, and no BlobProto.
bool is_blob_proto_vector(Bytes bytes);

// Makes the bytes' storage a BlobProto: shape, data and, where asked for, diff, in the field of the
// blob's element type.
void write_blob_proto(const Blob& blob, bool with_diff, Storage* bytes);
void write_blob_protos(const Blob* const* blobs, int64_t count, bool with_diff, Storage* bytes);

}  // namespace TH_VISIBLE

#endif
