#ifndef TH_GENERIC_FILE

#include "TH.h"

#include <initializer_list>

#include "generic/bridge.h"
#include "io/blob_proto.h"

namespace th {
namespace {

using Part = Blob::Part;

template <class T>
Blob& erase_blob(const T* blob) {
  return *reinterpret_cast<Blob*>(const_cast<T*>(blob));
}

Bytes bytes_of(const void* bytes, size_t size) {
  if (!bytes && size) fail("%zu bytes are expected, got NULL", size);
  return {static_cast<const char*>(bytes), size};
}

int64_t checked_offset(const Blob& blob, int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t index[] = {n, c, h, w};
  // Indices of missing axes must be 0.
  int axes = blob.axes() < 4 ? blob.axes() : 4;
  for (int a = axes; a < 4; ++a) {
    if (index[a] != 0) {
      fail("an index of 0 is expected for each axis that a blob of shape %s lacks",
           blob.shape_text().c_str());
    }
  }
  return blob.offset(axes, index);
}

// Runs an operation on blobs. If C code could write elements through a data field before, it can
// afterwards. Elements that the program has moved to a device stay there.
template <class F>
void keeping_data_fields(std::initializer_list<const Blob*> blobs, const F& operation) {
  StorageRef written[4];
  int count = 0;
  for (const Blob* blob : blobs) {
    for (Part part : {Part::data, Part::diff}) {
      Storage* s = blob->storage(part);
      if (!s || !s->memory.cpu_if_ready(Access::write)) continue;
      storage_retain(s);
      written[count++].reset(s);
    }
  }
  operation();
  for (int k = 0; k < count; ++k) settle(written[k].get());
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THBlob.cc"
#include "THGenerateFloatTypes.h"

extern "C" {

int THBlobProto_isDouble(const void* bytes, size_t size) {
  return th::guard([&]() -> int {
    th::Bytes all = th::bytes_of(bytes, size), first = all;
    if (th::is_blob_proto_vector(all)) th::next_blob_proto(&all, &first);
    return th::BlobProto(first).holds_doubles();
  });
}
int THBlobProto_isVector(const void* bytes, size_t size) {
  return th::guard([&]() -> int { return th::is_blob_proto_vector(th::bytes_of(bytes, size)); });
}
}

#else

extern "C" {

#define TH_SELF th::erase_blob(self)

THBlob* THBlob_(new)(void) {
  return th::guard([] { return reinterpret_cast<THBlob*>(new th::Blob(th::DType::Real)); });
}
THBlob* THBlob_(newWithShape)(THLongStorage* shape) {
  return th::guard([&] {
    th::BlobRef blob(new th::Blob(th::DType::Real));
    th::Sizes sizes = th::to_sizes(shape);
    blob->reshape(sizes.ndim, sizes.size);
    return reinterpret_cast<THBlob*>(blob.release());
  });
}
static THBlob* THBlob_(ofShape)(int axes, const int64_t* shape,
                                const char* function = __builtin_FUNCTION()) {
  return th::guard(
      [&] {
        th::BlobRef blob(new th::Blob(th::DType::Real));
        blob->reshape(axes, shape);
        return reinterpret_cast<THBlob*>(blob.release());
      },
      function);
}
THBlob* THBlob_(newWithShapeNd)(int axes, const int64_t* shape) {
  return THBlob_(ofShape)(axes, shape);
}
THBlob* THBlob_(newWithShape4d)(int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t shape[] = {n, c, h, w};
  return THBlob_(ofShape)(4, shape);
}
void THBlob_(retain)(THBlob* self) { TH_SELF.retain(); }
void THBlob_(free)(THBlob* self) {
  if (self) TH_SELF.release();
}

void THBlob_(reshape)(THBlob* self, THLongStorage* shape) {
  th::guard([&] {
    if (!shape) th::fail_argument(2, "sizes are expected, got NULL");
    th::Sizes sizes = th::to_sizes(shape);
    TH_SELF.reshape(sizes.ndim, sizes.size);
  });
}
void THBlob_(reshapeNd)(THBlob* self, int axes, const int64_t* shape) {
  th::guard([&] { TH_SELF.reshape(axes, shape); });
}
void THBlob_(reshape4d)(THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t shape[] = {n, c, h, w};
  th::guard([&] { TH_SELF.reshape(4, shape); });
}
void THBlob_(reshapeLike)(THBlob* self, const THBlob* other) {
  th::guard([&] { TH_SELF.reshape_like(th::erase_blob(other)); });
}
int THBlob_(nAxes)(const THBlob* self) { return TH_SELF.axes(); }
int THBlob_(canonicalAxisIndex)(const THBlob* self, int axis) {
  return th::guard([&] { return TH_SELF.canonical_axis(axis); });
}
int64_t THBlob_(shape)(const THBlob* self, int axis) {
  return th::guard([&] { return TH_SELF.shape()[TH_SELF.canonical_axis(axis)]; });
}
THLongStorage* THBlob_(newShapeOf)(const THBlob* self) {
  return th::guard([&] {
    return reinterpret_cast<THLongStorage*>(
        th::long_storage(TH_SELF.shape(), TH_SELF.axes()).release());
  });
}
int64_t THBlob_(count)(const THBlob* self) { return TH_SELF.count(); }
int64_t THBlob_(countFrom)(const THBlob* self, int first) {
  return th::guard([&] { return TH_SELF.count(first, TH_SELF.axes()); });
}
int64_t THBlob_(countRange)(const THBlob* self, int first, int last) {
  return th::guard([&] { return TH_SELF.count(first, last); });
}
int64_t THBlob_(legacyShape)(const THBlob* self, int axis) {
  return th::guard([&] { return TH_SELF.legacy_shape(axis); });
}
int64_t THBlob_(num)(const THBlob* self) {
  return th::guard([&] { return TH_SELF.legacy_shape(0); });
}
int64_t THBlob_(channels)(const THBlob* self) {
  return th::guard([&] { return TH_SELF.legacy_shape(1); });
}
int64_t THBlob_(height)(const THBlob* self) {
  return th::guard([&] { return TH_SELF.legacy_shape(2); });
}
int64_t THBlob_(width)(const THBlob* self) {
  return th::guard([&] { return TH_SELF.legacy_shape(3); });
}
THDescBuff THBlob_(shapeString)(const THBlob* self) {
  return th::guard([&] {
    THDescBuff buffer;
    std::string text = TH_SELF.shape_text();
    if (text.size() >= TH_DESC_BUFF_LEN) text = text.substr(0, TH_DESC_BUFF_LEN - 4) + "...";
    std::snprintf(buffer.str, sizeof(buffer.str), "%s", text.c_str());
    return buffer;
  });
}
int THBlob_(shapeEquals)(const THBlob* self, const THBlob* other) {
  th::Blob& blob = th::erase_blob(other);
  return TH_SELF.equals_shape(blob.axes(), blob.shape());
}
int THBlob_(shapeEquals4d)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t four[] = {n, c, h, w};
  return TH_SELF.equals_legacy_shape(four);
}
int THBlob_(shapeEqualsProto)(const THBlob* self, const void* bytes, size_t size) {
  return th::guard(
      [&]() -> int { return th::BlobProto(th::bytes_of(bytes, size)).equals_shape(TH_SELF); });
}

int64_t THBlob_(offset)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w) {
  return th::guard([&] { return TH_SELF.legacy_offset(n, c, h, w); });
}
int64_t THBlob_(offsetNd)(const THBlob* self, int indices, const int64_t* index) {
  return th::guard([&] { return TH_SELF.offset(indices, index); });
}

/* The functions that data and diff have in common. */
#define TH_PART(Name, part)                                                                    \
  real THBlob_(part##At)(const THBlob* self, int64_t n, int64_t c, int64_t h, int64_t w) {     \
    return th::guard([&] {                                                                     \
      int64_t offset = th::checked_offset(TH_SELF, n, c, h, w);                                \
      return static_cast<real>(TH_SELF.element(th::Part::part, offset));                       \
    });                                                                                        \
  }                                                                                            \
  real THBlob_(part##AtNd)(const THBlob* self, int indices, const int64_t* index) {            \
    return th::guard([&] {                                                                     \
      int64_t offset = TH_SELF.offset(indices, index);                                         \
      return static_cast<real>(TH_SELF.element(th::Part::part, offset));                       \
    });                                                                                        \
  }                                                                                            \
  THTensor* THBlob_(new##Name)(const THBlob* self) {                                           \
    return th::guard([&] {                                                                     \
      th::TensorRef t = TH_SELF.tensor(th::Part::part);                                        \
      th::expose_to_c(t.get());                                                                \
      return reinterpret_cast<THTensor*>(t.release());                                         \
    });                                                                                        \
  }                                                                                            \
  THStorage* THBlob_(part##Storage)(const THBlob* self) {                                      \
    return th::guard([&] {                                                                     \
      TH_SELF.need_shape();                                                                    \
      th::settle(TH_SELF.storage(th::Part::part));                                             \
      return reinterpret_cast<THStorage*>(TH_SELF.storage(th::Part::part));                    \
    });                                                                                        \
  }                                                                                            \
  const real* THBlob_(cpu##Name)(const THBlob* self) {                                         \
    return th::guard([&]() -> const real* {                                                    \
      return TH_SELF.tensor(th::Part::part)->data_as<real>(th::Access::read);                  \
    });                                                                                        \
  }                                                                                            \
  real* THBlob_(mutableCpu##Name)(THBlob * self) {                                             \
    return th::guard([&] {                                                                     \
      const th::TensorRef t = TH_SELF.tensor(th::Part::part);                                  \
      th::trace_use(t->storage, th::ElementUse::hands_out);                                    \
      return t->data_as<real>(th::Access::write);                                              \
    });                                                                                        \
  }                                                                                            \
  const real* THBlob_(gpu##Name)(const THBlob* self) {                                         \
    return th::guard([&] {                                                                     \
      return static_cast<const real*>(TH_SELF.device_block(th::Part::part, th::Access::read)); \
    });                                                                                        \
  }                                                                                            \
  real* THBlob_(mutableGpu##Name)(THBlob * self) {                                             \
    return th::guard([&] {                                                                     \
      return static_cast<real*>(TH_SELF.device_block(th::Part::part, th::Access::write));      \
    });                                                                                        \
  }                                                                                            \
  void THBlob_(share##Name)(THBlob * self, const THBlob* other) {                              \
    th::guard([&] { TH_SELF.share(th::Part::part, th::erase_blob(other)); });                  \
  }                                                                                            \
  accreal THBlob_(asum##Name)(const THBlob* self) {                                            \
    return th::guard([&] {                                                                     \
      double sum = 0;                                                                          \
      th::keeping_data_fields({&TH_SELF}, [&] { sum = TH_SELF.asum(th::Part::part); });        \
      return sum;                                                                              \
    });                                                                                        \
  }                                                                                            \
  accreal THBlob_(sumsq##Name)(const THBlob* self) {                                           \
    return th::guard([&] {                                                                     \
      double sum = 0;                                                                          \
      th::keeping_data_fields({&TH_SELF}, [&] { sum = TH_SELF.sumsq(th::Part::part); });       \
      return sum;                                                                              \
    });                                                                                        \
  }                                                                                            \
  void THBlob_(scale##Name)(THBlob * self, real factor) {                                      \
    th::guard([&] {                                                                            \
      th::keeping_data_fields({&TH_SELF}, [&] { TH_SELF.scale(th::Part::part, factor); });     \
    });                                                                                        \
  }
TH_PART(Data, data)
TH_PART(Diff, diff)
#undef TH_PART

void THBlob_(setCpuData)(THBlob* self, real* data) {
  th::guard([&] { TH_SELF.set_block(data, false); });
}
void THBlob_(setGpuData)(THBlob* self, real* data) {
  th::guard([&] { TH_SELF.set_block(data, true); });
}

void THBlob_(copyFrom)(THBlob* self, const THBlob* src, int copyDiff, int reshape) {
  th::guard([&] {
    const th::Blob& from = th::erase_blob(src);
    th::keeping_data_fields({&TH_SELF, &from}, [&] {
      TH_SELF.copy_from(from, copyDiff ? th::Part::diff : th::Part::data, reshape);
    });
  });
}
void THBlob_(update)(THBlob* self) {
  th::guard([&] { th::keeping_data_fields({&TH_SELF}, [&] { TH_SELF.update(); }); });
}

void THBlob_(fromProto)(THBlob* self, const void* bytes, size_t size, int reshape) {
  th::guard([&] {
    th::Bytes message = th::bytes_of(bytes, size);
    th::BlobProto(message).read_into(TH_SELF, reshape);
  });
}
void THBlob_(toProto)(const THBlob* self, int writeDiff, THByteStorage* bytes) {
  th::guard([&] { th::write_blob_proto(TH_SELF, writeDiff, th::erase_storage(bytes)); });
}
ptrdiff_t THBlob_(newFromProtoVector)(const void* bytes, size_t size, THBlob** blobs,
                                      ptrdiff_t capacity) {
  return th::guard([&]() -> ptrdiff_t {
    th::Bytes vector = th::bytes_of(bytes, size), proto;
    ptrdiff_t count = th::check_blob_protos(vector);
    ptrdiff_t made = 0;
    try {
      for (; made < count && made < capacity; ++made) {
        th::next_blob_proto(&vector, &proto);
        th::BlobRef blob(new th::Blob(th::DType::Real));
        th::BlobProto(proto).read_into(*blob, true);
        blobs[made] = reinterpret_cast<THBlob*>(blob.release());
      }
    } catch (...) {
      while (made > 0) THBlob_(free)(blobs[--made]);
      throw;
    }
    return count;
  });
}
void THBlob_(toProtoVector)(THBlob* const* blobs, ptrdiff_t count, int writeDiff,
                            THByteStorage* bytes) {
  th::guard([&] {
    th::write_blob_protos(reinterpret_cast<const th::Blob* const*>(blobs), count, writeDiff,
                          th::erase_storage(bytes));
  });
}

#undef TH_SELF
}

#endif
