#ifndef TH_GENERIC_FILE

// C functions of files that contain tensors.

#include "TH.h"

#include <memory>

#include "generic/bridge.h"
#include "io/array_file.h"
#include "io/file_format.h"

namespace th {
namespace {

ArrayReader& reader_of(const THTensorReader* self, int argument = 1) {
  if (!self) fail_argument(argument, "a reader is expected, got NULL");
  return *reinterpret_cast<ArrayReader*>(const_cast<THTensorReader*>(self));
}
ArrayWriter& writer_of(THTensorWriter* self, int argument = 1) {
  if (!self) fail_argument(argument, "a writer is expected, got NULL");
  return *reinterpret_cast<ArrayWriter*>(self);
}
const char* checked_text(const char* text, int argument, const char* what) {
  if (!text) fail_argument(argument, "%s is expected, got NULL", what);
  return text;
}
Tensor* checked_tensor(const void* self) {
  if (!self) fail_argument(1, "a tensor is expected, got NULL");
  return static_cast<Tensor*>(const_cast<void*>(self));
}

size_t checked_position(int64_t k, size_t count, int argument) {
  if (k < 0 || static_cast<uint64_t>(k) >= count) {
    fail_argument(argument, "index %lld is out of range: the file has %zu", as_long(k), count);
  }
  return static_cast<size_t>(k);
}
const StoredArray& array_of(THTensorReader* self, int64_t k) {
  ArrayReader& reader = reader_of(self);
  return reader.array(checked_position(k, reader.count(), 2));
}

// Makes t a view of the tensor, converted to its type.
void become(Tensor* t, TensorRef read) {
  if (read->dtype != t->dtype) {
    TensorRef converted(tensor_new(t->dtype));
    resize_as(converted.get(), *read);
    ops::copy(converted.get(), read.get());
    read = std::move(converted);
  }
  views::set(t, read.get());
  expose_to_c(t);
}

void read_tensor(Tensor* t, ArrayReader& reader, int64_t k) {
  become(t, reader.read(checked_position(k, reader.count(), 3), false));
}

void map_tensor(Tensor* t, ArrayReader& reader, int64_t k) {
  const size_t position = checked_position(k, reader.count(), 3);
  const DType type = reader.array(position).type->type;
  if (type != t->dtype) {
    fail_argument(1, "%sTensor cannot be mapped as %sTensor", name_with_article(type),
                  name_with_article(t->dtype));
  }
  become(t, reader.read(position, true));
}

void load_tensor(Tensor* t, const char* filename) {
  auto reader = ArrayReader::open(checked_text(filename, 2, "a file name"));
  if (reader->count() != 1) {
    fail("%s: a file with one tensor is expected, got %zu tensors", filename, reader->count());
  }
  become(t, reader->read(0, false));
}

void save_tensor(Tensor* t, const char* filename) {
  if (extension_of(checked_text(filename, 2, "a file name")) != "npy") {
    fail("%s: a name in .npy is expected; a THTensorWriter writes .npz and .safetensors", filename);
  }
  auto writer = ArrayWriter::create(filename);
  writer->add("", t);
  writer->write();
}

}  // namespace
}  // namespace th

extern "C" {

THTensorReader* THTensorReader_new(const char* filename) {
  return th::guard([&] {
    const char* name = th::checked_text(filename, 1, "a file name");
    return reinterpret_cast<THTensorReader*>(th::ArrayReader::open(name).release());
  });
}
void THTensorReader_free(THTensorReader* self) {
  th::guard([&] { delete reinterpret_cast<th::ArrayReader*>(self); });
}
int64_t THTensorReader_count(const THTensorReader* self) {
  return th::guard([&] { return static_cast<int64_t>(th::reader_of(self).count()); });
}
const char* THTensorReader_name(const THTensorReader* self, int64_t k) {
  return th::guard([&] {
    th::ArrayReader& reader = th::reader_of(self);
    return reader.name(th::checked_position(k, reader.count(), 2)).c_str();
  });
}
int64_t THTensorReader_find(const THTensorReader* self, const char* name) {
  return th::guard([&] { return th::reader_of(self).find(th::checked_text(name, 2, "a name")); });
}
THType THTensorReader_type(THTensorReader* self, int64_t k) {
  return th::guard([&] { return static_cast<THType>(th::array_of(self, k).type->type); });
}
int THTensorReader_nDimension(THTensorReader* self, int64_t k) {
  return th::guard([&] { return static_cast<int>(th::array_of(self, k).sizes.size()); });
}
int64_t THTensorReader_size(THTensorReader* self, int64_t k, int dim) {
  return th::guard([&] {
    const std::vector<int64_t>& sizes = th::array_of(self, k).sizes;
    return sizes[static_cast<size_t>(th::wrap_dim(static_cast<int>(sizes.size()), dim, 3))];
  });
}
int64_t THTensorReader_metadataCount(const THTensorReader* self) {
  return th::guard([&] { return static_cast<int64_t>(th::reader_of(self).metadata().size()); });
}
const char* THTensorReader_metadataKey(const THTensorReader* self, int64_t k) {
  return th::guard([&] {
    const th::Metadata& metadata = th::reader_of(self).metadata();
    auto entry = metadata.begin();
    std::advance(entry, th::checked_position(k, metadata.size(), 2));
    return entry->first.c_str();
  });
}
const char* THTensorReader_metadata(const THTensorReader* self, const char* key) {
  return th::guard([&]() -> const char* {
    const th::Metadata& metadata = th::reader_of(self).metadata();
    auto entry = metadata.find(th::checked_text(key, 2, "a key"));
    return entry == metadata.end() ? nullptr : entry->second.c_str();
  });
}

THTensorWriter* THTensorWriter_new(const char* filename) {
  return th::guard([&] {
    const char* name = th::checked_text(filename, 1, "a file name");
    return reinterpret_cast<THTensorWriter*>(th::ArrayWriter::create(name).release());
  });
}
void THTensorWriter_setMetadata(THTensorWriter* self, const char* key, const char* value) {
  th::guard([&] {
    th::writer_of(self).set_metadata(th::checked_text(key, 2, "a key"),
                                     th::checked_text(value, 3, "a value"));
  });
}
void THTensorWriter_compress(THTensorWriter* self) {
  th::guard([&] { th::writer_of(self).compress(); });
}
void THTensorWriter_commit(THTensorWriter* self) {
  th::guard([&] { th::writer_of(self).write(); });
}
void THTensorWriter_free(THTensorWriter* self) {
  th::guard([&] { delete reinterpret_cast<th::ArrayWriter*>(self); });
}
}

#define TH_GENERIC_FILE "generic/THTensorFile.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

void THTensor_(readFrom)(THTensor* self, THTensorReader* reader, int64_t k) {
  th::guard([&] { th::read_tensor(th::checked_tensor(self), th::reader_of(reader, 2), k); });
}
void THTensor_(mapFrom)(THTensor* self, THTensorReader* reader, int64_t k) {
  th::guard([&] { th::map_tensor(th::checked_tensor(self), th::reader_of(reader, 2), k); });
}
void THTensor_(load)(THTensor* self, const char* filename) {
  th::guard([&] { th::load_tensor(th::checked_tensor(self), filename); });
}
void THTensor_(writeTo)(THTensor* self, THTensorWriter* writer, const char* name) {
  th::guard([&] {
    th::Tensor* t = th::checked_tensor(self);
    th::writer_of(writer, 2).add(name ? name : "", t);
  });
}
void THTensor_(save)(THTensor* self, const char* filename) {
  th::guard([&] { th::save_tensor(th::checked_tensor(self), filename); });
}
}

#endif
