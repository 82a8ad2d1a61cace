#ifndef TH_IO_BLOB_PROTO_H
#define TH_IO_BLOB_PROTO_H

// Caffe's BlobProto and BlobProtoVector in the wire format of Protocol Buffers.

#include "blob/blob.h"

namespace th TH_VISIBLE {

struct Bytes {
  const char* data;
  size_t size;
};

// The field that holds the values of a BlobProto: floats or doubles.
struct ProtoValues {
  uint32_t field;
  int64_t count;
  bool doubles;
};

// A BlobProto that has been parsed completely. Refers to the caller's bytes.
class BlobProto {
 public:
  // Throws if the bytes are not a valid BlobProto. It may have a shape without values. Allocates
  // nothing.
  explicit BlobProto(Bytes bytes);

  // Throws unless there are as many values as the shape has elements.
  void check_values() const;
  bool holds_doubles() const { return data_.doubles; }
  bool equals_shape(const Blob& blob) const;
  // Sets the shape and elements of the blob; without reshape the shapes must be equal. If the proto
  // has no diff, the blob's diff does not change. If it throws, the blob is unchanged.
  void read_into(Blob& blob, bool reshape) const;

 private:
  std::string shape_text() const;
  void read_fields();
  void read_shape(Bytes bytes);
  void add_dimension(int64_t size);
  void check_count(const char* what, const ProtoValues& values) const;
  void copy_values(const ProtoValues& values, DType type, char* out) const;

  Bytes bytes_;
  bool legacy_ = false;
  int axes_ = 0;
  int64_t count_ = 0;
  int64_t shape_[kMaxBlobAxes];
  int64_t four_[4] = {0, 0, 0, 0};
  ProtoValues data_, diff_;
};

// Removes the next BlobProto from a BlobProtoVector. Returns false at the end.
bool next_blob_proto(Bytes* vector, Bytes* proto);
// Returns the number of blobs. Throws unless all of them are well-formed.
int64_t check_blob_protos(Bytes vector);
// Returns true if the bytes begin like a BlobProtoVector, which a BlobProto cannot.
bool is_blob_proto_vector(Bytes bytes);

// Serializes shape, data and optionally diff to a storage of bytes. The blob's element type
// determines the field (floats or doubles).
void write_blob_proto(const Blob& blob, bool with_diff, Storage* bytes);
void write_blob_protos(const Blob* const* blobs, int64_t count, bool with_diff, Storage* bytes);

}  // namespace TH_VISIBLE

#endif
