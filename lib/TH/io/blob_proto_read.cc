// Reads a BlobProto. A first pass checks everything against the available bytes before memory is
// allocated.

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <string>

#include "base/error.h"
#include "io/blob_proto.h"
#include "io/blob_proto_fields.h"

namespace th {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Calls body and converts errors of the wire format to th::Error.
template <class F>
auto reading(const char* message, F&& body) {
  try {
    return body();
  } catch (const protozero::end_of_buffer_exception&) {
    fail("the %s is truncated", message);
  } catch (const protozero::exception& error) {
    fail("invalid %s: %s", message, error.what());
  }
}

void check_size(const char* message, Bytes bytes) {
  if (bytes.size > kMostProtoBytes) {
    fail("a %s has less than 2 GiB, got %zu bytes", message, bytes.size);
  }
}

// Calls values(range) for each run of numbers in the field: a packed run or a single number.
template <class T, class F>
void for_each_run(Bytes bytes, uint32_t field, const F& values) {
  constexpr bool single = sizeof(T) == 4;
  pbf_reader reader(bytes.data, bytes.size);
  while (reader.next()) {
    if (reader.tag() == field && reader.wire_type() == pbf_wire_type::length_delimited) {
      if constexpr (single) {
        auto run = reader.get_packed_float();
        values(run.begin(), run.end());
      } else {
        auto run = reader.get_packed_double();
        values(run.begin(), run.end());
      }
    } else if (reader.tag() == field &&
               reader.wire_type() == (single ? pbf_wire_type::fixed32 : pbf_wire_type::fixed64)) {
      T value;
      if constexpr (single) {
        value = reader.get_float();
      } else {
        value = reader.get_double();
      }
      values(&value, &value + 1);
    } else {
      reader.skip();
    }
  }
}

template <class T>
int64_t count_values(Bytes bytes, uint32_t field) {
  int64_t count = 0;
  for_each_run<T>(bytes, field, [&](auto first, auto last) {
    count += static_cast<int64_t>(std::distance(first, last));
  });
  return count;
}

// If there are doubles, the floats are ignored.
ProtoValues find_values(Bytes bytes, uint32_t floats, uint32_t doubles) {
  int64_t count = count_values<double>(bytes, doubles);
  if (count) return {doubles, count, true};
  return {floats, count_values<float>(bytes, floats), false};
}

template <class From, class To>
void copy_runs(Bytes bytes, uint32_t field, To* out) {
  for_each_run<From>(bytes, field, [&](auto first, auto last) {
    for (; first != last; ++first) *out++ = static_cast<To>(*first);
  });
}

}  // namespace

BlobProto::BlobProto(Bytes bytes) : bytes_(bytes) {
  check_size("BlobProto", bytes);
  reading("BlobProto", [&] {
    read_fields();
    data_ = find_values(bytes, BlobField::data, BlobField::double_data);
    diff_ = find_values(bytes, BlobField::diff, BlobField::double_diff);
  });
  if (legacy_) {
    axes_ = 4;
    std::copy(four_, four_ + 4, shape_);
  }
  count_ = checked_blob_count(axes_, shape_);
}

void BlobProto::read_fields() {
  pbf_reader reader(bytes_.data, bytes_.size);
  while (reader.next()) {
    uint32_t tag = reader.tag();
    if (tag >= BlobField::num && tag <= BlobField::width &&
        reader.wire_type() == pbf_wire_type::varint) {
      four_[tag - BlobField::num] = reader.get_int32();
      legacy_ = true;
    } else if (reader.tag_and_type() ==
               tag_and_type(uint32_t{BlobField::shape}, pbf_wire_type::length_delimited)) {
      // Repeated shape fields are concatenated, as in merged messages.
      auto view = reader.get_view();
      read_shape({view.data(), view.size()});
    } else {
      reader.skip();
    }
  }
}

void BlobProto::read_shape(Bytes bytes) {
  pbf_reader reader(bytes.data, bytes.size);
  while (reader.next()) {
    if (reader.tag() == ShapeField::dim && reader.wire_type() == pbf_wire_type::length_delimited) {
      for (int64_t size : reader.get_packed_int64()) add_dimension(size);
    } else if (reader.tag() == ShapeField::dim && reader.wire_type() == pbf_wire_type::varint) {
      add_dimension(reader.get_int64());
    } else {
      reader.skip();
    }
  }
}

void BlobProto::add_dimension(int64_t size) {
  if (axes_ == kMaxBlobAxes) {
    fail("a blob has at most %d axes, the BlobProto has more", kMaxBlobAxes);
  }
  shape_[axes_++] = size;
}

void BlobProto::check_values() const {
  check_count("data", data_);
  if (diff_.count) check_count("diff", diff_);
}

void BlobProto::check_count(const char* what, const ProtoValues& values) const {
  if (values.count == count_) return;
  fail("a blob of shape %s needs as many values, the BlobProto has %lld in its %s",
       shape_text().c_str(), as_long(values.count), what);
}

std::string BlobProto::shape_text() const { return blob_shape_text(axes_, shape_); }

bool BlobProto::equals_shape(const Blob& blob) const {
  return legacy_ ? blob.equals_legacy_shape(four_) : blob.equals_shape(axes_, shape_);
}

void BlobProto::copy_values(const ProtoValues& values, DType type, char* out) const {
  auto copy = [&](auto* to) {
    if (values.doubles) {
      copy_runs<double>(bytes_, values.field, to);
    } else {
      copy_runs<float>(bytes_, values.field, to);
    }
  };
  if (type == DType::Float) {
    copy(reinterpret_cast<float*>(out));
  } else {
    copy(reinterpret_cast<double*>(out));
  }
}

void BlobProto::read_into(Blob& blob, bool reshape) const {
  check_values();
  if (!reshape) {
    blob.need_shape();
    if (!equals_shape(blob)) {
      fail("the BlobProto has shape %s, the blob %s, and reshape is not set", shape_text().c_str(),
           blob.shape_text().c_str());
    }
  }
  Blob::Elements elements = reshape ? blob.replace(axes_, shape_, diff_.count > 0)
                                    : blob.replace(blob.axes(), blob.shape(), diff_.count > 0);
  copy_values(data_, blob.dtype(), elements.data);
  if (diff_.count) copy_values(diff_, blob.dtype(), elements.diff);
}

bool next_blob_proto(Bytes* vector, Bytes* proto) {
  check_size("BlobProtoVector", *vector);
  return reading("BlobProtoVector", [&] {
    pbf_reader reader(vector->data, vector->size);
    while (reader.next()) {
      if (reader.tag_and_type() !=
          tag_and_type(uint32_t{VectorField::blobs}, pbf_wire_type::length_delimited)) {
        reader.skip();
        continue;
      }
      auto view = reader.get_view();
      *proto = {view.data(), view.size()};
      *vector = {view.data() + view.size(), reader.length()};
      return true;
    }
    return false;
  });
}

int64_t check_blob_protos(Bytes vector) {
  int64_t count = 0;
  Bytes proto;
  for (; next_blob_proto(&vector, &proto); ++count) BlobProto(proto).check_values();
  return count;
}

bool is_blob_proto_vector(Bytes bytes) {
  // Field 1 is a number in a BlobProto and a message in a BlobProtoVector.
  constexpr char first = (VectorField::blobs << 3) | 2;
  return bytes.size > 0 && bytes.data[0] == first;
}

}  // namespace th
