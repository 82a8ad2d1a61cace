// Writes BlobProto messages. The size is computed before the first byte is written.

#include <protozero/buffer_fixed.hpp>
#include <protozero/buffer_string.hpp>
#include <protozero/pbf_writer.hpp>

#include <string>

#include "base/error.h"
#include "io/blob_proto.h"
#include "io/blob_proto_fields.h"

namespace th {

namespace {

using Buffer = protozero::fixed_size_buffer_adaptor;
using Writer = protozero::basic_pbf_writer<Buffer>;

// Returns the size of a field with a tag number up to 15: tag, length and contents.
size_t field_size(size_t length) {
  return 1 + static_cast<size_t>(protozero::length_of_varint(length)) + length;
}

size_t values_size(const Blob& blob) {
  size_t bytes = static_cast<size_t>(blob.count()) * item_size(blob.dtype());
  return bytes ? field_size(bytes) : 0;
}

// Returns the message BlobShape. That of a blob without axes is empty.
std::string shape_message(const Blob& blob) {
  std::string message;
  protozero::pbf_writer(message).add_packed_int64(ShapeField::dim, blob.shape(),
                                                  blob.shape() + blob.axes());
  return message;
}

size_t proto_size(const Blob& blob, bool with_diff) {
  blob.need_shape();
  size_t size = kMostProtoBytes + 1;
  if (static_cast<size_t>(blob.count()) <= kMostProtoBytes / item_size(blob.dtype())) {
    size = field_size(shape_message(blob).size()) + (with_diff ? 2 : 1) * values_size(blob);
  }
  if (size > kMostProtoBytes) {
    fail("a blob of shape %s does not fit into a BlobProto, which has less than 2 GiB",
         blob.shape_text().c_str());
  }
  return size;
}

void add_values(Writer& writer, const Blob& blob, Blob::Part part) {
  bool diff = part == Blob::Part::diff;
  TensorRef t = blob.tensor(part);
  if (blob.dtype() == DType::Float) {
    auto* values = t->data_as<float>(Access::read);
    writer.add_packed_float(diff ? BlobField::diff : BlobField::data, values,
                            values + blob.count());
  } else {
    auto* values = t->data_as<double>(Access::read);
    writer.add_packed_double(diff ? BlobField::double_diff : BlobField::double_data, values,
                             values + blob.count());
  }
}

void add_blob(Writer& writer, const Blob& blob, bool with_diff) {
  writer.add_message(BlobField::shape, shape_message(blob));
  add_values(writer, blob, Blob::Part::data);
  if (with_diff) add_values(writer, blob, Blob::Part::diff);
}

// Resizes the storage to `size` bytes and calls write(Buffer&). If that throws, the storage gets
// its old size back.
template <class Write>
void write_to(Storage* bytes, size_t size, const Write& write) {
  const ptrdiff_t before = bytes->size;
  storage_resize(bytes, static_cast<ptrdiff_t>(size));
  try {
    Buffer buffer(static_cast<char*>(bytes->cpu(Access::overwrite)), size);
    write(buffer);
  } catch (...) {
    storage_resize(bytes, before);
    throw;
  }
}

}  // namespace

void write_blob_proto(const Blob& blob, bool with_diff, Storage* bytes) {
  write_to(bytes, proto_size(blob, with_diff), [&](Buffer& buffer) {
    Writer writer(buffer);
    add_blob(writer, blob, with_diff);
  });
}

void write_blob_protos(const Blob* const* blobs, int64_t count, bool with_diff, Storage* bytes) {
  size_t total = 0;
  for (int64_t i = 0; i < count; ++i) {
    total += field_size(proto_size(*blobs[i], with_diff));
    if (total > kMostProtoBytes) {
      fail("the blobs do not fit into a BlobProtoVector, which has less than 2 GiB");
    }
  }
  write_to(bytes, total, [&](Buffer& buffer) {
    for (int64_t i = 0; i < count; ++i) {
      // One writer for each blob: protozero keeps a message of known size open.
      Writer writer(buffer);
      Writer message(writer, VectorField::blobs, proto_size(*blobs[i], with_diff));
      add_blob(message, *blobs[i], with_diff);
    }
  });
}

}  // namespace th
